"""Writes a dataset of dask arrays from a cluster of processes and says how long that took.

python bench/peer_dask.py LIBRARY FRAMES STEPS WORKERS OUTPUT

Prints a JSON object: wall seconds, and memory beyond what the processes had before: of the client,
and of the worker that took most. LIBRARY `frazil-killed` is frazil, and a worker is killed when
half of the data is written; those that end in `default` state no encoding; `nowhere` computes the
values and writes nothing.
"""

import json
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import frazil
import xarray
from distributed import Client, LocalCluster
from peer_read import memory_kib
from peer_write import for_all, nowhere, zarr_codecs
from write_fields import make_dataset

CHUNK = (64, 64, 128)
# Of a machine's memory each worker may have its share; nothing here comes near it.
WORKER_BYTES = 4 << 30


class Killer:
    """Told of progress, it kills a worker when half is done."""

    def __init__(self, client: Client) -> None:
        self._client, self._left = client, 0

    def stage(self, name: str, total_bytes: int) -> None:
        self._left = total_bytes // 2

    def advance(self, count: int) -> None:
        was_before = self._left > 0
        self._left -= count
        if was_before and self._left <= 0:
            victim = min(self._client.run(os.getpid).values())
            os.kill(victim, signal.SIGKILL)

    def notice(self, line: str) -> None:
        pass


def through_frazil(client: Client, dataset: xarray.Dataset, path: Path) -> None:
    write(client, dataset, path, None)


def through_frazil_killed(client: Client, dataset: xarray.Dataset, path: Path) -> None:
    write(client, dataset, path, Killer(client))


def write(client: Client, dataset: xarray.Dataset, path: Path, progress: Killer | None) -> None:
    encoding = for_all({"zlib": True, "complevel": 1, "shuffle": True, "chunksizes": CHUNK})
    frazil.to_netcdf(dataset, path, client=client, encoding=encoding, progress=progress)


def through_frazil_default(client: Client, dataset: xarray.Dataset, path: Path) -> None:
    frazil.to_netcdf(dataset, path, client=client)


def through_zarr_default(_: Client, dataset: xarray.Dataset, path: Path) -> None:
    dataset.to_zarr(path)


def through_zarr(filters: str) -> Callable[..., None]:
    def write(_: Client, dataset: xarray.Dataset, path: Path) -> None:
        encoding = for_all({**zarr_codecs(filters), "chunks": CHUNK})
        dataset.to_zarr(path, zarr_format=2, encoding=encoding, align_chunks=True)

    return write


LIBRARIES: dict[str, Callable[..., None]] = {
    "frazil": through_frazil,
    "frazil-killed": through_frazil_killed,
    "frazil default": through_frazil_default,
    "zarr default": through_zarr_default,
    "zarr deflate1": through_zarr("deflate1"),
    "zarr blosc-zlib1": through_zarr("blosc-zlib1"),
    "nowhere": lambda client, dataset, path: nowhere(dataset),
}


def ready(name: str) -> int:
    """Imports what writing would import; memory of this process then."""
    if name.startswith("zarr"):
        import numcodecs  # noqa: F401
        import zarr  # noqa: F401
    return memory_kib(peak=False)


def peak() -> int:
    return memory_kib(peak=True)


def main(name: str, frames: Path, steps: int, workers: int, output: Path) -> None:
    dataset = make_dataset(frames, steps, on_cluster=True)
    shutil.rmtree(output, ignore_errors=True)
    output.unlink(missing_ok=True)
    options = {"memory_limit": WORKER_BYTES, "silence_logs": logging.CRITICAL}
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            **options,
        ) as cluster,
        Client(cluster) as client,
    ):
        of_workers = client.run(ready, name)
        assert len(of_workers) == workers, f"{len(of_workers)} workers"
        before = ready(name)
        began = time.perf_counter()
        LIBRARIES[name](client, dataset, output)
        seconds = time.perf_counter() - began
        # A worker that came for one that was killed had nothing before.
        least = min(of_workers.values())
        peaks = client.run(peak).items()
        growth = [kib - of_workers.get(address, least) for address, kib in peaks]
    client_kib = peak() - before
    print(json.dumps({"write_s": seconds, "client_kib": client_kib, "worker_kib": max(growth)}))


if __name__ == "__main__":
    words = sys.argv[1:]
    main(words[0], Path(words[1]), int(words[2]), int(words[3]), Path(words[4]))
