"""Compiles the programs in bench/model and examples/fortran against both libraries."""

import os
import subprocess
from pathlib import Path

from record import ROOT

LIBRARIES = Path(os.environ.get("FRAZIL_LIB", ROOT / ".build/lib"))
SOURCES = Path(__file__).with_name("model")
FIGURE = ROOT / "examples/fortran/runner_writer.F90"

C = ("gcc", "-std=c11", "-O2", "-fopenmp", f"-I{ROOT / 'crates/frazil-capi/include'}")
FORTRAN = ("gfortran", "-O2")


def run(*words: object) -> str:
    command = [str(word) for word in words]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit(f"{' '.join(command)}:\n{answer.stderr[-3000:]}")
    return answer.stdout


def build(folder: Path) -> Path:
    """Compiles all programs into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    # By the name that programs look for at run time, and the one that the linker looks for.
    for name in ("libfrazil.so", "libfrazil.so.0"):
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(LIBRARIES / "libfrazil.so")
    modules = folder / "modules"
    run("make", "--silent", "-C", ROOT / "fortran", f"BUILD={modules}")
    frazil = (f"-L{folder}", "-lfrazil", f"-Wl,-rpath,{folder}")
    ours = (modules / "libfrazil_fortran.a", *frazil)
    netcdff = run("nf-config", "--flibs").split()
    netcdff_include = "-I" + run("nf-config", "--includedir").strip()

    stream, none, netcdf, own = (
        SOURCES / f"{name}.c"
        for name in ("stream", "output_none", "output_netcdf", "output_frazil")
    )
    run(*C, stream, none, "-o", folder / "stream-none")
    run(*C, stream, netcdf, "-o", folder / "stream-netcdf", "-lnetcdf")
    run(*C, "-DUSE_FRAZIL", stream, netcdf, "-o", folder / "stream-frz_nc", *frazil)
    run(*C, stream, own, "-o", folder / "stream-frz", *frazil)

    objects = SOURCES / "objects.c"
    run(*C, objects, "-o", folder / "objects-netcdf", "-lnetcdf")
    run(*C, "-DUSE_FRAZIL_NETCDF", objects, "-o", folder / "objects-frz_nc", *frazil)
    puts = SOURCES / "puts.c"
    run(*C, puts, "-o", folder / "puts-netcdf", "-lnetcdf")
    run(*C, "-DUSE_FRAZIL_NETCDF", puts, "-o", folder / "puts-frz_nc", *frazil)
    run(*C, "-DUSE_FRAZIL", puts, "-o", folder / "puts-frz", *frazil)

    for name, source, flags in (
        ("puts-fortran", SOURCES / "puts.F90", ()),
        ("figure-plain", FIGURE, ()),
        ("figure-openmp", FIGURE, ("-fopenmp",)),
    ):
        # Each its own folder for the module files that it writes.
        for library in ("netcdf", "frazil"):
            scratch = folder / f"{name}-{library}.modules"
            scratch.mkdir(exist_ok=True)
            program = folder / f"{name}-{library}"
            common = (*FORTRAN, *flags, f"-J{scratch}", source, "-o", program)
            if library == "netcdf":
                run(*common, netcdff_include, *netcdff)
            else:
                run(*common, "-DUSE_FRAZIL", f"-I{modules}", *ours)
    return folder
