"""Values in memory: compressed, and back, without a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _frazil
from .errors import CorruptError, InvalidArgumentError, MemoryBudgetError, UnsupportedError
from .options import Speed, explained, precision_request

# What to do about types that are no numbers of netCDF, by numpy's letter of their kind.
_CURES = {
    "U": "encode the texts: np.char.encode(values, 'utf-8').view('S1')",
    "O": "convert them to numbers, or encode texts; frazil.Writer stores texts as they are",
    "S": "view them as characters: values.view('S1')",
    "b": "view them as bytes: values.view('u1')",
    "c": "view each as two numbers: values.view('f8')",
    "M": "view them as integers: values.view('i8')",
    "m": "view them as integers: values.view('i8')",
    "f": "convert them: values.astype('f4')",
    "V": "compress each field by itself: values['name']",
}
_SIZES = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8), "S": (1,)}


@explained(compression='filters="shuffle+zstd(3)"', complevel="level=3", clevel="level=3")
def compress(
    values: npt.ArrayLike,
    *,
    goal: Literal["balanced", "size", "speed", "archive", "energy"] = "balanced",
    level: int = 0,
    precision: Mapping[str, Any] | None = None,
    min_write_speed: Speed | None = None,
    min_read_speed: Speed | None = None,
    ratio_tolerance: float | None = None,
    filters: str | None = None,
) -> bytes:
    """Compress an array, for those who store or send it themselves.

    frazil tries filters on the values and chooses, as for one chunk of a file. The calling thread
    does all the work, without Python's lock, so several threads can compress at the same time.
    Equal values and options give equal bytes, the same as ``frz_compress`` in C.

    Parameters
    ----------
    values : array_like
        Integers of 1 to 8 bytes, ``float32``, ``float64`` or ``S1``, in either byte order; of any
        shape of at most 32 axes, each shorter than 2**32.
    goal : "balanced", "size", "speed", "archive" or "energy"
        What to optimize the choice of filters for.
    level : int
        Level of zstd, if it is among the filters, 1 to 22; 0: the goal chooses.
    precision : mapping, optional
        Precision of the values, ``{"significant_digits": 4}`` or ``{"absolute_tolerance": 0.01,
        "fill_value": -999}``, with the keys of docs/precision.md except ``keep_information``. By
        default, values stay exact.
    min_write_speed, min_read_speed : float or str, optional
        Least speed at which one core compresses and decompresses, as in :func:`frazil.pack`.
    ratio_tolerance : float, optional
        Share by which a ratio may be lower than the best and still count as equal (0.03). frazil
        uses the fastest of equal filters.
    filters : str, optional
        Filters to use instead of a choice, ``"lorenzo+shuffle+zstd(9)"``.

    Returns
    -------
    bytes
        The compressed values, with their type and shape.

    Raises
    ------
    frazil.errors.UnsupportedError
        For texts, bool, complex numbers, float16, dates, objects and structures.
    frazil.errors.InvalidArgumentError
        For options that do not fit the values, masked arrays, and too many or too long axes.

    Examples
    --------
    >>> packed = frazil.compress(values, goal="size", precision={"absolute_tolerance": 0.01})
    >>> again = frazil.decompress(packed)
    """
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidArgumentError(
            "a masked array, whose mask would be lost",
            cure="fill it, values.filled(-999), and protect that value: "
            'precision={"fill_value": -999, ...}',
        )
    array = np.asarray(values, order="C")
    kind, size = array.dtype.kind, array.dtype.itemsize
    if size not in _SIZES.get(kind, ()):
        raise UnsupportedError(f"values of {array.dtype} are not compressed", cure=_CURES.get(kind))
    demand = {
        "min_write_speed": min_write_speed,
        "min_read_speed": min_read_speed,
        "filters": filters,
        "ratio_tolerance_percent": None if ratio_tolerance is None else 100 * ratio_tolerance,
    }
    requests = {
        "goal": goal,
        "level": level,
        "precision": precision_request("precision", precision or {}),
        "demand": demand,
    }
    try:
        stated = json.dumps(requests, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"a request cannot be understood: {error}") from None
    is_big = array.dtype.byteorder == (">" if sys.byteorder == "little" else "=") and size > 1
    raw = array.reshape(-1).view(np.uint8)
    return _frazil.compress(raw, (kind, size, is_big), list(array.shape), stated)


def decompress(packed: Any) -> np.ndarray:
    """Decompress an array from bytes of :func:`compress`, or of ``frz_compress`` in C.

    Parameters
    ----------
    packed : bytes-like
        The bytes, as ``bytes``, ``bytearray``, ``memoryview`` or an array of ``uint8``.

    Returns
    -------
    numpy.ndarray
        A writable array with the original shape, type and byte order.

    Raises
    ------
    frazil.errors.CorruptError
        If the bytes are cut off, contradict themselves, or are not compressed values. They hold no
        checksum, so damage may also change values without an error.
    frazil.errors.MemoryBudgetError
        If there is not enough memory for the values.
    """
    try:
        bytes_ = np.frombuffer(packed, dtype=np.uint8) if len(packed) else np.empty(0, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise InvalidArgumentError(
            f"{type(packed).__name__} is not a block of bytes: {error}",
            cure="pass the bytes that compress returned",
        ) from None
    (kind, size, is_big), shape = _frazil.compressed(bytes_)
    if size not in _SIZES[kind]:
        raise CorruptError(
            f"elements of {size} bytes, of kind {kind!r}, which numpy has no type for"
        )
    dtype = np.dtype(f"{'>' if is_big else '<'}{kind}{size}")
    try:
        values = np.empty(shape, dtype)
    except (MemoryError, ValueError) as error:
        raise MemoryBudgetError(f"no memory for {shape} values of {dtype}: {error}") from None
    _frazil.decompress(bytes_, values.reshape(-1).view(np.uint8))
    return values
