"""Values that cannot be, in frazil's words: the parameter, what was given, what is allowed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _frazil
from .errors import FileMissingError, InvalidArgumentError, UnsupportedError
from .types import whole_count

_MOST_THREADS = 4096


def refuse(name: str, value: Any, allowed: str, cure: str | None = None) -> InvalidArgumentError:
    """The error for a value that a parameter cannot have."""
    return InvalidArgumentError(f"{name} is {value!r}; it must be {allowed}", cure=cure)


def threads(count: int | None) -> int:
    """A number of threads; 0 stands for one for each core."""
    if count is None:
        return 0
    number = whole_count(count, "threads")
    if number > _MOST_THREADS:
        allowed = f"a number of threads from 0 (one for each core) to {_MOST_THREADS}"
        raise refuse("threads", count, allowed)
    return number


def mapping(name: str, value: Any, allowed: str) -> dict[str, Any]:
    """A mapping with texts as keys."""
    if not isinstance(value, Mapping):
        raise refuse(name, value, allowed)
    return {str(key): one for key, one in value.items()}


def flag(name: str, value: Any) -> bool:
    """A yes or a no."""
    if not isinstance(value, bool | np.bool_) and not (isinstance(value, int) and value in (0, 1)):
        raise refuse(name, value, "True or False")
    return bool(value)


def path(name: str, value: Any, allowed: str) -> Path:
    """A path, of text or ``os.PathLike``."""
    if not isinstance(value, str | os.PathLike):
        raise refuse(name, value, allowed)
    return Path(value)


def weights(value: Any) -> dict[str, float]:
    """How much bytes, times and joules count."""
    allowed = "a mapping of size, write, read and energy to numbers from 0"
    stated = mapping("weights", value, allowed)
    known = ["size", "write", "read", "energy"]
    for key, weight in stated.items():
        if key not in known:
            meant = _frazil.nearest_word(key, known)
            raise refuse("weights", value, allowed, meant and f"is {meant!r} meant?")
        if not isinstance(weight, int | float):
            raise refuse(f"weights[{key!r}]", weight, "a number from 0")
    return stated


def target(
    output: str | os.PathLike[str] | None, *, in_place: bool, is_dry_run: bool = False
) -> Path | None:
    """Where a result goes; ``None``: in the place of its input.

    An input is replaced only where that is said: what is rounded is lost for good.
    """
    if in_place not in (True, False):
        raise refuse("in_place", in_place, "True or False")
    if output is not None:
        if in_place:
            cause = "an output and in_place=True are both stated"
            raise InvalidArgumentError(cause, cure="leave one of them out")
        return path("output", output, "a path")
    if not (in_place or is_dry_run):
        cause = "nothing says where the result goes"
        cure = "name an output, or state in_place=True to replace the input"
        raise InvalidArgumentError(cause, cure=cure)
    return None


def can_be_continued(path: Path) -> None:
    """Refuses a classic file, which frazil reads and does not write."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError:
        # Whoever opens it to write says what is wrong.
        return
    if magic[:3] == b"CDF" and magic[3:] in (b"\x01", b"\x02", b"\x05"):
        raise UnsupportedError(
            "it is a classic netCDF file, and frazil writes on in netCDF-4 files only",
            file=path,
            cure="make it one before: frazil.pack(path, in_place=True, allow_larger=True)",
        )


def folder_of(path: Path) -> None:
    """Refuses a file that is to be written to a folder that is not there."""
    if not path.parent.exists():
        raise FileMissingError(
            f"the folder {str(path.parent)!r} does not exist",
            file=path,
            cure="make it before, or correct its name",
        )


def one_of(word: str, known: list[str]) -> str | None:
    """The cure where a word is none of those that are known: the nearest, else the first ones."""
    if meant := _frazil.nearest_word(word, known):
        return f"write {meant!r} if you mean that one"
    few = ", ".join(map(repr, known[:12]))
    return f"there is {few}" + (", ..." if len(known) > 12 else "") if known else None
