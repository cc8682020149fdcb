"""Calendars of times: dates that are appended are of the file's calendar.

xarray takes year, month and day of a date of another calendar as they are: it would be another day.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr

from .errors import Error, InvalidArgumentError
from .options import StrPath

_ALIASES = {"gregorian": "standard", "365_day": "noleap", "366_day": "all_leap"}
# The same since October 1582.
_GREGORIAN = {"standard", "proleptic_gregorian"}
_FIRST_COMMON_YEAR = 1583
# What xarray, cftime and numpy raise for dates and units that cannot be.
_RAISED = (ValueError, TypeError, KeyError, OverflowError)


def plain_calendar(calendar: Any) -> str:
    """One name for a calendar that has several."""
    calendar = str(calendar).lower()
    return _ALIASES.get(calendar, calendar)


def check_calendar(given: xr.Variable, found: xr.Variable, name: str, file: StrPath) -> None:
    """Refuses dates of another calendar than that of the file.

    Parameters
    ----------
    given, found : Variable
        Dates that are added, and those of the file, decoded.
    name, file : str, path
        What errors name.

    Raises
    ------
    InvalidArgumentError
        With both calendars.
    """
    if " since " not in str(found.encoding.get("units")):
        return
    theirs = _calendar_of(given)
    if theirs is None:
        return
    ours = plain_calendar(found.encoding.get("calendar", "standard"))
    is_same = theirs == ours or (
        {ours, theirs} <= _GREGORIAN and _first_year(given) >= _FIRST_COMMON_YEAR
    )
    if not is_same:
        raise InvalidArgumentError(
            f"the file's calendar is {ours!r}, and that of the values added {theirs!r}; they would "
            "become other dates",
            file=file,
            variable=name,
            cure=_converting(given, name, ours, theirs),
        )


def _calendar_of(variable: xr.Variable) -> str | None:
    """The calendar of decoded dates; ``None``: there are none."""
    if not variable.size:
        return None
    if variable.dtype.kind == "M":
        return "proleptic_gregorian"
    if variable.dtype.kind != "O":
        return None
    # Of dask's arrays xarray computes the first element, too.
    first = variable[(0,) * variable.ndim].values.item()
    calendar = getattr(first, "calendar", None)
    return calendar and plain_calendar(calendar)


def _first_year(variable: xr.Variable) -> int:
    if variable.chunks is not None:
        return _FIRST_COMMON_YEAR
    if variable.dtype.kind == "M":
        years = variable.values.astype("M8[Y]")
        known = years[~np.isnat(years)].astype("i8") + 1970
        return int(known.min(initial=_FIRST_COMMON_YEAR))
    years = [one.year for one in variable.values.flat if hasattr(one, "year")]
    return min(years, default=_FIRST_COMMON_YEAR)


def _converting(variable: xr.Variable, name: str, ours: str, theirs: str) -> str:
    """How dates become those of another calendar."""
    if variable.dims != (name,):
        return f"convert them to {ours!r} before they are appended"
    more = "" if name == "time" else f', dim="{name}"'
    if "360_day" in (ours, theirs):
        more += ', align_on="date"'
    return f'convert them: ds.convert_calendar("{ours}"{more})'


@contextlib.contextmanager
def named_dates(variables: Mapping[Hashable, xr.Variable], file: str) -> Iterator[None]:
    """Errors about dates that cannot be encoded name file and variable."""
    try:
        yield
    except Error:
        raise
    except _RAISED as error:
        for name, variable in variables.items():
            if _cannot_encode(variable, str(name)):
                raise _refused(variable, str(name), file, error) from error
        raise


def _cannot_encode(variable: xr.Variable, name: str) -> bool:
    """Whether it has dates that xarray cannot encode."""
    if variable.dtype.kind not in "mM" and _calendar_of(variable) is None:
        return False
    try:
        xr.conventions.encode_cf_variable(variable, name=name)
    except _RAISED:
        return True
    return False


def _refused(variable: xr.Variable, name: str, file: str, error: Exception) -> InvalidArgumentError:
    stated, theirs = variable.encoding.get("calendar"), _calendar_of(variable)
    cure = 'dates of one calendar can be written, with units such as "days since 2000-01-01"'
    if stated is not None and theirs is not None and plain_calendar(stated) != theirs:
        cure = _converting(variable, name, plain_calendar(stated), theirs)
    cause = f"its times cannot be encoded: {error.args[0] if error.args else error}"
    return InvalidArgumentError(cause, file=file, variable=name, cure=cure)
