"""``frazil.to_netcdf``: when a file may be made or replaced, and what is left behind."""

import gc
import subprocess
import sys

import dask.array as da
import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr

DATA = xr.Dataset({"v": ("x", np.arange(6.0))})


def test_exclusive_creation_and_appending_contradict_each_other(tmp_path):
    path = tmp_path / "out.nc"
    for _ in range(2):
        with pytest.raises(frazil.errors.InvalidArgumentError, match="append_dim adds to it"):
            frazil.to_netcdf(DATA, path, mode="x", append_dim="x")
        assert not path.exists()
    frazil.to_netcdf(DATA, path, append_dim="x")
    with pytest.raises(frazil.errors.InvalidArgumentError, match="leave one of them out"):
        frazil.to_netcdf(DATA, path, mode="x", append_dim="x")
    frazil.to_netcdf(DATA, path, append_dim="x")
    with netCDF4.Dataset(path) as file:
        assert len(file.dimensions["x"]) == 12 and file.dimensions["x"].isunlimited()


def test_a_file_that_a_writer_writes_is_not_replaced(tmp_path):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("y", 3)
        writer.add_variable("w", "f4", ["y"])[:] = 1
        for mode in ("w", "a"):
            with pytest.raises(frazil.errors.LockedError, match="this program is writing") as held:
                frazil.to_netcdf(DATA, path, mode=mode)
            assert held.value.file == str(path)
    with netCDF4.Dataset(path) as file:
        assert list(file.variables) == ["w"]
    frazil.to_netcdf(DATA, path)
    assert [one.name for one in tmp_path.iterdir()] == ["out.nc"]


def test_a_writer_that_comes_meanwhile_is_refused(tmp_path):
    path = tmp_path / "out.nc"
    late = DATA.copy(data={"v": da.from_array(DATA["v"].values, chunks=3)})
    delayed = frazil.to_netcdf(late, path, compute=False)
    with pytest.raises(frazil.errors.LockedError, match="this program is writing this file"):
        frazil.Writer(path)
    delayed.compute()
    assert list(tmp_path.iterdir()) == [path]
    with frazil.Writer(path) as writer:
        writer.add_dimension("y", 3)
    with netCDF4.Dataset(path) as file:
        assert list(file.dimensions) == ["y"]


PROGRAM = """
import dask.array as da, frazil, sys, xarray
data = xarray.Dataset({"v": ("x", da.ones(6, chunks=3))})
kept = frazil.to_netcdf(data, sys.argv[1], compute=False)
"""


def test_delayed_values_that_nobody_computes_leave_nothing_behind(tmp_path):
    path = tmp_path / "out.nc"
    late = xr.Dataset({"v": ("x", da.ones(6, chunks=3))})
    delayed = frazil.to_netcdf(late, path, compute=False)
    assert list(tmp_path.iterdir())
    del delayed
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    subprocess.run([sys.executable, "-c", PROGRAM, path], check=True)
    assert list(tmp_path.iterdir()) == []


def test_errors_name_the_file_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frazil.to_netcdf(DATA, "given.nc")
    other = xr.Dataset({name: ("other", [1.0]) for name in DATA.variables})
    for options in (
        {"mode": "x"},
        {"memory": 1},
        {"encoding": {next(iter(DATA.data_vars)): {"a": 1}}},
        {"encoding": {"none": {}}},
        {"precision": {"none": None}},
    ):
        with pytest.raises(frazil.Error) as caught:
            frazil.to_netcdf(DATA, "given.nc", **options)
        assert caught.value.file == "given.nc"
    with pytest.raises(frazil.Error) as caught:
        frazil.to_netcdf(other, "given.nc", mode="a")
    assert caught.value.file == "given.nc"
    with pytest.raises(frazil.Error) as caught, frazil.Writer("given.nc", "a"):
        frazil.to_netcdf(DATA, "given.nc")
    assert caught.value.file == "given.nc"
