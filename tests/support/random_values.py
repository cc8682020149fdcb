"""Random values for netCDF's calls, and types for them."""

import platform
import random
import struct
import unicodedata

from support.call_pairs import Array, Texts

CHAR, FLOAT, DOUBLE, STRING = 2, 5, 6, 12
# What `struct` calls the types 1 to 11.
PACKED = dict(zip(range(1, 12), "bchifdBHIqQ", strict=True))
KINDS = {
    "text": 2,
    "schar": 1,
    "uchar": 7,
    "ubyte": 7,
    "short": 3,
    "ushort": 8,
    "int": 4,
    "uint": 9,
    "long": 10,
    "longlong": 10,
    "ulonglong": 11,
    "float": 5,
    "double": 6,
    "string": 12,
}
INTEGERS = {1, 3, 4, 7, 8, 9, 10, 11}
# C leaves it to the processor what floats become that no integer holds; frazil does as this one.
IS_LEFT_TO_X86 = platform.machine() == "x86_64"
# Types of which it is known what other numbers they become, also out of range.
DEFINED = INTEGERS | ({FLOAT, DOUBLE} if IS_LEFT_TO_X86 else set())
TEXTS = [b"", b"a", b"some words", b"\xc3\xa9t\xc3\xa9"]


class RandomValues:
    """Values whose conversion has one outcome."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        # Whether numbers may come that netCDF-C cannot round.
        self.has_odd = True

    def often(self, share: float) -> bool:
        return self.dice.random() < share

    def number(self, kind: int, target: int) -> float | int:
        """A value of a type in memory."""
        if kind in (FLOAT, DOUBLE):
            odd = [float("nan"), -0.0]
            odd += [float("inf"), 1e300 if kind == DOUBLE else 3e38, 1e-42] if self.has_odd else []
            if target in INTEGERS and IS_LEFT_TO_X86 and self.often(0.1):
                return self.dice.choice([*odd, -1e30, 300.5, 70000.0, 3e9, 1e19])
            if target in INTEGERS:
                limit = 250 if target == 7 else 100
                low = 0 if target in (7, 8, 9, 11) else -100
                return self.dice.choice([self.dice.randrange(low, limit), 1.75, 7.25])
            return self.dice.choice(odd) if self.often(0.1) else self.dice.uniform(-1e3, 1e3)
        # As a float, the largest number of many bits is larger than that.
        is_wide = kind in {FLOAT: (4, 9, 10, 11), DOUBLE: (10, 11)}.get(target, ())
        low, high = limits(3 if is_wide else kind)
        low = max(low, limits(kind)[0])
        if self.often(0.2):
            return self.dice.choice([low, high, 128, 300, 70000, -1, 0]) % (high - low + 1) + low
        return self.dice.randrange(max(low, -90), min(high, 90))

    def memory(self, name: str, count: int, target: int) -> Array | Texts:
        if name == "string":
            return Texts(tuple(self.dice.choice(TEXTS) for _ in range(count)))
        if name == "text":
            return Array("uchar", tuple(self.dice.choice(b"abcxyz \0") for _ in range(count)))
        return Array(name, tuple(self.number(KINDS[name], target) for _ in range(count)))

    def kind_for(self, stored: int) -> str:
        """A type in memory, mostly one that the stored type becomes."""
        if stored in (CHAR, STRING) and self.often(0.95):
            return "text" if stored == CHAR else "string"
        numbers = [name for name in KINDS if name not in ("text", "string")]
        return self.dice.choice(list(KINDS) if self.often(0.03) else numbers)

    def packed(self, kind: int) -> Array:
        """One value as the type has it."""
        if kind == CHAR:
            return Array("uchar", (self.dice.randrange(256),))
        data = struct.pack(PACKED[kind], self.number(kind, kind))
        return Array("uchar", tuple(data))


def limits(kind: int) -> tuple[int, int]:
    size = {1: 8, 3: 16, 4: 32, 7: 8, 8: 16, 9: 32, 10: 64, 11: 64}[kind]
    signed = kind in (1, 3, 4, 10)
    return (-(1 << (size - 1)), (1 << (size - 1)) - 1) if signed else (0, (1 << size) - 1)


def composed(name: bytes) -> bytes:
    """A name as files have it."""
    return unicodedata.normalize("NFC", name.decode(errors="replace")).encode()
