"""Dates of other calendars, and dates that do not exist: no append makes other days of them."""

import cftime
import frazil
import numpy as np
import pytest
import xarray as xr
from frazil.errors import InvalidArgumentError


def dates(calendar, first="2001-02-28", dim="time"):
    times = xr.date_range(first, periods=2, calendar=calendar, use_cftime=True)
    return xr.Dataset({"v": (dim, [1.0, 2.0])}, {dim: times})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.nc"


def refused(path, dataset, match, variable="time", **options):
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(InvalidArgumentError, match=match) as caught:
        frazil.to_netcdf(dataset, path, **options)
    assert (caught.value.file, caught.value.variable) == (str(path), variable)
    assert caught.value.cure
    assert (path.read_bytes() if path.exists() else None) == before
    return caught.value.cure


@pytest.mark.parametrize("is_dask", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("noleap", "360_day"),
        ("noleap", "standard"),
        ("360_day", "noleap"),
        ("standard", "noleap"),
        ("proleptic_gregorian", "julian"),
    ],
)
def test_dates_of_another_calendar_are_refused(ours, theirs, is_dask, path):
    frazil.to_netcdf(dates(ours, "2001-01-01"), path, append_dim="time")
    added = dates(theirs, "2001-03-03")
    if is_dask:
        stamps = added.time.values
        added = added.assign(time_bnds=(("time", "b"), np.stack([stamps, stamps], 1))).chunk()
    is_a = f"the file's calendar is '{ours}', and that of the values added '{theirs}'"
    cure = refused(path, added, is_a, append_dim="time")
    converted = eval(cure.partition(": ")[2], {"ds": added})
    frazil.to_netcdf(converted[["v"]], path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.time.dt.dayofyear.size == 4
        assert str(found.time.values[2])[:10] == "2001-03-03"


def test_dates_of_numpy_are_none_of_a_calendar_without_leap_days(path):
    frazil.to_netcdf(dates("noleap"), path, append_dim="time")
    day = xr.Dataset({"v": ("time", [1.0])}, {"time": np.array(["2004-02-29"], "M8[ns]")})
    refused(path, day, "'noleap', and .* 'proleptic_gregorian'", append_dim="time")


def test_a_calendar_has_several_names(path):
    frazil.to_netcdf(
        dates("noleap"), path, append_dim="time", encoding={"time": {"calendar": "365_day"}}
    )
    frazil.to_netcdf(dates("noleap", "2001-03-02"), path, append_dim="time")
    with xr.open_dataset(path, decode_times=False) as raw:
        more = raw.load()
    more["time"] = ("time", more.time.values + 10, more.time.attrs | {"calendar": "noleap"})
    frazil.to_netcdf(more, path, append_dim="time")


@pytest.mark.filterwarnings("ignore:Unable to decode time axis")
@pytest.mark.parametrize("theirs", ["standard", "proleptic_gregorian"])
def test_calendars_that_agree_since_1582_go_on(theirs, path):
    frazil.to_netcdf(dates("standard", "2001-01-01"), path, append_dim="time")
    frazil.to_netcdf(dates(theirs), path, append_dim="time")
    other = next(iter({"standard", "proleptic_gregorian"} - {theirs}))
    frazil.to_netcdf(dates(other, "1500-01-01"), path, unlimited_dims="time")
    refused(path, dates(theirs, "1500-01-03"), "would become other dates", append_dim="time")


def test_the_cure_fits_the_variable(path):
    whole = dates("noleap", dim="day").assign(when=("day", dates("noleap").time.values))
    frazil.to_netcdf(whole, path, append_dim="day")
    added = whole.assign_coords(day=dates("360_day", dim="day").day.values)
    cure = refused(path, added, "calendar", "day", append_dim="day")
    assert cure.endswith('ds.convert_calendar("noleap", dim="day", align_on="date")')
    added = dates("noleap", "2002-01-01", dim="day")
    added["when"] = ("day", dates("360_day").time.values)
    cure = refused(path, added, "calendar", "when", append_dim="day")
    assert cure == "convert them to 'noleap' before they are appended"


@pytest.mark.parametrize(
    ("first", "encoding", "match"),
    [
        ("2001-02-30", {"calendar": "noleap", "units": "days since 2001-01-01"}, "2001, 2, 30"),
        ("2001-02-28", {"units": "days since nonsense"}, "nonsense"),
        ("2001-02-28", {"calendar": "mayan", "units": "days since 2001-01-01"}, "mayan"),
        ("2001-02-28", {"units": "months since 2001-01-01"}, "months"),
        ("2001-02-28", {"units": "months since 2001-01-01", "dtype": "int32"}, "months"),
    ],
)
def test_dates_that_cannot_be_encoded_are_named(first, encoding, match, path):
    cure = refused(path, dates("360_day", first), match, encoding={"time": encoding})
    assert ("convert_calendar" in cure) == ("calendar" in encoding)


def test_dates_of_several_calendars_are_named(path):
    mixed = [cftime.DatetimeNoLeap(2001, 1, 1), cftime.Datetime360Day(2001, 2, 30)]
    data = xr.Dataset({"when": ("time", np.array(mixed, object))})
    refused(path, data, "different calendars", "when")
    refused(path, data, "different calendars", "when", append_dim="time")
