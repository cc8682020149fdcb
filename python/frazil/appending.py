"""Values that come into variables a file has already: encoded as the file has it, or refused.

An attribute holds for all values of a variable. One that says what values mean must not change
while some of the old values stay.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from .calendars import check_calendar, plain_calendar
from .encoding_checks import refused_rounding
from .errors import InvalidArgumentError
from .file import Group
from .file import open as open_file
from .growing_times import are_coarser, finer_units_cure
from .inherited import owner, parts
from .left_out import missing_ones
from .options import StrPath
from .repeated_steps import not_beyond
from .static_values import differing

# How numbers become values.
_DECODING = ("scale_factor", "add_offset", "_Unsigned", "dtype")
# What is missing.
_MISSING = ("_FillValue", "missing_value", "valid_min", "valid_max", "valid_range")
# What values are.
_KIND = ("units", "calendar", "standard_name", "cell_methods", "positive", "grid_mapping")
_KIND += ("flag_values", "flag_masks", "flag_meanings", "formula_terms", "month_lengths")
_KIND += ("leap_month", "leap_year", "units_metadata", "least_significant_digit")
MEANING = (*_DECODING, *_MISSING, *_KIND)
# Of an encoding: what decides which numbers stand for values.
_VALUES = ("dtype", "scale_factor", "add_offset", "_FillValue", "missing_value")
_VALUES += ("_Unsigned", "units", "calendar", "least_significant_digit")
# What attributes about the rounding of old values begin with.
_ROUNDED = ("quantization", "_Quantize", "least_significant_digit", "max_abs_compression_error")
# How chunks are stored, if the file tells it in the same words.
_STORED = ("chunksizes", "contiguous", "zlib", "complevel", "shuffle", "fletcher32", "zstd")


@dataclass(frozen=True)
class Before:
    """What a file had when it was opened to be written on.

    Attributes
    ----------
    attrs : dict
        Attributes of variables, by path.
    lengths : dict
        Lengths of dimensions by name, those of groups above included, by path of a group.
    """

    attrs: dict[str, dict[str, Any]]
    lengths: dict[str, dict[str, int]]

    @classmethod
    def of(cls, path: StrPath) -> Before:
        """Looks into a file."""
        attrs, lengths = {}, {}
        with open_file(path) as file:
            for group, above in _groups(file, {}):
                at = group.path.rstrip("/")
                lengths[at] = above
                for name, variable in group.variables.items():
                    attrs[f"{at}/{name}"] = dict(variable.attrs)
        return cls(attrs, lengths)

    def has(self, group: str | None, dim: str) -> bool:
        """Whether a group, or one above it, had a dimension."""
        at = (group or "").strip("/")
        return dim in self.lengths.get(f"/{at}" if at else "", {})

    def variables_of(self, group: str | None) -> set[str]:
        """Names of the variables that a group had."""
        at = "/".join(("", *filter(None, (group or "").split("/"))))
        paths = (path.rpartition("/") for path in self.attrs)
        return {name for above, _, name in paths if above == at}


def _groups(group: Group, above: dict[str, int]) -> Iterator[tuple[Group, dict[str, int]]]:
    lengths = {**above, **group.dims}
    yield group, lengths
    for one in group.groups.values():
        yield from _groups(one, lengths)


# --- before anything is encoded ---


@dataclass
class Fitted:
    """What of a dataset goes on along a dimension.

    Attributes
    ----------
    dataset : Dataset
        With the file's encodings.
    encoding : dict
        What was stated of variables that the file does not have yet.
    dropped : list of str
        What was stated of storage, and the file has otherwise.
    differing : list of str
        Variables without the dimension whose values in the file are others, and stay.
    notices : list of str
        What else a user should know.
    """

    dataset: xr.Dataset
    encoding: dict[Hashable, Mapping[str, Any]]
    dropped: list[str]
    differing: list[str]
    notices: list[str]


def fitted(
    dataset: xr.Dataset,
    path: StrPath,
    group: str | None,
    append_dim: str,
    encoding: Mapping[Hashable, Mapping[str, Any]],
) -> Fitted:
    """Looks at what the file has, and encodes what goes on in the same way.

    Raises
    ------
    InvalidArgumentError
        If the dimension of the file cannot grow, if ``encoding`` contradicts the file, if values
        along another dimension have other coordinates there, or if variables are left out whose
        fill values look like values.
    """
    result = Fitted(dataset, dict(encoding), [], [], [])
    if not Path(path).exists():
        return result
    has_group, can_grow = _group_and_growth(path, group, append_dim)
    if not has_group:
        return result
    with xr.open_dataset(path, engine="frazil", group=group) as existing:
        if append_dim in existing.dims and not can_grow:
            raise InvalidArgumentError(
                f"dimension {append_dim!r} of the file cannot grow",
                file=path,
                cure=f"write the file with unlimited_dims=[{append_dim!r}]",
            )
        shared = [name for name in dataset.variables if name in existing.variables]
        settled = [name for name in shared if append_dim not in dataset[name].dims]
        encodings = {
            name: _as_in_file(existing.variables[name], dataset[name].attrs)
            for name in settled
            # Rounded ones are others.
            if not any(key.startswith(_ROUNDED) for key in existing.variables[name].attrs)
        }
        result.differing = differing(dataset, existing, encodings, path)
        _check_coordinate(dataset, existing, append_dim, path)
        result.notices += missing_ones(dataset, existing, append_dim, path)
        result.dataset = dataset = dataset.drop_vars(settled).copy()
        for name in shared:
            stated = result.encoding.pop(name, {})
            if name in settled:
                continue
            found = existing.variables[name]
            _check_stated(stated, found, str(name), path)
            result.dropped += _of_storage(stated, found.encoding, str(name))
            _check_times(dataset.variables[name], found, str(name), path)
            check_calendar(dataset.variables[name], found, str(name), path)
            if dataset[name].dtype.kind == found.dtype.kind == "S":
                dataset[name] = _as_wide(dataset[name], found.dtype, str(name), path)
            dataset[name].encoding = _as_in_file(found, dataset[name].attrs)
        result.notices += not_beyond(dataset, existing, append_dim, path, group)
    return result


def _group_and_growth(path: StrPath, group: str | None, dim: str) -> tuple[bool, bool]:
    """Whether a file has a group, and whether the dimension that the group sees can grow."""
    with open_file(path) as file:
        at: Group = file
        for name in parts(group):
            if name not in at.groups:
                return False, False
            at = at.groups[name]
        definer = owner(file, group, dim)
        return True, definer is not None and dim in definer.unlimited_dims


def _check_coordinate(
    given: xr.Dataset, existing: xr.Dataset, append_dim: str, path: StrPath
) -> None:
    """Refuses values without the coordinates that the file has along the dimension: fill values in
    place of times cannot be decoded."""
    if not given.sizes.get(append_dim):
        return
    if append_dim in existing.variables and append_dim not in given.variables:
        raise InvalidArgumentError(
            "the values added have no such coordinate, and those of the file have one",
            file=path,
            variable=append_dim,
            cure=f"ds.assign_coords({append_dim}=...) states it",
        )


def _check_times(given: xr.Variable, found: xr.Variable, name: str, path: StrPath) -> None:
    """Refuses bare numbers where the file has times."""
    units = found.encoding.get("units")
    if _is_time(units) and given.dtype.kind not in "MO" and "units" not in given.attrs:
        raise InvalidArgumentError(
            f"attribute units is {units!r} in the file and not there in the values added, which "
            "are numbers",
            file=path,
            variable=name,
            cure="add times, or state the units of the numbers",
        )


def _as_wide(texts: xr.DataArray, dtype: np.dtype, name: str, path: StrPath) -> xr.DataArray:
    """Texts of fixed width, as wide as those of the file."""
    if texts.dtype.itemsize > dtype.itemsize:
        raise InvalidArgumentError(
            f"texts have {texts.dtype.itemsize} bytes, and those of the file {dtype.itemsize}",
            file=path,
            variable=name,
            cure=f"shorten them: ds[{name!r}].astype('S{dtype.itemsize}')",
        )
    return texts.astype(dtype)


def _as_in_file(found: xr.Variable, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The encoding of an existing variable, for values that go on after its own."""
    # xarray makes NaN the fill value where nothing is said.
    encoding = {"_FillValue": None}
    encoding |= {key: found.encoding[key] for key in _VALUES if key in found.encoding}
    if _plain_type(encoding.get("dtype")) == "str":
        # xarray would cut texts to the longest one that the file has.
        encoding["dtype"] = str
    if _is_time(encoding.get("units")):
        encoding.setdefault("calendar", "standard")
    if found.dtype.kind == "S" and "char_dim_name" in found.encoding:
        encoding["char_dim_name"] = found.encoding["char_dim_name"]
    if encoding["_FillValue"] is not None:
        # Both mark missing values; xarray encodes with one of them.
        encoding.pop("missing_value", None)
    # What is not decoded comes with its attributes, which are compared later.
    return {key: value for key, value in encoding.items() if key not in attrs}


