"""``frazil.to_netcdf`` with a plan that was made for other values."""

import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_a_plan_of_other_values_is_followed_as_far_as_it_fits(tmp_path, dtype):
    chance = np.random.default_rng(5)
    numbers = np.round(280 + chance.normal(size=(60, 80)), 3)
    first = xr.Dataset({"v": (("y", "x"), numbers.astype("f4"))})
    first.to_netcdf(tmp_path / "first.nc")
    requests = {"v": {"absolute_tolerance": 0.25}}
    plan = frazil.plan(tmp_path / "first.nc", precision=requests, filters="shuffle+deflate(4)")
    missing = -999.9 if dtype != "i2" else -999
    numbers[::7] = missing
    second = xr.Dataset({"v": (("y", "x"), numbers.astype(dtype), {"missing_value": missing})})
    frazil.to_netcdf(second, tmp_path / "second.nc", plan=plan)
    with netCDF4.Dataset(tmp_path / "second.nc") as file:
        file.set_auto_mask(False)
        found = file["v"][:]
    expected = numbers.astype(dtype)
    is_missing = expected == np.array(missing, dtype)
    assert is_missing.any() and np.array_equal(found[is_missing], expected[is_missing])
    bound = 0 if dtype == "i2" else 0.25
    assert np.abs(found.astype("f8") - expected.astype("f8")).max() <= bound


def test_a_planned_linear_grid_states_the_error_of_the_values_at_hand(tmp_path):
    numbers = np.random.default_rng(5).normal(280, 9, (60, 80)).astype("f4")
    xr.Dataset({"v": (("y", "x"), numbers)}).to_netcdf(tmp_path / "first.nc")
    plan = frazil.plan(tmp_path / "first.nc", precision={"v": {"nbits": 8}})
    second = xr.Dataset({"v": (("y", "x"), numbers * 1000)})
    frazil.to_netcdf(second, tmp_path / "second.nc")
    frazil.to_netcdf(second, tmp_path / "planned.nc", plan=plan)
    with netCDF4.Dataset(tmp_path / "planned.nc") as file:
        error = np.abs(file["v"][:] - numbers * 1000).max()
        stated = {name: file["v"].getncattr(name) for name in file["v"].ncattrs()}
    assert 0 < error <= stated["max_abs_compression_error"]
    assert "quantization_maximum_absolute_error" not in stated
    assert frazil.verify(tmp_path / "second.nc", tmp_path / "planned.nc", check=True)
