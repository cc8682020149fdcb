"""Values that their packed type must have a place for.

xarray casts what it has scaled, and numpy then wraps around: 300 would become 274.4.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import xarray as xr

from .errors import InvalidArgumentError

_CURE = "choose a larger dtype, or another scale_factor and add_offset"


def checked(variable: xr.Variable, name: str, file: str) -> xr.Variable:
    """A variable that is refused, at the latest when its values are computed, if some do not fit
    into the integers that its encoding asks for.

    Raises
    ------
    InvalidArgumentError
        With ``file`` and ``variable``; of dask's arrays in the task of the block.
    """
    limits = _limits(variable)
    if limits is None:
        return variable
    scale, offset = (variable.encoding.get(key) for key in ("scale_factor", "add_offset"))
    check = functools.partial(
        _in_range, scale=scale, offset=offset, limits=limits, name=name, file=file
    )
    data = variable._data
    if hasattr(data, "__dask_graph__"):
        blocks = data.map_blocks(check, dtype=data.dtype, meta=data._meta)
        return variable.copy(deep=False, data=blocks)
    check(variable.values)
    return variable


def _limits(variable: xr.Variable) -> tuple[int, int] | None:
    """The least and the largest number of the type in the file; ``None``: there is no packing."""
    try:
        dtype = np.dtype(variable.encoding.get("dtype"))
    except TypeError:
        return None
    if variable.encoding.get("dtype") is None or dtype.kind not in "iu":
        return None
    if variable.dtype.kind not in "fiu" or variable.dtype == dtype:
        return None
    unsigned = str(variable.encoding.get("_Unsigned", variable.attrs.get("_Unsigned", "")))
    if unsigned.lower() in ("true", "false"):
        dtype = np.dtype(f"{'u' if unsigned.lower() == 'true' else 'i'}{dtype.itemsize}")
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


def _in_range(
    values: Any, *, scale: Any, offset: Any, limits: tuple[int, int], name: str, file: str
) -> Any:
    if not np.size(values):
        return values
    for extreme in (np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)):
        number = extreme
        if offset is not None:
            number = number - np.asarray(offset).item()
        if scale is not None:
            number = number / np.asarray(scale).item()
        # Half a step beyond is rounded back; nothing is known of NaN.
        if number < limits[0] - 0.5 or number > limits[1] + 0.5:
            raise InvalidArgumentError(
                f"{extreme} is packed as {np.round(number):.0f}, and dtype holds "
                f"{limits[0]} to {limits[1]}",
                file=file,
                variable=name,
                cure=_CURE,
            )
    return values
