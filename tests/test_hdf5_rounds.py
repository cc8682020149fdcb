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


def located(path: Path, dataset: str, head_bytes: int = HEAD_BYTES) -> tuple[int, int, int]:
    """Rounds, bytes, and chunks found."""
    command = [hdf5_inventory.READER, "rounds", str(path), dataset, str(head_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    rounds, read, chunks = map(int, done.stdout.split())
    return rounds, read, chunks


def many_chunks(path: Path, libver: str, most: tuple, *, is_behind_head: bool) -> int:
    """Writes a dataset of many chunks, with others before it; how many bytes its values have."""
    with h5py.File(path, "w", libver=libver) as file:
        for name in ("one", "two"):
            file.create_dataset(name, (3,), "i4").attrs["units"] = "K"
        for number in range(400 if is_behind_head else 0):
            file[f"others/{number}"] = number
        values = np.ones((CHUNKS, 4), "f4")
        many = file.create_dataset("many", data=values, chunks=(1, 4), maxshape=most)
        assert (h5py.h5o.get_info(many.id).addr > HEAD_BYTES) == is_behind_head
        return many.id.get_storage_size()


# By the index: B-trees of version 1 and 2, both of three levels, an extensible and a fixed array.
INDEXES = {
    "tree1": ("earliest", (None, 4)),
    "tree2": ("latest", (None, None)),
    "extensible": ("latest", (None, 4)),
    "fixed": ("latest", (CHUNKS, 4)),
}


@pytest.mark.parametrize(
    ("index", "rounds"), [("tree1", 3), ("tree2", 4), ("extensible", 3), ("fixed", 2)]
)
def test_chunks_are_found_in_few_rounds_and_bytes(tmp_path: Path, index: str, rounds: int):
    path = tmp_path / "file.h5"
    metadata = -many_chunks(path, *INDEXES[index], is_behind_head=False)
    metadata += path.stat().st_size
    made, read, chunks = located(path, "many")
    assert chunks == CHUNKS
    assert made <= rounds
    # The head is read before anybody knows what it holds.
    assert read - HEAD_BYTES <= 1.5 * metadata


@pytest.mark.parametrize(
    ("index", "rounds"),
    # What a header leads to comes with it. But roots of version 2 move when they grow.
    [("tree1", 4), ("tree2", 5), ("extensible", 4), ("fixed", 3)],
)
def test_chunks_of_a_dataset_that_lies_far_behind(tmp_path: Path, index: str, rounds: int):
    path = tmp_path / "file.h5"
    metadata = -many_chunks(path, *INDEXES[index], is_behind_head=True)
    metadata += path.stat().st_size
    made, read, chunks = located(path, "many")
    assert chunks == CHUNKS
    assert made <= rounds
    assert read - HEAD_BYTES <= 1.5 * metadata


# What is asked of files behind URLs at first.
FAR_HEAD_BYTES = 1 << 20


@pytest.mark.parametrize(
    ("variables", "head_bytes"), [(10, HEAD_BYTES), (300, FAR_HEAD_BYTES)], ids=["few", "many"]
)
def test_files_for_cmip7_are_located_in_one_round(tmp_path: Path, variables: int, head_bytes: int):
    source, packed = tmp_path / "source.nc", tmp_path / "packed.nc"
    elements = 4_000_000 // variables
    with h5py.File(source, "w") as file:
        for number in range(variables):
            values = np.random.default_rng(number).random((40, elements // 40), "f4")
            file.create_dataset(f"v{number}", data=values).attrs["units"] = "K"
    assert frazil("pack", source, "-o", packed, "--layout", "cmip7").code == 0
    assert packed.stat().st_size > 10 * head_bytes
    for name in ("v0", f"v{variables - 1}"):
        made, read, chunks = located(packed, name, head_bytes)
        assert (made, chunks > 0) == (1, True)
        assert read <= head_bytes
    # The metadata of many variables take more than the smaller head.
    made, _, _ = located(packed, name)
    assert (made > 1) == (variables > 10)
