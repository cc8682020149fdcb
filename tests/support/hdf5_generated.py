"""Files of many forms that h5py can write: versions, types, layouts, indexes, attributes."""

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
from h5py import h5f, h5o, h5p

VERSIONS = [h5f.LIBVER_EARLIEST, h5f.LIBVER_V18, h5f.LIBVER_V110, h5f.LIBVER_LATEST]
LENGTHS = [0, 1, 5, 17, 60]
# What a combination of chance cannot have, h5py refuses.
REFUSED = (ValueError, TypeError, OSError, RuntimeError, KeyError, AttributeError)


def generate(path: Path, seed: int) -> Path:
    """Writes the file of a seed."""
    chance = random.Random(seed)
    with _create(path, chance) as file:
        groups = _groups(file, chance)
        for number in range(chance.randint(0, 8)):
            with suppress(*REFUSED):
                _dataset(chance.choice(groups), f"d{number}", chance)
        for group in groups:
            _attributes(group, chance)
            _links(group, groups, chance)
        if chance.random() < 0.3:
            with suppress(*REFUSED):
                file["named"] = _datatype(chance)
                file.create_dataset("of_named", (3,), dtype=file["named"])
    return path


def _create(path: Path, chance: random.Random) -> h5py.File:
    creation, access = h5p.create(h5p.FILE_CREATE), h5p.create(h5p.FILE_ACCESS)
    user_block = chance.choice([512, 1024, 4096]) if chance.random() < 0.2 else 0
    creation.set_userblock(user_block)
    if chance.random() < 0.2:
        creation.set_sizes(chance.choice([4, 8]), 8)
    if chance.random() < 0.25:
        creation.set_link_creation_order(3)
    if chance.random() < 0.3:
        creation.set_file_space_strategy(chance.randrange(4), bool(chance.randrange(2)), 1)
        # A user block is no smaller than a page.
        pages = [512, 4096] if user_block in (0, 4096) else [512]
        creation.set_file_space_page_size(chance.choice(pages))
    access.set_libver_bounds(chance.choice(VERSIONS), h5f.LIBVER_LATEST)
    return h5py.File(h5f.create(str(path).encode(), h5f.ACC_TRUNC, creation, access))


def _groups(file: h5py.File, chance: random.Random) -> list[h5py.Group]:
    groups = [file]
    for number in range(chance.randint(0, 4)):
        parent = chance.choice(groups)
        groups.append(parent.create_group(f"g{number}", track_order=bool(chance.randrange(2))))
    if chance.random() < 0.25:
        crowded = chance.choice(groups)
        for number in range(chance.choice([9, 40, 300])):
            crowded.create_group(f"many{number:03}")
    return groups


def _links(group: h5py.Group, groups: list[h5py.Group], chance: random.Random) -> None:
    if chance.random() < 0.2:
        group["soft"] = h5py.SoftLink("/nowhere/x")
    if chance.random() < 0.2:
        group["external"] = h5py.ExternalLink("other.h5", "/y")
    if chance.random() < 0.2:
        group["hard"] = chance.choice(groups)


def _integer(chance: random.Random) -> np.dtype:
    return np.dtype(chance.choice(["i1", "i2", ">i4", "<i8", "u1", ">u2", "<u4", ">u8"]))


def _compound(chance: random.Random, depth: int) -> np.dtype:
    count = chance.randint(1, 5)
    return np.dtype([(f"f{number}", _datatype(chance, depth + 1)) for number in range(count)])


def _array(chance: random.Random, depth: int) -> np.dtype:
    shape = tuple(chance.randint(1, 4) for _ in range(chance.randint(1, 3)))
    return np.dtype((_datatype(chance, depth + 1), shape))


def _enumeration(chance: random.Random) -> np.dtype:
    members = {f"n{number}": number for number in range(chance.randint(1, 6))}
    return h5py.enum_dtype(members, basetype=chance.choice(["i1", "u2", ">i4"]))


