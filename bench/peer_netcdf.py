"""CPU seconds of netCDF-C's quantization, through netCDF4-python.

python bench/peer_netcdf.py f4|f8 REPEATS FOLDER

Writes one contiguous variable in one put: plain, and with each quantization, in turns. Prints a
JSON object: the median CPU seconds of each, and the bytes of the variable.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import netCDF4
from inputs import FILL, ROUNDING_BYTES, rounding_field

# As `frazil-bench quantize` rounds.
MODES = {
    "plain": {},
    "bitround": {"quantize_mode": "BitRound", "significant_digits": 9},
    "granular_bitround": {"quantize_mode": "GranularBitRound", "significant_digits": 3},
    "bitgroom": {"quantize_mode": "BitGroom", "significant_digits": 3},
}


def write(path: Path, values, options: dict) -> float:
    """CPU seconds of one put and the close."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", values.size)
        kind = values.dtype.str[1:]
        out = file.createVariable("v", kind, ("x",), fill_value=FILL, contiguous=True, **options)
        out.set_auto_maskandscale(False)
        began = time.process_time()
        out[:] = values
        file.sync()
        return time.process_time() - began


def main(kind: str, repeats: int, folder: Path) -> None:
    values = rounding_field(ROUNDING_BYTES // int(kind[1:])).astype(kind)
    seconds: dict[str, list[float]] = {name: [] for name in MODES}
    path = folder / "netcdf-quantize.nc"
    for _ in range(repeats):
        for name, options in MODES.items():
            seconds[name].append(write(path, values, options))
            path.unlink()
    medians = {name: statistics.median(all_of_it) for name, all_of_it in seconds.items()}
    print(json.dumps({"seconds": medians, "bytes": values.nbytes}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
