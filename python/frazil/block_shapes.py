"""Blocks of dask arrays that must have the shape which was declared for them."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from .errors import InvalidArgumentError

_CURE = "correct chunks= of the map_blocks or the like that makes these blocks"


def as_declared(source: Any, variable: str, file: str) -> Any:
    """A dask array each block of which is checked as it is computed.

    A block's place follows from the declared sizes: a smaller one would leave a gap, a larger one
    would lie on its neighbours.

    Raises
    ------
    InvalidArgumentError
        In the task of a block that has another shape; with ``file`` and ``variable``.
    """
    check = functools.partial(_checked, variable=variable, file=file)
    return source.map_blocks(check, dtype=source.dtype, meta=source._meta)


def _checked(block: Any, block_info: Any = None, *, variable: str, file: str) -> Any:
    # dask calls functions without it to learn their type.
    if not block_info:
        return block
    box = block_info[0]["array-location"]
    declared = tuple(stop - start for start, stop in box)
    try:
        return of_shape(block, declared, block_info[0]["chunk-location"])
    except InvalidArgumentError as error:
        error.file, error.variable = file, variable
        raise


def of_shape(block: Any, declared: Sequence[int], at: Sequence[int]) -> Any:
    """The block with number ``at`` along each axis, if it has the declared shape.

    Raises
    ------
    InvalidArgumentError
        If it has another one.
    """
    _check(block, declared, f"dask's block {tuple(at)}")
    return block


def check_box(block: Any, start: Sequence[int], count: Sequence[int]) -> None:
    """Refuses values of another shape than the box that they belong to."""
    _check(block, count, f"dask's block from element {tuple(start)}")


def _check(block: Any, declared: Sequence[int], what: str) -> None:
    found, declared = np.shape(block), tuple(declared)
    if found != declared:
        cause = f"{what} has shape {found}, not {declared} as it was declared"
        raise InvalidArgumentError(cause, cure=_CURE)


def check_tasks(tasks: dict[Any, Any], source: Any) -> None:
    """Has the tasks of a dask array's blocks check the shapes of what they make.

    They keep their keys, so that whatever shares a block goes on sharing it. Blocks that the
    cluster has already, and that have no task, get one for those who need them.

    Parameters
    ----------
    tasks : dict
        Tasks by key, as ``dask._task_spec`` has them; those of the blocks are replaced.
    source : dask array
        The array.
    """
    from dask._task_spec import Alias, DataNode, Task, TaskRef

    known: dict[Any, Any] = {}
    for at in product(*(range(len(sizes)) for sizes in source.chunks)):
        key = (source.name, *at)
        made = tasks.get(key)
        if isinstance(made, DataNode):
            continue
        declared = tuple(int(sizes[i]) for sizes, i in zip(source.chunks, at, strict=True))
        if made is None:
            checked = ("frazil-checked", *key)
            known[key] = Task(checked, of_shape, TaskRef(key), declared, at)
            continue
        if isinstance(made, Alias):
            tasks[key] = Task(key, of_shape, TaskRef(made.target), declared, at)
            continue
        unchecked = made.substitute({}, key=("frazil-unchecked", *key))
        check = Task(key, of_shape, TaskRef(unchecked.key), declared, at)
        tasks[key] = Task.fuse(unchecked, check)
    names = {key: check.key for key, check in known.items()}
    for key, task in tasks.items():
        if not names.keys().isdisjoint(task.dependencies):
            tasks[key] = task.substitute(names)
    tasks.update({check.key: check for check in known.values()})


def check_known(name: str, shape: tuple[Any, ...], file: str) -> None:
    """Refuses a variable whose size nobody knows before it is computed."""
    if any(isinstance(length, float) and math.isnan(length) for length in shape):
        raise InvalidArgumentError(
            "dask does not know how large its blocks are",
            file=file,
            variable=name,
            cure="call compute_chunk_sizes() of the dask array, or compute it before",
        )


def check_computed(declared: tuple[Any, ...], found: tuple[int, ...]) -> None:
    """Refuses a computed dask array of another shape than declared; what is unknown may be any."""
    is_same = len(declared) == len(found) and all(
        want == have or (isinstance(want, float) and math.isnan(want))
        for want, have in zip(declared, found, strict=True)
    )
    if not is_same:
        cause = f"dask's array was declared with shape {declared}, and its values have {found}"
        raise InvalidArgumentError(cause, cure=_CURE)
