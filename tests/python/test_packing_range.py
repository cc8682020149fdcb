"""Values beyond what their packed type holds are refused: they would wrap around."""

import frazil
import numpy as np
import pytest
import xarray as xr
from frazil.errors import EncodingNotice, InvalidArgumentError

PACKED = {"dtype": "i1", "scale_factor": 0.1, "add_offset": 280.0, "_FillValue": -128}


@pytest.mark.parametrize("is_dask", [False, True])
def test_values_beyond_the_packed_type_are_refused(is_dask, tmp_path):
    path = tmp_path / "out.nc"
    data = xr.Dataset({"t2m": ("x", np.array([270.0, 280.0, np.nan, 300.0]))})
    data = data.chunk(x=2) if is_dask else data
    with pytest.raises(InvalidArgumentError, match=r"300\.0 is packed as 200") as caught:
        frazil.to_netcdf(data, path, encoding={"t2m": PACKED})
    assert (caught.value.file, caught.value.variable) == (str(path), "t2m")
    assert list(tmp_path.iterdir()) == []
    frazil.to_netcdf(data.clip(268, 292), path, encoding={"t2m": PACKED})
    with xr.open_dataset(path) as found:
        np.testing.assert_allclose(found.t2m, [270, 280, np.nan, 292])


def test_integers_beyond_a_smaller_type_are_refused(tmp_path):
    data = xr.Dataset({"n": ("x", np.array([1, 200]))})
    with pytest.raises(InvalidArgumentError, match="200 is packed as 200"):
        frazil.to_netcdf(data, tmp_path / "out.nc", encoding={"n": {"dtype": "i1"}})


def test_unsigned_bytes_in_signed_ones_come_back(tmp_path):
    data = xr.Dataset({"n": ("x", np.array([0.0, 200.0, np.nan]))})
    encoding = {"dtype": "i1", "_Unsigned": "true", "_FillValue": -1}
    frazil.to_netcdf(data, tmp_path / "out.nc", encoding={"n": encoding})
    with xr.open_dataset(tmp_path / "out.nc") as found:
        np.testing.assert_array_equal(found.n, data.n)


def test_values_beyond_the_packing_of_a_file_are_not_added(tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(
        xr.Dataset({"t2m": ("t", [280.0])}), path, append_dim="t", encoding={"t2m": PACKED}
    )
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError, match="is packed as"):
        frazil.to_netcdf(xr.Dataset({"t2m": ("t", [300.0])}), path, append_dim="t")
    assert path.read_bytes() == before


def written(path, data, **encoding):
    frazil.to_netcdf(data, path, encoding={name: encoding for name in data.data_vars})
    with xr.open_dataset(path) as found:
        return found.load()


@pytest.mark.parametrize("is_dask", [False, True])
@pytest.mark.parametrize(
    ("values", "encoding", "cause"),
    [
        ([1, np.nan], {"dtype": "i2"}, "some values are NaN, and int16"),
        ([1, np.nan], {"dtype": "i2", "scale_factor": 0.1}, "some values are NaN"),
        ([1, np.nan], {"dtype": "u1", "_FillValue": None}, "some values are NaN"),
        ([1, -1e300, np.inf], {"dtype": "f4"}, r"-1e\+300 is beyond what float32 holds"),
        ([1, 9.87], PACKED | {"add_offset": 0, "_FillValue": 99}, "9.87 is packed as 99, which"),
        ([0, 5], PACKED | {"scale_factor": -0.1, "add_offset": 0, "_FillValue": -50}, "is packed"),
        ([0, 25.5], {"dtype": "u1", "scale_factor": 0.1, "missing_value": 255}, "packed as 255"),
        ([0, 255], {"dtype": "i1", "_Unsigned": "true", "_FillValue": -1, "add_offset": 0}, "255"),
    ],
)
@pytest.mark.filterwarnings("ignore:saving variable")
def test_what_has_no_place_is_refused(values, encoding, cause, is_dask, tmp_path):
    path = tmp_path / "out.nc"
    data = xr.Dataset({"t2m": ("x", np.array(values, float))})
    with pytest.raises(InvalidArgumentError, match=cause) as caught:
        written(path, data.chunk(x=1) if is_dask else data, **encoding)
    assert (caught.value.file, caught.value.variable) == (str(path), "t2m")
    assert caught.value.cure
    assert list(tmp_path.iterdir()) == []


def test_an_integer_offset_is_subtracted_beyond_the_type_of_the_values(tmp_path):
    data = xr.Dataset({"n": ("x", np.array([1, 250], "u1"))})
    found = written(tmp_path / "out.nc", data, dtype="i2", add_offset=280, scale_factor=1)
    np.testing.assert_array_equal(found.n, data.n)


