"""What belongs to a file that this process has open, where dask takes it to other processes.

Such an object travels as a name. In its own process the name leads back to it, as on a cluster
that lives in threads. Anywhere else it refuses to work.
"""

from __future__ import annotations

import os
import uuid
import weakref
from typing import Any, NoReturn

from .errors import UnsupportedError

_CURE = (
    "call the delayed object's own compute(), or compute it with scheduler='threads'; with "
    "client= and without compute=False, the workers of a cluster write"
)

_KNOWN: weakref.WeakValueDictionary[str, SameProcess] = weakref.WeakValueDictionary()


class SameProcess:
    """Base class of such objects; ``_belongs_to`` names the file and the variable."""

    _belongs_to: tuple[str, str | None]

    def __reduce_ex__(self, protocol: Any) -> Any:
        key = self.__dict__.setdefault("_key", uuid.uuid4().hex)
        _KNOWN[key] = self
        return _found, (os.getpid(), key, *self._belongs_to)


class Elsewhere:
    """In place of such an object in another process."""

    def __init__(self, process: int, key: str, file: str, variable: str | None) -> None:
        self._names = process, key, file, variable

    def __reduce__(self) -> Any:
        # A scheduler hands it on to a worker, which may be the process that it belongs to.
        return _found, self._names

    def __setitem__(self, key: Any, values: Any) -> NoReturn:
        self.finish()

    def finish(self) -> NoReturn:
        """Refuses.

        Raises
        ------
        UnsupportedError
            With ``file`` and ``variable``.
        """
        _, _, file, variable = self._names
        raise UnsupportedError(
            "a delayed write is computed in another process than the one that has the file open",
            file=file,
            variable=variable,
            cure=_CURE,
        )


def _found(process: int, key: str, file: str, variable: str | None) -> Any:
    known = _KNOWN.get(key) if os.getpid() == process else None
    return Elsewhere(process, key, file, variable) if known is None else known
