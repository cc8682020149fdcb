"""The netCDF that writes with frazil, installed for programs to be linked with."""

import os
from pathlib import Path

import pytest

from support.command import ROOT
from support.fortran import LIBRARIES, run

BUILT = Path(os.environ.get("FRAZIL_NETCDF", ROOT / ".build/netcdf"))
# What whoever runs the tests may have set for trees of their own.
ASKED = ("MPICC", "MPIFC")
# Nothing of the machine's netCDF, and nothing that says where ours is.
BARE = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


def installed(folder: Path, **stated: str) -> Path:
    """The tree, installed at one place and moved to another, with variables of the installation."""
    if not (BUILT / "libnetcdf.so").exists():
        pytest.fail(f"{BUILT}/libnetcdf.so is missing: run 'make netcdf' (or set FRAZIL_NETCDF)")
    where = {"PREFIX": "/opt/netcdf", "DESTDIR": str(folder), **stated}
    script = ROOT / "scripts/install_netcdf.py"
    environment = {name: text for name, text in os.environ.items() if name not in ASKED}
    run("python3", script, BUILT, LIBRARIES / "libfrazil.so", env={**environment, **where})
    return (folder / "opt/netcdf").rename(folder / "tree")
