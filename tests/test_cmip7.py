"""--layout cmip7: the first write passes the checker that the archive uses."""

import shutil
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import h5_compare, make
from support.command import pack, tool
from support.data import CORPUS, CORPUS_ABSENT, corpus_files, corpus_name, kind

CHECKER = Path(sys.executable).with_name("check_cmip7_packing")

with_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT)


def cmip_files() -> list[Path]:
    """Files of the corpus that carry `variable_id`, so that the checker looks at their data."""
    candidates = (path for path in corpus_files() if kind(path) == "hdf5")
    return [path for path in candidates if b"variable_id" in path.read_bytes()]


def check_packing(path: Path) -> None:
    answer = tool(sys.executable, CHECKER, "-v", path)
    assert answer.returncode == 0, (answer.stdout + answer.stderr).decode()


def test_a_file_in_chunks_of_one_step_passes_after_packing(tmp_path: Path):
    source = make.cmip_like(tmp_path / "source.nc")
    assert tool(sys.executable, CHECKER, source).returncode != 0, "the source must need repacking"
    pack(source, tmp_path / "packed.nc", "--layout", "cmip7")
    check_packing(tmp_path / "packed.nc")
    assert h5_compare.compare(source, tmp_path / "packed.nc").differences == []
    with h5py.File(tmp_path / "packed.nc") as file:
        assert file["tas"].id.get_num_chunks() > 1
        assert np.prod(file["tas"].chunks) * 4 >= 4 << 20
        assert file["tas"].maxshape[0] is None


@with_corpus
@pytest.mark.parametrize("source", cmip_files(), ids=corpus_name)
def test_real_files_pass_after_packing(tmp_path: Path, source: Path):
    pack(source, tmp_path / "packed.nc", "--layout", "cmip7")
    check_packing(tmp_path / "packed.nc")
    assert h5_compare.compare(source, tmp_path / "packed.nc").differences == []


@with_corpus
def test_a_longer_real_series_passes_after_packing(tmp_path: Path):
    """Repeated in time, real data need several chunks of 4 MiB."""
    (real,) = (path for path in cmip_files() if path.name.startswith("tas_Amon_IPSL"))
    source = Path(shutil.copy(real, tmp_path / "source.nc"))
    source.chmod(0o644)
    with netCDF4.Dataset(source, "a") as file:
        count = file.dimensions["time"].size
        for repeat in range(1, 8):
            new = slice(repeat * count, (repeat + 1) * count)
            file["tas"][new] = file["tas"][:count] + np.float32(repeat / 8)
            file["time"][new] = file["time"][:count] + 365.25 * 4 * repeat
            file["time_bnds"][new] = file["time_bnds"][:count] + 365.25 * 4 * repeat
    pack(source, tmp_path / "packed.nc", "--layout", "cmip7", "--checksum")
    check_packing(tmp_path / "packed.nc")
    with h5py.File(tmp_path / "packed.nc") as file:
        assert file["tas"].id.get_num_chunks() > 1
    assert h5_compare.compare(source, tmp_path / "packed.nc").differences == []
