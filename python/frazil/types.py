"""numpy's types and netCDF's."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .errors import BadIndexError, InvalidArgumentError, UnsupportedError

CHAR, STRING = 2, 12

# netCDF's numbers of its types, by numpy's kind and size.
_NUMBERS = {
    ("i", 1): 1,
    ("i", 2): 3,
    ("i", 4): 4,
    ("f", 4): 5,
    ("f", 8): 6,
    ("u", 1): 7,
    ("u", 2): 8,
    ("u", 4): 9,
    ("i", 8): 10,
    ("u", 8): 11,
}
# By numpy's kinds.
_INSTEAD = {
    "b": "store integers: values.astype('i1')",
    "c": "store two variables: values.real and values.imag",
    "M": "store numbers with units, or write by frazil.to_netcdf, which does so",
    "m": "store numbers with units, or write by frazil.to_netcdf, which does so",
    "S": "store single characters, values.view('S1'), or texts: str",
    "V": "store each field as a variable",
}
_DTYPES = {number: np.dtype(f"{kind}{size}") for (kind, size), number in _NUMBERS.items()}
_DTYPES[CHAR] = np.dtype("S1")
_DTYPES[STRING] = np.dtype(object)


def type_number(dtype: Any) -> int:
    """netCDF's number of a numpy type; ``str``, objects and texts of any length are strings.

    Raises
    ------
    UnsupportedError
        For a type that netCDF has no number for: bool, complex, float16, dates, structures.
    InvalidArgumentError
        For what is no type.
    """
    if dtype is str:
        return STRING
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise InvalidArgumentError(
            f"dtype is {dtype!r}; it must be a type of numpy, or str", cure="write 'f4' or 'i2'"
        ) from None
    if dtype.kind in "OU":
        return STRING
    if dtype == np.dtype("S1"):
        return CHAR
    number = _NUMBERS.get((dtype.kind, dtype.itemsize))
    if number is None:
        raise UnsupportedError(f"netCDF has no type for {dtype}", cure=instead_of(dtype))
    return number


def instead_of(dtype: np.dtype) -> str | None:
    """What to write in place of values that netCDF has no type for."""
    if dtype.kind == "f":
        # Halves fit into float32; nothing holds longer ones.
        return f"convert them: values.astype('f{4 if dtype.itemsize < 4 else 8}')"
    return _INSTEAD.get(dtype.kind)


def numpy_dtype(number: int) -> np.dtype:
    """The numpy type of a netCDF type, in this machine's byte order."""
    return _DTYPES[number]


def native_bytes(values: np.ndarray) -> np.ndarray:
    """The bytes of values in this machine's order, as a flat array of uint8."""
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    return native.reshape(-1).view(np.uint8)


def little_bytes(values: np.ndarray) -> np.ndarray:
    """The bytes of values in little-endian order, as a flat array of uint8; a view if it can be."""
    little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8)


def attribute_value(value: Any) -> list[str] | tuple[int, np.ndarray]:
    """An attribute as the compiled part takes it: texts, or a type and bytes.

    Text is stored as netCDF4-python stores it: as characters if it is ASCII, else as a string.
    Numbers keep numpy's type; Python's are ``int64`` and ``float64``.
    """
    if isinstance(value, str) and not isinstance(value, bytes):
        try:
            return CHAR, np.frombuffer(value.encode("ascii"), dtype=np.uint8)
        except UnicodeEncodeError:
            return [value]
    if isinstance(value, bytes):
        return CHAR, np.frombuffer(value, dtype=np.uint8)
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind == "U" or (array.dtype.kind == "O" and _all_texts(array)):
        texts = [str(text) for text in array.reshape(-1)]
        return attribute_value(texts[0]) if array.ndim == 0 else texts
    if array.dtype.kind == "S":
        return [text.decode("utf-8") for text in array.reshape(-1)]
    if array.dtype.kind == "b":
        raise UnsupportedError("netCDF has no type for bool", cure="store an integer: int(value)")
    if array.dtype.kind == "O":
        raise InvalidArgumentError(
            f"{value!r} is neither text nor numbers, so it can be no attribute",
            cure="leave it out, or store it as text: str(value)",
        )
    return type_number(array.dtype), native_bytes(array)


def _all_texts(array: np.ndarray) -> bool:
    return all(isinstance(text, str) for text in array.reshape(-1))


def whole_count(
    value: Any, what: str, *, least: int = 0, file: Any = None, variable: str | None = None
) -> int:
    """A number of elements or the like: whole, not below `least`, of at most 64 bits.

    Raises
    ------
    InvalidArgumentError
        For all else; nothing is cut off.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not least <= number < 2**64:
        raise InvalidArgumentError(
            f"{what} is {value!r}; it must be a whole number from {least} on",
            file=file,
            variable=variable,
        )
    return number


def whole_number(index: Any) -> int:
    """One index of an axis.

    Raises
    ------
    BadIndexError
        For what is no integer, as numpy does.
    """
    try:
        return operator.index(index)
    except TypeError as error:
        cause = f"{index!r} is not an index: indices are integers and slices"
        raise BadIndexError(cause) from error
