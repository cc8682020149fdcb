"""Units of times along a dimension that grows: later steps have a place in the file."""

import cftime
import frazil
import netCDF4
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from frazil.errors import InvalidArgumentError

DAYS = {"units": "days since 2020-01-01", "dtype": "int64"}


def step(hour, **coords):
    time = pd.date_range("2020-01-01", periods=1, unit="ns") + pd.Timedelta(hour, "h")
    values = np.full((1, 2), hour, "f4")
    return xr.Dataset({"t2m": (("time", "x"), values)}, {"time": time, **coords})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.nc"


def stored(path, name="time"):
    with netCDF4.Dataset(path) as file:
        return file[name].dtype, getattr(file[name], "units", None), set(file[name].ncattrs())


def test_hourly_steps_go_on(path):
    for hour in range(3):
        frazil.to_netcdf(step(hour), path, append_dim="time")
    dtype, units, attrs = stored(path)
    assert (dtype, units) == ("int64", "seconds since 2020-01-01")
    assert "_FillValue" not in attrs
    with xr.open_dataset(path) as found:
        assert found.time.dt.hour.values.tolist() == [0, 1, 2]


def test_units_are_as_fine_as_the_values(path):
    for milliseconds in (1, 1500):
        time = step(3).time + pd.Timedelta(milliseconds, "ms")
        frazil.to_netcdf(step(3).assign_coords(time=time), path, append_dim="time")
    assert stored(path)[:2] == ("int64", "milliseconds since 2020-01-01T03:00:00")
    with xr.open_dataset(path) as found:
        assert found.time[1] == np.datetime64("2020-01-01T03:00:01.500")


def test_spans_go_on(path):
    def spans(hours):
        return xr.Dataset({"lead": ("time", pd.to_timedelta([hours], "h"))})

    for hours in (24, 25):
        frazil.to_netcdf(spans(hours), path, append_dim="time")
    assert stored(path, "lead")[:2] == ("int64", "seconds")
    with xr.open_dataset(path) as found:
        assert found.lead.values.tolist() == pd.to_timedelta([24, 25], "h").values.tolist()


@pytest.mark.parametrize("calendar", ["noleap", "360_day"])
def test_times_of_other_calendars_go_on(calendar, path):
    times = xr.date_range("2001-02-28", periods=3, freq="h", calendar=calendar, use_cftime=True)
    for time in times:
        data = xr.Dataset({"v": ("time", [1.0])}, {"time": [time]})
        frazil.to_netcdf(data, path, append_dim="time")
    assert stored(path)[:2] == ("int64", "seconds since 2001-02-28")
    with xr.open_dataset(path) as found:
        assert found.time.values.tolist() == list(times)
        assert isinstance(found.time.values[0], cftime.datetime)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("is_dask", [False, True])
def test_bounds_have_the_units_of_their_times(is_dask, path):
    for hour in range(2):
        data = step(hour)
        bounds = np.stack([data.time.values, data.time.values + np.timedelta64(30, "m")], 1)
        data["time_bnds"] = (("time", "b"), bounds)
        data.time.attrs["bounds"] = "time_bnds"
        frazil.to_netcdf(data.chunk() if is_dask else data, path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.time_bnds[1, 1] == np.datetime64("2020-01-01T01:30")
    assert "units" not in stored(path, "time_bnds")[2]


def test_missing_times_stay_missing(path):
    data = step(0, seen=("time", np.array(["NaT"], "M8[ns]")))
    frazil.to_netcdf(data, path, append_dim="time")
    assert stored(path, "seen")[0] == "float64"
    frazil.to_netcdf(step(1, seen=("time", step(1).time.values)), path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert np.isnat(found.seen[0]) and found.seen[1] == found.time[1]


def test_a_single_step_along_a_dimension_that_can_grow_gets_them_too(path):
    frazil.to_netcdf(step(0), path, unlimited_dims="time")
    frazil.to_netcdf(step(1), path, append_dim="time")
    frazil.to_netcdf(step(0), path)
    assert stored(path)[1].startswith("days since")
    two = xr.concat([step(0), step(1)], "time")
    frazil.to_netcdf(two, path, unlimited_dims="time")
    assert stored(path)[1].startswith("hours since")


def test_no_steps_come_before_the_first(path):
    frazil.to_netcdf(step(0).isel(time=slice(0, 0)), path, append_dim="time")
    frazil.to_netcdf(step(7), path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.time.dt.hour.values.tolist() == [7]


@pytest.mark.parametrize("of_data", [False, True])
def test_what_is_stated_stays(of_data, path):
    data = step(0)
    if of_data:
        data.time.encoding = dict(DAYS)
    stated = None if of_data else {"time": DAYS}
    frazil.to_netcdf(data, path, append_dim="time", encoding=stated)
    assert stored(path)[1] == DAYS["units"]


def test_storage_may_be_stated_alone(path):
    for hour in range(2):
        stated = {"time": {"chunksizes": (24,)}}
        frazil.to_netcdf(step(hour), path, append_dim="time", encoding=stated)
    with netCDF4.Dataset(path) as file:
        assert file["time"].chunking() == [24]


def test_a_new_variable_of_a_file_gets_them(path):
    data = step(0)
    frazil.to_netcdf(data, path, append_dim="time")
    for hour in range(1, 3):
        made = np.datetime64("2020-01-01") + np.array([hour - 1], "m8[s]")
        frazil.to_netcdf(step(hour, made=("time", made)), path, append_dim="time")
        assert stored(path, "made")[:2] == ("float64", "seconds since 2020-01-01")
    with xr.open_dataset(path) as found:
        assert np.isnat(found.made[0]) and found.made[2] == np.datetime64("2020-01-01T00:00:01")


@pytest.mark.filterwarnings("ignore:Times can't be serialized")
def test_the_cure_for_coarse_units_can_be_followed(path):
    frazil.to_netcdf(step(0), path, unlimited_dims="time", encoding={"time": DAYS})
    with pytest.raises(InvalidArgumentError, match="units is 'days since") as caught:
        frazil.to_netcdf(step(1), path, append_dim="time")
    finer = {"time": {"units": "hours since 2020-01-01"}}
    with pytest.raises(InvalidArgumentError, match="encoding units") as stated:
        frazil.to_netcdf(step(1), path, append_dim="time", encoding=finer)
    code = caught.value.cure.partition(": ")[2]
    assert code in stated.value.cure
    exec(code, {"xr": xr, "frazil": frazil})
    frazil.to_netcdf(step(1), path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.time.dt.hour.values.tolist() == [0, 1]
        assert found.t2m.values.tolist() == [[0, 0], [1, 1]]


def test_times_that_are_missing_at_first_go_on(path):
    none = np.array(["NaT"], "M8[ns]")
    frazil.to_netcdf(xr.Dataset({"seen": ("time", none)}), path, append_dim="time")
    frazil.to_netcdf(xr.Dataset({"seen": ("time", step(5).time.values)}), path, append_dim="time")
    assert stored(path, "seen")[:2] == ("float64", "seconds since 1970-01-01")


def test_texts_are_no_times(path):
    for text in ("a", "bb"):
        data = xr.Dataset({"text": ("time", np.array([text], object))})
        frazil.to_netcdf(data, path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.text.values.tolist() == ["a", "bb"]
