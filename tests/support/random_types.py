"""Random calls about types that programs define, and values of such."""

import random
import struct

from support.call_pairs import Array, Out, Size
from support.random_model import Known, Variable
from support.random_values import TEXTS
from support.typed_values import (
    CHOICE,
    IN_MEMORY,
    INDIRECT,
    PLAIN,
    POINTING,
    RAW_BYTES,
    Elements,
)

# As buffers have room for.
MOST_ELEMENTS = 400


class TypeCalls:
    """The part of `random_calls.Caller` that makes them."""

    dice: random.Random
    known: Known
    has_types: bool

    def define_types(self) -> None:
        self.group, self.has_types = 0, True
        self.call("def_enum", 4, b"choice", Out())
        for number in range(3):
            self.call("insert_enum", CHOICE, b"m%d" % number, Array("int", (number,)))
        self.call("def_opaque", Size(RAW_BYTES), b"raw", Out())
        self.call("def_vlen", b"rows", 4, Out())
        self.call("def_compound", Size(16), b"plain", Out())
        self.call("insert_compound", PLAIN, b"value", Size(0), 6)
        counts = (PLAIN, b"counts", Size(8), CHOICE, 1, Array("int", (2,)))
        self.call("insert_array_compound", *counts)
        self.call("def_compound", Size(16), b"pointing", Out())
        self.call("insert_compound", POINTING, b"number", Size(0), 4)
        self.call("insert_compound", POINTING, b"share", Size(4), 5)
        self.call("insert_compound", POINTING, b"text", Size(8), 12)

    def elements(self, kind: int, count: int) -> Elements:
        return Elements(kind, tuple(self.element(kind) for _ in range(count)))

    def element(self, kind: int) -> object:
        dice = self.dice
        match kind:
            case 32:
                return dice.randrange(3)
            case 33:
                return dice.randbytes(RAW_BYTES)
            case 34:
                return tuple(dice.randrange(99) for _ in range(dice.choice([0, 1, 2, 5])))
            case 35:
                return dice.random(), dice.randrange(3), dice.randrange(3)
        # Empty texts and those that are not there are read as the same.
        return dice.randrange(99), 0.5, dice.choice([*TEXTS[1:], None])

    def define_typed(self) -> None:
        """A variable or an attribute of such a type."""
        kind = self.dice.choice(list(IN_MEMORY))
        if self.often(0.5):
            count, name = self.dice.choice([1, 1, 2, 5]), b"a%d" % self.dice.randrange(12)
            owner = self.owner()
            if not self.call("inq_attid", owner, name, Out()):
                self.call("put_att", owner, name, kind, Size(count), self.elements(kind, count))
            return
        ids = [self.dimid() for _ in range(self.dice.choice([0, 1, 1, 2]))]
        lengths = [self.known.dims.get(dimid, (1, 0, b""))[0] for dimid in ids]
        if self.has_left and ids and not any(lengths):
            # As of numbers.
            return
        # No coordinate variable.
        name = b"u%d" % self.dice.randrange(12)
        if told := self.call("def_var", name, kind, len(ids), Array("int", tuple(ids)), Out()):
            self.own().append(Variable(name, kind, ids))
            self.is_reordered |= self.is_opened
            if self.often(0.4) and not self.has_left:
                self.define_fill(struct.unpack_from("i", told[0])[0], kind)

    def define_fill(self, varid: int, kind: int) -> None:
        """A fill value: by one call or the other, or by both."""
        if self.often(0.6):
            self.call("def_var_fill", varid, 0, self.elements(kind, 1))
        if self.often(0.5):
            other = self.dice.choice([kind, kind, *IN_MEMORY])
            elements = self.elements(other, 1)
            self.call("put_att", varid, b"_FillValue", other, Size(1), elements)
        if kind in INDIRECT:
            self.call("inq_var_fill", varid, self.out(), Out("elements", 1, kind))

    def typed_values(self, way: str, varid: int, variable: Variable) -> None:
        """Puts or gets a part of a variable."""
        start, count = self.region(variable)
        if way == "get" and any(self.length(dimid) == 0 for dimid in variable.dims):
            # netCDF-C puts fill values where others belong.
            count = [1] * len(count)
        total = 1
        for length in count:
            total *= length
        if total > MOST_ELEMENTS:
            return
        place = Array("size", tuple(start)), Array("size", tuple(count))
        given = Out("elements", total, variable.kind)
        if way == "put":
            given = self.elements(variable.kind, total)
        self.call(f"{way}_vara", varid, *place, given)
