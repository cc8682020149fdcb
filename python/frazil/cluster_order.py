"""The order in which units of work are submitted, so that little is kept for units to come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate

from .cluster_work import Key, Tasks

# What more tasks than these need is near to none of them.
_MOST_NEIGHBOURS = 16

Units = Sequence[Sequence[Key]]


def arranged(tasks: Tasks, units: Units) -> list[int]:
    """The order in which least is kept: dask's, or one in which neighbours follow each other.

    dask's order finishes what it began. But where each unit shares parts with the next one, as
    blocks do whose borders are in the middle of other blocks, it may take every other unit first:
    then half of all parts are kept.

    Parameters
    ----------
    tasks : mapping
        All tasks by key.
    units : sequence of sequences of keys
        What is wanted of each unit.

    Returns
    -------
    list of int
        Numbers of units.
    """
    from dask.order import order

    ranks = order(tasks)
    by_rank = sorted(range(len(units)), key=lambda unit: ranks[units[unit][0]])
    return min(by_rank, _by_neighbours(tasks, units), key=lambda one: most_kept(tasks, units, one))


def most_kept(tasks: Tasks, units: Units, numbers: Sequence[int]) -> int:
    """Values that are kept at a time, at most, for units that are submitted in this order."""
    from dask._task_spec import DataNode

    begun: dict[Key, int] = {}
    until: dict[Key, int] = {}
    for now, unit in enumerate(numbers):
        for key in _needed(tasks, units[unit], begun):
            begun[key] = now
            until.update(dict.fromkeys(tasks[key].dependencies, now))
    changes = [0] * (len(numbers) + 1)
    for key, last in until.items():
        # Not what the cluster has already, nor what is no work.
        if key in tasks and not isinstance(tasks[key], DataNode):
            changes[begun[key]] += 1
            changes[last] -= 1
    return max(accumulate(changes))


def _by_neighbours(tasks: Tasks, units: Units) -> list[int]:
    """As they come, but behind each unit those that need what it needs."""
    needing: dict[Key, list[Key]] = {}
    for key, task in tasks.items():
        for needed in task.dependencies:
            needing.setdefault(needed, []).append(key)
    unit_of = {key: unit for unit, keys in enumerate(units) for key in keys}
    # In the order in which they are found.
    found: dict[int, None] = {}
    seen: set[Key] = set()
    climbed: set[Key] = set()
    for first in range(len(units)):
        near = deque([first])
        while near:
            unit = near.popleft()
            if unit in found:
                continue
            found[unit] = None
            for key in _needed(tasks, units[unit], seen):
                seen.add(key)
                near.extend(_above(key, needing, unit_of, climbed))
    return list(found)


def _needed(tasks: Tasks, keys: Sequence[Key], known: dict[Key, int] | set[Key]) -> Iterator[Key]:
    """Tasks that these need, and these, but for those known, which the caller adds to."""
    left = deque(keys)
    while left:
        key = left.popleft()
        if key in tasks and key not in known:
            yield key
            left.extend(tasks[key].dependencies)


def _above(
    key: Key, needing: dict[Key, list[Key]], unit_of: dict[Key, int], climbed: set[Key]
) -> Iterator[int]:
    """Units that need a task, by ways that were not gone before."""
    left = [key]
    while left:
        one = left.pop()
        above = needing.get(one, ())
        if one in climbed or len(above) > _MOST_NEIGHBOURS:
            continue
        climbed.add(one)
        yield from (unit_of[user] for user in above if user in unit_of)
        left.extend(above)
