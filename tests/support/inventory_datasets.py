"""What datasets are created with: dataspaces, fill values, layouts, filters, virtual sources."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from h5py import h5d, h5o, h5p, h5r, h5s, h5t

from support.inventory import Case
from support.libhdf5 import (
    DONT_FILTER_PARTIAL_CHUNKS,
    fill_value,
    set_chunk_options,
    set_fill_value,
)

UNLIMITED = h5s.UNLIMITED


def _dataset(
    change: Callable[[h5p.PropDCID, int], object] | None = None,
    kind: h5t.TypeID = h5t.STD_I32LE,
    shapes: tuple = ((6,), (6,)),
    limits: tuple = (None, None),
    write: bool = True,
) -> Callable[[Path, int], None]:
    """A maker of files with a dataset `x`."""

    def make(path: Path, variant: int) -> None:
        with h5py.File(path, "w", libver=("earliest", "v110")) as file:
            creation = h5p.create(h5p.DATASET_CREATE)
            if change:
                change(creation, variant)
            space = _space(shapes[variant], limits[variant])
            made = h5d.create(file.id, b"x", kind, space, creation)
            elements = space.get_simple_extent_npoints()
            if write and elements:
                made.write(h5s.ALL, h5s.ALL, np.arange(elements, dtype="i4"))

    return make


def _space(shape: tuple | int, limit: tuple | None) -> h5s.SpaceID:
    return h5s.create(shape) if isinstance(shape, int) else h5s.create_simple(shape, limit)


def _extent(file: h5py.File) -> tuple:
    space = file["x"].id.get_space()
    return space.get_simple_extent_type(), file["x"].shape, file["x"].maxshape


def _list(read: Callable[[h5p.PropDCID], object]) -> Callable[[h5py.File], object]:
    return lambda file: read(file["x"].id.get_create_plist())


def _chunked(creation: h5p.PropDCID, _: int) -> None:
    creation.set_chunk((2,))


def _fill(creation: h5p.PropDCID, variant: int) -> None:
    _chunked(creation, variant)
    creation.set_fill_value(np.array(7 + variant, "i4"))


def _fill_time(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_fill_time([h5d.FILL_TIME_NEVER, h5d.FILL_TIME_ALLOC][variant])


def _undefined(creation: h5p.PropDCID, variant: int) -> None:
    if variant == 0:
        set_fill_value(creation, h5t.STD_I32LE, None)


def _allocation(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_alloc_time([h5d.ALLOC_TIME_EARLY, h5d.ALLOC_TIME_LATE][variant])


def _targets(file: h5py.File) -> None:
    for name in ("first", "second"):
        file[name] = np.arange(3)


def _address(file: h5py.File, name: str) -> int:
    return h5o.get_info(file[name].id).addr


def _reference_fill(kind: h5t.TypeID, bytes_of: Callable[[int], bytes], late: bool) -> Callable:
    """A fill value that leads to an object, made before or after the dataset's name in the file."""

    def make(path: Path, variant: int) -> None:
        with h5py.File(path, "w", track_order=True) as file:
            if not late:
                _targets(file)
                home = file
            else:
                file.create_group("home")
                _targets(file)
                home = file["home"]
            target = _address(file, ["first", "second"][variant])
            creation = h5p.create(h5p.DATASET_CREATE)
            creation.set_chunk((2,))
            set_fill_value(creation, kind, bytes_of(target))
            h5d.create(home.id, b"cell", kind, h5s.create_simple((6,)), creation)

    return make


def _fill_target(kind: h5t.TypeID, at: int, name: str) -> Callable[[h5py.File], object]:
    def look(file: h5py.File) -> object:
        value = fill_value(file[name].id.get_create_plist(), kind)
        address = int.from_bytes(value[at : at + 8], "little")
        found = [one for one in ("first", "second") if _address(file, one) == address]
        return found

    return look


def _pair() -> h5t.TypeID:
    kind = h5t.create(h5t.COMPOUND, 24)
    kind.insert(b"n", 0, h5t.STD_I64LE)
    kind.insert(b"where", 8, h5t.array_create(h5t.STD_REF_OBJ, (2,)))
    return kind


