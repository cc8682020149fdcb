"""Values added along a dimension that begin before the file ends, as of a loop that began again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from .options import StrPath
from .static_values import as_read


def not_beyond(
    given: xr.Dataset, existing: xr.Dataset, append_dim: str, file: StrPath, group: str | None
) -> Iterator[str]:
    """Tells if the coordinate of the values added does not go on where that of the file ends.

    Parameters
    ----------
    given, existing : Dataset
        What is added, with the file's encodings, and what the file has.
    append_dim : str
        The dimension along which values are added.
    file : path
        The file, as the caller names it.
    group : str or None
        The group of the file.
    """
    coordinate = given.variables.get(append_dim)
    there = existing.indexes.get(append_dim)
    if coordinate is None or coordinate.chunks is not None or there is None:
        return
    if not coordinate.size or not there.size or coordinate.dims != (append_dim,):
        return
    last = existing.variables[append_dim].values[-1]
    # As the file will have it: in its units, and of the type that its values are read as.
    first = as_read(coordinate[:1], coordinate.encoding, append_dim).values[0]
    if not (_is_ordered(first) and _is_ordered(last)):
        return
    is_rising = there.is_monotonic_increasing
    if not is_rising and not there.is_monotonic_decreasing:
        return
    # Dates of different types do not compare.
    with contextlib.suppress(TypeError):
        if not (first > last if is_rising else first < last):
            yield _notice(append_dim, _shown(first), _shown(last), file, group, is_rising)


def _is_ordered(value: Any) -> bool:
    """Whether it is a number or a date, and not missing."""
    return not pd.isnull(value) and not isinstance(value, str | bytes | bool | np.bool_)


def _shown(value: Any) -> str:
    if isinstance(value, np.datetime64):
        return np.datetime_as_string(value, unit="auto")
    return str(value)


def _notice(
    dim: str, first: str, last: str, file: StrPath, group: str | None, is_rising: bool
) -> str:
    path = os.fspath(file)
    opened = repr(path) if group is None else f"{path!r}, group={group!r}"
    return (
        f"{path}: the first {dim!r} of the values added is {first}, and the last one in the file "
        f"is {last}: they do not go on where the file ends, and were added as they are; to add "
        f"only what does: there = xr.open_dataset({opened}); "
        f"ds.sel({{{dim!r}: ds[{dim!r}] {'>' if is_rising else '<'} there[{dim!r}].values[-1]}})"
    )
