"""Files with single changed bytes, checksums repaired, and files that claim more than they hold."""

import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.checksum import lookup3, repair_object_header
from support.command import DONE, FAILED, frazil, pack

MEMORY_BYTES = 2 << 30


def _attribute_with_space_class(path: Path, number: int) -> None:
    """A scalar attribute whose dataspace has a class of this number."""
    with h5py.File(path, "w", libver="latest") as file:
        file.attrs["marker"] = np.int32(5)
    data = bytearray(path.read_bytes())
    # A dataspace of version 2: rank 0, no flags, class 0 (scalar).
    at = data.index(b"\x02\x00\x00\x00\x05\x00\x00\x00", data.index(b"marker"))
    data[at + 3] = number
    repair_object_header(data, data.index(b"OHDR"))
    path.write_bytes(data)


def test_a_dataspace_of_an_unknown_class_is_corrupt_and_nothing_else(tmp_path: Path):
    source, target = tmp_path / "source.h5", tmp_path / "packed.nc"
    for number in (0, 2, 3, 4, 17, 100, 127, 128, 200, 254, 255):
        _attribute_with_space_class(source, number)
        outcome = frazil("pack", source, "-o", target, "--json")
        if number in (0, 2):
            assert outcome.code == DONE, outcome.stderr
            target.unlink()
            continue
        assert outcome.code == FAILED, (number, outcome.code)
        [error] = outcome.errors
        assert error["code"] == "corrupt" and str(number) in error["cause"], error
        assert "marker" in outcome.stderr, outcome.stderr
        assert not target.exists()


@pytest.mark.parametrize(("size", "code"), [(1 << 16, DONE), (1 << 27, DONE), (1 << 30, FAILED)])
def test_elements_larger_than_the_file_take_no_memory(tmp_path: Path, size: int, code: int):
    """A fill value is one element."""
    source, target = tmp_path / "source.h5", tmp_path / "packed.nc"
    with h5py.File(source, "w") as file:
        kind = h5py.h5t.create(h5py.h5t.OPAQUE, size)
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"x", kind, space)
    outcome = frazil("pack", source, "-o", target, "--json", memory_bytes=512 << 20)
    assert outcome.code == code and target.exists() == (code == DONE), outcome.stderr
    if code == FAILED:
        [error] = outcome.errors
        assert error["code"] == "memory_budget" and error["variable"] == "/x"
        assert str(size) in error["cause"]


@pytest.mark.parametrize("user_block", [0, 512])
@pytest.mark.parametrize("stated", [0, 4, 1 << 40])
def test_contiguous_values_are_where_their_address_is(tmp_path: Path, user_block: int, stated: int):
    """Readers take no notice of the size beside the address."""
    source, target = tmp_path / "source.h5", tmp_path / "packed.nc"
    values = np.arange(1, 41, dtype="i8")
    with h5py.File(source, "w", libver="earliest", userblock_size=user_block) as file:
        file["x"] = values
        file.create_dataset("unwritten", shape=40, dtype="i8", fillvalue=7)
        at = file["x"].id.get_offset() - user_block
    data = bytearray(source.read_bytes())
    layout = b"\x03\x01" + at.to_bytes(8, "little")
    size = data.index(layout + (320).to_bytes(8, "little")) + len(layout)
    data[size : size + 8] = stated.to_bytes(8, "little")
    source.write_bytes(data)
    with h5py.File(source) as file:
        try:
            seen = file["x"][:]
        except OSError:
            seen = None
    outcome = frazil("pack", source, "-o", target)
    if seen is None:
        assert outcome.code != DONE and not target.exists()
        return
    assert (seen == values).all() and outcome.code == DONE, outcome.stderr
    with h5py.File(target) as file:
        np.testing.assert_array_equal(file["x"][:], values)
        assert (file["unwritten"][:] == 7).all()
    with h5py.File(target, "a") as file:
        file["x"][0] = 0
    assert frazil("verify", source, target).code == FAILED


def _readers_see_zeros(path: Path) -> bool:
    with h5py.File(path) as file:
        return bool((file["x"][...] == 0).any())


def _refused_as_out_of_order(tmp_path: Path, source: Path) -> None:
    target = tmp_path / "packed.nc"
    for arguments in (("pack", source, "-o", target), ("verify", source, source)):
        outcome = frazil(*arguments)
        assert outcome.code not in (DONE,), arguments
        assert "out of order" in outcome.stderr and "/x" in outcome.stderr, outcome.stderr
    assert not target.exists()


def test_a_chunk_behind_a_damaged_key_is_corrupt(tmp_path: Path):
    """Walks of a version 1 B-tree find chunks that look-ups, which readers make, do not find."""
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="earliest") as file:
        file.create_dataset("x", data=np.arange(1, 401, dtype="i4"), chunks=(10,))
    pack(source, tmp_path / "sound.nc", "--verify")
    data = bytearray(source.read_bytes())
    node = data.index(b"TREE\x01\x00")
    entries = int.from_bytes(data[node + 6 : node + 8], "little")
    assert entries == 40
    # Keys of 24 bytes, the first element along the axis at 8, with 8-byte addresses between them.
    last_key = node + 24 + entries * 32 + 8
    data[last_key : last_key + 8] = bytes(8)
    source.write_bytes(data)
    assert _readers_see_zeros(source)
    _refused_as_out_of_order(tmp_path, source)


