#!/usr/bin/env python3
"""Write golden.bin: chunks stored by libhdf5 (h5py) and hdf5plugin, with what they decode to.

Run it to renew the file: `python3 make.py` (needs numpy, h5py, hdf5plugin). The tests read only
golden.bin. All numbers are little-endian:

    "frazil golden 1\n", u32 number of cases, then per case
    u32 length, name (UTF-8); u32 element bytes; u32 filter mask;
    u32 number of filters, per filter: i32 id, u32 flags, u32 number of values, u32 values;
    u32 length, stored chunk; u32 raw length; u32 length, zlib stream of the raw chunk.
"""

import ctypes
import itertools
import struct
import sys
import zlib
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np

RNG = np.random.default_rng(20)
CASES = []


def libhdf5():
    """h5py's own libhdf5, for calls that h5py does not wrap."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split()[-1]
        if "/libhdf5-" in path or path.endswith("/libhdf5.so"):
            return ctypes.CDLL(path)
    raise SystemExit("libhdf5 not found in this process")


H5 = libhdf5()


def memory_file(name):
    """A file in memory that accepts numbers with many unused bits."""
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_fapl_core(1 << 16, False)
    unused_bits = ctypes.c_uint64(1)
    H5.H5Pset_relax_file_integrity_checks(ctypes.c_int64(fapl.id), unused_bits)
    return h5py.File(h5py.h5f.create(name.encode(), h5py.h5f.ACC_TRUNC, fapl=fapl))


def wave(dtype, count):
    """Smooth values that compress well, of any numeric type."""
    dtype = np.dtype(dtype)
    steps = np.arange(count)
    values = 40 * np.sin(steps / 60) + 60 + steps / 90
    if dtype.kind == "f":
        return (np.round(values * 2) / 2).astype(dtype)
    return values.astype(dtype)


def noise(dtype, count):
    """Random bits."""
    return np.frombuffer(RNG.bytes(count * np.dtype(dtype).itemsize), dtype)


def record(name, data, dcpl, ftype=None):
    """Store `data` as one chunk with the filters of `dcpl` and keep what libhdf5 made of it."""
    ftype = ftype or h5py.h5t.py_create(data.dtype, logical=True)
    with memory_file(name) as file:
        space = h5py.h5s.create_simple(data.shape)
        dcpl.set_chunk(data.shape)
        dset = h5py.h5d.create(file.id, b"d", ftype, space, dcpl)
        dset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(data), mtype=dset.get_type())
        file.flush()
        mask, stored = dset.read_direct_chunk((0,) * data.ndim)
        raw = np.empty_like(data)
        dset.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=dset.get_type())
        made = dset.get_create_plist()
        filters = [made.get_filter(i)[:3] for i in range(made.get_nfilters())]
        ids = filters_ids(made)
        element_bytes = dset.get_type().get_size()
    raw = raw.tobytes()
    packed = zlib.compress(raw, 9)
    out = bytearray()
    out += blob(name.encode()) + struct.pack("<II", element_bytes, mask)
    out += struct.pack("<I", len(filters))
    for code, (_, flags, values) in zip(ids, filters, strict=True):
        out += struct.pack(f"<iII{len(values)}I", code, flags, len(values), *values)
    out += blob(stored) + struct.pack("<I", len(raw)) + blob(packed)
    CASES.append(bytes(out))


def filters_ids(plist):
    return [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]


def blob(data):
    return struct.pack("<I", len(data)) + data


def new():
    return h5py.h5p.create(h5py.h5p.DATASET_CREATE)


def plugin(options, *before):
    """A creation list with a plugin filter, after those that `before` adds."""
    dcpl = new()
    for add in before:
        add(dcpl)
    dcpl.set_filter(options.filter_id, h5py.h5z.FLAG_OPTIONAL, tuple(options.filter_options))
    return dcpl


def builtin(*steps):
    dcpl = new()
    for step in steps:
        step(dcpl)
    return dcpl


def deflate(level):
    return lambda dcpl: dcpl.set_deflate(level)


def shuffle(dcpl):
    dcpl.set_shuffle()


def fletcher32(dcpl):
    dcpl.set_fletcher32()


def lzf(dcpl):
    dcpl.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL)


TYPES = ["u1", "<i2", ">i2", "<f4", ">f4", "<f8", ">f8"]
CELL = np.dtype([("a", "<i2"), ("b", "<f4"), ("c", "u1"), ("d", ">f8")])


def cells(count):
    data = np.zeros(count, CELL)
    for field in CELL.names:
        data[field] = wave(CELL[field], count)
    return data


def builtin_cases():
    for dtype in TYPES:
        data = wave(dtype, 203)
        record(f"deflate {dtype}", data, builtin(deflate(6)))
        record(f"shuffle {dtype}", data, builtin(shuffle))
        record(
            f"shuffle+deflate+fletcher32 {dtype}", data, builtin(shuffle, deflate(4), fletcher32)
        )
        record(
            f"fletcher32+shuffle+deflate {dtype}", data, builtin(fletcher32, shuffle, deflate(4))
        )
        record(f"lzf {dtype}", data, builtin(shuffle, lzf))
    record("compound", cells(77), builtin(shuffle, deflate(9), fletcher32))
    record("one element", wave("<f8", 1), builtin(fletcher32, shuffle, deflate(1)))
    record("five doubles", wave("<f8", 5), builtin(fletcher32, shuffle, deflate(1)))
    record("fletcher32 of odd length", wave("u1", 1001), builtin(fletcher32))
    record("deflate of noise", noise("u1", 400), builtin(deflate(6)))
    record("deflate level 0", wave("u1", 700), builtin(deflate(0)))
    record("deflate twice", wave("<i4", 2000), builtin(deflate(1), deflate(9)))
    record("lzf of noise is masked", noise("u1", 400), builtin(shuffle, lzf, fletcher32))
    record("lzf long", wave("<i4", 4000) // 7, builtin(lzf))
    record("lzf runs", np.repeat(wave("u1", 40), 500), builtin(lzf))


def szip_cases():
    options = {"nn": h5py.h5z.SZIP_NN_OPTION_MASK, "ec": h5py.h5z.SZIP_EC_OPTION_MASK}
    for (coder, mask), block in itertools.product(options.items(), (8, 32)):
        for dtype in [*TYPES, "<i4", "<u8"]:
            count = 203 if block < 32 else 160
            dcpl = builtin(lambda dcpl, mask=mask, block=block: dcpl.set_szip(mask, block))
            record(f"szip {coder} {block} {dtype}", wave(dtype, count), dcpl)
    nn = options["nn"]
    record("szip nn 4", wave("<i2", 203), builtin(lambda dcpl: dcpl.set_szip(nn, 4)))
    for shape in [(7, 50), (40, 3), (2, 4100), (5, 128)]:
        data = wave("<i2", shape[0] * shape[1]).reshape(shape)
        record(f"szip shape {shape}", data, builtin(lambda dcpl: dcpl.set_szip(nn, 16)))
    record("szip of noise is masked", noise("u1", 400), builtin(lambda dcpl: dcpl.set_szip(nn, 8)))
    short = h5py.h5t.STD_U32LE.copy()
    short.set_precision(11)
    data = wave("<u4", 300)
    record("szip of 11 bits", data, builtin(lambda dcpl: dcpl.set_szip(nn, 8)), short)


def integer_type(base, precision, offset):
    made = base.copy()
    made.set_precision(precision)
    made.set_offset(offset)
    return made


def nbit_cases():
    def nbit(dcpl):
        dcpl.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)

    types = h5py.h5t
    for base, dtype in [
        (types.STD_U8LE, "u1"),
        (types.STD_I16LE, "<i2"),
        (types.STD_I16BE, ">i2"),
        (types.STD_U32LE, "<u4"),
        (types.STD_U32BE, ">u4"),
        (types.STD_I64LE, "<i8"),
    ]:
        size = np.dtype(dtype).itemsize * 8
        for precision, offset in {(size - 3, 1), (5, 2), (size, 0), (8, size - 8), (7, 0)}:
            data = noise(dtype, 61)
            made = integer_type(base, precision, offset)
            record(f"nbit {precision} at {offset} {dtype}", data, builtin(nbit), made)
    record("nbit float", wave("<f4", 61), builtin(nbit))
    record("nbit whole bytes", noise("<u2", 64), builtin(nbit), integer_type(types.STD_U16LE, 8, 4))
    part = integer_type(types.STD_U32LE, 9, 3)
    array = types.array_create(part, (3,))
    nested = types.array_create(array, (2,))
    compound = types.create(types.COMPOUND, 48)
    compound.insert(b"a", 2, integer_type(types.STD_I16BE, 10, 1))
    compound.insert(b"b", 4, array)
    compound.insert(b"c", 16, nested)
    opaque = types.create(types.OPAQUE, 5)
    opaque.set_tag(b"ice")
    compound.insert(b"d", 41, opaque)
    data = noise("V48", 30)
    record("nbit compound", data, builtin(nbit), compound)
    record("nbit array", noise("V24", 30), builtin(nbit), nested)
    record("nbit opaque", noise("V5", 30), builtin(nbit), opaque)


def scaleoffset_cases():
    def scaled(kind, factor, fill=0):
        def add(dcpl):
            if fill is None:
                H5.H5Pset_fill_value(ctypes.c_int64(dcpl.id), ctypes.c_int64(-1), None)
            elif fill != 0:
                dcpl.set_fill_value(np.array(fill))
            dcpl.set_scaleoffset(kind, factor)

        return builtin(add)

    floats, ints = h5py.h5z.SO_FLOAT_DSCALE, h5py.h5z.SO_INT
    for dtype in ["u1", "i1", "<i2", ">i2", "<u4", "<i4", ">u4", "<i8", ">u8"]:
        signed = np.dtype(dtype).kind == "i"
        data = wave(dtype, 101) - (100 if signed else 0)
        data[::17] = 99
        for fill in (0, None, 99):
            record(f"scaleoffset {dtype} fill {fill}", data, scaled(ints, 0, fill))
        record(f"scaleoffset {dtype} 7 bits", data, scaled(ints, 7, 99))
        record(f"scaleoffset {dtype} noise", noise(dtype, 50), scaled(ints, 0, None))
        size = np.dtype(dtype).itemsize * 8
        record(f"scaleoffset {dtype} all bits", data, scaled(ints, size))
        record(f"scaleoffset {dtype} equal", np.full(50, 42, dtype), scaled(ints, 0, None))
    for dtype in ["<f4", ">f4", "<f8", ">f8"]:
        data = wave(dtype, 101) * 3 - 100
        data[::17] = -999
        for fill, digits in itertools.product((0, None, -999.0), (0, 2, 5)):
            record(f"scaleoffset {dtype} {digits} fill {fill}", data, scaled(floats, digits, fill))
        record(f"scaleoffset {dtype} equal", np.full(50, 4.5, dtype), scaled(floats, 3, None))
        wide = noise(dtype[0] + "i4", 40).astype(dtype)
        record(f"scaleoffset {dtype} wide", wide, scaled(floats, 9, None))


def blosc_cases():
    for dtype in ["u1", "<i2", ">f4", "<f8"]:
        for codec, mode in itertools.product(
            ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"), (0, 1, 2)
        ):
            if dtype != "<f8" and codec in ("lz4hc", "snappy", "zlib"):
                continue
            options = hdf5plugin.Blosc(cname=codec, clevel=5, shuffle=mode)
            record(f"blosc {codec} {mode} {dtype}", wave(dtype, 400), plugin(options))
    for codec in ("blosclz", "lz4", "snappy", "zlib", "zstd"):
        for mode in (0, 1, 2):
            data = np.repeat(wave("<i4", 200) // 8, 300)
            options = hdf5plugin.Blosc(cname=codec, clevel=9, shuffle=mode)
            record(f"blosc {codec} {mode} in blocks", data, plugin(options))
    half = np.concatenate([np.zeros(6000, "u1"), noise("u1", 2000)]).view("<f4")
    record("blosc half noise", half, plugin(hdf5plugin.Blosc(cname="blosclz", shuffle=0)))
    record("blosc of level 0", wave("u1", 200), plugin(hdf5plugin.Blosc(clevel=0)))
    record("blosc of noise", noise("u1", 400), plugin(hdf5plugin.Blosc()))
    record("blosc compound", cells(131), plugin(hdf5plugin.Blosc(cname="lz4", shuffle=2)))


def plugin_cases():
    for dtype in TYPES:
        for codec in ("none", "lz4", "zstd"):
            for count in (1203 if dtype == "<f8" else 403, 5):
                options = hdf5plugin.Bitshuffle(cname=codec)
                record(f"bitshuffle {codec} {dtype} {count}", wave(dtype, count), plugin(options))
        record(f"zstd {dtype}", wave(dtype, 203), plugin(hdf5plugin.Zstd(clevel=3), shuffle))
        record(f"bzip2 {dtype}", wave(dtype, 203), plugin(hdf5plugin.BZip2(blocksize=9)))
        record(f"lz4 {dtype}", wave(dtype, 203), plugin(hdf5plugin.LZ4(nbytes=0)))
    for codec in ("none", "lz4", "zstd"):
        data = np.repeat(wave("<i4", 300) // 8, 40)
        record(
            f"bitshuffle {codec} small blocks",
            data[:2003],
            plugin(hdf5plugin.Bitshuffle(nelems=64, cname=codec)),
        )
        record(
            f"bitshuffle {codec} compound", cells(131), plugin(hdf5plugin.Bitshuffle(cname=codec))
        )
        if codec != "none":
            record(f"bitshuffle {codec} long", data, plugin(hdf5plugin.Bitshuffle(cname=codec)))
    record(
        "bitshuffle after fletcher32",
        wave("<f4", 333),
        plugin(hdf5plugin.Bitshuffle(cname="lz4"), fletcher32),
    )
    record("zstd of noise", noise("u1", 400), plugin(hdf5plugin.Zstd()))
    record(
        "zstd after fletcher32", wave("<f4", 333), plugin(hdf5plugin.Zstd(), fletcher32, shuffle)
    )
    record("lz4 blocks", wave("<i4", 3000) // 7, plugin(hdf5plugin.LZ4(nbytes=2048)))
    record("lz4 of noise", noise("u1", 400), plugin(hdf5plugin.LZ4(nbytes=256)))
    record("bzip2 of noise", noise("u1", 400), plugin(hdf5plugin.BZip2()))
    record("bzip2 runs", np.repeat(wave("u1", 60), 3000), plugin(hdf5plugin.BZip2(blocksize=1)))
    full = plugin(hdf5plugin.BZip2(blocksize=1))
    record("bzip2 in several blocks", np.tile(noise("u1", 300), 800), full)
    record("bzip2 of one byte value", np.zeros(100_000, "u1"), plugin(hdf5plugin.BZip2()))


def main():
    builtin_cases()
    szip_cases()
    nbit_cases()
    scaleoffset_cases()
    blosc_cases()
    plugin_cases()
    out = Path(__file__).with_name("golden.bin")
    out.write_bytes(b"frazil golden 1\n" + struct.pack("<I", len(CASES)) + b"".join(CASES))
    sys.stdout.write(f"{len(CASES)} cases, {out.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
