"""Delayed writes: where they are computed, and what is left if that fails."""

import threading
import time
from unittest.mock import Mock

import dask
import dask.array as da
import frazil
import numpy as np
import pytest
import xarray as xr
from distributed import Client, LocalCluster
from frazil.errors import InvalidArgumentError, NoSpaceError, UnsupportedError
from frazil.writer import VariableWriter, Writer
from support.cluster import cluster_of


def sample(n=40):
    values = da.from_array(np.arange(n * 30.0).reshape(n, 30), chunks=(10, 30))
    return xr.Dataset({"v": (("time", "x"), values)})


def failing(n=20):
    def fail(block):
        raise FloatingPointError("on purpose")

    values = sample(n).v.data.map_blocks(fail, dtype="f8", meta=np.empty((0, 0)))
    return xr.Dataset({"v": (("time", "x"), values)})


def assert_written(path, dataset):
    with xr.open_dataset(path, engine="frazil") as found:
        xr.testing.assert_equal(found, dataset.compute())


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as client:
        yield client


def test_blocks_come_from_the_workers_of_a_cluster(client, tmp_path):
    path = tmp_path / "late.nc"
    with dask.config.set(scheduler=client):
        frazil.to_netcdf(sample(), path, compute=False).compute()
    assert_written(path, sample())
    frazil.to_netcdf(sample(20), path, compute=False).compute(scheduler=client)
    assert_written(path, sample(20))
    dask.compute(frazil.to_netcdf(sample(), path, compute=False), scheduler="threads")
    assert_written(path, sample())


def test_blocks_come_from_the_processes_of_dask(tmp_path):
    path = tmp_path / "late.nc"
    frazil.to_netcdf(sample(), path, compute=False).compute(scheduler="processes")
    assert_written(path, sample())


@pytest.mark.parametrize("compute", ["dask", "client"])
def test_a_worker_that_would_write_says_what_to_do(client, compute, tmp_path):
    path = tmp_path / "late.nc"
    for variable, dataset in (("v", sample()), (None, sample().compute())):
        delayed = frazil.to_netcdf(dataset, path, compute=False)
        with pytest.raises(UnsupportedError, match="call the delayed object's own") as refused:
            if compute == "dask":
                dask.compute(delayed, scheduler=client)
            else:
                client.compute(delayed).result()
        assert (refused.value.file, refused.value.variable) == (str(path), variable)
        delayed.compute(scheduler="threads")
    assert_written(path, sample())


def test_workers_in_threads_write(tmp_path):
    path = tmp_path / "late.nc"
    with (
        LocalCluster(processes=False, n_workers=1, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        delayed = frazil.to_netcdf(sample(), path, compute=False)
        client.compute(delayed).result()
    assert_written(path, sample())


def test_a_failure_lets_others_write(tmp_path):
    path = tmp_path / "late.nc"
    frazil.to_netcdf(sample(), path, append_dim="time")
    delayed = frazil.to_netcdf(failing(), path, append_dim="time", compute=False)
    with pytest.raises(FloatingPointError):
        delayed.compute()
    frazil.to_netcdf(sample(20), path)
    with pytest.raises(InvalidArgumentError, match="failed and was given up") as refused:
        delayed.compute()
    assert refused.value.file == str(path) and "call to_netcdf again" in refused.value.cure
    assert_written(path, sample(20))


def test_values_that_cannot_be_written_let_others_write(tmp_path, monkeypatch):
    path = tmp_path / "late.nc"
    frazil.to_netcdf(sample(), path, append_dim="time")
    delayed = frazil.to_netcdf(sample(), path, append_dim="time", compute=False)
    with monkeypatch.context() as patched:
        full = NoSpaceError("the disk is full", file=path)
        patched.setattr(VariableWriter, "_put", Mock(side_effect=full))
        with pytest.raises(NoSpaceError):
            dask.compute(delayed)
    frazil.to_netcdf(sample(20), path)
    with pytest.raises(NoSpaceError, match="the disk is full"):
        dask.compute(delayed)
    assert_written(path, sample(20))


def test_whoever_is_told_of_a_failure_may_write(tmp_path, monkeypatch):
    """Several threads fail at once; the last to know must not be the one that lets go."""
    path = tmp_path / "late.nc"
    delayed = frazil.to_netcdf(sample(), path, compute=False)
    abandon, both = Writer.abandon, threading.Barrier(2)

    def slowly(writer):
        time.sleep(0.3)
        abandon(writer)

    def fail(*_):
        both.wait(10)
        raise NoSpaceError("the disk is full", file=path)

    with monkeypatch.context() as patched:
        patched.setattr(VariableWriter, "_put", fail)
        patched.setattr(Writer, "abandon", slowly)
        with pytest.raises(NoSpaceError):
            dask.compute(delayed, scheduler="threads", num_workers=2)
    frazil.Writer(path).close()


def test_a_delayed_write_is_computed_once(tmp_path):
    path = tmp_path / "late.nc"
    delayed = frazil.to_netcdf(sample(), path, compute=False)
    delayed.compute()
    for compute in (delayed.compute, lambda: dask.compute(delayed)):
        with pytest.raises(InvalidArgumentError, match="was computed already") as refused:
            compute()
        assert refused.value.file == str(path) and "call to_netcdf again" in refused.value.cure
    assert_written(path, sample())


def test_a_write_that_is_abandoned_lets_others_write(tmp_path):
    path = tmp_path / "a.nc"
    frazil.to_netcdf(sample(), path, append_dim="time")
    write = frazil.to_netcdf(sample(), path, append_dim="time", compute=False)
    write.abandon()
    frazil.to_netcdf(sample(), path, append_dim="time")
    assert xr.open_dataset(path, engine="frazil").sizes["time"] == 80
    assert [one.name for one in tmp_path.iterdir()] == ["a.nc"]
    with pytest.raises(InvalidArgumentError, match="abandoned"):
        write.compute()


def test_a_file_made_meanwhile_is_not_replaced(tmp_path):
    path = tmp_path / "a.nc"
    write = frazil.to_netcdf(sample(), path, "x", compute=False)
    path.write_bytes(b"of somebody else")
    with pytest.raises(FileExistsError, match="meanwhile"):
        write.compute()
    assert path.read_bytes() == b"of somebody else"
    assert [one.name for one in tmp_path.iterdir()] == ["a.nc"]
