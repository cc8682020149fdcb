"""The file that a new one is written to before it gets its name."""

from __future__ import annotations

import fcntl
import os
import re
import stat
import uuid
from contextlib import suppress
from itertools import count
from pathlib import Path

from . import _frazil

_NUMBERS = count()
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def make(path: Path) -> Path:
    """Make an empty file beside ``path`` that only this user may read.

    No other file ever has its name: a worker that was lost may look for it much later. What killed
    processes left of the same target is removed.
    """
    _clean(path)
    own = f"{os.getpid()}-{next(_NUMBERS)}-{uuid.uuid4().hex[:16]}"
    temporary = path.with_name(f".{path.name}.{own}.frazil")
    # Where that is not possible, the writer says why.
    with suppress(OSError):
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | _OPEN, 0o600))
    return temporary


def give_name(temporary: Path, path: Path) -> None:
    """Give a complete file its name, and the mode of the file that it replaces or of new ones."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mode = _frazil.usual_mode(path.parent)
    with suppress(OSError):
        temporary.chmod(mode)
    temporary.replace(path)


def _clean(path: Path) -> None:
    """Remove what this user's killed processes left. A living one holds its file's lock."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.\d+-\d+-[0-9a-f]{{8,16}}\.frazil")
    with suppress(OSError):
        left = [one.name for one in os.scandir(path.parent) if ours.fullmatch(one.name)]
        for name in left:
            _remove(path.with_name(name), path.with_name(f".{name}.frazil-lock"))


def _remove(temporary: Path, lock: Path) -> None:
    # Without a lock nobody knows whether its process lives.
    with suppress(OSError):
        held = os.open(lock, _OPEN)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            owners = {os.fstat(held).st_uid, temporary.lstat().st_uid}
            if owners == {os.geteuid()} and stat.S_ISREG(temporary.lstat().st_mode):
                temporary.unlink()
                lock.unlink()
        finally:
            os.close(held)
