"""What objects are and how they are linked: object headers, links, groups, attributes."""

import ctypes
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5o, h5p, h5s, h5t

from support.inventory import Case
from support.libhdf5 import comment_of, create_attribute, load


def _of(write: Callable[[h5py.File, int], object], **options: object) -> Callable:
    """A maker of files that have a dataset `x`, and what `write` adds."""

    def make(path: Path, variant: int) -> None:
        with h5py.File(path, "w", **options) as file:
            file["x"] = np.arange(3)
            write(file, variant)

    return make


def _link_names(character_set: int) -> h5p.PropLCID:
    creation = h5p.create(h5p.LINK_CREATE)
    creation.set_char_encoding(character_set)
    return creation


def _members(order: int) -> Callable[[h5py.File, int], None]:
    """A group that keeps its order, if `order` is set, with members made in one or another."""

    def write(file: h5py.File, variant: int) -> None:
        creation = h5p.create(h5p.GROUP_CREATE)
        creation.set_link_creation_order(order)
        group = h5py.Group(h5g.create(file.id, b"g", gcpl=creation))
        for name in ("zab", "abz")[variant]:
            group[name] = 1

    return write


def _link_order(file: h5py.File) -> tuple:
    group = file["g"].id
    names: list[bytes] = []
    group.links.iterate(names.append, idx_type=h5py.h5.INDEX_CRT_ORDER)
    return group.get_create_plist().get_link_creation_order(), names


def _group_settings(file: h5py.File, variant: int) -> None:
    """When links go into a heap of their own (message 0x0A)."""
    creation = h5p.create(h5p.GROUP_CREATE)
    most, fewest = [(30, 10), (8, 6)][variant]
    assert load().H5Pset_link_phase_change(ctypes.c_int64(creation.id), most, fewest) >= 0
    h5g.create(file.id, b"g", gcpl=creation)


def _phase_change(file: h5py.File) -> tuple[int, int]:
    most, fewest = ctypes.c_uint(), ctypes.c_uint()
    creation = file["g"].id.get_create_plist()
    pointers = ctypes.byref(most), ctypes.byref(fewest)
    assert load().H5Pget_link_phase_change(ctypes.c_int64(creation.id), *pointers) >= 0
    return most.value, fewest.value


def _soft(text: tuple[bytes, bytes]) -> Callable:
    """A soft link whose text is put into the file as it is: libhdf5 tidies what it is given."""

    def make(path: Path, variant: int) -> None:
        place = b"/" + b"P" * (len(text[variant]) - 1)
        with h5py.File(path, "w") as file:
            file["x"] = np.arange(3)
            file.id.links.create_soft(b"soft", place)
        content = path.read_bytes()
        assert content.count(place) == 1
        path.write_bytes(content.replace(place, text[variant]))

    return make


def _external(file: h5py.File, variant: int) -> None:
    name = [b"M\xfcller.h5", b"M\xf6ller.h5"][variant]
    file.id.links.create_external(b"far", name, b"/gr\xfc\xdfe")


def _value(name: bytes) -> Callable[[h5py.File], object]:
    return lambda file: (file.id.links.get_info(name).type, file.id.links.get_val(name))


class _LinkClass(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("id", ctypes.c_int),
        ("comment", ctypes.c_char_p),
        ("create", ctypes.c_void_p),
        ("move", ctypes.c_void_p),
        ("copy", ctypes.c_void_p),
        ("traverse", ctypes.c_void_p),
        ("delete", ctypes.c_void_p),
        ("query", ctypes.c_void_p),
    )


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p)
def _nowhere(*_: object) -> int:
    return -1


CLASS = 187


def _user_defined(file: h5py.File, variant: int) -> None:
    nowhere = ctypes.cast(_nowhere, ctypes.c_void_p)
    kind = _LinkClass(1, CLASS, b"ours", None, None, None, nowhere, None, None)
    library, value = load(), [b"one\0value", b"two\0value"][variant]
    assert library.H5Lregister(ctypes.byref(kind)) >= 0
    default = ctypes.c_int64(0)
    location = ctypes.c_int64(file.id.id)
    status = library.H5Lcreate_ud(
        location, b"ours", CLASS, value, ctypes.c_size_t(len(value)), default, default
    )
    assert status >= 0
    assert library.H5Lunregister(CLASS) >= 0


