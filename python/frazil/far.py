"""What may be opened: names, URLs, and objects of Python that give bytes."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from .errors import InvalidArgumentError

_REMOTE = ("http", "https", "s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl")

Ranges = Sequence[tuple[int, int]]


class Ranged(Protocol):
    """What the compiled part asks for ranges of bytes."""

    size: int
    #: Whether many ranges come sooner than one after the other.
    gives_many: bool

    def read_ranges(self, ranges: Ranges) -> list[bytes]:
        """Bytes of ranges, from begin to end of each."""
        ...


class _Seekable:
    """Any binary object with ``seek`` and ``read``. It has one position, so one thread reads."""

    gives_many = False

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = threading.Lock()
        before = file.tell()
        self.size = file.seek(0, os.SEEK_END)
        if not isinstance(self.size, int):
            self.size = file.tell()
        file.seek(before)

    def read_ranges(self, ranges: Ranges) -> list[bytes]:
        with self._lock:
            before = self._file.tell()
            try:
                return [self._read(begin, end - begin) for begin, end in ranges]
            finally:
                self._file.seek(before)

    def _read(self, begin: int, length: int) -> bytes:
        self._file.seek(begin)
        parts = []
        while length > 0:
            part = bytes(self._file.read(length))
            if not part:
                raise EOFError(f"the file ended at byte {begin + sum(map(len, parts))}")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)


class _InFilesystem:
    """A file of an fsspec file system, which gives many ranges at once."""

    gives_many = True

    def __init__(self, fs: Any, path: str) -> None:
        self._fs, self._path = fs, path
        self.size = int(fs.size(path))

    def read_ranges(self, ranges: Ranges) -> list[bytes]:
        paths = [self._path] * len(ranges)
        begins, ends = [one for one, _ in ranges], [one for _, one in ranges]
        return [bytes(one) for one in self._fs.cat_ranges(paths, begins, ends)]


def is_name(opened: Any) -> bool:
    """Whether it names a file and is none itself: an ``OpenFile`` of fsspec has a path."""
    return isinstance(opened, str | os.PathLike) and not _is_open_file(opened)


def is_url(name: Any) -> bool:
    """Whether a name leads to another machine."""
    scheme, colon, _ = str(name).partition("://")
    return bool(colon) and scheme.lower() in _REMOTE


def name_of(opened: Any) -> str:
    """What messages call it."""
    if is_name(opened):
        return os.fspath(opened)
    if _is_open_file(opened):
        return str(getattr(opened, "full_name", None) or opened.path)
    for attribute in ("full_name", "name", "path"):
        name = getattr(opened, attribute, None)
        if isinstance(name, str):
            return name
    return f"<{type(opened).__name__}>"


def ranged(opened: Any) -> Ranged | None:
    """What gives the bytes of an object; ``None``: it is the name of a file."""
    if is_name(opened):
        return None
    fs, path = getattr(opened, "fs", None), getattr(opened, "path", None)
    is_plain = getattr(opened, "compression", None) is None
    if isinstance(path, str) and is_plain and callable(getattr(fs, "cat_ranges", None)):
        return _InFilesystem(fs, path)
    if all(callable(getattr(opened, one, None)) for one in ("read", "seek", "tell")):
        if isinstance(opened.read(0), str):
            raise InvalidArgumentError("this is a file of text: open it in binary mode, 'rb'")
        return _Seekable(opened)
    raise InvalidArgumentError(
        f"{type(opened).__name__} is neither a file name nor a binary file object, which "
        "needs read, seek and tell"
    )


def _is_open_file(opened: Any) -> bool:
    """Whether it is fsspec's ``OpenFile``: a file system and a path, and no file yet."""
    return hasattr(opened, "fs") and hasattr(opened, "path") and not hasattr(opened, "read")


def plain_options(options: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Storage options as names and texts; those of fsspec in their nested form, too."""
    if options is None:
        return None
    found: dict[str, str] = {}
    for name, value in options.items():
        if value is None or name in _OF_FSSPEC:
            continue
        if name == "client_kwargs":
            found |= plain_options(value) or {}
        elif name == "headers" and isinstance(value, Mapping):
            found[name] = "\n".join(f"{header}: {said}" for header, said in value.items())
        else:
            found[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


# What fsspec's own caches and loops are told, and says nothing about access.
_OF_FSSPEC = ("asynchronous", "cache_type", "default_block_size", "default_fill_cache", "loop")


def absolute(opened: Any) -> Any:
    """A name that stays good when the working folder changes; anything else as it is."""
    if not is_name(opened):
        return opened
    name = os.fspath(opened)
    if is_url(name) or name.startswith("file:/"):
        return name
    return str(Path(name).expanduser().absolute())
