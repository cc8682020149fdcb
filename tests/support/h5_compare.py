"""Compares two HDF5 files through h5py: links, types, attributes, values."""

from collections.abc import Callable
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401  (registers the filters that inputs use)
import numpy as np
from h5py import h5d, h5p, h5r, h5t

from support.values import same

# Written by whoever made the file; says nothing about its content.
PROVENANCE = {"_NCProperties"}

# What dimension scales and netCDF-4 keep their books in: no user sees its place among attributes.
HIDDEN = {
    "CLASS",
    "DIMENSION_LIST",
    "NAME",
    "REFERENCE_LIST",
    "_Netcdf4Coordinates",
    "_Netcdf4Dimid",
    "_nc3_strict",
}


def never_written(path: Path) -> set[str]:
    """Datasets whose unwritten elements have no defined value: reading them gives random bytes."""
    return _datasets(path, _has_undefined_elements)


def unterminated_strings(path: Path) -> set[str]:
    """Datasets of fixed-length strings: ncdump 4.9.0 prints past the end of one without a NUL."""
    return _datasets(path, lambda dataset: dataset.dtype.kind == "S" and dataset.dtype.itemsize > 1)


def _datasets(path: Path, wanted: Callable[[h5py.Dataset], bool]) -> set[str]:
    found: set[str] = set()

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and wanted(item):
            found.add(name)

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def _has_undefined_elements(dataset: h5py.Dataset) -> bool:
    plist = dataset.id.get_create_plist()
    undefined = plist.fill_value_defined() == h5d.FILL_VALUE_UNDEFINED
    if plist.get_fill_time() != h5d.FILL_TIME_NEVER and not undefined:
        return False
    if dataset.shape is None or plist.get_layout() == h5d.VIRTUAL:
        return False
    if dataset.chunks is None:
        return dataset.id.get_storage_size() == 0 and dataset.size > 0
    grid = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True)]
    return dataset.id.get_num_chunks() < int(np.prod(grid, dtype=np.int64))


# BitGroom, Granular BitRound, BitRound: they change values on writing; decoding does nothing.
QUANTIZERS = {32022, 32023, 32032}


