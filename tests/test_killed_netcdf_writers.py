"""Files of writers of netCDF-C that were killed after a sync: read as netCDF-C reads them.

HDF5 writes what its cache holds when that is full. So parts of such a file are newer than the rest.
"""

import subprocess
import sys
from pathlib import Path

import frazil as library
import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, frazil

STEPS = 20000
SYNCED = 5000
WRITER = f"""
import os, sys
import netCDF4, numpy as np
path, width, grows, zlib = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] == "zlib"
axes = ("t", "x") if grows == "first" else ("x", "t")
chunks = (1, width) if grows == "first" else (width, 1)
file = netCDF4.Dataset(path, "w")
file.createDimension("t", None)
file.createDimension("x", width)
all = [file.createVariable(f"v{{k}}", "f8", axes, chunksizes=chunks, zlib=zlib) for k in range(4)]
for step in range({STEPS}):
    for number, one in enumerate(all):
        where = (step, slice(None)) if grows == "first" else (slice(None), step)
        one[where] = np.full(width, step + number + 1.0)
    if step in (10, {SYNCED}):
        file.sync()
os._exit(9)
"""


def killed(path: Path, width: int, grows: str, zlib: str) -> None:
    words = [sys.executable, "-c", WRITER, path, str(width), grows, zlib]
    assert subprocess.run(words, check=False).returncode == 9


@pytest.mark.parametrize(
    ("width", "grows", "zlib"),
    [(1, "first", "raw"), (50, "first", "raw"), (50, "first", "zlib"), (5, "last", "raw")],
)
def test_what_netcdf_reads_of_it_is_packed(tmp_path: Path, width: int, grows: str, zlib: str):
    source, target = tmp_path / "source.nc", tmp_path / "packed.nc"
    killed(source, width, grows, zlib)
    with netCDF4.Dataset(source) as file:
        seen = {name: one[:].filled(-1) for name, one in file.variables.items()}
    assert all(one.size == width * (SYNCED + 1) and (one > 0).all() for one in seen.values())
    outcome = frazil("pack", source, "-o", target, "--verify", "--allow-larger")
    assert outcome.code == DONE, outcome.stderr
    with library.open(source) as read, h5py.File(target) as packed:
        for name, values in seen.items():
            np.testing.assert_array_equal(read[name][...], values)
            np.testing.assert_array_equal(packed[name][...], values)
    # Two chunks of many, by look-up.
    with library.open(source) as read:
        some = (slice(SYNCED - 1, None), 0) if grows == "first" else (0, slice(SYNCED - 1, None))
        np.testing.assert_array_equal(read["v3"][some], seen["v3"][some])


def test_recover_leaves_what_another_tool_may_mend(tmp_path: Path):
    source = tmp_path / "source.nc"
    killed(source, 50, "first", "raw")
    before = source.read_bytes()
    outcome = frazil("recover", source)
    assert outcome.code == DONE, outcome.stderr
    assert "nothing to recover" in outcome.stdout and "which no reader sees" in outcome.stdout
    assert source.read_bytes() == before
