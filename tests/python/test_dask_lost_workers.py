"""``frazil.to_netcdf(..., client=)`` where workers are lost."""

import contextlib
import itertools
import json
import os
import signal
import threading
import time

import dask
import dask.array as da
import frazil
import numpy as np
import pytest
import xarray as xr
from distributed import Client
from frazil.cluster_results import Results, error_of
from frazil.cluster_work import Work
from support.cluster import (
    assert_written,
    bare_workers,
    cluster_of,
    instead_of_writing,
    sample,
    wait_for,
)

pytestmark = pytest.mark.sampled(one_in=4)


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as client:
        yield client


# --- fewer workers than before ---


class Submitted:
    """A client that notes what it is to compute."""

    def __init__(self):
        self.tasks = []

    def get(self, tasks, keys, **_):
        self.tasks.append(sorted(tasks))
        return keys


@pytest.mark.parametrize("count", [0, -3])
def test_no_unit_is_submitted_twice_where_none_may_be(count):
    tasks = {key: dask._task_spec.Task(key, abs, 1) for key in "abcdef"}
    cluster = Submitted()
    work = Work(cluster, tasks, [[key] for key in tasks])
    assert work.submit(4) == [["a"], ["b"], ["c"], ["d"]]
    assert work.submit(count) == []
    assert work.submit(4) == [["e"], ["f"]]
    assert work.submit(4) == []
    assert cluster.tasks == [["a", "b", "c", "d"], ["e", "f"]]


def test_more_blocks_are_on_their_way_than_workers_that_are_left_may_have(
    client, tmp_path, monkeypatch
):
    """24 blocks are on their way when one thread is left, which may have four."""
    counts = itertools.chain([8, 8, 1, 2, 1, 6], itertools.repeat(1))
    asked = []

    def nthreads(self):
        asked.append(next(counts))
        return {"worker": asked[-1]}

    monkeypatch.setattr(Client, "nthreads", nthreads)
    dataset = sample((1, 33, 47))
    encoding = {
        name: {"chunksizes": (4, 40, 40), "zlib": True, "complevel": 1} for name in ("t2m", "rain")
    }
    path = tmp_path / "out.nc"
    frazil.to_netcdf(dataset, path, client=client, encoding=encoding)
    assert len(asked) > 8
    assert_written(path, dataset)


def test_blocks_whose_workers_are_lost_one_after_the_other(tmp_path):
    """Of three workers all are killed, and others come: each write is done, or done again."""
    folder = tmp_path / "out"
    folder.mkdir()

    class Killer:
        def __init__(self, client):
            self.client, self.left, self.killed = client, 0, set()

        def stage(self, name, total_bytes):
            self.step = self.left = total_bytes // 4

        def advance(self, count):
            self.left -= count
            if self.left <= 0:
                self.left = self.step
                # Those that were killed just now may still be asked.
                running = self.client.run(os.getpid, on_error="ignore").values()
                victim = min(set(running) - self.killed, default=None)
                if victim is not None and len(self.killed) < 3:
                    self.killed.add(victim)
                    os.kill(victim, signal.SIGKILL)

        def notice(self, line):
            pass

    dataset = sample((1, 33, 47))
    encoding = {
        name: {"chunksizes": (4, 40, 40), "zlib": True, "complevel": 1} for name in ("t2m", "rain")
    }
    with cluster_of(3) as client:
        killer = Killer(client)
        frazil.to_netcdf(
            dataset, folder / "out.nc", client=client, encoding=encoding, progress=killer
        )
    assert len(killer.killed) == 3
    assert_written(folder / "out.nc", dataset)


# --- where they were killed ---