def test_what_has_a_place_is_written(tmp_path):
    path = tmp_path / "out.nc"
    data = xr.Dataset({"t2m": ("x", np.array([1.0, np.nan, np.inf]))})
    xr.testing.assert_equal(written(path, data, dtype="f4"), data)
    # Values that are the fill value stand for missing ones, if nothing is packed.
    data = xr.Dataset({"n": ("x", np.array([1.0, -9.0]))})
    np.testing.assert_array_equal(written(path, data, dtype="i2", _FillValue=-9).n, [1, np.nan])
    # A stated type rounds.
    np.testing.assert_array_equal(written(path, data / 2, dtype="i2", _FillValue=-9).n, [0, -4])


def test_fractions_in_a_type_that_came_with_the_data_are_told(tmp_path):
    path = tmp_path / "out.nc"
    data = xr.Dataset({"n": ("x", np.array([1, 2], "i2"), {"_FillValue": np.int16(-9)})})
    frazil.to_netcdf(data, path)
    with xr.open_dataset(path, engine="frazil") as found:
        found.load()
    with pytest.warns(EncodingNotice, match="n: values are rounded to int16"):
        frazil.to_netcdf((found / 2).assign(n=found.n.copy(data=found.n / 2)), tmp_path / "half.nc")


def test_fractions_are_not_added_to_integers(tmp_path):
    path = tmp_path / "out.nc"
    for values, ok in (([1, 2], True), ([3.0, 4.0], True), ([3.0, 4.5], False)):
        data = xr.Dataset({"n": ("t", np.array(values))})
        if ok:
            frazil.to_netcdf(data, path, append_dim="t")
            continue
        with pytest.raises(InvalidArgumentError, match=r"4\.5 is no integer") as caught:
            frazil.to_netcdf(data, path, append_dim="t")
        assert (caught.value.file, caught.value.variable) == (str(path), "n")
    with xr.open_dataset(path) as found:
        np.testing.assert_array_equal(found.n, [1, 2, 3, 4])


TIMES = ["2220-01-01", "NaT", "1999-12-31"]


@pytest.mark.parametrize(
    ("values", "encoding", "cause"),
    [
        (TIMES[:1], {"dtype": "i2"}, "80353"),
        (TIMES[1:2], {"dtype": "i4"}, "NaN"),
        (TIMES[2:], {"dtype": "u4"}, "-1"),
        (TIMES[2:], {"dtype": "i4", "_FillValue": -1}, "stands for missing"),
    ],
)
def test_times_without_a_place_are_refused(values, encoding, cause, tmp_path):
    data = xr.Dataset({"v": ("x", np.array(values, "M8[ns]"))})
    encoding = {"units": "days since 2000-01-01", **encoding}
    target = tmp_path / "a.nc"
    with pytest.raises(InvalidArgumentError, match=cause) as caught:
        frazil.to_netcdf(data, target, encoding={"v": encoding})
    assert caught.value.variable == "v" and caught.value.cure
    assert not list(tmp_path.iterdir())


def test_spans_without_a_place_are_refused(tmp_path):
    data = xr.Dataset({"v": ("x", np.array([300], "m8[h]").astype("m8[ns]"))})
    with pytest.raises(InvalidArgumentError, match="300"):
        frazil.to_netcdf(data, tmp_path / "a.nc", encoding={"v": {"dtype": "i1", "units": "hours"}})


def test_times_with_a_place_are_written(tmp_path):
    data = xr.Dataset({"v": ("x", np.array(["2010-12-31", "NaT"], "M8[ns]"))})
    encoding = {"units": "days since 2000-1-1", "dtype": "i4", "_FillValue": -1}
    frazil.to_netcdf(data, tmp_path / "a.nc", encoding={"v": encoding})
    with xr.open_dataset(tmp_path / "a.nc", engine="netcdf4") as found:
        xr.testing.assert_equal(found, data)


@pytest.mark.parametrize(
    ("value", "dtype"), [(np.uint64(2**63 + 1), "i8"), (2.0**63, "i8"), (2.0**64, "u8")]
)
def test_the_largest_integers_do_not_wrap_around(value, dtype, tmp_path):
    data = xr.Dataset({"v": ("x", np.array([value]))})
    with pytest.raises(InvalidArgumentError, match="holds"):
        frazil.to_netcdf(data, tmp_path / "a.nc", encoding={"v": {"dtype": dtype, "_FillValue": 1}})


@pytest.mark.parametrize("is_dask", [False, True])
def test_what_is_neither_true_nor_false_is_no_truth_value(is_dask, tmp_path):
    encoding = {"v": {"dtype": "bool"}}

    def write(values, **options):
        data = xr.Dataset({"v": ("x", np.array(values))})
        data = data.chunk() if is_dask else data
        frazil.to_netcdf(data, tmp_path / "a.nc", encoding=encoding, **options)

    for values in ([1.0, np.nan], [2.5, 0.0], [0, 2]):
        with pytest.raises(InvalidArgumentError, match="neither 0 nor 1"):
            write(values)
    write([1.0, 0.0])
    with xr.open_dataset(tmp_path / "a.nc", engine="netcdf4") as found:
        assert found.v.values.tolist() == [True, False]
