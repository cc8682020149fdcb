"""Makes the checksums of a damaged HDF5 file right again, so that readers look at what is damaged.

Every block of HDF5 that has a checksum begins with a signature and ends in Bob Jenkins's lookup3
of what comes before. In the sound file it is found where that holds, whatever the block is: nodes
of B-trees of version 2, blocks of fractal heaps, chunk indexes and their pages, object headers.
Source: HDF5 File Format Specification, version 3.0.
"""

import struct
from dataclasses import dataclass

import numpy as np

MASK = 0xFFFFFFFF
SUPERBLOCK = b"\x89HDF\r\n\x1a\n"
SIGNATURES = [
    b"OHDR", b"OCHK", b"BTHD", b"BTIN", b"BTLF", b"FRHP", b"FHIB", b"EAHD", b"EAIB", b"EASB",
    b"EADB", b"FAHD", b"FADB", b"FSHD", b"FSSE", b"SMTB", b"SMLI",
]  # fmt: skip
# Where such a block ends at the latest.
OTHERS = [b"FHDB", b"TREE", b"SNOD", b"HEAP", b"GCOL"]
# Longer blocks are not damaged with right checksums.
LONGEST = 8300
# Where the address of its header ends in a direct block of a fractal heap; its offset and checksum
# follow.
HEAP_BLOCK_START = 13


@dataclass(frozen=True)
class Seal:
    """A checksum over `start` to `end`, stored at `place`; inside, it counts as zeros."""

    start: int
    end: int
    place: int


def _rotated(value, bits):
    return ((value << bits) | (value >> (32 - bits))) & MASK


def _mixed(a, b, c):
    for bits in (4, 6, 8, 16, 19, 4):
        a = (a - c) & MASK
        a = a ^ _rotated(c, bits)
        c = (c + b) & MASK
        a, b, c = b, c, a
    return a, b, c


def _last(a, b, c):
    for bits in (14, 11, 25, 16, 4, 14, 24):
        c = c ^ b
        c = (c - _rotated(b, bits)) & MASK
        a, b, c = b, c, a
    # Seven turns leave the last one changed in front of the others.
    return b


def lookup3(data: bytes) -> int:
    """The checksum of `data` as HDF5 stores it (`H5_checksum_lookup3` with 0)."""
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    at, left = 0, len(data)
    while left > 12:
        x, y, z = struct.unpack_from("<3I", data, at)
        a, b, c = _mixed((a + x) & MASK, (b + y) & MASK, (c + z) & MASK)
        at, left = at + 12, left - 12
    if left == 0:
        return c
    x, y, z = struct.unpack("<3I", data[at:].ljust(12, b"\0"))
    return _last((a + x) & MASK, (b + y) & MASK, (c + z) & MASK)


def sealed_length(data: bytes, at: int, most: int) -> int | None:
    """How long what begins at `at` is, if its checksum follows: all lengths are tried at once."""
    most = min(most, LONGEST, len(data) - at) - 4
    if most < 6:
        return None
    lengths = np.arange(1, most + 1, dtype=np.uint64)
    a = b = c = (lengths + 0xDEADBEEF) & MASK
    for done in range(0, most, 12):
        x, y, z = struct.unpack("<3I", data[at + done : at + done + 12].ljust(12, b"\0"))
        for length in range(done + 1, min(done + 12, most) + 1):
            tail = struct.unpack("<3I", data[at + done : at + length].ljust(12, b"\0"))
            words = [(int(state[length - 1 - done]) + word) & MASK
                     for state, word in zip((a, b, c), tail, strict=True)]  # fmt: skip
            stored = struct.unpack_from("<I", data, at + length)[0]
            if length > 5 and _last(*words) == stored:
                return length
        a, b, c = _mixed((a[12:] + x) & MASK, (b[12:] + y) & MASK, (c[12:] + z) & MASK)
    return None


def seals(data: bytes) -> list[Seal]:
    """All checksums of a sound file that are found."""
    found = []
    at = data.find(SUPERBLOCK)
    if at >= 0 and data[at + 8] in (2, 3):
        found.append(Seal(at, at + 44, at + 44))
    starts = sorted(at for mark in [*SIGNATURES, *OTHERS] for at in places(data, mark))
    for at, end in zip(starts, [*starts[1:], len(data)], strict=False):
        signature = data[at : at + 4]
        if signature == b"FHDB":
            found += _heap_block(data, at)
        while signature in SIGNATURES and (length := sealed_length(data, at, end - at)):
            found.append(Seal(at, at + length, at + length))
            # What follows a bit map of pages are pages, which have no signature.
            at += length + 4
            if signature not in (b"FADB", b"EADB"):
                break
    return sorted(set(found), key=lambda seal: seal.start)


def places(data: bytes, mark: bytes) -> list[int]:
    """Where a mark occurs."""
    found, at = [], data.find(mark)
    while at >= 0:
        found.append(at)
        at = data.find(mark, at + 1)
    return found


def _heap_block(data: bytes, at: int) -> list[Seal]:
    """A direct block is a power of two long; its checksum stands behind its offset in the heap."""
    for offset_bytes in range(2, 9):
        place = at + HEAP_BLOCK_START + offset_bytes
        for bits in range(7, 17):
            seal = Seal(at, at + (1 << bits), place)
            if seal.end <= len(data) and _of(data, seal) == data[place : place + 4]:
                return [seal]
    return []


def _of(data: bytes, seal: Seal) -> bytes:
    block = bytearray(data[seal.start : seal.end])
    inside = seal.place - seal.start
    if inside < len(block):
        block[inside : inside + 4] = bytes(4)
    return struct.pack("<I", lookup3(bytes(block)))


def repaired(data: bytes, known: list[Seal]) -> bytes:
    """`data` with the checksums made right that were known in the sound file."""
    mended = bytearray(data)
    for seal in known:
        if max(seal.end, seal.place + 4) <= len(mended):
            mended[seal.place : seal.place + 4] = _of(mended, seal)
    for at in places(mended, b"OHDR"):
        _seal_header(mended, at)
    return bytes(mended)


def _seal_header(data: bytearray, at: int) -> None:
    """An object header of version 2 whose length may be damaged: where readers then look."""
    if at + 16 > len(data):
        return
    flags = data[at + 5]
    place = at + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    end = place + width + int.from_bytes(data[place : place + width], "little")
    if place + width < end and end + 4 <= len(data) and end - at < 1 << 16:
        data[end : end + 4] = struct.pack("<I", lookup3(bytes(data[at:end])))
