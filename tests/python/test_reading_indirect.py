"""``frazil.open``: texts, sequences and references, read without libhdf5, as h5py reads them."""

import os
import zlib
from pathlib import Path

import frazil
import h5py
import netCDF4
import numpy as np
import pytest
from h5py import h5d, h5p, h5r, h5s, h5t

SHAPE = (11, 5)
LAYOUTS = {
    "contiguous": {},
    "chunked": {"chunks": (4, 3)},
    "filtered": {"chunks": (4, 3), "compression": "gzip", "shuffle": True},
    "lzf": {"chunks": (11, 2), "compression": "lzf"},
    "growing": {"chunks": (4, 3), "maxshape": (None, None)},
}
TEXT = h5py.string_dtype()
INTEGERS = h5py.vlen_dtype(np.dtype("<i4"))
PAIR = np.dtype([("number", "<f8"), ("text", TEXT), ("list", INTEGERS)])


def texts() -> np.ndarray:
    values = np.empty(SHAPE, object)
    for i in range(values.size):
        values.flat[i] = "äöü€"[: i % 5] * (i % 7) + "x" * (5000 if i == 17 else 0)
    return values


def sequences() -> np.ndarray:
    values = np.empty(SHAPE, object)
    for i in range(values.size):
        values.flat[i] = np.arange(i % 9, dtype="<i4") * i
    return values


def times_open(path: Path) -> int:
    links = list(Path("/proc/self/fd").iterdir())
    return sum(os.path.realpath(link) == str(path.resolve()) for link in links if link.exists())


def stored(path: Path, kind: np.dtype, values: np.ndarray, libver: str) -> Path:
    """Values in every layout, and some that were not written."""
    with h5py.File(path, "w", libver=libver) as file:
        for name, options in LAYOUTS.items():
            file.create_dataset(name, SHAPE, kind, **options)[...] = values
            part = file.create_dataset(f"part of {name}", SHAPE, kind, **options)
            part[:4, :3] = values[:4, :3].copy()
    return path


def same(found: object, expected: object) -> bool:
    if isinstance(found, np.ndarray) and found.shape == () and found.dtype == object:
        found = found.item()
    if isinstance(expected, bytes):
        return found == expected.decode()
    if isinstance(expected, np.ndarray) and expected.dtype == object:
        pairs = zip(found.ravel(), expected.ravel(), strict=True)
        return found.shape == expected.shape and all(same(*pair) for pair in pairs)
    return np.array_equal(found, expected)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize(("kind", "values"), [(TEXT, texts), (INTEGERS, sequences)])
def test_texts_and_sequences_in_every_layout(tmp_path, kind, values, libver):
    path = stored(tmp_path / "a.h5", kind, values(), libver)
    with h5py.File(path) as expected, frazil.open(path) as file:
        before = times_open(path) if Path("/proc/self/fd").exists() else 0
        for name, dataset in expected.items():
            assert same(file[name][:], dataset[:]), name
            assert same(file[name][2:9:3, [4, 0]], dataset[2:9:3, [0, 4]][:, ::-1]), name
            assert same(file[name][3, 1], dataset[3, 1]), name
        if before:
            assert times_open(path) == before


def test_compounds_with_all_of_it(tmp_path):
    values = np.empty(SHAPE, PAIR)
    values["number"] = np.arange(values.size).reshape(SHAPE)
    values["text"], values["list"] = texts(), sequences()
    path = stored(tmp_path / "a.h5", PAIR, values, "earliest")
    with h5py.File(path) as expected, frazil.open(path) as file:
        for name, dataset in expected.items():
            found, wanted = file[name][:], dataset[:]
            assert found.shape == wanted.shape
            for one, other in zip(found.ravel(), wanted.ravel(), strict=True):
                assert all(same(one[field], other[field]) for field in PAIR.names), name


def test_members_that_are_not_in_the_order_of_their_places(tmp_path):
    path = tmp_path / "a.h5"
    kind = h5t.create(h5t.COMPOUND, 24)
    kind.insert(b"last", 16, h5t.STD_I64LE)
    kind.insert(b"text", 0, h5t.py_create(TEXT, logical=True))
    memory = np.dtype({"names": ["last", "text"], "formats": ["i8", TEXT], "offsets": [16, 0]})
    values = np.zeros(3, memory)
    values["last"], values["text"] = [1, 2, 3], ["a", "", "c"]
    with h5py.File(path, "w") as file:
        space = h5s.create_simple((3,))
        dataset = h5d.create(file.id, b"v", h5t.py_create(memory, logical=True), space)
        dataset.write(h5s.ALL, h5s.ALL, values)
        file["v"].attrs.create("a", values, dtype=memory)
    with frazil.open(path) as file:
        for found in (file["v"][:], file["v"].attrs["a"]):
            assert [(one["last"], one["text"]) for one in found] == [(1, "a"), (2, ""), (3, "c")]


