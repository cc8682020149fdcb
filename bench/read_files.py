"""Builds the files that are read: the same values and chunks in each; see README.md.

python bench/read_files.py CORPUS FOLDER STEPS

Daily precipitation: mixtures of ten real maps (`inputs.mixtures`), cropped to 128 x 256.
`truth.json` holds the CRC of every region that is read.
"""

import json
import shutil
import sys
import zlib
from pathlib import Path

import h5netcdf
import hdf5plugin
import numpy as np
import zarr
from inputs import mixtures, real_frames
from numcodecs import Blosc, Shuffle, Zlib
from read_patterns import CHUNK, GRID, PATTERNS, VARIABLE, key, shares

MAPS = ("b_atmos/NCAR+ldcpy/orig.PRECT.10days.nc", "PRECT")
DEFLATE = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
ZSTD = {"compression": hdf5plugin.Zstd(clevel=1), "shuffle": True}
BLOSC2 = {"compression": hdf5plugin.Blosc2(cname="zstd", clevel=1)}
NETCDF = {"none": {}, "deflate": DEFLATE, "zstd": ZSTD, "blosc2": BLOSC2}

# tensorstore knows no shuffle but Blosc's.
ZARR = {
    "none": {},
    "shuffle-zlib": {"filters": [Shuffle(elementsize=4)], "compressor": Zlib(level=1)},
    "blosc-zlib": {"compressor": Blosc(cname="zlib", clevel=1, shuffle=Blosc.SHUFFLE)},
    "blosc-zstd": {"compressor": Blosc(cname="zstd", clevel=1, shuffle=Blosc.SHUFFLE)},
}


def make_values(corpus: Path, steps: int) -> np.ndarray:
    frames, _ = real_frames(corpus / MAPS[0], MAPS[1])
    values = np.empty((steps, *GRID), "<f4")
    for step, mixed in enumerate(mixtures(frames, steps, None)):
        values[step] = mixed[32 : 32 + GRID[0], : GRID[1]]
    return values


def write_netcdf(path: Path, values: np.ndarray, filters: dict[str, object]) -> None:
    with h5netcdf.File(path, "w") as file:
        for name, size in zip(("time", "lat", "lon"), values.shape, strict=True):
            file.dimensions[name] = size
            coordinate = file.create_variable(name, (name,), "f8")
            coordinate[:] = np.arange(size)
        file.variables["time"].attrs["units"] = "days since 1850-01-01"
        dimensions = ("time", "lat", "lon")
        out = file.create_variable(VARIABLE, dimensions, "<f4", chunks=CHUNK, **filters)
        out[...] = values


def write_zarr(path: Path, values: np.ndarray, codecs: dict[str, object]) -> None:
    common = {"shape": values.shape, "chunks": CHUNK, "dtype": "<f4", "zarr_format": 2}
    codecs = {"compressors": codecs.get("compressor"), "filters": codecs.get("filters")}
    zarr.create_array(path, **common, **codecs)[...] = values


def checksum(values: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(values, dtype="<f4"))


def truth(values: np.ndarray, threads: tuple[int, ...]) -> dict[str, int]:
    """The CRC of every region that somebody reads."""
    regions = {
        region
        for pattern in PATTERNS
        for count in threads
        for region in shares(pattern, len(values), count)
    }
    return {key(one): checksum(values[tuple(slice(*side) for side in one)]) for one in regions}


def build(corpus: Path, folder: Path, steps: int) -> None:
    """A folder that is not complete never has its name."""
    unfinished = folder.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    values = make_values(corpus, steps)
    for name, filters in NETCDF.items():
        write_netcdf(unfinished / f"{name}.nc", values, filters)
    for name, codecs in ZARR.items():
        write_zarr(unfinished / f"{name}.zarr", values, codecs)
    (unfinished / "truth.json").write_text(json.dumps(truth(values, (1, 4))))
    unfinished.rename(folder)


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
