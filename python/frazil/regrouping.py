"""Blocks of dask arrays regrouped, so that each chunk of the file is in one block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

# Blocks that become no larger than this are not cut, however small those of the array are.
LEAST_BYTES = 32 << 20

Blocks = tuple[tuple[int, ...], ...]


def regroup(blocks: Blocks, chunk: Sequence[int], itemsize: int) -> Blocks:
    """Blocks like those of an array whose borders are borders of file chunks.

    Parameters
    ----------
    blocks : tuple of tuples of int
        Elements of each block along each axis, as ``dask.array.Array.chunks`` has them.
    chunk : sequence of int
        Elements of a file chunk along each axis.
    itemsize : int
        Bytes of an element.

    Returns
    -------
    tuple of tuples of int
        Blocks of whole chunks (the last one along an axis may end where the array ends): about as
        large as those of the array, and not smaller than one chunk.
    """
    axes = [_on_grid(sizes, extent) for sizes, extent in zip(blocks, chunk, strict=True)]
    largest = itemsize * math.prod(max(sizes, default=0) for sizes in blocks)
    limit = max(largest, LEAST_BYTES)
    while itemsize * math.prod(max(sizes) for sizes in axes) > limit:
        # The axis along which blocks have the most chunks.
        chunks = [math.ceil(max(sizes) / extent) for sizes, extent in zip(axes, chunk, strict=True)]
        axis = chunks.index(max(chunks))
        if chunks[axis] == 1:
            break
        axes[axis] = _cut(axes[axis], math.ceil(chunks[axis] / 2) * chunk[axis])
    return tuple(axes)


def _on_grid(sizes: Sequence[int], extent: int) -> tuple[int, ...]:
    """Sizes whose borders are the nearest ones of a grid."""
    total = sum(sizes)
    near = {(end + extent // 2) // extent * extent for end in accumulate(sizes)}
    ends = sorted(end for end in near if 0 < end < total)
    return tuple(b - a for a, b in pairwise([0, *ends, total]))


def _cut(sizes: Sequence[int], most: int) -> tuple[int, ...]:
    """Sizes of which none is above ``most``."""
    cut = []
    for size in sizes:
        whole, rest = divmod(size, most)
        cut += [most] * whole + [rest] * (rest > 0)
    return tuple(cut)
