"""Valid files that stock libraries read: packed, unpacked, and equal afterwards."""

import json
import os
import struct
import zlib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pytest
from support import h5_compare
from support.command import DONE, FAILED, frazil

pytestmark = pytest.mark.sampled(one_in=2)

PLACEHOLDER = "This is a netCDF dimension but not a netCDF variable.      1728"
FILTERS = {
    "lzf": {"compression": "lzf"},
    "zstd": hdf5plugin.Zstd(),
    "lz4": hdf5plugin.LZ4(),
    "bzip2": hdf5plugin.BZip2(),
    "deflate": {"compression": 4, "shuffle": True},
}


def there_and_back(source: Path) -> Path:
    """Packs and unpacks with a check of every value; the packed file."""
    packed, plain = source.with_name("packed.h5"), source.with_name("plain.h5")
    for command, target in [("pack", packed), ("unpack", plain)]:
        outcome = frazil(command, source, "-o", target, "--verify")
        assert outcome.code == DONE, outcome.stderr
        assert h5_compare.compare(source, target).differences == []
    outcome = frazil("unpack", packed, "-o", plain, "--verify", "--overwrite")
    assert outcome.code == DONE, outcome.stderr
    assert h5_compare.compare(source, plain).differences == []
    return packed


def test_what_may_grow_up_to_a_limit_stays_chunked(tmp_path: Path):
    source = tmp_path / "source.h5"
    (tmp_path / "values.raw").write_bytes(np.arange(20, dtype="i4").tobytes())
    with h5py.File(source, "w") as file:
        file.create_dataset("small", data=np.arange(10), maxshape=(100,), chunks=(10,))
        file.create_dataset("large", data=np.arange(90_000.0), maxshape=(100_000,), chunks=(9,))
        file.create_dataset("full", data=np.arange(10), maxshape=(10,), chunks=(10,))
        file.create_dataset("empty", shape=(0,), maxshape=(5,), chunks=(2,))
        file.create_dataset("flat", shape=(3, 0), maxshape=(3, 5), chunks=(1, 2))
    packed = there_and_back(source)
    frazil("plan", source, "--json", tmp_path / "plan.json")
    plan = json.loads((tmp_path / "plan.json").read_text())["variables"]
    layouts = {row["path"].strip("/"): row["layout"] for row in plan}
    for path in [packed, tmp_path / "plain.h5"]:
        with h5py.File(path) as file:
            assert all(file[name].chunks for name in ["small", "large", "empty", "flat"])
            assert file["full"].chunks is None
    for name in ["small", "large", "empty", "flat"]:
        assert "chunked" in str(layouts[name]), layouts[name]


def test_external_values_that_may_grow_move_into_chunks(tmp_path: Path):
    values = np.arange(20, dtype="i4")
    (tmp_path / "values.raw").write_bytes(values.tobytes())
    with h5py.File(tmp_path / "source.h5", "w") as file:
        space = h5py.h5s.create_simple((20,), (40,))
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_external(b"values.raw", 0, 160)
        h5py.h5d.create(file.id, b"outside", h5py.h5t.STD_I32LE, space, creation)
    for command in ["pack", "unpack"]:
        target = tmp_path / f"{command}.h5"
        outcome = frazil(command, "source.h5", "-o", target, "--verify", cwd=tmp_path)
        assert outcome.code == DONE, outcome.stderr
        with h5py.File(target) as file:
            assert file["outside"].maxshape == (40,) and np.array_equal(file["outside"], values)
    # HDF5 looks for such files from the current folder.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    outcome = frazil("pack", "../source.h5", "-o", "packed.h5", cwd=elsewhere)
    assert outcome.code == FAILED and not any(elsewhere.iterdir())
    assert "/outside: " in outcome.stderr and "`values.raw`" in outcome.stderr
    origin = {**os.environ, "HDF5_EXTFILE_PREFIX": "${ORIGIN}"}
    outcome = frazil("pack", "../source.h5", "-o", "packed.h5", cwd=elsewhere, env=origin)
    assert outcome.code == DONE, outcome.stderr


