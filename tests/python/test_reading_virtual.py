"""``frazil.open``: virtual datasets of many forms have the bits that h5py gives them."""

from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
from support import virtual_generated

SEEDS = 150


def raw(values: np.ndarray, kind: np.dtype) -> np.ndarray:
    """The bytes of each element, as numbers of a kind have them."""
    values = np.ascontiguousarray(np.asarray(values).astype(kind, copy=False))
    return values.view("u1").reshape(values.size, -1)


def read(dataset: h5py.Dataset, part: tuple) -> tuple[np.ndarray, np.ndarray]:
    """What h5py reads, and where it reads anything.

    Where parts overlap, libhdf5 counts their elements twice, and leaves others as they are in memory.
    """
    expected = dataset[part]
    if expected.dtype.kind == "O" or dataset.dtype.subdtype or expected.size == 0:
        return expected, np.ones(expected.size, bool)
    kinds = [np.frombuffer(bytes([byte]) * expected.nbytes, expected.dtype) for byte in (0, 255)]
    buffers = [values.reshape(expected.shape).copy() for values in kinds]
    for buffer in buffers:
        dataset.read_direct(buffer, part or np.s_[...])
    first, second = (raw(buffer, expected.dtype) for buffer in buffers)
    return buffers[0], (first == second).all(axis=1)


def compare(path: Path, name: str, seed: int) -> None:
    with h5py.File(path) as stock, frazil.open(path) as ours:
        assert ours[name].shape == stock[name].shape, name
        for part in virtual_generated.parts(stock[name].shape, seed):
            try:
                expected, is_read = read(stock[name], part)
            except OSError:
                with pytest.raises(frazil.Error):
                    ours[name][part]
                continue
            found = np.asarray(ours[name][part])
            assert found.shape == expected.shape
            if expected.dtype.kind == "O":
                texts = [[text(one) for one in values.ravel()] for values in (found, expected)]
                assert texts[0] == texts[1], (name, part)
            elif expected.size:
                theirs, mine = (raw(values, found.dtype) for values in (expected, found))
                wrong = ~(theirs == mine).all(axis=1) & np.repeat(is_read, len(theirs) // len(is_read))
                assert not wrong.any(), (name, part, np.flatnonzero(wrong), found, expected)


def text(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.encode() if isinstance(value, str) else value


@pytest.mark.parametrize("seed", range(SEEDS))
def test_generated_virtual_datasets(tmp_path: Path, seed: int):
    path = virtual_generated.generate(tmp_path, seed)
    for number in range(3):
        compare(path, f"v{number}", seed)
