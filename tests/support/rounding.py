"""What rounding must give: netCDF-C's own results, and small definitions written in numpy."""

from pathlib import Path

import netCDF4
import numpy as np

# Modes of netCDF-C by the CF conventions' names; what `--quantizer` calls them; what counts.
NETCDF_MODES = {
    "bitround": "BitRound",
    "granular_bitround": "GranularBitRound",
    "bitgroom": "BitGroom",
}
QUANTIZER = {name: name.replace("_", "-") for name in NETCDF_MODES}
COUNTS = {"bitround": "--bits", "granular_bitround": "--digits", "bitgroom": "--digits"}
# netCDF-C's limits (netcdf.h, NC_QUANTIZE_MAX_...), by element type.
MOST_BITS = {"f4": 23, "f8": 52}
MOST_DIGITS = {"f4": 6, "f8": 15}
MANTISSA_BITS = {4: 23, 8: 52}

NETCDF_FILL = 9.969209968386869e36


def numbers_for(algorithm: str, dtype: str) -> range:
    """Every number of bits or digits that netCDF-C accepts."""
    most = MOST_BITS if algorithm == "bitround" else MOST_DIGITS
    return range(1, most[dtype] + 1)


def ordinary_values(count: int, dtype: str, seed: int) -> np.ndarray:
    """Random bit patterns of normal numbers whose exponent is not the largest.

    Every eighth value is a power of ten or one of its neighbours, where counting digits is
    delicate; every other eighth has few bits set.
    """
    chance = np.random.default_rng(seed)
    size = np.dtype(dtype).itemsize
    word, mantissa = np.dtype(f"u{size}"), MANTISSA_BITS[size]
    exponents = 253 if size == 4 else 2045
    sign = chance.integers(0, 2, count, "u8") << np.uint64(8 * size - 1)
    exponent = chance.integers(1, exponents + 1, count, "u8") << np.uint64(mantissa)
    fraction = chance.integers(0, 1 << mantissa, count, "u8")
    fraction[1::8] &= np.uint64(3)
    words = (sign | exponent | fraction).astype(word)
    largest = 35 if size == 4 else 300
    powers = chance.integers(-largest, largest + 1, words[::8].size)
    near = np.array([float(f"1e{power}") for power in powers], dtype).view(word)
    words[::8] = near + chance.integers(-4, 5, near.size).astype(word)
    values = words.view(dtype)
    # The default fill value is special, not ordinary.
    values[values == np.dtype(dtype).type(NETCDF_FILL)] = 1
    return values


def netcdf_rounded(
    path: Path, values: np.ndarray, algorithm: str, number: int, fill: float | None = None
) -> np.ndarray:
    """What netCDF-C reads back after one put of the whole variable."""
    with netCDF4.Dataset(path, "w") as file:
        names = [f"d{axis}" for axis in range(values.ndim)]
        for name, size in zip(names, values.shape, strict=True):
            file.createDimension(name, size)
        variable = file.createVariable(
            "v",
            values.dtype.str[1:],
            names,
            fill_value=fill,
            significant_digits=number,
            quantize_mode=NETCDF_MODES[algorithm],
        )
        variable[...] = values
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return np.asarray(file["v"][...])


def words(values: np.ndarray) -> np.ndarray:
    """The bit patterns, in the machine's byte order."""
    native = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("="), copy=False)
    return native.view(f"u{native.dtype.itemsize}")


def bitround(values: np.ndarray, bits: int) -> np.ndarray:
    """BitRound by its definition: half of the last kept bit is added, the rest is cut."""
    cut = MANTISSA_BITS[values.dtype.itemsize] - bits
    if cut == 0:
        return values.copy()
    word = np.dtype(f"u{values.dtype.itemsize}").type
    half, mask = word(1 << (cut - 1)), word((1 << (8 * values.dtype.itemsize)) - (1 << cut))
    return ((words(values) + half) & mask).view(values.dtype.newbyteorder("="))


def linear(values: np.ndarray, nbits: int) -> np.ndarray:
    """The GFS model's rounding to a grid over the range of the values, in double precision."""
    wide = values.astype("f8")
    low, high = wide.min(), wide.max()
    scale = (high - low) / (2**nbits - 1)
    steps = (wide - low) / scale
    # nint() rounds halves away from zero; numpy to even.
    rounded = low + scale * np.floor(steps + 0.5)
    return np.minimum(rounded, high).astype(values.dtype)


def is_normal(values: np.ndarray) -> np.ndarray:
    """Neither zero nor subnormal nor infinite nor NaN."""
    return np.isfinite(values) & (np.abs(values) >= np.finfo(values.dtype).tiny)


def wide(values: np.ndarray) -> np.ndarray:
    """The values in a type in which differences of close ones are exact."""
    # A signalling NaN is no mistake here.
    with np.errstate(invalid="ignore"):
        return values.astype("f8" if values.dtype.itemsize == 4 else np.longdouble)


def errors(original: np.ndarray, rounded: np.ndarray) -> np.ndarray:
    """Absolute errors."""
    with np.errstate(invalid="ignore"):
        return np.abs(wide(rounded) - wide(original))


def allowed_errors(
    original: np.ndarray,
    absolute: float | None = None,
    relative: float | None = None,
    finest: float = 0.0,
) -> np.ndarray:
    """The largest error of each value under the bounds."""
    magnitude = np.abs(wide(original))
    kind = magnitude.dtype.type
    limit = np.full(original.shape, np.inf, kind)
    if relative is not None:
        with np.errstate(invalid="ignore"):
            limit = np.maximum(kind(relative) * magnitude, kind(finest))
    return limit if absolute is None else np.minimum(limit, kind(absolute))
