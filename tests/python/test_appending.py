"""Values that are added to a file: encoded as the file has it, or refused; old ones stay."""

import subprocess
import sys

import frazil
import netCDF4
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from frazil.errors import EncodingNotice, InvalidArgumentError

PACKED = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768}


def sample(first, freq="h", **attrs):
    times = pd.date_range(first, periods=3, freq=freq)
    values = 280 + np.arange(6, dtype="f4").reshape(3, 2)
    variable = (("time", "x"), values, {"units": "K"} | attrs)
    return xr.Dataset({"t2m": variable}, {"time": times})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "grows.nc"


def start(path, **encoding):
    frazil.to_netcdf(sample("2020-01-01"), path, append_dim="time", encoding=encoding)


def refused(path, dataset, match, **options):
    """A file that does not change, and an error that says why."""
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError, match=match) as caught:
        frazil.to_netcdf(dataset, path, append_dim="time", **options)
    assert path.read_bytes() == before
    assert caught.value.file == str(path)
    assert caught.value.cure
    return caught.value


@pytest.mark.filterwarnings("ignore:Times can't be serialized")
def test_times_that_the_units_of_the_file_cannot_hold_are_refused(path):
    start(path, time={"units": "hours since 2020-01-01", "dtype": "int64"})
    error = refused(path, sample("2020-01-01T03:30"), "hours since.*minutes since")
    assert error.variable == "time"


@pytest.mark.parametrize("units", ["hours since 2020-01-01", "hour since 2020-1-1 00:00"])
@pytest.mark.parametrize("has_calendar", [True, False])
def test_times_get_the_units_of_the_file(units, has_calendar, path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        time = file.createVariable("time", "f8", "time")
        time.units = units
        if has_calendar:
            time.calendar = "gregorian"
        time[:] = [0, 1, 2]
        before = dict(time.__dict__)
    times = pd.date_range("2020-01-01T03:30", periods=2, freq="h")
    frazil.to_netcdf(xr.Dataset(coords={"time": times}), path, append_dim="time")
    with netCDF4.Dataset(path) as file:
        assert file["time"].__dict__ == before
        np.testing.assert_array_equal(file["time"][:], [0, 1, 2, 3.5, 4.5])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("scale_factor", 0.1),
        ("add_offset", 0.0),
        ("_FillValue", -1),
        ("dtype", "i4"),
        ("_FillValue", None),
    ],
)
def test_an_encoding_that_contradicts_the_file_is_refused(key, value, path):
    start(path, t2m=PACKED)
    error = refused(
        path, sample("2020-01-02"), f"encoding {key}", encoding={"t2m": PACKED | {key: value}}
    )
    assert error.variable == "t2m"


def test_packing_of_values_that_are_not_packed_in_the_file_is_refused(path):
    start(path)
    refused(path, sample("2020-01-02"), "encoding", encoding={"t2m": PACKED})


def test_the_same_encoding_may_be_stated_again(path):
    encoding = PACKED | {"zlib": True, "complevel": 2, "chunksizes": (1, 2)}
    for first in ("2020-01-01", "2020-01-02"):
        frazil.to_netcdf(sample(first), path, append_dim="time", encoding={"t2m": encoding})
    with xr.open_dataset(path) as found:
        both = xr.concat([sample("2020-01-01"), sample("2020-01-02")], "time")
        np.testing.assert_allclose(found.t2m, both.t2m, atol=0.006)
        np.testing.assert_array_equal(found.time, both.time)


def test_another_storage_than_the_file_has_is_told(path):
    start(path, t2m={"zlib": True, "complevel": 1})
    with pytest.warns(EncodingNotice, match="t2m: complevel"):
        frazil.to_netcdf(
            sample("2020-01-02"), path, append_dim="time", encoding={"t2m": {"complevel": 5}}
        )


@pytest.mark.parametrize(
    "attrs",
    [{"units": "degC"}, {"standard_name": "dew_point"}, {"valid_max": 3.0}, {"_FillValue": -1.0}],
    ids=lambda attrs: next(iter(attrs)),
)
def test_attributes_that_define_what_values_mean_do_not_change(attrs, path):
    start(path)
    error = refused(path, sample("2020-01-02", **attrs), f"attribute {next(iter(attrs))}")
    assert error.variable == "t2m"


def test_other_attributes_become_those_of_the_values_added(path):
    start(path)
    more = sample("2020-01-02", long_name="temperature").assign_attrs(history="appended")
    del more.t2m.attrs["units"]
    frazil.to_netcdf(more, path, append_dim="time")
    with netCDF4.Dataset(path) as file:
        assert file["t2m"].long_name == "temperature"
        assert file["t2m"].units == "K"
        assert file.history == "appended"


