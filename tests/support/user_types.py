"""Types that programs define: what netCDF libraries say of them, and random files with such."""

import ctypes
import random
from collections.abc import Iterator
from pathlib import Path

from support.netcdf_calls import GLOBAL, STRING, Calls, File, stock_library

VLEN, OPAQUE, ENUM, COMPOUND = 13, 14, 15, 16
FIRST = 32
CHAR = 2
# ctypes' types of netCDF's own, by their numbers.
NUMBERS = {
    1: ctypes.c_int8,
    CHAR: ctypes.c_char,
    3: ctypes.c_int16,
    4: ctypes.c_int32,
    5: ctypes.c_float,
    6: ctypes.c_double,
    7: ctypes.c_uint8,
    8: ctypes.c_uint16,
    9: ctypes.c_uint32,
    10: ctypes.c_int64,
    11: ctypes.c_uint64,
}
INTEGERS = (1, 3, 4, 7, 8, 9, 10, 11)
FIELD_CALLS = ("fieldname", "fieldoffset", "fieldtype", "fieldndims", "fielddim_sizes")
UNLIMITED = 0


class Sequence(ctypes.Structure):
    """`nc_vlen_t`"""

    _fields_ = (("length", ctypes.c_size_t), ("values", ctypes.c_void_p))


class Kind:
    """A type as a library describes it."""

    def __init__(self, calls: Calls, id_: int, number: int) -> None:
        name = ctypes.create_string_buffer(257)
        size, members = ctypes.c_size_t(), ctypes.c_size_t()
        base, class_ = ctypes.c_int(), ctypes.c_int()
        places = map(ctypes.byref, (size, base, members, class_))
        self.status = calls("inq_user_type", id_, number, name, *places)
        self.name, self.size, self.base = name.value, size.value, base.value
        self.members, self.class_ = members.value, class_.value
        self.calls, self.id_, self.number = calls, id_, number

    def fields(self) -> list[tuple]:
        """Name, offset, type and shape of each member."""
        found = []
        for field in range(self.members):
            name, offset = ctypes.create_string_buffer(257), ctypes.c_size_t()
            kind, rank, shape = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 8)()
            places = (name, ctypes.byref(offset), ctypes.byref(kind), ctypes.byref(rank), shape)
            status = self.calls("inq_compound_field", self.id_, self.number, field, *places)
            assert status == 0
            found.append((name.value, offset.value, kind.value, tuple(shape)[: rank.value]))
        return found

    def described(self) -> Iterator[tuple]:
        """All answers of all calls."""
        calls, id_, number = self.calls, self.id_, self.number
        yield number, self.status, self.name, self.size, self.base, self.members, self.class_
        name, size = ctypes.create_string_buffer(257), ctypes.c_size_t()
        yield calls("inq_type", id_, number, name, ctypes.byref(size)), name.value, size.value
        count, base = ctypes.c_size_t(), ctypes.c_int()
        size_at, count_at, base_at = map(ctypes.byref, (size, count, base))
        for call, places in (
            ("compound", (name, size_at, count_at)),
            ("vlen", (name, size_at, base_at)),
            ("opaque", (name, size_at)),
            ("enum", (name, base_at, size_at, count_at)),
            ("compound_name", (name,)),
            ("compound_size", (size_at,)),
            ("compound_nfields", (count_at,)),
        ):
            status = calls(f"inq_{call}", id_, number, *places)
            yield call, status, name.value, size.value, count.value, base.value
        if self.class_ == COMPOUND:
            yield from self._members()
        if self.class_ == ENUM:
            yield from self._names()
        else:
            yield calls("inq_enum_member", id_, number, 0, name, (ctypes.c_char * 8)())

    def _members(self) -> Iterator[tuple]:
        calls, id_, number = self.calls, self.id_, self.number
        for field, (name, *rest) in enumerate(self.fields()):
            yield field, name, *rest
            index = ctypes.c_int(-9)
            status = calls("inq_compound_fieldindex", id_, number, name, ctypes.byref(index))
            yield status, index.value
        for call in FIELD_CALLS:
            for field in (0, self.members - 1, self.members):
                place = (ctypes.c_char * 300)()
                status = calls(f"inq_compound_{call}", id_, number, field, place)
                yield call, field, status, bytes(place)
        index = ctypes.c_int(-9)
        yield calls("inq_compound_fieldindex", id_, number, b"nothing", ctypes.byref(index))

    def _names(self) -> Iterator[tuple]:
        calls, id_, number = self.calls, self.id_, self.number
        name = ctypes.create_string_buffer(257)
        for member in range(self.members + 1):
            value = (ctypes.c_char * 8)()
            status = calls("inq_enum_member", id_, number, member, name, value)
            yield member, status, name.value, bytes(value)
            known = int.from_bytes(
                bytes(value)[: self.size], "little", signed=self.base in (1, 3, 4)
            )
            status = calls("inq_enum_ident", id_, number, ctypes.c_longlong(known), name)
            yield "identifier", known, status, name.value
        for known in (0, 12345):
            status = calls("inq_enum_ident", id_, number, ctypes.c_longlong(known), name)
            yield "identifier", known, status, name.value