class Comparison:
    """A walk through two files side by side."""

    def __init__(self, a: Path, b: Path) -> None:
        self.a, self.b = h5py.File(a), h5py.File(b)
        self.undefined = never_written(a)
        self.differences: list[str] = []
        self.values = 0
        self._seen: dict[object, object] = {}

    def run(self) -> "Comparison":
        with self.a, self.b:
            if self.a.userblock_size != self.b.userblock_size:
                self._differ("/", "user block")
            self._group("/", self.a["/"], self.b["/"])
        return self

    def _differ(self, name: str, what: str) -> None:
        self.differences.append(f"{name}: {what}")

    def _group(self, name: str, a: h5py.Group, b: h5py.Group) -> None:
        if self._known(name, a, b):
            return
        self._attributes(name, a, b)
        # h5py lists members in creation order where the file tracks it.
        listed = list if _tracks_links(a) else sorted
        if listed(a) != listed(b):
            self._differ(name, f"members {list(a)} became {list(b)}")
            return
        for member in a:
            self._link(f"{name.rstrip('/')}/{member}", a, b, member)

    def _link(self, name: str, a: h5py.Group, b: h5py.Group, member: str) -> None:
        link_a, link_b = a.get(member, getlink=True), b.get(member, getlink=True)
        if type(link_a) is not type(link_b):
            self._differ(name, f"{type(link_a).__name__} became {type(link_b).__name__}")
        elif not isinstance(link_a, h5py.HardLink):
            if vars(link_a) != vars(link_b):
                self._differ(name, f"link {vars(link_a)} became {vars(link_b)}")
        else:
            self._object(name, a[member], b[member])

    def _known(self, name: str, a: h5py.HLObject, b: h5py.HLObject) -> bool:
        """Whether this object was met already, by another hard link to it."""
        key, twin = h5py.h5o.get_info(a.id).addr, h5py.h5o.get_info(b.id).addr
        if key not in self._seen:
            self._seen[key] = twin
            return False
        if self._seen[key] != twin:
            self._differ(name, "is no longer a second name of the same object")
        return True

    def _object(self, name: str, a: h5py.HLObject, b: h5py.HLObject) -> None:
        if type(a) is not type(b):
            self._differ(name, f"{type(a).__name__} became {type(b).__name__}")
        elif isinstance(a, h5py.Group):
            self._group(name, a, b)
        elif not self._known(name, a, b):
            self._attributes(name, a, b)
            if isinstance(a, h5py.Dataset):
                self._dataset(name, a, b)
            else:
                self._types(name, a.id, b.id)

    def _types(self, name: str, a: h5t.TypeID, b: h5t.TypeID) -> None:
        if describe(a) != describe(b):
            self._differ(name, f"type {describe(a)} became {describe(b)}")

    def _attributes(self, name: str, a: h5py.HLObject, b: h5py.HLObject) -> None:
        ordered = _tracks_attributes(a)
        names_a, names_b = _attribute_names(a, ordered), _attribute_names(b, ordered)
        if names_a != names_b:
            self._differ(name, f"attributes {names_a} became {names_b}")
        for key in a.attrs.keys() & b.attrs.keys() - PROVENANCE:
            one, two = a.attrs.get_id(key), b.attrs.get_id(key)
            label = f"{name}@{key}"
            self._types(label, one.get_type(), two.get_type())
            if one.shape != two.shape:
                self._differ(label, f"shape {one.shape} became {two.shape}")
            # The order of back-references from a dimension scale has no meaning.
            elif key != "REFERENCE_LIST" and not same(self._read(a, key), self._read(b, key)):
                self._differ(label, "value")

    def _read(self, item: h5py.HLObject, key: str) -> object:
        return resolve(item.attrs[key], item.file)

    def _dataset(self, name: str, a: h5py.Dataset, b: h5py.Dataset) -> None:
        self._types(name, a.id.get_type(), b.id.get_type())
        if (a.shape, a.maxshape) != (b.shape, b.maxshape):
            self._differ(name, f"shape {a.shape} of {a.maxshape} became {b.shape} of {b.maxshape}")
            return
        plist_a, plist_b = a.id.get_create_plist(), b.id.get_create_plist()
        if plist_a.get_fill_time() != plist_b.get_fill_time():
            self._differ(name, "fill time")
        if plist_a.fill_value_defined() != plist_b.fill_value_defined():
            self._differ(name, "whether there is a fill value")
        elif plist_a.fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED and not same(
            resolve(a.fillvalue, a.file), resolve(b.fillvalue, b.file)
        ):
            self._differ(name, f"fill value {a.fillvalue} became {b.fillvalue}")
        if name.lstrip("/") in self.undefined:
            return
        try:
            values = a[()]
        except OSError:
            self._stored_chunks(name, a, b)
            return
        self.values += 1
        if not same(resolve(values, a.file), resolve(b[()], b.file)):
            self._differ(name, "values")

    def _stored_chunks(self, name: str, a: h5py.Dataset, b: h5py.Dataset) -> None:
        """For filters that h5py cannot decode: the stored bytes must be the same."""
        stored = _chunks(a)
        if {number for number, *_ in _filters(a)} <= QUANTIZERS:
            self.values += 1
            if any(_box(b, offset, a.chunks) != chunk for offset, (_, chunk) in stored.items()):
                self._differ(name, "values")
        elif _filters(a) != _filters(b) or stored != _chunks(b):
            self._differ(name, "stored chunks, or their filters")


def _attribute_names(item: h5py.HLObject, ordered: bool) -> tuple[list[str], set[str]]:
    """Attributes in the order that users see, and the hidden ones."""
    names = [name for name in item.attrs if name not in PROVENANCE]
    seen = [name for name in names if name not in HIDDEN]
    return seen if ordered else sorted(seen), HIDDEN & set(names)


