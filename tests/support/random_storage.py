"""Random calls about how variables are stored."""

import random

from support.call_pairs import Array, Real, Size
from support.random_model import Variable
from support.random_values import PACKED, STRING, RandomValues


class StorageCalls:
    """The part of `random_calls.Caller` that makes them."""

    dice: random.Random
    random: RandomValues
    has_left: bool
    has_late_scale: bool
    is_reopened: bool

    def store(self) -> None:
        varid, variable = self.variable()
        kind = variable.kind if variable else 4
        if kind > STRING:
            # What is indirect has no filters in netCDF-C, which fails late.
            return
        rank = len(variable.dims) if variable else 1
        match self.dice.randrange(9):
            case 0 | 1:
                self.deflate(varid, variable)
            case 2 | 3:
                self.chunks(varid, rank)
            case 4:
                self.call("def_var_fletcher32", varid, self.dice.randrange(2))
            case 5:
                # Of one byte, frazil has one order only.
                orders = [0, 1, 7, -1] + [2] * (kind not in (1, 7))
                self.call("def_var_endian", varid, self.dice.choice(orders))
            case 6 if not self.has_left:
                self.fill_value(varid, variable, kind)
            case 7:
                self.quantize(varid, variable)
            case 8 if variable and not variable.is_secret:
                numbers = Size(self.dice.choice([0, 5, 1000])), Size(self.dice.choice([0, 7]))
                preemption = Real(self.dice.choice([0.0, 0.5, 1.0, 1.5]))
                self.call("set_var_chunk_cache", varid, *numbers, preemption)

    def deflate(self, varid: int, variable: Variable | None) -> None:
        # Of a second level netCDF-C does not look whether it is one, and fails late.
        is_first = variable is None or not variable.is_deflated
        level = self.dice.choice([0, 1, 4, 9, 12, -2] if is_first else [0, 1, 4, 9])
        deflate = self.dice.randrange(2)
        told = self.call("def_var_deflate", varid, self.dice.randrange(2), deflate, level)
        if variable and told is not None:
            variable.is_deflated |= bool(deflate and level)

    def quantize(self, varid: int, variable: Variable | None) -> None:
        mode = self.dice.choice([0, 2, 2, 2, 2, 3, 3, 9, 1])
        digits = self.dice.choice([3, 5, 10, 60])
        if mode == 1 and not self.may_reopen():
            return
        told = self.call("def_var_quantize", varid, mode, digits)
        if variable and told is not None:
            variable.is_rounded = mode != 0

    def chunks(self, varid: int, rank: int) -> None:
        # A 0 in front asks for what netCDF-C chooses; elsewhere it is an error that shows late.
        extents = tuple(self.dice.choice([1, 1, 2, 3, 9]) for _ in range(rank))
        if self.often(0.1):
            extents = (0,) * rank
        # Frazil has no compact storage: netCDF-C goes on with the file.
        storage = self.dice.choice([0, 0, 0, 0, 0, 0, 1, 1, 5, 2])
        if storage == 2 and not self.may_reopen():
            return
        if self.often(0.2):
            self.call("def_var_chunking", varid, storage, None)
        else:
            self.call("def_var_chunking", varid, storage, Array("size", extents))

    def may_reopen(self) -> bool:
        """Whether the file may go back to netCDF-C, which opens it then if it has content."""
        if self.has_left and self.has_late_scale:
            return False
        self.is_reopened |= self.has_left
        return True

    def fill_value(self, varid: int, variable: Variable | None, kind: int) -> None:
        no_fill = self.dice.choice([0, 0, 0, 1])
        value = None
        if kind in PACKED and self.often(0.7):
            value = self.random.packed(kind)
        if self.call("def_var_fill", varid, no_fill, value) is not None and variable:
            variable.is_unsure = bool(no_fill)