def test_coordinates_that_do_not_grow_stay_coordinates(path):
    def with_coordinates(first):
        one = sample(first)
        return one.assign_coords(lat=("x", [1.0, 2.0]), step=("time", [1, 2, 3]))

    for first in ("2020-01-01", "2020-01-02"):
        frazil.to_netcdf(with_coordinates(first), path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert {"lat", "step", "time"} == set(found.coords)


def test_no_fill_value_is_made_up(path):
    start(path, t2m={"_FillValue": None})
    frazil.to_netcdf(sample("2020-01-02"), path, append_dim="time")
    with netCDF4.Dataset(path) as file:
        assert "_FillValue" not in file["t2m"].ncattrs()


def test_values_as_the_file_has_them_are_added_as_they_are(path):
    start(path, t2m=PACKED)
    with xr.open_dataset(path, mask_and_scale=False, decode_times=False) as raw:
        more = raw.load().drop_encoding()
    more["time"] = ("time", more.time.values + 3 * 3600, more.time.attrs)
    frazil.to_netcdf(more, path, append_dim="time")
    with xr.open_dataset(path) as found:
        np.testing.assert_allclose(found.t2m[3:], found.t2m[:3])
        assert found.time[-1] == np.datetime64("2020-01-01T05:00")


def test_numbers_are_no_times(path):
    start(path)
    more = sample("2020-01-02").assign_coords(time=[3, 4, 5])
    refused(path, more, "attribute units is 'seconds since.*not there")


def test_values_are_kept_to_the_decimal_places_of_the_file(path):
    start(path, t2m={"least_significant_digit": 1})
    frazil.to_netcdf(sample("2020-01-02") + 0.123, path, append_dim="time")
    with netCDF4.Dataset(path) as file:
        np.testing.assert_array_equal(file["t2m"][3:] * 16 % 1, 0)


def test_a_new_variable_begins_where_the_others_go_on(path):
    start(path)
    more = sample("2020-01-02")
    more["new"] = ("time", [1.0, 2.0, 3.0])
    frazil.to_netcdf(more, path, append_dim="time")
    with xr.open_dataset(path) as found:
        np.testing.assert_array_equal(found.new, [np.nan] * 3 + [1, 2, 3])


def test_rounding_of_values_that_are_added_is_refused(path):
    start(path)
    rules = {"t2m": {"significant_digits": 2}}
    refused(path, sample("2020-01-02"), "precision is stated", precision=rules)
    refused(path, sample("2020-01-02"), "precision is stated", precision={"*": rules["t2m"]})
    stated = {"t2m": {"significant_digits": 2}}
    refused(path, sample("2020-01-02"), "significant_digits is stated", encoding=stated)
    frazil.to_netcdf(sample("2020-01-02"), path, append_dim="time", precision={"t2m": None})
    with (
        frazil.Writer(path, "a", precision=rules) as writer,
        pytest.raises(InvalidArgumentError, match="precision is stated"),
    ):
        writer["t2m"][6:7, :] = 1.0


def test_values_that_replace_all_old_ones_bring_their_own_decoding(path):
    start(path, t2m=PACKED)
    raw = sample("2020-01-01")
    raw["t2m"] = raw.t2m.astype("i2")
    frazil.to_netcdf(raw, path, mode="a")
    with xr.open_dataset(path) as found:
        np.testing.assert_array_equal(found.t2m, raw.t2m)
    raw.t2m.encoding["_FillValue"] = -1
    with pytest.raises(InvalidArgumentError, match="_FillValue is -32768 in the file and -1"):
        frazil.to_netcdf(raw, path, mode="a")


def test_a_tree_goes_on_in_all_groups_that_have_the_dimension(path):
    def tree(first):
        deeper = xr.Dataset({"u": ("time", np.arange(3.0))})
        fixed = xr.Dataset({"mask": ("x", [1, 2])})
        return xr.DataTree.from_dict({"/": sample(first), "/deeper": deeper, "/fixed": fixed})

    for first in ("2020-01-01", "2020-01-02"):
        frazil.to_netcdf(tree(first), path, append_dim="time")
    with xr.open_datatree(path, engine="netcdf4") as found:
        assert found.sizes["time"] == 6
        np.testing.assert_array_equal(found["deeper/u"], [0, 1, 2, 0, 1, 2])
        np.testing.assert_array_equal(found["fixed/mask"], [1, 2])
    with pytest.raises(InvalidArgumentError, match="not a dimension of the data"):
        frazil.to_netcdf(tree("2020-01-03"), path, append_dim="nothing")


def test_texts_may_be_longer_than_those_of_the_file(path):
    for texts in (["a", "bb"], ["cccc", ""]):
        frazil.to_netcdf(xr.Dataset({"v": ("t", texts)}), path, append_dim="t")
    with xr.open_dataset(path) as found:
        assert list(found.v.values) == ["a", "bb", "cccc", ""]


@pytest.mark.parametrize("is_dask", [False, True])
def test_bounds_of_times_and_spans_go_on(is_dask, path):
    times = pd.date_range("2000-01-01", periods=4)
    whole = xr.Dataset(
        {
            "span": ("time", pd.to_timedelta([1, 2, 3, 4], "h")),
            "is": ("time", [True, False, False, True]),
            "time_bnds": (("time", "b"), np.stack([times, times + pd.Timedelta("1D")], 1)),
        },
        {"time": ("time", times, {"bounds": "time_bnds"})},
    )
    for part in (slice(0, 2), slice(2, 4)):
        data = whole.isel(time=part)
        frazil.to_netcdf(data.chunk(time=1) if is_dask else data, path, append_dim="time")
    with xr.open_dataset(path) as found:
        for name in whole.variables:
            np.testing.assert_array_equal(found[name], whole[name])


def test_no_records_change_nothing(path):
    start(path)
    before = path.read_bytes()
    none = sample("2020-01-02").isel(time=slice(0, 0))
    frazil.to_netcdf(none, path, append_dim="time")
    frazil.to_netcdf(none.chunk(), path, append_dim="time")
    assert path.read_bytes() == before


def test_no_records_of_one_group_are_added_beside_those_of_another(path):
    tree = xr.DataTree.from_dict({"/a": sample("2020-01-01"), "/b": sample("2020-01-01")})
    frazil.to_netcdf(tree, path, append_dim="time")
    tree["/b"] = xr.DataTree(tree["/b"].to_dataset().isel(time=slice(0, 0)))
    frazil.to_netcdf(tree, path, append_dim="time")
    with netCDF4.Dataset(path) as file:
        assert len(file["a"].dimensions["time"]) == 6 and len(file["b"].dimensions["time"]) == 3


@pytest.mark.parametrize(
    "rounding",
    [
        {"precision": {"t2m": {"absolute_tolerance": 0.1}}},
        {"encoding": {"t2m": {"significant_digits": 3}}},
        {"encoding": {"t2m": {"least_significant_digit": 1}}},
    ],
    ids=str,
)
def test_values_that_replace_rounded_ones_are_not_called_rounded(path, rounding):
    frazil.to_netcdf(sample("2020-01-01"), path, **rounding)
    exact = sample("2020-01-01") + np.float32(0.123)
    exact.t2m.attrs["units"] = "K"
    frazil.to_netcdf(exact, path, mode="a")
    with netCDF4.Dataset(path) as file:
        assert set(file["t2m"].ncattrs()) == {"units", "_FillValue"}
        assert (file["t2m"][:] == exact.t2m.values).all()


@pytest.mark.parametrize("key", ["significant_digits", "least_significant_digit"])
def test_values_that_replace_others_are_not_rounded(path, key):
    start(path)
    with pytest.raises(InvalidArgumentError, match=f"encoding {key} is stated, and values"):
        frazil.to_netcdf(sample("2020-01-01"), path, mode="a", encoding={"t2m": {key: 2}})


# --- what does not grow ---


def placed(first, **coords):
    base = {"x": [0.1, 0.2], "lat": ("x", [1.5, np.nan]), "run": pd.Timestamp("2020-01-01")}
    return sample(first).assign_coords(base | coords)


F4 = {"x": {"dtype": "f4"}, "lat": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}}


