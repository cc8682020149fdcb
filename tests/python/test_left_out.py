"""Variables that the values added leave out: fill values that readers recognise, or a refusal."""

import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.errors import EncodingNotice, InvalidArgumentError

TIMES = np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
WHOLE = xr.Dataset(
    {
        "t2m": ("time", [1.0, 2.0]),
        "u10": ("time", [3.0, 4.0]),
        "n": ("time", [1, 2]),
        "is": ("time", [True, False]),
        "made": ("time", TIMES),
        "lead": ("time", TIMES - TIMES[0]),
        "name": ("time", ["a", "b"]),
        "height": ("x", [1, 2]),
    }
)
FILLED = {
    "n": {"_FillValue": -1},
    "made": {"units": "days since 2020-01-01", "dtype": "int64", "_FillValue": -1},
    "lead": {"units": "days", "dtype": "int32", "_FillValue": -1},
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.nc"


@pytest.mark.parametrize("names", [["n"], ["is"], ["made"], ["lead"], ["n", "is"]], ids=str)
def test_what_would_read_as_values_is_refused(names, path):
    frazil.to_netcdf(WHOLE[["t2m", "u10", *names]], path, append_dim="time")
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError, match=f"leave out {', '.join(names)}, ") as caught:
        frazil.to_netcdf(WHOLE[["t2m"]], path, append_dim="time")
    assert (caught.value.file, caught.value.variable) == (str(path), names[0])
    assert "give them values" in caught.value.cure
    assert path.read_bytes() == before


def test_numbers_of_other_writers_are_refused(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        packed = file.createVariable("p", "i2", "time")
        packed.scale_factor = 0.1
        time = file.createVariable("made", "f8", "time")
        time.units = "days since 2020-01-01"
        file.createVariable("t2m", "f8", "time")[:] = [1]
        packed[:], time[:] = [1], [1]
    with pytest.raises(InvalidArgumentError, match="leave out p, made, "):
        frazil.to_netcdf(WHOLE[["t2m"]], path, append_dim="time")


def test_what_reads_as_missing_is_told(path):
    names = ["t2m", "u10", "name", *FILLED]
    frazil.to_netcdf(WHOLE[names], path, append_dim="time", encoding=FILLED)
    with pytest.warns(EncodingNotice, match="go on: u10, name, n, made, lead$") as told:
        frazil.to_netcdf(WHOLE[["t2m"]], path, append_dim="time")
    assert len(told) == 1
    with xr.open_dataset(path) as found:
        for name in ("u10", *FILLED):
            assert found[name].isnull().values.tolist() == [False, False, True, True], name


@pytest.mark.filterwarnings("error")
def test_what_does_not_grow_may_be_left_out(path):
    frazil.to_netcdf(WHOLE[["t2m", "height"]], path, append_dim="time")
    frazil.to_netcdf(WHOLE[["t2m"]], path, append_dim="time")
    frazil.to_netcdf(WHOLE[["height"]].assign(t2m=WHOLE.t2m[:0]), path, append_dim="time")
    with xr.open_dataset(path) as found:
        assert found.sizes["time"] == 4


def with_groups(path, fill_value):
    """Groups whose variables have the dimension of the root, and one with its own."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createVariable("t2m", "f8", "time", fill_value=-1)[:] = [1]
        below = file.createGroup("model/ocean")
        below.createVariable("sst", "f4", "time", fill_value=fill_value)[:] = [1]
        own = file.createGroup("own")
        own.createDimension("time", None)
        own.createVariable("count", "i4", "time")[:] = [1]


def test_groups_that_grow_with_the_root_are_told(path):
    with_groups(path, fill_value=-1)
    with pytest.warns(EncodingNotice, match="go on: /model/ocean/sst$") as told:
        frazil.to_netcdf(WHOLE[["t2m"]], path, append_dim="time")
    assert len(told) == 1
    with netCDF4.Dataset(path) as file:
        assert file["model/ocean/sst"][:].mask.tolist() == [False, True, True]
        assert file["own/count"].shape == (1,)


def test_groups_whose_fill_values_read_as_values_are_refused(path):
    with_groups(path, fill_value=None)
    before = path.read_bytes()
    with pytest.raises(InvalidArgumentError, match="leave out /model/ocean/sst, which"):
        frazil.to_netcdf(WHOLE[["t2m"]], path, append_dim="time")
    assert path.read_bytes() == before
    # All of them get values.
    tree = xr.DataTree.from_dict(
        {"/": WHOLE[["t2m"]], "/model/ocean": xr.Dataset({"sst": ("time", [2.0, 3.0])})}
    )
    frazil.to_netcdf(tree, path, append_dim="time")
    with netCDF4.Dataset(path) as file:
        assert file["model/ocean/sst"][:].tolist() == [1, 2, 3]


def test_what_lies_above_a_group_grows_with_it(path):
    with_groups(path, fill_value=-1)
    with pytest.warns(EncodingNotice, match="go on: /t2m$"):
        frazil.to_netcdf(
            xr.Dataset({"sst": ("time", [2.0])}), path, append_dim="time", group="model/ocean"
        )


def test_a_tree_goes_on_along_the_dimension_of_its_root(path):
    tree = xr.DataTree.from_dict({"/": WHOLE[["t2m"]], "/low": WHOLE[["u10"]]})
    for _ in range(2):
        frazil.to_netcdf(tree, path, append_dim="time")
    with netCDF4.Dataset(path) as file, xr.open_datatree(path, engine="frazil") as found:
        assert file["t2m"][:].tolist() == [1, 2, 1, 2] == found["t2m"].values.tolist()
        assert file["low/u10"][:].tolist() == [3, 4, 3, 4] == found["low/u10"].values.tolist()