PAIR = _pair()


def _pair_bytes(address: int) -> bytes:
    return (5).to_bytes(8, "little") + address.to_bytes(8, "little") * 2


LIST = h5t.vlen_create(h5t.STD_REF_OBJ)
# What lists in memory point to must live on.
_LISTED: list[ctypes.Array] = []


def _list_bytes(address: int) -> bytes:
    _LISTED.append((ctypes.c_uint64 * 2)(0, address))
    return (2).to_bytes(8, "little") + ctypes.addressof(_LISTED[-1]).to_bytes(8, "little")


def _listed_target(file: h5py.File) -> list[str]:
    value = fill_value(file["cell"].id.get_create_plist(), LIST)
    count, place = (int.from_bytes(part, "little") for part in (value[:8], value[8:]))
    addresses = (ctypes.c_uint64 * count).from_address(place)
    names = ("first", "second")
    return [name for address in addresses for name in names if _address(file, name) == address]


def _region_fill(path: Path, variant: int) -> None:
    with h5py.File(path, "w") as file:
        _targets(file)
        reference = file[["first", "second"][variant]].regionref[1:2]
        held = file.create_dataset("held", (1,), h5py.regionref_dtype)
        held[0] = reference
        held.id.flush()
        creation = h5p.create(h5p.DATASET_CREATE)
        creation.set_chunk((2,))
        # The bytes of the reference as they lie in the file.
        raw = path.read_bytes()[held.id.get_offset() :][:12]
        set_fill_value(creation, h5t.STD_REF_DSETREG, raw)
        h5d.create(file.id, b"x", h5t.STD_REF_DSETREG, h5s.create_simple((6,)), creation)


def _dangling(path: Path, variant: int) -> None:
    with h5py.File(path, "w") as file:
        gone = file.create_dataset("gone", data=np.arange(9))
        file["kept"] = np.arange(9)
        regions = np.array([gone.regionref[3:7], file["kept"].regionref[1:4]], object)
        file.create_dataset("regions", data=regions, dtype=h5py.regionref_dtype)
        objects = np.array([gone.ref, file["kept"].ref], object)
        file.create_dataset("objects", data=objects, dtype=h5py.ref_dtype)
        file["kept"].attrs.create("roi", regions, dtype=h5py.regionref_dtype)
        if variant == 0:
            del file["gone"]


def _leads(file: h5py.File) -> list:
    def one(reference: h5r.Reference) -> object:
        try:
            return file[reference].name if reference else None
        except (ValueError, RuntimeError, KeyError):
            return None

    lists = (file["regions"][:], file["objects"][:], file["kept"].attrs["roi"])
    return [[one(reference) for reference in all_of] for all_of in lists]


def _external_data(path: Path, variant: int) -> None:
    raw = path.with_suffix(".raw")
    np.arange(variant, variant + 6, dtype="i4").tofile(raw)
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (6,), "i4", external=[(str(raw), 0, 24)])