class Types:
    """The types of an open file."""

    def __init__(self, file: File) -> None:
        self.calls, self.file = file.calls, file
        self.kinds: dict[int, Kind] = {}
        for group in file.groups():
            for number in self.calls.numbers("inq_typeids", file.root | group):
                self.kinds[number] = Kind(self.calls, file.root | group, number)

    def size(self, number: int) -> int:
        if number == STRING:
            return ctypes.sizeof(ctypes.c_void_p)
        return ctypes.sizeof(NUMBERS[number]) if number in NUMBERS else self.kinds[number].size

    def value(self, number: int, address: int) -> object:
        """What is at a place in memory."""
        if number == STRING:
            return ctypes.c_char_p.from_address(address).value
        if number in NUMBERS:
            return ctypes.string_at(address, self.size(number))
        kind = self.kinds[number]
        if kind.class_ == VLEN:
            one = Sequence.from_address(address)
            return self.values(kind.base, one.values, one.length) if one.length else []
        if kind.class_ == COMPOUND:
            found = []
            for name, offset, field, shape in kind.fields():
                count = 1
                for length in shape:
                    count *= length
                found.append((name, self.values(field, address + offset, count)))
            return found
        return ctypes.string_at(address, kind.size)

    def values(self, number: int, address: int, count: int) -> list:
        size = self.size(number)
        return [self.value(number, address + i * size) for i in range(count)]

    def freed(self, id_: int, number: int, memory: ctypes.Array, count: int) -> list:
        """What is said when values are copied and freed."""
        copy = ctypes.c_void_p()
        call = self.calls(
            "copy_data_all", id_, number, memory, ctypes.c_size_t(count), ctypes.byref(copy)
        )
        same = self.values(number, copy.value, count) if call == 0 and count else []
        done = [
            self.calls("reclaim_data_all", id_, number, copy, ctypes.c_size_t(count)),
            self.calls("reclaim_data", id_, number, memory, ctypes.c_size_t(count)),
        ]
        return [call, same, done]

    def attribute(self, id_: int, varid: int, name: bytes) -> Iterator[tuple]:
        kind, length = ctypes.c_int(), ctypes.c_size_t()
        self.calls("inq_att", id_, varid, name, ctypes.byref(kind), ctypes.byref(length))
        if kind.value < FIRST:
            return
        memory = (ctypes.c_char * (self.size(kind.value) * length.value))()
        status = self.calls("get_att", id_, varid, name, memory)
        values = self.values(kind.value, ctypes.addressof(memory), length.value)
        yield name, kind.value, status, values
        yield name, self.freed(id_, kind.value, memory, length.value)

    def part(self, id_: int, varid: int, start: list, count: list, stride: list | None) -> tuple:
        """Status and values of a part of a variable."""
        number = self.calls.ints("inq_vartype", 1, id_, varid)[1]
        elements = 1
        for length in count:
            elements *= length
        memory = (ctypes.c_char * max(self.size(number) * elements, 1))()
        numbers = [(ctypes.c_size_t * max(len(one), 1))(*one) for one in (start, count)]
        step = () if stride is None else ((ctypes.c_ssize_t * max(len(stride), 1))(*stride),)
        call = "get_vara" if stride is None else "get_vars"
        status = self.calls(call, id_, varid, *numbers, *step, memory)
        if status != 0:
            return (status,)
        values = self.values(number, ctypes.addressof(memory), elements)
        return status, values, self.freed(id_, number, memory, elements)

    def fill(self, id_: int, varid: int) -> tuple:
        number = self.calls.ints("inq_vartype", 1, id_, varid)[1]
        memory, no_fill = (ctypes.c_char * self.size(number))(), ctypes.c_int(-9)
        status = self.calls("inq_var_fill", id_, varid, ctypes.byref(no_fill), memory)
        return status, no_fill.value, self.value(number, ctypes.addressof(memory))

    def inventory(self) -> Iterator[tuple]:
        """All that is said of types, and all values of such types."""
        root, calls = self.file.root, self.calls
        last = max(self.kinds, default=FIRST)
        for number in (-1, 0, 4, STRING, 20, last + 1):
            yield number, Kind(calls, root, number).status
        for number, kind in self.kinds.items():
            yield from kind.described()
            for other in (4, *self.kinds):
                yield other, calls.ints("inq_type_equal", 1, root, number, root, other)
        for group in self.file.groups():
            id_ = root | group
            for name in (
                *(kind.name for kind in self.kinds.values()),
                b"int",
                b"none of them",
                b"a/b",
            ):
                yield name, calls.ints("inq_typeid", 1, id_, name)
            for name in self._attributes(id_, GLOBAL):
                yield from self.attribute(id_, GLOBAL, name)
            for varid in calls.numbers("inq_varids", id_):
                for name in self._attributes(id_, varid):
                    yield from self.attribute(id_, varid, name)
                if calls.ints("inq_vartype", 1, id_, varid)[1] >= FIRST:
                    yield from self._variable(id_, varid)

    def _attributes(self, id_: int, varid: int) -> list[bytes]:
        call, more = ("inq_natts", ()) if varid == GLOBAL else ("inq_varnatts", (varid,))
        count = self.calls.ints(call, 1, id_, *more)[1]
        return [self.file.text("inq_attname", id_, varid, number)[1] for number in range(count)]

    def _variable(self, id_: int, varid: int) -> Iterator[tuple]:
        yield varid, self.calls.ints("inq_var_endian", 1, id_, varid), self.fill(id_, varid)
        rank = self.calls.ints("inq_varndims", 1, id_, varid)[1]
        axes = (ctypes.c_int * 8)()
        self.calls("inq_vardimid", id_, varid, axes)
        shape = [self.file.dimension(id_, axis)[2] for axis in list(axes)[:rank]]
        yield varid, self.part(id_, varid, [0] * rank, shape, None)
        thinned = [-(-length // 2) for length in shape]
        yield varid, self.part(id_, varid, [0] * rank, thinned, [2] * rank)
        beyond = [length + 1 for length in shape]
        if rank:
            yield varid, self.part(id_, varid, [0] * rank, beyond, None)
        for memory, kind in (("int", ctypes.c_int), ("text", ctypes.c_char)):
            room = (kind * 1000)()
            yield memory, self.calls(f"get_var_{memory}", id_, varid, room)
        room = (ctypes.c_char * 8)()
        numbers = (ctypes.c_size_t * 8)()
        yield self.calls("get_varm", id_, varid, numbers, numbers, None, numbers, room)


class Author:
    """Writes a random file with types of its own, by netCDF-C."""

    def __init__(
        self,
        path: Path,
        seed: int,
        calls: Calls | None = None,
        *,
        is_fixed: bool = False,
        fills: float = 0.0,
    ) -> None:
        self.calls, self.some = calls or Calls(stock_library()), random.Random(seed)
        # The share of variables with strings or sequences that get a fill value: netCDF-C alone
        # reads these.
        self.fills = fills
        # Whether values have no strings or sequences.
        self.is_fixed = is_fixed
        self.kept: list = []
        # By number: class, size, and base or fields; of netCDF's own types the size.
        self.types: dict[int, tuple] = {}
        self.indirect = {STRING}
        # netCDF-C has no values of those that are not laid out as this machine does.
        self.odd: set[int] = set()
        # The group that each is in.
        self.homes: dict[int, int] = {}
        # Lengths of dimensions, groups, and variables with their types and axes.
        self.dimensions: dict[int, int] = {}
        self.groups: list[int] = []
        self.variables: list[tuple] = []
        number = ctypes.c_int()
        self.done("create", str(path).encode(), 0x1000, ctypes.byref(number))
        self.root = number.value

    def done(self, name: str, *arguments: object) -> None:
        status = self.calls(name, *arguments)
        assert status == 0, (name, status)

    def numbered(self, name: str, *arguments: object) -> int:
        number = ctypes.c_int()
        self.done(name, *arguments, ctypes.byref(number))
        return number.value

    def size(self, number: int) -> int:
        if number == STRING:
            return ctypes.sizeof(ctypes.c_void_p)
        return ctypes.sizeof(NUMBERS[number]) if number in NUMBERS else self.types[number][1]

    def alignment(self, number: int) -> int:
        if number in NUMBERS or number == STRING:
            return self.size(number)
        class_, _, inside = self.types[number]
        if class_ == COMPOUND:
            return max(self.alignment(field) for _, field, _ in inside)
        return {VLEN: 8, OPAQUE: 1}.get(class_) or self.alignment(inside)

    def any_type(self) -> int:
        return self.some.choice([*NUMBERS, STRING, *self.types, *self.types])

    def define_type(self, id_: int) -> None:
        some, name = self.some, f"t{len(self.types)}".encode()
        self.homes[32 + len(self.types)] = id_
        class_ = some.choice([ENUM, OPAQUE, VLEN, COMPOUND, COMPOUND])
        if class_ == ENUM:
            self.define_enum(id_, name)
        elif class_ == OPAQUE:
            size = some.randrange(1, 20)
            number = self.numbered("def_opaque", id_, ctypes.c_size_t(size), name)
            self.types[number] = (OPAQUE, size, None)
        elif class_ == VLEN:
            base = self.any_type()
            number = self.numbered("def_vlen", id_, name, base)
            self.types[number] = (VLEN, ctypes.sizeof(Sequence), base)
            self.indirect.add(number)
            self.odd |= {number} if base in self.odd else set()
        else:
            self.define_compound(id_, name)

    def define_enum(self, id_: int, name: bytes) -> None:
        base = self.some.choice(INTEGERS)
        number = self.numbered("def_enum", id_, base, name)
        for member in range(self.some.randrange(1, 5)):
            value = NUMBERS[base](member * 3)
            self.done("insert_enum", id_, number, f"m{member}".encode(), ctypes.byref(value))
        self.types[number] = (ENUM, self.size(base), base)

    def define_compound(self, id_: int, name: bytes) -> None:
        some = self.some
        style = some.choice(["packed", "aligned", "aligned", "loose"])
        fields, end, most = [], 0, 1
        for _ in range(some.randrange(1, 5)):
            kind = self.any_type()
            shape = [some.randrange(1, 4) for _ in range(some.choice([0, 0, 0, 1, 2]))]
            if style != "packed":
                step = self.alignment(kind)
                most = max(most, step)
                end = -(-end // step) * step
            fields.append((end, kind, shape))
            count = 1
            for length in shape:
                count *= length
            end += count * self.size(kind) + (some.randrange(5) if style == "loose" else 0)
        if style != "packed":
            end = -(-end // most) * most
        number = self.numbered("def_compound", id_, ctypes.c_size_t(end), name)
        for index, (offset, kind, shape) in enumerate(fields):
            place = (id_, number, f"f{index}".encode(), ctypes.c_size_t(offset), kind)
            if shape:
                lengths = (ctypes.c_int * len(shape))(*shape)
                self.done("insert_array_compound", *place, len(shape), lengths)
            else:
                self.done("insert_compound", *place)
        self.types[number] = (COMPOUND, end, fields)
        if any(kind in self.indirect for _, kind, _ in fields):
            self.indirect.add(number)
        if style != "aligned" or any(kind in self.odd for _, kind, _ in fields):
            self.odd.add(number)

    def encoded(self, number: int) -> bytes:
        """A random value as it is in memory."""
        some = self.some
        if number == STRING:
            text = ctypes.create_string_buffer("ü".encode() * some.randrange(1, 9))
            self.kept.append(text)
            return bytes(ctypes.c_void_p(ctypes.addressof(text)))
        if number == CHAR:
            return b"%c" % some.randrange(65, 91)
        if number in NUMBERS:
            return bytes(NUMBERS[number](some.randrange(100)))
        class_, size, inside = self.types[number]
        if class_ == ENUM:
            return bytes(NUMBERS[inside](0))
        if class_ == OPAQUE:
            return some.randbytes(size)
        if class_ == VLEN:
            length = some.choice([0, 1, 2, 5])
            memory = self.memory(inside, length)
            return bytes(Sequence(length, ctypes.addressof(memory)))
        value = bytearray(size)
        for offset, kind, shape in inside:
            count = 1
            for length in shape:
                count *= length
            for index in range(count):
                at = offset + index * self.size(kind)
                value[at : at + self.size(kind)] = self.encoded(kind)
        return bytes(value)

    def memory(self, number: int, count: int) -> ctypes.Array:
        values = b"".join(self.encoded(number) for _ in range(count))
        memory = (ctypes.c_char * max(len(values), 1)).from_buffer_copy(values or b"\0")
        self.kept.append(memory)
        return memory

    def usual_type(self, id_: int) -> int:
        """One that readers know where they meet a variable of this group."""
        near = (self.root, id_)
        usual = [number for number in self.types if number not in self.odd]
        if self.is_fixed:
            usual = [number for number in usual if number not in self.indirect]
        return self.some.choice([number for number in usual if self.homes[number] in near])

    def define_attributes(self, id_: int, varid: int) -> None:
        for index in range(self.some.randrange(3)):
            number, length = self.usual_type(id_), self.some.randrange(1, 4)
            place = (id_, varid, f"a{index}".encode(), number, ctypes.c_size_t(length))
            self.done("put_att", *place, self.memory(number, length))

    def define_variable(self, id_: int, dimensions: dict[int, int]) -> tuple:
        some, number = self.some, self.usual_type(id_)
        axes = some.choice([[], [*dimensions][1:], [*dimensions]])
        axis_ids = (ctypes.c_int * max(len(axes), 1))(*axes)
        name = f"v{some.randrange(10**9)}".encode()
        varid = self.numbered("def_var", id_, name, number, len(axes), axis_ids)
        is_direct = number not in self.indirect
        if is_direct and axes and some.random() < 0.6:
            self.done("def_var_deflate", id_, varid, some.randrange(2), 1, 1)
        if some.random() < (0.3 if is_direct else self.fills):
            self.done("def_var_fill", id_, varid, 0, self.memory(number, 1))
        self.define_attributes(id_, varid)
        return varid, number, axes

    def put(self, id_: int, variable: tuple, dimensions: dict[int, int]) -> None:
        varid, number, axes = variable
        if self.some.random() < 0.2:
            return
        shape = [dimensions[axis] for axis in axes]
        count = 1
        for length in shape:
            count *= length
        start = (ctypes.c_size_t * 4)()
        lengths = (ctypes.c_size_t * 4)(*shape)
        self.done("put_vara", id_, varid, start, lengths, self.memory(number, count))

    def write(self) -> None:
        some, dimensions = self.some, self.dimensions
        for name, length, records in ((b"time", UNLIMITED, 3), (b"x", 6, 6)):
            dimid = self.numbered("def_dim", self.root, name, ctypes.c_size_t(length))
            dimensions[dimid] = records
        groups = self.groups
        groups.append(self.root)
        for index in range(some.randrange(3)):
            groups.append(self.numbered("def_grp", some.choice(groups), f"g{index}".encode()))
        # A type is written before those in groups below, which may be made of it.
        below = some.choice(groups)
        self.homes[32] = self.root
        self.define_enum(self.root, b"t0")
        for index in range(some.randrange(2, 9)):
            self.define_type(below if index > 2 else self.root)
        variables = self.variables
        for id_ in groups:
            self.define_attributes(id_, GLOBAL)
            variables += [
                (id_, self.define_variable(id_, dimensions)) for _ in range(some.randrange(1, 5))
            ]
        self.done("enddef", self.root)
        for id_, variable in variables:
            self.put(id_, variable, dimensions)
        self.done("close", self.root)


def random_file(
    path: Path,
    seed: int,
    calls: Calls | None = None,
    *,
    is_fixed: bool = False,
    fills: float = 0.0,
) -> Path:
    """A file with random types, variables and attributes, by netCDF-C or another library."""
    Author(path, seed, calls, is_fixed=is_fixed, fills=fills).write()
    return path
