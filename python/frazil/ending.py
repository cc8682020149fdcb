"""Writers that are left open: they are committed when the program ends, or a child process."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any

from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from .options import StrPath
    from .writer import Writer

_open_writers: weakref.WeakSet[Writer] = weakref.WeakSet()
# The child process that was told to close its files.
_closing_process: int | None = None


def check_not_ending(path: StrPath) -> None:
    """Refuse to begin a file that nobody would close.

    Raises
    ------
    InvalidArgumentError
        If the interpreter is ending.
    """
    if sys.is_finalizing():
        raise InvalidArgumentError("the program is ending, so it cannot create a file", file=path)


def close_in_the_end(writer: Writer) -> None:
    """Have a writer closed when the program ends, if nobody has done so by then."""
    _open_writers.add(writer)
    _close_with_child()


@atexit.register
def _close_all() -> None:
    for writer in list(_open_writers):
        writer._end()


def _close_with_child() -> None:
    """Has a child process of multiprocessing, which runs nothing of ``atexit``, close its files."""
    global _closing_process
    # Whoever has not imported it is no such process.
    processes = sys.modules.get("multiprocessing.process")
    if processes is None or processes.parent_process() is None:
        return
    if _closing_process != os.getpid():
        from multiprocessing.util import Finalize

        # After all else that the child does when it ends.
        Finalize(None, _close_all, exitpriority=-(1 << 30))
        _closing_process = os.getpid()


class Ended:
    """In place of a compiled writer when the program ends: soon it may not be called any more."""

    is_closed = True

    def close(self) -> None:
        """Nothing is left to be done."""

    abandon = close

    def __getattr__(self, name: str) -> Any:
        raise InvalidArgumentError("the writer is closed: the program is ending")
