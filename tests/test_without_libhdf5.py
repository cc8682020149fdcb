"""What reads files does not enter libhdf5: it would refuse these, which a writer left open."""

import os
from pathlib import Path

import frazil as package
import h5py
import hdf5plugin
import numpy as np
import pytest
import xarray
from support.checksum import lookup3
from support.command import DONE, FAILED, TROUBLE, frazil

# The superblock of version 2 and later: consistency flags, and what the checksum covers.
FLAGS_AT, COVERED = 11, 44
OPEN_FOR_WRITING = 1


def leave_open(path: Path) -> Path:
    """Marks a file as one that a writer has not closed."""
    content = bytearray(path.read_bytes())
    assert content[8] in (2, 3)
    content[FLAGS_AT] |= OPEN_FOR_WRITING
    content[COVERED : COVERED + 4] = lookup3(bytes(content[:COVERED])).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(OSError, match="already open for write"):
        h5py.File(path)
    return path


def values_of_every_kind(folder: Path, *, is_changed: bool = False) -> Path:
    """Values in chunks and without, in heaps, in other files, and of other datasets."""
    name = "changed" if is_changed else "first"
    numbers = np.linspace(0, 1, 6000, dtype="f4").reshape(60, 100)
    numbers[3, 4] += 1 if is_changed else 0
    parts = folder / f"{name}_parts.h5"
    with h5py.File(parts, "w", libver="latest") as file:
        file["numbers"] = numbers[:30]
        file.create_dataset("more", data=numbers[30:].astype("f8"), compression=1)
        file["texts"] = [f"text {number}" for number in range(7)]
    (folder / f"{name}.raw").write_bytes(numbers.tobytes())
    layout = h5py.VirtualLayout((60, 100), "f4")
    layout[:30] = h5py.VirtualSource(parts.name, "numbers", (30, 100))
    layout[30:] = h5py.VirtualSource(parts.name, "more", (30, 100))
    texts = h5py.VirtualLayout((8,), h5py.string_dtype())
    texts[:7] = h5py.VirtualSource(parts.name, "texts", (7,))
    path = folder / f"{name}.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file.create_dataset("chunked", data=numbers, chunks=(7, 33), compression=1, shuffle=True)
        file.create_dataset("plain", data=numbers[0])
        file.create_dataset("outside", (60, 100), "f4", external=str(folder / f"{name}.raw"))
        file.create_virtual_dataset("gathered", layout)
        file.create_virtual_dataset("gathered_texts", texts)
        file["texts"] = ["one", "two", "", "four"]
        ragged = file.create_dataset("ragged", (3,), h5py.vlen_dtype("i4"))
        ragged[:] = [np.arange(number) for number in (3, 0, 5)]
        file["references"] = np.array([file["plain"].ref, file.ref], h5py.ref_dtype)
        file.attrs["of"] = file["plain"].regionref[3:7]
    leave_open(parts)
    return leave_open(path)


@pytest.mark.parametrize(
    "arguments", [("info",), ("info", "--fill"), ("plan",), ("analyze",)], ids=" ".join
)
def test_commands_that_read(tmp_path: Path, arguments: tuple[str, ...]):
    path = values_of_every_kind(tmp_path)
    outcome = frazil(*arguments, path)
    assert outcome.code == DONE, outcome.stderr


def test_verify_reads_both_sides(tmp_path: Path):
    first = values_of_every_kind(tmp_path)
    other = values_of_every_kind(tmp_path, is_changed=True)
    assert frazil("verify", first, first).code == DONE
    outcome = frazil("verify", first, other)
    assert outcome.code == FAILED
    for name in ("chunked", "outside"):
        assert f"/{name}" in outcome.stdout + outcome.stderr


def test_python_and_xarray(tmp_path: Path):
    path = values_of_every_kind(tmp_path)
    numbers = np.linspace(0, 1, 6000, dtype="f4").reshape(60, 100)
    with package.open(path) as file:
        for name in ("chunked", "outside", "gathered"):
            assert np.array_equal(file[name][:], numbers)
            assert np.array_equal(file[name][5:40:3, 7], numbers[5:40:3, 7])
        assert file["gathered_texts"][5:].tolist() == ["text 5", "text 6", ""]
        assert [list(one) for one in file["ragged"][:]] == [[0, 1, 2], [], [0, 1, 2, 3, 4]]
    with xarray.open_dataset(path, engine="frazil") as dataset:
        assert np.array_equal(dataset["gathered"].values, numbers)


def test_only_what_a_plugin_decodes_takes_libhdf5(tmp_path: Path):
    numbers = np.random.default_rng(3).normal(size=(32, 32)).astype("f4")
    path, other = tmp_path / "first.h5", tmp_path / "other.h5"
    for one, rate in ((path, 8), (other, 4)):
        with h5py.File(one, "w", libver="latest") as file:
            options = {"chunks": (32, 32), **hdf5plugin.Sperr(rate=rate)}
            file.create_dataset("v", data=numbers, **options)
    plugins = {**os.environ, "HDF5_PLUGIN_PATH": hdf5plugin.PLUGIN_PATH}
    assert frazil("verify", path, other, env=plugins).code == FAILED
    leave_open(path)
    assert frazil("info", path, env=plugins).code == DONE
    assert frazil("verify", path, other, env=plugins).code == TROUBLE
