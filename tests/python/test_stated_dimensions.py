"""Dimensions that options of ``to_netcdf`` name: the data must have them."""

import frazil
import numpy as np
import pytest
import xarray as xr
from frazil.errors import EncodingNotice

DATA = xr.Dataset({"v": (("time", "lat"), np.zeros((4, 3)))})
TREE = xr.DataTree.from_dict({"/": DATA, "/a": xr.Dataset({"w": ("lon", [1.0, 2.0])})})


@pytest.mark.parametrize(
    "options",
    [
        {"axes": {"tme": "time"}},
        {"axes": "tme=time"},
        {"expected": {"tme": 100}},
        {"reads": "tme:2/lat:3"},
        {"unlimited_dims": ["tme"]},
        {"unlimited_dims": "tme"},
    ],
    ids=str,
)
@pytest.mark.parametrize("data", [DATA, TREE], ids=["dataset", "tree"])
def test_dimensions_that_the_data_lack_are_refused(data, options, tmp_path):
    with pytest.raises(frazil.Error, match=r"write .time. if you mean that one") as caught:
        frazil.to_netcdf(data, tmp_path / "out.nc", **options)
    assert caught.value.file == str(tmp_path / "out.nc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("stated", "match"),
    [({"/b": ["lon"]}, "no such group"), ({"/a": ["lom"]}, "'lom'"), ({"/a": ["time"]}, "'time'")],
)
def test_growing_dimensions_of_groups_that_lack_them_are_refused(stated, match, tmp_path):
    with pytest.raises(frazil.Error, match=match):
        frazil.to_netcdf(TREE, tmp_path / "out.nc", unlimited_dims=stated)


def test_a_list_holds_for_the_groups_that_have_the_dimension(tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(TREE, path, unlimited_dims=["lon"])
    with xr.open_dataset(path, engine="frazil", group="a") as found:
        assert found.encoding["unlimited_dims"] == {"lon"}


def test_dimensions_of_the_file_are_known_too(tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(DATA, path)
    frazil.to_netcdf(xr.Dataset({"o": ("x", [1.0])}), path, mode="a", axes={"time": "time"})


def test_names_that_other_files_have_may_be_allowed(tmp_path):
    axes = {"depth": "level"}
    frazil.to_netcdf(DATA, tmp_path / "out.nc", axes=axes, precision_is_shared=True)


@pytest.mark.parametrize(
    ("expected", "match"),
    [({"lat": 100}, "'lat' cannot grow"), ({"time": 3}, "'time' gets 4"), ("time=3", "too short")],
)
def test_doubtful_lengths_are_told(expected, match, tmp_path):
    path = tmp_path / "out.nc"
    with pytest.warns(EncodingNotice, match=match):
        frazil.to_netcdf(DATA, path, expected=expected, unlimited_dims=["time"])
    assert path.exists()


@pytest.mark.filterwarnings("error")
def test_lengths_that_are_reached_are_not(tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(DATA, path, expected={"time": 4}, append_dim="time")
    with pytest.raises(EncodingNotice, match="'time' gets 8"):
        frazil.to_netcdf(DATA, path, expected={"time": 4}, append_dim="time")