@pytest.mark.filterwarnings("error::frazil.errors.EncodingNotice")
def test_coordinates_that_the_file_has_are_not_told(path):
    for first in ("2020-01-01", "2020-01-02"):
        frazil.to_netcdf(
            placed(first), path, append_dim="time", encoding=F4 if not path.exists() else None
        )
    with xr.open_dataset(path) as found:
        assert found.sizes["time"] == 6
        np.testing.assert_array_equal(found.x, np.float32([0.1, 0.2]))


@pytest.mark.parametrize("x", [[0.1, 0.3], ["a", "b"], pd.date_range("2020", periods=2)])
def test_values_at_other_coordinates_are_refused(x, path):
    frazil.to_netcdf(placed("2020-01-01"), path, append_dim="time", encoding=F4)
    other = placed("2020-01-02", x=x)
    error = refused(path, other, "this coordinate has other values in the file: 0.[12]")
    assert error.variable == "x" and "drop_vars('x')" in error.cure
    frazil.to_netcdf(other.drop_vars("x"), path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.sizes["time"] == 6


def test_fewer_coordinates_are_refused(path):
    frazil.to_netcdf(placed("2020-01-01"), path, append_dim="time")
    refused(path, placed("2020-01-02").isel(x=[0]), "'x': 2} there, {'x': 1} in")


def test_other_values_of_what_does_not_grow_stay_and_are_told(path):
    frazil.to_netcdf(placed("2020-01-01"), path, append_dim="time")
    other = placed("2020-01-02", lat=("x", [1.5, 3.0]), run=pd.Timestamp("2020-01-02"))
    with pytest.warns(EncodingNotice, match="differ from those given, and stay: lat, run"):
        frazil.to_netcdf(other, path, append_dim="time")
    with xr.open_dataset(path) as found:
        np.testing.assert_array_equal(found.lat, [1.5, np.nan])
        assert found.run == pd.Timestamp("2020-01-01")


def test_texts_of_fixed_width_go_on_along_the_dimension_that_they_have(path):
    def texts(text):
        return xr.Dataset({"Times": ("Time", np.array([text]))})

    encoding = {"Times": {"char_dim_name": "DateStrLen"}}
    frazil.to_netcdf(texts(b"2020-01-01_00"), path, append_dim="Time", encoding=encoding)
    frazil.to_netcdf(texts(b"2020-01-01_01"), path, append_dim="Time", encoding=encoding)
    frazil.to_netcdf(texts(b"2020"), path, append_dim="Time")
    with xr.open_dataset(path, engine="netcdf4") as found:
        assert found.Times.values.tolist() == [b"2020-01-01_00", b"2020-01-01_01", b"2020"]
        assert found.Times.encoding["char_dim_name"] == "DateStrLen"
    with pytest.raises(InvalidArgumentError, match="14 bytes") as caught:
        frazil.to_netcdf(texts(b"2020-01-01_00h"), path, append_dim="Time")
    assert caught.value.variable == "Times" and caught.value.cure


def test_what_marks_missing_values_by_an_attribute_goes_on(path):
    data = xr.Dataset({"v": ("time", [1.0, np.nan])})
    frazil.to_netcdf(data, path, append_dim="time", encoding={"v": {"missing_value": 1e20}})
    frazil.to_netcdf(data, path, append_dim="time")
    with xr.open_dataset(path, engine="netcdf4") as found:
        np.testing.assert_array_equal(found.v, [1, np.nan] * 2)


@pytest.mark.filterwarnings("error::frazil.errors.EncodingNotice")
def test_texts_that_do_not_grow_are_the_same(path):
    letters = np.array([b"a", b"b"])
    texts = {"m": ("x", letters), "k": (("x", "y"), letters[:, None])}
    texts["o"] = ("x", np.array(["a", None], object))
    data = xr.Dataset({"v": ("time", [1.0]), **texts})
    for _ in range(2):
        frazil.to_netcdf(data, path, append_dim="time")


def test_values_without_the_coordinate_are_refused(path):
    time = np.array(["2020-01-01"], "M8[ns]")
    data = xr.Dataset({"v": ("time", [1.0])}, {"time": time})
    frazil.to_netcdf(data, path, append_dim="time")
    with pytest.raises(InvalidArgumentError, match="no such coordinate") as caught:
        frazil.to_netcdf(data.drop_vars("time"), path, append_dim="time")
    assert caught.value.variable == "time"


def test_times_that_small_floats_do_not_hold_are_not_added(path):
    def at(text):
        return xr.Dataset({"v": ("time", [1.0])}, {"time": np.array([text], "M8[ns]")})

    encoding = {"time": {"dtype": "f4", "units": "days since 1900-01-01"}}
    frazil.to_netcdf(at("2020-01-02"), path, append_dim="time", encoding=encoding)
    frazil.to_netcdf(at("2020-01-03"), path, append_dim="time")
    with pytest.raises(InvalidArgumentError, match="no exact place"):
        frazil.to_netcdf(at("2020-01-04T08:10"), path, append_dim="time")


# In a process of its own: one that has written such chunks knows their filters.
ADD_ROWS = """
import sys
import frazil
import numpy as np
with frazil.Writer(sys.argv[1], "a") as writer:
    writer["v"][20:30] = np.load(sys.argv[2])[20:]
"""


def test_a_writer_appends_behind_filters_that_only_frazil_has(tmp_path):
    path, values = tmp_path / "grows.nc", tmp_path / "rows.npy"
    rows = (np.arange(4000, dtype="f4") + 1000 * np.arange(30, dtype="f4")[:, None]) % 9001
    np.save(values, rows)
    with frazil.Writer(path, readable_by="frazil", filters="delta+shuffle+zstd(3)") as writer:
        writer.add_dimension("t", None)
        writer.add_dimension("x", 4000)
        writer.add_variable("v", "f4", ("t", "x"), chunks=(25, 4000))[:20] = rows[:20]
    subprocess.run([sys.executable, "-c", ADD_ROWS, path, values], check=True)
    with frazil.open(path) as file:
        assert (file["v"][...] == rows).all()
