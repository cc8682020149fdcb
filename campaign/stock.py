"""What stock readers see: `python -m campaign.stock FILE` reads all of a file, `… ONE OTHER`
compares two of them. A process of its own, since these readers may crash."""

import sys
from pathlib import Path

import numpy as np

from campaign.judge import DIFFERENT

# Damaged shapes may claim anything.
MOST_VALUES = 1 << 22


def _read(path: str) -> None:
    import h5py

    def look(_name: str, thing: object) -> None:
        list(thing.attrs.items())
        if isinstance(thing, h5py.Dataset) and (thing.size or 0) < MOST_VALUES:
            thing[()]

    with h5py.File(path) as file:
        look("/", file)
        file.visititems(look)


def _same(one: object, other: object) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if one.dtype.names is not None:
        # Between members there may be anything.
        names = one.dtype.names
        return other.dtype.names == names and all(_same(one[n], other[n]) for n in names)
    if one.dtype.hasobject or other.dtype.hasobject:
        return all(_alike(a, b) for a, b in zip(one.ravel(), other.ravel(), strict=True))
    return one.astype(other.dtype).tobytes() == other.tobytes()


def _alike(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return _same(one, other)
    if isinstance(one, bytes | str | float | int):
        return one == other or one != one
    # References differ between files.
    return True


def _hdf5(one: str, other: str) -> list[str]:
    import h5py

    found = []
    with h5py.File(one) as first, h5py.File(other) as second:

        def look(name: str, thing: object) -> None:
            if not isinstance(thing, h5py.Dataset) or (thing.size or 0) > MOST_VALUES:
                return
            if "netCDF dimension but not a netCDF variable" in str(thing.attrs.get("NAME")):
                return
            if name not in second:
                found.append(f"{name} is missing")
            elif thing.size is not None and not _same(thing[()], second[name][()]):
                found.append(f"{name} differs")

        first.visititems(look)
    return found


def _netcdf(one: str, other: str) -> list[str]:
    import netCDF4

    found = []
    with netCDF4.Dataset(one) as first, netCDF4.Dataset(other) as second:
        for name, variable in first.variables.items():
            variable.set_auto_maskandscale(False)
            second[name].set_auto_maskandscale(False)
            if variable.size < MOST_VALUES and not _same(variable[:], second[name][:]):
                found.append(f"{name} differs")
    return found


def main() -> int:
    """Reads or compares; what cannot be read is an error of Python's."""
    if len(sys.argv) == 2:
        _read(sys.argv[1])
        return 0
    one, other = sys.argv[1:]
    is_classic = Path(one).read_bytes()[:3] == b"CDF"
    found = (_netcdf if is_classic else _hdf5)(one, other)
    print("\n".join(found))
    return DIFFERENT if found else 0


if __name__ == "__main__":
    sys.exit(main())
