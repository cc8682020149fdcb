"""Datasets into one file by the workers of a ``dask.distributed`` cluster.

The client's process has the file and is the coordinator; blocks never come to it. A worker packs
the chunks of a block where the block is, and says how large they are. The coordinator sets space
aside in the file, for this one attempt; the worker writes there and acknowledges; only then do the
chunks come into the file's index. If a worker is lost, dask computes its blocks again, and the next
attempt gets other space: a worker that was thought lost may come back and write, into a gap.

So many blocks are on their way at a time, for each thread of the cluster: what is packed waits in a
worker's memory for its place, and the client may be slower than the workers.
"""

from __future__ import annotations

import json
import math
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from typing import TYPE_CHECKING, Any

import numpy as np

from .block_shapes import check_tasks, of_shape
from .cluster_order import arranged
from .cluster_results import MEMORY_CURE, Outcome, Results, error_of, let_go
from .cluster_tasks import Attempt, Description, Recipe, describe, sample_places, write
from .cluster_work import Key, Work, tasks_of
from .errors import Error, InputOutputError, InvalidArgumentError
from .regrouping import regroup

if TYPE_CHECKING:
    from distributed import Client, Future

    from .xarray_store import Output, Target

# Before tasks that make more packed chunks, those are written that there are.
_PRIORITY = 10
# So often are the chunks of a block packed or written before the block is given up.
_MOST_ATTEMPTS = 20
# Blocks on their way for each thread of the cluster: one is being packed, the others wait to be, or
# for their place.
_BOXES_PER_THREAD = 4
# Blocks that come to the client at once, of variables whose values must.
_WINDOW = 8


def check_client(client: Any) -> None:
    """Refuses what is no client that can be waited for."""
    if not hasattr(client, "scheduler") or not hasattr(client, "compute"):
        raise InvalidArgumentError(
            f"client is {type(client).__name__}; it must be a dask.distributed.Client"
        )
    if client.asynchronous:
        raise InvalidArgumentError("client is asynchronous; writing waits for it")


@dataclass
class _Column:
    """A variable on its way."""

    target: Target
    recipe: Recipe
    # The task that chooses its filters; none where they are known.
    choosing: Key | None = None
    # As settled by the first chunks that arrive.
    choice: str | None = None

    @property
    def path(self) -> str:
        return json.loads(self.recipe.plan)["path"]


@dataclass
class _Box:
    """A block on its way."""

    column: _Column
    region: tuple[list[int], list[int]]
    # Of the task that computes the block's values.
    values: Key
    # What is wanted first: its chunks packed, and described.
    keys: tuple[Key, Key] = ("", "")
    # In the order in which they are submitted.
    number: int = 0
    packed: Future | None = None
    # What was said of them last, and where they were to be written.
    said: Description | None = None
    attempt: Attempt | None = None
    attempts: int = field(default=0)

    @property
    def raw_bytes(self) -> int:
        return math.prod(self.region[1]) * self.column.target._variable.dtype.itemsize


def put(client: Client, output: Output, sources: Sequence[Any], targets: Sequence[Target]) -> None:
    """Put dask arrays into variables of a new file.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    output : Output
        The new file.
    sources : sequence of dask arrays
        The values.
    targets : sequence of Target
        Where they belong.

    Raises
    ------
    frazil.Error
        If the file cannot be written.
    Exception
        Of a block that cannot be computed, with a note that names file and variable.
    """
    grouped, columns, cut = [], [], []
    for source, target in zip(sources, targets, strict=True):
        plan = output.writer._writer.chunk_plan(target._variable._number)
        if source.size == 0:
            continue
        if plan is None:
            _stream(client, output, source, target)
            continue
        variable = target._variable
        chunk = json.loads(plan)["chunk"]
        blocks = regroup(source.chunks, chunk, variable.dtype.itemsize)
        # Each task by itself: a shuffle would have to begin anew when a worker is lost.
        grouped.append(source.rechunk(blocks, method="tasks"))
        if grouped[-1].name != source.name:
            cut.append(source)
        fill = variable._definition.fill
        recipe = Recipe(plan, variable.dtype.str, target._places, fill)
        columns.append(_Column(target, recipe))
    if columns:
        _Coordinator(client, output).run(columns, grouped, cut)


