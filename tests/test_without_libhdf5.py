"""What reads files does not enter libhdf5: here each of its calls fails."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
import pytest
from support.command import DONE, FAILED, frazil

# libhdf5 looks for the connector when it is entered first, and gives up.
WITHOUT = {**os.environ, "HDF5_VOL_CONNECTOR": "there_is_none"}

READ_BY_PYTHON = """
import sys
import frazil, numpy, xarray
numbers = numpy.linspace(0, 1, 6000, dtype="f4").reshape(60, 100)
with frazil.open(sys.argv[1]) as file:
    for name in ("chunked", "outside", "gathered"):
        assert (file[name][:] == numbers).all()
        assert (file[name][5:40:3, 7] == numbers[5:40:3, 7]).all()
    assert file["gathered_texts"][5:].tolist() == ["text 5", "text 6", ""]
    assert [list(one) for one in file["ragged"][:]] == [[0, 1, 2], [], [0, 1, 2, 3, 4]]
with xarray.open_dataset(sys.argv[1], engine="frazil") as dataset:
    assert (dataset["gathered"].values == numbers).all()
"""


def values_of_every_kind(folder: Path, *, is_changed: bool = False) -> Path:
    """Values in chunks and without, in heaps, in other files, and of other datasets."""
    name = "changed" if is_changed else "first"
    numbers = np.linspace(0, 1, 6000, dtype="f4").reshape(60, 100)
    numbers[3, 4] += 1 if is_changed else 0
    parts = folder / f"{name}_parts.h5"
    with h5py.File(parts, "w") as file:
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
    with h5py.File(path, "w") as file:
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
    return path


@pytest.mark.parametrize(
    "arguments", [("info",), ("info", "--fill"), ("plan",), ("analyze",)], ids=" ".join
)
def test_commands_that_read(tmp_path: Path, arguments: tuple[str, ...]):
    path = values_of_every_kind(tmp_path)
    outcome = frazil(*arguments, path, env=WITHOUT)
    assert outcome.code == DONE, outcome.stderr


def test_verify_reads_both_sides(tmp_path: Path):
    first = values_of_every_kind(tmp_path)
    other = values_of_every_kind(tmp_path, is_changed=True)
    assert frazil("verify", first, first, env=WITHOUT).code == DONE
    outcome = frazil("verify", first, other, env=WITHOUT)
    assert outcome.code == FAILED
    assert all(f"/{name}" in outcome.stdout for name in ("chunked", "outside"))


def test_python_and_xarray(tmp_path: Path):
    path = values_of_every_kind(tmp_path)
    command = [sys.executable, "-c", READ_BY_PYTHON, path]
    done = subprocess.run(command, env=WITHOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_only_what_a_plugin_decodes_takes_libhdf5(tmp_path: Path):
    numbers = np.random.default_rng(3).normal(size=(32, 32)).astype("f4")
    path, other = tmp_path / "first.h5", tmp_path / "other.h5"
    for one, rate in ((path, 8), (other, 4)):
        with h5py.File(one, "w") as file:
            options = {"chunks": (32, 32), **hdf5plugin.Sperr(rate=rate)}
            file.create_dataset("v", data=numbers, **options)
    plugins = {"HDF5_PLUGIN_PATH": hdf5plugin.PLUGIN_PATH}
    assert frazil("verify", path, other, env=os.environ | plugins).code == FAILED
    assert frazil("info", path, env=WITHOUT | plugins).code == DONE
    assert frazil("verify", path, other, env=WITHOUT | plugins).code not in (DONE, FAILED)
