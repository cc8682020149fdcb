"""Blocks of dask arrays that must have the shape which was declared for them."""

from __future__ import annotations

import functools
import math
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
    declared, found = tuple(stop - start for start, stop in box), np.shape(block)
    if found == declared:
        return block
    raise InvalidArgumentError(
        f"dask's block {block_info[0]['chunk-location']} has shape {found}, not {declared} "
        "as it was declared",
        file=file,
        variable=variable,
        cure=_CURE,
    )


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
