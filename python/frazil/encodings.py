"""How xarray's encodings say that a variable is to be stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from . import checks
from .encoding_checks import check, compression_of, level_of
from .errors import InvalidArgumentError, UnsupportedError

# Those of xarray's engine netcdf4, and two that say where the data came from.
VALID = {
    "_FillValue",
    "blosc",
    "blosc_shuffle",
    "bzip2",
    "chunksizes",
    "complevel",
    "compression",
    "compression_opts",
    "contiguous",
    "dtype",
    "endian",
    "fletcher32",
    "least_significant_digit",
    "quantize_mode",
    "shuffle",
    "significant_digits",
    "szip",
    "szip_coding",
    "szip_pixels_per_block",
    "zlib",
    "zstd",
}
HARMLESS = {"source", "original_shape", "preferred_chunks", "unlimited_dims", "coordinates"}

_WRITTEN = {"zlib": "zlib", "gzip": "zlib", "deflate": "zlib", "zstd": "zstd"}
_QUANTIZERS = {
    "BitGroom": ("bitgroom", "significant_digits"),
    "BitRound": ("bitround", "significant_bits"),
    "GranularBitRound": ("granular_bitround", "significant_digits"),
}


def round_to_places(values: np.ndarray, places: float) -> np.ndarray:
    """Rounds as netCDF4-python does: to the power of two that is fine enough."""
    # Places that are no whole number are rounded away from zero there.
    exponent = np.floor(-places) if places > 0 else np.ceil(-places)
    with np.errstate(invalid="ignore", over="ignore"):
        scale = np.exp2(np.ceil(np.log2(np.float64(10.0) ** -exponent)))
        scaled = scale * values
        rounded = np.around(scaled) / scale
    # What has no room for so many places has them already.
    return np.where(np.isfinite(scaled), rounded, values).astype(values.dtype, copy=False)


class Storage:
    """What :meth:`frazil.Writer.add_variable` is to be told of a variable.

    Attributes
    ----------
    settings : dict
        Its keyword arguments.
    dropped : list of str
        Encodings that came with the data and do not fit any more.
    places : number or None
        Decimal places that are kept, as netCDF4-python's ``least_significant_digit`` has it.
    """

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.dropped: list[str] = []
        self.places: float | None = None


def storage(variable: Any, *, is_asked: bool, unlimited: Collection[str]) -> Storage:
    """Reads a variable's encoding.

    What the user asked for is done, or an error says why not. What came along with data that were
    read from elsewhere is kept if it is of use: compression, chunk shapes, rounding. That a
    variable was contiguous or not compressed tells nothing about how it should be.

    Parameters
    ----------
    variable : xarray.Variable
        Encoded by the conventions already.
    is_asked : bool
        Whether the encoding is the user's for this file.
    unlimited : collection of str
        Names of the dimensions that grow.

    Raises
    ------
    InvalidArgumentError, UnsupportedError
        If the user asked for it: for a key that is unknown, and for what cannot be.
    """
    encoding = {key: value for key, value in variable.encoding.items() if key not in HARMLESS}
    result = Storage()
    unknown = sorted(set(encoding) - VALID, key=str)
    if unknown and is_asked:
        raise InvalidArgumentError(
            f"unexpected encoding parameters for 'frazil' backend: {unknown!r}",
            cure=checks.one_of(str(unknown[0]), sorted(VALID)),
        )
    if is_asked:
        check(variable, encoding, unlimited)
    result.dropped += [key for key in unknown if encoding[key] is not None]
    if not variable.dims:
        # Scalars have neither chunks nor filters.
        encoding = {key: encoding[key] for key in ("endian",) if key in encoding}
    _layout(variable, encoding, is_asked, unlimited, result)
    _compression(encoding, is_asked, result)
    _rounding(variable, encoding, result)
    endian = encoding.get("endian") or "native"
    if endian == "native" and variable.dtype.byteorder == (">" if np.little_endian else "<"):
        endian = "big" if np.little_endian else "little"
    result.settings["endian"] = endian
    return result


def _layout(
    variable: Any,
    encoding: Mapping[str, Any],
    is_asked: bool,
    unlimited: Collection[str],
    result: Storage,
) -> None:
    chunks = encoding.get("chunksizes")
    if is_asked and variable.dims and encoding.get("contiguous"):
        result.settings["contiguous"] = True
        return
    if chunks is None or not variable.dims:
        return
    original = variable.encoding.get("original_shape")
    axes = list(zip(chunks, variable.shape, variable.dims, strict=False))
    fits = len(chunks) == len(variable.dims) and all(
        chunk > 0 and (chunk <= length or dim in unlimited) for chunk, length, dim in axes
    )
    has_changed = original is not None and tuple(original) != tuple(variable.shape)
    if is_asked or (fits and not has_changed):
        result.settings["chunks"] = [
            int(chunk) if dim in unlimited else max(1, min(int(chunk), length))
            for chunk, length, dim in axes
        ]
    elif not has_changed:
        # Those of another shape mean nothing, and xarray is silent on them.
        result.dropped.append("chunksizes")


def _compression(encoding: Mapping[str, Any], is_asked: bool, result: Storage) -> None:
    name, level = compression_of(encoding), level_of(encoding)
    shuffle = encoding.get("shuffle")
    checksum = bool(encoding.get("fletcher32"))
    if name in (None, False):
        # Asked for by name, "no" is an answer; else it says how the data lay somewhere.
        said = encoding.get("zlib")
        says_no = (said is not None and not said) or "compression" in encoding or level == 0
        if (is_asked and says_no) or checksum:
            result.settings.update(compression="none", checksum=checksum)
        elif is_asked and (level is not None or shuffle is not None):
            shuffles = shuffle is None or bool(shuffle)
            result.settings.update(compression="zlib", level=level, shuffle=shuffles)
        return
    if name not in _WRITTEN:
        if is_asked:
            raise UnsupportedError(
                f"frazil does not write the compression {name!r}",
                cure="'zlib' is read everywhere, 'zstd' by readers with plugins",
            )
        result.dropped.append(f"compression {name}")
        return
    result.settings.update(
        compression=_WRITTEN[name],
        level=level,
        shuffle=shuffle is None or bool(shuffle),
        checksum=checksum,
    )
    if level == 0:
        result.settings["compression"] = "none"


def _rounding(variable: Any, encoding: Mapping[str, Any], result: Storage) -> None:
    digits, mode = encoding.get("significant_digits"), encoding.get("quantize_mode")
    if variable.dtype.kind != "f":
        return
    if digits:
        algorithm, key = _QUANTIZERS.get(mode or "BitGroom", (None, ""))
        if algorithm is None:
            raise InvalidArgumentError(
                f"quantize_mode is {mode!r}; it must be one of {list(_QUANTIZERS)}"
            )
        result.settings["precision"] = {"algorithm": algorithm, key: int(digits)}
        result.settings["netcdf_statement"] = True
    elif encoding.get("least_significant_digit") is not None:
        result.places = encoding["least_significant_digit"]
