"""Compares values through pyfive, which reads HDF5 without libhdf5."""

from pathlib import Path

import h5py
import numpy as np
import pyfive

from support.values import same


def compare(packed: Path, ignored: set[str]) -> tuple[list[str], int]:
    """Numeric datasets of a packed file that pyfive reads differently from h5py; how many it read.

    A dataset that pyfive cannot read for what it is (type, filter) is left out; its storage is what
    every packed file has, so numbers under shuffle and deflate must be readable.
    """
    wrong: list[str] = []
    count = 0
    with h5py.File(packed) as ours, pyfive.File(str(packed)) as theirs:
        for name in _numeric(ours):
            if name in ignored:
                continue
            try:
                values = theirs[name][...]
            except Exception as error:  # pyfive raises whatever its parser trips over
                if _portable(ours[name]):
                    wrong.append(f"{name}: {error!r}")
                continue
            count += 1
            if not same(np.asarray(values), np.asarray(ours[name][()])):
                wrong.append(f"{name}: values")
    return wrong, count


def _numeric(file: h5py.File) -> list[str]:
    names: list[str] = []

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf" and item.shape is not None:
            names.append(name)

    file.visititems(visit)
    return names


def _portable(dataset: h5py.Dataset) -> bool:
    plist = dataset.id.get_create_plist()
    filters = {plist.get_filter(number)[0] for number in range(plist.get_nfilters())}
    plain = plist.get_layout() != h5py.h5d.VIRTUAL and not plist.get_external_count()
    # pyfive has no bitfields, enumerations or floats of unusual layout.
    usual = dataset.dtype.itemsize <= 8 and h5py.check_enum_dtype(dataset.dtype) is None
    return plain and usual and filters <= {1, 2, 3}
