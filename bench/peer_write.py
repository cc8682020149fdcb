"""Writes a dataset of dask arrays with one library and says how long that took.

python bench/peer_write.py LIBRARY FILTERS FRAMES STEPS THREADS OUTPUT
python bench/peer_write.py check FILTERS FRAMES STEPS THREADS OUTPUT

Prints a JSON object: wall and CPU seconds, and memory beyond what the process had before it wrote.
LIBRARY `nowhere` computes the values and writes nothing. `check` compares all values with those of
the dataset.
"""

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array
import numpy as np
import xarray
from peer_read import memory_kib
from write_fields import FIELDS, make_dataset

CHUNK = (64, 64, 128)
NETCDF = {
    "deflate1": {"zlib": True, "complevel": 1, "shuffle": True},
    "zstd1": {"compression": "zstd", "complevel": 1, "shuffle": True},
}
BUDGET_BYTES = 256 << 20


def zarr_codecs(filters: str) -> dict[str, Any]:
    from numcodecs import Blosc, Shuffle, Zlib

    return {
        "deflate1": {"filters": [Shuffle(elementsize=4)], "compressors": Zlib(level=1)},
        "blosc-zlib1": {"compressors": Blosc(cname="zlib", clevel=1, shuffle=Blosc.SHUFFLE)},
        "blosc-zstd1": {"compressors": Blosc(cname="zstd", clevel=1, shuffle=Blosc.SHUFFLE)},
    }[filters]


def for_all(encoding: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: dict(encoding) for name in FIELDS}


def through_netcdf(engine: str) -> Callable[..., None]:
    def write(dataset: xarray.Dataset, path: Path, filters: str, _: int) -> None:
        encoding = for_all({**NETCDF[filters], "chunksizes": CHUNK})
        dataset.to_netcdf(path, engine=engine, encoding=encoding)

    return write


def through_zarr(dataset: xarray.Dataset, path: Path, filters: str, _: int) -> None:
    encoding = for_all({**zarr_codecs(filters), "chunks": CHUNK})
    # Two tasks must not write one chunk: dask's blocks are cut where chunks end.
    dataset.to_zarr(path, zarr_format=2, encoding=encoding, align_chunks=True)


def through_frazil(dataset: xarray.Dataset, path: Path, filters: str, threads: int) -> None:
    import frazil

    encoding = None
    if filters != "own choice":
        encoding = for_all({**NETCDF[filters], "chunksizes": CHUNK})
    readable_by = "plugins" if filters == "zstd1" else "any"
    options = {"threads": threads, "memory": BUDGET_BYTES, "readable_by": readable_by}
    frazil.to_netcdf(dataset, path, encoding=encoding, **options)


class Nowhere:
    """Takes values and drops them."""

    def __setitem__(self, where: tuple[slice, ...], values: np.ndarray) -> None:
        pass


def nowhere(dataset: xarray.Dataset, *_: object) -> None:
    """What it takes to compute the values, whoever writes them."""
    sources = [dataset[name].data for name in FIELDS]
    dask.array.store(sources, [Nowhere() for _ in sources], lock=False)


LIBRARIES: dict[str, Callable[..., None]] = {
    "xarray-netcdf4": through_netcdf("netcdf4"),
    "xarray-h5netcdf": through_netcdf("h5netcdf"),
    "xarray-zarr": through_zarr,
    "frazil": through_frazil,
    "nowhere": nowhere,
}


def import_all(name: str) -> None:
    """What writing would import."""
    xarray.backends.list_engines()
    module = name.removeprefix("xarray-")
    __import__({"netcdf4": "netCDF4", "nowhere": "dask.array"}.get(module, module))


def check(path: Path, dataset: xarray.Dataset) -> None:
    engine = "zarr" if path.is_dir() else "netcdf4"
    with xarray.open_dataset(path, engine=engine, cache=False) as found:
        for name in FIELDS:
            for start in range(0, dataset.sizes["time"], 640):
                step = slice(start, start + 640)
                expected = dataset[name][step].values
                if found[name][step].values.tobytes() != expected.tobytes():
                    raise SystemExit(f"{path.name}: {name} is not what was written")
        for name, coordinate in dataset.coords.items():
            if not np.array_equal(xarray.decode_cf(dataset)[name], found[name]):
                raise SystemExit(f"{path.name}: {coordinate.name} is not what was written")


def main(name: str, filters: str, frames: Path, steps: int, threads: int, output: Path) -> None:
    dataset = make_dataset(frames, steps)
    if name == "check":
        check(output, dataset)
        return
    import_all(name)
    shutil.rmtree(output, ignore_errors=True)
    output.unlink(missing_ok=True)
    before = memory_kib(peak=False)
    with dask.config.set(scheduler="threads", num_workers=threads):
        cpu = time.process_time()
        began = time.perf_counter()
        LIBRARIES[name](dataset, output, filters, threads)
        seconds = time.perf_counter() - began
        cpu = time.process_time() - cpu
    memory = memory_kib(peak=True) - before
    print(json.dumps({"write_s": seconds, "cpu_s": cpu, "memory_kib": memory}))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*words[:2], Path(words[2]), int(words[3]), int(words[4]), Path(words[5]))
