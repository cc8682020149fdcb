"""Builds the files that are read over HTTP: the same values as netCDF-4, Zarr and references.

python bench/cloud_files.py CORPUS FOLDER STEPS FILES FRAZIL

`models/` has chunks as models write them: many, whose index is a B-tree of three levels among the
data. `buckets/` has what `frazil pack --storage object-store --layout cmip7` makes of it, `maps/`
the same with `--reads map`. `truth.json` holds the CRC of all that is read, `places.json` where
the chunks of one map lie.
"""

import json
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import frazil
import h5netcdf
import h5py
import numpy as np
import zarr
from numcodecs import Shuffle, Zlib
from read_files import make_values
from read_patterns import PATTERNS, VARIABLE

# As models write them, one step at a time.
CHUNK = (1, 32, 128)
FILTERS = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
PACK = ("--storage", "object-store", "--layout", "cmip7", "--readable-by", "netcdf4")
PACKED = {"buckets": (), "maps": ("--reads", "map")}


def write_netcdf(path: Path, values: np.ndarray, first: int) -> None:
    with h5netcdf.File(path, "w") as file:
        for name, size in zip(("time", "lat", "lon"), values.shape, strict=True):
            file.dimensions[name] = None if name == "time" else size
            if name == "time":
                file.resize_dimension("time", size)
            coordinate = file.create_variable(
                name, (name,), "f8", chunks=(512,) if name == "time" else None
            )
            coordinate[:] = np.arange(size) + (first if name == "time" else 0)
        file.variables["time"].attrs["units"] = "days since 1850-01-01"
        dimensions = ("time", "lat", "lon")
        out = file.create_variable(VARIABLE, dimensions, "<f4", chunks=CHUNK, **FILTERS)
        out[...] = values


def write_zarr(path: Path, source: Path) -> None:
    """The same chunks, filters and values as in a file."""
    with h5py.File(source) as file:
        group = zarr.open_group(path, mode="w", zarr_format=2)
        for name in ("time", "lat", "lon", VARIABLE):
            data = file[name]
            has_filters = name == VARIABLE
            array = group.create_array(
                name,
                shape=data.shape,
                chunks=data.chunks or data.shape,
                dtype=data.dtype,
                filters=[Shuffle(elementsize=4)] if has_filters else None,
                compressors=Zlib(level=data.compression_opts or 1) if has_filters else None,
                attributes={"_ARRAY_DIMENSIONS": ["time", "lat", "lon"] if has_filters else [name]},
            )
            array[...] = data[...]
    zarr.consolidate_metadata(path, zarr_format=2)


def refer(path: Path) -> None:
    """References by the URL that a reader has, which the benchmark puts in."""
    for ending, threshold in ((".json", 500), (".virtual.json", 0)):
        references = frazil.refs(path, url="URL", inline_threshold=threshold)
        path.with_name(path.name + ending).write_text(json.dumps(references))


def note_places(path: Path, steps: int) -> None:
    """Where the chunks of one map lie."""
    (region,) = PATTERNS["map"](steps)
    (step, _), *_ = region
    with h5py.File(path) as file:
        data = file[VARIABLE]
        chunks = [data.id.get_chunk_info(i) for i in range(data.id.get_num_chunks())]
        rows = step // data.chunks[0] * data.chunks[0]
        of_map = [one for one in chunks if one.chunk_offset[0] == rows]
    places = [(one.byte_offset, one.size) for one in of_map]
    path.with_name("places.json").write_text(json.dumps(places))


def checksum(values: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(values, dtype="<f4"))


def build(corpus: Path, folder: Path, steps: int, files: int, command: str) -> None:
    """A folder that is not complete never has its name."""
    unfinished = folder.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    values = make_values(corpus, steps)
    parts = np.array_split(np.arange(steps), files)
    names = ["file", *(f"many/{number:02}" for number in range(files))]
    for name, part in zip(names, [np.arange(steps), *parts], strict=True):
        source = unfinished / f"models/{name}.nc"
        source.parent.mkdir(parents=True, exist_ok=True)
        write_netcdf(source, values[part], int(part[0]))
        made = {layout: unfinished / f"{layout}/{name}.nc" for layout in PACKED}
        for layout, path in made.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            words = [command, "pack", source, "-o", path, "--quiet", *PACK, *PACKED[layout]]
            subprocess.run(words, check=True)
        for path in (source, *made.values()):
            write_zarr(path.with_suffix(".zarr"), path)
            refer(path)
            if name == "file":
                note_places(path, steps)
    truth = {"open": checksum(values[0, 0, :]), "many files": checksum(values[:, 60, 100])}
    for case in ("map", "series", "full"):
        (region,) = PATTERNS[case](steps)
        truth[case] = checksum(values[tuple(slice(*side) for side in region)])
    (unfinished / "truth.json").write_text(json.dumps(truth))
    unfinished.rename(folder)


if __name__ == "__main__":
    numbers = map(int, sys.argv[3:5])
    build(Path(sys.argv[1]), Path(sys.argv[2]), *numbers, sys.argv[5])
