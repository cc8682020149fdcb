"""What datatypes are made of (message 0x03)."""

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from h5py import h5a, h5d, h5s, h5t

from support import h5_compare
from support.inventory import Case
from support.libhdf5 import create_scalar

Make = Callable[[], h5t.TypeID]


def _typed(*kinds: Make) -> Callable[[Path, int], None]:
    """A maker of files with a dataset, an attribute and a committed type of a kind."""

    def make(path: Path, variant: int) -> None:
        kind = kinds[variant]()
        with h5py.File(path, "w") as file:
            made = h5d.create(file.id, b"x", kind, h5s.create_simple((3,)))
            h5a.create(made, b"a", kind, h5s.create(h5s.SCALAR))
            kind.copy().commit(file.id, b"t")

    return make


def _types(file: h5py.File) -> list:
    attribute = h5a.open(file["x"].id, b"a")
    kinds = (file["x"].id.get_type(), attribute.get_type(), file["t"].id)
    return [h5_compare.describe(kind) for kind in kinds]


def _changed(kind: h5t.TypeID, **settings: object) -> Make:
    def make() -> h5t.TypeID:
        copy = kind.copy()
        for name, value in settings.items():
            values = value if isinstance(value, tuple) else (value,)
            getattr(copy, f"set_{name}")(*values)
        return copy

    return make


def _text(size: int, padding: int, character_set: int) -> Make:
    return _changed(h5t.C_S1, size=size, strpad=padding, cset=character_set)


def _opaque(tag: bytes) -> Make:
    def make() -> h5t.TypeID:
        kind = h5t.create(h5t.OPAQUE, 4)
        kind.set_tag(tag)
        return kind

    return make


def _compound(size: int, *members: tuple[bytes, int]) -> Make:
    def make() -> h5t.TypeID:
        kind = h5t.create(h5t.COMPOUND, size)
        for name, offset in members:
            kind.insert(name, offset, h5t.STD_I16LE)
        return kind

    return make


def _enumeration(*members: tuple[bytes, int]) -> Make:
    def make() -> h5t.TypeID:
        kind = h5t.enum_create(h5t.STD_I8LE)
        for name, value in members:
            kind.enum_insert(name, value)
        return kind

    return make


def _float(**settings: object) -> Make:
    """A number with bits that belong to no field."""
    return _changed(h5t.IEEE_F32LE, **{"fields": (31, 23, 8, 3, 20), "ebias": 100, **settings})


def _committed(path: Path, variant: int) -> None:
    """Two datasets that name one type, or a type each."""
    with h5py.File(path, "w") as file:
        for name in ("first", "second"):
            file[name] = np.dtype("i4")
            file[name].attrs["about"] = name
        file.create_dataset("x", data=np.arange(3), dtype=file["first"])
        file.create_dataset("y", data=np.arange(3), dtype=file[["first", "second"][variant]])


def _nameless(path: Path, variant: int) -> None:
    with h5py.File(path, "w") as file:
        file["gone"] = np.dtype("i4")
        if variant == 0:
            file["gone"].attrs["about"] = "nobody meets it"
        file.create_dataset("x", data=np.arange(3), dtype=file["gone"])
        if variant == 0:
            del file["gone"]


def _names(file: h5py.File) -> tuple:
    def name(item: str) -> str:
        address = h5py.h5o.get_info(file[item].id.get_type()).addr
        found = [n for n in ("first", "second") if h5py.h5o.get_info(file[n].id).addr == address]
        return found[0]

    return name("x"), name("y"), file["first"].attrs["about"], file["second"].attrs["about"]


def _references(path: Path, variant: int) -> None:
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = np.arange(9), np.arange(9)
        target = file[["x", "y"][variant]]
        file["objects"] = np.array([target.ref], h5py.ref_dtype)
        file.create_dataset("regions", (1,), h5py.regionref_dtype)[0] = target.regionref[2:5]


def _targets(file: h5py.File) -> tuple:
    region = file["regions"][0]
    selected = h5py.h5r.get_region(region, file.id).get_select_hyper_blocklist().tolist()
    return file[file["objects"][0]].name, file[region].name, selected


