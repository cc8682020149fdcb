"""The order in which blocks are asked for."""

import dask.array as da
import numpy as np
import pytest
from dask._task_spec import Task, TaskRef
from dask.order import order
from frazil.cluster_order import arranged, most_kept
from frazil.cluster_work import tasks_of


def packed(*arrays):
    """Tasks that compute arrays and do something to each block, and these by block."""
    tasks, units = tasks_of(arrays), []
    for i, array in enumerate(arrays):
        for at in np.ndindex(array.numblocks):
            key = f"pack-{i}-{'-'.join(map(str, at))}"
            tasks[key] = Task(key, len, TaskRef((array.name, *at)))
            units.append([key])
    return tasks, units


def rechunked(steps):
    """Blocks that begin and end in the middle of other blocks."""
    source = da.ones((steps, 4), chunks=(100, 4))
    return source.rechunk((64, 4), method="tasks")


@pytest.mark.parametrize("steps", [1000, 8000])
def test_blocks_that_share_parts_follow_each_other(steps):
    tasks, units = packed(rechunked(steps))
    numbers = arranged(tasks, units)
    assert sorted(numbers) == list(range(len(units)))
    assert most_kept(tasks, units, numbers) <= 4


def test_without_that_half_of_the_parts_are_kept():
    tasks, units = packed(rechunked(8000))
    ranks = order(tasks)
    by_rank = sorted(range(len(units)), key=lambda unit: ranks[units[unit][0]])
    assert most_kept(tasks, units, by_rank) > 30


def test_variables_that_share_blocks_take_turns():
    """The second one is the first, backwards."""
    tasks = {f"base-{i}": Task(f"base-{i}", abs, i) for i in range(80)}
    for name, step in (("a", 1), ("b", -1)):
        for i, block in enumerate(range(80)[::step]):
            key = f"{name}-{i}"
            tasks[key] = Task(key, abs, TaskRef(f"base-{block}"))
    units = [[key] for key in tasks if not key.startswith("base")]
    assert most_kept(tasks, units, range(len(units))) == 80
    assert most_kept(tasks, units, arranged(tasks, units)) == 1


def test_what_all_blocks_need_says_nothing_about_their_order():
    base = da.random.default_rng(0).random((400, 4), chunks=(10, 4))
    tasks, units = packed(base, base - base.mean(axis=0))
    # All blocks, until their mean is known, and the mean.
    assert most_kept(tasks, units, arranged(tasks, units)) <= 40 + 4


def test_nothing_has_to_be_arranged():
    assert arranged({}, []) == []
    assert most_kept({}, [], []) == 0
