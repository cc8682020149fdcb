"""Builds Fortran programs with frazil and with netcdf-fortran, and runs them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command import ROOT

LIBRARIES = Path(os.environ.get("FRAZIL_LIB", ROOT / ".build/lib"))
GFORTRAN = shutil.which("gfortran")
NF_CONFIG = shutil.which("nf-config")

needs_gfortran = pytest.mark.skipif(GFORTRAN is None, reason="gfortran is not installed")
needs_netcdf_fortran = pytest.mark.skipif(
    GFORTRAN is None or NF_CONFIG is None, reason="gfortran or netcdf-fortran is not installed"
)


def run(*command: object, **options: object) -> str:
    """What a command printed; fails with all of it if the command does."""
    texts = [str(part) for part in command]
    done = subprocess.run(
        texts, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{' '.join(texts)}\nexit {done.returncode}\n{done.stdout}"
    return done.stdout


def install(prefix: Path) -> Path:
    """Installs frazil's C and Fortran libraries into `prefix`."""
    if not (LIBRARIES / "libfrazil.so").exists():
        pytest.fail(f"{LIBRARIES}/libfrazil.so is missing: run 'make lib' (or set FRAZIL_LIB)")
    where = {"PREFIX": prefix, "LIBDIR": prefix / "lib", "BUILD": prefix / "build", "DESTDIR": ""}
    environment = {**os.environ, **{name: str(value) for name, value in where.items()}}
    run(ROOT / "scripts/install-library", LIBRARIES, env=environment)
    run("make", "-C", ROOT / "fortran", "install", env=environment)
    return prefix


def with_frazil(prefix: Path, source: Path, program: Path, *options: object) -> Path:
    """Compiles a program that uses frazil's modules."""
    lib = prefix / "lib"
    link = (f"-L{lib}", "-lfrazil_fortran", "-lfrazil", f"-Wl,-rpath,{lib}")
    flags = ("-g", "-fcheck=all", "-DUSE_FRAZIL", f"-I{prefix / 'include'}")
    folder = program.parent
    run(GFORTRAN, *flags, *options, source, "-o", program, *link, cwd=folder)
    return program


def with_netcdf_fortran(source: Path, program: Path, *options: object) -> Path:
    """Compiles a program that uses the system's netcdf-fortran."""
    flags = run(NF_CONFIG, "--fflags").split()
    libraries = run(NF_CONFIG, "--flibs").split()
    run(GFORTRAN, "-g", *flags, *options, source, "-o", program, *libraries, cwd=program.parent)
    return program