def _datatype(chance: random.Random, depth: int = 0) -> np.dtype:
    flat: list[Callable[[], np.dtype]] = [
        lambda: _integer(chance),
        lambda: np.dtype(chance.choice(["<f2", ">f4", "<f8", "<f4"])),
        lambda: np.dtype(f"S{chance.randint(1, 40)}"),
        lambda: h5py.string_dtype(chance.choice(["utf-8", "ascii"])),
        lambda: h5py.string_dtype("utf-8", chance.randint(1, 20)),
        lambda: _enumeration(chance),
        lambda: h5py.ref_dtype,
        lambda: h5py.regionref_dtype,
        lambda: np.dtype(chance.choice(["c8", "c16", "bool"])),
        lambda: np.dtype(f"V{chance.randint(1, 20)}"),
        lambda: h5py.vlen_dtype(np.dtype(chance.choice(["i4", "f8", ">u2"]))),
    ]
    nested = [lambda: _compound(chance, depth), lambda: _array(chance, depth)]
    return chance.choice(flat + nested if depth < 3 else flat)()


def _chunk_options(shape: tuple[int, ...], chance: random.Random) -> dict:
    options: dict = {"chunks": tuple(chance.choice([1, 2, 5, 7, 16]) for _ in shape)}
    if chance.random() < 0.7:
        most = tuple(chance.choice([None, max(n, 1), n + 40]) for n in shape)
        options["maxshape"] = most
        fits = zip(options["chunks"], most, strict=True)
        options["chunks"] = tuple(min(length, n) if n else length for length, n in fits)
    options["compression"] = chance.choice([None, None, "gzip", "lzf"])
    options["shuffle"] = chance.random() < 0.4
    options["fletcher32"] = chance.random() < 0.3
    return options


def _dataset(group: h5py.Group, name: str, chance: random.Random) -> None:
    shape = tuple(chance.choice(LENGTHS) for _ in range(chance.choice([0, 1, 1, 2, 2, 3, 4])))
    options = _chunk_options(shape, chance) if shape and chance.random() < 0.75 else {}
    datatype = _datatype(chance)
    if chance.random() < 0.3 and datatype.kind in "iuf":
        options["fillvalue"] = 7
    if chance.random() < 0.2:
        options["track_times"] = True
    if chance.random() < 0.2:
        options["fill_time"] = chance.choice(["alloc", "never", "ifset"])
    dataset = group.create_dataset(name, shape, datatype, **options)
    _fill(dataset, chance)
    if options.get("maxshape") and chance.random() < 0.3:
        lengths = [chance.randint(0, n or 70) for n in options["maxshape"]]
        dataset.resize(tuple(lengths))
        _fill(dataset, chance)
    _attributes(dataset, chance)
    if chance.random() < 0.1:
        h5o.set_comment(dataset.id, b"a comment")


def _fill(dataset: h5py.Dataset, chance: random.Random) -> None:
    """Writes numbers into some boxes, so that some chunks are there."""
    if dataset.dtype.kind not in "iuf" or not dataset.shape or not dataset.size:
        return
    for _ in range(chance.randint(0, 4)):
        begin = [chance.randrange(n) for n in dataset.shape]
        ends = [min(a + chance.randint(1, n), n) for a, n in zip(begin, dataset.shape, strict=True)]
        box = tuple(slice(a, b) for a, b in zip(begin, ends, strict=True))
        shape = tuple(b - a for a, b in zip(begin, ends, strict=True))
        values = np.random.default_rng(chance.randrange(99)).integers(0, 100, shape)
        dataset[box] = values.astype(dataset.dtype)


def _attributes(item: h5py.HLObject, chance: random.Random) -> None:
    most = chance.choice([0, 1, 3, 9, 30, 70]) if chance.random() < 0.4 else chance.randint(0, 3)
    for number in range(most):
        name = f"a{number}" if chance.random() < 0.8 else f"\u00fc{number}"
        with suppress(*REFUSED):
            _attribute(item.attrs, name, chance)


def _attribute(attributes: h5py.AttributeManager, name: str, chance: random.Random) -> None:
    length = chance.randint(0, 9000 if chance.random() < 0.2 else 20)
    kinds: list[Callable[[], object]] = [
        lambda: attributes.create(name, h5py.Empty(_integer(chance))),
        lambda: attributes.create(name, "text " * (length // 5)),
        lambda: attributes.create(name, np.arange(length), dtype="i4"),
        lambda: attributes.create(name, ["a", "bb", ""] * chance.randint(1, 4)),
        lambda: attributes.create(name, np.zeros((2,), _compound(chance, 3))),
    ]
    chance.choice(kinds)()
