"""Opens files with one library, lists what is in them, and says how long that took.

python bench/peer_open.py LIBRARY THREADS FILES...

FILES are names or folders. Prints a JSON object: seconds, and how many variables, axes and
attributes were seen. Imports are not in the seconds. With several threads
each file is opened by one of them.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


def of_h5py() -> Callable[[str], Counter[str]]:
    import h5py

    def seen(path: str) -> Counter[str]:
        found: Counter[str] = Counter()

        def visit(_: str, item: Any) -> None:
            found["attributes"] += len(dict(item.attrs))
            if isinstance(item, h5py.Dataset):
                found["variables"] += 1
                found["axes"] += len(item.shape)
                # What an inventory shows: the type, chunks and filters.
                _ = (item.dtype, item.chunks, item.compression, item.shuffle)

        with h5py.File(path) as file:
            found["attributes"] += len(dict(file.attrs))
            file.visititems(visit)
        return found

    return seen


def look(group: Any, found: Counter[str], inventory: Callable[[Any], Any]) -> None:
    """Counts what is in a group, and has a variable's type, chunks and filters looked at."""
    found["attributes"] += len(attributes(group))
    for variable in group.variables.values():
        found["variables"] += 1
        found["axes"] += len(variable.shape)
        found["attributes"] += len(attributes(variable))
        inventory(variable)
    for below in group.groups.values():
        look(below, found, inventory)


def attributes(item: Any) -> dict[str, Any]:
    """netCDF4 has them among those of Python."""
    return dict(item.attrs) if hasattr(item, "attrs") else item.__dict__


def of_netcdf4() -> Callable[[str], Counter[str]]:
    import netCDF4

    def seen(path: str) -> Counter[str]:
        found: Counter[str] = Counter()
        with netCDF4.Dataset(path) as file:
            look(file, found, lambda v: (v.dtype, v.chunking(), v.filters()))
        return found

    return seen


def of_frazil() -> Callable[[str], Counter[str]]:
    import frazil

    def seen(path: str) -> Counter[str]:
        found: Counter[str] = Counter()
        with frazil.open(path) as file:
            look(file, found, lambda v: (v.dtype, v.chunks, v.filters))
        return found

    return seen


LIBRARIES = {"h5py": of_h5py, "netCDF4": of_netcdf4, "frazil": of_frazil}


def of_xarray(engine: str) -> Callable[[list[str]], Counter[str]]:
    """All files as one dataset."""
    import xarray

    def seen(paths: list[str]) -> Counter[str]:
        with xarray.open_mfdataset(paths, engine=engine, combine="by_coords") as dataset:
            return Counter(variables=len(dataset.variables), axes=len(dataset.sizes))

    return seen


def opened(library: str, threads: int, paths: list[str]) -> Callable[[], Counter[str]]:
    """What is timed."""
    if library.startswith("xarray-"):
        of_all = of_xarray(library.removeprefix("xarray-"))
        return lambda: of_all(paths)
    seen = LIBRARIES[library]()
    if threads == 1:
        return lambda: sum(map(seen, paths), Counter())
    pool = ThreadPoolExecutor(threads)
    return lambda: sum(pool.map(seen, paths), Counter())


def files_of(words: list[str]) -> list[str]:
    paths = [Path(word) for word in words]
    lists = [sorted(path.iterdir()) if path.is_dir() else [path] for path in paths]
    return [str(path) for one in lists for path in one]


def main() -> None:
    library, threads, *words = sys.argv[1:]
    work = opened(library, int(threads), files_of(words))
    began = time.perf_counter()
    found = work()
    print(json.dumps({"open_s": time.perf_counter() - began, **found}))


if __name__ == "__main__":
    main()
