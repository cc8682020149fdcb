"""Makes quantize.txt: what netCDF-C makes of a million pseudo-random ordinary values per type.

One line per type, algorithm and number of bits or digits: a hash of all rounded values, written in
one put of the whole variable. Needs netCDF4-python on netCDF-C 4.10.1.
"""

import sys
import tempfile
from pathlib import Path

import netCDF4
import numpy as np

COUNT = 1_000_000
MODES = {"bitround": "BitRound", "granular_bitround": "GranularBitRound", "bitgroom": "BitGroom"}
U64 = np.uint64


def mix(numbers):
    """Returns splitmix64's output for the given states."""
    z = numbers.copy()
    z = (z ^ (z >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U64(27))) * U64(0x94D049BB133111EB)
    return z ^ (z >> U64(31))


def values(bits):
    """Returns normal numbers of any exponent but the largest, as bit patterns."""
    mantissa_bits, exponents = (23, 253) if bits == 32 else (52, 2045)
    random = mix(np.arange(1, COUNT + 1, dtype=U64) * U64(0x9E3779B97F4A7C15))
    exponent = U64(1) + (random >> U64(8)) % U64(exponents)
    sign = (random & U64(1)) << U64(bits - 1)
    fraction = mix(random) & U64((1 << mantissa_bits) - 1)
    # Every eighth is the float nearest to a power of ten or just beside it, every other eighth has
    # hardly any bits set.
    fraction = np.where(random % U64(8) == 1, fraction & U64(3), fraction)
    words = (sign | (exponent << U64(mantissa_bits)) | fraction).astype(f"u{bits // 8}")
    near_ten = random % U64(8) == 0
    power = (random[near_ten] >> U64(3)) % U64(70 if bits == 32 else 600)
    offset = power.astype(np.int64) - (35 if bits == 32 else 300)
    nearest = np.array([float(f"1e{k}") for k in offset], dtype=f"f{bits // 8}")
    beside = (mix(power + random[near_ten]) % U64(9)).astype(np.int64) - 4
    words[near_ten] = (nearest.view(words.dtype).astype(np.int64) + beside).astype(words.dtype)
    return words


def digest(words):
    """Returns the polynomial hash of words modulo 2^64."""
    powers = np.cumprod(np.full(words.size, 0x9E3779B97F4A7C15, dtype=U64))
    return int((words.astype(U64) * powers).sum(dtype=U64))


def rounded(words, mode, number):
    """Writes values with netCDF-C and reads them back."""
    kind = f"f{words.dtype.itemsize}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quantized.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("x", words.size)
            variable = file.createVariable(
                "v", kind, ("x",), significant_digits=number, quantize_mode=mode
            )
            variable[:] = words.view(kind)
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            return np.asarray(file["v"][:]).view(words.dtype)


def main():
    """Prints the table."""
    version = netCDF4.__netcdf4libversion__
    if version != "4.10.1":
        sys.exit(f"netCDF-C is {version}, not 4.10.1")
    print("# type, algorithm, bits or digits, hash of the values that netCDF-C 4.10.1 returns")
    for bits, most_bits, most_digits in ((32, 23, 6), (64, 52, 15)):
        words = values(bits)
        print(f"float{bits} none 0 {digest(words):016x}")
        for name, mode in MODES.items():
            most = most_bits if name == "bitround" else most_digits
            for number in range(1, most + 1):
                print(f"float{bits} {name} {number} {digest(rounded(words, mode, number)):016x}")


if __name__ == "__main__":
    main()