def test_leftover_bytes_of_a_dimension_do_not_matter(tmp_path: Path):
    source = tmp_path / "source.nc"
    with h5py.File(source, "w") as file:
        scale = file.create_dataset("x", data=np.full(1728, 0xFFFFFFFF, ">u4").view(">f4"))
        scale.make_scale(PLACEHOLDER)
        scale.attrs["_Netcdf4Dimid"] = np.int32(0)
        file.create_dataset("v", data=np.arange(1728, dtype="f4")).dims[0].attach_scale(scale)
    packed = there_and_back(source)
    with h5py.File(packed, "r+") as file:
        file["x"][...] = 0
    outcome = frazil("verify", source, packed)
    assert outcome.code == DONE, outcome.stdout


@pytest.mark.parametrize("name", FILTERS)
def test_texts_and_sequences_under_any_filter(tmp_path: Path, name: str):
    source = tmp_path / "source.h5"
    options = {"chunks": (50,), **dict(FILTERS[name])}
    nested = np.dtype([("name", h5py.string_dtype()), ("parts", h5py.vlen_dtype("i2"))])
    with h5py.File(source, "w") as file:
        texts = np.array([f"cell {i}" for i in range(300)], object)
        file.create_dataset("texts", data=texts, dtype=h5py.string_dtype(), **options)
        parts = file.create_dataset("parts", (300,), h5py.vlen_dtype("f8"), **options)
        parts[3:200] = [np.arange(i % 7, dtype="f8") for i in range(197)]
        both = file.create_dataset("both", (300,), nested, **options)
        both[7] = ("seven", np.arange(7, dtype="i2"))
        links = file.create_dataset("links", (300,), h5py.ref_dtype, **options)
        links[:2] = [file["texts"].ref, file.ref]
    packed = there_and_back(source)
    with h5py.File(packed) as file:
        assert file["texts"].asstr()[299] == "cell 299"
        assert file[file["links"][0]] == file["texts"]


