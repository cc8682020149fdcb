"""`frazil unpack` undoes `frazil pack`."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import h5_compare, make, nc_compare
from support.command import DONE, FAILED, SAMPLE, frazil, pack
from support.dumps import first_difference, ncdump


def unpack(source: Path, target: Path, *options: str) -> None:
    outcome = frazil("unpack", source, "-o", target, *options)
    assert outcome.code == DONE, outcome.stderr


def test_no_filters_are_left_and_nothing_else_changes(tmp_path: Path):
    pack(SAMPLE, tmp_path / "packed.nc")
    unpack(tmp_path / "packed.nc", tmp_path / "plain.nc", "--verify")
    assert h5_compare.compare(SAMPLE, tmp_path / "plain.nc").differences == []
    assert first_difference(ncdump(SAMPLE), ncdump(tmp_path / "plain.nc")) is None
    with h5py.File(tmp_path / "plain.nc") as file:
        filters = [dataset.id.get_create_plist().get_nfilters() for dataset in file.values()]
    assert set(filters) == {0}


def test_fletcher32_is_kept(tmp_path: Path):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        options = {"chunks": (10, 40), "compression": 4, "fletcher32": True}
        file.create_dataset("field", data=make.field(40, 40), **options)
    unpack(tmp_path / "source.h5", tmp_path / "plain.h5")
    with h5py.File(tmp_path / "plain.h5") as file:
        assert file["field"].fletcher32 and file["field"].compression is None


@pytest.mark.parametrize("version", make.CLASSIC_VERSIONS)
def test_classic_files_come_back(tmp_path: Path, version: str):
    source = make.classic(tmp_path / "source.nc", version)
    pack(source, tmp_path / "packed.nc")
    unpack(tmp_path / "packed.nc", tmp_path / "back.nc", "--format", "classic")
    # The smallest version that holds the data: only 64-bit and unsigned types need CDF-5.
    needs_cdf5 = version == "NETCDF3_64BIT_DATA"
    assert (tmp_path / "back.nc").read_bytes().startswith(b"CDF\5" if needs_cdf5 else b"CDF\1")
    assert first_difference(ncdump(source), ncdump(tmp_path / "back.nc")) is None
    assert nc_compare.compare(source, tmp_path / "back.nc", set()) == []


def test_names_that_netcdf4_readers_would_shorten_are_refused(tmp_path: Path):
    source = tmp_path / "source.nc"
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("a", 3)
        file.createVariable("_nc4_non_coord_a", "f4", ("a",))[:] = 1
    outcome = frazil("pack", source, "-o", tmp_path / "packed.nc")
    assert outcome.code == FAILED and "_nc4_non_coord_a" in outcome.stderr
    assert list(tmp_path.iterdir()) == [source]


def test_the_sample_fits_into_classic(tmp_path: Path):
    pack(SAMPLE, tmp_path / "packed.nc")
    unpack(tmp_path / "packed.nc", tmp_path / "classic.nc", "--format", "classic")
    with netCDF4.Dataset(tmp_path / "classic.nc") as file:
        assert file.data_model.startswith("NETCDF3")
    assert first_difference(ncdump(SAMPLE), ncdump(tmp_path / "classic.nc")) is None


def test_records_that_a_variable_does_not_have_are_read_the_same(tmp_path: Path):
    """What netCDF-C reads past the end of a variable shorter than its unlimited dimension."""
    source, classic = tmp_path / "source.nc", tmp_path / "classic.nc"
    kinds = {"f4": None, "f8": False, "i4": False, "i2": -5, "S1": None, "u1": False}
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 2)
        file.createVariable("long", "f4", ("t",))[:5] = 1
        for kind, fill in kinds.items():
            for name, records in ((f"short_{kind}", 2), (f"empty_{kind}", 0)):
                variable = file.createVariable(name, kind, ("t", "x"), fill_value=fill)
                variable[:records] = b"a" if kind == "S1" else 1
    with h5py.File(source, "a") as file:
        # Without a fill value of HDF5's, never written: readers see zero, not `_FillValue`.
        made = file.create_dataset("made", (5,), "f4", maxshape=(None,), chunks=(3,))
        made.dims[0].attach_scale(file["t"])
        made.attrs["_FillValue"] = np.array([-7], "f4")
        short = file.create_dataset("made_short", data=np.ones(2, "f4"), maxshape=(None,))
        short.dims[0].attach_scale(file["t"])
        short.attrs["_FillValue"] = np.array([-7], "f4")
    unpack(source, classic, "--format", "classic", "--verify")
    with netCDF4.Dataset(source) as before, netCDF4.Dataset(classic) as after:
        for name, variable in before.variables.items():
            for one in (variable, after[name]):
                one.set_auto_maskandscale(False)
                one.set_auto_chartostring(False)
            assert np.array_equal(variable[:], after[name][:]), name


def test_what_classic_cannot_hold_is_refused(tmp_path: Path):
    source = make.every_netcdf4_type(tmp_path / "source.nc")
    target = tmp_path / "classic.nc"
    outcome = frazil("unpack", source, "-o", target, "--format", "classic", "--json")
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] == "unsupported" and outcome.errors[0]["cause"]
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]
