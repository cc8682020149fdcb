"""Wall seconds of xbitinfo on one variable along one axis. Runs in a Python that has xbitinfo.

python bench/peer_xbitinfo.py FILE VARIABLE DIMENSION

Values are in memory before the clock starts. Prints a JSON object: seconds, information by bit
position, bits that keep 99 % of it, versions.
"""

import contextlib
import json
import os
import sys
import time

import netCDF4
import numpy
import xarray
import xbitinfo


def main(path: str, variable: str, dimension: str) -> None:
    with netCDF4.Dataset(path) as file:
        dimensions, values = file[variable].dimensions, file[variable][:].filled(float("nan"))
    data = xarray.Dataset({variable: (dimensions, values)})
    # It shows its progress, whatever one says.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):  # noqa: PTH123
        began = time.perf_counter()
        found = xbitinfo.get_bitinformation(data, dim=dimension, implementation="python")
        seconds = time.perf_counter() - began
        bits = xbitinfo.get_keepbits(found, 0.99)
    answer = {
        "seconds": seconds,
        "information": found[variable].values.tolist(),
        "significant_bits": int(bits[variable].values.item()),
        "version": f"{xbitinfo.__version__}, numpy {numpy.__version__}",
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
