"""Values of types that programs define, in memory."""

import ctypes
from dataclasses import dataclass

# What each is, in the order of their definition.
CHOICE, RAW, ROWS, PLAIN, POINTING = range(32, 37)
INDIRECT = {ROWS, POINTING}
RAW_BYTES = 5


class Row(ctypes.Structure):
    """`nc_vlen_t` of integers"""

    _fields_ = (("length", ctypes.c_size_t), ("values", ctypes.POINTER(ctypes.c_int)))


class Plain(ctypes.Structure):
    _fields_ = (("value", ctypes.c_double), ("counts", ctypes.c_int * 2))


class Pointing(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int), ("share", ctypes.c_float), ("text", ctypes.c_char_p))


IN_MEMORY = {
    CHOICE: ctypes.c_int,
    RAW: ctypes.c_char * RAW_BYTES,
    ROWS: Row,
    PLAIN: Plain,
    POINTING: Pointing,
}


@dataclass(frozen=True)
class Elements:
    """Values of such a type."""

    kind: int
    values: tuple

    def in_memory(self) -> ctypes.Array:
        memory = (IN_MEMORY[self.kind] * max(len(self.values), 1))()
        # What rows point to stays as long as these.
        memory.kept = []
        for index, value in enumerate(self.values):
            match self.kind:
                case 34:
                    row = (ctypes.c_int * max(len(value), 1))(*value)
                    memory.kept.append(row)
                    memory[index] = Row(len(value), row)
                case 35:
                    memory[index] = Plain(value[0], (ctypes.c_int * 2)(*value[1:]))
                case 36:
                    memory[index] = Pointing(*value)
                case 33:
                    memory[index].raw = value
                case _:
                    memory[index] = value
        return memory


def elements_in(kind: int, count: int, buffer: ctypes.Array) -> list:
    """Values that a call has given."""
    memory = (IN_MEMORY[kind] * max(count, 1)).from_buffer(buffer)
    given = memory[:count]
    match kind:
        case 34:
            return [row.values[: row.length] for row in given]
        case 35:
            return [(one.value, *one.counts) for one in given]
        case 36:
            return [(one.number, one.share, one.text) for one in given]
        case 33:
            return [one.raw for one in memory[:count]]
    return given