def _has_value(file: h5py.File) -> object:
    """The link's class, and whether its value is in the file (h5py does not show it)."""
    kind = file.id.links.get_info(b"ours").type
    return kind, Path(file.filename).read_bytes().count(b"one\0value")


def _hard(file: h5py.File, variant: int) -> None:
    file["y"] = np.arange(3)
    file["z"] = file[["x", "y"][variant]]


def _name_set(name: bytes) -> Callable[[h5py.File, int], None]:
    def write(file: h5py.File, variant: int) -> None:
        character_set = [h5t.CSET_UTF8, h5t.CSET_ASCII][variant]
        h5g.create(file.id, name, lcpl=_link_names(character_set))

    return write


def _latin(file: h5py.File, variant: int) -> None:
    names = _link_names(h5t.CSET_ASCII)
    h5g.create(file.id, [b"gr\xfcn", b"gr\xf6n"][variant], lcpl=names)


def _names(file: h5py.File) -> list:
    names: list[bytes] = []
    file.id.links.iterate(names.append)
    return [(name, file.id.links.get_info(name).cset) for name in sorted(names)]


def _comments(file: h5py.File, variant: int) -> None:
    file["g/t"] = np.dtype("i4")
    for name in ("/", "/x", "/g", "/g/t"):
        h5o.set_comment(file[name].id, [b"by hand ", b"by foot "][variant] + name.encode())


def _attribute_value(file: h5py.File, variant: int) -> None:
    for item in (file, file["x"]):
        create_attribute(item, b"number", 7 + variant)


def _attribute_set(file: h5py.File, variant: int) -> None:
    create_attribute(file["x"], "größe".encode(), 1, is_utf8=variant == 0)


def _attribute_latin(file: h5py.File, variant: int) -> None:
    create_attribute(file["x"], [b"gr\xf6\xdfe", b"gr\xfc\xdfe"][variant], 1)


def _attributes(file: h5py.File) -> list:
    item = file["x"].id
    opened = [h5a.open(item, index=number) for number in range(h5a.get_num_attrs(item))]
    return sorted((one.name, h5a.get_info(item, one.name).cset, one.shape) for one in opened)


def _ordered(file: h5py.File, variant: int) -> None:
    ordered = file.create_dataset("ordered", data=1, track_order=True)
    for name in ("zab", "abz")[variant]:
        ordered.attrs[name] = 1


def _attribute_order(file: h5py.File) -> list:
    item = file["ordered"].id
    order = {"index_type": h5py.h5.INDEX_CRT_ORDER, "order": h5py.h5.ITER_INC}
    return [h5a.open(item, index=n, **order).name for n in range(h5a.get_num_attrs(item))]


def _many_attributes(file: h5py.File, variant: int) -> None:
    """Whether more than 8 attributes go into a heap of their own (message 0x15)."""
    creation = h5p.create(h5p.DATASET_CREATE)
    most, fewest = [(8, 6), (60, 6)][variant]
    assert load().H5Pset_attr_phase_change(ctypes.c_int64(creation.id), most, fewest) >= 0
    space = h5s.create(h5s.SCALAR)
    made = h5py.Dataset(h5d.create(file.id, b"many", h5t.STD_I8LE, space, creation))
    for number in range(20):
        made.attrs[f"a{number}"] = np.int32(number)


def _in_heap(file: h5py.File) -> bool:
    return h5o.get_info(file["many"].id).meta_size.attr.heap_size > 0


def _times(path: Path, variant: int) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=1, track_times=variant == 0)


def _unused(file: h5py.File, variant: int) -> None:
    """A message that was taken out leaves a NIL message (0x00)."""
    file["x"].attrs["gone"] = np.arange(20)
    if variant == 0:
        del file["x"].attrs["gone"]
        file["x"].attrs["gone"] = np.arange(20)


