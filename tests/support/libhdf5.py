"""The libhdf5 inside h5py, for what h5py itself has no call for."""

import ctypes
from pathlib import Path

import h5py

DONT_FILTER_PARTIAL_CHUNKS = 2
_S_SCALAR = 0


def load() -> ctypes.CDLL:
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
    _checked(load().H5Pset_chunk_opts(ctypes.c_int64(plist.id), ctypes.c_uint(options)))


def create_scalar(file: h5py.File, name: str, type_name: str) -> None:
    """An unwritten scalar dataset of a predefined type that h5py does not know."""
    library = load()
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


def comment_of(item: h5py.HLObject) -> bytes:
    """An object's comment (h5py's own call returns random bytes)."""
    library = load()
    library.H5Oget_comment.restype = ctypes.c_ssize_t
    buffer = ctypes.create_string_buffer(256)
    identifier = ctypes.c_int64(item.id.id)
    _checked(library.H5Oget_comment(identifier, buffer, ctypes.c_size_t(len(buffer))))
    return buffer.value


def set_fill_value(plist: h5py.h5p.PropDCID, kind: h5py.h5t.TypeID, value: bytes | None) -> None:
    """A fill value in the bytes of its type; None: it is undefined."""
    _checked(load().H5Pset_fill_value(ctypes.c_int64(plist.id), ctypes.c_int64(kind.id), value))


def fill_value(plist: h5py.h5p.PropDCID, kind: h5py.h5t.TypeID) -> bytes:
    """A fill value in the bytes of its type."""
    buffer = ctypes.create_string_buffer(kind.get_size())
    _checked(load().H5Pget_fill_value(ctypes.c_int64(plist.id), ctypes.c_int64(kind.id), buffer))
    return buffer.raw


def create_attribute(item: h5py.HLObject, name: bytes, value: int, is_utf8: bool = False) -> None:
    """A 32-bit integer as an attribute whose name is said to be UTF-8, or ASCII."""
    library = load()
    for function in (library.H5Pcreate, library.H5Screate, library.H5Acreate2):
        function.restype = ctypes.c_int64
    creation = library.H5Pcreate(_identifier(library, "H5P_CLS_ATTRIBUTE_CREATE_ID_g"))
    creation = ctypes.c_int64(_checked(creation))
    _checked(library.H5Pset_char_encoding(creation, int(is_utf8)))
    space = ctypes.c_int64(_checked(library.H5Screate(_S_SCALAR)))
    kind, default = _identifier(library, "H5T_STD_I32LE_g"), ctypes.c_int64(0)
    location = ctypes.c_int64(item.id.id)
    made = library.H5Acreate2(location, name, kind, space, creation, default)
    attribute = ctypes.c_int64(_checked(made))
    _checked(library.H5Awrite(attribute, kind, ctypes.byref(ctypes.c_int32(value))))
    for close, identifier in (("H5A", attribute), ("H5S", space), ("H5P", creation)):
        _checked(library[f"{close}close"](identifier))
