"""Encodings that are asked for: done, or refused by key, value and cure."""

import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.errors import InvalidArgumentError

DATA = xr.Dataset({"v": (("t", "x"), np.arange(32.0).reshape(4, 8))})
REFUSED = [
    ({"contiguous": True, "chunksizes": (2, 2)}, [], "chunksizes is (2, 2)"),
    ({"contiguous": True, "zlib": True}, [], "'zlib'"),
    ({"contiguous": True, "fletcher32": True}, [], "fletcher32 is True"),
    ({"contiguous": True}, ["t"], "dimension 't' can grow"),
    ({"contiguous": "yes"}, [], "contiguous is 'yes'; it must be True or False"),
    ({"chunksizes": (0, 2)}, [], "chunksizes is (0, 2)"),
    ({"chunksizes": (-1, 2)}, ["t"], "chunksizes is (-1, 2)"),
    ({"chunksizes": (1.5, 2)}, [], "chunksizes is (1.5, 2)"),
    ({"chunksizes": (2, 99)}, ["t"], "dimension 'x' has 8 elements"),
    ({"chunksizes": (99, 2)}, [], "dimension 't' has 4 elements"),
    ({"chunksizes": (2,)}, [], "('t', 'x')"),
    ({"chunksizes": 5}, [], "chunksizes is 5"),
    ({"zlib": True, "complevel": 2.7}, [], "complevel is 2.7; it must be a whole number"),
    ({"zlib": True, "complevel": "4"}, [], "complevel is '4'"),
    ({"zlib": True, "complevel": 10}, [], "complevel is 10; it must be a whole number from 0 to 9"),
    ({"compression": "zstd", "complevel": 23}, [], "a whole number from 0 to 22"),
    ({"compression": "gzip", "compression_opts": -1}, [], "compression_opts is -1"),
    ({"zlib": "yes"}, [], "zlib is 'yes'; it must be True or False"),
    ({"zlib": True, "shuffle": "no"}, [], "shuffle is 'no'"),
    ({"significant_digits": 2.5}, [], "significant_digits is 2.5"),
    ({"significant_digits": 16}, [], "it must be a whole number from 1 to 15"),
    ({"significant_digits": 53, "quantize_mode": "BitRound"}, [], "a whole number from 1 to 52"),
    ({"least_significant_digit": "a"}, [], "least_significant_digit is 'a'"),
    ({"significant_digits": 0}, [], "significant_digits is 0; it must be a whole number from 1"),
    ({"dtype": "i4", "significant_digits": 3}, [], "stored as int32: only floats are rounded"),
    ({"dtype": "i4", "least_significant_digit": 2}, [], "least_significant_digit is 2, and"),
    ({"significant_digits": 3, "least_significant_digit": 2}, [], "both say how it is rounded"),
    ({"zlib": True, "compression": "zstd"}, [], "zlib is True, and compression is 'zstd'"),
    ({"zlib": True, "zstd": True}, [], "zlib is True, and zstd is True"),
    ({"zlib": True, "complevel": 4, "compression_opts": 5}, [], "compression_opts is 5"),
    ({"complevell": 4}, [], "write 'complevel' if you mean"),
]


@pytest.mark.parametrize(("encoding", "unlimited", "told"), REFUSED, ids=lambda one: str(one)[:40])
def test_what_cannot_be_is_refused_with_key_and_value(tmp_path, encoding, unlimited, told):
    path = tmp_path / "out.nc"
    with pytest.raises(ValueError) as refused:
        frazil.to_netcdf(DATA, path, encoding={"v": encoding}, unlimited_dims=unlimited)
    assert told in str(refused.value)
    if isinstance(refused.value, frazil.Error):
        assert refused.value.file == str(path) and refused.value.variable == "v"
        assert refused.value.cure
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("encoding", "unlimited"),
    [
        ({"zlib": True, "complevel": np.int64(3)}, []),
        ({"zlib": 1, "shuffle": 0, "complevel": 2}, []),
        ({"zlib": True, "compression": "zlib"}, []),
        ({"zlib": False, "compression": "zlib"}, []),
        ({"zlib": np.True_, "fletcher32": np.True_}, []),
        ({"zlib": True, "chunksizes": (2.0, np.int32(4))}, []),
        ({"zlib": True, "chunksizes": (99, 2)}, ["t"]),
        ({"contiguous": True, "zlib": False, "chunksizes": None}, []),
        ({"contiguous": False, "zlib": True, "complevel": 9}, []),
        ({"zlib": False, "chunksizes": [4, 4]}, []),
    ],
    ids=str,
)
def test_what_netcdf4_does_is_done(tmp_path, encoding, unlimited):
    stored = []
    for engine in ("netcdf4", "frazil"):
        path = tmp_path / f"{engine}.nc"
        options = {"encoding": {"v": encoding}, "unlimited_dims": unlimited}
        if engine == "frazil":
            frazil.to_netcdf(DATA, path, **options)
        else:
            DATA.to_netcdf(path, engine=engine, **options)
        with netCDF4.Dataset(path) as file:
            filters = file["v"].filters()
            # Without a compressor, shuffling changes nothing; only frazil leaves it out.
            if not filters["zlib"]:
                filters.pop("shuffle")
            stored.append((filters, file["v"].chunking()))
    same, theirs = stored[0], stored[1]
    if encoding.get("chunksizes") is None and not encoding.get("contiguous"):
        same, theirs = same[0], theirs[0]
    assert same == theirs


