"""Compiles C programs with an installed libfrazil, and runs them."""

import os
import shutil
from pathlib import Path

import pytest

from support.command import ROOT
from support.fortran import LIBRARIES, run

EXAMPLES = ROOT / "examples/c"
PROGRAMS = ROOT / "tests/capi"
STRICT = ("-g", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror")

# Filter plugins that the readers of these tests bring along are not for libfrazil.
PLAIN = {key: text for key, text in os.environ.items() if key != "HDF5_PLUGIN_PATH"}


def needs(tool: str) -> pytest.MarkDecorator:
    """Skips a test where a tool is missing."""
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")


def install(prefix: Path, **where: str) -> Path:
    """What `make install` does for C, into `prefix`."""
    for name in ("libfrazil.so", "libfrazil.a"):
        if not (LIBRARIES / name).exists():
            pytest.fail(f"{LIBRARIES}/{name} is missing: run 'make lib' (or set FRAZIL_LIB)")
    places = {"PREFIX": str(prefix), "LIBDIR": f"{prefix}/lib", "DESTDIR": "", **where}
    run(ROOT / "scripts/install-library", LIBRARIES, env={**PLAIN, **places})
    return prefix


def pkg_config(prefix: Path, *options: str) -> list[str]:
    """What pkg-config says about the installed frazil."""
    environment = {**PLAIN, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    return run("pkg-config", *options, "frazil", env=environment).split()


def compiled(prefix: Path, source: Path, program: Path, *options: object) -> Path:
    """A program that uses the shared library, by pkg-config's flags."""
    flags = pkg_config(prefix, "--cflags")
    libraries = [*pkg_config(prefix, "--libs"), "-lm", f"-Wl,-rpath,{prefix}/lib"]
    run("cc", "-std=c99", *STRICT, *flags, source, "-o", program, *options, *libraries)
    return program


def compiled_static(prefix: Path, source: Path, program: Path, *options: object) -> Path:
    """A program with libfrazil.a inside."""
    flags = pkg_config(prefix, "--cflags")
    libraries = [prefix / "lib/libfrazil.a", *pkg_config(prefix, "--variable=static_libs")]
    run("cc", "-std=c99", *STRICT, *flags, source, "-o", program, *options, *libraries)
    return program
