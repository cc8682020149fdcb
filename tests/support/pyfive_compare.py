"""Compares values through pyfive, which reads HDF5 without libhdf5."""

from pathlib import Path

import h5py
import numpy as np
import pyfive

from support.data import kind
from support.values import same


def compare(source: Path, packed: Path, ignored: set[str]) -> tuple[list[str], int]:
    """Numeric datasets of a packed file that pyfive reads differently from h5py; how many it read.

    What pyfive cannot read in the source either is not judged; for classic sources it must read
    everything.
    """
    wrong: list[str] = []
    count = 0
    with h5py.File(packed) as ours:
        names = [name for name in _numeric(ours) if name not in ignored]
        found, original = _read(packed, names), _read(source, names)
        for name in names:
            if isinstance(found[name], Exception):
                if not isinstance(original[name], Exception) or kind(source) == "classic":
                    wrong.append(f"{name}: {found[name]!r}")
                continue
            count += 1
            if not same(np.asarray(found[name]), np.asarray(ours[name][()])):
                wrong.append(f"{name}: values")
    return wrong, count


def _read(path: Path, names: list[str]) -> dict[str, object]:
    """Values by name; the error where pyfive cannot read one."""
    values: dict[str, object] = {}
    try:
        with pyfive.File(str(path)) as file:
            for name in names:
                values[name] = _value_or_error(file, name)
    except Exception as error:  # pyfive raises whatever its parser trips over
        return {name: values.get(name, error) for name in names}
    return values


def _value_or_error(file: pyfive.File, name: str) -> object:
    try:
        return file[name][...]
    except Exception as error:
        return error


def _numeric(file: h5py.File) -> list[str]:
    names: list[str] = []

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf" and item.shape is not None:
            names.append(name)

    file.visititems(visit)
    return names
