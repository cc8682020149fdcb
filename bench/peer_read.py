"""Reads regions of one variable with one library and says how long that took.

python bench/peer_read.py LIBRARY PATH PATTERN STEPS THREADS

Prints a JSON object: seconds to open, seconds and CPU seconds to read, memory beyond what the
process had before it opened, and the CRC of every region in `regions`. Imports and CRCs are not
in the seconds.
"""

import json
import re
import resource
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from read_patterns import PATTERNS, VARIABLE, Region, key, shares

Place = tuple[slice | int, ...]


def place(region: Region) -> Place:
    """What stands in the brackets: of a map or a series, a number along the axes it has not."""
    return tuple(start if end - start == 1 else slice(start, end) for start, end in region)


def index(handle: Any, where: Place) -> np.ndarray:
    return handle[where]


@dataclass
class Library:
    """How a library opens and reads; `open` gives what `read` reads from."""

    open: Callable[[str], Any]
    read: Callable[[Any, Place], np.ndarray] = index
    # One call already uses all threads; others read parts of a region in a pool of threads.
    is_parallel: bool = False
    # What callers must take turns for.
    lock: AbstractContextManager[Any] = field(default_factory=nullcontext)
    # Starts reading; the answer's result() waits for it.
    start: Callable[[Any, Place], Any] | None = None


def netcdf4(_: int) -> Library:
    import netCDF4

    def open_variable(path: str) -> Any:
        variable = netCDF4.Dataset(path)[VARIABLE]
        variable.set_auto_maskandscale(False)
        return variable

    # netCDF-C is not thread-safe.
    return Library(open_variable, lock=threading.Lock())


def h5py(_: int) -> Library:
    import h5py
    import hdf5plugin  # noqa: F401

    return Library(lambda path: h5py.File(path)[VARIABLE])


def b2h5py(threads: int) -> Library:
    import b2h5py.auto
    import blosc2

    blosc2.set_nthreads(threads)
    assert b2h5py.is_fast_slicing_enabled()
    return h5py(threads)


def h5netcdf(_: int) -> Library:
    import h5netcdf
    import hdf5plugin  # noqa: F401

    # Its variables do not keep their file open.
    return Library(h5netcdf.File, lambda file, where: file.variables[VARIABLE][where])


def hidefix(_: int) -> Library:
    import hidefix

    return Library(lambda path: hidefix.Index(path).dataset(VARIABLE), is_parallel=True)


def zarr(threads: int) -> Library:
    import numcodecs.blosc
    import zarr

    zarr.config.set({"threading.max_workers": threads})
    numcodecs.blosc.set_nthreads(threads)
    return Library(lambda path: zarr.open_array(path, mode="r"), is_parallel=True)


def tensorstore(threads: int) -> Library:
    import tensorstore

    limit = {"limit": threads}
    context = {"data_copy_concurrency": limit, "file_io_concurrency": limit}

    def open_array(path: str) -> Any:
        store = {"driver": "file", "path": path}
        spec = {"driver": "zarr", "kvstore": store, "context": context}
        return tensorstore.open(spec, open=True, read=True).result()

    def start(handle: Any, where: Place) -> Any:
        return handle[where].read()

    return Library(open_array, lambda handle, where: start(handle, where).result(), start=start)


def frazil(threads: int) -> Library:
    import frazil

    def open_variable(path: str) -> Any:
        return frazil.open(path, threads=threads).variables[VARIABLE]

    return Library(open_variable, is_parallel=True)


def through_xarray(engine: str, is_parallel: bool) -> Callable[[int], Library]:
    def library(_: int) -> Library:
        import hdf5plugin  # noqa: F401
        import xarray

        # As lazily as the engine allows, and nothing kept from one read to the next.
        def open_array(path: str) -> Any:
            return xarray.open_dataset(path, engine=engine, cache=False)[VARIABLE]

        # What opening and indexing would import.
        xarray.backends.list_engines()
        xarray.DataArray([0.0], dims="x")[0].load()
        return Library(open_array, lambda handle, where: handle[where].values, is_parallel)

    return library


LIBRARIES: dict[str, Callable[[int], Library]] = {
    "netCDF4": netcdf4,
    "h5py": h5py,
    "h5netcdf": h5netcdf,
    "b2h5py": b2h5py,
    "hidefix": hidefix,
    "zarr": zarr,
    "tensorstore": tensorstore,
    "frazil": frazil,
    "xarray-netcdf4": through_xarray("netcdf4", is_parallel=False),
    "xarray-h5netcdf": through_xarray("h5netcdf", is_parallel=False),
    "xarray-hidefix": through_xarray("hidefix", is_parallel=True),
    "xarray-frazil": through_xarray("frazil", is_parallel=True),
}


def read_all(
    library: Library, handle: Any, regions: list[Region], pool: ThreadPoolExecutor | None
) -> list[np.ndarray]:
    places = list(map(place, regions))

    def one(where: Place) -> np.ndarray:
        with library.lock:
            return library.read(handle, where)

    if library.start is not None:
        pending = [library.start(handle, where) for where in places]
        return [future.result() for future in pending]
    return list(map(one, places) if pool is None else pool.map(one, places))


def pool_of(threads: int) -> ThreadPoolExecutor | None:
    """Threads that have started already."""
    if threads == 1:
        return None
    pool = ThreadPoolExecutor(threads)
    barrier = threading.Barrier(threads)
    list(pool.map(lambda _: barrier.wait(), range(threads)))
    return pool


def memory_kib(peak: bool) -> int:
    """Memory of this process, now or at its peak."""
    status = Path("/proc/self/status")
    if status.exists():
        # The peak that getrusage tells begins with that of the process that started this one.
        found = re.search(rf"Vm{'HWM' if peak else 'RSS'}:\s*(\d+)", status.read_text())
        return int(found[1])
    unit = 1024 if sys.platform == "darwin" else 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def checksums(arrays: list[np.ndarray]) -> Iterator[int]:
    for values in arrays:
        yield zlib.crc32(np.ascontiguousarray(values, dtype="<f4"))


def main(name: str, path: str, pattern: str, steps: int, threads: int) -> None:
    library = LIBRARIES[name](threads)
    has_own_threads = library.is_parallel or library.start is not None
    regions = PATTERNS[pattern](steps) if has_own_threads else shares(pattern, steps, threads)
    pool = pool_of(threads) if len(regions) > 1 else None
    before = memory_kib(peak=False)
    began = time.perf_counter()
    handle = library.open(path)
    opened = time.perf_counter()
    cpu = time.process_time()
    arrays = read_all(library, handle, regions, pool)
    done = time.perf_counter()
    answer = {
        "open_s": opened - began,
        "read_s": done - opened,
        "cpu_s": time.process_time() - cpu,
        "memory_kib": memory_kib(peak=True) - before,
        "crcs": dict(zip(map(key, regions), checksums(arrays), strict=True)),
    }
    if pool is not None:
        pool.shutdown()
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5]))