def _stream(client: Client, output: Output, source: Any, target: Target) -> None:
    """Values that must be put by the process that has the file: a few blocks at a time."""
    from dask.array.core import slices_from_chunks

    blocks = source.to_delayed()
    numbers = list(np.ndindex(blocks.shape))
    places = list(slices_from_chunks(source.chunks))
    for first in range(0, len(numbers), _WINDOW):
        window = slice(first, first + _WINDOW)
        try:
            found = client.gather(client.compute([blocks[at] for at in numbers[window]]))
            for at, place, values in zip(numbers[window], places[window], found, strict=True):
                of_shape(values, [one.stop - one.start for one in place], at)
        except Exception as error:
            raise _named(error, output, target._variable.name, f"blocks from {first}") from None
        for place, values in zip(places[window], found, strict=True):
            target[place] = values


class _Coordinator:
    """Follows all boxes from their values to the file's index."""

    def __init__(self, client: Client, output: Output) -> None:
        self._client, self._output = client, output
        self._writer = output.writer._writer
        # Those on their way, by number, and the tasks of theirs that are waited for.
        self._boxes: dict[int, _Box] = {}
        self._results: Results[_Box] = Results(client)
        # With no more on their way than these, others are submitted.
        self._few = 0
        self._token = uuid.uuid4().hex[:12]
        self._numbers = 0

    def run(self, columns: list[_Column], grouped: list[Any], cut: list[Any]) -> None:
        """Writes `grouped` arrays into their columns; `cut` ones were regrouped for that."""
        boxes, self._work = self._prepare(columns, grouped, cut)
        try:
            self._submit(boxes)
            for box, outcome in self._results:
                self._take(box, outcome)
                self._submit(boxes)
        except BaseException:
            self._results.drop()
            packed = [box.packed for box in self._boxes.values() if box.packed is not None]
            let_go([*packed, *self._work.kept])
            raise

    def _key(self, what: str) -> str:
        self._numbers += 1
        return f"frazil-{what}-{self._token}-{self._numbers}"

    def _key_of(self, what: str, column: _Column) -> Key:
        """A key in a group of the variable's: tasks of a group that needs few others are handed out
        by the scheduler one by one, as threads become free."""
        group = f"frazil-{what}-{self._token}-{column.target._variable._number}"
        self._numbers += 1
        return (group, self._numbers)

    # --- the tasks ---

    def _prepare(
        self, columns: list[_Column], grouped: list[Any], cut: list[Any]
    ) -> tuple[deque[_Box], Work]:
        """All boxes in the order in which they are asked for, and the tasks that pack them."""
        tasks = tasks_of(grouped, cut)
        # Of a block that is too long, others would get the part that was declared. Blocks that are
        # not cut are checked as they are packed.
        for source in {one.name: one for one in cut}.values():
            check_tasks(tasks, source)
        boxes = []
        for column, array in zip(columns, grouped, strict=True):
            of_column = list(_boxes(column, array))
            self._add_choice(tasks, column, of_column)
            for box in of_column:
                packing, box.keys = self._packing(box, None)
                tasks.update(packing)
            boxes += of_column
        boxes = [boxes[i] for i in arranged(tasks, [box.keys for box in boxes])]
        for number, box in enumerate(boxes):
            box.number = number
        pairs = [(box.values, box.keys[0]) for box in boxes]
        return deque(boxes), Work(self._client, tasks, [box.keys for box in boxes], pairs)

    def _add_choice(self, tasks: dict[Key, Any], column: _Column, boxes: list[_Box]) -> None:
        """Adds the task that finds the filters of a variable, where they are not known."""
        from dask._task_spec import Task, TaskRef

        if "chosen" in json.loads(column.recipe.plan)["filters"]:
            return
        found = []
        for box in (boxes[i] for i in sample_places(len(boxes))):
            key = self._key("samples")
            tasks[key] = Task(key, column.recipe.samples, TaskRef(box.values), box.region)
            found.append(TaskRef(key))
        column.choosing = self._key_of("choose", column)
        tasks[column.choosing] = Task(column.choosing, column.recipe.choose, *found)

    def _packing(self, box: _Box, choice: str | None) -> tuple[dict[Key, Any], tuple[Key, Key]]:
        """The tasks that pack and describe a box, and their keys; filters are `choice`, or as the
        variable's task chooses them."""
        from dask._task_spec import Task, TaskRef

        column = box.column
        chosen = choice
        if choice is None and column.choosing is not None:
            chosen = TaskRef(column.choosing)
        keys = (self._key_of("pack", column), self._key("describe"))
        pack = Task(keys[0], column.recipe.pack, TaskRef(box.values), chosen, box.region)
        return {keys[0]: pack, keys[1]: Task(keys[1], describe, TaskRef(keys[0]))}, keys

    def _submit(self, boxes: deque[_Box]) -> None:
        """Submits as many more boxes as may be on their way, some at once."""
        if not boxes or len(self._boxes) > self._few:
            return
        # Workers come and go: there may be too many on their way for those that are left.
        threads = max(1, sum(self._client.nthreads().values()))
        most = _BOXES_PER_THREAD * threads
        self._few = most - threads
        for packed, description in self._work.submit(most - len(self._boxes)):
            box = boxes.popleft()
            box.packed = packed
            self._boxes[box.number] = box
            self._results.add(description, box)

    # --- what came of them ---

    def _take(self, box: _Box, outcome: Outcome) -> None:
        """Goes on with a box: one of its tasks is done."""
        error = error_of(outcome)
        if error is not None:
            start, count = box.region
            part = f"{count} elements from {start}"
            raise _named(error, self._output, box.column.path, part)
        if outcome.value is not None:
            self._work.settle(box.number)
            self._place(box, outcome.value)
            return
        assert box.said is not None and box.attempt is not None
        self._enter(box, box.said, box.attempt.address)

    def _place(self, box: _Box, said: Description) -> None:
        """Has packed chunks written, in space that nothing else gets."""
        box.attempts += 1
        if box.attempts > _MOST_ATTEMPTS:
            raise InputOutputError(
                f"workers were lost {_MOST_ATTEMPTS} times while they wrote one block",
                file=self._output.written_path,
                variable=box.column.path,
                cure=MEMORY_CURE,
            )
        if not self._is_as_settled(box.column, said):
            self._pack_again(box)
            return
        if said.size == 0:
            # Nothing but fill values.
            self._enter(box, said, 0)
            return
        address = self._writer.set_aside(said.size)
        path = str(self._output.written_path)
        number = self._key("write")
        box.said = said
        box.attempt = Attempt(number, path, address, said.token, said.process)
        writing = self._client.submit(
            write,
            box.packed,
            box.attempt,
            key=number,
            pure=False,
            # Elsewhere only if that worker is lost: then nothing is written, and we are told.
            workers=[said.worker],
            allow_other_workers=True,
            priority=_PRIORITY,
        )
        self._results.add(writing, box)

    def _is_as_settled(self, column: _Column, said: Description) -> bool:
        """Whether chunks have the filters that the variable has got. Filters are chosen again when
        the worker that knew them is lost, and values need not be the same when computed again."""
        choice = json.loads(said.summary)["filters"]
        if column.choice is None:
            column.choice = json.dumps(choice)
        return json.loads(column.choice)["pipeline"] == choice["pipeline"]

    def _pack_again(self, box: _Box) -> None:
        packing, keys = self._packing(box, box.column.choice)
        box.packed, description = self._work.submit_again(packing, list(keys))
        self._results.add(description, box)

    def _enter(self, box: _Box, said: Description, address: int) -> None:
        target = box.column.target
        self._writer.enter_chunks(target._variable._number, box.region, address, said.summary)
        self._output.writer._known.forget_lengths()
        box.packed = None
        del self._boxes[box.number]
        if target._progress is not None:
            target._progress.advance(box.raw_bytes)


def _named(error: Exception, output: Output, variable: str, part: str) -> Exception:
    """An error that says which file and variable it concerns."""
    if isinstance(error, Error):
        error.file = error.file or str(output.written_path)
        error.variable = error.variable or variable
    else:
        error.add_note(f"while {output.path} was written: variable {variable}, {part}")
    return error


def _boxes(column: _Column, array: Any) -> Iterator[_Box]:
    """The blocks of an array, in the order of the grid."""
    starts = [[0, *accumulate(sizes)] for sizes in array.chunks]
    for at in product(*(range(len(sizes)) for sizes in array.chunks)):
        start = [int(starts[axis][i]) for axis, i in enumerate(at)]
        count = [int(array.chunks[axis][i]) for axis, i in enumerate(at)]
        yield _Box(column, (start, count), (array.name, *at))
