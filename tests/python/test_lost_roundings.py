"""A rounding that a file states is left out where the dataset does not bear it out any more."""

import copy
import re
import warnings
from pathlib import Path

import dask.array as da
import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.errors import EncodingNotice

BOUND = 1e-3
STATED = {"*": {"absolute_tolerance": BOUND}}
VALUES = np.random.default_rng(0).random((10, 30)).astype("f4")
FIELD = (("time", "x"), VALUES, {"units": "kg kg-1"})
CONTAINER = "quantization_info"
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.nc"


@pytest.fixture
def rounded(tmp_path):
    path = tmp_path / "rounded.nc"
    frazil.to_netcdf(xr.Dataset({"q": FIELD, "t": FIELD}), path, precision=STATED)
    with xr.open_dataset(path, engine="frazil") as dataset:
        return dataset.load()


def stated(path, name="q"):
    with netCDF4.Dataset(path) as file:
        return {key for key in file[name].ncattrs() if key.startswith("quantization")}


def test_a_bound_is_left_out_where_nothing_describes_the_rounding(rounded, out):
    scaled = rounded.drop_vars(CONTAINER) * 1000
    for name in ("q", "t"):
        # xarray keeps attributes, or does not, by its release.
        scaled[name].attrs = dict(rounded[name].attrs)
    before = copy.deepcopy(scaled)
    with pytest.warns(EncodingNotice, match="left out of q, t: .*'quantization_info'") as told:
        scaled.frazil.to_netcdf(out)
    assert len(told) == 1 and "keep the container variable" in str(told[0].message)
    assert stated(out) == stated(out, "t") == set()
    with netCDF4.Dataset(out) as file:
        assert file["q"].units == "kg kg-1"
    xr.testing.assert_identical(scaled, before)


def test_every_door_leaves_it_out(rounded, out):
    with pytest.warns(EncodingNotice, match="left out of q: "):
        rounded["q"].frazil.to_netcdf(out)
    assert stated(out) == set()
    late = rounded[["q"]].copy(data={"q": da.from_array(VALUES, chunks=(5, 30))})
    with pytest.warns(EncodingNotice, match="left out of q: "):
        delayed = frazil.to_netcdf(late, out, compute=False)
    delayed.compute()
    assert stated(out) == set()
    tree = xr.DataTree.from_dict({"/a": rounded[["q"]], "/b": rounded})
    with pytest.warns(EncodingNotice, match="left out of /a/q: "):
        frazil.to_netcdf(tree, out)
    assert stated(out, "/a/q") == set() and stated(out, "/b/q")


def test_added_values_do_not_bring_it_into_a_file(rounded, out):
    with pytest.warns(EncodingNotice, match="left out of q: "):
        frazil.to_netcdf(rounded[["q"]], out, append_dim="time")
    with pytest.warns(EncodingNotice, match="left out of q: "):
        frazil.to_netcdf(rounded[["q"]], out, append_dim="time")
    assert stated(out) == set()


@pytest.mark.filterwarnings("error")
def test_it_stays_where_the_container_is_there(rounded, out):
    frazil.to_netcdf(rounded[["q", CONTAINER]], out)
    assert len(stated(out)) == 3
    above = rounded[["q"]].copy()
    for reference in (CONTAINER, f"/{CONTAINER}"):
        above["q"].attrs["quantization"] = reference
        tree = xr.DataTree.from_dict({"/": rounded[[CONTAINER]], "/a/b": above})
        frazil.to_netcdf(tree, out)
        assert len(stated(out, "/a/b/q")) == 3


@pytest.mark.filterwarnings("error")
def test_other_meanings_of_the_word_stay(out):
    data = xr.Dataset({"q": ("x", [1.0], {"quantization": "8 bit ADC"})})
    frazil.to_netcdf(data, out)
    assert stated(out) == {"quantization"}


def test_a_rounding_of_this_call_is_stated(rounded, out):
    with pytest.warns(EncodingNotice, match="left out of q: "):
        frazil.to_netcdf(rounded[["q"]], out, precision={"q": {"absolute_tolerance": 0.1}})
    with netCDF4.Dataset(out) as file:
        assert file["q"].quantization_maximum_absolute_error == 0.1
        # The package netCDF4 has a method of that name.
        assert file["q"].getncattr("quantization") in file.variables


def test_the_guides_show_how_to_compute_with_a_rounded_file(rounded):
    for compute in (lambda ds: ds * 3, lambda ds: ds.mean()):
        with pytest.raises(TypeError):
            compute(rounded)
    (line,) = re.findall(r"`(ds = ds\.drop_vars\(.*)`", (DOCS / "python.md").read_text())
    names = {"ds": rounded}
    exec(line, names)
    assert list(names["ds"] * 3) == list(names["ds"].mean()) == ["q", "t"]
    for page in ("precision", "cookbook", "wrf"):
        text = (DOCS / f"{page}.md").read_text()
        assert "`ds * 3`" in text and "(python.md#rounded-files)" in text, page


def test_values_added_to_a_rounded_file_need_no_container(rounded, out):
    """The file describes the rounding already, and keeps its attributes."""
    frazil.to_netcdf(rounded, out, append_dim="time")
    before = stated(out)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frazil.to_netcdf(rounded[["q", "t"]], out, append_dim="time")
    assert before and stated(out) == before