def _layout(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_layout([h5d.COMPACT, h5d.CONTIGUOUS][variant])


def _chunk_shape(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_chunk(((3,), (2,))[variant])


def _filters(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_chunk((6,))
    creation.set_deflate(1 + variant)


def _partial(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_chunk((4,))
    creation.set_deflate(1)
    if variant == 0:
        set_chunk_options(creation, DONT_FILTER_PARTIAL_CHUNKS)


UNKNOWN_FILTER = 32999


def _unknown_filter(path: Path, variant: int) -> None:
    """A chunk under a filter that nobody has, with values of its own and an optional flag."""
    make = _dataset(_chunked_once, write=False)
    make(path, variant)
    with h5py.File(path, "r+") as file:
        file["x"].id.write_direct_chunk((0,), [b"first", b"other"][variant])


def _chunked_once(creation: h5p.PropDCID, variant: int) -> None:
    creation.set_chunk((6,))
    creation.set_filter(UNKNOWN_FILTER, h5py.h5z.FLAG_OPTIONAL, (3, 1, 4))


def _stored(file: h5py.File) -> tuple:
    creation = file["x"].id.get_create_plist()
    number, flags, values, _ = creation.get_filter(0)
    return number, flags, values, file["x"].id.read_direct_chunk((0,))


def _view(path: Path, variant: int) -> None:
    with h5py.File(path, "w", libver="latest") as file:
        file["own"] = np.arange(30.0)
        layout = h5py.VirtualLayout((10,), "f8")
        part = [slice(0, 20, 2), slice(10, 20)][variant]
        layout[:] = h5py.VirtualSource(".", "own", (30,))[part]
        file.create_virtual_dataset("x", layout, fillvalue=-1)


def _mapping(file: h5py.File) -> list:
    return [
        (one.file_name, one.dset_name, one.src_space.get_regular_hyperslab())
        for one in file["x"].virtual_sources()
    ]


def _none(_: object) -> None:
    return None


CASES = [
    Case("shape (message 0x01)", _dataset(shapes=((6,), (7,))), _extent),
    Case(
        "maximum shape",
        _dataset(_chunked, limits=((UNLIMITED,), (9,))),
        _extent,
    ),
    Case("scalar dataspace", _dataset(shapes=(h5s.SCALAR, (1,))), _extent),
    Case("null dataspace", _dataset(shapes=(h5s.NULL, (0,))), _extent),
    Case(
        "fill value (messages 0x04 and 0x05)",
        _dataset(_fill),
        lambda file: int(file["x"].fillvalue),
    ),
    Case("fill time", _dataset(_fill_time), _list(lambda creation: creation.get_fill_time())),
    Case(
        "undefined fill value",
        _dataset(_undefined),
        _list(lambda creation: creation.fill_value_defined()),
    ),
    Case(
        "allocation time",
        _dataset(_allocation),
        _list(lambda creation: creation.get_alloc_time()),
        "converted",
        lambda _: h5d.ALLOC_TIME_LATE,
        "nothing",
    ),
    Case(
        "fill value that is an object reference",
        _reference_fill(h5t.STD_REF_OBJ, lambda a: a.to_bytes(8, "little"), False),
        _fill_target(h5t.STD_REF_OBJ, 0, "cell"),
    ),
    Case(
        "fill value that leads to an object made later",
        _reference_fill(h5t.STD_REF_OBJ, lambda a: a.to_bytes(8, "little"), True),
        _fill_target(h5t.STD_REF_OBJ, 0, "home/cell"),
    ),
    Case(
        "fill value with references inside",
        _reference_fill(PAIR, _pair_bytes, False),
        _fill_target(PAIR, 16, "cell"),
    ),
    Case(
        "fill value with any number of references",
        _reference_fill(LIST, _list_bytes, False),
        _listed_target,
    ),
    Case(
        "fill value that is a region reference",
        _region_fill,
        _none,
        "refused",
        verify="difference",
        says="region reference",
    ),
    Case(
        "reference to what was deleted",
        _dangling,
        _leads,
        "named",
        verify="difference",
        says="references to deleted objects",
    ),
    Case(
        "external data files (message 0x07)",
        _external_data,
        lambda file: (file["x"].external is None, file["x"][:].tolist()),
        "converted",
        lambda seen: (True, seen[1]),
    ),
    Case(
        "layout (message 0x08)",
        _dataset(_layout),
        lambda file: file["x"][:].tolist(),
        "converted",
        verify="nothing",
    ),
    Case(
        "chunk shape",
        _dataset(_chunk_shape),
        lambda file: file["x"][:].tolist(),
        "converted",
        verify="nothing",
    ),
    Case(
        "filters (message 0x0B)",
        _dataset(_filters),
        lambda file: file["x"][:].tolist(),
        "converted",
        verify="nothing",
    ),
    Case("filter that nobody here decodes", _unknown_filter, _stored),
    Case(
        "unfiltered edge chunks",
        _dataset(_partial),
        lambda file: file["x"][:].tolist(),
        "converted",
        verify="nothing",
    ),
    Case("mapping of a virtual dataset", _view, _mapping),
]
