"""``frazil.open``: numbers of unusual forms have the bits that libhdf5 gives them."""

import os
from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t

LAYOUTS = ["contiguous", "compact", "chunked", "filtered"]


def float_type(size: int, fields: tuple, bias: int, **settings) -> h5t.TypeFloatID:
    """``fields``: sign, exponent and its bits, mantissa and its bits."""
    kind = h5t.IEEE_F64LE.copy()
    offset = settings.get("offset", 0)
    precision = settings.get("precision", 8 * size - offset)
    kind.set_size(max(size, 8))
    kind.set_precision(8 * max(size, 8))
    kind.set_fields(*fields)
    kind.set_ebias(bias)
    # The fields must be inside all the time.
    kind.set_precision(precision + offset)
    kind.set_offset(offset)
    kind.set_precision(precision)
    kind.set_size(size)
    for name in ("order", "norm"):
        if name in settings:
            getattr(kind, f"set_{name}")(settings[name])
    return kind


FLOATS = {
    "bfloat16": lambda: float_type(2, (15, 7, 8, 0, 7), 127),
    "big bfloat16": lambda: float_type(2, (15, 7, 8, 0, 7), 127, order=h5t.ORDER_BE),
    "5 bits of exponent": lambda: float_type(1, (7, 2, 5, 0, 2), 15),
    "4 bits of exponent": lambda: float_type(1, (7, 3, 4, 0, 3), 7),
    "not normalised": lambda: float_type(2, (15, 10, 5, 0, 10), 15, norm=h5t.NORM_NONE),
    "24 bits": lambda: float_type(3, (23, 16, 7, 0, 16), 63),
    "padded": lambda: float_type(8, (40, 32, 8, 9, 23), 127, precision=32, offset=9),
    "VAX F": lambda: float_type(4, (31, 23, 8, 0, 23), 129, order=h5t.ORDER_VAX),
    "doubles in words": lambda: float_type(8, (63, 52, 11, 0, 52), 1023, order=h5t.ORDER_VAX),
    "words of 6 bytes": lambda: float_type(6, (47, 39, 8, 0, 39), 127, order=h5t.ORDER_VAX),
    "16 bytes": lambda: float_type(16, (100, 90, 10, 40, 50), 511),
}


def integer_type(base: str, size: int, precision: int, offset: int) -> h5t.TypeIntegerID:
    kind = h5t.py_create(np.dtype(base)).copy()
    kind.set_size(size)
    kind.set_offset(0)
    kind.set_precision(precision)
    kind.set_offset(offset)
    return kind


def creation_of(layout: str) -> h5p.PropDCID:
    creation = h5p.create(h5p.DATASET_CREATE)
    if layout == "compact":
        creation.set_layout(h5d.COMPACT)
    if layout in ("chunked", "filtered"):
        creation.set_chunk((7,))
    if layout == "filtered":
        creation.set_shuffle()
        creation.set_deflate(1)
        creation.set_fletcher32()
    return creation


