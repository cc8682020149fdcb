"""Reads files over HTTP with one library and says how long that took; see README.md.

python bench/peer_cloud.py LIBRARY CASE URL STEPS FILES

URL names the folder. Prints a JSON object: seconds, the CRC of what was read, and what the server
counted in these seconds. Imports and CRCs are not in the seconds.
"""

import json
import sys
import time
import urllib.request
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import numpy as np
from read_patterns import PATTERNS, VARIABLE

# Asks for 8 MiB at a time and keeps them; what h5netcdf's and xarray's documents recommend.
BLOCKS = {"cache_type": "blockcache", "block_size": 8 << 20}


# No reader: what bare requests take for the head of a file and for the chunks of a map, which
# go out together as frazil's do. Nothing is decoded.
FLOOR = "bare requests"
HEAD_BYTES, MOST_AT_ONCE = 1 << 20, 32


def of_fsspec(url: str, **options: Any) -> Any:
    import fsspec

    return fsspec.open(url, **options).open()


def by_h5netcdf(options: dict[str, Any]) -> Callable[[str], Any]:
    import h5netcdf

    return lambda url: h5netcdf.File(of_fsspec(url, **options), "r")


def by_frazil() -> Callable[[str], Any]:
    import frazil

    return frazil.open


def by_ros3() -> Callable[[str], Any]:
    import h5py

    if "ros3" not in h5py.registered_drivers():
        raise SystemExit("h5py is built without ros3")
    return lambda url: h5py.File(url, "r", driver="ros3")


def by_netcdf() -> Callable[[str], Any]:
    import netCDF4

    def opened(url: str) -> Any:
        dataset = netCDF4.Dataset(f"{url}#mode=bytes")
        dataset.set_auto_maskandscale(False)
        return dataset

    return opened


def by_references_fsspec() -> Callable[[str], Any]:
    import fsspec
    import zarr

    def opened(url: str) -> Any:
        with fsspec.open(f"{url}.json") as file:
            references = json.load(file)
        files = fsspec.filesystem(
            "reference",
            fo=references,
            asynchronous=True,
            remote_protocol="http",
            remote_options={"asynchronous": True},
        )
        return zarr.open_group(
            zarr.storage.FsspecStore(files, read_only=True), mode="r", zarr_format=2
        )

    return opened


def of_obstore(url: str) -> tuple[Any, str]:
    from obstore.store import HTTPStore

    root, _, name = url.rpartition("/")
    return HTTPStore.from_url(root, client_options={"allow_http": True}), name


def by_virtualizarr() -> Callable[[str], Any]:
    import zarr
    from obspec_utils.registry import ObjectStoreRegistry
    from virtualizarr.parsers import KerchunkJSONParser

    def opened(url: str) -> Any:
        store, _ = of_obstore(url)
        registry = ObjectStoreRegistry({url.rpartition("/")[0]: store})
        parser = KerchunkJSONParser()
        return zarr.open_group(parser(f"{url}.virtual.json", registry), mode="r")

    return opened


def by_zarr_fsspec() -> Callable[[str], Any]:
    import zarr

    def opened(url: str) -> Any:
        return zarr.open_consolidated(url.replace(".nc", ".zarr"), mode="r", zarr_format=2)

    return opened


def by_zarr_obstore() -> Callable[[str], Any]:
    import zarr
    from obstore.store import HTTPStore
    from zarr.storage import ObjectStore

    def opened(url: str) -> Any:
        store = HTTPStore.from_url(url.replace(".nc", ".zarr"), client_options={"allow_http": True})
        return zarr.open_consolidated(ObjectStore(store, read_only=True), mode="r", zarr_format=2)

    return opened