def test_a_worker_that_is_killed_while_it_computes(tmp_path):
    folder, killed = tmp_path / "out", tmp_path / "killed"
    folder.mkdir()

    def fatal(block, block_info=None):
        if block_info[None]["chunk-location"][0] == 5:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(killed, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
        return block

    dataset = sample((2, 100, 120))
    dataset["t2m"] = (dataset.t2m.dims, dataset.t2m.data.map_blocks(fatal, dtype="f4"))
    with cluster_of(2) as client:
        frazil.to_netcdf(dataset, folder / "out.nc", client=client)
    assert killed.exists()
    assert_written(folder / "out.nc", sample((2, 100, 120)).assign(t2m=dataset.t2m.compute()))


def test_a_worker_that_is_killed_in_the_middle_of_a_write(tmp_path):
    folder, killed = tmp_path / "out", tmp_path / "killed"
    folder.mkdir()

    def half(path, payload, address):
        from frazil import cluster_tasks

        try:
            os.close(os.open(killed, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return cluster_tasks.usual(path, payload, address)
        cluster_tasks.usual(path, b"\xee" * (len(payload) // 2), address)
        os.kill(os.getpid(), signal.SIGKILL)

    dataset = sample((2, 100, 120))
    with cluster_of(2) as client, instead_of_writing(client, half):
        frazil.to_netcdf(dataset, folder / "out.nc", client=client)
    assert killed.exists()
    assert_written(folder / "out.nc", dataset)


def test_a_worker_that_hangs_and_comes_back_writes_into_a_gap(tmp_path):
    """It stops in the middle of a write, is given up, and goes on when the file is complete."""
    folder, note, late = tmp_path / "out", tmp_path / "note", tmp_path / "late"
    folder.mkdir()

    def hang(path, payload, address):
        from frazil import cluster_tasks

        try:
            os.close(os.open(note, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return cluster_tasks.usual(path, payload, address)
        file = os.open(path, os.O_WRONLY)
        note.write_text(json.dumps([os.getpid(), address, len(payload)]))
        os.kill(os.getpid(), signal.SIGSTOP)
        # It may be another thread that stops first.
        time.sleep(1)
        os.pwrite(file, b"\xee" * len(payload), address)
        os.close(file)
        late.touch()

    path = folder / "out.nc"
    dataset = sample((2, 100, 120))
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "2 s"}),
        cluster_of(0) as client,
        bare_workers(client.scheduler.address, tmp_path, 2),
    ):
        client.wait_for_workers(2, timeout=60)
        with instead_of_writing(client, hang):
            frazil.to_netcdf(dataset, path, client=client)
            process, address, size = json.loads(note.read_text())
            assert not late.exists()
            assert_written(path, dataset)
            os.kill(process, signal.SIGCONT)
            wait_for(late.exists)
    content = path.read_bytes()
    assert content[address : address + size] == b"\xee" * size
    assert_written(path, dataset)
    assert frazil.recover(path).outcome == "clean"


def kill_when_asked(client, note):
    """Has a worker killed when the client fetches what is said of a box, the first time."""

    def patch():
        from frazil import cluster_tasks

        usual = cluster_tasks.describe

        class Fatal:
            def __init__(self, said):
                self.said = said

            def __reduce__(self):
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(note, os.O_CREAT | os.O_EXCL))
                    os.kill(os.getpid(), signal.SIGKILL)
                return type(self.said), tuple(vars(self.said).values())

        cluster_tasks.describe = lambda packed: Fatal(usual(packed))

    client.run(patch)


def test_what_is_said_of_a_block_is_lost_before_it_is_here(tmp_path):
    folder, note = tmp_path / "out", tmp_path / "note"
    folder.mkdir()
    dataset = sample((2, 100, 120))
    with cluster_of(2) as client:
        kill_when_asked(client, note)
        frazil.to_netcdf(dataset, folder / "out.nc", client=client)
    assert note.exists()
    assert_written(folder / "out.nc", dataset)


def test_a_block_that_was_lost_and_cannot_be_computed_again(tmp_path):
    """Nobody waits for it: nothing else is on its way."""
    folder, note = tmp_path / "out", tmp_path / "note"
    folder.mkdir()

    def once(block):
        if note.exists():
            raise ZeroDivisionError("not again")
        return block

    values = da.ones((16, 100), chunks=-1).map_blocks(once, meta=np.empty((0, 0)))
    encoding = {"v": {"zlib": True, "complevel": 1, "chunksizes": (16, 100)}}
    path = folder / "out.nc"
    with cluster_of(1) as client:
        kill_when_asked(client, note)
        with pytest.raises(ZeroDivisionError) as failed:
            frazil.to_netcdf(
                xr.Dataset({"v": (("t", "x"), values)}), path, client=client, encoding=encoding
            )
    assert any("/v" in one and str(path) in one for one in failed.value.__notes__)
    assert list(folder.iterdir()) == []


def test_a_client_that_is_closed_is_not_waited_for():
    with cluster_of(1) as client:
        results = Results(client)
        results.add(client.submit(time.sleep, 600), "sleep")
        threading.Timer(0.5, client.close).start()
        with pytest.raises(frazil.errors.InputOutputError):
            for _, outcome in results:
                raise error_of(outcome)


def test_a_block_that_kills_every_worker_names_file_and_variable_and_cure(tmp_path):
    def fatal(block, block_info=None):
        if block_info is not None and block_info[None]["chunk-location"][0] == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    dataset = sample((8, 100, 120))[["t2m"]]
    dataset["t2m"] = (dataset.t2m.dims, dataset.t2m.data.map_blocks(fatal, dtype="f4"))
    path = tmp_path / "out.nc"
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        cluster_of(2) as client,
        pytest.raises(frazil.errors.InputOutputError, match="2 workers were lost") as failed,
    ):
        frazil.to_netcdf(dataset, path, client=client)
    assert failed.value.file == str(path)
    assert failed.value.variable == "/t2m"
    assert "short of memory" in failed.value.cure
    assert list(tmp_path.iterdir()) == []


def test_that_no_worker_is_left_names_file_and_variable_and_cure(tmp_path):
    """The scheduler waits for others as long as it is told to."""

    def last(block):
        if block.size:
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    folder = tmp_path / "out"
    folder.mkdir()
    dataset = sample((8, 100, 120))[["t2m"]]
    dataset["t2m"] = (dataset.t2m.dims, dataset.t2m.data.map_blocks(last, dtype="f4"))
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "1 s"}),
        cluster_of(0) as client,
        bare_workers(client.scheduler.address, tmp_path, 1),
    ):
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(frazil.errors.InputOutputError, match="no worker was there") as failed:
            frazil.to_netcdf(dataset, folder / "out.nc", client=client)
    assert failed.value.file == str(folder / "out.nc")
    assert failed.value.variable == "/t2m"
    assert "start others" in failed.value.cure
    assert list(folder.iterdir()) == []


# --- what is left of it ---


def tasks_of(client):
    return set(client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks))))


def test_of_a_failure_the_cluster_keeps_nothing_and_the_client_its_other_work(client, tmp_path):
    def fail(block, block_info=None):
        time.sleep(0.02)
        if block_info is not None and block_info[None]["chunk-location"][0] == 3:
            raise ZeroDivisionError("no")
        return block

    others = client.submit(abs, -7)
    base = da.ones((48, 100), chunks=(3, 100)).map_blocks(fail, dtype="f8")
    both = {"a": (("t", "x"), base), "b": (("t", "x"), base - base.mean(axis=0))}
    encoding = {name: {"zlib": True, "complevel": 4, "chunksizes": (4, 50)} for name in both}
    name, before = client.id, tasks_of(client) | {others.key}
    # The error, and all that its traceback refers to, is still there.
    with pytest.raises(ZeroDivisionError) as failed:
        frazil.to_netcdf(xr.Dataset(both), tmp_path / "out.nc", client=client, encoding=encoding)
    wait_for(lambda: tasks_of(client) <= before)
    assert name in client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.client_comms))
    assert others.result() == 7
    assert failed.value.__notes__