def write(path: Path, kind: h5t.TypeID, raw: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Elements of any bits in each layout; what libhdf5 makes of them."""
    size = kind.get_size()
    elements = np.frombuffer(raw, f"V{size}")
    wide = kind.get_class() == h5t.FLOAT
    signed = not wide and kind.get_sign() == h5t.SGN_2
    memory = np.dtype("f8" if wide else f"{'i' if signed else 'u'}{1 << (size - 1).bit_length()}")
    expected = np.empty(elements.shape, memory)
    # Old versions of types know no VAX.
    with h5py.File(path, "w", libver="latest") as file:
        space = h5s.create_simple(elements.shape)
        for layout in LAYOUTS:
            dataset = h5d.create(file.id, layout.encode(), kind, space, creation_of(layout))
            dataset.write(h5s.ALL, h5s.ALL, elements, kind)
        creation = creation_of("chunked")
        creation.set_fill_value(np.array(3, memory))
        h5d.create(file.id, b"unwritten", kind, space, creation)
    filled = np.empty(elements.shape, memory)
    with h5py.File(path) as file:
        for name, values in (("contiguous", expected), ("unwritten", filled)):
            file[name].id.read(h5s.ALL, h5s.ALL, values, h5t.py_create(memory))
    return expected, filled


def check(path: Path, expected: np.ndarray, filled: np.ndarray) -> None:
    with frazil.open(path) as file:
        for layout in LAYOUTS:
            found = file[layout][:]
            assert found.dtype == expected.dtype, layout
            assert found.tobytes() == expected.tobytes(), layout
            assert file[layout][5:100:3].tobytes() == expected[5:100:3].tobytes(), layout
        assert file["unwritten"][:].tobytes() == filled.tobytes()


@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_every_form(tmp_path, name):
    kind = FLOATS[name]()
    size = kind.get_size()
    chance = np.random.default_rng(len(name))
    if size <= 2:
        # Compact datasets have 64 KiB at most.
        raw = np.arange(0, 1 << 8 * size, 2 * size - 1, dtype=f"<u{size}").tobytes()
    else:
        random = chance.integers(0, 256, (600, size), dtype="u1")
        # Many bits alike, so that exponents and mantissas of nothing but zeros or ones come too.
        alike = chance.random((200, size)) < 0.7
        random[::3] = np.where(alike, random[::3] // 128 * 255, random[::3])
        raw = random.tobytes() + bytes(size) + b"\xff" * size
    check(tmp_path / "a.h5", *write(tmp_path / "a.h5", kind, raw))


@pytest.mark.parametrize(("precision", "offset"), [(0, 0), (5, 0), (5, 3), (1, 1), (3, 2)])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("base", ["<i8", ">i8", "<u8", ">u8"])
def test_integers_of_every_size(tmp_path, base, size, precision, offset):
    """``precision``: bits that are not in use."""
    kind = integer_type(base, size, 8 * size - precision, offset)
    raw = np.random.default_rng(size).integers(0, 256, 300 * size, dtype="u1").tobytes()
    expected, filled = write(tmp_path / "a.h5", kind, raw)
    if precision and size in (1, 2, 4, 8):
        # libhdf5 keeps bits that belong to no value where it has only to swap bytes.
        expected = in_some_bits(raw, base, size, 8 * size - precision, offset)
    check(tmp_path / "a.h5", expected, filled)


def in_some_bits(raw: bytes, base: str, size: int, precision: int, offset: int) -> np.ndarray:
    order = "little" if base[0] == "<" else "big"
    numbers = [int.from_bytes(raw[i : i + size], order) for i in range(0, len(raw), size)]
    numbers = [number >> offset & (1 << precision) - 1 for number in numbers]
    if base[1] == "i":
        sign = 1 << precision - 1
        numbers = [(number ^ sign) - sign for number in numbers]
    return np.array(numbers, f"{base[1]}{size}")


def test_a_compact_dataset_of_another_size_than_its_shape_is_refused(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        space = h5s.create_simple((5,))
        dataset = h5d.create(file.id, b"v", h5t.STD_I32LE, space, creation_of("compact"))
        dataset.write(h5s.ALL, h5s.ALL, np.full(5, 0x61626364, "i4"))
    content = path.read_bytes()
    at = content.index(b"dcba" * 5)
    assert content[at - 2 : at] == (20).to_bytes(2, "little")
    path.write_bytes(content[: at - 2] + (16).to_bytes(2, "little") + content[at:])
    with frazil.open(path) as file, pytest.raises(frazil.errors.CorruptError, match="another size"):
        file["v"][:]


def times_open(path: Path) -> int:
    links = list(Path("/proc/self/fd").iterdir())
    return sum(os.path.realpath(link) == str(path.resolve()) for link in links if link.exists())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux tells of open files")
def test_libhdf5_opens_files_only_for_what_it_alone_can_read(tmp_path):
    path = tmp_path / "a.h5"
    write(path, FLOATS["bfloat16"](), bytes(range(200)))
    with h5py.File(path, "a") as file:
        layout = h5py.VirtualLayout((4,), "i4")
        layout[:] = h5py.VirtualSource(".", "plain", (4,))
        file["plain"] = np.arange(4, dtype="i4")
        file.create_virtual_dataset("virtual", layout)
    with frazil.open(path) as file:
        before = times_open(path)
        for name in [*LAYOUTS, "unwritten", "plain"]:
            file[name][:]
        assert before > 0 and times_open(path) == before
        file["virtual"][:]
        assert times_open(path) > before
