"""Values on their way into a variable: its type, and its fill value where they are masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .block_shapes import check_computed


def given(values: Any, dtype: np.dtype) -> np.ndarray:
    """Values as an array: one of numpy's masked arrays only if some of them are masked.

    Parameters
    ----------
    values : array-like
        Also sequences with masked values in them, and dask's arrays of masked blocks.
    dtype : numpy type
        The type that they are to have, for the places of masked ones in sequences.

    Raises
    ------
    InvalidArgumentError
        If values of dask's have another shape than declared.
    """
    if isinstance(values, list | tuple):
        return _of_sequence(values, dtype) if is_masked(values) else np.asarray(values)
    # As an array, it would tell values only.
    if hasattr(values, "compute") and getattr(values, "__dask_graph__", lambda: None)():
        declared = values.shape
        values = np.asanyarray(values.compute())
        check_computed(declared, values.shape)
    values = np.asanyarray(values)
    return values if np.ma.is_masked(values) else np.asarray(values)


def is_masked(values: Any) -> bool:
    """Whether some of the values are masked."""
    if isinstance(values, list | tuple):
        return any(is_masked(one) for one in values)
    return isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values)


def _of_sequence(values: Sequence[Any], dtype: np.dtype) -> np.ma.MaskedArray:
    # What makes no other type of those that are not masked.
    nothing = {"O": "", "S": b""}.get(dtype.kind, False)
    return np.ma.array(np.array(_data(values, nothing)), mask=np.array(_mask(values)))


def _data(values: Any, nothing: Any) -> Any:
    if isinstance(values, list | tuple):
        return [_data(one, nothing) for one in values]
    return nothing if values is np.ma.masked else np.asarray(values)


def _mask(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return [_mask(one) for one in values]
    return np.ma.getmaskarray(np.ma.asanyarray(values))


def broadcast(values: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Values repeated as numpy does, with their mask; a view."""
    data = np.broadcast_to(np.asarray(values), shape)
    if not isinstance(values, np.ma.MaskedArray):
        return data
    mask = np.broadcast_to(np.ma.getmaskarray(values), shape)
    return np.ma.array(data, mask=mask, copy=False)


def filled(values: np.ndarray, dtype: np.dtype, fill: Any) -> np.ndarray:
    """Values of a type with ``fill`` at masked places, whatever lies below the mask.

    Raises
    ------
    TypeError, ValueError
        As :func:`converted`, of those that are not masked.
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    mask = np.ma.getmaskarray(values)
    result = np.full(values.shape, fill, dtype=dtype)
    if not mask.all():
        result[~mask] = converted(values.data[~mask], dtype)
    return result


def converted(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Values as a type has them.

    Raises
    ------
    TypeError
        If numpy's rule ``same_kind`` does not allow it.
    ValueError
        If the type has no place for one of them.
    """
    with np.errstate(over="ignore"):
        result = values.astype(dtype, casting="same_kind", copy=False)
    if not values.size or np.can_cast(values.dtype, dtype, "safe"):
        return result
    outside = _outside(values, result)
    if outside is not None:
        raise ValueError(f"{outside} is beyond what {dtype.name} holds")
    return result


def _outside(values: np.ndarray, result: np.ndarray) -> Any:
    """A number that the conversion changed beyond recognition; ``None`` if there is none."""
    if result.dtype.kind in "iu" and values.dtype.kind in "iu":
        limits = np.iinfo(result.dtype)
        # The methods of arrays import something, which a program that ends cannot.
        least, most = np.minimum.reduce(values, axis=None), np.maximum.reduce(values, axis=None)
        if int(least) < limits.min:
            return least
        return most if int(most) > limits.max else None
    if result.dtype.kind == "f" and values.dtype.kind == "f":
        lost = np.isfinite(values) & ~np.isfinite(result)
        return values[lost].flat[0] if np.count_nonzero(lost) else None
    return None