def _check_stated(stated: Mapping[str, Any], found: xr.Variable, name: str, path: StrPath) -> None:
    """Refuses an encoding that gives the file's numbers another meaning, or asks for rounding."""
    for key in _VALUES:
        if key not in stated:
            continue
        ours = found.encoding.get(key, found.attrs.get(key))
        if not _is_same(key, stated[key], ours):
            cure = "leave it out: values are appended as the file has them"
            units = found.encoding.get("units")
            if key in ("units", "dtype") and isinstance(units, str):
                finer = finer_units_cure(os.fspath(path), name, units, str(stated.get("units")))
                cure = f"leave it out if {units!r} as the file has it holds the values; or {finer}"
            raise InvalidArgumentError(
                f"encoding {key} is {stated[key]!r}, and the file has {ours!r}",
                file=path,
                variable=name,
                cure=cure,
            )
    if stated.get("significant_digits"):
        raise refused_rounding("encoding significant_digits", file=path, variable=name)


def _of_storage(stated: Mapping[str, Any], found: Mapping[str, Any], name: str) -> list[str]:
    return [
        f"{name}: {key}"
        for key in _STORED
        if stated.get(key) is not None
        and key in found
        and not _is_same(key, stated[key], found[key])
    ]


# --- as it is encoded ---


