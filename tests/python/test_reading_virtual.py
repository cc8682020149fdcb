"""``frazil.open``: virtual datasets of many forms have the bits that h5py gives them."""

import time
from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t
from support import virtual_generated

SEEDS = 200


def raw(values: np.ndarray, kind: np.dtype) -> np.ndarray:
    """The bytes of each element, as numbers of a kind have them."""
    values = np.ascontiguousarray(np.asarray(values).astype(kind, copy=False))
    return values.view("u1").reshape(values.size, -1)


def read(dataset: h5py.Dataset, part: tuple) -> tuple[np.ndarray, np.ndarray]:
    """What h5py reads, and where it reads anything.

    Where parts overlap, libhdf5 counts their elements twice, and leaves others as they are.
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
                # libhdf5 counts a last block that is cut off as whole, and finds no values for it.
                assert part == (), name
                with pytest.raises(frazil.Error):
                    ours[name][part]
                return
            found = np.asarray(ours[name][part])
            assert found.shape == expected.shape
            if expected.dtype.kind == "O":
                texts = [[text(one) for one in values.ravel()] for values in (found, expected)]
                assert texts[0] == texts[1], (name, part)
            elif expected.size:
                theirs, mine = (raw(values, found.dtype) for values in (expected, found))
                wrong = ~(theirs == mine).all(axis=1) & np.repeat(
                    is_read, len(theirs) // len(is_read)
                )
                assert not wrong.any(), (name, part, np.flatnonzero(wrong), found, expected)


def text(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.encode() if isinstance(value, str) else value


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_generated_virtual_datasets(tmp_path: Path, seed: int):
    path = virtual_generated.generate(tmp_path, seed)
    for number in range(3):
        compare(path, f"v{number}", seed)


def mapped(path: Path, file: str, shape: tuple[int, ...], *, name: str = "v") -> Path:
    """A file with a dataset that is all of another one."""
    layout = h5py.VirtualLayout(shape, "i4")
    layout[...] = h5py.VirtualSource(file, "v", shape)
    with h5py.File(path, "a") as made:
        made.create_virtual_dataset(name, layout, fillvalue=-1)
    return path


def test_sources_are_found_where_libhdf5_finds_them(tmp_path: Path, monkeypatch):
    values = np.arange(5, dtype="i4")
    for name in ("stated", "beside", "current"):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / f"{name}.h5", "w") as file:
            file["v"] = values
    monkeypatch.chdir(tmp_path / "current")
    path = tmp_path / "beside/all.h5"
    for name in ("stated", "beside", "current", "nowhere"):
        mapped(path, f"/moved/away/{name}.h5", (5,), name=name)
    for prefix in ("", f"/none:{tmp_path}/stated", "${ORIGIN}/../stated"):
        monkeypatch.setenv("HDF5_VDS_PREFIX", prefix)
        with frazil.open(path) as file:
            found = {name for name in file.variables if file[name][:].tolist() == [*range(5)]}
        expected = {"beside", "current"} | ({"stated"} if prefix else set())
        assert found == expected, prefix


def test_a_dataset_grows_with_its_sources(tmp_path: Path):
    path = tmp_path / "all.h5"
    with h5py.File(tmp_path / "part.h5", "w") as part:
        part.create_dataset("v", data=np.arange(3, dtype="i4"), maxshape=(None,), chunks=(2,))
    source = h5py.VirtualSource("part.h5", "v", (3,), maxshape=(None,))
    layout = h5py.VirtualLayout((3,), "i4", maxshape=(None,))
    layout[: h5py.h5s.UNLIMITED] = source[: h5py.h5s.UNLIMITED]
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("v", layout)
    with frazil.open(path) as file:
        assert file["v"][:].tolist() == [0, 1, 2]
    with h5py.File(tmp_path / "part.h5", "a") as part:
        part["v"].resize((7,))
        part["v"][3:] = [3, 4, 5, 6]
    with frazil.open(path) as file, h5py.File(path) as stock:
        assert file["v"].shape == stock["v"].shape == (7,)
        assert file["v"][:].tolist() == stock["v"][:].tolist() == [*range(7)]


def test_a_source_that_is_replaced_is_opened_again(tmp_path: Path):
    def write(name: str, value: int) -> Path:
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("v", data=np.full(4000, value, "i4"), chunks=(500,), compression=1)
        return tmp_path / name

    write("part.h5", 1)
    path = mapped(tmp_path / "all.h5", "part.h5", (4000,))
    with frazil.open(path) as file:
        assert (file["v"][:] == 1).all()
        write("new.h5", 2).replace(tmp_path / "part.h5")
        assert (file["v"][:] == 2).all()
        (tmp_path / "part.h5").unlink()
        assert (file["v"][:] == -1).all()


def test_datasets_that_lead_to_each_other_are_refused(tmp_path: Path):
    mapped(tmp_path / "a.h5", "b.h5", (4,))
    mapped(tmp_path / "b.h5", "a.h5", (4,))
    mapped(tmp_path / "own.h5", ".", (4,))
    for name in ("a.h5", "own.h5"):
        with frazil.open(tmp_path / name) as file, pytest.raises(frazil.Error, match="onto itself"):
            file["v"][:]


def test_many_layers_of_overlapping_parts_take_no_time(tmp_path: Path):
    """Each layer has many parts, each of which is most of the next layer."""
    space, kind = h5s.create_simple((50,)), h5t.NATIVE_INT32
    with h5py.File(tmp_path / "layers.h5", "w") as file:
        file["v0"] = np.arange(50, dtype="i4")
        for layer in range(1, 12):
            creation = h5p.create(h5p.DATASET_CREATE)
            creation.set_layout(h5d.VIRTUAL)
            for begin in range(30):
                part = space.copy()
                part.select_hyperslab((begin,), (50 - begin,))
                creation.set_virtual(part, b".", f"v{layer - 1}".encode(), part)
            h5d.create(file.id, f"v{layer}".encode(), kind, space, creation)
    begun = time.monotonic()
    with frazil.open(tmp_path / "layers.h5") as file:
        assert file["v11"][:].tolist() == [*range(50)]
    assert time.monotonic() - begun < 5


def test_a_source_that_is_damaged_is_no_missing_one(tmp_path: Path):
    (tmp_path / "part.h5").write_bytes(b"no HDF5 file")
    path = mapped(tmp_path / "all.h5", "part.h5", (4,))
    with h5py.File(path) as stock, pytest.raises(OSError, match="signature"):
        stock["v"][:]
    with frazil.open(path) as file, pytest.raises(frazil.Error, match=r"part\.h5"):
        file["v"][:]