def _long_header(file: h5py.File, variant: int) -> None:
    """A header in several pieces (message 0x10)."""
    for number in range(8):
        file["x"].attrs[f"a{number}"] = np.arange(40)
        if variant == 0:
            h5g.create(file.id, f"between{number}".encode())
    if variant == 1:
        for number in range(8):
            h5g.create(file.id, f"between{number}".encode())


def _unknown(path: Path, variant: int) -> None:
    """A message of a kind that nobody knows, in the place of an attribute."""
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(3)).attrs["MARKED"] = np.int32(5)
    if variant == 1:
        return
    content = bytearray(path.read_bytes())
    # Kind, size, flags and version of an attribute in an old header, then sizes, then its name.
    at = content.index(b"MARKED") - 16
    assert content[at : at + 2] == b"\x0c\x00"
    content[at : at + 2] = b"\x40\x00"
    path.write_bytes(content)


CASES = [
    Case(
        "order of links (message 0x02)",
        _of(_members(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)),
        _link_order,
    ),
    Case("tracked order without an index", _of(_members(h5p.CRT_ORDER_TRACKED)), _link_order),
    Case(
        "link storage settings (message 0x0A)",
        _of(_group_settings, libver="v110"),
        _phase_change,
        "converted",
        lambda _: (8, 6),
        "nothing",
    ),
    Case(
        "symbol tables (message 0x11)",
        _of(lambda file, variant: file.create_group("g"), libver="earliest"),
        lambda file: sorted(file),
        "converted",
        verify="nothing",
    ),
    Case("soft link with a slash at its end", _soft((b"/below/x/", b"/below/xy")), _value(b"soft")),
    Case("soft link with double slashes", _soft((b"/below//x", b"/below/x/")), _value(b"soft")),
    Case("soft link with dots", _soft((b"././x/./y", b"/./x/./yz")), _value(b"soft")),
    Case("soft link that is not UTF-8", _soft((b"/gr\xfc\xdfe", b"/gr\xf6\xdfe")), _value(b"soft")),
    Case("external link", _of(_external), _value(b"far")),
    Case("user-defined link", _of(_user_defined), _has_value),
    Case(
        "hard links (message 0x16)",
        _of(_hard),
        lambda file: (file["z"] == file["x"], h5o.get_info(file["x"].id).rc),
    ),
    Case("character set of a link's name", _of(_name_set("grün".encode())), _names),
    Case("character set of an ASCII name", _of(_name_set(b"plain")), _names, verify="notice"),
    Case("name of a link that is not UTF-8", _of(_latin), _names),
    Case(
        "comment (message 0x0D)",
        _of(_comments),
        lambda file: [comment_of(file[name]) for name in ("/", "/x", "/g", "/g/t")],
    ),
    Case(
        "attribute (message 0x0C)",
        _of(_attribute_value),
        lambda file: (int(file.attrs["number"]), int(file["x"].attrs["number"])),
    ),
    Case("character set of an attribute's name", _of(_attribute_set), _attributes),
    Case("name of an attribute that is not UTF-8", _of(_attribute_latin), _attributes),
    Case("order of attributes (message 0x15)", _of(_ordered), _attribute_order),
    Case(
        "attribute storage settings (message 0x15)",
        _of(_many_attributes, libver="v110"),
        _in_heap,
        "converted",
        lambda _: True,
        "nothing",
    ),
    Case(
        "object times (messages 0x0E and 0x12)",
        _times,
        lambda file: h5o.get_info(file["x"].id).ctime > 0,
        "named",
        lambda _: False,
        "notice",
        "date stamps of HDF5's objects",
    ),
    Case(
        "unused space in a header (message 0x00)",
        _of(_unused),
        lambda file: sorted(file["x"].attrs),
        "converted",
        verify="nothing",
    ),
    Case(
        "continued header (message 0x10)",
        _of(_long_header),
        lambda file: sorted(file["x"].attrs),
        "converted",
        verify="nothing",
    ),
    Case(
        "unknown message (0x09, 0x19 and on)",
        _unknown,
        lambda file: sorted(file["x"].attrs),
        "named",
        verify="difference",
        says="does not know",
    ),
]
