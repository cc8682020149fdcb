"""What a packed file says about rounding: CF-1.12, section 8.4; and what repacking makes of it."""

from collections.abc import Callable
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from support import make
from support.command import frazil, pack, tool
from support.precision import notices, pack_by_rules, plain, statement
from support.rounding import NETCDF_MODES, QUANTIZER, bitround, netcdf_rounded, words

Make = Callable[[Path], Path]


def with_groups(path: Path) -> Path:
    """Fields in the root group and below, and a coordinate variable."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 500)
        file.createVariable("x", "f8", ("x",))[:] = np.linspace(0, 1, 500) ** 2
        file.createVariable("t", "f4", ("x",), zlib=True)[:] = make.field(500)
        inner = file.createGroup("forecast").createGroup("surface")
        inner.createVariable("u", "f8", ("x",))[:] = make.field(500, dtype="f8")
        file.title = "two groups"
    return path


def classic(path: Path) -> Path:
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("x", 500)
        file.createVariable("t", "f4", ("x",))[:] = make.field(500)
    return path


def plain_hdf5(path: Path) -> Path:
    with h5py.File(path, "w") as file:
        file["t"] = make.field(500)
    return path


STATED = {
    "bits": (
        {"significant_bits": 9},
        "bitround",
        {"quantization_nsb": 9, "quantization_maximum_relative_error": 2.0**-10},
    ),
    "digits": (
        {"significant_digits": 3},
        "granular_bitround",
        {"quantization_nsd": 3, "quantization_maximum_relative_error": 0.005},
    ),
    "bitgroom": (
        {"significant_digits": 4, "algorithm": "bitgroom"},
        "bitgroom",
        {"quantization_nsd": 4, "quantization_maximum_relative_error": 2.0**-15},
    ),
    "absolute": (
        {"absolute_tolerance": 0.25},
        "bitround",
        {"quantization_nsb": 9, "quantization_maximum_absolute_error": 0.25},
    ),
    "floor": (
        {"relative_tolerance_percent": 0.1, "relative_err_finest_abs_tolerance": 0.01},
        "bitround",
        {
            "quantization_nsb": 9,
            "quantization_maximum_relative_error": 0.001,
            "quantization_finest_absolute_error": 0.01,
        },
    ),
}


@pytest.mark.parametrize("make_file", [with_groups, classic, plain_hdf5])
@pytest.mark.parametrize("stated", STATED)
def test_the_statement_of_cf(tmp_path: Path, make_file: Make, stated: str):
    rule, algorithm, attributes = STATED[stated]
    source = make_file(tmp_path / "source.nc")
    pack_by_rules(source, tmp_path / "packed.nc", {"variables": "t", **rule})
    expected = {"quantization": "quantization_info", **attributes}
    assert statement(tmp_path / "packed.nc", "t") == expected
    with netCDF4.Dataset(tmp_path / "packed.nc") as file:
        container = file["quantization_info"]
        assert container.dimensions == () and container.dtype == "S1"
        assert sorted(container.ncattrs()) == ["algorithm", "implementation"]
        assert container.algorithm == algorithm
        assert container.implementation.startswith("frazil version ")
        counts = [name for name in file["t"].ncattrs() if name.startswith("quantization_ns")]
        assert all(file["t"].getncattr(name).dtype == np.int32 for name in counts)
        assert not [name for name in file["t"].ncattrs() if name.startswith("_Quantize")]


def test_variables_in_groups_name_the_container_by_its_path(tmp_path: Path):
    source = with_groups(tmp_path / "source.nc")
    pack(source, tmp_path / "packed.nc", "--digits", 2)
    inner = statement(tmp_path / "packed.nc", "forecast/surface/u")
    assert inner["quantization"] == "/quantization_info"
    assert statement(tmp_path / "packed.nc", "t")["quantization"] == "quantization_info"
    assert statement(tmp_path / "packed.nc", "x") == {}


def test_each_algorithm_has_its_container(tmp_path: Path):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        for name in ("a", "b", "c", "d"):
            file[name] = make.field(300)
    rules = [
        {"variables": ["a", "d"], "significant_bits": 7},
        {"variables": "b", "significant_digits": 3},
        {"variables": "c", "significant_digits": 3, "algorithm": "bitgroom"},
    ]
    pack_by_rules(tmp_path / "source.h5", tmp_path / "packed.h5", *rules)
    with h5py.File(tmp_path / "packed.h5") as file:
        named = {name: plain(file[name].attrs["quantization"]) for name in "abcd"}
        algorithms = {name: plain(file[named[name]].attrs["algorithm"]) for name in "abcd"}
        assert len(file) == 4 + 3
    assert algorithms == {
        "a": "bitround",
        "b": "granular_bitround",
        "c": "bitgroom",
        "d": "bitround",
    }


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path):
    with netCDF4.Dataset(tmp_path / "source.nc", "w") as file:
        file.createDimension("x", 300)
        file.createVariable("t", "f4", ("x",))[:] = make.field(300)
        taken = file.createVariable("quantization_info", "i4", ("x",))
        taken[:] = np.arange(300)
        taken.units = "something else"
    pack(tmp_path / "source.nc", tmp_path / "packed.nc", "--digits", 3)
    with netCDF4.Dataset(tmp_path / "packed.nc") as file:
        assert (file["quantization_info"][:] == np.arange(300)).all()
        assert file["quantization_info"].ncattrs() == ["units"]
        name = file["t"].getncattr("quantization")
        assert name != "quantization_info"
        assert file[name].algorithm == "granular_bitround"


@pytest.mark.parametrize("algorithm", NETCDF_MODES)
def test_netcdfs_own_attribute_only_on_request(tmp_path: Path, algorithm: str):
    source = plain_hdf5(tmp_path / "source.h5")
    count = "--bits" if algorithm == "bitround" else "--digits"
    options = (count, 4, "--quantizer", QUANTIZER[algorithm])
    pack(source, tmp_path / "without.nc", *options)
    pack(source, tmp_path / "with.nc", *options, "--netcdf-attribute")
    with h5py.File(tmp_path / "without.nc") as file:
        assert not [name for name in file["t"].attrs if name.startswith("_Quantize")]
    with h5py.File(tmp_path / "with.nc") as file:
        (name,) = [name for name in file["t"].attrs if name.startswith("_Quantize")]
        assert NETCDF_MODES[algorithm] in name and file["t"].attrs[name].shape == (1,)
        assert file["t"].attrs[name].dtype == np.int32
    with netCDF4.Dataset(tmp_path / "with.nc") as file:
        assert file["t"].quantization() == (4, NETCDF_MODES[algorithm])


def test_every_reader_opens_the_file_and_sees_the_same_values(tmp_path: Path):
    source = with_groups(tmp_path / "source.nc")
    packed = tmp_path / "packed.nc"
    pack(source, packed, "--digits", 3)
    with h5py.File(packed) as file:
        expected = {"t": file["t"][...], "u": file["forecast/surface/u"][...]}
    with netCDF4.Dataset(packed) as file:
        assert (file["t"][...] == expected["t"]).all()
        assert (file["forecast/surface/u"][...] == expected["u"]).all()
    with xarray.open_dataset(packed, engine="netcdf4") as data:
        assert (data["t"].to_numpy() == expected["t"]).all()
        assert data["t"].attrs["quantization_nsd"] == 3
        assert data["quantization_info"].attrs["algorithm"] == "granular_bitround"
    with xarray.open_dataset(packed, engine="h5netcdf", group="forecast/surface") as data:
        assert (data["u"].to_numpy() == expected["u"]).all()
    for name, values in expected.items():
        dump = tool("ncdump", "-p", "9,17", "-v", name, packed)
        assert dump.returncode == 0, dump.stderr
        _, text = dump.stdout.decode().rsplit(f" {name} =", 1)
        numbers = text.split(";")[0].split(",")
        assert (np.array(numbers, dtype=values.dtype) == values).all()
    assert (expected["t"] == netcdf_of(source, tmp_path, "t", 3)).all()


def netcdf_of(source: Path, folder: Path, name: str, digits: int) -> np.ndarray:
    with netCDF4.Dataset(source) as file:
        values = np.asarray(file[name][...])
    return netcdf_rounded(folder / "netcdf.nc", values, "granular_bitround", digits)


# Repacking what was rounded before.


@pytest.fixture
def rounded(tmp_path: Path) -> Path:
    source = with_groups(tmp_path / "source.nc")
    pack(source, tmp_path / "rounded.nc", "--bits", 12)
    return tmp_path / "rounded.nc"


def content(path: Path, name: str = "t") -> np.ndarray:
    with h5py.File(path) as file:
        return file[name][...]


def test_repacking_keeps_values_and_what_is_said_about_them(rounded: Path, tmp_path: Path):
    pack(rounded, tmp_path / "again.nc", "--level", 3)
    for name in ("t", "forecast/surface/u"):
        assert statement(tmp_path / "again.nc", name) == statement(rounded, name)
        assert (content(tmp_path / "again.nc", name) == content(rounded, name)).all()
    with h5py.File(rounded) as before, h5py.File(tmp_path / "again.nc") as after:
        assert set(before) == set(after)
        assert dict(before["quantization_info"].attrs) == dict(after["quantization_info"].attrs)


def test_a_coarser_rounding_replaces_the_statement(rounded: Path, tmp_path: Path):
    outcome = pack(rounded, tmp_path / "coarser.nc", "--bits", 5)
    assert any("t: was rounded before" in line for line in notices(outcome)), outcome.stderr
    found = statement(tmp_path / "coarser.nc", "t")
    assert found["quantization_nsb"] == 5
    assert (content(tmp_path / "coarser.nc") == bitround(content(rounded), 5)).all()
    with h5py.File(tmp_path / "coarser.nc") as file:
        assert plain(file[found["quantization"]].attrs["algorithm"]) == "bitround"


def test_a_finer_rounding_keeps_what_is_there(rounded: Path, tmp_path: Path):
    outcome = pack(rounded, tmp_path / "finer.nc", "--bits", 16)
    assert any("at least as coarsely" in line for line in notices(outcome)), outcome.stderr
    assert statement(tmp_path / "finer.nc", "t") == statement(rounded, "t")
    assert (content(tmp_path / "finer.nc") == content(rounded)).all()


def test_another_algorithm_replaces_the_whole_statement(rounded: Path, tmp_path: Path):
    pack(rounded, tmp_path / "grid.nc", "--nbits", 8)
    found = statement(tmp_path / "grid.nc", "t")
    names = {"nbits", "max_abs_compression_error", "quantization_maximum_absolute_error"}
    assert set(found) == names
    pack(tmp_path / "grid.nc", tmp_path / "digits.nc", "--digits", 2)
    found = statement(tmp_path / "digits.nc", "t")
    names = {"quantization", "quantization_nsd", "quantization_maximum_relative_error"}
    # The grid's error was absolute: small values may be off by it.
    names |= {"quantization_finest_absolute_error"}
    assert set(found) == names and found["quantization_nsd"] == 2
    with h5py.File(tmp_path / "digits.nc") as file:
        container = file[found["quantization"]]
        assert plain(container.attrs["algorithm"]) == "granular_bitround"


def test_the_container_that_is_there_serves_again(rounded: Path, tmp_path: Path):
    pack(rounded, tmp_path / "coarser.nc", "--bits", 7)
    pack(tmp_path / "coarser.nc", tmp_path / "coarsest.nc", "--bits", 3)
    with h5py.File(tmp_path / "coarsest.nc") as file:
        assert [name for name in file if "algorithm" in file[name].attrs] == ["quantization_info"]
        assert plain(file["t"].attrs["quantization"]) == "quantization_info"


def test_what_netcdf_rounded_is_known_as_rounded(tmp_path: Path):
    values = make.field(400)
    once = netcdf_rounded(tmp_path / "netcdf.nc", values, "granular_bitround", 3)
    pack(tmp_path / "netcdf.nc", tmp_path / "same.nc")
    assert (content(tmp_path / "same.nc", "v") == once).all()
    with netCDF4.Dataset(tmp_path / "same.nc") as file:
        assert file["v"].quantization() == (3, "GranularBitRound")
    outcome = pack(tmp_path / "netcdf.nc", tmp_path / "finer.nc", "--digits", 5)
    assert "at least as coarsely" in outcome.stderr
    assert (words(content(tmp_path / "finer.nc", "v")) == words(once)).all()
    # A coarser rounding must not leave netCDF-C's attribute with the old number.
    pack(tmp_path / "netcdf.nc", tmp_path / "coarser.nc", "--digits", 2)
    with h5py.File(tmp_path / "coarser.nc") as file:
        assert not [name for name in file["v"].attrs if name.startswith("_Quantize")]
    assert statement(tmp_path / "coarser.nc", "v")["quantization_nsd"] == 2


ONCE = {
    "absolute": ("--abs-error", 0.01),
    "relative": ("--rel-error", 0.001),
    "bits": ("--bits", 9),
    "digits": ("--digits", 4),
    "grid": ("--nbits", 16),
    "both": ("--rel-error", 0.001, "--finest-abs-error", 0.5),
}
AGAIN = {
    "absolute": ("--abs-error", 1),
    "relative": ("--rel-error", 0.01),
    "bits": ("--bits", 5),
    "digits": ("--digits", 2),
    "grid": ("--nbits", 8),
    "same grid": ("--nbits", 16),
    "integers": ("--pack-integers", 0.1),
}


def bound_of(found: dict, magnitudes: np.ndarray) -> np.ndarray:
    """The largest error that a file allows for values of these magnitudes."""
    allowed = np.full(magnitudes.shape, np.inf)
    if "quantization_maximum_relative_error" in found:
        least = found.get("quantization_finest_absolute_error", 0)
        allowed = np.maximum(found["quantization_maximum_relative_error"] * magnitudes, least)
    return np.minimum(allowed, found.get("quantization_maximum_absolute_error", np.inf))


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("once", ONCE)
def test_a_bound_holds_against_the_values_before_both_roundings(tmp_path, once, again):
    values = np.random.default_rng(8).normal(280, 20, 3000).astype("f4")
    with netCDF4.Dataset(tmp_path / "source.nc", "w") as file:
        file.createDimension("x", values.size)
        file.createVariable("v", "f4", ("x",))[:] = values
    source, first, second = (tmp_path / f"{name}.nc" for name in ("source", "first", "second"))
    pack(source, first, *ONCE[once])
    pack(first, second, *AGAIN[again])
    with netCDF4.Dataset(second) as file:
        found = {name: file["v"].getncattr(name) for name in file["v"].ncattrs()}
        kept = np.asarray(file["v"][:], "f8")
    error = np.abs(kept - values.astype("f8"))
    allowed = bound_of(found, np.abs(values.astype("f8")))
    assert np.isfinite(allowed).all() and (error <= allowed).all(), found
    assert (error <= found.get("max_abs_compression_error", np.inf)).all(), found
    # Not by much more than what was asked for twice.
    assert (allowed <= 50).all(), found
    for before in (source, first):
        verified = frazil("verify", before, second)
        told = verified.stdout
        assert verified.code == 0, told + verified.stderr
        assert before == first or " pass" in told, told
        assert "FAIL" not in told.upper(), told


def test_a_bound_that_is_used_up_rounds_nothing_more(tmp_path: Path):
    source = with_groups(tmp_path / "source.nc")
    pack(source, tmp_path / "once.nc", "--abs-error", "t:0.5")
    outcome = pack(tmp_path / "once.nc", tmp_path / "twice.nc", "--abs-error", "t:0.5")
    assert any("at least as coarsely" in line for line in notices(outcome)), outcome.stderr
    assert statement(tmp_path / "twice.nc", "t") == statement(tmp_path / "once.nc", "t")
    pack(tmp_path / "once.nc", tmp_path / "coarser.nc", "--abs-error", "t:1.5")
    found = statement(tmp_path / "coarser.nc", "t")
    assert found["quantization_maximum_absolute_error"] == 2.0


def test_a_grid_that_changes_nothing_keeps_the_bound(tmp_path: Path):
    source = with_groups(tmp_path / "source.nc")
    pack(source, tmp_path / "once.nc", "--nbits", "t:12")
    pack(tmp_path / "once.nc", tmp_path / "twice.nc", "--nbits", "t:12")
    once, twice = (statement(tmp_path / f"{name}.nc", "t") for name in ("once", "twice"))
    name = "quantization_maximum_absolute_error"
    if (content(tmp_path / "once.nc") == content(tmp_path / "twice.nc")).all():
        assert twice[name] == once[name]
    else:
        assert twice[name] > once[name]
