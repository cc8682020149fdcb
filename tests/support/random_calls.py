"""Random sequences of netCDF's calls, seldom wrong ones."""

import math
import random
import struct

from support.call_pairs import Array, Call, Group, Out, Pair, Size
from support.netcdf_calls import GLOBAL
from support.random_model import Known, Variable
from support.random_storage import StorageCalls
from support.random_types import TypeCalls
from support.random_values import DEFINED, STRING, RandomValues, composed
from support.typed_values import IN_MEMORY, INDIRECT

NETCDF4, CLASSIC_MODEL, WRITE = 0x1000, 0x100, 1
# Calls that leave define mode.
LEAVING = ("enddef", "_enddef", "sync", "put_var", "get_var")
ODD_NAMES = [b"", b"_x", b"a/b", b"x ", b"-x", b"long_name", b"x" * 200, b"y" * 257, b"\xc3\xa9"]
# Also of wrong forms: `\xff` is no UTF-8.
ODD_NAMES += [b"e\xcc\x81", b"\xff", b"with space", b"CLASS", b"_NCProperties", b"units"]
# As many as buffers have room for, and elements along an axis that may be inside.
MOST_VALUES = 600
MOST_ELEMENTS = 8
FORMAT_NAMES = {b"CLASS", b"_NCProperties"}


