"""Small files with much in them, to be damaged: all kinds of metadata that HDF5 and netCDF have."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path

import h5py
import netCDF4
import numpy as np

from campaign.checksums import Seal, seals


def _netcdf4(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 100)
        for name, kind, options in [
            ("t", "f4", {"zlib": True, "shuffle": True, "chunksizes": (4, 50)}),
            ("q", "f8", {"chunksizes": (3, 100), "fletcher32": True}),
            ("flags", "i2", {"fill_value": -9}),
        ]:
            variable = file.createVariable(name, kind, ("time", "x"), **options)
            variable.units, variable.long_name = "K", "something " * 9
            variable[:] = np.arange(12 * 100).reshape(12, 100) % 1000
        names = file.createVariable("names", str, ("x",))
        names[:] = np.array([f"name {i}" for i in range(100)], dtype=object)


def _types(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 20)
        pair = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
        ragged = file.createVLType(np.int32, "ragged")
        colour = file.createEnumType(np.uint8, "colour", {"red": 1, "blue": 2})
        group = file.createGroup("one").createGroup("two")
        group.createDimension("m", 5)
        group.createVariable("pairs", pair, ("n",))[:] = np.zeros(20, pair.dtype)
        rows = file.createVariable("rows", ragged, ("n",))
        for i in range(20):
            rows[i] = np.arange(i % 4 + 1, dtype="i4")
        file.createVariable("colours", colour, ("n",), fill_value=1)[:] = np.full(20, 2, "u1")
        group.createVariable("m", "f8", ("m",))[:] = np.arange(5)
        group.createVariable("text", "S1", ("n", "m"))[:] = b"x"


def _classic(form: str):
    def write(path: Path) -> None:
        with netCDF4.Dataset(path, "w", format=form) as file:
            file.title = "classic"
            file.createDimension("time", None)
            file.createDimension("x", 50)
            for name in ("a", "b"):
                variable = file.createVariable(name, "f4", ("time", "x"))
                variable[:] = np.arange(500.0).reshape(10, 50)
            file.createVariable("c", "i2", ("x",))[:] = np.arange(50)

    return write


def _hdf5(version: str):
    def write(path: Path) -> None:
        with h5py.File(path, "w", libver=version) as file:
            data = np.arange(2500, dtype="f4").reshape(50, 50)
            file.create_dataset("fixed", data=data, chunks=(10, 10), compression="gzip")
            file.create_dataset("grows", data=data, maxshape=(None, 50), chunks=(5, 10))
            file.create_dataset("sideways", data=data, maxshape=(60, None), chunks=(10, 10))
            file.create_dataset("both", data=data, maxshape=(None, None), chunks=(10, 10))
            group = file.create_group("deep/er", track_order=True)
            for number in range(40):
                group.attrs[f"attribute {number}"] = np.arange(number + 1)
                group[f"scalar {number}"] = number
            kind = np.dtype([("a", "i4"), ("b", ">f8"), ("c", "S5")])
            file["table"] = np.zeros(100, kind)
            file.create_dataset("texts", data=[f"text {i}" for i in range(50)])
            file["link"] = h5py.SoftLink("/deep/er")
            group["reference"] = file["fixed"].ref

    return write


def _indexes(version: str):
    def write(path: Path) -> None:
        with h5py.File(path, "w", libver=version) as file:
            data = np.arange(1500, dtype="i2")
            file.create_dataset("single", data=data, chunks=(1500,), compression="gzip")
            file.create_dataset("pages", data=data, chunks=(1,), maxshape=(1500,))
            file.create_dataset("many", data=data, chunks=(1,), maxshape=(None,))
            file.create_dataset("tree", data=data.reshape(30, 50), chunks=(2, 2), fletcher32=True,
                                maxshape=(None, None))  # fmt: skip
            early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            early.set_chunk((100,))
            early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            space = h5py.h5s.create_simple((1500,))
            h5py.h5d.create(file.id, b"implicit", h5py.h5t.NATIVE_INT16, space, early)

    return write


def _links(path: Path) -> None:
    with h5py.File(path, "w", libver="latest", userblock_size=512) as file:
        file["kind"] = np.dtype([("a", "i4"), ("b", "f4")])
        file.create_dataset("named", (20,), dtype=file["kind"])
        file["values"] = np.arange(60, dtype="i4").reshape(6, 10)
        file["elsewhere"] = h5py.ExternalLink("nowhere.h5", "/there")
        layout = h5py.VirtualLayout((3, 10), "i4")
        layout[:] = h5py.VirtualSource(".", "values", (6, 10))[::2]
        file.create_virtual_dataset("view", layout, fillvalue=-1)
        file.create_dataset("references", data=[file["values"].ref, file["kind"].ref],
                            dtype=h5py.ref_dtype)  # fmt: skip
        file["same"] = file["values"]
        rows = file.create_dataset("rows", (10,), dtype=h5py.vlen_dtype("f4"))
        for i in range(10):
            rows[i] = np.arange(i)
        file["big"] = np.zeros((2, 3), ">i8")
        file.attrs["text"] = "fünf"


def _filters(path: Path) -> None:
    with h5py.File(path, "w") as file:
        data = np.arange(2000, dtype="i4").reshape(40, 50) % 77
        for name, options in [
            ("scaled", {"scaleoffset": 0}),
            ("lzf", {"compression": "lzf", "shuffle": True}),
            ("summed", {"fletcher32": True, "compression": "gzip"}),
        ]:
            file.create_dataset(name, data=data, chunks=(20, 20), **options)


def _paged(path: Path) -> None:
    options = {"fs_strategy": "page", "fs_persist": True, "fs_page_size": 512}
    with h5py.File(path, "w", libver="latest", **options) as file:
        file["gone"] = np.arange(3000)
        file["kept"] = np.arange(300.0)
        del file["gone"]


def _packed(filters: str):
    def write(path: Path) -> None:
        from campaign.judge import BINARY

        plain = path.with_name(f"plain-{path.name}")
        _netcdf4(plain)
        words = ["pack", plain, "-o", path, "--readable-by", "frazil", "--filters", filters]
        subprocess.run([str(word) for word in (BINARY, *words)], check=True, capture_output=True)
        plain.unlink()

    return write


SEEDS = {
    "netcdf4.nc": _netcdf4,
    "types.nc": _types,
    "classic.nc": _classic("NETCDF3_CLASSIC"),
    "offset.nc": _classic("NETCDF3_64BIT_OFFSET"),
    "data.nc": _classic("NETCDF3_64BIT_DATA"),
    "earliest.h5": _hdf5("earliest"),
    "v108.h5": _hdf5("v108"),
    "latest.h5": _hdf5("latest"),
    "trees.h5": _indexes("earliest"),
    "indexes.h5": _indexes("latest"),
    "links.h5": _links,
    "filters.h5": _filters,
    "paged.h5": _paged,
    "frazil.nc": _packed("frazil"),
    "blosc.nc": _packed("blosc(zstd)"),
    "bits.nc": _packed("bitshuffle+lz4"),
    "numbers.nc": _packed("pcodec"),
    "delta.nc": _packed("delta+shuffle+zstd(3)"),
}


def make(folder: Path) -> list[Path]:
    """All seeds; made again only where they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in SEEDS.items():
        if not (folder / name).exists():
            # Campaigns beside this one see whole files only.
            new = folder / f"{os.getpid()}-{name}"
            write(new)
            new.replace(folder / name)
    return [folder / name for name in SEEDS]


@cache
def checksums(seed: Path) -> list[Seal]:
    """The checksums of a seed; finding them takes seconds, so that they are kept beside it."""
    kept = seed.with_suffix(seed.suffix + ".seals")
    if not kept.exists():
        found = [[seal.start, seal.end, seal.place] for seal in seals(seed.read_bytes())]
        new = kept.with_name(f"{os.getpid()}-{kept.name}")
        new.write_text(json.dumps(found))
        new.replace(kept)
    return [Seal(*numbers) for numbers in json.loads(kept.read_text())]
