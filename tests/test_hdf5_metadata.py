"""What frazil-hdf5 reads without libhdf5, against what h5py's low level says of the same file."""

import subprocess
from pathlib import Path

import h5py
import pytest
from support import hdf5_generated, hdf5_inventory
from support.data import corpus_files

HOSTILE_MEMORY_BYTES = 512 << 20


def assert_same(path: Path) -> None:
    try:
        theirs = hdf5_inventory.theirs(path)
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        pytest.skip(f"h5py refuses: {error}")
    lines, error = hdf5_inventory.ours(path)
    assert not error
    assert hdf5_inventory.without_wrong_names(lines, theirs) == theirs
    assert hdf5_inventory.wrong_chunks(path, lines) == []


@pytest.mark.sampled(one_in=8)
@pytest.mark.parametrize("seed", range(400))
def test_generated_files_are_read_as_h5py_reads_them(tmp_path: Path, seed: int):
    assert_same(hdf5_generated.generate(tmp_path / "file.h5", seed))


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.name)
def test_real_files_are_read_as_h5py_reads_them(path: Path):
    if not h5py.is_hdf5(path):
        pytest.skip("not HDF5")
    assert_same(path)


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("seed", range(40))
def test_changed_copies_end_soon_and_in_little_memory(tmp_path: Path, seed: int):
    path = hdf5_generated.generate(tmp_path / "file.h5", seed)
    if path.stat().st_size > 200_000:
        pytest.skip("its copies would take long")
    reader = f"exec {hdf5_inventory.READER} {path} {seed} 400"
    limited = f"ulimit -v {HOSTILE_MEMORY_BYTES >> 10}; {reader}"
    done = subprocess.run(
        ["bash", "-c", limited], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