def test_sequences_of_sequences_of_texts(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        inner = h5t.vlen_create(h5t.py_create(TEXT, logical=True))
        kind = h5t.vlen_create(inner)
        creation = h5p.create(h5p.DATASET_CREATE)
        creation.set_chunk((2,))
        creation.set_deflate(3)
        h5d.create(file.id, b"v", kind, h5s.create_simple((3,)), creation)
        nested = h5py.vlen_dtype(h5py.vlen_dtype(TEXT))
        value = np.empty(2, object)
        value[0] = np.array(["one", "two"], object)
        value[1] = np.array(["three"], object)
        dataset = file.create_dataset("w", (3,), nested, chunks=(2,))
        dataset[1] = value
    with frazil.open(path) as file:
        assert [len(one) for one in file["v"][:]] == [0, 0, 0]
        found = file["w"][:]
        assert [len(one) for one in found] == [0, 2, 0]
        assert [list(one) for one in found[1]] == [["one", "two"], ["three"]]


def test_fill_values_of_texts(tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createVariable("long", "f4", ("t",))[:6] = 1
        file.createVariable("short", str, ("t",))[:2] = np.array(["a", "b"], object)
    with h5py.File(path, "a") as file:
        creation = h5p.create(h5p.DATASET_CREATE)
        creation.set_chunk((3,))
        creation.set_fill_value(np.array("nothing", TEXT))
        kind = h5t.py_create(TEXT, logical=True)
        h5d.create(file.id, b"filled", kind, h5s.create_simple((7,)), creation)
        file["filled"][4] = "x"
        expected = [one.decode() for one in file["filled"][:]]
    assert expected == ["nothing"] * 3 + ["nothing", "x"] + ["nothing"] * 2
    with frazil.open(path) as file:
        assert file["short"][:].tolist() == ["a", "b", "", "", "", ""]
        assert file["filled"][:].tolist() == expected


def test_references_lead_to_paths_and_parts(tmp_path):
    """Of one selection, old and new files have other forms."""
    found = {}
    for libver in ("earliest", "latest"):
        path = tmp_path / f"{libver}.h5"
        with h5py.File(path, "w", libver=libver) as file:
            data = file.create_dataset("group/data", data=np.arange(600).reshape(20, 30))
            regions = [h5py.RegionReference()]
            for kind in ("points", "union", "none", "all", "stride", "touching"):
                space = h5s.create_simple((20, 30))
                if kind == "points":
                    space.select_elements(np.array([[3, 4], [0, 0], [19, 29]]))
                elif kind == "union":
                    space.select_hyperslab((0, 0), (2, 3))
                    space.select_hyperslab((10, 10), (3, 4), op=h5s.SELECT_OR)
                elif kind == "none":
                    space.select_none()
                elif kind == "stride":
                    space.select_hyperslab((0, 1), (2, 2), stride=(4, 5), block=(2, 3))
                elif kind == "touching":
                    space.select_hyperslab((5, 1), (3, 2), stride=(2, 3), block=(2, 3))
                regions.append(h5r.create(file.id, b"group/data", h5r.DATASET_REGION, space))
            objects = np.array([data.ref, file["group"].ref, h5py.Reference()], object)
            kind = {"dtype": h5py.regionref_dtype}
            file.create_dataset("regions", data=np.array(regions, object), **kind)
            file.create_dataset("many", data=np.resize(np.array(regions, object), 50), **kind)
            options = {"chunks": (2,), "compression": "gzip"}
            file.create_dataset("objects", data=objects, dtype=h5py.ref_dtype, **options)
        with frazil.open(path) as file:
            assert file["objects"][:].tolist() == ["/group/data", "/group", ""]
            found[libver] = file["regions"][:].tolist()
            assert file["many"][:].tolist() == (found[libver] * 8)[:50]
    assert found["earliest"] == found["latest"]
    assert found["latest"] == [
        "",
        "/group/data points [3, 4] [0, 0] [19, 29]",
        "/group/data boxes [0, 0] [1, 2] [10, 10] [12, 13]",
        "/group/data (nothing)",
        "/group/data (all)",
        "/group/data boxes [0, 1] [1, 3] [0, 6] [1, 8] [4, 1] [5, 3] [4, 6] [5, 8]",
        "/group/data boxes [5, 1] [10, 6]",
    ]


def test_a_value_that_leads_nowhere_is_an_error(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=np.array(["one", "two", "three"], object), dtype=TEXT)
        place = file["v"].id.get_offset()
    content = path.read_bytes()
    for change in (b"\xff\xff\xff\x7f", b"\x09\x00\x00\x00"):
        damaged = content[:place] + change + content[place + 4 :]
        path.write_bytes(damaged)
        with frazil.open(path) as file, pytest.raises(frazil.errors.CorruptError):
            file["v"][:]
    path.write_bytes(content[: place + 4] + (1 << 40).to_bytes(8, "little") + content[place + 12 :])
    with frazil.open(path) as file:
        with pytest.raises(frazil.errors.CorruptError, match="outside the file"):
            file["v"][:]
        assert file["v"][1:].tolist() == ["two", "three"]


def test_a_large_value_named_a_million_times_is_refused(tmp_path):
    """A small file would fill all memory. A program may name one value often itself."""
    path = tmp_path / "a.h5"
    count = 1 << 20
    with h5py.File(path, "w") as file:
        file.create_dataset("large", data=np.array(["x" * 1_000_000], object), dtype=TEXT)
        place = file["large"].id.get_offset()
        file.create_dataset("many", (count,), TEXT, chunks=(count,), compression="gzip")
    element = path.read_bytes()[place : place + 16]
    with h5py.File(path, "a") as file:
        file["many"].id.write_direct_chunk((0,), zlib.compress(element * count))
    with frazil.open(path) as file:
        assert file["many"][7] == "x" * 1_000_000
        assert len("".join(file["large"][[0] * 30])) == 30_000_000
        with pytest.raises(frazil.errors.CorruptError, match="again and again"):
            file["many"][:]