def _new(type_name: str) -> Callable[[Path, int], None]:
    def make(path: Path, variant: int) -> None:
        with h5py.File(path, "w", libver="latest") as file:
            create_scalar(file, "new", [type_name, "H5T_STD_I8LE"][variant])

    return make


def _kept(name: str, *kinds: Make) -> Case:
    return Case(name, _typed(*kinds), _types)


def _refused(name: str, type_name: str) -> Case:
    return Case(name, _new(type_name), lambda file: None, "refused", says="HDF5 1.12")


INTEGER = h5t.STD_I32LE
CASES = [
    _kept("integer: sign", _changed(INTEGER), _changed(h5t.STD_U32LE)),
    _kept("integer: byte order", _changed(INTEGER), _changed(h5t.STD_I32BE)),
    _kept("integer: precision", _changed(INTEGER, precision=20), _changed(INTEGER)),
    _kept(
        "integer: offset",
        _changed(INTEGER, precision=20, offset=4),
        _changed(INTEGER, precision=20, offset=8),
    ),
    _kept(
        "integer: padding bits",
        _changed(INTEGER, precision=20, pad=(h5t.PAD_ONE, h5t.PAD_ZERO)),
        _changed(INTEGER, precision=20),
    ),
    _kept("float: fields", _float(), _float(fields=(31, 22, 8, 2, 20))),
    _kept("float: bias", _float(), _float(ebias=99)),
    _kept("float: normalisation", _float(norm=h5t.NORM_NONE), _float()),
    _kept("float: padding inside", _float(inpad=h5t.PAD_ONE), _float()),
    _kept("time", _changed(h5t.UNIX_D32LE), _changed(h5t.UNIX_D64LE)),
    _kept(
        "text: character set",
        _text(5, h5t.STR_NULLTERM, h5t.CSET_UTF8),
        _text(5, h5t.STR_NULLTERM, h5t.CSET_ASCII),
    ),
    _kept(
        "text: padding",
        _text(5, h5t.STR_SPACEPAD, h5t.CSET_ASCII),
        _text(5, h5t.STR_NULLPAD, h5t.CSET_ASCII),
    ),
    _kept(
        "text of any length",
        _text(h5t.VARIABLE, h5t.STR_NULLTERM, h5t.CSET_UTF8),
        _text(h5t.VARIABLE, h5t.STR_NULLTERM, h5t.CSET_ASCII),
    ),
    _kept("bit field", _changed(h5t.STD_B16LE), _changed(h5t.STD_B16BE)),
    _kept("opaque: tag", _opaque(b"gr\xfcn"), _opaque(b"gr\xf6n")),
    _kept(
        "compound: offsets", _compound(8, (b"a", 1), (b"b", 4)), _compound(8, (b"a", 0), (b"b", 4))
    ),
    _kept("compound: padding at its end", _compound(8, (b"a", 0)), _compound(9, (b"a", 0))),
    _kept(
        "compound: names of members", _compound(4, (b"gr\xfcn", 0)), _compound(4, (b"gr\xf6n", 0))
    ),
    _kept(
        "enumeration: order of members",
        _enumeration((b"z", 1), (b"a", 0)),
        _enumeration((b"a", 0), (b"z", 1)),
    ),
    _kept("enumeration: values", _enumeration((b"a", 1)), _enumeration((b"a", 2))),
    _kept(
        "variable length",
        lambda: h5t.vlen_create(h5t.STD_I32LE),
        lambda: h5t.vlen_create(h5t.STD_I32BE),
    ),
    _kept(
        "array",
        lambda: h5t.array_create(h5t.STD_I32LE, (2, 3)),
        lambda: h5t.array_create(h5t.STD_I32LE, (3, 2)),
    ),
    Case("references to objects and regions", _references, _targets),
    _refused("references of HDF5 1.12", "H5T_STD_REF"),
    _refused("complex numbers of HDF5 2.0", "H5T_COMPLEX_IEEE_F32LE"),
    Case(
        "attribute of a committed datatype without a name",
        _nameless,
        lambda file: None,
        "refused",
        says="has no name",
    ),
    Case("committed datatypes and who names them", _committed, _names),
]
