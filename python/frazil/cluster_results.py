"""What comes of tasks of a ``dask.distributed`` cluster, as it comes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import InputOutputError

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

# Seconds after which is asked whether the client is still there.
_PATIENCE = 1.0
# Of workers that are lost again and again.
MEMORY_CURE = "see the workers' logs: they may be short of memory"


@dataclass(frozen=True)
class Outcome:
    """What came of a task: its value, or the error that it ended with."""

    value: Any = None
    error: BaseException | None = None


class Results(Generic[T]):
    """What comes of tasks that are waited for: once of each, whatever becomes of the workers.

    ``distributed.as_completed`` is not enough where workers are lost. It forgets a task whose value
    was lost before it came to the client and could not be computed again: that one never comes. And
    what it says of a task by its future holds no longer once a worker is lost: the value is here,
    and the future is pending again.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._items: dict[Future, T] = {}
        self._come: SimpleQueue[tuple[Future, Outcome]] = SimpleQueue()

    def add(self, future: Future, item: T) -> None:
        """Waits for a task, too; `item` is what it is for."""
        self._items[future] = item
        self._client.loop.add_callback(self._follow, future)

    def __iter__(self) -> Iterator[tuple[T, Outcome]]:
        """What tasks were for, and what came of them, until none is waited for."""
        while self._items:
            future, outcome = self._next()
            # What is no longer waited for may still come.
            if future in self._items:
                item = self._items.pop(future)
                # The value is here; of an error nothing is to be kept there either.
                let_go([future])
                yield item, outcome

    def drop(self) -> None:
        """Waits for nothing any more; the cluster stops what nobody else wants.

        Tasks are not cancelled: the scheduler would cancel what depends on them as well, and fails,
        and closes the connection, where no client asked for that itself.
        """
        let_go(list(self._items))
        self._items.clear()

    def _next(self) -> tuple[Future, Outcome]:
        while True:
            try:
                return self._come.get(timeout=_PATIENCE)
            except Empty:
                if self._client.status in ("closing", "closed"):
                    cause = "the client was closed while its cluster worked"
                    raise InputOutputError(cause) from None

    async def _follow(self, future: Future) -> None:
        try:
            # Waits, and again when the value is lost before it is here.
            found = await self._client.gather([future], asynchronous=True)
            outcome = Outcome(found[0])
        # Whatever it is: of what is not told nobody would know that it will not come.
        except BaseException as error:
            outcome = Outcome(error=error)
        self._come.put((future, outcome))


def let_go(futures: list[Future]) -> None:
    """Tells the cluster that this client does not want these any more.

    That does not wait until nothing refers to them: the traceback of an error may for long.
    """
    for future in futures:
        # Of a cluster that is gone nothing is left to be stopped.
        with contextlib.suppress(Exception):
            future.release()


def error_of(outcome: Outcome) -> Exception | None:
    """Why a task has no value, said in terms of the cluster where that is the reason."""
    from distributed import CancelledError, KilledWorker
    from distributed.scheduler import NoValidWorkerError, NoWorkerError

    error = outcome.error
    if error is None:
        return None
    if isinstance(error, KilledWorker):
        cause = f"{error.allowed_failures + 1} workers were lost at one task, each in its turn"
        cure = MEMORY_CURE
    elif isinstance(error, NoWorkerError | NoValidWorkerError):
        cause = f"for {error.timeout:g} s no worker was there that could do the work"
        cure = "see the logs of the workers that were lost, and start others"
    elif isinstance(error, CancelledError) or not isinstance(error, Exception):
        cause = f"the cluster has dropped the work; reason: {getattr(error, 'reason', 'unknown')}"
        cure = "see the logs of its scheduler"
    else:
        return error
    found = InputOutputError(cause, cure=cure)
    found.__cause__ = error
    return found
