"""Damaged forms of files: bytes where the structure is, with checksums made right again."""

import random
from pathlib import Path

from campaign import seeds
from campaign.checksums import places, repaired

SIGNATURES = [
    b"\x89HDF", b"OHDR", b"OCHK", b"TREE", b"SNOD", b"HEAP", b"GCOL", b"BTHD", b"BTLF", b"BTIN",
    b"FRHP", b"FHDB", b"FHIB", b"EAHD", b"EAIB", b"EADB", b"EASB", b"FAHD", b"FADB", b"FSHD",
    b"FSSE", b"CDF", b"FZch", b"FZpc",
]  # fmt: skip
TELLING = [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]


def mutated(seed: Path, chance: random.Random) -> bytes:
    """A seed with a few bytes changed, most of them near what readers follow."""
    data = seed.read_bytes()
    changed = bytearray(data)
    known = seeds.checksums(seed)
    marks = [at for mark in SIGNATURES for at in places(data, mark)] or [0]
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        _change(changed, _place(changed, marks, known, chance), data, chance)
    if chance.random() < 0.05:
        del changed[chance.randrange(len(changed)) :]
    return repaired(bytes(changed), known) if chance.random() < 0.85 else bytes(changed)


def _place(changed: bytearray, marks: list[int], known: list, chance: random.Random) -> int:
    """Near a signature, inside a block that has a checksum, or anywhere."""
    match chance.randrange(10):
        case 0 | 1 | 2 | 3:
            at = chance.choice(marks) + int(chance.expovariate(1 / 40))
        case 4 | 5 | 6 | 7 if known:
            seal = chance.choice(known)
            at = chance.randrange(seal.start, seal.end)
        case _:
            at = chance.randrange(len(changed))
    return min(at, len(changed) - 1)


def _change(changed: bytearray, at: int, data: bytes, chance: random.Random) -> None:
    match chance.randrange(5):
        case 0:
            changed[at] = chance.choice(TELLING)
        case 1:
            changed[at] ^= 1 << chance.randrange(8)
        case 2:
            # A number: of eight bytes, or of two.
            wide = chance.choice([b"\xff" * 8, bytes(8), _word(len(data), 8, chance)])
            changed[at : at + 8] = wide[: len(changed) - at]
        case 3:
            changed[at : at + 2] = _word(1 << 16, 2, chance)[: len(changed) - at]
        case _:
            changed[at] = chance.randrange(256)


def _word(below: int, width: int, chance: random.Random) -> bytes:
    return chance.randrange(below).to_bytes(width, "little")
