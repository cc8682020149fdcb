"""Own filters are what docs/format.md says: a decoder in Python reads the golden chunks."""

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parents[1] / "crates/frazil-codec/tests/golden/own.bin"
PCODEC, DELTA, FRAZIL = 47101, 47102, 47103
BIG_ENDIAN, FLOAT = 1, 2


@dataclass
class Chunk:
    name: str
    filters: list[tuple[int, int, tuple[int, ...]]]
    stored: bytes
    raw: bytes


class Reader:
    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def numbers(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self.content, self.at)
        self.at += struct.calcsize(f"<{form}")
        return found

    def blob(self) -> bytes:
        (length,) = self.numbers("I")
        self.at += length
        return self.content[self.at - length : self.at]


def chunks() -> list[Chunk]:
    """The golden chunks; crates/frazil-codec/tests/golden/make.py describes the file."""
    reader = Reader(GOLDEN.read_bytes())
    reader.at = 16
    (count,) = reader.numbers("I")
    found = []
    for _ in range(count):
        name = reader.blob().decode()
        _, mask, filters = reader.numbers("III")
        assert mask == 0
        specs = []
        for _ in range(filters):
            code, flags, values = reader.numbers("iII")
            specs.append((code, flags, reader.numbers(f"{values}I")))
        stored = reader.blob()
        reader.numbers("I")
        found.append(Chunk(name, specs, stored, zlib.decompress(reader.blob())))
    return found


CHUNKS = chunks()


def undo_delta(stored: bytes, values: tuple[int, ...]) -> bytes:
    """Decodes a chunk of filter 47102, by docs/format.md."""
    version, size, flags, mask, rank, *shape = values
    assert (stored[:4], stored[4], version) == (b"FZdl", 1, 1)
    assert stored[5:8] == bytes([size, flags, 0]) and len(shape) == rank
    (length,) = struct.unpack_from("<Q", stored, 8)
    assert length == len(stored) - 16
    elements = int(np.prod(shape, dtype=np.int64))
    bits = np.frombuffer(stored, f"<u{size}", elements, 16).copy()
    one = bits.dtype.type(1)
    field = np.where(bits & one, ~(bits >> one), bits >> one).astype(bits.dtype).reshape(shape)
    for axis in range(rank):
        if mask >> axis & 1:
            field = np.cumsum(field, axis=axis, dtype=field.dtype)
    if flags & FLOAT:
        sign = field.dtype.type(1 << (8 * size - 1))
        field = np.where(field & sign, ~field ^ sign, field)
    order = ">" if flags & BIG_ENDIAN else "<"
    return field.astype(f"{order}u{size}").tobytes() + stored[16 + elements * size :]


@pytest.mark.parametrize(
    "chunk",
    [c for c in CHUNKS if [code for code, *_ in c.filters] == [DELTA]],
    ids=lambda chunk: chunk.name,
)
def test_chunks_are_what_the_format_says(chunk: Chunk):
    assert undo_delta(chunk.stored, chunk.filters[0][2]) == chunk.raw


@pytest.mark.parametrize(
    "chunk", [c for c in CHUNKS if c.filters[-1][0] == PCODEC], ids=lambda chunk: chunk.name
)
def test_frames_of_pcodec_are_what_the_format_says(chunk: Chunk):
    version, kind, order, _ = chunk.filters[-1][2]
    magic, stored = chunk.stored[:4], chunk.stored
    assert (magic, stored[4], version) == (b"FZpc", 1, 1)
    assert stored[5:8] == bytes([kind, order, 0])
    (length,) = struct.unpack_from("<Q", stored, 8)
    assert length == len(chunk.raw) + (4 if len(chunk.filters) == 2 else 0)
    assert stored[16] == 4
    size = {1: 4, 3: 4, 5: 4, 2: 8, 4: 8, 6: 8, 7: 2, 8: 2, 10: 1, 11: 1}[kind]
    at, numbers = 18, length // size
    while numbers:
        run = min(numbers, 1 << 18)
        (bytes_of_run,) = struct.unpack_from("<I", stored, at)
        assert bytes_of_run <= run * size
        if bytes_of_run == run * size:
            assert stored[at + 4 : at + 4 + bytes_of_run] == chunk.raw
        at, numbers = at + 4 + bytes_of_run, numbers - run
    assert len(stored) - at == length % size


def undo_frazil(stored: bytes, values: tuple[int, ...]) -> tuple[list, bytes, int]:
    """Filters, data and length of a chunk of filter 47103, by docs/format.md."""
    version, kind, order, size, _, _, rank, *shape = values
    assert (stored[:4], stored[4], version) == (b"FZch", 1, 1)
    assert stored[5:8] == bytes([kind, order, size])
    (length,) = struct.unpack_from("<Q", stored, 8)
    assert stored[16] == rank == len(shape)
    at = 18 + 4 * rank
    assert struct.unpack_from(f"<{rank}I", stored, 18) == tuple(shape)
    filters = []
    for _ in range(stored[17]):
        code, count = struct.unpack_from("<HB", stored, at)
        filters.append((code, 0, struct.unpack_from(f"<{count}I", stored, at + 3)))
        at += 3 + 4 * count
    return filters, stored[at:], length


@pytest.mark.parametrize(
    "chunk", [c for c in CHUNKS if c.filters[-1][0] == FRAZIL], ids=lambda chunk: chunk.name
)
def test_chunks_name_their_filters_as_the_format_says(chunk: Chunk):
    filters, data, length = undo_frazil(chunk.stored, chunk.filters[-1][2])
    assert length == len(chunk.raw) + (4 if len(chunk.filters) == 2 else 0)
    possible = {1, 2, 32002, 32004, 32008, 32015, PCODEC, DELTA}
    assert {code for code, *_ in filters} <= possible and len(filters) <= 4
    # What can be undone here is undone, from the last filter on.
    while filters and filters[-1][0] in (1, DELTA):
        code, _, values = filters.pop()
        data = zlib.decompress(data) if code == 1 else undo_delta(data, values)
    if filters:
        assert len(data) < len(chunk.raw)
    else:
        assert data[: len(chunk.raw)] == chunk.raw


@pytest.mark.parametrize("code", [PCODEC, DELTA, FRAZIL])
def test_own_filters_are_mandatory(code: int):
    flags = {flag for chunk in CHUNKS for number, flag, _ in chunk.filters if number == code}
    assert flags == {0}
