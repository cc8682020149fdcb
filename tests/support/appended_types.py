"""Goes on with random files that have types which programs define."""

import ctypes
import random
from pathlib import Path

from support.netcdf_calls import GLOBAL, Calls, File
from support.user_types import NUMBERS, Author, Types

# frazil's number for a file that it does not go on with (`NC_ENOTBUILT`).
NOT_SERVED = -128


class Opened(File):
    """A file that is open already."""

    def __init__(self, calls: Calls, root: int) -> None:
        self.calls, self.root = calls, root


class Appender(Author):
    """Goes on with an author's file, and remembers what the library says."""

    def __init__(self, author: Author, path: Path, seed: int, calls: Calls, opening: str) -> None:
        self.__dict__.update(author.__dict__)
        self.calls, self.some, self.kept = calls, random.Random(f"{seed} again"), []
        self.types, self.old = dict(author.types), list(author.types)
        self.indirect, self.odd = set(author.indirect), set(author.odd)
        self.said: list = []
        number = ctypes.c_int()
        self.status = calls(opening, str(path).encode(), 1, ctypes.byref(number))
        self.root = number.value
        moved = {old: self.root | (old & 0xFFFF) for old in author.groups}
        self.groups = list(moved.values())
        self.homes = {number: moved[id_] for number, id_ in author.homes.items()}
        self.variables = [(moved[id_], variable) for id_, variable in author.variables]

    def any_type(self) -> int:
        # What is laid out as this machine does not has another size in an opened file.
        known = [number for number in self.types if number not in self.odd]
        return self.some.choice([*NUMBERS, *known, *known])

    def ask(self, name: str, *arguments: object) -> int:
        status = self.calls(name, *arguments)
        self.said.append((name, status))
        return status

    def done(self, name: str, *arguments: object) -> None:
        assert self.ask(name, *arguments) == 0, (name, self.said[-1])

    def put_part(self, longer: int) -> None:
        """Some values of a variable, or whole records behind it."""
        some = self.some
        id_, (varid, number, axes) = some.choice(self.variables)
        lengths = [self.dimensions[axis] for axis in axes]
        start = [some.randrange(length) for length in lengths]
        count = [some.randrange(1, n - at + 1) for n, at in zip(lengths, start, strict=True)]
        if len(axes) == 2 and some.random() < 0.5:
            start[0] += longer
        total = 1
        for length in count:
            total *= length
        places = [(ctypes.c_size_t * 4)(*one) for one in (start, count)]
        self.ask("put_vara", id_, varid, *places, self.memory(number, total))

    def get_all(self) -> None:
        types = Types(Opened(self.calls, self.root))
        id_, (varid, _, axes) = self.some.choice(self.variables)
        shape = [types.file.dimension(id_, axis)[2] for axis in axes]
        self.said.append(types.part(id_, varid, [0] * len(axes), shape, None))

    def tell(self) -> None:
        """All that is said while the file is open."""
        file = Opened(self.calls, self.root)
        self.said += [*file.inventory(), *Types(file).inventory()]

    def put_attribute(self) -> None:
        """A new one: netCDF-C puts one that it changes behind the others."""
        some = self.some
        id_, (varid, _, _) = some.choice(self.variables)
        owner, number = some.choice([GLOBAL, varid]), self.usual_type(id_)
        name, length = f"b{len(self.said):06}".encode(), some.randrange(1, 4)
        values = self.memory(number, length)
        self.ask("put_att", id_, owner, name, number, ctypes.c_size_t(length), values)

    def delete_attribute(self) -> None:
        id_, (varid, _, _) = self.some.choice(self.variables)
        self.ask("del_att", id_, self.some.choice([GLOBAL, varid]), b"a0")

    def define(self) -> None:
        id_ = self.some.choice(self.groups)
        self.variables.append((id_, self.define_variable(id_, self.dimensions)))

    def define_one_more_type(self) -> None:
        # Libraries that open the file must meet those that it is made of first.
        last = self.homes[max(self.homes)]
        self.define_type(self.some.choice(self.groups) if last == self.root else last)

    def refuse(self) -> None:
        """What no library does with a type that is in the file."""
        number, value = self.some.choice(self.old), ctypes.c_longlong(77)
        self.ask("insert_enum", self.root, number, b"late", ctypes.byref(value))
        self.ask("insert_compound", self.root, number, b"late", ctypes.c_size_t(0), 4)
        id_, (varid, _, _) = self.some.choice(self.variables)
        self.ask("put_var_int", id_, varid, (ctypes.c_int * 100)())
        self.ask("def_var_deflate", id_, varid, 0, 1, 1)

    def go_on(self, steps: int = 12) -> None:
        some, longer = self.some, 0
        for _ in range(steps):
            match some.randrange(10):
                case 0 | 1 | 2:
                    longer = some.choice([longer, longer + 1])
                    self.put_part(longer)
                case 3:
                    self.get_all()
                case 4:
                    self.put_attribute()
                case 5:
                    self.delete_attribute()
                case 6 | 7:
                    self.define()
                case 8:
                    self.define_one_more_type()
                case 9:
                    self.refuse()
            if some.random() < 0.1:
                self.ask(some.choice(["sync", "enddef", "redef"]), self.root)
        self.ask("close", self.root)
