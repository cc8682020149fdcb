"""dask's threads follow the writer."""

import threading
import time

import dask
import dask.array as da
import frazil
import numpy as np
import pytest
import xarray as xr
from frazil.crew import Crew, crew


def at_once(crew, tasks):
    """The most tasks of `tasks` that worked at once."""
    lock = threading.Lock()
    now, most = 0, 0

    def work():
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1

    for one in [crew.submit(work) for _ in range(tasks)]:
        one.result(timeout=30)
    return most


def test_two_work_while_puts_wait_and_all_while_packing_waits():
    with Crew(4) as made:
        assert at_once(made, 12) == 2
        # The first block of all finds nothing under way.
        made.follow(0, 0.0)
        assert made.width == 2
        for _ in range(5):
            made.follow(0, 0.0)
        assert made.width == 4
        assert at_once(made, 12) == 4
        made.follow(9, 0.0)
        assert made.width == 4
        made.follow(60, 0.1)
        assert made.width == 2
        assert at_once(made, 12) == 2
    with Crew(1) as made:
        assert at_once(made, 3) == 1


def test_more_threads_take_memory_from_the_writer_once():
    left = []
    with Crew(4, left.append) as made:
        for _ in range(3):
            made.follow(0, 0.0, 100)
        made.follow(60, 0.1, 100)
        made.follow(9, 0.0, 300)
        made.follow(9, 0.0, 300)
    # Threads take a block each, and allocators keep two more, beyond the two that come on top.
    assert left == [400, 700, 1000, 3000]


def test_what_goes_back_to_the_system_takes_no_memory_from_the_writer():
    left = []
    with Crew(4, left.append) as made:
        for _ in range(2):
            made.follow(9, 0.0, 64 << 20)
        made.follow(9, 0.0, 1 << 20)
        for _ in range(3):
            made.follow(0, 0.0, 64 << 20)
    # Two threads of which the allocator keeps twice a MiB; then two more threads.
    assert left == [4 << 20, (64 + 6) << 20, (128 + 8) << 20]


def test_the_same_few_threads_work_while_no_more_are_needed():
    names = set()
    with Crew(4) as made:
        for _ in range(3):
            tasks = [made.submit(lambda: names.add(threading.get_ident())) for _ in range(20)]
            for one in tasks:
                one.result(timeout=30)
        assert len(names) <= 2
        for _ in range(3):
            made.follow(0, 0.0)
        assert at_once(made, 12) == 4
        made.follow(60, 0.1)
        before = {one.ident for one in made._threads[:2]}
        names.clear()
        tasks = [made.submit(lambda: names.add(threading.get_ident())) for _ in range(20)]
        for one in tasks:
            one.result(timeout=30)
        assert names <= before


def test_tasks_keep_their_order_and_their_exceptions():
    log = []

    def fail():
        raise KeyError("so it is")

    with Crew(1) as made:
        done = [made.submit(log.append, i) for i in range(50)]
        failed = made.submit(fail)
        with pytest.raises(KeyError, match="so it is"):
            failed.result(timeout=30)
        assert all(one.done() for one in done)
    assert log == list(range(50))
    with pytest.raises(RuntimeError):
        made.submit(print)


def test_who_computes_is_as_dask_is_set_up():
    with dask.config.set(num_workers=3), crew() as made:
        assert made._max_workers == 3
    with dask.config.set(scheduler="synchronous"), crew() as made:
        assert made is None
    with dask.config.set(scheduler="threads"), crew() as made:
        assert made is not None


def test_an_exception_of_a_block_ends_the_work(tmp_path):
    def fail(block, block_info=None):
        if block_info[0]["chunk-location"][0] == 7:
            raise ZeroDivisionError("in a block")
        return block

    values = da.zeros((40, 100), chunks=(2, 100), dtype="f4").map_blocks(fail, dtype="f4")
    with pytest.raises(ZeroDivisionError, match="in a block"):
        frazil.to_netcdf(xr.Dataset({"v": (("x", "y"), values)}), tmp_path / "out.nc")
    assert list(tmp_path.iterdir()) == []
    assert "frazil-dask" not in {one.name for one in threading.enumerate()}


def test_blocks_that_take_long_are_computed_by_all_threads(tmp_path):
    names = set()

    def slow(block):
        names.add(threading.current_thread().ident)
        time.sleep(0.02)
        return block + 1

    values = da.zeros((64, 50), chunks=(1, 50), dtype="f4").map_blocks(slow, dtype="f4")
    with dask.config.set(num_workers=4):
        frazil.to_netcdf(xr.Dataset({"v": (("x", "y"), values)}), tmp_path / "out.nc")
    assert len(names) >= 4
    with xr.open_dataset(tmp_path / "out.nc", engine="netcdf4") as found:
        assert (found.v == 1).all()
        assert found.v.dtype == np.dtype("f4")
