"""Times that the numbers in the file must have a place for.

xarray casts the numbers that it makes of times to the type that the encoding states: they wrap
around without a word.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import xarray as xr

from .appending import plain_units
from .errors import InvalidArgumentError
from .growing_times import finer_units_cure


def as_numbers(variable: xr.Variable, name: str) -> xr.Variable | None:
    """The numbers that times in memory become, before they are cast; ``None``: it has none, or the
    encoding leaves their type to xarray.

    The encoding of the result is that of the numbers in the file.
    """
    encoding = variable.encoding
    if not _is_time(variable) or encoding.get("units") is None:
        return None
    stated = {key: encoding.get(key) for key in ("dtype", "_FillValue", "missing_value")}
    if stated["dtype"] is None or np.dtype(stated["dtype"]).kind not in "iuf":
        return None
    plain = variable.copy(deep=False)
    plain.encoding = {key: encoding[key] for key in ("units", "calendar") if key in encoding}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numbers = xr.conventions.encode_cf_variable(plain, name=name)
    except (ValueError, TypeError, KeyError, OverflowError):
        # xarray says what is wrong when it encodes them in earnest.
        return None
    if plain_units(numbers.attrs.get("units")) != plain_units(encoding["units"]):
        # Other units than those stated: they are compared where values are added.
        return None
    values = np.asarray(numbers.values)
    missing = np.asarray(variable.isnull().values)
    if missing.any():
        values = np.where(missing, np.nan, values.astype("f8"))
    # No time stands for a missing one: an offset says that values differ from the file's numbers.
    packed = {"add_offset": 0.0, **{key: one for key, one in stated.items() if one is not None}}
    return xr.Variable(variable.dims, values, encoding=packed)


def _is_time(variable: xr.Variable) -> bool:
    return variable.dtype.kind in "mM" and variable._in_memory


def check_exact(times: xr.Variable, numbers: xr.Variable, name: str, file: Any) -> None:
    """Refuses times that numbers of the file's type do not tell from others.

    Raises
    ------
    InvalidArgumentError
        With ``file`` and ``variable``.
    """
    dtype = np.dtype(numbers.encoding["dtype"])
    if dtype.kind != "f":
        return
    values = numbers.values
    changed = (values.astype(dtype).astype("f8") != values) & (values == values)
    if changed.any():
        raise InvalidArgumentError(
            f"{times.values[changed].flat[0]} has no exact place among the {dtype.name} of the "
            f"file, which are {times.encoding['units']!r}",
            file=file,
            variable=name,
            cure=finer_units_cure(os.fspath(file), name, str(times.encoding["units"]), "seconds"),
        )