def check_meaning(
    before: Mapping[str, Any], given: Mapping[str, Any], dtype: np.dtype, where: Mapping[str, Any]
) -> None:
    """Refuses encoded values that mean something else than the old ones, which stay.

    Parameters
    ----------
    before, given : mapping
        Attributes that the file has, and those of the encoded values.
    dtype : numpy type
        The variable's, in the file.
    where : mapping
        ``file`` and ``variable``.

    Raises
    ------
    InvalidArgumentError
        With the attribute and both values.
    """
    for key in MEANING:
        ours, theirs = before.get(key), given.get(key)
        is_time = _is_time(before.get("units"))
        if key == "calendar" and is_time:
            ours = ours or "standard"
        if theirs is None and key not in _DECODING:
            continue
        if key == "_FillValue" and _is_nan(theirs) and (ours is None or dtype.kind == "f"):
            continue
        if not _is_same(key, theirs, ours):
            raise _refused(key, theirs, ours, where)


def _refused(key: str, theirs: Any, ours: Any, where: Mapping[str, Any]) -> InvalidArgumentError:
    cure = "convert the values, or correct the attribute, before they are appended"
    if key == "units" and are_coarser(ours, theirs):
        cure = finer_units_cure(where["file"], where["variable"], ours, theirs)
    return InvalidArgumentError(
        f"attribute {key} is {_shown(ours)} in the file and {_shown(theirs)} in the values added; "
        "it would change what the old values mean",
        cure=cure,
        **where,
    )


def _shown(value: Any) -> str:
    if value is None:
        return "not there"
    return repr(value.tolist() if isinstance(value, np.ndarray | np.generic) else value)


def others(before: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes that become those of the values added: what they say holds for nobody's meaning.

    ``coordinates`` stays as the file has it: coordinates that do not grow are not written again.
    """
    kept = {*MEANING, "coordinates"} & before.keys()
    return {
        key: value
        for key, value in given.items()
        if key not in kept and key not in ("_FillValue", "calendar")
    }


def outdated(before: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """Attributes that would change what values mean which replace all old ones."""
    found = [key for key in (*_DECODING, *_MISSING[1:], "calendar") if key in before]
    found += [key for key in before if key.startswith(_ROUNDED)]
    if _is_time(before.get("units")):
        found.append("units")
    return [key for key in found if key not in given]


def check_fill(
    before: Mapping[str, Any], given: Mapping[str, Any], where: Mapping[str, Any]
) -> None:
    """Refuses another fill value for values that replace all old ones: netCDF cannot change it."""
    theirs, ours = given.get("_FillValue"), before.get("_FillValue")
    if theirs is None or _is_nan(theirs) or _is_same("_FillValue", theirs, ours):
        return
    raise InvalidArgumentError(
        f"_FillValue is {_shown(ours)} in the file and {_shown(theirs)} for these values; "
        "a variable keeps the one that it has",
        cure='state the file\'s in encoding, or write a new file: mode="w"',
        **where,
    )


# --- comparison ---


def _is_same(key: str, theirs: Any, ours: Any) -> bool:
    if key in ("_FillValue", "missing_value") and theirs is False:
        theirs = None
    if theirs is None or ours is None:
        return theirs is ours
    if key == "dtype":
        if all(str(one).startswith("timedelta64") for one in (theirs, ours)):
            # How fine they are in memory: the values' units say the rest.
            return True
        return _plain_type(theirs) == _plain_type(ours)
    if key == "units":
        return plain_units(theirs) == plain_units(ours)
    if key == "calendar":
        return plain_calendar(theirs) == plain_calendar(ours)
    left, right = np.asarray(theirs), np.asarray(ours)
    if left.dtype.kind in "iuf" and right.dtype.kind in "iuf":
        if left.size != right.size:
            return False
        left, right = left.reshape(-1), right.reshape(-1)
        return bool(
            np.array_equal(left.astype(right.dtype), right, equal_nan=right.dtype.kind == "f")
        )
    return left.reshape(-1).tolist() == right.reshape(-1).tolist()


def _plain_type(stated: Any) -> Any:
    if stated is str or stated in ("str", "bool", bool):
        return str(getattr(stated, "__name__", stated))
    try:
        dtype = np.dtype(stated).newbyteorder("=")
    except TypeError:
        return stated
    return "str" if dtype.kind in "OU" else dtype


def _is_time(units: Any) -> bool:
    return isinstance(units, str) and " since " in units


def plain_units(units: Any) -> Any:
    """Units of time in the form in which xarray writes them."""
    if not _is_time(units):
        return units
    try:
        from xarray.coding.times import _cleanup_netcdf_time_units

        return _cleanup_netcdf_time_units(units)
    except (ImportError, ValueError):
        return units


def _is_nan(value: Any) -> bool:
    found = np.asarray(value)
    return found.dtype.kind == "f" and bool(np.isnan(found).all())
