"""All that h5py's low level says of a file, in the words of frazil-hdf5's example `inventory`."""

import ctypes
import subprocess
from pathlib import Path

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5f, h5g, h5l, h5o, h5p, h5s, h5t

from support.command import BINARY
from support.libhdf5 import load

READER = BINARY.parent / "examples" / "inventory"
# Chunks of a dataset that are read through h5py.
MOST_READ = 200

# What is said of an extent that h5py and the file state differently.
GIVEN_BY_SOURCES = "given-by-sources"

PADDING = {0: "NullTerminated", 1: "NullPadded", 2: "SpacePadded"}
ORDER = {0: "Little", 1: "Big", 2: "None", 3: "None", 4: "None"}
FILL_STATUS = {
    h5d.FILL_VALUE_UNDEFINED: "undefined",
    h5d.FILL_VALUE_DEFAULT: "default",
    h5d.FILL_VALUE_USER_DEFINED: "user",
}
FILL_TIME = {
    h5d.FILL_TIME_ALLOC: "Allocation",
    h5d.FILL_TIME_NEVER: "Never",
    h5d.FILL_TIME_IFSET: "IfSet",
}


def ours(path: Path, timeout: float = 20) -> tuple[list[str], str]:
    """What frazil-hdf5 reads, and its error."""
    if not READER.exists():
        message = f"{READER} is missing: run 'make inventory'"
        raise FileNotFoundError(message)
    command = [READER, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    return sorted(done.stdout.splitlines()), done.stderr.strip()


def theirs(path: Path) -> list[str]:
    """What h5py reads."""
    with h5py.File(h5f.open(str(path).encode(), h5f.ACC_RDONLY)) as file:
        walk = _Walk(file.userblock_size)
        walk.visit("/", h5o.open(file.id, b"/"))
        return sorted(walk.lines)


def shown(name: bytes) -> str:
    """A name without spaces, as Rust's `escape_ascii` writes it."""
    special = {0x5C: "\\\\", 0x27: "\\'", 0x22: '\\"', 0x0A: "\\n", 0x09: "\\t", 0x0D: "\\r"}
    return "".join(
        special.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in name
    ).replace(" ", "_")


class _Walk:
    def __init__(self, user_block: int) -> None:
        self.user_block = user_block
        self.lines: list[str] = []
        self.seen: dict[int, str] = {}

    def say(self, *words: object) -> None:
        self.lines.append(" ".join(map(str, words)))

    def visit(self, path: str, item: object) -> None:
        address = h5o.get_info(item).addr
        if address in self.seen:
            self.say(path, "same", self.seen[address])
            return
        self.seen[address] = path
        names = []
        if isinstance(item, h5g.GroupID):
            names = self.group(path, item)
        elif isinstance(item, h5t.TypeID):
            self.say(path, "type", type_text(item))
        else:
            self.dataset(path, item)
        if comment := _comment(item):
            self.say(path, "comment", shown(comment))
        self.attributes(path, item)
        for name in names:
            self.link(f"{path.rstrip('/')}/{shown(name)}", item, name)

    def group(self, path: str, group: h5g.GroupID) -> list[bytes]:
        flags = group.get_create_plist().get_link_creation_order()
        order = h5.INDEX_CRT_ORDER if flags & 1 else h5.INDEX_NAME
        names: list[bytes] = []
        group.links.iterate(lambda name: names.append(name) and None, idx_type=order)
        self.say(path, "group", (flags & 1, flags >> 1 & 1), " ".join(map(shown, names)))
        return names

    def link(self, path: str, group: h5g.GroupID, name: bytes) -> None:
        kind = group.links.get_info(name).type
        if kind == h5l.TYPE_HARD:
            self.visit(path, h5o.open(group, name))
        elif kind == h5l.TYPE_SOFT:
            self.say(path, "soft", shown(group.links.get_val(name)))
        elif kind == h5l.TYPE_EXTERNAL:
            self.say(path, "external", *map(shown, group.links.get_val(name)))
        else:
            self.say(path, "user", kind)

    def dataset(self, path: str, dataset: h5d.DatasetID) -> None:
        datatype, space = dataset.get_type(), dataset.get_space()
        creation = dataset.get_create_plist()
        extent = _stored_extent(creation, space)
        self.say(path, "dataset", extent, type_text(datatype))
        fill = FILL_STATUS[creation.fill_value_defined()]
        if fill == "user" and not is_indirect(datatype):
            fill = _fill_value(creation, datatype)
        self.say(path, "fill", fill, FILL_TIME[creation.get_fill_time()])
        self.say(path, "storage", _storage(dataset, creation, self.user_block))
        if creation.get_layout() == h5d.CHUNKED and (chunks := _chunks(dataset, creation, space)):
            self.say(path, "chunks", " ".join(":".join(map(str, chunk)) for chunk in chunks))

    def attributes(self, path: str, item: object) -> None:
        names: list[bytes] = []
        try:
            h5a.iterate(item, lambda name, *_: names.append(name), index_type=h5.INDEX_CRT_ORDER)
        except (RuntimeError, KeyError):
            h5a.iterate(item, lambda name, *_: names.append(name))
        for name in names:
            attribute = h5a.open(item, name)
            datatype, space = attribute.get_type(), attribute.get_space()
            values = "indirect" if is_indirect(datatype) else _raw_values(attribute, datatype)
            self.say(
                path, "attribute", shown(name), extent_text(space), type_text(datatype), values
            )


def is_indirect(datatype: h5t.TypeID) -> bool:
    kind = datatype.get_class()
    if kind == h5t.STRING:
        return datatype.is_variable_str()
    if kind == h5t.COMPOUND:
        return any(is_indirect(datatype.get_member_type(i)) for i in range(datatype.get_nmembers()))
    if kind == h5t.ARRAY:
        return is_indirect(datatype.get_super())
    return kind in (h5t.VLEN, h5t.REFERENCE)


def type_text(datatype: h5t.TypeID) -> str:
    """A datatype down to the last bit."""
    kind, size = datatype.get_class(), datatype.get_size()
    if kind == h5t.INTEGER:
        bits = f"{datatype.get_precision()}.{datatype.get_offset()}"
        return f"int{size}{int(bool(datatype.get_sign()))}{ORDER[datatype.get_order()]}{bits}"
    if kind == h5t.FLOAT:
        fields = [datatype.get_precision(), datatype.get_offset(), *datatype.get_fields()]
        words = ".".join(map(str, [*fields, datatype.get_ebias()]))
        return f"float{size}{ORDER[datatype.get_order()]}{words}"
    if kind == h5t.STRING:
        form = f"{datatype.get_cset()}{PADDING[datatype.get_strpad()]}"
        return f"vtext{form}" if datatype.is_variable_str() else f"text{size}{form}"
    if kind == h5t.OPAQUE:
        return f"opaque{size}{shown(datatype.get_tag())}"
    if kind == h5t.ENUM:
        return _enum_text(datatype)
    if kind == h5t.COMPOUND:
        return _compound_text(datatype)
    if kind == h5t.ARRAY:
        shape = ",".join(map(str, datatype.get_array_dims()))
        return f"array[{shape}][{type_text(datatype.get_super())}]"
    if kind == h5t.VLEN:
        return f"vlen[{type_text(datatype.get_super())}]"
    if kind == h5t.REFERENCE:
        return _reference_text(datatype)
    return _rare_text(datatype)


def _reference_text(datatype: h5t.TypeReferenceID) -> str:
    if datatype.equal(h5t.STD_REF_OBJ):
        return "object"
    return "region" if datatype.equal(h5t.STD_REF_DSETREG) else "reference"


def _rare_text(datatype: h5t.TypeID) -> str:
    # h5py has no calls for these.
    library, number = load(), _id(datatype.id)
    kind, size = datatype.get_class(), datatype.get_size()
    order = ORDER[library.H5Tget_order(number)]
    if kind == h5t.TIME:
        return f"time{size}{order}"
    if kind == h5t.BITFIELD:
        bits = f"{library.H5Tget_precision(number)}.{library.H5Tget_offset(number)}"
        return f"bits{size}{order}{bits}"
    return f"class{kind}"


def _enum_text(datatype: h5t.TypeEnumID) -> str:
    base = datatype.get_super()
    size = base.get_size()
    members = []
    for i in range(datatype.get_nmembers()):
        value = int(datatype.get_member_value(i)) % (1 << 8 * size)
        number = value.to_bytes(size, "little").hex()
        members.append(f"{shown(datatype.get_member_name(i))}={number}")
    return f"enum[{type_text(base)}]{{{','.join(members)}}}"


def _compound_text(datatype: h5t.TypeCompoundID) -> str:
    # Where heap data are, h5py gives places in memory.
    is_plain = not is_indirect(datatype)
    members = []
    for i in range(datatype.get_nmembers()):
        offset = datatype.get_member_offset(i) if is_plain else ""
        member = type_text(datatype.get_member_type(i))
        members.append(f"{shown(datatype.get_member_name(i))}@{offset}{member}")
    return f"compound{datatype.get_size() if is_plain else ''}{{{','.join(members)}}}"


def extent_text(space: h5s.SpaceID) -> str:
    kind = space.get_simple_extent_type()
    if kind != h5s.SIMPLE:
        return "null" if kind == h5s.NULL else "scalar"
    shape = ",".join(map(str, space.get_simple_extent_dims()))
    most = space.get_simple_extent_dims(True)
    return f"({shape})({','.join('-' if n >= 2**64 - 1 or n < 0 else str(n) for n in most)})"


def _stored_extent(creation: h5p.PropDCID, space: h5s.SpaceID) -> str:
    """The extent in the file: libhdf5 gives unlimited virtual datasets that of their sources."""
    text = extent_text(space)
    is_virtual = creation.get_layout() == h5d.VIRTUAL
    return GIVEN_BY_SOURCES if is_virtual and "-" in text else text


def _storage(dataset: h5d.DatasetID, creation: object, user_block: int) -> str:
    layout = creation.get_layout()
    if layout == h5d.COMPACT:
        return f"compact {dataset.get_storage_size()}"
    if layout == h5d.CONTIGUOUS and creation.get_external_count() > 0:
        return f"external {creation.get_external_count()}"
    if layout == h5d.CONTIGUOUS:
        offset = dataset.get_offset()
        # libhdf5 adds the user block to an undefined address.
        is_none = offset is None or offset < user_block
        return "contiguous none" if is_none else f"contiguous {offset}"
    if layout != h5d.CHUNKED:
        return f"virtual {creation.get_virtual_count()}"
    stages = []
    for i in range(creation.get_nfilters()):
        code, flags, values, _ = creation.get_filter(i)
        stages.append(f"{code}[{', '.join(str(v & 0xFFFFFFFF) for v in values)}]{flags}")
    return f"chunked [{', '.join(map(str, creation.get_chunk()))}] {','.join(stages)}"


def _chunks(dataset: h5d.DatasetID, creation: object, space: h5s.SpaceID) -> list[tuple]:
    """Chunks in the order of their places; none where libhdf5 names wrong ones."""
    if _is_named_wrongly(space):
        return []
    chunk, shape = creation.get_chunk(), space.get_simple_extent_dims()
    grid = [-(-n // c) for n, c in zip(shape, chunk, strict=True)]
    found = []

    def enter(info: object) -> None:
        number = 0
        for at, length, count in zip(info.chunk_offset, chunk, grid, strict=True):
            if at // length >= count:
                return
            number = number * count + at // length
        found.append((number, info.filter_mask, info.byte_offset, info.size))

    dataset.chunk_iter(enter)
    return sorted(found)


def _is_named_wrongly(space: h5s.SpaceID) -> bool:
    """Whether libhdf5's walk (`H5D__earray_idx_iterate_cb`) names other chunks than reading."""
    most = space.get_simple_extent_dims(True)
    return [n for n, length in enumerate(most) if length < 0 or length >= 2**64 - 1] not in (
        [],
        [0],
    ) and len(most) > 1


def wrong_chunks(path: Path, lines: list[str]) -> list[str]:
    """Chunks of our lines whose bytes h5py does not find where the lines say."""
    content, wrong = path.read_bytes(), []
    with h5py.File(path) as file:
        for line in lines:
            name, kind, *records = line.split(" ")
            if kind != "chunks" or name not in file:
                continue
            dataset = file[name]
            grid = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True)]
            for record in records[:MOST_READ]:
                number, mask, address, size = map(int, record.split(":"))
                place = np.unravel_index(number, grid)
                offset = tuple(int(a) * b for a, b in zip(place, dataset.chunks, strict=True))
                found = dataset.id.read_direct_chunk(offset)
                if found != (mask, content[address : address + size]):
                    wrong.append(f"{name} {offset}")
    return wrong


def comparable(lines: list[str], theirs: list[str]) -> list[str]:
    """Our lines without what h5py does not say: some chunks, and extents that sources give."""
    named = {line.split(" ")[0] for line in theirs if " chunks " in line}
    given = {line.split(" ")[0] for line in theirs if f" dataset {GIVEN_BY_SOURCES} " in line}
    kept = []
    for line in lines:
        words = line.split(" ")
        if words[1] == "chunks" and words[0] not in named:
            continue
        if words[1] == "dataset" and words[0] in given:
            words[2] = GIVEN_BY_SOURCES
        kept.append(" ".join(words))
    return sorted(kept)


def _raw_values(attribute: h5a.AttrID, datatype: h5t.TypeID) -> str:
    elements = attribute.get_space().get_simple_extent_npoints()
    if elements == 0 or attribute.get_space().get_simple_extent_type() == h5s.NULL:
        return ""
    values = ctypes.create_string_buffer(elements * datatype.get_size())
    load().H5Aread(_id(attribute.id), _id(datatype.id), values)
    return values.raw.hex()


def _fill_value(creation: object, datatype: h5t.TypeID) -> str:
    value = ctypes.create_string_buffer(datatype.get_size())
    load().H5Pget_fill_value(_id(creation.id), _id(datatype.id), value)
    return value.raw.hex()


def _comment(item: object) -> bytes:
    text = ctypes.create_string_buffer(1 << 16)
    length = load().H5Oget_comment(_id(item.id), text, ctypes.c_size_t(len(text)))
    return text.value if length > 0 else b""


def _id(number: int) -> ctypes.c_int64:
    return ctypes.c_int64(number)
