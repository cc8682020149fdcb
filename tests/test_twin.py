"""Files that netCDF-C makes and what becomes of them, down to `ncdump -s`."""

import re
from pathlib import Path

import netCDF4
import pytest
from support import h5_compare, make, nc_compare, pyfive_compare
from support.command import pack
from support.dumps import first_difference, ncdump

# What describes storage, which packing is free to change.
STORAGE = re.compile(
    rb"^\s*\S*:_(Storage|ChunkSizes|DeflateLevel|Shuffle|NCProperties|Codecs) = .*;\n", re.MULTILINE
)


def special(path: Path) -> bytes:
    """`ncdump -s` without storage: fill mode, byte order, checksums and format remain."""
    return STORAGE.sub(b"", ncdump(path, "-s"))


def test_every_netcdf4_type_survives(tmp_path: Path):
    source = make.every_netcdf4_type(tmp_path / "source.nc")
    pack(source, tmp_path / "packed.nc")
    assert first_difference(ncdump(source), ncdump(tmp_path / "packed.nc")) is None
    assert nc_compare.compare(source, tmp_path / "packed.nc", set()) == []
    assert h5_compare.compare(source, tmp_path / "packed.nc").differences == []


def test_ncdump_s_shows_the_same_special_attributes(tmp_path: Path):
    source = make.every_netcdf4_type(tmp_path / "source.nc")
    pack(source, tmp_path / "packed.nc")
    assert first_difference(special(source), special(tmp_path / "packed.nc")) is None


@pytest.mark.parametrize("version", make.CLASSIC_VERSIONS)
def test_classic_files_become_the_netcdf4_file_that_netcdf_c_would_make(
    tmp_path: Path, version: str
):
    source = make.classic(tmp_path / "source.nc", version)
    pack(source, tmp_path / "packed.nc")
    assert first_difference(ncdump(source), ncdump(tmp_path / "packed.nc")) is None
    assert nc_compare.compare(source, tmp_path / "packed.nc", set()) == []
    differences, count = pyfive_compare.compare(source, tmp_path / "packed.nc", set())
    assert differences == [] and count > 10


def test_a_file_twice_packed_stays_appendable(tmp_path: Path):
    """netCDF-C can go on writing records into a packed file."""
    source = make.plain_netcdf4(tmp_path / "source.nc")
    pack(source, tmp_path / "packed.nc")
    for path in (source, tmp_path / "packed.nc"):
        with netCDF4.Dataset(path, "a") as file:
            file["tas"][40:43] = 1.5
            file["time"][40:43] = [40, 41, 42]
    assert first_difference(ncdump(source), ncdump(tmp_path / "packed.nc")) is None
