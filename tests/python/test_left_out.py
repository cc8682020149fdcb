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
