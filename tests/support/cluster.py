"""Clusters of real processes, and what is written from them."""

import contextlib
import logging
import subprocess
import sys
import time

import dask.array as da
import distributed
import numpy as np
import xarray as xr
from xarray.testing import assert_identical

QUIET = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}


@contextlib.contextmanager
def cluster_of(workers, **options):
    """A client of so many worker processes."""
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, **QUIET, **options
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextlib.contextmanager
def bare_workers(address, folder, count):
    """Workers that nobody looks after."""
    words = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    words += ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", folder]
    workers = [
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(count)
    ]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.05)


def sample(blocks=(3, 50, 120), steps=16):
    """Smooth values, zeros at first, in blocks that do not end where chunks end."""
    shape = (steps, 100, 120)
    at = da.arange(steps, chunks=-1)[:, None, None] * da.ones(shape, chunks=blocks)
    noise = da.random.default_rng(1).normal(scale=0.01, size=shape, chunks=blocks)
    waves = da.sin(at + da.linspace(0, 6, 120, chunks=-1)) + noise
    return xr.Dataset(
        {
            "t2m": (("time", "y", "x"), (280 + waves).astype("f4"), {"units": "K"}),
            "rain": (("time", "y", "x"), da.where(at < 8, 0, waves)),
            "mask": (("y", "x"), np.eye(100, 120, dtype="i1")),
        },
        coords={"time": np.arange(steps), "x": np.arange(120.0)},
        attrs={"title": "sample"},
    )


def assert_written(path, dataset):
    """The file has the dataset's values, and nothing else is left in its folder."""
    with xr.open_dataset(path, engine="netcdf4") as found:
        assert_identical(found.drop_encoding(), dataset.compute())
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name]


@contextlib.contextmanager
def instead_of_writing(client, what):
    """Has the workers that there are do something else in place of writing packed chunks."""

    def patch():
        from frazil import cluster_tasks

        cluster_tasks.usual = cluster_tasks.write_at
        cluster_tasks.write_at = what

    def undo():
        from frazil import cluster_tasks

        if hasattr(cluster_tasks, "usual"):
            cluster_tasks.write_at = cluster_tasks.usual

    client.run(patch)
    yield
    client.run(undo)
