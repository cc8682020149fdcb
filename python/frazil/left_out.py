"""Variables of a file that grow, and for which the values added bring nothing.

They grow with their dimension, and hold fill values there. Readers must see that these are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from .errors import InvalidArgumentError
from .options import StrPath


def missing_ones(
    given: xr.Dataset, existing: xr.Dataset, append_dim: str, file: StrPath
) -> Iterator[str]:
    """Tells of variables that get fill values.

    Parameters
    ----------
    given, existing : Dataset
        What is added, and what the file has.
    append_dim : str
        The dimension along which values are added.
    file : path
        What errors name.

    Raises
    ------
    InvalidArgumentError
        If readers would take these fill values for values.
    """
    if not given.sizes.get(append_dim):
        return
    left_out = {
        str(name): one
        for name, one in existing.variables.items()
        if append_dim in one.dims and name not in given.variables
    }
    hidden = [name for name, one in left_out.items() if not _shows_missing(one)]
    if hidden:
        raise InvalidArgumentError(
            f"the values added leave out {', '.join(hidden)}, which would get fill values along "
            f"{append_dim!r}; readers would take these for values",
            file=file,
            variable=hidden[0],
            cure="give them values, or write these data to a file of their own",
        )
    if left_out:
        yield f"left out, with fill values where the others go on: {', '.join(left_out)}"


def _shows_missing(variable: xr.Variable) -> bool:
    """Whether readers tell fill values from values."""
    stored: Any = variable.encoding.get("dtype", variable.dtype)
    if variable.dtype == bool or str(stored) in ("bool", "<class 'bool'>"):
        return False
    if "_FillValue" in {*variable.attrs, *variable.encoding}:
        return True
    is_time = variable.dtype.kind in "mM" or "calendar" in variable.encoding
    return not is_time and (stored is str or np.dtype(stored).kind not in "iuf")
