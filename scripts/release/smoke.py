"""What must work wherever the wheel is installed: packing, reading, writing, memory.

python smoke.py SAMPLE, in an empty folder.
"""

import sys
from pathlib import Path

import frazil
import numpy as np

SAMPLE = Path(sys.argv[1])


def main() -> None:
    frazil.pack(SAMPLE, "packed.nc", verify=True)
    assert Path("packed.nc").stat().st_size < SAMPLE.stat().st_size
    with frazil.open(SAMPLE) as before, frazil.open("packed.nc") as after:
        assert np.array_equal(before["T"][...], after["T"][...])
    values = np.arange(10_000, dtype="f4").reshape(100, 100)
    assert np.array_equal(frazil.decompress(frazil.compress(values)), values)
    print(f"frazil {frazil.__version__} on Python {sys.version.split()[0]}: works")


main()
