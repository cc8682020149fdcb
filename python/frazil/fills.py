"""Fill values: what elements hold that were never written, and those of masked values."""

from __future__ import annotations

import math
import os
import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InvalidArgumentError
from .types import CHAR, STRING, native_bytes, numpy_dtype

if TYPE_CHECKING:
    from .definitions import Definition, Definitions

# netCDF's own, by its numbers of types.
_DEFAULTS = {
    1: -127,
    CHAR: b"\0",
    3: -32_767,
    4: -2_147_483_647,
    5: 9.969209968386869e36,
    6: 9.969209968386869e36,
    7: 255,
    8: 65_535,
    9: 4_294_967_295,
    10: -9_223_372_036_854_775_806,
    11: 18_446_744_073_709_551_614,
    STRING: "",
}


def default_fill(number: int) -> Any:
    """The fill value of a netCDF type, as a Python scalar."""
    return _DEFAULTS[number]


def fill_of(
    number: int, value: Any, *, file: str | os.PathLike[str], variable: str
) -> np.ndarray | None:
    """A fill value as one element of a netCDF type; ``None``: none is stated.

    Raises
    ------
    InvalidArgumentError
        For a value that the type cannot hold. A real number is rounded to the nearest that a type
        of real numbers has; nothing else is changed.
    """
    if value is None:
        return None
    if number == STRING:
        raise InvalidArgumentError(
            f"the fill value {reprlib.repr(value)} is of a variable of strings, whose elements are "
            "empty until they are written",
            file=file,
            variable=variable,
            cure="state a text for missing strings as an attribute, attrs={'_FillValue': [text]}",
        )
    found = _character(value) if number == CHAR else _number(value, numpy_dtype(number))
    if found is None:
        kind = "single character" if number == CHAR else numpy_dtype(number).name
        raise InvalidArgumentError(
            f"the fill value {reprlib.repr(value)} is no {kind}", file=file, variable=variable
        )
    return found


def fill_bytes(fill: np.ndarray | None) -> list[int] | None:
    """The bytes of a fill value in this machine's order."""
    return None if fill is None else native_bytes(fill).tolist()


def _character(value: Any) -> np.ndarray | None:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0]
    if isinstance(value, str):
        value = value.encode()
    if not isinstance(value, bytes) or len(value) > 1:
        return None
    # numpy's texts end before NUL.
    return np.array(value or b"\0", dtype="S1")


def _number(value: Any, dtype: np.dtype) -> np.ndarray | None:
    try:
        given = np.asanyarray(value)
    except (TypeError, ValueError):
        return None
    if given.size != 1 or np.ma.is_masked(given) or given.dtype.kind not in "iufbO":
        return None
    number = given.reshape(-1)[0]
    try:
        return _integer(number, dtype) if dtype.kind in "iu" else _real(number, dtype)
    except (TypeError, ValueError, OverflowError):
        return None


def _integer(number: Any, dtype: np.dtype) -> np.ndarray | None:
    whole = int(number)
    limits = np.iinfo(dtype)
    is_same = whole == number and limits.min <= whole <= limits.max
    return np.array(whole, dtype=dtype) if is_same else None


def _real(number: Any, dtype: np.dtype) -> np.ndarray | None:
    with np.errstate(over="ignore", under="ignore"):
        real = np.array(number).astype(dtype)
    # Neither infinity nor zero is near to what they would stand for.
    is_near = math.isfinite(number) == math.isfinite(real) and bool(number) == bool(real)
    return real if is_near else None


def learn_fills(definitions: Definitions, path: os.PathLike[str]) -> None:
    """Take over the fill values of the variables that a file had when it was opened."""
    from .file import open

    with open(path) as file:
        for one in definitions.all_variables():
            if one.fill is None:
                found = file[definitions.path(one)]
                stated = found.attrs.get("_FillValue")
                one.fill = _stated(one, stated, path)
                # As netCDF-C tells it: the default masks nothing where values are not filled.
                has_value = found._has_fill_value or stated is not None
                one.no_fill = one.type != STRING and not has_value


def _stated(variable: Definition, value: Any, path: os.PathLike[str]) -> Any:
    if variable.type == STRING:
        return value if isinstance(value, str) else ""
    try:
        found = fill_of(variable.type, value, file=path, variable=variable.name)
    except InvalidArgumentError:
        # netCDF takes no notice of what is not of the variable's type.
        found = None
    return default_fill(variable.type) if found is None else found.item()
