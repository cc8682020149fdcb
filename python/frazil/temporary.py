"""The file that a new one is written to before it gets its name."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

from . import _frazil

# The locks of names that this process writes to, each with the number of files on their way there:
# several of this process may be, and the last one that is complete stays. By process and name.
_HELD: dict[tuple[int, Path], tuple[_frazil.NameLock, int]] = {}
_LOCK = threading.Lock()


class Temporary:
    """An empty file beside ``target`` that only this user may read.

    No other file ever has its name: a worker that was lost may look for it much later. Until it is
    removed or has got its name, other processes do not write the target. If this process is killed,
    whoever writes the target next removes the file.

    Raises
    ------
    frazil.Error
        If another process writes the target, or the file cannot be made.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._key = (os.getpid(), target.absolute())
        with _LOCK:
            lock, count = _HELD.get(self._key) or (_frazil.NameLock.take(target), 0)
            _HELD[self._key] = (lock, count + 1)
        self._is_held = True
        try:
            self.path = Path(lock.make_temporary())
        except BaseException:
            self._release()
            raise

    def give_name(self) -> None:
        """Gives the complete file its name, and the mode of the file that it replaces or of new
        ones."""
        try:
            mode = stat.S_IMODE(self._target.stat().st_mode)
        except FileNotFoundError:
            mode = _frazil.usual_mode(self._target.parent)
        with suppress(OSError):
            self.path.chmod(mode)
        self.path.replace(self._target)

    def remove(self) -> None:
        """Removes the file, if it has not got its name, and lets others write the target."""
        try:
            self.path.unlink(missing_ok=True)
        finally:
            self._release()

    def _release(self) -> None:
        with _LOCK:
            if not self._is_held:
                return
            self._is_held = False
            lock, count = _HELD.pop(self._key)
            if count > 1:
                _HELD[self._key] = (lock, count - 1)
            else:
                lock.release()
