"""Threads and processes: many readers of many files, and forks after a read."""

import concurrent.futures
import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import frazil
import numpy as np
import pytest
import xarray as xr

pytestmark = pytest.mark.sampled(one_in=2)

FILES, SHAPE = 20, (24, 60, 80)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    for i in range(FILES):
        values = expected(i)
        with frazil.Writer(folder / f"{i}.nc") as writer:
            for name, length in zip("tyx", SHAPE, strict=True):
                writer.add_dimension(name, length)
            writer.add_variable("v", "i4", "tyx", chunks=(5, 20, 30), level=1)[:] = values
    return folder


def expected(i):
    t, y, x = np.ogrid[tuple(slice(n) for n in SHAPE)]
    return (((t * 100 + y) * 100 + x) * (i + 1) % 1_000_003).astype("i4")


def read_boxes(folder, seed, boxes):
    """Reads random boxes of all files; how many were wrong."""
    chance = np.random.default_rng(seed)
    wrong = 0
    for _ in range(boxes):
        i = int(chance.integers(FILES))
        starts = [int(chance.integers(n)) for n in SHAPE]
        key = tuple(slice(s, s + int(chance.integers(1, 40))) for s in starts)
        with frazil.open(folder / f"{i}.nc") as file:
            wrong += not np.array_equal(file.variables["v"][key], expected(i)[key])
    return wrong


def test_64_threads_read_random_boxes_of_20_files(files):
    variables = [frazil.open(files / f"{i}.nc").variables["v"] for i in range(FILES)]
    values = [expected(i) for i in range(FILES)]

    def work(seed):
        chance = np.random.default_rng(seed)
        wrong = 0
        for _ in range(150):
            i = int(chance.integers(FILES))
            starts = [int(chance.integers(n)) for n in SHAPE]
            key = tuple(slice(s, s + int(chance.integers(1, 40))) for s in starts)
            wrong += not np.array_equal(variables[i][key], values[i][key])
        return wrong

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        assert sum(pool.map(work, range(64))) == 0
    # Below the budget for chunks, whatever the number of threads.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 512 << 10


def test_a_fork_after_a_read_can_read(files):
    context = multiprocessing.get_context("fork")
    with frazil.open(files / "0.nc") as file:
        variable = file.variables["v"]
        assert (variable[:] == expected(0)).all()

        def child(queue):
            queue.put(bool((variable[:] == expected(0)).all()) and read_boxes(files, 1, 20) == 0)

        queue = context.Queue()
        children = [context.Process(target=child, args=(queue,)) for _ in range(4)]
        for one in children:
            one.start()
        assert all(queue.get(timeout=60) for _ in children)
        for one in children:
            one.join(timeout=60)
            assert one.exitcode == 0
        assert (variable[:] == expected(0)).all()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(files, method):
    read_boxes(files, 0, 3)
    with multiprocessing.get_context(method).Pool(3) as pool:
        assert pool.starmap(read_boxes, [(files, seed, 10) for seed in range(6)]) == [0] * 6


def test_a_fork_while_other_threads_read(files):
    """Threads read values while a library starts a child process, which opens files itself."""
    context = multiprocessing.get_context("fork")
    variables = [frazil.open(files / f"{i}.nc").variables["v"] for i in range(FILES)]
    done = threading.Event()

    def work(i):
        wrong = 0
        while not done.is_set():
            wrong += not np.array_equal(variables[i][3:9, ::2], expected(i)[3:9, ::2])
        return wrong

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = [pool.submit(work, i) for i in range(8)]
        try:
            for _ in range(5):
                child = context.Process(target=read_boxes, args=(files, 99, 5), daemon=True)
                child.start()
                child.join(timeout=60)
                assert child.exitcode == 0
        finally:
            done.set()
        assert sum(one.result() for one in running) == 0


def test_a_fork_while_other_threads_open_files(files):
    """A fork falls into the work of libhdf5, which keeps the books of all open files."""
    done = threading.Event()

    def work(seed):
        wrong = 0
        while not done.is_set():
            wrong += read_boxes(files, seed, 5)
        return wrong

    context = multiprocessing.get_context("fork")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = [pool.submit(work, seed) for seed in range(4)]
        try:
            for seed in range(40):
                child = context.Process(target=read_boxes, args=(files, seed, 3), daemon=True)
                child.start()
                child.join(timeout=60)
                assert child.exitcode == 0, f"fork {seed}"
        finally:
            done.set()
        assert sum(one.result() for one in running) == 0


