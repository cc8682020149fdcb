"""Threads that compute dask's blocks no faster than the writer takes them."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

# So many threads work where packing is what takes the time: one block is put, one computed.
_FEWEST = 2
# Blocks of so many bytes go back to the system when they are freed. Of smaller ones the allocator
# keeps up to so many times the largest, for each thread.
_RETURNED_BYTES = 32 << 20
_KEPT = 2


class Crew(Executor):
    """An executor whose number of working threads follows the writer.

    Every block that is computed before the writer has room for it only takes memory. So few
    threads work while puts wait for room, and all of them where packing waits for blocks. It is
    always the same few: what allocators keep, they keep for each thread that ever worked.

    Parameters
    ----------
    most : int
        Threads that may work at once.
    leave_memory : callable, optional
        Told how many bytes are taken beyond two blocks, so that the writer does with less.
    """

    def __init__(self, most: int, leave_memory: Callable[[int], None] | None = None) -> None:
        # dask asks for it.
        self._max_workers = most
        self._width = self._widest = min(_FEWEST, most)
        self._leave_memory = leave_memory
        self._largest_bytes = 0
        self._kept_bytes = 0
        self._left_bytes = 0
        self._working = 0
        self._was_starved = False
        self._tasks: deque[tuple[Future, Callable[[], Any]]] = deque()
        self._threads: list[threading.Thread] = []
        self._is_closed = False
        self._changed = threading.Condition()

    @property
    def width(self) -> int:
        """Threads that may work at the moment."""
        return self._width

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have a function called, after those submitted before."""
        future: Future = Future()
        context = contextvars.copy_context()
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the crew was dismissed")
            self._tasks.append((future, partial(context.run, fn, *args, **kwargs)))
            self._call_threads()
        return future

    def follow(self, under_way: int, stalled: float, block_bytes: int = 0) -> None:
        """Take account of a put.

        Parameters
        ----------
        under_way : int
            Chunks that were being packed when it began.
        stalled : float
            Seconds for which it waited for memory.
        block_bytes : int
            Bytes that were put.
        """
        with self._changed:
            is_starved = under_way == 0 and stalled == 0
            if stalled > 0:
                self._width = min(_FEWEST, self._max_workers)
            elif is_starved and self._was_starved and self._width < self._max_workers:
                self._width += 1
                self._call_threads()
            # The first block always comes to idle threads.
            self._was_starved = is_starved
            self._widest = max(self._widest, self._width)
            self._leave_memory_for(block_bytes)

    def _leave_memory_for(self, block_bytes: int) -> None:
        """Has the writer leave what such blocks take beyond two of them."""
        self._largest_bytes = max(self._largest_bytes, block_bytes)
        if block_bytes < _RETURNED_BYTES:
            self._kept_bytes = max(self._kept_bytes, _KEPT * block_bytes)
        taken = self._widest * (self._largest_bytes + self._kept_bytes)
        needed = taken - _FEWEST * self._largest_bytes
        if self._leave_memory is not None and needed > self._left_bytes:
            self._left_bytes = needed
            self._leave_memory(needed)

    def _call_threads(self) -> None:
        """Has those work who may, and starts more if there is work for them."""
        while len(self._threads) < min(self._width, self._working + len(self._tasks)):
            number = len(self._threads)
            thread = threading.Thread(
                target=self._work, args=(number,), name="frazil-dask", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        self._changed.notify_all()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end when nothing is left to do."""
        with self._changed:
            self._is_closed = True
            if cancel_futures:
                for future, _ in self._tasks:
                    future.cancel()
                self._tasks.clear()
            self._changed.notify_all()
        for thread in self._threads if wait else ():
            thread.join()

    def _work(self, number: int) -> None:
        while (task := self._next(number)) is not None:
            future, call = task
            try:
                if future.set_running_or_notify_cancel():
                    future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
            # Nothing of a block is kept while waiting for the next.
            del task, future, call
            with self._changed:
                self._working -= 1
                if self._is_closed:
                    self._changed.notify_all()

    def _next(self, number: int) -> tuple[Future, Callable[[], Any]] | None:
        with self._changed:
            while not (self._tasks and number < self._width):
                if self._is_closed and not self._tasks:
                    return None
                self._changed.wait()
            self._working += 1
            return self._tasks.popleft()


@contextlib.contextmanager
def crew(leave_memory: Callable[[int], None] | None = None) -> Iterator[Crew | None]:
    """A crew for the blocks to be computed; ``None`` where dask is set up not to use threads, or to
    use the caller's own."""
    import dask
    from dask.base import get_scheduler
    from dask.system import CPU_COUNT

    scheduler = get_scheduler()
    is_threaded = scheduler is None or scheduler is dask.threaded.get
    if not is_threaded or dask.config.get("pool", None) is not None:
        yield None
        return
    made = Crew(dask.config.get("num_workers", None) or CPU_COUNT, leave_memory)
    try:
        yield made
    except BaseException:
        made.shutdown(wait=True, cancel_futures=True)
        raise
    made.shutdown()
