"""A precision that is stated for one file holds for it, also if it looks like a restart file."""

import warnings
from pathlib import Path

import dask.array as da
import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.errors import EncodingNotice

BOUND = 0.01
STATED = {"t": {"absolute_tolerance": BOUND}}
NAMES = ("rs.nc", "case.r.nc", "ocean.res.nc", "my_restart_plot.nc")
VALUES = np.random.default_rng(0).random((10, 30)).astype("f4")
DATA = xr.Dataset({"t": (("time", "x"), VALUES)})


def error_of(path, name="t"):
    with netCDF4.Dataset(path) as file:
        return float(np.abs(file[name][:] - VALUES).max())


def is_rounded(path, name="t"):
    return 0 < error_of(path, name) <= BOUND


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_what_the_call_states_is_done(name):
    frazil.to_netcdf(DATA, name, precision=STATED)
    assert is_rounded(name)
    with frazil.Writer(name, precision=STATED) as writer:
        writer.add_dimension("x", 300)
        writer.add_variable("t", "f4", ["x"])[:] = VALUES.reshape(-1)
    with netCDF4.Dataset(name) as file:
        assert 0 < np.abs(file["t"][:] - VALUES.reshape(-1)).max() <= BOUND


@pytest.mark.filterwarnings("error")
def test_all_doors_do_what_is_stated():
    late = DATA.copy(data={"t": da.from_array(VALUES, chunks=(5, 30))})
    frazil.to_netcdf(late, "late.r.nc", precision=STATED, compute=False).compute()
    assert is_rounded("late.r.nc")
    frazil.to_netcdf(xr.DataTree.from_dict({"/a": DATA}), "tree.r.nc", precision=STATED)
    assert is_rounded("tree.r.nc", "/a/t")
    DATA["t"].frazil.to_netcdf("array.r.nc", precision=STATED)
    assert is_rounded("array.r.nc")
    frazil.to_netcdf(DATA.assign_attrs(title="RESTART"), "titled.nc", precision=STATED)
    assert is_rounded("titled.nc")
    Path("rules.toml").write_text("[variables.t]\nabsolute_tolerance = 0.01\n")
    frazil.to_netcdf(DATA, "ruled.r.nc", precision="rules.toml")
    assert is_rounded("ruled.r.nc")
    for key, value in (("significant_digits", 4), ("least_significant_digit", 2)):
        frazil.to_netcdf(DATA, "encoded.r.nc", encoding={"t": {key: value}})
        assert is_rounded("encoded.r.nc"), key


def test_shared_rules_leave_a_restart_file_exact_and_say_so():
    shared = {"t": STATED["t"], "other": STATED["t"]}
    with pytest.warns(EncodingNotice, match="case.r.nc: 1 variable that .* stayed exact") as told:
        frazil.to_netcdf(DATA, "case.r.nc", precision=shared, precision_is_shared=True)
    assert len(told) == 1 and told[0].filename == __file__
    assert error_of("case.r.nc") == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frazil.to_netcdf(DATA, "out.nc", precision=shared, precision_is_shared=True)
        forced = {"t": {**STATED["t"], "force": True}}
        frazil.to_netcdf(DATA, "forced.r.nc", precision=forced, precision_is_shared=True)
    assert is_rounded("out.nc") and is_rounded("forced.r.nc")
