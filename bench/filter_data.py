"""The data families of the benchmark of filters, each as one uncompressed file; see README.md.

python bench/filter_data.py FAMILY CORPUS OUTPUT [quick]
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import h5py
import netCDF4
import numpy as np

KIB, MIB = 1 << 10, 1 << 20
# By family: folder of the corpus, largest part of a variable, variables of one source.
FAMILIES = {
    "ocean and land": ("a_ocean_land", MIB, 3),
    "atmosphere": ("b_atmos", 2 * MIB, 3),
    "detectors": ("c_detector", 3 * MIB, 3),
    "squall line": ("wrf", MIB, 40),
}
# Smaller variables say little.
LEAST_BYTES = 64 * KIB
CHUNK_BYTES = MIB
# What of a variable's meaning is kept.
ATTRIBUTES = ("units", "standard_name", "long_name", "axis", "positive", "valid_range")
HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


@dataclass
class Field:
    """A part of one variable."""

    path: str
    values: np.ndarray
    attributes: dict[str, object]


def cut(shape: tuple[int, ...], item_bytes: int, most_bytes: int) -> tuple[slice, ...]:
    """The middle of a variable, cut from its slow axes to about so many bytes."""
    size = item_bytes * int(np.prod(shape))
    found = []
    for length in shape:
        keep = length
        if size > most_bytes:
            rest = max(1, size // length)
            keep = min(length, max(1, most_bytes // rest))
            size = rest * keep
        begin = (length - keep) // 2
        found.append(slice(begin, begin + keep))
    return tuple(found)


def is_wanted(dtype: np.dtype, shape: tuple[int, ...]) -> bool:
    plain = dtype.kind in "iuf" and dtype.itemsize <= 8
    return plain and len(shape) > 0 and dtype.itemsize * int(np.prod(shape)) >= LEAST_BYTES


def of_hdf5(path: Path, most_bytes: int) -> Iterator[Field]:
    found = []

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and not item.is_virtual and is_wanted(*kind_of(item)):
            found.append((name, item))

    with h5py.File(path) as file:
        file.visititems(visit)
        for name, item in found:
            part = cut(item.shape, item.dtype.itemsize, most_bytes)
            attributes = {key: item.attrs[key] for key in ATTRIBUTES if key in item.attrs}
            yield Field(name, item[part], attributes)


def kind_of(item: h5py.Dataset) -> tuple[np.dtype, tuple[int, ...]]:
    return item.dtype, item.shape or ()


def of_classic(path: Path, most_bytes: int) -> Iterator[Field]:
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        for name, variable in file.variables.items():
            if not is_wanted(variable.dtype, variable.shape):
                continue
            part = cut(variable.shape, variable.dtype.itemsize, most_bytes)
            known = variable.ncattrs()
            attributes = {key: variable.getncattr(key) for key in ATTRIBUTES if key in known}
            yield Field(name, np.asarray(variable[part]), attributes)


def fields(path: Path, most_bytes: int) -> list[Field]:
    """The variables of a file; none of files that are neither HDF5 nor classic."""
    with path.open("rb") as file:
        begin = file.read(8)
    if begin == HDF5_SIGNATURE:
        return list(of_hdf5(path, most_bytes))
    if begin.startswith(b"CDF"):
        return list(of_classic(path, most_bytes))
    return []


def largest(folder: Path, most_bytes: int, count: int) -> list[Field]:
    """Of one source, which may have many files of one kind."""
    found = []
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        for field in fields(path, most_bytes):
            found.append(replace(field, path=f"{path.stem}/{field.path}"))
    found.sort(key=lambda field: (-field.values.nbytes, field.path))
    return found[:count]


def chunk_of(values: np.ndarray) -> tuple[int, ...]:
    """About a mebibyte, cut from the slow axes into equal parts."""
    parts = cut(values.shape, values.dtype.itemsize, CHUNK_BYTES)
    extents = zip(values.shape, (part.stop - part.start for part in parts), strict=True)
    return tuple(-(-length // -(-length // keep)) for length, keep in extents)


def build(family: str, corpus: Path, target: Path, quick: bool) -> None:
    """Writes the variables of all files of a family; a half-written file never has its name."""
    folder, most_bytes, count = FAMILIES[family]
    unfinished = target.with_suffix(".part")
    with h5py.File(unfinished, "w", libver=("earliest", "v108")) as out:
        inner = sorted(path for path in (corpus / folder).iterdir() if path.is_dir())
        for number, source in enumerate(inner or [corpus / folder]):
            for field in largest(source, most_bytes // 8 if quick else most_bytes, count):
                name = f"source{number:02}/{field.path}"
                values = np.ascontiguousarray(field.values)
                values = values.astype(values.dtype.newbyteorder("="))
                made = out.create_dataset(name, data=values, chunks=chunk_of(values))
                for key, value in field.attributes.items():
                    made.attrs[key] = value
    unfinished.rename(target)


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), "quick" in sys.argv[4:])