def in_a_fork(work):
    """What a forked process makes of it: whether it is true."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    # By the clock: with threads at work, a nap takes long.
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


def test_forks_of_16_reading_threads_read_with_threads_of_their_own(files):
    """Children find no lock held, and nobody waiting for one who is no more."""
    variables = [frazil.open(files / f"{i}.nc").variables["v"] for i in range(FILES)]
    values = [expected(i)[:, 7, ::3] for i in range(FILES)]
    done = threading.Event()

    def read(i):
        with frazil.open(files / f"{i % FILES}.nc") as file:
            found = (file.variables["v"][:, 7, ::3], variables[i % FILES][:, 7, ::3])
        return sum(not np.array_equal(one, values[i % FILES]) for one in found)

    def work(seed):
        wrong = 0
        while not done.is_set():
            wrong += read(seed)
        return wrong

    def child(seed):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return sum(pool.map(read, range(seed, seed + 60))) == 0

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        running = [pool.submit(work, seed) for seed in range(16)]
        try:
            for seed in range(12):
                assert in_a_fork(lambda seed=seed: child(seed)), f"fork {seed}"
        finally:
            done.set()
        assert sum(one.result() for one in running) == 0


def test_a_fork_while_a_file_is_opened_again_reads_it(tmp_path):
    """A thread finds that a file was replaced, and looks at it again, when a fork comes."""
    path = tmp_path / "replaced.nc"

    def write(number):
        new = tmp_path / "new.nc"
        with frazil.Writer(new) as writer:
            writer.add_dimension("x", 4000)
            writer.add_variable("v", "i4", ["x"], chunks=[1000])[:] = np.full(4000, number)
        new.replace(path)

    write(0)
    variable = frazil.open(path).variables["v"]
    done = threading.Event()

    def is_whole():
        try:
            values = variable[:]
        except frazil.errors.FileChangedError:
            return True
        return bool((values == values[0]).all())

    def work(_):
        wrong = 0
        while not done.is_set():
            wrong += not is_whole()
        return wrong

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = [pool.submit(work, number) for number in range(4)]
        try:
            for number in range(1, 15):
                write(number)
                assert in_a_fork(is_whole), f"fork {number}"
        finally:
            done.set()
        assert sum(one.result() for one in running) == 0


def test_a_fork_leaves_its_parents_files_alone(tmp_path):
    path = tmp_path / "written.nc"
    writer = frazil.Writer(path)
    writer.add_dimension("x", 1000)
    variable = writer.add_variable("v", "i4", ["x"], chunks=[100])
    variable[:500] = np.arange(500)

    def child():
        nonlocal writer, variable
        with pytest.raises(frazil.errors.InvalidArgumentError, match="fork"):
            variable[500:] = 0
        with pytest.raises(frazil.errors.InvalidArgumentError, match="fork"):
            writer.close()
        writer.abandon()
        del variable, writer
        gc.collect()
        return True

    assert in_a_fork(child)
    variable[500:] = np.arange(500, 1000)
    writer.close()
    assert (frazil.open(path).variables["v"][:] == np.arange(1000)).all()


def test_a_fork_that_ends_by_an_exception_keeps_the_dataset_being_written(tmp_path):
    from frazil.xarray_store import Output

    path = tmp_path / "written.nc"
    output = Output(path, "w")
    output.writer.add_dimension("x", 10)

    def child():
        output.abandon()
        return True

    assert in_a_fork(child)
    output.finish()
    assert frazil.open(path).dims == {"x": 10}


def test_dask_in_processes(files):
    import dask

    with dask.config.set(scheduler="processes", num_workers=2):
        dataset = xr.open_mfdataset(
            [files / f"{i}.nc" for i in range(4)],
            engine="frazil",
            combine="nested",
            concat_dim="file",
            chunks={},
        )
        found = dataset.v.sum(("t", "y", "x")).compute()
    assert found.values.tolist() == [int(expected(i).sum()) for i in range(4)]


def test_open_files_cost_little_memory(files):
    program = f"""
import resource, frazil
files = [frazil.open({str(files)!r} + f"/{{i % {FILES}}}.nc") for i in range(40)]
for one in files:
    one.variables["v"][0, 0, 0]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
more = [frazil.open({str(files)!r} + f"/{{i % {FILES}}}.nc") for i in range(400)]
for one in more:
    one.variables["v"][0, 0, 0]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 400)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    # KiB for each open file.
    assert float(done.stdout) < 64
