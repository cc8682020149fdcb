"""How often and for how many bytes frazil-hdf5 asks a source until it has a dataset's chunks."""

import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import hdf5_inventory
from support.command import frazil

CHUNKS = 20_000
HEAD_BYTES = 65_536


def located(path: Path, dataset: str) -> tuple[int, int, int]:
    """Rounds, bytes, and chunks found."""
    command = [hdf5_inventory.READER, "rounds", str(path), dataset, str(HEAD_BYTES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    rounds, read, chunks = map(int, done.stdout.split())
    return rounds, read, chunks


@pytest.mark.parametrize(
    ("libver", "most", "rounds"),
    [
        # A B-tree of version 1 and three levels.
        ("earliest", (None, 4), 4),
        # One of version 2, with a header before its root.
        ("latest", (None, None), 5),
        # An extensible array, a fixed array.
        ("latest", (None, 4), 4),
        ("latest", (CHUNKS, 4), 3),
    ],
)
def test_chunks_are_found_in_few_rounds_and_bytes(
    tmp_path: Path, libver: str, most: tuple, rounds: int
):
    path = tmp_path / "file.h5"
    with h5py.File(path, "w", libver=libver) as file:
        for name in ("one", "two"):
            file.create_dataset(name, (3,), "i4").attrs["units"] = "K"
        values = np.ones((CHUNKS, 4), "f4")
        file.create_dataset("many", data=values, chunks=(1, 4), maxshape=most)
        stored = file["many"].id.get_storage_size()
    metadata = path.stat().st_size - stored
    made, read, chunks = located(path, "many")
    assert chunks == CHUNKS
    assert made <= rounds
    # The head is read before anybody knows what it holds.
    assert read - HEAD_BYTES <= 1.5 * metadata


def test_files_for_cmip7_are_located_in_one_round(tmp_path: Path):
    source, packed = tmp_path / "source.nc", tmp_path / "packed.nc"
    with h5py.File(source, "w") as file:
        for number in range(10):
            values = np.random.default_rng(number).random((40, 100, 100), "f4")
            file.create_dataset(f"v{number}", data=values).attrs["units"] = "K"
    assert frazil("pack", source, "-o", packed, "--layout", "cmip7").code == 0
    assert packed.stat().st_size > 10 * HEAD_BYTES
    for name in ("v0", "v9"):
        made, read, chunks = located(packed, name)
        assert (made, chunks > 0) == (1, True)
        assert read <= HEAD_BYTES