@pytest.mark.parametrize("shuffle", [False, True])
def test_shuffling_is_as_it_is_asked_for_without_a_compressor(tmp_path, shuffle):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(DATA, path, encoding={"v": {"shuffle": shuffle}}, unlimited_dims=["t"])
    with netCDF4.Dataset(path) as file:
        filters = file["v"].filters()
    assert (filters["zlib"], filters["shuffle"]) == (True, shuffle)


def test_encodings_of_what_is_not_written_are_refused(tmp_path):
    path = tmp_path / "out.nc"
    with pytest.raises(frazil.errors.NotFoundError, match="write 'v' if") as missing:
        frazil.to_netcdf(DATA, path, encoding={"V1": {"zlib": True}})
    assert missing.value.variable == "V1"
    tree = xr.DataTree.from_dict({"/": DATA, "/coarse": DATA})
    with pytest.raises(ValueError, match=r"unexpected encoding group.*write '/coarse'"):
        tree.frazil.to_netcdf(path, encoding={"/coarsse": {"v": {"zlib": True}}})
    with pytest.raises(frazil.errors.NotFoundError) as missing:
        tree.frazil.to_netcdf(path, encoding={"/coarse": {"w": {"zlib": True}}})
    assert missing.value.variable == "/coarse/w" and not path.exists()
    tree.frazil.to_netcdf(
        path,
        encoding={"/coarse": {"v": {"zlib": True, "complevel": 8}}},
        unlimited_dims={"/": ["t"]},
    )
    with netCDF4.Dataset(path) as file:
        assert file["coarse/v"].filters()["complevel"] == 8
        assert file.dimensions["t"].isunlimited() and not file.dimensions["x"].isunlimited()


def test_a_compression_that_is_not_written_is_named_itself(tmp_path):
    for stated in (
        {"compression": 32015, "compression_opts": (3,)},
        {"compression": "blosc_lz4", "complevel": "high"},
    ):
        with pytest.raises(frazil.errors.UnsupportedError, match="does not write the compression"):
            frazil.to_netcdf(DATA, tmp_path / "out.nc", encoding={"v": stated})


@pytest.mark.parametrize("rounding", [{"significant_digits": 5}, {"least_significant_digit": 3}])
def test_a_rounding_that_is_stated_twice_is_refused(tmp_path, rounding):
    rules = {"*": {"absolute_tolerance": 10}}
    with pytest.raises(frazil.errors.InvalidArgumentError, match="both say how it is rounded"):
        frazil.to_netcdf(DATA, tmp_path / "out.nc", encoding={"v": rounding}, precision=rules)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("places", [290, 308, 400])
def test_more_places_than_values_have_keep_them(tmp_path, places):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(DATA * 1e20, path, encoding={"v": {"least_significant_digit": places}})
    with netCDF4.Dataset(path) as file:
        assert (file["v"][:] == DATA.v.values * 1e20).all()


def test_a_level_that_the_compressor_does_not_have_is_refused(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("x", 3)
        with pytest.raises(frazil.errors.InvalidArgumentError, match="levels up to 22"):
            writer.add_variable("v", "f4", ("x",), compression="zstd", level=99)


@pytest.mark.parametrize("stated", ["lon", None])
def test_coordinates_that_are_stated_are_written(stated, tmp_path):
    path = tmp_path / "out.nc"
    coords = {"lat": ("x", np.zeros(3)), "lon": ("x", np.ones(3))}
    data = xr.Dataset({"v": ("x", np.zeros(3)), "w": ("x", np.zeros(3))}, coords)
    data.v.encoding["dtype"] = "f4"
    frazil.to_netcdf(data, path, encoding={"v": {"coordinates": stated}})
    with frazil.open(path) as file:
        assert file["v"].attrs.get("coordinates") == stated
        assert file["w"].attrs["coordinates"] == "lat lon"
        assert file["v"].dtype == "f4"
    assert "coordinates" not in data.v.encoding
    with pytest.raises(InvalidArgumentError, match="coordinates is 3") as refused:
        frazil.to_netcdf(data, path, encoding={"v": {"coordinates": 3}})
    assert (refused.value.file, refused.value.variable) == (str(path), "v")
