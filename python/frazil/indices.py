"""Numpy's indices of what is written: start, count and stride along each axis."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any

from .errors import BadIndexError, UnsupportedError
from .types import whole_number

Index = int | slice | EllipsisType | tuple[int | slice | EllipsisType, ...]


def box_of(
    key: Any,
    limits: Sequence[int | None],
    given: Sequence[int],
    lengths: Sequence[int],
) -> tuple[list[int], list[int], list[int] | None, list[bool]]:
    """Start, count, stride along each axis, and whether the axis is kept.

    An open end of an unlimited axis is as far as the values that are ``given`` reach.
    """
    keys = key if isinstance(key, tuple) else (key,)
    rank = len(limits)
    # Not `in`: arrays are compared element by element.
    at = next((i for i, one in enumerate(keys) if one is Ellipsis), None)
    if at is not None:
        missing = rank - (len(keys) - 1)
        keys = (*keys[:at], *[slice(None)] * missing, *keys[at + 1 :])
    keys = (*keys, *[slice(None)] * (rank - len(keys)))
    if len(keys) != rank:
        raise BadIndexError(f"{len(keys)} indices for {rank} axes")
    start, count, stride, kept = [], [], [], []
    sizes = list(given)
    slices = sum(isinstance(one, slice) for one in keys)
    sizes = sizes[-slices:] if slices else []
    sizes = [1] * (slices - len(sizes)) + sizes
    for one, limit, length in zip(keys, limits, lengths, strict=True):
        is_slice = isinstance(one, slice)
        if is_slice:
            first, step, n = _range(one, limit, length, sizes.pop(0))
        else:
            first, step, n = _position(one, limit, length), 1, 1
        start.append(first)
        count.append(n)
        stride.append(step)
        kept.append(is_slice)
    return start, count, None if all(n == 1 for n in stride) else stride, kept


def _position(index: Any, limit: int | None, length: int) -> int:
    # A truth value is a mask in numpy, not 0 or 1.
    if isinstance(index, bool):
        raise BadIndexError(f"{index!r} is not an index: indices are integers and slices")
    at = whole_number(index)
    if at < 0:
        at += length
    if at < 0 or (limit is not None and at >= limit):
        raise BadIndexError(f"index {index} lies outside an axis of {length} elements")
    return at


def _range(one: slice, limit: int | None, length: int, given: int) -> tuple[int, int, int]:
    step = 1 if one.step is None else whole_number(one.step)
    if step <= 0:
        raise UnsupportedError("slices run forward only")
    first = 0 if one.start is None else whole_number(one.start)
    first = max(0, first + length) if first < 0 else first
    if one.stop is None and limit is None:
        return first, step, given
    stop = limit if one.stop is None else whole_number(one.stop)
    assert stop is not None
    stop = max(0, stop + length) if stop < 0 else stop
    if limit is not None:
        stop = min(stop, limit)
    return first, step, max(0, -(-(stop - first) // step))