LIBRARIES: dict[str, Callable[[], Callable[[str], Any]]] = {
    "frazil": by_frazil,
    "h5netcdf, fsspec, blocks": lambda: by_h5netcdf(BLOCKS),
    "h5netcdf, fsspec, read-ahead": lambda: by_h5netcdf({"cache_type": "readahead"}),
    "h5py, ros3": by_ros3,
    "netCDF-C, bytes": by_netcdf,
    "references, zarr, fsspec": by_references_fsspec,
    "VirtualiZarr, zarr, obstore": by_virtualizarr,
    "Zarr, fsspec": by_zarr_fsspec,
    "Zarr, obstore": by_zarr_obstore,
}
# How xarray opens many files.
ENGINES: dict[str, Callable[[], tuple[Callable[[str], Any], dict[str, Any]]]] = {
    "frazil": lambda: (str, {"engine": "frazil"}),
    "h5netcdf, fsspec, blocks": lambda: (
        lambda url: of_fsspec(url, **BLOCKS),
        {"engine": "h5netcdf"},
    ),
    "Zarr, fsspec": lambda: (
        lambda url: url.replace(".nc", ".zarr"),
        {"engine": "zarr", "consolidated": True, "zarr_format": 2},
    ),
}


def variable(handle: Any) -> Any:
    return handle.variables[VARIABLE] if hasattr(handle, "variables") else handle[VARIABLE]


def counted(url: str, what: str) -> dict[str, int]:
    root = url.split("/")[2]
    with urllib.request.urlopen(f"http://{root}/-/{what}", timeout=10) as answer:
        return json.load(answer)


def one_file(library: str, case: str, url: str, steps: int) -> dict[str, Any]:
    open_file = LIBRARIES[library]()
    counted(url, "reset")
    begin = time.perf_counter()
    # h5netcdf closes a file that nobody holds.
    file = open_file(f"{url}/file.nc")
    found = variable(file)
    if case == "open":
        seconds = time.perf_counter() - begin
        counts = counted(url, "counts")
        # What was opened can be read.
        return {"seconds": seconds, **counts, "crc": crc(found[0, 0, :])}
    (region,) = PATTERNS[case](steps)
    values = np.asarray(found[tuple(slice(*side) for side in region)])
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, **counted(url, "counts"), "crc": crc(values)}


def bare(url: str) -> dict[str, Any]:
    """The two rounds that a map needs in a file whose metadata are at its begin."""
    host = url.split("/")[2]
    path = url.split(host, 1)[1]
    with urllib.request.urlopen(f"{url}/places.json", timeout=10) as answer:
        places = json.load(answer)

    def part(place: list[int]) -> None:
        connection = HTTPConnection(host)
        headers = {"Range": f"bytes={place[0]}-{place[0] + place[1] - 1}"}
        connection.request("GET", f"{path}/file.nc", headers=headers)
        connection.getresponse().read()

    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        counted(url, "reset")
        begin = time.perf_counter()
        part([0, HEAD_BYTES])
        list(pool.map(part, places))
        seconds = time.perf_counter() - begin
    return {"seconds": seconds, **counted(url, "counts"), "crc": None}


def many_files(library: str, url: str, files: int) -> dict[str, Any]:
    """Opened as one, and one series of all."""
    import xarray

    # Looks for engines, and imports them.
    xarray.backends.list_engines()
    of, options = ENGINES[library]()
    counted(url, "reset")
    begin = time.perf_counter()
    sources = [of(f"{url}/many/{number:02}.nc") for number in range(files)]
    dataset = xarray.open_mfdataset(
        sources,
        combine="nested",
        concat_dim="time",
        parallel=True,
        chunks={},
        decode_times=False,
        mask_and_scale=False,
        **options,
    )
    values = dataset[VARIABLE][:, 60, 100].values
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, **counted(url, "counts"), "crc": crc(values)}


def crc(values: Any) -> int:
    return zlib.crc32(np.ascontiguousarray(values, dtype="<f4"))


def main(library: str, case: str, url: str, steps: int, files: int) -> None:
    if library == FLOOR:
        found = bare(url)
    elif case == "many files":
        found = many_files(library, url, files)
    else:
        found = one_file(library, case, url, steps)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5]))
