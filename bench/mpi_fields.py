"""Fields of a WRF run that ranks write: raw floats, record after record, one part a field.

python bench/mpi_fields.py CORPUS OUTPUT

Every variable of `wrf/squall_line.nc` on the mass grid, 80 levels of 2 x 201 points.
"""

import sys
from pathlib import Path

import netCDF4
import numpy as np

SQUALL = "wrf/squall_line.nc"
RECORDS, SHAPE = 28, (80, 2, 201)
NAMES = (
    *("CLDFRA", "P", "PB", "P_HYD", "QCLOUD", "QGRAUP", "QICE", "QRAIN", "QSNOW", "QVAPOR"),
    *("T", "THM"),
)


def main(corpus: Path, target: Path) -> None:
    unfinished = target.with_suffix(".part")
    out = np.memmap(unfinished, "<f4", "w+", shape=(RECORDS, len(NAMES), *SHAPE))
    with netCDF4.Dataset(corpus / SQUALL) as file:
        file.set_auto_mask(False)
        for number, name in enumerate(NAMES):
            out[:, number] = file[name][...]
    out.flush()
    unfinished.rename(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
