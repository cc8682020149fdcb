"""Versions of what stands beside frazil in Python."""

import json
import subprocess
import sys

PACKAGES = (
    *("netCDF4", "h5py", "h5netcdf", "hdf5plugin", "b2h5py", "blosc2", "hidefix"),
    *("zarr", "numcodecs", "tensorstore", "xarray", "dask", "distributed", "numpy"),
)
CODE = """
import importlib.metadata, json, netCDF4, h5py
found = {name: importlib.metadata.version(name) for name in NAMES}
libraries = f"netCDF-C {netCDF4.__netcdf4libversion__}, HDF5 {netCDF4.__hdf5libversion__}"
found["netCDF4"] += f" ({libraries})"
found["h5py"] += f" (HDF5 {h5py.version.hdf5_version})"
print(json.dumps(found))
"""


def in_a_process(code: str) -> str:
    """What Python prints, in a process of its own: the memory of this one stays small."""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"run `scripts/setup bench-read`:\n{answer.stderr[-1000:]}")
    return answer.stdout.strip()


def package_versions(names: tuple[str, ...] = PACKAGES) -> dict[str, str]:
    """Of packages; netCDF4 and h5py have to be among them."""
    return json.loads(in_a_process(f"NAMES = {names}{CODE}"))
