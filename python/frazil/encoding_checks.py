"""Encodings that a user asks for: those that cannot be are refused, by key, value and cure.

What xarray's engine netcdf4 accepts and does is accepted; what it accepts and passes over is not.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .asked_filters import HIGHEST_LEVELS
from .errors import InvalidArgumentError

COMPRESSION_FLAGS = ("zlib", "zstd", "szip", "bzip2", "blosc")
_YES_OR_NO = (*COMPRESSION_FLAGS, "shuffle", "fletcher32", "contiguous")
_LEVELS = ("complevel", "compression_opts")
ROUNDINGS = ("significant_digits", "least_significant_digit")
# Other names of the compressor that the flag `zlib` stands for.
_SYNONYMS = {"gzip": "zlib", "deflate": "zlib"}
# Those of doubles.
_MOST_DIGITS, _MOST_BITS = 15, 52


def check(variable: Any, encoding: Mapping[str, Any], unlimited: Collection[str]) -> None:
    """Refuses an encoding that contradicts itself or cannot be.

    Parameters
    ----------
    variable : xarray.Variable
        Encoded by the conventions already.
    encoding : mapping
        What was asked for it.
    unlimited : collection of str
        Names of the dimensions that grow.

    Raises
    ------
    InvalidArgumentError
        Without file and variable: the caller knows them.
    """
    for key in _YES_OR_NO:
        if encoding.get(key) is not None and not is_flag(encoding[key]):
            raise refused(encoding, key, "True or False")
    digits = encoding.get("significant_digits")
    most = _MOST_BITS if encoding.get("quantize_mode") == "BitRound" else _MOST_DIGITS
    if digits is not None and (whole(digits) is None or not 1 <= digits <= most):
        raise refused(encoding, "significant_digits", f"a whole number from 1 to {most}")
    places = encoding.get("least_significant_digit")
    if places is not None and not isinstance(places, int | float | np.number):
        raise refused(encoding, "least_significant_digit", "a number")
    _check_rounding(variable, encoding)
    _check_compression(encoding)
    name = compression_of(encoding)
    if name and name not in HIGHEST_LEVELS:
        # Its levels do not matter: it is not written at all.
        return
    for key in _LEVELS:
        if encoding.get(key) is not None and whole(encoding[key]) is None:
            raise refused(encoding, key, "a whole number")
    level = level_of(encoding)
    highest = HIGHEST_LEVELS[name or "zlib"]
    if level is not None and not 0 <= level <= highest:
        key = next(key for key in reversed(_LEVELS) if encoding.get(key) is not None)
        raise refused(encoding, key, f"a whole number from 0 to {highest}")
    if variable.dims:
        _check_layout(variable, encoding, unlimited, is_compressed=bool(name) and level != 0)


def _check_rounding(variable: Any, encoding: Mapping[str, Any]) -> None:
    stated = [key for key in ROUNDINGS if encoding.get(key) is not None]
    if len(stated) > 1:
        raise InvalidArgumentError(
            f"encoding {stated[0]} and {stated[1]} both say how it is rounded",
            cure="state one of them",
        )
    if stated and variable.dtype.kind != "f":
        raise InvalidArgumentError(
            f"encoding {stated[0]} is {encoding[stated[0]]!r}, and the values are stored as "
            f"{variable.dtype}: only floats are rounded",
            cure=f"leave {stated[0]} out",
        )


def _check_compression(encoding: Mapping[str, Any]) -> None:
    """Refuses two compressors, or two levels."""
    flags = [flag for flag in COMPRESSION_FLAGS if encoding.get(flag)]
    stated = {flag: f"{flag} is {encoding[flag]!r}" for flag in flags}
    name = encoding.get("compression")
    if name is not None:
        stated.setdefault(_SYNONYMS.get(name, name), f"compression is {name!r}")
    if len(stated) > 1:
        first, second, *_ = stated.values()
        cause = f"encoding {first}, and {second}"
        raise InvalidArgumentError(cause, cure="state one compressor")
    levels = [encoding[key] for key in _LEVELS if encoding.get(key) is not None]
    if len(levels) > 1 and levels[0] != levels[1]:
        cause = f"encoding complevel is {levels[0]!r}, and compression_opts is {levels[1]!r}"
        raise InvalidArgumentError(cause, cure="state one of them")


def _check_layout(
    variable: Any, encoding: Mapping[str, Any], unlimited: Collection[str], *, is_compressed: bool
) -> None:
    if encoding.get("contiguous"):
        _check_contiguous(variable, encoding, unlimited, is_compressed=is_compressed)
    chunks = encoding.get("chunksizes")
    if chunks is None:
        return
    lengths = f"a whole number from 1 on for each of the dimensions {variable.dims!r}"
    if not isinstance(chunks, Sequence | np.ndarray) or isinstance(chunks, str):
        raise refused(encoding, "chunksizes", lengths)
    if len(chunks) != len(variable.dims):
        raise InvalidArgumentError(
            f"encoding chunksizes {chunks!r} do not fit dimensions {variable.dims!r}",
            cure="state one length for each dimension",
        )
    for chunk, length, dim in zip(chunks, variable.shape, variable.dims, strict=True):
        size = whole(chunk)
        if size is None or size < 1:
            raise refused(encoding, "chunksizes", lengths)
        # What has no length yet can grow.
        if length and size > length and dim not in unlimited:
            cause = (
                f"encoding chunksizes is {chunks!r}, and dimension {dim!r} has {length} elements"
            )
            cure = f"state {length} at most, or name {dim!r} in unlimited_dims"
            raise InvalidArgumentError(cause, cure=cure)


def _check_contiguous(
    variable: Any, encoding: Mapping[str, Any], unlimited: Collection[str], *, is_compressed: bool
) -> None:
    growing = [dim for dim in variable.dims if dim in unlimited]
    if growing:
        cause = f"encoding contiguous is True, and its dimension {growing[0]!r} can grow"
        raise InvalidArgumentError(
            cause, cure="leave contiguous out: what grows is stored in chunks"
        )
    for key in ("chunksizes", "fletcher32"):
        value = encoding.get(key)
        if value is not None and value is not False:
            raise _both_layouts(f"{key} is {value!r}")
    if is_compressed:
        raise _both_layouts(f"the compression is {compression_of(encoding)!r}")


def _both_layouts(other: str) -> InvalidArgumentError:
    cause = f"encoding contiguous is True, and {other}"
    return InvalidArgumentError(
        cause, cure="leave one of them out: one run of bytes has neither chunks nor filters"
    )


def refused(encoding: Mapping[str, Any], key: str, allowed: str) -> InvalidArgumentError:
    """The error for a value that a key of an encoding cannot have."""
    cause = f"encoding {key} is {encoding[key]!r}; it must be {allowed}"
    return InvalidArgumentError(cause, cure=f"correct it, or leave {key} out: frazil decides then")


def refused_rounding(what: str, **where: Any) -> InvalidArgumentError:
    """The error where values that come into a variable of an existing file are to be rounded."""
    return InvalidArgumentError(
        f"{what} is stated, and values that come into a variable of the file are not rounded",
        cure="leave it out, and round all values when the file is complete: "
        "frazil.pack(path, in_place=True, precision=...)",
        **where,
    )


def is_flag(value: Any) -> bool:
    """Whether a value is a yes or a no, as Python, numpy or a file of settings have it."""
    return isinstance(value, bool | np.bool_) or (
        isinstance(value, int | np.integer) and value in (0, 1)
    )


def whole(value: Any) -> int | None:
    """A whole number of any type; ``None``: it is none."""
    try:
        return operator.index(value)
    except TypeError:
        pass
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return int(value) if is_whole else None


def compression_of(encoding: Mapping[str, Any]) -> Any:
    """The compressor that an encoding names; nothing true: none."""
    name = encoding.get("compression")
    if name is not None:
        return name
    return next((flag for flag in COMPRESSION_FLAGS if encoding.get(flag)), None)


def level_of(encoding: Mapping[str, Any]) -> int | None:
    """The compressor's level that an encoding states, if it is one."""
    level = encoding.get("complevel")
    if encoding.get("compression_opts") is not None:
        level = encoding["compression_opts"]
    return None if level is None else whole(level)
