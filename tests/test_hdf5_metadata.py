"""What frazil-hdf5 reads without libhdf5, against what h5py's low level says of the same file."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import h5py
import pytest
from h5py import h5f, h5p
from support import hdf5_generated, hdf5_inventory
from support.checksum import lookup3
from support.data import corpus_files

HOSTILE_MEMORY_BYTES = 512 << 20
# Kinds of messages, bytes of one, and a flag.
MODIFICATION_TIME, LINK_COUNT, SPACE = 0x12, 0x16, 0x17
SPACE_BYTES = 128
WAS_UNKNOWN = 0x20


def assert_same(path: Path) -> None:
    try:
        theirs = hdf5_inventory.theirs(path)
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        pytest.skip(f"h5py refuses: {error}")
    lines, error = hdf5_inventory.ours(path)
    assert not error
    assert hdf5_inventory.comparable(lines, theirs) == theirs
    assert hdf5_inventory.wrong_chunks(path, lines) == []


@pytest.mark.sampled(one_in=16)
@pytest.mark.parametrize("seed", range(400))
def test_generated_files_are_read_as_h5py_reads_them(tmp_path: Path, seed: int):
    assert_same(hdf5_generated.generate(tmp_path / "file.h5", seed))


@pytest.mark.sampled(one_in=8)
@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.name)
def test_real_files_are_read_as_h5py_reads_them(path: Path):
    if not h5py.is_hdf5(path):
        pytest.skip("not HDF5")
    assert_same(path)


@pytest.mark.sampled(one_in=8)
@pytest.mark.parametrize("seed", range(40))
def test_changed_copies_end_soon_and_in_little_memory(tmp_path: Path, seed: int):
    path = hdf5_generated.generate(tmp_path / "file.h5", seed)
    if path.stat().st_size > 200_000:
        pytest.skip("its copies would take long")
    reader = f"exec {hdf5_inventory.READER} {path} {seed} 400"
    limited = f"ulimit -v {HOSTILE_MEMORY_BYTES >> 10}; {reader}"
    done = subprocess.run(
        ["bash", "-c", limited], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def odd_file(path: Path) -> bytearray:
    """A file whose objects have headers of version 1, and that says how it manages free space."""
    creation, access = h5p.create(h5p.FILE_CREATE), h5p.create(h5p.FILE_ACCESS)
    creation.set_file_space_strategy(0, True, 1)
    access.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)
    with h5py.File(h5f.create(str(path).encode(), h5f.ACC_TRUNC, creation, access)) as file:
        file.create_dataset("a", data=range(10), track_times=True)
    return bytearray(path.read_bytes())


def message_of(content: bytearray, kind: int, length: int) -> int:
    """Where a message of a version-1 header begins, in a file that has one such."""
    begin = bytes([kind, 0, length, 0])
    found = [at for at in range(0, len(content), 8) if content[at : at + 4] == begin]
    assert len(found) == 1
    return found[0]


def space_of_another_time(content: bytearray) -> None:
    content[message_of(content, SPACE, SPACE_BYTES) + 8] = 0


def outdated_space(content: bytearray) -> None:
    space_of_another_time(content)
    content[message_of(content, SPACE, SPACE_BYTES) + 4] |= WAS_UNKNOWN


def space_without_its_lists(content: bytearray) -> None:
    at = message_of(content, SPACE, SPACE_BYTES)
    content[at + 2] = 32
    content[at + 40 : at + 48] = bytes([0, 0, SPACE_BYTES - 40, 0, 0, 0, 0, 0])
    # The header has two messages now.
    content[at - 14] = 2


def tiny_pages(content: bytearray) -> None:
    at = message_of(content, SPACE, SPACE_BYTES) + 8 + 3 + 8
    content[at : at + 8] = (256).to_bytes(8, "little")


def counted_links(content: bytearray) -> None:
    at = message_of(content, MODIFICATION_TIME, 8)
    content[at : at + 2] = bytes([LINK_COUNT, 0])
    content[at + 8 : at + 16] = bytes([0, 1, 0, 0, 0, 0, 0, 0])


def early_end(content: bytearray) -> None:
    content[28:36] = (len(content) // 4).to_bytes(8, "little")
    content[44:48] = lookup3(bytes(content[:44])).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        (outdated_space, True),
        (space_of_another_time, False),
        (space_without_its_lists, False),
        (tiny_pages, False),
        (counted_links, False),
        (early_end, False),
    ],
)
def test_what_libhdf5_refuses_is_refused(
    tmp_path: Path, change: Callable[[bytearray], None], is_read: bool
):
    path = tmp_path / "file.h5"
    content = odd_file(path)
    assert_same(path)
    change(content)
    path.write_bytes(content)
    if is_read:
        assert hdf5_inventory.ours(path) == (hdf5_inventory.theirs(path), "")
        return
    with pytest.raises((OSError, KeyError, RuntimeError)):
        hdf5_inventory.theirs(path)
    assert hdf5_inventory.ours(path)[1]


def test_a_key_that_is_no_place_of_a_chunk_is_refused(tmp_path: Path):
    """Also in inner nodes, whose keys only look-ups follow."""
    path = tmp_path / "key.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        made = file.create_dataset("v", (60, 120), "i4", chunks=(1, 4), maxshape=(None, None))
        made[...] = 1
    content = bytearray(path.read_bytes())
    root = next(at for at in range(len(content)) if content[at : at + 6] == b"TREE\1\1")
    # The third key of the root, behind the chunk's size, its filters, and its place on axis 0.
    content[root + 24 + 3 * (32 + 8) + 16] ^= 1
    path.write_bytes(content)
    with h5py.File(path) as file, pytest.raises(OSError, match="read"):
        file["v"][...]
    assert "no place of a chunk" in hdf5_inventory.ours(path)[1]
