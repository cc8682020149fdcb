"""Bob Jenkins' lookup3, the checksum of HDF5's metadata, to repair what a test has changed."""

_WORD = 0xFFFF_FFFF


def _turn(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD


def _mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    a = (a - c & _WORD) ^ _turn(c, 4)
    c = c + b & _WORD
    b = (b - a & _WORD) ^ _turn(a, 6)
    a = a + c & _WORD
    c = (c - b & _WORD) ^ _turn(b, 8)
    b = b + a & _WORD
    a = (a - c & _WORD) ^ _turn(c, 16)
    c = c + b & _WORD
    b = (b - a & _WORD) ^ _turn(a, 19)
    a = a + c & _WORD
    c = (c - b & _WORD) ^ _turn(b, 4)
    b = b + a & _WORD
    return a, b, c


def lookup3(data: bytes) -> int:
    """The checksum of some bytes."""
    a = b = c = 0xDEAD_BEEF + len(data) & _WORD
    at = 0
    while len(data) - at > 12:
        words = (int.from_bytes(data[at + i : at + i + 4], "little") for i in (0, 4, 8))
        x, y, z = words
        a, b, c = _mix(a + x & _WORD, b + y & _WORD, c + z & _WORD)
        at += 12
    rest = data[at:]
    if not rest:
        return c
    rest = rest.ljust(12, b"\0")
    a = a + int.from_bytes(rest[:4], "little") & _WORD
    b = b + int.from_bytes(rest[4:8], "little") & _WORD
    c = c + int.from_bytes(rest[8:], "little") & _WORD
    for first, bits in (("c", 14), ("a", 11), ("b", 25), ("c", 16), ("a", 4), ("b", 14), ("c", 24)):
        if first == "c":
            c = (c ^ b) - _turn(b, bits) & _WORD
        elif first == "a":
            a = (a ^ c) - _turn(c, bits) & _WORD
        else:
            b = (b ^ a) - _turn(a, bits) & _WORD
    return c


def repair_object_header(data: bytearray, at: int) -> None:
    """Set the checksum of the version 2 object header at this place anew."""
    assert data[at : at + 4] == b"OHDR"
    flags = data[at + 5]
    start = at + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    size = int.from_bytes(data[start : start + width], "little")
    end = start + width + size
    data[end : end + 4] = lookup3(bytes(data[at:end])).to_bytes(4, "little")