def test_texts_under_szip(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        texts = np.array(["north", "south"] * 5000, object)
        options = {"chunks": (1000,), "compression": "szip"}
        file.create_dataset("texts", data=texts, dtype=h5py.string_dtype(), **options)
    there_and_back(source)


def test_texts_under_an_unknown_filter_name_it(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((10,))
        creation.set_filter(305, h5py.h5z.FLAG_OPTIONAL, (1,))
        space = h5py.h5s.create_simple((10,))
        text = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
        dataset = h5py.h5d.create(file.id, b"texts", text, space, creation)
        # As if the filter had been applied.
        dataset.write_direct_chunk((0,), b"\1" * 160, 0)
    outcome = frazil("pack", source, "-o", tmp_path / "packed.h5")
    assert outcome.code == FAILED
    assert "lzo (filter 305)" in outcome.stderr and "/texts" in outcome.stderr
    assert "plugin" in outcome.stderr and "target/" not in outcome.stderr
    # The file at fault and the object, once each.
    assert outcome.stderr.count("source.h5") == outcome.stderr.count("/texts") == 1
    assert "packed.h5" not in outcome.stderr


@pytest.mark.parametrize("filters", [{"compression": 1}, {"compression": 1, "shuffle": True}, {}])
def test_a_last_chunk_may_end_with_the_values(tmp_path: Path, filters: dict):
    source = tmp_path / "source.h5"
    values = np.arange(1993, dtype="f8")
    grid = np.arange(7 * 5, dtype="i2").reshape(7, 5)

    def stored(part: np.ndarray) -> bytes:
        raw = part.tobytes()
        if "shuffle" in filters:
            raw = np.frombuffer(raw, "u1").reshape(-1, part.itemsize).T.tobytes()
        return zlib.compress(raw) if filters else raw

    with h5py.File(source, "w") as file:
        options = {"chunks": (1032,), "maxshape": (None,), **filters}
        line = file.create_dataset("line", (1993,), "f8", **options)
        line.id.write_direct_chunk((0,), stored(values[:1032]))
        line.id.write_direct_chunk((1032,), stored(values[1032:]))
        plane = file.create_dataset("plane", (7, 5), "i2", chunks=(4, 5), **filters)
        plane.id.write_direct_chunk((0, 0), stored(grid[:4]))
        plane.id.write_direct_chunk((4, 0), stored(grid[4:]))
    with h5py.File(source) as file:
        assert np.array_equal(file["line"], values) and np.array_equal(file["plane"], grid)
    for options in [(), ("--chunks", "line:0=500"), ("--keep-chunks",)]:
        outcome = frazil(
            "pack", source, "-o", tmp_path / "one.h5", "--verify", "--overwrite", *options
        )
        assert outcome.code == DONE, outcome.stderr
        assert h5_compare.compare(source, tmp_path / "one.h5").differences == []
    there_and_back(source)


@pytest.mark.parametrize("which", ["corner", "right", "bottom", "every edge"])
@pytest.mark.parametrize("filters", [{"compression": 1}, {}])
def test_chunks_at_any_edge_may_end_with_their_last_value(
    tmp_path: Path, which: str, filters: dict
):
    source = tmp_path / "source.h5"
    shape, chunk = (50, 30), (16, 7)
    values = np.arange(np.prod(shape), dtype="i2").reshape(shape)
    is_short = {
        "corner": lambda at: at == (48, 28),
        "right": lambda at: at == (0, 28),
        "bottom": lambda at: at == (48, 0),
        "every edge": lambda at: at[0] == 48 or at[1] == 28,
    }[which]
    with h5py.File(source, "w") as file:
        data = file.create_dataset("d", shape, "i2", chunks=chunk, **filters)
        for at in np.ndindex(4, 5):
            start = (16 * at[0], 7 * at[1])
            part = values[start[0] : start[0] + 16, start[1] : start[1] + 7]
            whole = np.zeros(chunk, "i2")
            whole[: part.shape[0], : part.shape[1]] = part
            raw = whole.tobytes()
            if is_short(start):
                last = (part.shape[0] - 1) * 7 + part.shape[1]
                raw = raw[: 2 * last]
            data.id.write_direct_chunk(start, zlib.compress(raw) if filters else raw)
    with h5py.File(source) as file:
        assert np.array_equal(file["d"], values)
    for options in [
        (),
        ("--keep-chunks",),
        ("--keep-chunks", "--readable-by", "plugins"),
        ("--chunks", "d:0=16,1=30"),
        ("--goal", "size"),
    ]:
        outcome = frazil(
            "pack", source, "-o", tmp_path / "one.h5", "--allow-larger", "--overwrite", *options
        )
        assert outcome.code == DONE, (options, outcome.stderr)
        assert h5_compare.compare(source, tmp_path / "one.h5").differences == []


def test_filters_that_no_chunk_went_through_need_not_make_sense(tmp_path: Path):
    """libhdf5 skips optional filters that cannot work; it says so with each chunk."""
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        wide = np.arange(1000, dtype="longdouble")
        options = {"compression": "szip", "compression_opts": ("nn", 8)}
        file.create_dataset("wide", data=wide, chunks=(100,), **options)
        file.create_dataset("bytes", data=np.arange(100, dtype="u1"), chunks=(10,), scaleoffset=20)
        file.create_dataset("empty", (100,), "u1", chunks=(10,), scaleoffset=20)
        assert file["wide"].id.get_chunk_info(0).filter_mask == 1
    there_and_back(source)
    outcome = frazil("verify", source, source)
    assert outcome.code == DONE, outcome.stderr


def test_a_shuffle_for_another_size_than_the_elements(tmp_path: Path):
    source, target = tmp_path / "in.h5", tmp_path / "out.h5"
    values = np.random.default_rng(0).integers(0, 1000, (64, 64)).astype("i4")
    with h5py.File(source, "w") as file:
        filters = {"shuffle": True, "compression": 4, "fletcher32": True}
        file.create_dataset("v", data=values, chunks=(64, 64), **filters)
    # libhdf5 reads by the size in the file, and only writes that of the elements.
    content = source.read_bytes()
    place = content.index(b"shuffle\0") + 8
    source.write_bytes(content[:place] + struct.pack("<I", 2) + content[place + 4 :])
    with h5py.File(source) as file:
        expected = file["v"][:]
    assert not np.array_equal(expected, values)
    for options in (), ("--keep-chunks", "--level", "4"), ("--goal", "archive"):
        outcome = frazil("pack", source, "-o", target, "--overwrite", *options)
        assert outcome.code == DONE, outcome.stderr
        with h5py.File(target) as file:
            assert np.array_equal(file["v"][:], expected), options
            assert file["v"].fletcher32, options


def test_a_chunk_without_some_values_is_damaged(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        line = file.create_dataset("line", (1993,), "f8", chunks=(1032,), compression=1)
        line.id.write_direct_chunk((0,), zlib.compress(bytes(8 * 1032)))
        line.id.write_direct_chunk((1032,), zlib.compress(bytes(8 * 960)))
    outcome = frazil("unpack", source, "-o", tmp_path / "plain.h5", "--json")
    assert outcome.code == FAILED and outcome.errors[0]["code"] == "corrupt"


@pytest.mark.parametrize("kind", ["chunked", "contiguous", "deflate", "references"])
def test_what_was_never_written_stays_unwritten(tmp_path: Path, kind: str):
    source = tmp_path / "source.h5"
    options = {
        "chunked": {"chunks": (10_000,), "maxshape": (None,)},
        "contiguous": {},
        "deflate": {"chunks": (10_000,), "compression": 4},
        "references": {"chunks": (10_000,)},
    }[kind]
    datatype = h5py.ref_dtype if kind == "references" else h5py.string_dtype()
    with h5py.File(source, "w") as file:
        texts = file.create_dataset("texts", (5_000_000,), datatype, **options)
        if kind in ("chunked", "deflate"):
            texts[:3] = ["a", "b", "c"]
            texts[4_000_000] = "far"
    packed = tmp_path / "packed.h5"
    for command, target in [("pack", packed), ("unpack", tmp_path / "plain.h5")]:
        outcome = frazil(command, source, "-o", target, "--verify")
        assert outcome.code == DONE, outcome.stderr
        assert target.stat().st_size < 2 * source.stat().st_size + 400_000
    with h5py.File(packed) as file:
        if kind in ("chunked", "deflate"):
            assert file["texts"][2] == b"c" and file["texts"][4_000_000] == b"far"
            assert file["texts"].id.get_num_chunks() == 2
        assert not file["texts"][4_999_999]


def name(text: str) -> bytes:
    """A name as classic files store it."""
    raw = text.encode()
    return struct.pack(">i", len(raw)) + raw + bytes(-len(raw) % 4)


def attributes(*items: tuple[str, int, int, bytes]) -> bytes:
    """An attribute list: name, type, length, bytes."""
    head = struct.pack(">ii", 12 if items else 0, len(items))
    return head + b"".join(
        name(label) + struct.pack(">ii", kind, length) + raw + bytes(-len(raw) % 4)
        for label, kind, length, raw in items
    )


BYTE, CHAR, INT, FLOAT, DOUBLE = 1, 2, 4, 5, 6


def odd_classic(path: Path) -> Path:
    """Fill values of other types, composed and blank names, a variable named like a dimension."""
    dimensions = [("x", 4), ("e\u0301", 2)]
    variables = [
        ("bytes", [0], [("_FillValue", CHAR, 1, b"\xff")], BYTE, b"\xff\1\2\3"),
        ("chars", [0], [("_FillValue", BYTE, 1, b"\xff")], CHAR, b"\xe9\0ab"),
        ("e\u0301", [1], [("u\u0308", CHAR, 1, b"x")], INT, struct.pack(">2i", 1, 2)),
        ("x", [1, 0], [("_FillValue", DOUBLE, 2, bytes(16))], INT, struct.pack(">8i", *range(8))),
        ("a b", [], [("_FillValue", CHAR, 0, b"")], FLOAT, struct.pack(">f", 1.5)),
    ]
    head = b"CDF\1" + bytes(4) + struct.pack(">ii", 10, len(dimensions))
    head += b"".join(name(label) + struct.pack(">i", length) for label, length in dimensions)
    head += attributes(("title", CHAR, 3, b"odd")) + struct.pack(">ii", 11, len(variables))

    def header(begins: list[int]) -> bytes:
        parts = [head]
        for (label, axes, items, kind, raw), begin in zip(variables, begins, strict=True):
            parts.append(name(label) + struct.pack(f">i{len(axes)}i", len(axes), *axes))
            parts.append(attributes(*items) + struct.pack(">iii", kind, len(raw), begin))
        return b"".join(parts)

    begins, at = [], len(header([0] * len(variables)))
    for *_, raw in variables:
        begins.append(at)
        at += len(raw)
    path.write_bytes(header(begins) + b"".join(raw for *_, raw in variables))
    return path


def test_an_odd_classic_file_comes_back_byte_for_byte(tmp_path: Path):
    source = odd_classic(tmp_path / "source.nc")
    for command, options in [("pack", ["--verify"]), ("unpack", ["--verify"])]:
        outcome = frazil(command, source, "-o", tmp_path / f"{command}.nc", *options)
        assert outcome.code == DONE, outcome.stderr
        back = tmp_path / f"back from {command}.nc"
        arguments = [tmp_path / f"{command}.nc", "-o", back, "--format", "classic", "--verify"]
        outcome = frazil("unpack", *arguments)
        assert outcome.code == DONE, outcome.stderr
        assert back.read_bytes() == source.read_bytes()
    straight = tmp_path / "straight.nc"
    outcome = frazil("unpack", source, "-o", straight, "--format", "classic")
    assert outcome.code == DONE, outcome.stderr
    assert straight.read_bytes() == source.read_bytes()


def test_an_internal_name_is_never_shown(tmp_path: Path):
    source = tmp_path / "source.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("len", 400)
        file.createDimension("lev", 300)
        file.createVariable("len", "f4", ("lev", "len"))[:] = np.arange(120_000.0).reshape(300, 400)
    for arguments in [
        ("plan", source),
        ("plan", source, "--json", tmp_path / "plan.json"),
        ("info", source),
        ("pack", source, "-o", tmp_path / "p.nc", "--plan", tmp_path / "plan.json", "--json"),
        ("pack", source, "-o", tmp_path / "a.nc", "--abs-error", "len:0.5", "--verify"),
        ("pack", source, "-o", tmp_path / "b.nc", "--chunks", "len:lev=30", "--json"),
    ]:
        outcome = frazil(*arguments)
        assert outcome.code == DONE, outcome.stderr
        assert "_nc4_non_coord" not in outcome.stdout + outcome.stderr
        assert "len" in outcome.stdout or "plan" in arguments
    assert "_nc4_non_coord" not in (tmp_path / "plan.json").read_text()


@pytest.mark.parametrize("what", ["group", "string", "half", "two unlimited dimensions"])
def test_what_has_no_place_in_a_classic_file_is_named_in_words(tmp_path: Path, what: str):
    source = tmp_path / "source.nc"
    if what == "half":
        with h5py.File(source, "w") as file:
            file["v"] = np.arange(6, dtype="f2")
    else:
        with netCDF4.Dataset(source, "w") as file:
            file.createDimension("a", None)
            file.createDimension("b", None if what.startswith("two") else 2)
            file.createVariable("v", str if what == "string" else "f4", ("a", "b"))
            if what == "group":
                file.createGroup("inner")
    words = {
        "group": "/inner: the classic formats have no place for a group",
        "string": "/v: the classic formats have no place for a variable of strings (NC_STRING)",
        "half": "/v: the classic formats have no place for a variable of floating point of 16 bits",
        "two unlimited dimensions": "dimensions `a` and `b` are both unlimited",
    }
    outcome = frazil("unpack", source, "-o", tmp_path / "classic.nc", "--format", "classic")
    assert outcome.code == FAILED
    assert words[what] in outcome.stderr and "--format netcdf4" in outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]


# What netCDF-4 keeps its books in; netCDF-C hides such attributes.
HIDDEN = [
    "CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates",
    "_NCProperties", "_nc3_strict",
]  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_attributes_of_a_classic_file_that_netcdf4_has_no_place_for_are_named(
    tmp_path: Path, name: str
):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    # netCDF-C refuses to write such a name, but not to read it.
    placeholder = "QQ" + name[2:]
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 3)
        for variable in ("x", "w"):
            file.createVariable(variable, "f4", ("x",))[:] = np.arange(3)
            file[variable].setncattr(placeholder, "text")
        file.setncattr(placeholder, "text")
        file.title = "kept"
    source.write_bytes(source.read_bytes().replace(placeholder.encode(), name.encode()))
    for command in ("pack", "unpack"):
        outcome = frazil(command, source, "-o", target, "--verify", "--overwrite")
        assert outcome.code == DONE, outcome.stderr
        said = outcome.stdout + outcome.stderr
        assert all(f"{name} of {path}" in said for path in ("/", "/x", "/w")), said
        with netCDF4.Dataset(target) as file:
            assert file.ncattrs() == ["title"] and file["w"][:].tolist() == [0, 1, 2]
    plain = tmp_path / "plain.nc"
    outcome = frazil("unpack", source, "-o", plain, "--format", "classic", "--verify")
    assert outcome.code == DONE, outcome.stderr
    assert plain.read_bytes().count(name.encode()) >= 3


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize(("driver", "member"), [("family", "file_0.h5"), ("split", "file.h5-m.h5")])
def test_one_file_of_several_is_not_called_damaged(
    tmp_path: Path, libver: str, driver: str, member: str
):
    name, options = (
        ("file_%d.h5", {"memb_size": 1 << 16}) if driver == "family" else ("file.h5", {})
    )
    with h5py.File(tmp_path / name, "w", driver=driver, libver=libver, **options) as file:
        file["v"] = np.arange(100_000.0)
    outcome = frazil("info", tmp_path / member)
    assert outcome.code == FAILED and "[unsupported]" in outcome.stderr, outcome.stderr
    assert "one of several files that HDF5's" in outcome.stderr
    assert "damaged" not in outcome.stderr


@pytest.mark.parametrize("filters", [None, "gzip"])
@pytest.mark.parametrize(
    ("chunk", "most"),
    [
        ((2, 3), (5, None)),
        ((2, 3), (9, None)),
        ((2, 2, 3), (3, None, 7)),
        ((2, 2, 3), (5, 5, None)),
        ((1, 2, 2, 3), (None, 3, 4, 5)),
        ((1, 2, 2, 3), (2, 3, None, 9)),
        ((2, 2, 3), (None, None, 7)),
    ],
)
def test_any_axis_may_be_the_unlimited_one(
    tmp_path: Path, chunk: tuple[int, ...], most: tuple[int | None, ...], filters: str | None
):
    """libhdf5 walks an extensible array as if its first axis were the unlimited one."""
    source = tmp_path / "source.h5"
    shape = (5, 7) if len(most) == 2 else (2, 3, 4, 5)[-len(most) :]
    values = np.random.default_rng(4).random(shape).astype("f4")
    with h5py.File(source, "w", libver="latest") as file:
        made = {"chunks": chunk, "maxshape": most, "compression": filters}
        file.create_dataset("whole", data=values, **made)
        part = file.create_dataset("part", shape, "f4", fillvalue=-1, **made)
        part[(slice(1, None),) * len(shape)] = values[(slice(1, None),) * len(shape)]
    there_and_back(source)
    if find_spec("frazil"):
        frazil_file = import_module("frazil").open(source)
        with frazil_file, h5py.File(source) as file:
            for name in ("whole", "part"):
                np.testing.assert_array_equal(frazil_file[name][...], file[name][...])


@pytest.mark.parametrize(("addresses", "lengths"), [(8, 4), (4, 4), (8, 2), (4, 8)])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_texts_and_sequences_of_files_with_short_numbers_are_read(
    tmp_path: Path, addresses: int, lengths: int, libver: str
):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    creation.set_sizes(addresses, lengths)
    low = h5py.h5f.LIBVER_EARLIEST if libver == "earliest" else h5py.h5f.LIBVER_LATEST
    access.set_libver_bounds(low, h5py.h5f.LIBVER_LATEST)
    created = h5py.h5f.create(str(source).encode(), h5py.h5f.ACC_TRUNC, creation, access)
    with h5py.File(created) as file:
        file.attrs["texts"] = ["one", "three", "", "a longer text than that"]
        file.create_dataset("x", data=["a", "bcd"] * 20, dtype=h5py.string_dtype())
        file["x"].attrs.create("runs", [np.arange(3), np.arange(7)], dtype=h5py.vlen_dtype("i4"))
    outcome = frazil("pack", source, "-o", packed, "--verify")
    assert outcome.code == DONE, outcome.stderr
    assert h5_compare.compare(source, packed).differences == []
