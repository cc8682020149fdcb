"""Delayed writes: ``frazil.to_netcdf(..., compute=False)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask
from dask.delayed import Delayed

from .errors import InvalidArgumentError
from .same_process import SameProcess

if TYPE_CHECKING:
    from .xarray_store import Output
    from .xarray_write import _Values


class DelayedWrite(Delayed):
    """A write that waits for dask to compute its values, once.

    ``compute()`` also works where dask computes in other processes, as on a cluster: a few blocks
    at a time come to this process then. If it fails, the write is given up.
    """

    __slots__ = ("_output", "_values")

    def __init__(self, stored: Delayed, values: _Values, output: Output) -> None:
        made = dask.delayed(_finish_later)(stored, _Held(output))
        super().__init__(made.key, made.dask, layer=made.__dask_layers__()[0])
        self._values, self._output = values, output

    def __reduce__(self) -> Any:
        return Delayed, (self.key, self.dask, None, self.__dask_layers__()[0])

    def compute(self, **options: Any) -> None:
        """Compute the values and write them."""
        self._output.check_open()
        try:
            if computes_elsewhere(options.get("scheduler")):
                with self._output.named():
                    self._values.stream()
                    self._output.finish()
            else:
                super().compute(**options)
        except BaseException as error:
            self._output.fail(error)
            raise

    def abandon(self) -> None:
        """Give the write up, and let others write the file: where ``dask.compute`` failed in the
        workers of a cluster, nobody else does."""
        self._output.fail(
            InvalidArgumentError(
                "this delayed write was abandoned",
                file=self._output.name,
                cure="call to_netcdf again for another one",
            )
        )


def computes_elsewhere(scheduler: Any = None) -> bool:
    """Whether dask computes in other processes, by this scheduler or as it is set up."""
    from dask.base import get_scheduler

    get = get_scheduler(scheduler=scheduler)
    if get is None:
        return False
    owner = type(getattr(get, "__self__", None)).__module__
    return "distributed" in owner or "multiprocessing" in getattr(get, "__module__", "")


class _Held(SameProcess):
    """An output as dask may hold it: not looked into, not tokenized by content."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._belongs_to = output.name, None

    def __dask_tokenize__(self) -> str:
        return f"frazil-{id(self._output)}"

    def finish(self) -> None:
        """Closes the file and gives it its name."""
        self._output.finish()


def _finish_later(_stored: Any, held: _Held) -> None:
    held.finish()
