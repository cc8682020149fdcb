"""Random files, by netCDF4 and by h5py: groups, dimensions, types, attributes, storage."""

import random
from pathlib import Path

import h5py
import netCDF4
import numpy as np

NUMBERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
CLASSIC = ("i1", "i2", "i4", "f4", "f8")
NAMES = ("units", "long_name", "scale_factor", "a b", "é", "valid_range", "zz")


class Choices(random.Random):
    """Random numbers with the values that files are made of."""

    def chance(self, share: float) -> bool:
        return self.random() < share

    def values(self, shape: tuple[int, ...], kind: str) -> np.ndarray:
        source = np.random.default_rng(self.randrange(1 << 32))
        if kind[0] == "f":
            return (source.normal(size=shape) * 10.0 ** self.randrange(-3, 12)).astype(kind)
        limits = np.iinfo(kind)
        low, high = max(limits.min, -(2**40)), min(limits.max, 2**40)
        return source.integers(low, high, size=shape).astype(kind)

    def attributes(self, kinds: tuple[str, ...], *, strings: bool) -> dict[str, object]:
        found: dict[str, object] = {}
        for _ in range(self.randrange(5)):
            value = self.choice(
                [
                    "text é",
                    self.values((), self.choice(kinds)),
                    self.values((self.randrange(1, 6),), self.choice(kinds)),
                    ["s1", "s2é", ""] if strings else "s",
                    "",
                ]
            )
            found[self.choice(NAMES)] = value
        return found


def netcdf4(path: Path, seed: int) -> Path:
    """A file as netCDF-C writes it."""
    some = Choices(seed)
    classic = some.chance(0.3)
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC" if classic else "NETCDF4") as file:
        _fill_group(file, some, {}, 0, classic=classic)
    return path


def _fill_group(
    group: netCDF4.Dataset, some: Choices, above: dict, depth: int, *, classic: bool
) -> None:
    lengths = dict(above)
    for _ in range(some.randrange(1, 4)):
        name = some.choice("xyztuvw") + ("" if classic else str(depth))
        if name not in group.dimensions:
            grows = some.chance(0.3) and not (classic and None in lengths.values())
            lengths[name] = None if grows else some.randrange(1, 7)
            group.createDimension(name, lengths[name])
    kinds = CLASSIC if classic else NUMBERS
    group.setncatts(some.attributes(kinds, strings=not classic))
    for number in range(some.randrange(6)):
        name = some.choice([*lengths, f"v{number}", "w w", f"µ{number}"])
        if name not in group.variables:
            _add_variable(group, name, some, lengths, classic=classic)
    if not classic and depth < 3:
        for number in range(some.randrange(3)):
            below = group.createGroup(f"g{number}" if some.chance(0.8) else f"h é{number}")
            _fill_group(below, some, lengths, depth + 1, classic=classic)


def _add_variable(
    group: netCDF4.Dataset, name: str, some: Choices, lengths: dict, *, classic: bool
) -> None:
    axes = [some.choice(list(lengths)) for _ in range(some.randrange(4))]
    grows = [axis for axis in axes if lengths[axis] is None]
    # netCDF-C moves the values of what is shorter than one of several unlimited dimensions.
    axes = [*grows[:1], *(axis for axis in axes if lengths[axis] is not None)]
    kinds = CLASSIC if classic else NUMBERS
    kind = some.choice([some.choice(kinds), some.choice(kinds), "S1", "S1" if classic else str])
    options: dict[str, object] = {}
    if kind is not str and some.chance(0.5):
        options = {"zlib": True, "complevel": some.randrange(1, 10), "shuffle": some.chance(0.5)}
        options["fletcher32"] = some.chance(0.3)
    if kind not in (str, "S1"):
        options["endian"] = some.choice(["big", "little"])
        options["fill_value"] = some.choice([None, 7])
        if kind[0] == "f" and "zlib" in options and some.chance(0.3):
            options["significant_digits"] = 3
            options["quantize_mode"] = some.choice(["BitGroom", "BitRound", "GranularBitRound"])
    order = {"big": ">", "little": "<"}.get(options.get("endian"), "")
    stored = kind if kind is str else order + kind
    variable = group.createVariable(name, stored, axes, **options)
    variable.setncatts(some.attributes(kinds, strings=not classic))
    if some.chance(0.15):
        return
    variable.set_auto_maskandscale(False)
    shape = tuple(lengths[axis] or some.randrange(5) for axis in axes)
    if kind is str:
        values = np.full(shape, "té", object)
    elif kind == "S1":
        values = np.full(shape, b"q", "S1")
    else:
        values = some.values(shape, kind)
    variable[tuple(slice(0, length) for length in shape)] = values


def hdf5(path: Path, seed: int) -> Path:
    """A file as others write HDF5, mostly without dimensions."""
    some = Choices(seed)
    order = some.chance(0.5)
    version = some.choice(["earliest", ("v108", "v108"), "latest"])
    with h5py.File(path, "w", libver=version, track_order=order) as file:
        _fill_hdf5(file, some, 0)
    return path


def _fill_hdf5(group: h5py.Group, some: Choices, depth: int) -> None:
    group.attrs.update(some.attributes(NUMBERS, strings=True))
    if some.chance(0.2):
        group.attrs["fixed"] = np.bytes_(b"abc")
        group.attrs["several"] = np.array([b"abc", b"d"])
    scales = []
    for _ in range(some.randrange(7)):
        name = some.choice("abcdefgh") + some.choice(["", "1", "é"])
        if name in group:
            continue
        dataset = _add_dataset(group, name, some)
        dataset.attrs.update(some.attributes(NUMBERS, strings=True))
        if dataset.ndim == 1 and dataset.dtype.kind in "fiu" and some.chance(0.25):
            dataset.make_scale(name)
            scales.append(dataset)
    _attach(group, scales, some)
    if depth < 3:
        for number in range(some.randrange(3)):
            _fill_hdf5(group.create_group(f"G{number}"), some, depth + 1)


def _attach(group: h5py.Group, scales: list[h5py.Dataset], some: Choices) -> None:
    for dataset in group.values():
        if scales and dataset not in scales and some.chance(0.6):
            for axis, length in enumerate(dataset.shape):
                fits = [scale for scale in scales if scale.shape[0] == length]
                if fits:
                    dataset.dims[axis].attach_scale(some.choice(fits))


def _add_dataset(group: h5py.Group, name: str, some: Choices) -> h5py.Dataset:
    shape = tuple(some.randrange(1, 5) for _ in range(some.randrange(4)))
    options: dict[str, object] = {}
    if shape and some.chance(0.5):
        options["chunks"] = tuple(some.randrange(1, length + 1) for length in shape)
        if some.chance(0.6):
            options["maxshape"] = tuple(some.choice([n, None, n + 3]) for n in shape)
        if some.chance(0.6):
            options["compression"] = "gzip"
        options["shuffle"] = some.chance(0.4)
    match some.randrange(8):
        case 0:
            texts = np.full(shape, "str é", object)
            return group.create_dataset(name, data=texts, dtype=h5py.string_dtype())
        case 1:
            return group.create_dataset(name, data=np.full(shape, b"fixed", "S7"))
        case 2:
            return group.create_dataset(name, data=np.full(shape, b"f", "S1"), **options)
        case 3:
            kind = some.choice("<>") + some.choice(NUMBERS)
            return group.create_dataset(name, shape, dtype=kind, fillvalue=5, **options)
        case _:
            kind = some.choice(NUMBERS)
            values = some.values(shape, kind).astype(some.choice("<>") + kind)
            return group.create_dataset(name, data=values, **options)