def _tracks_attributes(item: h5py.HLObject) -> bool:
    """Whether the order of attributes is part of the file; else readers show it as they like."""
    if isinstance(item, h5py.Datatype):
        return False
    return bool(item.id.get_create_plist().get_attr_creation_order() & h5p.CRT_ORDER_TRACKED)


def _tracks_links(group: h5py.Group) -> bool:
    return bool(group.id.get_create_plist().get_link_creation_order() & h5p.CRT_ORDER_TRACKED)


def _chunks(dataset: h5py.Dataset) -> dict:
    count = dataset.id.get_num_chunks()
    offsets = [dataset.id.get_chunk_info(number).chunk_offset for number in range(count)]
    return {offset: dataset.id.read_direct_chunk(offset) for offset in offsets}


def _box(dataset: h5py.Dataset, offset: tuple[int, ...], shape: tuple[int, ...]) -> bytes:
    """The values of a box of the dataset."""
    axes = zip(offset, shape, strict=True)
    return dataset[tuple(slice(start, start + count) for start, count in axes)].tobytes()


def _filters(dataset: h5py.Dataset) -> list:
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(number)[:3] for number in range(plist.get_nfilters())]


def describe(kind: h5t.TypeID) -> object:
    """A type in all its parts, as plain data that can be compared across files."""
    words: list = [kind.get_class(), kind.get_size(), type(kind).__name__]
    if isinstance(kind, h5t.TypeIntegerID | h5t.TypeFloatID):
        words += [kind.get_order(), kind.get_precision(), kind.get_offset(), kind.get_pad()]
    if isinstance(kind, h5t.TypeBitfieldID):
        words.append(kind.get_order())
    if isinstance(kind, h5t.TypeIntegerID):
        words.append(kind.get_sign())
    if isinstance(kind, h5t.TypeFloatID):
        words += [kind.get_fields(), kind.get_ebias(), kind.get_norm(), kind.get_inpad()]
    if isinstance(kind, h5t.TypeStringID):
        words += [kind.get_cset(), kind.get_strpad(), kind.is_variable_str()]
    if isinstance(kind, h5t.TypeOpaqueID):
        words.append(kind.get_tag())
    if isinstance(kind, h5t.TypeArrayID):
        words.append(kind.get_array_dims())
    if isinstance(kind, h5t.TypeEnumID | h5t.TypeArrayID | h5t.TypeVlenID):
        words.append(describe(kind.get_super()))
    if isinstance(kind, h5t.TypeEnumID | h5t.TypeCompoundID):
        words += [_member(kind, number) for number in range(kind.get_nmembers())]
    return words


def _member(kind: h5t.TypeID, number: int) -> object:
    name = kind.get_member_name(number)
    if isinstance(kind, h5t.TypeEnumID):
        return name, kind.get_member_value(number)
    return name, kind.get_member_offset(number), describe(kind.get_member_type(number))


def resolve(value: object, file: h5py.File) -> object:
    """References replaced by what they point to, so that they can be compared across files."""
    if isinstance(value, h5r.RegionReference):
        return _target(value, file), _region(value, file)
    if isinstance(value, h5r.Reference):
        return _target(value, file)
    if isinstance(value, np.ndarray | np.void) and value.dtype.hasobject:
        if value.dtype.names is not None:
            return [resolve(value[name], file) for name in value.dtype.names]
        return [resolve(one, file) for one in value.flat]
    return value


def _target(reference: h5r.Reference, file: h5py.File) -> str:
    if not reference:
        return "null reference"
    try:
        return file[reference].name or "an object without a name"
    except (ValueError, RuntimeError, KeyError):
        return "a dangling reference"


def _region(reference: h5r.RegionReference, file: h5py.File) -> object:
    if not reference:
        return "null region"
    space = h5r.get_region(reference, file.id)
    return space.shape, space.get_select_bounds(), space.get_select_npoints()


def compare(a: Path, b: Path) -> Comparison:
    """Walks through both files; look at `differences` and at `values` (datasets compared)."""
    return Comparison(a, b).run()
