"""Tasks for many results, handed to a ``dask.distributed`` cluster a part at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client, Future

Key = Hashable
# Tasks as dask has them in graphs, by their keys.
Tasks = Mapping[Key, Any]


def tasks_of(arrays: Sequence[Any], sources: Sequence[Any] = ()) -> dict[Key, Any]:
    """The tasks of all blocks of arrays, optimized together: what they share has one key.

    Blocks of ``sources``, which the arrays are made of, keep their keys too. Keys that no task is
    found for are of values that the cluster has already.
    """
    import dask
    from dask._task_spec import convert_legacy_graph
    from dask.utils import ensure_dict

    found: dict[Key, Any] = {}
    for array in dask.optimize(*arrays, *sources):
        # Each of them may have the tasks of all.
        if any(key not in found for key in _flat(array.__dask_keys__())):
            found.update(ensure_dict(array.__dask_graph__()))
    return convert_legacy_graph(found)


def fused(tasks: Tasks, pairs: Iterable[tuple[Key, Key]]) -> dict[Key, Any]:
    """Tasks, of which some are done together with the only one that needs them.

    What a task of its own gives waits in a worker's memory for the next one; what is made and used
    within one task is there only while that one runs.

    Parameters
    ----------
    tasks : mapping
        All tasks by key.
    pairs : iterable of pairs of keys
        Tasks that belong together, the one that is needed first. Both stay where another task needs
        the first as well, where the cluster has it already, and where it is no work.
    """
    from dask._task_spec import Task

    needed = Counter(chain.from_iterable(task.dependencies for task in tasks.values()))
    found = dict(tasks)
    for first, second in pairs:
        joined = _alone(tasks, first, needed)
        if joined:
            for key in joined:
                del found[key]
            found[second] = Task.fuse(*(tasks[key] for key in joined), tasks[second])
    return found


def _alone(tasks: Tasks, key: Key, needed: Mapping[Key, int]) -> list[Key]:
    """A task that one other needs, behind those names of it that are not needed otherwise either;
    nothing where there is none."""
    from dask._task_spec import Alias, Task

    passed = []
    while needed[key] == 1:
        passed.append(key)
        task = tasks.get(key)
        if not isinstance(task, Alias):
            return passed if isinstance(task, Task) else []
        (key,) = task.dependencies
    return []


def _flat(keys: Any) -> Iterable[Key]:
    return chain.from_iterable(map(_flat, keys)) if isinstance(keys, list) else (keys,)


class Work:
    """Units of work in a row, some of them on the cluster at a time.

    What several units need is computed once: it stays in the cluster until the last unit that
    needs it has what it needs.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    tasks : mapping
        All tasks by key, each by itself.
    units : sequence of sequences of keys
        What is wanted of each unit, in the order in which they are to be submitted.
    pairs : iterable of pairs of keys
        Tasks to be done together, see :func:`fused`.
    """

    def __init__(
        self,
        client: Client,
        tasks: Tasks,
        units: Sequence[Sequence[Key]],
        pairs: Iterable[tuple[Key, Key]] = (),
    ) -> None:
        self._client, self._alone, self._units = client, tasks, units
        self._tasks = tasks = fused(tasks, pairs)
        # Of each unit, what no unit before it needs.
        self._own: list[list[Key]] = []
        # The last unit that has a task which needs this one.
        self._until: dict[Key, int] = {}
        seen: set[Key] = set()
        for number, unit in enumerate(units):
            self._own.append(own := [key for key in unit if key not in seen])
            seen.update(own)
            # Grows while it is gone through.
            for key in own:
                for needed in tasks[key].dependencies:
                    self._until[needed] = number
                    if needed in tasks and needed not in seen:
                        seen.add(needed)
                        own.append(needed)
        # By the last unit that needs them.
        self._kept: dict[int, dict[Key, Future]] = {}
        self._submitted = 0
        # Units that were submitted and may still need what is kept.
        self._needy: set[int] = set()

    @property
    def kept(self) -> list[Future]:
        """What is in the cluster for units to come."""
        return [future for some in self._kept.values() for future in some.values()]

    def submit(self, count: int) -> list[list[Future]]:
        """Submits the next units, none if `count` is below one; what is wanted of each."""
        begin = self._submitted
        end = min(begin + max(count, 0), len(self._units))
        if begin == end:
            return []
        units = self._units[begin:end]
        keys = chain.from_iterable(self._own[begin:end])
        tasks = {key: self._tasks[key] for key in keys}
        shared = [key for key in tasks if self._until.get(key, -1) >= end]
        wanted, kept = self._get(tasks, [[list(unit) for unit in units], shared])
        for key, future in zip(shared, kept, strict=True):
            self._kept.setdefault(self._until[key], {})[key] = future
        self._submitted = end
        self._needy.update(range(begin, end))
        return wanted

    def settle(self, number: int) -> None:
        """A unit needs nothing of what is kept any more."""
        self._needy.discard(number)
        # Not earlier: a task that needs it may be on its way to the scheduler.
        least = min(self._needy, default=self._submitted)
        for until in [until for until in self._kept if until < least]:
            del self._kept[until]

    def submit_again(self, tasks: Tasks, wanted: list[Key]) -> list[Future]:
        """Submits tasks that need what was computed, and perhaps dropped, before."""
        needed = dict(tasks)
        known = set(chain.from_iterable(self._kept.values()))
        left = list(tasks.values())
        while left:
            for key in left.pop().dependencies:
                if key in self._alone and key not in known and key not in needed:
                    needed[key] = self._alone[key]
                    left.append(needed[key])
        return self._get(needed, wanted)

    def _get(self, tasks: Tasks, keys: list) -> list:
        # Without time within which submissions count as one: what came first goes first.
        return self._client.get(dict(tasks), keys, sync=False, fifo_timeout=0)
