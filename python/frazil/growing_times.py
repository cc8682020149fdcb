"""Units of times along a dimension that grows: later steps must fit, too.

xarray chooses the coarsest units that hold the values at hand. One step at midnight gets whole
days, and the step one hour later then has no place in the file.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import xarray as xr

# Coarse ones first.
_UNITS = {"seconds": "s", "milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
_ALL_UNITS = ("days", "hours", "minutes", *_UNITS)
# What settles how times become numbers.
_SETTLED = ("units", "dtype", "scale_factor", "add_offset")

Encodings = dict[Hashable, Mapping[str, Any]]


def with_fine_units(
    dataset: xr.Dataset,
    encoding: Mapping[Hashable, Mapping[str, Any]],
    *,
    growing: Any,
    append_dim: str | None,
    there: Collection[str],
    is_later: bool,
) -> tuple[xr.Dataset, Encodings]:
    """Chooses units in which later times surely are integers, where nothing settles them.

    Parameters
    ----------
    dataset : Dataset
        Not encoded yet.
    encoding : mapping
        What the user states.
    growing : iterable of str, str or None
        Dimensions that can grow. Where they have two steps or more, these show the spacing, and
        the units are left to xarray.
    append_dim : str or None
        The dimension along which values are surely added later.
    there : collection of str
        Variables that the file has: their units stay.
    is_later : bool
        Whether the file has steps already: new variables miss them.

    Returns
    -------
    dataset : Dataset
    encoding : dict
        What was stated, with the units of variables about which something was stated.
    """
    growing = {growing} if isinstance(growing, str) else set(growing or ())
    unknown = {dim for dim in growing if dataset.sizes.get(dim, 2) < 2} | {append_dim}
    chosen: dict[Hashable, dict[str, Any]] = {}
    for family in _families(dataset, encoding, unknown, there):
        chosen |= _encodings({name: dataset.variables[name] for name in family}, is_later)
    stated = dict(encoding)
    dataset = dataset.copy() if chosen else dataset
    for name, one in chosen.items():
        if name in stated:
            stated[name] = {**stated[name], **one}
        else:
            dataset[name].encoding = {**dataset[name].encoding, **one}
    return dataset, stated


def _families(
    dataset: xr.Dataset,
    encoding: Mapping[Hashable, Mapping[str, Any]],
    dims: set[Any],
    there: Collection[str],
) -> list[list[Hashable]]:
    """Variables of times without units, each with the bounds that share its units."""
    open_ones = [
        name
        for name, one in dataset.variables.items()
        if name not in there
        and dims.intersection(one.dims)
        and not any(encoding.get(name, one.encoding).get(key) is not None for key in _SETTLED)
        and (one.dtype.kind in "mM" or _is_cftime(one))
    ]
    bounds = {name: dataset.variables[name].attrs.get("bounds") for name in dataset.variables}
    # xarray gives times that dask computes microseconds, and bounds the units of their times.
    heads = [name for name in open_ones if dataset.variables[name].chunks is None]
    taken = {
        bounds[name]
        for name, one in dataset.variables.items()
        if name in heads or encoding.get(name, one.encoding).get("units") is not None
    }
    return [
        [name, *(one for one in open_ones if one == bounds[name])]
        for name in heads
        if name not in taken
    ]


def _is_cftime(variable: xr.Variable) -> bool:
    if variable.dtype.kind != "O" or variable.chunks is not None or not variable.size:
        return False
    return hasattr(variable[(0,) * variable.ndim].values.item(), "calendar")


def _encodings(
    family: Mapping[Hashable, xr.Variable], is_later: bool
) -> dict[Hashable, dict[str, Any]]:
    """Units and types of times and their bounds."""
    head = next(iter(family.values()))
    codes = list(_UNITS)
    units = max((_finest(one) for one in family.values()), key=codes.index)
    if head.dtype.kind != "m":
        origin = _origin(head.values)
        if origin is None:
            return {}
        units = f"{units} since {origin}"
    # What is missing is NaN, as xarray has it.
    return {
        name: {"units": units, "dtype": "float64" if is_later or _has_missing(one) else "int64"}
        for name, one in family.items()
    }


def _has_missing(variable: xr.Variable) -> bool:
    return variable.chunks is None and bool(variable.isnull().any())


def _finest(variable: xr.Variable) -> str:
    """The coarsest of our units in which values are integers."""
    if variable.chunks is not None:
        return "microseconds"
    values = variable.values
    if values.dtype.kind == "O":
        parts = [one.microsecond for one in values.flat if hasattr(one, "microsecond")]
        if any(part % 1000 for part in parts):
            return "microseconds"
        return "milliseconds" if any(parts) else "seconds"
    known = values[~np.isnat(values)]
    for units, code in _UNITS.items():
        if (known.astype(f"{known.dtype.kind}8[{code}]") == known).all():
            return units
    return "nanoseconds"


def _origin(values: np.ndarray) -> str | None:
    """The first time, to the second; ``None`` if units of time cannot have such a year."""
    if values.dtype.kind == "O":
        first = next(one for one in values.flat if hasattr(one, "calendar"))
    else:
        known = values[~np.isnat(values)].astype("M8[s]")
        if not known.size:
            return "1970-01-01"
        first = known[0].astype(datetime.datetime)
    if not (hasattr(first, "year") and 1 <= first.year <= 9999):
        return None
    day = f"{first.year:04}-{first.month:02}-{first.day:02}"
    time = f"{first.hour:02}:{first.minute:02}:{first.second:02}"
    return day if time == "00:00:00" else f"{day}T{time}"


def finer_units_cure(file: str, variable: str, ours: str, theirs: str) -> str:
    """How a file whose units are too coarse gets finer ones.

    Parameters
    ----------
    file, variable : str
        The file, and the variable of times or spans in it.
    ours, theirs : str
        Units of the file, and those that the values added need.
    """
    needed = theirs.split(" ")[0]
    _, since, origin = ours.partition(" since ")
    units = (needed if needed in _UNITS else "seconds") + since + origin
    if "/" in variable.strip("/"):
        return f"write the file again with units {units!r} and dtype 'int64' in its encoding"
    name = variable.strip("/")
    return (
        f"write the file again with finer units: ds = xr.load_dataset({file!r}); "
        f'ds[{name!r}].encoding |= {{"units": {units!r}, "dtype": "int64"}}; '
        f'frazil.to_netcdf(ds, {file!r}, unlimited_dims=ds.encoding["unlimited_dims"])'
    )


def are_coarser(ours: Any, theirs: Any) -> bool:
    """Whether units of a file are coarser than others, which count from the same time."""
    if not (isinstance(ours, str) and isinstance(theirs, str)):
        return False
    words = ours.split(" ")[0], theirs.split(" ")[0]
    if not all(word in _ALL_UNITS for word in words):
        return False
    return _ALL_UNITS.index(words[0]) < _ALL_UNITS.index(words[1])
