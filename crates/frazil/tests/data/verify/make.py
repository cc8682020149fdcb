"""Makes the small HDF5 files that tests/verify.rs compares.

Each topic has a base file; every other file of the topic is the base with one thing changed. The
files are committed, so that the tests need no Python: run this only to add a case.

    python crates/frazil/tests/data/verify/make.py
"""

from pathlib import Path

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t, h5z

HERE = Path(__file__).parent
UNREGISTERED_FILTER = 301
NAN_WITH_PAYLOAD = np.uint32(0x7FC0_0001)


def create(name: str) -> h5py.File:
    """An empty file that keeps the order of creation; in the compact form of HDF5 1.10."""
    h5py.get_config().track_order = True
    return h5py.File(HERE / f"{name}.h5", "w", libver=("v110", "v110"))


def dataset_properties() -> h5p.PropDCID:
    """A creation list without times, so that a new run changes few files."""
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_obj_track_times(False)
    return plist


def values(
    name: str,
    *,
    storage: dict | None = None,
    order: str = "<",
    change: dict | None = None,
    extra: bool = False,
    without: str = "",
    length: int = 6,
    fill: float = -9.0,
    attribute: object = np.float64(0.5),
    swapped_attributes: bool = False,
    swapped_members: bool = False,
    limit: int | None = 6,
) -> None:
    """Numbers of several sorts, and attributes."""
    change = change or {}
    numbers = np.linspace(-1, 1, length * 8, dtype="f4").reshape(length, 8)
    numbers[0, 0], numbers[0, 1] = 0.0, np.nan
    bits = numbers.view("u4")
    for place, value in change.items():
        bits[place] = np.float32(value).view("u4") if isinstance(value, float) else value
    with create(name) as file:
        names = ["field", "counts", "text"]
        for member in names[::-1] if swapped_members else names:
            if member == "field":
                options = {"chunks": (2, 3)} if storage is None else storage
                if "chunks" in options:
                    options = {**options, "maxshape": (limit, 8)}
                file.create_dataset(
                    "field", data=numbers.astype(f"{order}f4"), fillvalue=fill, **options
                )
            elif member == "counts" and without != "counts":
                file.create_dataset("counts", data=np.arange(5, dtype=">i2"))
            elif member == "text":
                file.create_dataset("text", data=np.array([b"one", b"two"], "S4"))
        if extra:
            file.create_dataset("extra", data=np.int32(1))
        attributes = {"scale": attribute, "units": np.bytes_(b"K")}
        keys = list(attributes)
        for key in keys[::-1] if swapped_attributes else keys:
            file["field"].attrs[key] = attributes[key]
        file.create_dataset("nothing", data=h5py.Empty("f8"))


def sparse(name: str, *, written: int | None = None, chunks: tuple[int, ...] = (2, 2)) -> None:
    """Most chunks are not stored: there the fill value counts."""
    with create(name) as file:
        late = file.create_dataset("late", (4, 6), "i4", chunks=chunks, fillvalue=-1)
        late[:2, :2] = 7
        if written is not None:
            late[2, 2] = written


def never_written(name: str, number: int) -> None:
    """Values that nobody wrote and that have no fill value."""
    with create(name) as file:
        plist = dataset_properties()
        plist.set_fill_time(h5d.FILL_TIME_NEVER)
        space = h5s.create_simple((1000,))
        h5d.create(file.id, b"random", h5t.STD_I32LE, space, dcpl=plist)
        file.create_dataset("number", data=np.int32(number))


def unknown(name: str, *, byte: int = 1, chunk: int = 4, compressed: bool = True) -> None:
    """Chunks with a filter that nobody has."""
    with create(name) as file:
        plist = dataset_properties()
        plist.set_chunk((chunk,))
        if compressed:
            plist.set_filter(UNREGISTERED_FILTER, h5z.FLAG_OPTIONAL, (7,))
        dataset = h5d.create(file.id, b"secret", h5t.STD_U8LE, h5s.create_simple((8,)), dcpl=plist)
        for offset in range(0, 8, chunk):
            dataset.write_direct_chunk((offset,), bytes([byte + offset] * chunk))


