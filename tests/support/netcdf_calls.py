"""netCDF's C calls of any library, and everything that they say of a file."""

import ctypes
import math
from collections.abc import Iterator
from pathlib import Path

import netCDF4

GLOBAL = -1
NAME_BYTES = 257
FLOAT, DOUBLE, STRING = 5, 6, 12
# Inquiries of storage, and how many numbers each gives.
STORAGE = {"deflate": 3, "fletcher32": 1, "szip": 2, "endian": 1, "quantize": 2}
# Names of calls by the type of values in memory, with ctypes' types.
KINDS = {
    "schar": ctypes.c_int8,
    "uchar": ctypes.c_uint8,
    "short": ctypes.c_int16,
    "ushort": ctypes.c_uint16,
    "int": ctypes.c_int32,
    "uint": ctypes.c_uint32,
    "longlong": ctypes.c_int64,
    "ulonglong": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


def stock_library() -> Path:
    """The netCDF-C that came with the Python package."""
    folder = Path(netCDF4.__file__).parents[1]
    return next(iter((folder / "netcdf4.libs").glob("libnetcdf*.so*")))


class Calls:
    """One library's functions, by netCDF's names."""

    def __init__(self, library: Path, prefix: str = "") -> None:
        self._library = ctypes.CDLL(str(library))
        self._prefix = prefix

    def __call__(self, name: str, *arguments: object) -> int:
        return getattr(self._library, f"{self._prefix}nc_{name}")(*arguments)

    def open(self, path: Path) -> int:
        """The number of a file that is opened for reading."""
        number = ctypes.c_int()
        status = self("open", str(path).encode(), 0, ctypes.byref(number))
        assert status == 0, (path, status)
        return number.value

    def numbers(self, name: str, id_: int, *more: object) -> list[int]:
        """A list of numbers, which the call gives in two steps."""
        count = ctypes.c_int()
        assert self(name, id_, ctypes.byref(count), None, *more) == 0
        found = (ctypes.c_int * max(count.value, 1))()
        assert self(name, id_, ctypes.byref(count), found, *more) == 0
        return list(found)[: count.value]

    def ints(self, name: str, count: int, *arguments: object) -> tuple[int, ...]:
        """Status and the numbers that a call gives."""
        found = [ctypes.c_int(-9) for _ in range(count)]
        return (self(name, *arguments, *map(ctypes.byref, found)), *(n.value for n in found))


class File:
    """An open file in one library's hands."""

    def __init__(self, calls: Calls, path: Path) -> None:
        self.calls, self.root = calls, calls.open(path)

    def close(self) -> int:
        return self.calls("close", self.root)

    def groups(self) -> list[int]:
        """Numbers of groups, without the file's part."""
        found, below = [], [0]
        while below:
            group = below.pop()
            found.append(group)
            ids = self.calls.numbers("inq_grps", self.root | group)
            below.extend(sorted((id_ & 0xFFFF for id_ in ids), reverse=True))
        return found

    def inventory(self) -> Iterator[tuple]:
        """All that is said of groups, dimensions, variables, attributes and storage."""
        calls = self.calls
        yield "format", calls.ints("inq_format", 1, self.root)
        yield "extended", calls.ints("inq_format_extended", 2, self.root)
        for group in self.groups():
            id_ = self.root | group
            yield "group", group, calls.ints("inq", 4, id_), self.text("inq_grpname", id_)
            yield "unlimited", calls.numbers("inq_unlimdims", id_)
            for dimid in calls.numbers("inq_dimids", id_, 0):
                yield "dimension", dimid, *self.dimension(id_, dimid)
            yield from self.attributes(id_, GLOBAL)
            for varid in calls.numbers("inq_varids", id_):
                yield from self.variable(id_, varid)

    def text(self, name: str, *arguments: object) -> tuple[int, bytes]:
        text = ctypes.create_string_buffer(NAME_BYTES)
        return self.calls(name, *arguments, text), text.value

    def dimension(self, id_: int, dimid: int) -> tuple[int, bytes, int]:
        name, length = ctypes.create_string_buffer(NAME_BYTES), ctypes.c_size_t()
        status = self.calls("inq_dim", id_, dimid, name, ctypes.byref(length))
        return status, name.value, length.value

    def attributes(self, id_: int, varid: int) -> Iterator[tuple]:
        count = self.calls.ints("inq_natts", 1, id_)[1]
        if varid != GLOBAL:
            count = self.calls.ints("inq_varnatts", 1, id_, varid)[1]
        for number in range(count + 1):
            status, name = self.text("inq_attname", id_, varid, number)
            yield "attribute", number, status, name
            if status == 0:
                yield from self.attribute(id_, varid, name)
        yield from self.attribute(id_, varid, b"not there")

    def attribute(self, id_: int, varid: int, name: bytes) -> Iterator[tuple]:
        kind, length = ctypes.c_int(), ctypes.c_size_t()
        status = self.calls("inq_att", id_, varid, name, ctypes.byref(kind), ctypes.byref(length))
        yield "inq_att", name, status, kind.value, length.value
        if kind.value == STRING:
            texts = (ctypes.c_char_p * max(length.value, 1))()
            status = self.calls("get_att_string", id_, varid, name, texts)
            yield "strings", name, status, list(texts)
        for memory in ("text", *KINDS) if status == 0 and kind.value != STRING else ():
            values = (KINDS.get(memory, ctypes.c_char) * (length.value + 1))()
            status = self.calls(f"get_att_{memory}", id_, varid, name, values)
            yield memory, name, status, bytes(values) if status == 0 else b""

    def variable(self, id_: int, varid: int) -> Iterator[tuple]:
        calls = self.calls
        name = ctypes.create_string_buffer(NAME_BYTES)
        kind, rank, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        axes = (ctypes.c_int * 32)()
        places = map(ctypes.byref, (kind, rank))
        status = calls("inq_var", id_, varid, name, *places, axes, ctypes.byref(count))
        yield "variable", varid, status, name.value, kind.value, rank.value, count.value
        yield "axes", list(axes)[: rank.value]
        chunks = (ctypes.c_size_t * 32)()
        storage = ctypes.c_int()
        status = calls("inq_var_chunking", id_, varid, ctypes.byref(storage), chunks)
        yield "storage", status, storage.value, list(chunks)
        for call, numbers in STORAGE.items():
            yield call, calls.ints(f"inq_var_{call}", numbers, id_, varid)
        fill = (ctypes.c_uint64 * 1)()
        if kind.value < STRING:
            no_fill = ctypes.c_int()
            status = calls("inq_var_fill", id_, varid, ctypes.byref(no_fill), fill)
            yield "fill", status, no_fill.value, list(fill)
        yield from self.attributes(id_, varid)

    def part(
        self, id_: int, varid: int, memory: str, start: list, count: list, stride: list | None
    ) -> tuple[int, object]:
        """Status and values of a part."""
        room = math.prod(count) + 1
        numbers = [(ctypes.c_size_t * max(len(one), 1))(*one) for one in (start, count)]
        call, step = "vara", ()
        if stride is not None:
            call, step = "vars", ((ctypes.c_ssize_t * max(len(stride), 1))(*stride),)
        if memory == "string":
            texts = (ctypes.c_char_p * room)()
            status = self.calls(f"get_{call}_string", id_, varid, *numbers, *step, texts)
            return status, list(texts) if status == 0 else None
        values = (KINDS.get(memory, ctypes.c_char) * room)()
        status = self.calls(f"get_{call}_{memory}", id_, varid, *numbers, *step, values)
        return status, bytes(values) if status == 0 else None
