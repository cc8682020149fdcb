"""The netCDF that writes with frazil, installed for programs to be linked with."""

import os
from pathlib import Path

import pytest

from support.command import ROOT
from support.fortran import LIBRARIES, run

BUILT = Path(os.environ.get("FRAZIL_NETCDF", ROOT / ".build/netcdf"))
# Nothing of the machine's netCDF, and nothing that says where ours is.
BARE = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


def installed(folder: Path) -> Path:
    """The tree, installed at one place and moved to another."""
    if not (BUILT / "libnetcdf.so").exists():
        pytest.fail(f"{BUILT}/libnetcdf.so is missing: run 'make netcdf' (or set FRAZIL_NETCDF)")
    where = {"PREFIX": "/opt/netcdf", "DESTDIR": str(folder)}
    script = ROOT / "scripts/install_netcdf.py"
    run("python3", script, BUILT, LIBRARIES / "libfrazil.so", env={**os.environ, **where})
    return (folder / "opt/netcdf").rename(folder / "tree")