def types(
    name: str,
    *,
    enum: dict[str, int] | None = None,
    offset: int = 8,
    padding: int = 0,
    committed: bool = True,
    y: float = 2.5,
    precision: int = 12,
) -> None:
    """Enumerations, compounds, committed types."""
    with create(name) as file:
        file["pair"] = np.dtype({"names": ["a", "b"], "formats": ["<i2", "<f8"]})
        pair = file["pair"] if committed else file["pair"].dtype
        file.create_dataset("pairs", shape=(3,), dtype=pair)
        cloud = h5py.enum_dtype(enum or {"clear": 0, "cumulus": 1}, basetype="u1")
        file.create_dataset("clouds", data=np.array([0, 1, 1], "u1"), dtype=cloud)
        record = np.dtype(
            {"names": ["x", "y"], "formats": ["<i4", "<f8"], "offsets": [0, offset], "itemsize": 24}
        )
        rows = np.frombuffer(bytes([padding] * 24 * 4), record).copy()
        rows["x"], rows["y"] = np.arange(4), [0.5, 1.5, y, 3.5]
        # Written as raw bytes: libhdf5 would leave the padding out.
        plist = dataset_properties()
        plist.set_chunk((4,))
        space = h5s.create_simple((4,))
        dataset = h5d.create(file.id, b"records", h5t.py_create(record), space, dcpl=plist)
        dataset.write_direct_chunk((0,), rows.tobytes())
        narrow = h5t.STD_U16LE.copy()
        narrow.set_precision(precision)
        dataset = h5d.create(
            file.id, b"narrow", narrow, h5s.create_simple((3,)), dcpl=dataset_properties()
        )
        dataset.write(h5s.ALL, h5s.ALL, np.array([1, 2, 3], "u2"))
        file["clouds"].attrs["blob"] = np.void(b"\x01\x02")


def heap(
    name: str,
    *,
    word: str = "cumulus",
    tail: int = 3,
    target: str = "/second",
    corner: int = 2,
    point: int = 5,
    attribute: str = "first",
) -> None:
    """Strings, variable-length data, references."""
    with create(name) as file:
        for member in ("first", "second"):
            file.create_dataset(member, data=np.arange(12, dtype="i4").reshape(3, 4))
        words = ["clear", word, ""]
        file.create_dataset("words", data=words, dtype=h5py.string_dtype())
        lists = file.create_dataset("lists", (2,), dtype=h5py.vlen_dtype("i4"))
        lists[0], lists[1] = [1, 2, tail], [4]
        reference = file.create_dataset("reference", (2,), dtype=h5py.ref_dtype)
        reference[0] = file[target].ref
        regions = file.create_dataset("regions", (2,), dtype=h5py.regionref_dtype)
        regions[0] = file["first"].regionref[0:corner, 1:3]
        mask = np.zeros((3, 4), bool)
        mask.flat[[1, point]] = True
        regions[1] = file["second"].regionref[mask]
        file.attrs["names"] = np.array([attribute, "second"], dtype=h5py.string_dtype())
        file["words"].attrs["see"] = file[target].ref


def links(
    name: str,
    *,
    soft: str = "/group/data",
    external: str = "other.h5",
    alias: str = "/group/data",
    kind: str = "group",
) -> None:
    """Groups and links."""
    with create(name) as file:
        group = file.create_group("group")
        group.create_dataset("data", data=np.arange(4, dtype="i4"))
        group.create_dataset("twin", data=np.arange(4, dtype="i4"))
        file["alias"] = file[alias]
        file["soft"] = h5py.SoftLink(soft)
        file["external"] = h5py.ExternalLink(external, "/data")
        if kind == "group":
            file.create_group("thing")
        else:
            file.create_dataset("thing", data=np.int32(1))


