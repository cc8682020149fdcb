"""What a file is beside its objects: superblock, file creation properties, file-level messages."""

import ctypes
from pathlib import Path

import h5py
import numpy as np
from h5py import h5f, h5p

from support.inventory import Case
from support.libhdf5 import load


def _file(path: Path, access: dict | None = None, **creation: object) -> None:
    with h5py.File(path, "w", **(access or {}), **creation) as file:
        file.create_dataset("x", data=np.arange(3))


def _properties(path: Path, change: object, access: h5p.PropFAID | None = None) -> None:
    """A file with one dataset, whose creation list `change` has set."""
    creation = h5p.create(h5p.FILE_CREATE)
    change(creation)
    identifier = h5f.create(bytes(path), h5f.ACC_TRUNC, creation, access)
    with h5py.File(identifier) as file:
        file["x"] = np.arange(3)


def _superblock(path: Path, variant: int) -> None:
    _file(path, libver=["earliest", "latest"][variant])


def _byte(path: str, at: int) -> int:
    return Path(path).read_bytes()[at]


def _user_block(path: Path, variant: int) -> None:
    _file(path, userblock_size=512)
    with path.open("r+b") as raw:
        raw.write([b"first", b"other"][variant])


def _sizes(path: Path, variant: int) -> None:
    _properties(path, lambda creation: creation.set_sizes(*[(8, 8), (4, 4)][variant ^ 1]))


def _group_ranks(path: Path, variant: int) -> None:
    def change(creation: h5p.PropFCID) -> None:
        ranks = [(32, 8), (16, 4)][variant]
        assert load().H5Pset_sym_k(ctypes.c_int64(creation.id), *ranks) >= 0

    _properties(path, change)


def _sym_k(file: h5py.File) -> tuple[int, int]:
    node, leaf = ctypes.c_uint(), ctypes.c_uint()
    creation = file.id.get_create_plist()
    pointers = ctypes.byref(node), ctypes.byref(leaf)
    assert load().H5Pget_sym_k(ctypes.c_int64(creation.id), *pointers) >= 0
    return node.value, leaf.value


def _chunk_rank(path: Path, variant: int) -> None:
    def change(creation: h5p.PropFCID) -> None:
        rank = ctypes.c_uint([64, 32][variant])
        assert load().H5Pset_istore_k(ctypes.c_int64(creation.id), rank) >= 0

    _properties(path, change)


def _istore_k(file: h5py.File) -> int:
    rank = ctypes.c_uint()
    creation = file.id.get_create_plist()
    assert load().H5Pget_istore_k(ctypes.c_int64(creation.id), ctypes.byref(rank)) >= 0
    return rank.value


def _shared_messages(path: Path, variant: int) -> None:
    def change(creation: h5p.PropFCID) -> None:
        library, identifier = load(), ctypes.c_int64(creation.id)
        assert library.H5Pset_shared_mesg_nindexes(identifier, 1 - variant) >= 0
        if variant == 0:
            # All kinds of messages from 10 bytes on.
            assert library.H5Pset_shared_mesg_index(identifier, 0, 0x1F, 10) >= 0

    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(h5f.LIBVER_V18, h5f.LIBVER_LATEST)
    _properties(path, change, access)


def _shared_indexes(file: h5py.File) -> int:
    count = ctypes.c_uint()
    creation = file.id.get_create_plist()
    identifier = ctypes.c_int64(creation.id)
    assert load().H5Pget_shared_mesg_nindexes(identifier, ctypes.byref(count)) >= 0
    return count.value


def _strategy(path: Path, variant: int) -> None:
    _file(path, fs_strategy=["page", "fsm"][variant], fs_page_size=1 << 14)


def _persistence(path: Path, variant: int) -> None:
    _file(path, fs_strategy="fsm", fs_persist=variant == 0)


def _space(file: h5py.File) -> tuple:
    return file.id.get_create_plist().get_file_space_strategy()[:2]


def _driver(path: Path, variant: int) -> None:
    """The first member of a family of files, of which each has so many bytes at most."""
    family = path.with_name(path.stem + "_%d.h5")
    with h5py.File(family, "w", driver="family", memb_size=1 << (20 + variant)) as file:
        file["x"] = np.arange(3)
    Path(str(family) % 0).rename(path)


class _CacheImage(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("generate", ctypes.c_bool),
        ("save_resize_status", ctypes.c_bool),
        ("entry_ageout", ctypes.c_int),
    )


def _cache_image(path: Path, variant: int) -> None:
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(h5f.LIBVER_LATEST, h5f.LIBVER_LATEST)
    image = _CacheImage(1, variant == 0, False, -1)
    pointer = ctypes.byref(image)
    assert load().H5Pset_mdc_image_config(ctypes.c_int64(access.id), pointer) >= 0
    _properties(path, lambda _: None, access)


def _plain_space(_: object) -> tuple:
    return (h5f.FSPACE_STRATEGY_FSM_AGGR, False)


CASES = [
    Case(
        "superblock version",
        _superblock,
        lambda file: _byte(file.filename, 8),
        "converted",
        lambda _: 2,
        "nothing",
    ),
    Case(
        "user block",
        _user_block,
        lambda file: Path(file.filename).read_bytes()[: file.userblock_size],
    ),
    Case(
        "sizes of addresses and lengths",
        _sizes,
        lambda file: file.id.get_create_plist().get_sizes(),
        "named",
        lambda _: (8, 8),
        "notice",
        "addresses of 4",
    ),
    Case(
        "B-tree ranks of groups",
        _group_ranks,
        _sym_k,
        "named",
        lambda _: (16, 4),
        "notice",
        "B-tree ranks (32, 8",
    ),
    Case(
        "B-tree rank of chunks (message 0x13)",
        _chunk_rank,
        _istore_k,
        "named",
        lambda _: 32,
        "notice",
        "B-tree ranks (16, 4, 64)",
    ),
    Case(
        "shared messages (message 0x0F)",
        _shared_messages,
        _shared_indexes,
        "named",
        lambda _: 0,
        "notice",
        "messages that objects share",
    ),
    Case(
        "file space strategy and page size (message 0x17)",
        _strategy,
        _space,
        "named",
        _plain_space,
        "notice",
        "pages of 16384 bytes",
    ),
    Case(
        "persistent free space (message 0x17)",
        _persistence,
        _space,
        "named",
        _plain_space,
        "notice",
        "lists of free space",
    ),
    Case(
        "driver information (message 0x14)",
        _driver,
        lambda file: None,
        "refused",
        verify="trouble",
        says="driver",
    ),
    Case(
        "metadata cache image (message 0x18)",
        _cache_image,
        lambda file: file["x"][:].tolist(),
        "converted",
        verify="nothing",
    ),
]