class Caller(StorageCalls, TypeCalls):
    """Makes calls on a pair of files, and remembers what they have made."""

    def __init__(self, pair: Pair, dice: random.Random) -> None:
        self.pair, self.dice = pair, dice
        self.random = RandomValues(dice)
        self.known = Known()
        self.has_types = False
        self.is_no_fill = False
        self.is_read = False
        self.is_opened = False
        self.group = 0
        # Whether define mode was left, so that attributes are in the file.
        self.has_left = False
        # Whether an attribute was changed then: netCDF-C puts it behind the others in the file.
        self.is_reordered = False
        # Names of attributes that were changed then.
        self.changed: set[bytes] = set()
        # In a file that it has opened, netCDF-C fails at times to make a variable of a dimension
        # that others have. If frazil gives a file back late, netCDF-C goes on with an opened one.
        self.is_reopened = False
        self.has_late_scale = False

    def call(self, name: str, *arguments: object, is_defined: bool = False) -> list | None:
        """The outputs; None if the call fails."""
        call = Call(name, self.group, arguments, is_defined)
        status, outputs = self.pair.call(call)
        # Also where what they are to do is refused.
        self.has_left |= name.startswith(LEAVING)
        return outputs if status == 0 else None

    def often(self, share: float) -> bool:
        return self.dice.random() < share

    # What calls are about.

    def name(self, kind: bytes) -> bytes:
        """Names of different kinds seldom meet: netCDF-C mistakes one for the other in renaming."""
        if self.often(0.9):
            return kind + b"%d" % self.dice.randrange(12)
        odd = self.dice.choice(ODD_NAMES)
        return odd if kind == b"n" or self.often(0.5) else kind + odd

    def pick_group(self) -> None:
        groups = list(self.known.parents)
        self.group = self.dice.choice(groups) if self.often(0.98) else len(groups) + 2

    def own(self) -> list[Variable]:
        return self.known.variables.get(self.group, [])

    def variable(self) -> tuple[int, Variable | None]:
        own = self.own()
        if own and self.often(0.97):
            varid = self.dice.randrange(len(own))
            return varid, own[varid]
        return self.dice.choice([len(own), len(own) + 3, -1, -2]), None

    def varid(self) -> int:
        return self.variable()[0]

    def owner(self) -> int:
        return GLOBAL if self.often(0.3) else self.varid()

    def visible_dims(self) -> list[int]:
        groups, at = set(), self.group
        while at is not None and at in self.known.parents:
            groups.add(at)
            at = self.known.parents[at]
        return [dimid for dimid, (_, group, _) in self.known.dims.items() if group in groups]

    def foreign_dims(self) -> list[int]:
        """Those that netCDF-C lets a variable have, although no group above has them.

        It stores groups one after the other, each before those below it, and fails where a
        dimension comes later than its variable. How long unlimited ones are, it looks up below
        their group alone.
        """
        if self.group not in self.known.parents:
            return []
        visible = set(self.visible_dims())
        return [
            dimid
            for dimid, (length, group, _) in self.known.dims.items()
            if dimid not in visible and length > 0 and self.is_before(group)
        ]

    def is_before(self, group: int) -> bool:
        """Whether netCDF-C stores a group before the one that is asked."""

        def path(at: int | None) -> list[int]:
            return [] if at is None else [*path(self.known.parents[at]), at]

        return path(group) < path(self.group)

    def dimid(self) -> int:
        foreign = self.foreign_dims()
        if foreign and self.often(0.1):
            return self.dice.choice(foreign)
        visible = self.visible_dims()
        if visible and self.often(0.97):
            return self.dice.choice(visible)
        return self.dice.choice([len(self.known.dims), len(self.known.dims) + 2, -1, 0])

    def out(self, kind: str = "values", count: int = 0) -> Out | None:
        """A place for an output, or none."""
        # Some calls look at nothing else then.
        is_wanted = self.often(0.93) or self.group not in self.known.parents
        return Out(kind, count) if is_wanted else None

    # Calls.

    def def_dim(self) -> None:
        length = self.dice.choice([0, 0, 1, 2, 3, 5, 8])
        name = self.name(b"d")
        if told := self.call("def_dim", name, Size(length), Out()):
            name = composed(name)
            self.known.dims[first(told[0])] = length, self.group, name

    def def_var(self) -> None:
        rank = self.dice.choice([0, 1, 1, 2, 2, 3])
        ids = [self.dimid() for _ in range(rank)]
        lengths = [self.known.dims.get(dimid, (1, 0, b""))[0] for dimid in ids]
        if self.has_left and rank > 0 and not any(lengths):
            # How long they are by now, as far as netCDF-C has noticed, makes chunks smaller there.
            return
        name = self.name(b"v")
        own = [n for _, group, n in self.known.dims.values() if group == self.group]
        is_scale = bool(ids) and ids[0] in self.known.dims
        if is_scale and not self.is_reopened and self.often(0.25):
            name = self.known.dims[ids[0]][2]
            self.has_late_scale |= self.has_left
        elif own and self.often(0.03):
            name = self.dice.choice(own)
        kind = self.dice.randrange(1, 13) if self.often(0.98) else self.dice.choice([0, 13, 40, -1])
        if self.call("def_var", name, kind, rank, Array("int", tuple(ids)), Out()):
            name = composed(name)
            is_unsure = self.is_no_fill and kind != STRING
            is_first = bool(ids) and self.known.dims[ids[0]][1:] == (self.group, name)
            is_secret = name in own and not is_first
            self.own().append(Variable(name, kind, ids, is_unsure, is_secret=is_secret))
            # netCDF-C forgets the order of attributes of what is new in a file that was opened.
            self.is_reordered |= self.is_opened

    def put_att(self) -> None:
        owner = self.owner()
        variable = self.own()[owner] if 0 <= owner < len(self.own()) else None
        name = self.name(b"n")
        stored = self.dice.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        count = self.dice.choice([0, 1, 1, 2, 5])
        # If it is set late, netCDF-C moves the variable behind the others, and mixes old and new.
        may_fill = variable and not variable.is_unsure and variable.kind <= STRING
        if may_fill and not self.has_left and self.often(0.25):
            name = b"_FillValue"
            if self.often(0.9):
                stored, count = variable.kind, 1
        memory = self.random.kind_for(stored)
        if self.often(0.02):
            stored = self.dice.choice([0, 13, -1, 100])
        if owner == GLOBAL and self.group != 0 and name in FORMAT_NAMES:
            # netCDF-C writes them there, and does not show them.
            return
        values = self.random.memory(memory, count, stored)
        size = Size(count)
        if self.call("inq_attid", owner, name, Out()):
            self.is_reordered |= self.has_left
            self.changed |= {composed(name)} if self.has_left else set()
        if memory == "text":
            self.call("put_att_text", owner, name, size, values)
        elif memory == "string":
            self.call("put_att_string", owner, name, size, values)
        else:
            self.call(f"put_att_{memory}", owner, name, stored, size, values)

    def known_attribute(self, owner: int) -> tuple[bytes, int, int]:
        """Name, type and length of an attribute, perhaps of one that is not there."""
        number = self.dice.randrange(4)
        told = self.call("inq_attname", owner, number, Out())
        name = told[0].split(b"\0")[0] if told and self.often(0.9) else self.name(b"n")
        if name == b"_NCProperties":
            # It says who writes the file.
            self.call("inq_att", owner, name, None, None)
            return name, 0, 0
        told = self.call("inq_att", owner, name, Out(), Out())
        if not told:
            return name, 0, 0
        return name, first(told[0]), struct.unpack_from("Q", told[1])[0]

    def read_att(self) -> None:
        owner = self.owner()
        name, kind, length = self.known_attribute(owner)
        if kind in IN_MEMORY:
            self.call("get_att", owner, name, Out("elements", length, kind))
            return
        memory = self.random.kind_for(kind)
        out = Out("texts", length) if memory == "string" else Out()
        if name != b"_NCProperties":
            self.call(f"get_att_{memory}", owner, name, out, is_defined=kind in DEFINED)
        self.call("inq_attid", owner, name, Out())
        if name != b"_NCProperties":
            self.call("inq_attlen", owner, name, self.out())
        self.call("inq_atttype", owner, name, self.out())

    def change_att(self) -> None:
        owner = self.owner()
        name = self.known_attribute(owner)[0]
        if composed(name) in self.changed:
            # netCDF-C leaves the old one in the file.
            return
        if self.often(0.5):
            variable = self.own()[owner] if 0 <= owner < len(self.own()) else None
            if name == b"_FillValue" and variable and variable.kind == STRING:
                # Frazil has no fill value of strings but the attribute.
                return
            self.call("del_att", owner, name)
        elif name != b"_FillValue":
            self.is_reordered |= self.has_left
            new_name = self.name(b"n")
            if new_name not in FORMAT_NAMES:
                self.call("rename_att", owner, name, new_name)

    def copy_att(self) -> None:
        owner = self.owner()
        name = self.known_attribute(owner)[0]
        to = self.dice.choice(list(self.known.parents))
        if name in FORMAT_NAMES or (name == b"_FillValue" and self.has_left):
            return
        self.is_reordered |= self.has_left
        count = len(self.known.variables.get(to, []))
        self.call("copy_att", owner, name, Group(to), self.dice.randrange(-1, count + 1))

    def rename(self) -> None:
        if self.often(0.5):
            varid, variable = self.variable()
            name = self.name(b"v")
            # netCDF-C renames those behind it, too, and forgets the secret names among them.
            if variable is None or not variable.dims or any(it.is_secret for it in self.own()):
                return
            if self.is_of_dimension(variable.name):
                return
            if b"\xcc" in name:
                # netCDF-C takes it as it is, and does not find the variable again.
                return
            if self.call("rename_var", varid, name) is not None:
                variable.name = composed(name)
            return
        dimid, name = self.dimid(), self.name(b"d")
        if dimid in self.known.dims:
            length, group, old = self.known.dims[dimid]
            # Through another group netCDF-C looks for it in the wrong place.
            self.group = group
            if any(one.name == old for one in self.known.variables[group]):
                return
            # It moves behind the others, too.
            self.is_reordered |= self.has_left
            if self.call("rename_dim", dimid, name) is not None:
                self.known.dims[dimid] = length, group, composed(name)

    def is_of_dimension(self, name: bytes) -> bool:
        return any(name == one for _, _, one in self.known.dims.values())

    def region(self, variable: Variable | None) -> tuple[list[int], list[int]]:
        dims = variable.dims if variable else [0]
        lengths = [self.known.dims.get(dimid, (2, 0, b""))[0] for dimid in dims]
        start = [self.dice.randrange(max(length, 4)) for length in lengths]
        if self.often(0.5):
            start = [0] * len(dims)
        count = []
        for length, first_ in zip(lengths, start, strict=True):
            room = max(length - first_, 1) if length else 4
            count.append(self.dice.randrange(1, room + 1) if self.often(0.95) else 0)
        if self.often(0.05) and count:
            count[self.dice.randrange(len(count))] += 9
        return start, count

    def put(self) -> None:
        self.values("put")

    def get(self) -> None:
        self.values("get")

    def values(self, way: str) -> None:
        varid, variable = self.variable()
        # Of `NC_GLOBAL`, netCDF-C goes on with whatever was in memory.
        if varid == GLOBAL or (way == "get" and variable and variable.is_undefined):
            return
        stored = variable.kind if variable else 4
        if stored in IN_MEMORY:
            self.typed_values(way, varid, variable)
            return
        form = self.form_of(way, variable)
        memory = self.random.kind_for(stored)
        if way == "put" and (stored == STRING) != (memory == "string"):
            # It is refused, but netCDF-C has made the dimension longer.
            return
        if form == "var" and memory == "string":
            return
        start, count = self.region(variable)
        if form == "var":
            lengths = [self.length(it) for it in variable.dims] if variable else []
            count = [length or 6 for length in lengths]
        where, count = self.place(form, way, start, count)
        total = 1 if form == "var1" else math.prod(max(each, 1) for each in count)
        if total > MOST_VALUES:
            return
        if way == "put":
            # Of infinite and subnormal numbers netCDF-C makes others when it rounds them.
            self.random.has_odd = variable is None or not variable.is_rounded
            given = self.random.memory(memory, total, stored)
        elif memory == "string":
            given = Out("texts", 0 if 0 in count or form == "varm" else total)
        else:
            given = Out()
        self.call(f"{way}_{form}_{memory}", varid, *where, given, is_defined=stored in DEFINED)

    def form_of(self, way: str, variable: Variable | None) -> str:
        """How a call says which elements it means."""
        form = self.dice.choice(["vara", "vara", "vara", "var1", "vars", "varm", "var"])
        dims = variable.dims if variable else []
        if way == "get" and any(self.length(dimid) == 0 for dimid in dims[1:]):
            # netCDF-C puts fill values where others belong.
            return "var1"
        if form == "var" and way == "put" and any(self.length(dimid) == 0 for dimid in dims):
            # How long unlimited ones are is not known here.
            return "vara"
        return form

    def length(self, dimid: int) -> int:
        """Of a dimension; 0 if it is unlimited."""
        return self.known.dims.get(dimid, (2, 0, b""))[0]

    def place(
        self, form: str, way: str, start: list[int], count: list[int]
    ) -> tuple[tuple, list[int]]:
        """Start, count, steps and map, as far as the form has them; and the count."""
        if form == "var":
            return (), count
        if form == "var1":
            return (Array("size", tuple(start)),), count
        steps = []
        if form in ("vars", "varm"):
            steps = [self.dice.choice([1, 1, 2, 3]) for _ in count]
            is_outside = any(n > MOST_ELEMENTS for n in count)
            if form == "varm" and way == "put" and is_outside:
                # What leads out is written in part by netCDF-C.
                steps = [1] * len(count)
            if self.often(0.03) and steps:
                steps[0] = self.dice.choice([0, -1])
            pairs = zip(count, steps, strict=True)
            count = [(n + abs(step) - 1) // max(abs(step), 1) for n, step in pairs]
        where = [Array("size", tuple(start)), Array("size", tuple(count))]
        if form in ("vars", "varm"):
            where.append(Array("step", tuple(steps)) if self.often(0.9) else None)
        if form == "varm":
            where.append(self.map_of(count) if self.often(0.9) else None)
        return tuple(where), count

    def map_of(self, count: list[int]) -> Array:
        """Distances in memory: as they lie, or the first axis last."""
        order = list(range(len(count)))
        if self.often(0.5):
            order.reverse()
        distances, product = [0] * len(count), 1
        for axis in order:
            distances[axis] = product
            product *= max(count[axis], 1)
        return Array("step", tuple(distances))

    def inquire(self) -> None:
        varid = self.varid()
        asked = [
            ("inq", self.out(), self.out(), self.out(), self.unlimited()),
            ("inq_ndims", self.out()),
            ("inq_dim", self.dimid(), self.out(), self.out()),
            ("inq_var", varid, *[self.out() for _ in range(5)]),
            ("inq_var_chunking", varid, self.out(), self.out()),
            ("inq_var_deflate", varid, self.out(), self.out(), self.out()),
            ("inq_var_fletcher32", varid, self.out()),
            ("inq_var_endian", varid, self.out()),
            ("inq_var_quantize", varid, self.out(), self.out()),
            ("inq_var_filter_ids", varid, self.out(), self.out()),
            (
                "inq_var_filter_info",
                varid,
                self.dice.choice([1, 2, 3, 307]),
                self.out(),
                self.out(),
            ),
            ("inq_varid", self.name(b"v"), Out()),
            ("inq_dimid", self.dimension_path(), self.out()),
            ("inq_unlimdims", self.out(), self.unlimited()),
            ("inq_unlimdim", self.unlimited()),
            ("inq_dimids", self.out(), self.out(), self.dice.randrange(2)),
            ("inq_varids", self.out(), self.out()),
            ("inq_grpname", self.out()),
            ("inq_grp_parent", self.out("groups", 1)),
            ("inq_typeids", self.out(), self.out()),
            ("inq_type", self.dice.randrange(14), self.out("name"), self.out()),
            ("inq_format", self.out()),
            ("inq_natts", self.out()),
            ("inq_varnatts", varid, self.out()),
            ("inq_var_szip", varid, self.out(), self.out()),
        ]
        if not self.is_opened:
            # Of what is not chunked, HDF5 has a cache of another size in files that are opened.
            asked.append(("get_var_chunk_cache", varid, self.out(), self.out(), self.out()))
        if self.group in self.known.parents:
            # Of groups that are not there netCDF-C gives the root group's.
            asked.append(("inq_grpname_full", self.out(), self.out()))
            asked.append(("inq_grpname_len", self.out()))
            asked.append(("inq_filter_avail", self.dice.choice([1, 2, 3, 9999])))
        variables = self.own()
        kind = variables[varid].kind if 0 <= varid < len(variables) else 4
        if kind != STRING and kind not in INDIRECT:
            asked.append(("inq_var_fill", varid, self.out(), self.out()))
        for name, *arguments in self.dice.sample(asked, 5):
            self.call(name, *arguments)

    def unlimited(self) -> Out | None:
        """A place for unlimited dimensions; none if a file that was opened has several.

        Dimensions with a variable come first then, as frazil writes files.
        """
        found = [
            1 for length, group, _ in self.known.dims.values() if (length, group) == (0, self.group)
        ]
        return None if self.is_opened and len(found) > 1 else self.out()

    def dimension_path(self) -> bytes:
        return (
            self.name(b"d")
            if self.often(0.8)
            else self.dice.choice(
                [b"/d1", b"/g1/d1", b"/g1/g2/d3", b"g1/d1", b"/", b"/d1/", b"//d2"]
            )
        )

    def mode(self) -> None:
        name = self.dice.choice(["enddef", "enddef", "redef", "sync", "set_fill", "_enddef"])
        if name == "set_fill":
            no_fill = self.often(0.2)
            mode = 0x100 if no_fill else self.dice.choice([0, 0, 0, 7])
            if self.call(name, mode, self.out()) is not None:
                self.is_no_fill = no_fill
        elif name == "_enddef":
            self.call(name, *[Size(self.dice.choice([0, 4, 100])) for _ in range(4)])
        else:
            self.call(name)

    def groups(self) -> None:
        name = self.name(b"g")
        if self.is_of_dimension(composed(name)):
            # netCDF-C lets it pass, and fails when it writes both.
            return
        if told := self.call("def_grp", name, Out("groups", 1)):
            self.is_reordered |= self.is_opened
            number = told[0][0]
            self.known.parents[number] = self.group
            self.known.variables[number] = []
        self.call("inq_grp_ncid", self.name(b"g"), Out("groups", 1))
        self.call(
            "inq_grp_full_ncid",
            self.dice.choice([b"/", b"/g1/g2", b"g1", b"/g3"]),
            Out("groups", 1),
        )
        if self.often(0.1) and not self.has_left:
            # Later netCDF-C moves it behind the others.
            self.call("rename_grp", self.name(b"g"))

    def reopen(self) -> None:
        """Closes both and opens them again."""
        self.finish()
        if self.is_reordered:
            return
        self.is_read = self.often(0.5)
        if self.pair.begin("open", 0 if self.is_read else WRITE) == 0:
            self.is_opened = True
            self.learn()
            self.is_no_fill = False
            self.has_left = True

    def finish(self) -> None:
        self.pair.close()
        self.compare()

    def compare(self) -> None:
        unsure = frozenset(
            (group, variable.name)
            for group, variables in self.known.variables.items()
            for variable in variables
            if variable.is_unsure
        )
        self.pair.compare_files(unsure, not self.is_reordered)

    def learn(self) -> None:
        """What is in the file: numbers of groups are others than before."""
        variables = [one for all_ in self.known.variables.values() for one in all_]
        flags = {
            (it.name, *it.dims): (it.is_unsure, it.is_rounded, it.is_secret) for it in variables
        }
        before, self.known = self.known, Known(variables={}, parents={0: None})
        below = [0]
        while below:
            self.group = below.pop()
            self.known.variables[self.group] = []
            count = first(self.call("inq_grps", Out(), None)[0])
            if count:
                found = self.call("inq_grps", None, Out("groups", count))[0]
                self.known.parents.update(dict.fromkeys(found, self.group))
                below += found
            self.learn_group(flags, before)

    def learn_group(self, flags: dict[tuple, tuple], before: Known) -> None:
        counts = [first(raw) for raw in self.call("inq", Out(), Out(), Out(), None)]
        unlimited = {it for it, (length, *_) in before.dims.items() if length == 0}
        ids = self.call("inq_dimids", None, Out(), 0)[0]
        for dimid in struct.unpack_from(f"{counts[0]}i", ids):
            name, length = self.call("inq_dim", dimid, Out(), Out())
            length = 0 if dimid in unlimited else struct.unpack_from("Q", length)[0]
            self.known.dims[dimid] = length, self.group, name.split(b"\0")[0]
        for varid in range(counts[1]):
            name, kind, rank, dims, _ = self.call("inq_var", varid, *[Out()] * 5)
            dims = list(struct.unpack_from(f"{first(rank)}i", dims))
            name = name.split(b"\0")[0]
            self.own().append(Variable(name, first(kind), dims, *flags.get((name, *dims), ())))

    def make(self, calls: int, types: bool) -> None:
        if types:
            self.define_types()
        self.def_dim()
        self.def_dim()
        weights = {
            self.def_dim: 4,
            self.def_var: 6,
            self.put_att: 7,
            self.read_att: 3,
            self.change_att: 3,
            self.copy_att: 1,
            self.rename: 2,
            self.store: 6,
            self.put: 9,
            self.get: 6,
            self.inquire: 6,
            self.mode: 3,
            self.groups: 1,
            self.reopen: 0.7,
        }
        if self.has_types:
            weights[self.define_typed] = 8
        for one in self.dice.choices(list(weights), list(weights.values()), k=calls):
            self.pick_group()
            one()
            if not self.pair.is_open:
                return
        self.group = 0
        self.finish()


def first(raw: bytes) -> int:
    return struct.unpack_from("i", raw)[0]


def run_one(pair: Pair, seed: str, classic_model: bool, calls: int = 40) -> None:
    """A sequence, from the making of the file to its end."""
    mode = NETCDF4 | (CLASSIC_MODEL if classic_model else 0)
    assert pair.begin("create", mode) == 0
    dice = random.Random(seed)
    Caller(pair, dice).make(calls, not classic_model and dice.random() < 0.5)