def classic_twin(
    name: str,
    *,
    order: str = ">",
    title: bytes = b"twin",
    last: float = 5.5,
    records: int = 2,
) -> None:
    """What tests/verify.rs writes as a classic file, in netCDF-4's form."""
    with create(name) as file:
        file.attrs["title"] = np.bytes_(title)
        for dimension, length in (("time", None), ("x", 3)):
            shape = (2,) if length is None else (length,)
            compact = dataset_properties()
            compact.set_layout(h5d.COMPACT)
            options = {"chunks": (2,), "maxshape": (None,)} if length is None else {"dcpl": compact}
            scale = file.create_dataset(dimension, shape, f"{order}f8", **options)
            scale.make_scale(dimension)
            scale[:] = np.arange(shape[0])
        data = np.array([[0.5, 1.5, 2.5], [3.5, 4.5, last]], f"{order}f4")
        field = file.create_dataset("field", data=data[:records], maxshape=(None, 3), chunks=(1, 2))
        field.dims[0].attach_scale(file["time"])
        field.dims[1].attach_scale(file["x"])
        field.attrs["units"] = np.bytes_(b"K")
        field.attrs["levels"] = np.array([1, 2], f"{order}i4")


CASES = [
    (values, "values", {}),
    (values, "values_contiguous", dict(storage={})),
    (values, "values_deflate", dict(storage={"chunks": (5, 4), "compression": 4, "shuffle": True})),
    (
        values,
        "values_checked",
        dict(storage={"chunks": (6, 8), "fletcher32": True, "compression": "lzf"}),
    ),
    (values, "values_value", dict(change={(3, 2): 99.5, (5, 7): 1.25})),
    (values, "values_nan", dict(change={(0, 1): NAN_WITH_PAYLOAD})),
    (values, "values_zero", dict(change={(0, 0): -0.0})),
    (values, "values_order", dict(order=">")),
    (values, "values_missing", dict(without="counts")),
    (values, "values_extra", dict(extra=True)),
    (values, "values_length", dict(length=5)),
    (values, "values_limit", dict(limit=None)),
    (values, "values_fill", dict(fill=-8.0)),
    (values, "values_attribute_type", dict(attribute=np.float32(0.5))),
    (values, "values_attribute_value", dict(attribute=np.float64(0.25))),
    (values, "values_attribute_shape", dict(attribute=np.array([0.5]))),
    (values, "values_attribute_order", dict(swapped_attributes=True)),
    (values, "values_member_order", dict(swapped_members=True)),
    (sparse, "sparse", {}),
    (sparse, "sparse_other_chunks", dict(chunks=(3, 5))),
    (sparse, "sparse_fill_written", dict(written=-1)),
    (sparse, "sparse_value_written", dict(written=5)),
    (never_written, "never_written", dict(number=1)),
    (unknown, "unknown", {}),
    (unknown, "unknown_byte", dict(byte=2)),
    (unknown, "unknown_chunks", dict(chunk=8)),
    (unknown, "unknown_plain", dict(compressed=False)),
    (types, "types", {}),
    (types, "types_padding", dict(padding=0xEE)),
    (types, "types_enum", dict(enum={"clear": 0, "cumulus": 2})),
    (types, "types_offset", dict(offset=16)),
    (types, "types_committed", dict(committed=False)),
    (types, "types_member", dict(y=2.75)),
    (types, "types_precision", dict(precision=13)),
    (heap, "heap", {}),
    (heap, "heap_word", dict(word="stratus")),
    (heap, "heap_list", dict(tail=4)),
    (heap, "heap_target", dict(target="/first")),
    (heap, "heap_corner", dict(corner=3)),
    (heap, "heap_point", dict(point=6)),
    (heap, "heap_attribute", dict(attribute="third")),
    (links, "links", {}),
    (links, "links_soft", dict(soft="/group/twin")),
    (links, "links_external", dict(external="elsewhere.h5")),
    (links, "links_alias", dict(alias="/group/twin")),
    (links, "links_kind", dict(kind="dataset")),
    (classic_twin, "classic_big", {}),
    (classic_twin, "classic_little", dict(order="<")),
    (classic_twin, "classic_title", dict(title=b"other")),
    (classic_twin, "classic_value", dict(last=6.5)),
    (classic_twin, "classic_short", dict(records=1)),
]


def main() -> None:
    for old in HERE.glob("*.h5"):
        old.unlink()
    for make, name, arguments in CASES:
        make(name, **arguments)


if __name__ == "__main__":
    main()
