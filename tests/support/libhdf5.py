"""The libhdf5 inside h5py, for what h5py itself has no call for."""

import ctypes
from pathlib import Path

import h5py

DONT_FILTER_PARTIAL_CHUNKS = 2
_S_SCALAR = 0


def _load() -> ctypes.CDLL:
    """The copy that h5py has loaded: its ids can be passed on (netCDF4 may have loaded another)."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.exists() else []
    paths = {line.split(maxsplit=5)[5] for line in lines if "libhdf5" in line}
    paths = {path for path in paths if "h5py" in path and "_hl" not in Path(path).name}
    if not paths:
        raise FileNotFoundError("h5py has not loaded a libhdf5 of its own")
    return ctypes.CDLL(min(paths))


def _identifier(library: ctypes.CDLL, name: str) -> ctypes.c_int64:
    return ctypes.c_int64.in_dll(library, name)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError("libhdf5 refuses")
    return result


def set_chunk_options(plist: h5py.h5p.PropDCID, options: int) -> None:
    """H5Pset_chunk_opts."""
    _checked(_load().H5Pset_chunk_opts(ctypes.c_int64(plist.id), ctypes.c_uint(options)))


def create_scalar(file: h5py.File, name: str, type_name: str) -> None:
    """An unwritten scalar dataset of a predefined type that h5py does not know."""
    library = _load()
    library.H5Dcreate2.restype = library.H5Screate.restype = ctypes.c_int64
    space = _checked(library.H5Screate(_S_SCALAR))
    kind = _identifier(library, f"{type_name}_g")
    default = ctypes.c_int64(0)
    location, text = ctypes.c_int64(file.id.id), name.encode()
    dataset = library.H5Dcreate2(
        location, text, kind, ctypes.c_int64(space), default, default, default
    )
    _checked(library.H5Dclose(ctypes.c_int64(_checked(dataset))))
    _checked(library.H5Sclose(ctypes.c_int64(space)))
