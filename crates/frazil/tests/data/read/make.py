"""Makes the small files that the tests of the reader go by: what other tools write."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np

HERE = Path(__file__).parent


def numbers(shape, dtype):
    """Different values, also after rounding to whole numbers of few bits."""
    return (np.arange(np.prod(shape)).reshape(shape) * 7 % 251).astype(dtype)


def chunks():
    """Chunks: edges, gaps, filters that were left out, every byte order."""
    with h5py.File(HERE / "chunks.h5", "w") as file:
        packed = {"compression": "gzip", "shuffle": True, "fletcher32": True}
        for name, dtype in {"little": "<f4", "big": ">f4", "short": ">i2", "half": ">f2"}.items():
            file.create_dataset(name, data=numbers((7, 9), dtype), chunks=(4, 4), **packed)
        gaps = file.create_dataset("gaps", (20, 9), ">i4", chunks=(4, 4), fillvalue=-5, **packed)
        gaps[4:8, :] = numbers((4, 9), "i4")
        gaps[19, 8] = 77
        masked = file.create_dataset("masked", (8, 4), "<i4", chunks=(4, 4), shuffle=True)
        masked[:4] = numbers((4, 4), "i4")
        masked.id.write_direct_chunk((4, 0), numbers((4, 4), "<i4").tobytes(), filter_mask=1)
        never = file.create_dataset("never", (5, 5), "<f8", chunks=(2, 2), fillvalue=1.5)
        assert never.id.get_num_chunks() == 0
        one = file.create_dataset("one", (400,), "<i2", chunks=(1,), maxshape=(None,))
        one[:] = numbers((400,), "i2")
        file.create_dataset("whole", data=numbers((40, 6, 5), "f8"), chunks=(8, 6, 5), **packed)
        file.create_dataset("empty", (0, 4), "f4", chunks=(1, 4), maxshape=(None, 4))


def types():
    """Types: those with a fast path and those without."""
    with h5py.File(HERE / "types.h5", "w") as file:
        file["flag"] = np.array([True, False, True])
        colour = h5py.enum_dtype({"red": 1, "green": 300}, basetype=">i2")
        file.create_dataset("enum", data=np.array([1, 300, 1], ">i2"), dtype=colour)
        file["complex"] = np.array([1 + 2j, 3 - 4j])
        pair = np.dtype([("a", ">i2"), ("b", "<f8"), ("c", "S3", (2,))])
        file.create_dataset("pair", data=np.zeros(5, pair), chunks=(2,), compression="gzip")
        file["pair"][...] = np.array([(i, i / 3, [b"x", b"yz"]) for i in range(5)], pair)
        file.create_dataset("texts", data=["", "a", "ü", "longer than the others"])
        file["fixed"] = np.array([b"ab", b"", b"abcd"])
        ragged = file.create_dataset("ragged", (4,), h5py.vlen_dtype(">i2"))
        for i in range(3):
            ragged[i] = np.arange(i, dtype="i2")
        file["compact"] = np.float32(2.5)
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((6,))
        made = h5py.h5d.create(file.id, b"small", h5py.h5t.STD_I32BE, space, layout)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(6, dtype="i4"))
        narrow = h5py.h5t.STD_I16LE.copy()
        narrow.set_precision(12)
        made = h5py.h5d.create(file.id, b"narrow", narrow, space)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([-7, 5, 2047, -2048, 0, 1], "i2"))
        file["to"] = file.ref if hasattr(file, "ref") else file["flag"].ref
        file["nothing"] = h5py.Empty("f4")


def scales():
    """Dimensions: unlimited ones that variables do not fill, axes without one."""
    with netCDF4.Dataset(HERE / "scales.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        inner = file.createGroup("inner")
        inner.createDimension("y", 2)
        time = file.createVariable("time", "f8", ("time",))
        short = file.createVariable("short", "i4", ("time", "x"), fill_value=-9)
        plain = inner.createVariable("plain", "f4", ("time", "y"))
        clash = file.createVariable("x", "i2", ("time",))
        text = file.createVariable("text", str, ("time",))
        short[:2] = numbers((2, 3), "i4")
        plain[:4] = numbers((4, 2), "f4")
        time[:5] = np.arange(5)
        clash[:1] = 3
        text[0] = "first"


chunks()
types()
scales()
