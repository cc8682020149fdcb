"""Exceptions: one for each of frazil's stable error codes.

All of them are :class:`Error`. Most are also the exception that Python itself raises in such a
case, so that ``except FileNotFoundError`` catches a missing file.

Where Python or xarray says which exception it must be, functions raise that one: :class:`TypeError`
for keywords that are unknown and for copies of a :class:`frazil.Writer`. What xarray itself finds
wrong with a dataset is its :class:`ValueError` or :class:`TypeError`, and what dask computes raises
its own exceptions.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from .spellings import in_python

# Controls, what turns the direction of text around, what is invisible, and surrogates (bytes of a
# file's name that are not UTF-8): names and texts are a file's to choose, and messages go to
# terminals.
_NOT_PLAIN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)


def plain(text: str) -> str:
    """Write out every character that a terminal would obey in place of showing it."""
    return _NOT_PLAIN.sub(lambda found: ascii(found[0])[1:-1], text)


@contextlib.contextmanager
def named(file: str | os.PathLike[str], variable: str | None = None) -> Iterator[None]:
    """Errors raised within name the file and the variable, unless they name others."""
    try:
        yield
    except Error as error:
        error.file = error.file or os.fspath(file)
        error.variable = error.variable or variable
        raise


class Error(Exception):
    """Base class of all errors of frazil.

    Attributes
    ----------
    code : int
        Stable number of the kind of error, the same in Rust, C and Fortran.
    file : str or None
        The file concerned.
    variable : str or None
        The variable, group or attribute concerned.
    cause : str
        What went wrong.
    cure : str or None
        What can be done.
    """

    code: int = 0
    _errno: ClassVar[int | None] = None

    def __init__(
        self,
        cause: str = "",
        *,
        code: int | None = None,
        file: str | os.PathLike[str] | None = None,
        variable: str | None = None,
        cure: str | None = None,
    ) -> None:
        self.cause = cause
        if code is not None:
            self.code = code
        self.file = None if file is None else os.fspath(file)
        self.variable = variable
        self.cure = cure
        if isinstance(self, OSError):
            # Not super(): LookupError may come before it, and would not fill in errno.
            OSError.__init__(self, self._errno, cause, self.file)
        else:
            super().__init__(cause)

    def __str__(self) -> str:
        where = "".join(f"{name}: " for name in (self.file, self.variable) if name)
        cure = f" ({self.cure})" if self.cure else ""
        return plain(f"{where}{self.cause}{cure}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple:
        parts = (self.code, self.file, self.variable, self.cause, self.cure)
        return from_parts, parts


class InvalidArgumentError(Error, ValueError):
    """An option or argument that cannot be honoured."""

    code = 1


class NotFoundError(Error, LookupError):
    """A variable, group, dimension or attribute that does not exist."""

    code = 2


class UnknownNameError(NotFoundError, KeyError):
    """A key of a mapping that names nothing which exists."""


class FileMissingError(NotFoundError, FileNotFoundError):
    """A file that does not exist."""

    _errno = errno.ENOENT


class MissingGroupError(NotFoundError, OSError):
    """A group that a file does not have; xarray's engines raise :class:`OSError` then."""


class BadIndexError(InvalidArgumentError, IndexError):
    """An index or a slice that the axes of a variable do not have."""


class IsFolderError(InvalidArgumentError, IsADirectoryError):
    """A folder where a file is to be written."""

    _errno = errno.EISDIR


class PermissionDeniedError(Error, PermissionError):
    """The operating system refused access."""

    code = 3
    _errno = errno.EACCES


class AlreadyExistsError(Error, FileExistsError):
    """The output exists and overwriting was not asked for."""

    code = 4
    _errno = errno.EEXIST


class InputOutputError(Error, OSError):
    """Any other input/output error."""

    code = 5
    _errno = errno.EIO


class NoSpaceError(InputOutputError):
    """The disk or the quota is full."""

    code = 6
    _errno = errno.ENOSPC


class CorruptError(InputOutputError):
    """The file contradicts itself or its format."""

    code = 7


class UnsupportedError(Error, NotImplementedError):
    """A legal thing that frazil does not do."""

    code = 8


class MissingFilterError(InputOutputError):
    """A filter that is neither built in nor found as a plugin."""

    code = 9


class MemoryBudgetError(Error, MemoryError):
    """One indivisible piece of work is larger than the memory budget."""

    code = 10


class InterruptedByUserError(Error):
    """Stopped by the user."""

    code = 11


class Hdf5Error(InputOutputError):
    """libhdf5 reported an error that fits no other code."""

    code = 12


class NetCdfError(InputOutputError):
    """netCDF-C reported an error that fits no other code."""

    code = 13


class InternalError(Error, RuntimeError):
    """A bug in frazil."""

    code = 14


class MismatchError(Error, AssertionError):
    """Verification found a difference."""

    code = 15


class LockedError(InputOutputError):
    """Another process is writing the file."""

    code = 16
    _errno = errno.EAGAIN


class FileChangedError(InputOutputError):
    """The file changed while it was being read."""

    code = 17


class BoundExceededError(Error, ArithmeticError):
    """A rounded value differs from its original by more than the bound."""

    code = 18


class FileNotice(UserWarning):
    """A warning about a file's values: its writer left a commit unfinished."""


class EncodingNotice(UserWarning):
    """Not all is as the data have it, see :func:`frazil.to_netcdf`: encodings that no longer fit
    were dropped, their type rounds, or other values of the file stay."""


_BY_CODE: dict[int, type[Error]] = {
    kind.code: kind
    for kind in (
        InvalidArgumentError,
        NotFoundError,
        PermissionDeniedError,
        AlreadyExistsError,
        InputOutputError,
        NoSpaceError,
        CorruptError,
        UnsupportedError,
        MissingFilterError,
        MemoryBudgetError,
        InterruptedByUserError,
        Hdf5Error,
        NetCdfError,
        InternalError,
        MismatchError,
        LockedError,
        FileChangedError,
        BoundExceededError,
    )
}

# What the library says of an option with a few words as values.
_CHOICES = re.compile(r"the option (\w+) is .*; it must be (\w+)(?:, \w+)* or \w+")


def _usual_cure(
    kind: type[Error], file: str | os.PathLike[str] | None, variable: str | None, cause: str
) -> str | None:
    """What helps where the library knows no better."""
    if kind is NoSpaceError:
        return "free space on this disk, or name a file on another one"
    if kind is FileMissingError and file is not None and variable is None:
        return _finding(os.fspath(file))
    if found := _CHOICES.fullmatch(cause):
        return f'state one of these, for example {found[1]}="{found[2]}"'
    return None


def _finding(file: str) -> str:
    """How a missing file is found."""
    if "://" in file:
        return "correct the address"
    # xarray gives absolute paths.
    folder = Path(file).absolute().parent
    if not folder.exists():
        return f"correct the name of the folder: there is no {str(folder)!r}"
    return f"correct the name: the folder {str(folder)!r} has no such file"


def from_parts(
    code: int,
    file: str | os.PathLike[str] | None,
    variable: str | None,
    cause: str,
    cure: str | None,
) -> Error:
    """The exception of a code; one that is not known here is a plain :class:`Error`."""
    kind = _BY_CODE.get(code, Error)
    if kind is NotFoundError and file is not None and not os.path.lexists(file):
        kind = FileMissingError
    if kind is InvalidArgumentError and file is not None and os.path.isdir(file):  # noqa: PTH112
        kind = IsFolderError
    cure = in_python(cure) if cure else _usual_cure(kind, file, variable, cause)
    return kind(cause, code=code, file=file, variable=variable, cure=cure)