def test_records_of_a_newer_index_in_the_wrong_order_are_corrupt(tmp_path: Path):
    """The same in a version 2 B-tree, the index of datasets that grow along two axes."""
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="latest") as file:
        values = np.arange(1, 65, dtype="i4").reshape(8, 8)
        file.create_dataset("x", data=values, chunks=(4, 4), maxshape=(None, None))
    pack(source, tmp_path / "sound.nc", "--verify")
    data = bytearray(source.read_bytes())
    leaf, record, count = data.index(b"BTLF") + 6, 24, 4
    records = [bytes(data[leaf + i * record : leaf + (i + 1) * record]) for i in range(count)]
    end = leaf + count * record
    data[leaf:end] = b"".join([records[3], *records[1:3], records[0]])
    data[end : end + 4] = lookup3(bytes(data[leaf - 6 : end])).to_bytes(4, "little")
    source.write_bytes(data)
    assert _readers_see_zeros(source)
    _refused_as_out_of_order(tmp_path, source)


@pytest.mark.parametrize("written", [0, 3])
def test_space_that_was_never_written_costs_nothing(tmp_path: Path, written: int):
    """A variable of 2 PiB with a few chunks, or none."""
    source, target = tmp_path / "source.h5", tmp_path / "packed.nc"
    generator = np.random.default_rng(1)
    with h5py.File(source, "w") as file:
        x = file.create_dataset("x", (1 << 28, 1 << 20), "f8", chunks=(64, 1024))
        for i in range(written):
            smooth = np.cumsum(generator.normal(size=(64, 1024)), axis=1) + 300
            x[i << 20 : (i << 20) + 64, 2048:3072] = smooth
    for arguments in (
        ("analyze", source, "--json"),
        ("info", source, "--fill"),
        ("plan", source),
        ("pack", source, "-o", target, "--verify", "--keep-chunks"),
        ("verify", source, target),
    ):
        begin = time.monotonic()
        outcome = frazil(*arguments, timeout=60, memory_bytes=MEMORY_BYTES)
        assert outcome.code == DONE, (arguments, outcome.stderr)
        assert time.monotonic() - begin < 20, arguments
        if arguments[0] == "analyze" and written:
            [found] = outcome.report["reports"][0]["variables"]
            assert found["pairs"] > 100_000
            assert found["masked"] == (1 << 48) - written * 64 * 1024
        elif arguments[0] == "analyze":
            assert "no values were written" in outcome.stderr


@pytest.mark.parametrize("command", ["pack", "unpack"])
def test_what_libhdf5_would_crash_on_is_refused_before(tmp_path: Path, command: str):
    """A wrong number of attributes makes it write past a table (`H5A__dense_build_table`)."""
    source, target = tmp_path / "source.h5", tmp_path / "packed.nc"
    with h5py.File(source, "w", libver="latest") as file:
        file["x"] = np.arange(5)
        for number in range(20):
            file.attrs[f"a{number}"] = number
    data = bytearray(source.read_bytes())
    header = next(at for at in _places(data, b"BTHD") if data[at + 5] == 8)
    # The number of all records stands before the checksum.
    data[header + 26 : header + 34] = (3).to_bytes(8, "little")
    data[header + 34 : header + 38] = lookup3(bytes(data[header : header + 34])).to_bytes(
        4, "little"
    )
    source.write_bytes(data)
    _refused_as_corrupt(command, source, target)


@pytest.mark.parametrize("command", ["pack", "unpack"])
def test_what_libhdf5_would_loop_on_is_refused_before(tmp_path: Path, command: str):
    """Free space without a size in a global heap."""
    source, target = tmp_path / "source.h5", tmp_path / "packed.nc"
    with h5py.File(source, "w", libver="earliest") as file:
        file.attrs.create("texts", ["a", "bb"], dtype=h5py.string_dtype())
    data = bytearray(source.read_bytes())
    [heap] = _places(data, b"GCOL")
    # Two texts of up to 8 bytes, each behind a header of 16; then the free space's header.
    free = heap + 16 + 2 * 24
    assert data[free : free + 2] == bytes(2)
    data[free + 8 : free + 16] = bytes(8)
    source.write_bytes(data)
    _refused_as_corrupt(command, source, target)


def test_a_key_that_no_look_up_finds_is_corrupt(tmp_path: Path):
    """The number behind the axes' in a key is the byte within an element."""
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="earliest") as file:
        file.create_dataset("x", data=np.arange(1, 401, dtype="i4"), chunks=(10,))
    data = bytearray(source.read_bytes())
    node = data.index(b"TREE\x01\x00")
    data[node + 24 + 3 * 32 + 16 + 4 : node + 24 + 3 * 32 + 16 + 8] = b"\xff" * 4
    source.write_bytes(data)
    assert _readers_see_zeros(source)
    _refused_as_out_of_order(tmp_path, source)


def _places(data: bytes, signature: bytes) -> list[int]:
    return [at for at in range(len(data)) if data[at : at + 4] == signature]


def _refused_as_corrupt(command: str, source: Path, target: Path) -> None:
    outcome = frazil(command, source, "-o", target, "--json")
    assert outcome.code == FAILED, (outcome.code, outcome.stderr)
    assert [error["code"] for error in outcome.errors] == ["corrupt"]
    assert not target.exists()
