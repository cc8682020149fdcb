"""Equality of values, bit for bit, whatever library read them."""

import numpy as np

ARRAYS = np.ndarray | np.generic


def same(a: object, b: object) -> bool:
    """Whether two values read from files are the same: shape, type and every bit of every element.

    Byte order is storage, not value. Padding inside compounds is not looked at.
    """
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, ARRAYS) and isinstance(b, ARRAYS):
        return _same_arrays(np.asarray(a), np.asarray(b))
    return type(a) is type(b) and a == b


def _same_arrays(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype.kind != b.dtype.kind or a.dtype.itemsize != b.dtype.itemsize:
        return False
    if a.dtype.names is not None:
        return a.dtype.names == b.dtype.names and all(same(a[n], b[n]) for n in a.dtype.names)
    if a.dtype.kind == "O":
        return all(same(x, y) for x, y in zip(a.flat, b.flat, strict=True))
    a = a.astype(a.dtype.newbyteorder("="), copy=False)
    b = b.astype(b.dtype.newbyteorder("="), copy=False)
    return a.tobytes() == b.tobytes()
