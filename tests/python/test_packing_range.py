"""Values beyond what their packed type holds are refused: they would wrap around."""

import frazil
import numpy as np
import pytest
import xarray as xr
from frazil.errors import InvalidArgumentError

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
