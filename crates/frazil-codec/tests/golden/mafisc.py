#!/usr/bin/env python3
"""Write mafisc.bin: chunks stored by the registered MAFISC filter (32002).

Run it to renew the file: `python3 mafisc.py LIBRARY`, which is the plugin built from
`community/MAFISC` of the HDF Group's hdf5_plugins. So that the chunks also have methods which its
encoder does not draw by default, the library's tables of eligible methods name `d1` among the
differences, `l` as the Lorenzo filter, and `as` beside `al`. The form is that of golden.bin (see
make.py).
"""

import ctypes
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

MAFISC, OPTIONAL = 32002, 1


class Class(ctypes.Structure):
    """H5Z_class2_t."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("id", ctypes.c_int),
        ("encoder", ctypes.c_uint),
        ("decoder", ctypes.c_uint),
        ("name", ctypes.c_char_p),
        ("can_apply", ctypes.c_void_p),
        ("set_local", ctypes.c_void_p),
        ("filter", ctypes.c_void_p),
    )


LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p


def plugin(path):
    """The filter function of a plugin."""
    library = ctypes.CDLL(path)
    library.H5PLget_plugin_info.restype = ctypes.POINTER(Class)
    kind = ctypes.CFUNCTYPE(
        ctypes.c_size_t,
        ctypes.c_uint,
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )
    return kind(library.H5PLget_plugin_info().contents.filter)


def run(function, flags, values, data):
    """What the filter makes of bytes; None if it fails."""
    words = (ctypes.c_uint * len(values))(*values)
    buffer = ctypes.c_void_p(LIBC.malloc(ctypes.c_size_t(len(data))))
    ctypes.memmove(buffer, data, len(data))
    size = ctypes.c_size_t(len(data))
    made = function(
        flags, len(values), words, len(data), ctypes.addressof(size), ctypes.addressof(buffer)
    )
    return ctypes.string_at(buffer, made) if made else None


def fields():
    """Name, numbers: smooth fields of every kind, one to four axes, with both signs."""
    for kind in ("<f4", ">f4", "<f8", ">f8", "<i1", "<i2", ">i2", "<u4", ">i4", "<i8", ">i8"):
        for shape in ((1300,), (17, 61), (5, 9, 23), (1, 1, 400), (3, 1, 4, 67)):
            axes = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
            sizes = range(1, len(shape) + 1)
            field = sum(a * n / 3 for n, a in zip(sizes, axes, strict=True)) - 60
            field = field + (axes[-1] * 7 % 5) / 16
            if kind[1:] == "i1":
                field = field % 90 - 45
            yield f"{kind} {'x'.join(map(str, shape))}", field.astype(kind)


def blob(data):
    return struct.pack("<I", len(data)) + data


def main():
    function = plugin(sys.argv[1])
    cases, letters = [], set()
    for number, (name, field) in enumerate(fields()):
        values = [0, 1000 + number, field.itemsize, int(field.dtype.kind == "f")]
        values += [int(field.dtype.byteorder != ">"), field.ndim, *field.shape]
        raw = field.tobytes()
        LIBC.srand(number)
        stored = run(function, 0, values, raw)
        if stored is None:
            continue
        assert run(function, 0x100, values, stored) == raw
        method = stored[4 * len(values) :].split(b"\0")[0].decode()
        letters |= {method[i : i + 2] for i in range(len(method))}
        packed = zlib.compress(raw, 9)
        case = blob(f"mafisc {name} {method}".encode())
        case += struct.pack("<III", field.itemsize, 0, 1)
        case += struct.pack(f"<iII{len(values)}I", MAFISC, OPTIONAL, len(values), *values)
        cases.append(case + blob(stored) + struct.pack("<I", len(raw)) + blob(packed))
    out = Path(__file__).with_name("mafisc.bin")
    out.write_bytes(b"frazil golden 1\n" + struct.pack("<I", len(cases)) + b"".join(cases))
    print(len(cases), "chunks with", " ".join(sorted(letters)), out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
