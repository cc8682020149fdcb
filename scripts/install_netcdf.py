#!/usr/bin/env python3
"""Installs a tree that build systems take for netCDF, and that writes with frazil.

    scripts/install_netcdf.py NETCDF LIBFRAZIL

NETCDF is the folder that `scripts/make_netcdf_library.py` has filled, LIBFRAZIL libfrazil.so.
PREFIX and DESTDIR (a folder put before it, for packagers) come from the environment. With
NETCDF_FORTRAN_SOURCE, an unpacked release of netCDF-Fortran, its library is built with FC
(gfortran) against the tree. With MPICC, the compiler of an MPI, the ranks of its programs write
files together (nc_create_par); MPIFC (mpif90) then compiles netCDF-Fortran. The tree can be moved:
what is in it is found from where it lies.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Options of nc-config and CMake variables: what netcdf_meta.h says of each.
FEATURES = {
    "dap": "DAP2",
    "dap2": "DAP2",
    "dap4": "DAP4",
    "nc2": "NC2",
    "nc4": "NC4",
    "hdf4": "HDF4",
    "hdf5": "HDF5",
    "diskless": "DISKLESS",
    "mmap": "MMAP",
    "pnetcdf": "PNETCDF",
    "parallel": "PARALLEL",
    "parallel4": "PARALLEL4",
    "cdf5": "CDF5",
    "szlib": "SZIP",
    "nczarr": "NCZARR",
    "multifilters": "MULTIFILTERS",
    "logging": "LOGGING",
    "quantize": "QUANTIZE",
    "zstd": "ZSTD",
    "benchmarks": "BENCHMARKS",
}


# What libnetcdf loads to reach the MPI of programs.
MPI_TABLE = "libfrazil_mpi_table.so"
# What netcdf_meta.h says of a tree for MPI.
OF_RANKS = ("PARALLEL4", "PARALLEL", "PAR_FILTERS")


def with_mpi(text: str) -> str:
    """netcdf_meta.h of a tree for MPI."""
    names = "|".join(OF_RANKS)
    return re.sub(rf"(#define\s+NC_HAS_(?:{names})\s+)\d", r"\g<1>1", text)


def compile_mpi_table(compiler: str, folder: Path) -> Path:
    """What reaches the MPI of programs."""
    library = folder / MPI_TABLE
    make = ["make", "-C", ROOT / "mpi", f"CC={compiler}", f"BUILD={folder}", library]
    words = f"what reaches MPI cannot be compiled with {compiler} (MPICC is an MPI's compiler)"
    checked(make, ROOT, dict(os.environ), words)
    return library


def install_mpi(netcdf: Path, tree: Path, table: Path) -> None:
    """What reaches the MPI of programs, beside libfrazil, and the header."""
    shutil.copy(netcdf / "mpi/netcdf_par.h", tree / "include")
    meta = tree / "include/netcdf_meta.h"
    meta.write_text(with_mpi(meta.read_text()))
    strip = ["strip", "--strip-unneeded", "-o", tree / "lib/frazil" / table.name, table]
    subprocess.run(strip, check=True)


def checked(command: list, folder: Path, environment: dict[str, str], words: str) -> None:
    """Runs a command; if it fails, says so with the end of what it printed."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        end = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        sys.exit(f"{words}:\n{end}")


def features(headers: Path) -> dict[str, str]:
    """Whether netCDF-C has each feature: yes or no."""
    text = (headers / "netcdf_meta.h").read_text()
    stated = dict(re.findall(r"#define\s+NC_HAS_(\w+)\s+(\d)", text))
    # The header does not name it: it is there with HDF5.
    stated = {"NC4": stated.get("HDF5", "0"), **stated}
    return {name: "yes" if stated.get(key, "0") == "1" else "no" for name, key in FEATURES.items()}


def version_of(headers: Path) -> str:
    text = (headers / "netcdf_meta.h").read_text()
    return re.search(r'#define\s+NC_VERSION\s+"([^"]+)"', text)[1]


def from_template(name: str, target: Path, values: dict[str, str]) -> None:
    text = (ROOT / "cmake" / f"{name}.in").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    if text.startswith("#!"):
        target.chmod(0o755)


def install_c(
    netcdf: Path, libfrazil: Path, tree: Path, mpicc: str | None, table: Path | None
) -> None:
    library = (netcdf / "libnetcdf.so").resolve()
    for folder in ("lib/frazil", "include"):
        (tree / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(library, tree / "lib")
    link = tree / "lib/libnetcdf.so"
    link.unlink(missing_ok=True)
    link.symlink_to(library.name)
    strip = ["strip", "--strip-unneeded", "-o", tree / "lib/frazil/libfrazil.so", libfrazil]
    subprocess.run(strip, check=True)
    headers = tree / "include"
    for header in (netcdf / "include").iterdir():
        shutil.copy(header, headers)
    # An earlier installation may have left it.
    for path in (headers / "netcdf_par.h", tree / "lib/frazil" / MPI_TABLE):
        path.unlink(missing_ok=True)
    if table is not None:
        install_mpi(netcdf, tree, table)
    has = features(headers)
    cases = [f'    --has-{name}) echo "{value}" ;;' for name, value in has.items()]
    lines = [f'  echo "  --has-{name:<12} -> {value}"' for name, value in has.items()]
    sets = [f"set(netCDF_HAS_{name.upper()} {value})" for name, value in has.items()]
    values = {
        "VERSION": version_of(headers),
        "SONAME": library.name,
        "CC": mpicc or os.environ.get("CC", "cc"),
        "CASES": "\n".join(cases),
        "LINES": "\n".join(lines),
        "FEATURES": "\n".join(sets),
    }
    from_template("nc-config", tree / "bin/nc-config", values)
    from_template("netcdf.pc", tree / "lib/pkgconfig/netcdf.pc", values)
    for name in ("netCDFConfig.cmake", "netCDFConfigVersion.cmake"):
        from_template(name, tree / "lib/cmake/netCDF" / name, values)


def install_fortran(source: Path, tree: Path, mpicc: str | None) -> None:
    compiler = os.environ.get("FC", "gfortran")
    if mpicc is not None:
        compiler = os.environ.get("MPIFC", "mpif90")
    with tempfile.TemporaryDirectory() as temporary:
        work, stage = Path(temporary, "build"), Path(temporary, "stage")
        work.mkdir()
        environment = {
            **os.environ,
            "FC": compiler,
            "F77": compiler,
            "CC": mpicc or os.environ.get("CC", "cc"),
            "DESTDIR": "",
            "CPPFLAGS": f"-I{tree / 'include'}",
            "LDFLAGS": f"-L{tree / 'lib'} -Wl,-rpath,{tree / 'lib'}",
        }
        # gfortran 10 and later take one procedure with several kinds of arguments for an error.
        said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
        is_gnu = "GNU Fortran" in said.stdout
        flags = ["-g", "-O2", *(["-fallow-argument-mismatch"] if is_gnu else [])]
        environment["FCFLAGS"] = environment["FFLAGS"] = " ".join(flags)
        options = ["--disable-static", f"--prefix={stage}", f"--libdir={stage}/lib"]
        commands = [
            [source.absolute() / "configure", *options],
            ["make", "-C", "fortran", f"-j{os.cpu_count()}"],
            ["make", "-C", "fortran", "install"],
        ]
        for command in commands:
            checked(command, work, environment, f"netCDF-Fortran in {source} cannot be built")
        for path in (stage / "include").iterdir():
            shutil.copy(path, tree / "include")
        relocate(stage / "lib", tree / "lib")
    configure = (source / "configure").read_text(errors="replace")
    version = re.search(r"^PACKAGE_VERSION='([^']+)'", configure, re.M)[1]
    values = {"VERSION": version, "FC": compiler}
    from_template("nf-config", tree / "bin/nf-config", values)
    from_template("netcdf-fortran.pc", tree / "lib/pkgconfig/netcdf-fortran.pc", values)


def relocate(built: Path, folder: Path) -> None:
    """Installs libnetcdff, which finds libnetcdf beside it."""
    for path in sorted(built.glob("libnetcdff.so*")):
        target = folder / path.name
        target.unlink(missing_ok=True)
        shutil.copy(path, target, follow_symlinks=False)
        if not target.is_symlink():
            set_run_path(target)


def set_run_path(library: Path) -> None:
    """Puts $ORIGIN where the linker wrote the folder of the build, which is longer."""
    said = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    found = re.search(r"\(RU?N?PATH\).*\[([^\]]+)\]", said.stdout)
    if found is None:
        return
    old, data = found[1].encode(), library.read_bytes()
    new = b"$ORIGIN"
    if len(old) < len(new) or data.count(old + b"\0") < 1:
        sys.exit(f"{library}: its run path {found[1]} cannot be made $ORIGIN")
    library.write_bytes(data.replace(old + b"\0", new.ljust(len(old) + 1, b"\0"), 1))


def main() -> None:
    netcdf, libfrazil = map(Path, sys.argv[1:])
    prefix = os.environ.get("PREFIX", "/usr/local/frazil-netcdf")
    tree = Path(os.environ.get("DESTDIR", "") + str(Path(prefix).absolute()))
    mpicc = os.environ.get("MPICC") or None
    with tempfile.TemporaryDirectory() as temporary:
        # First: a wrong compiler leaves no half of a tree.
        table = compile_mpi_table(mpicc, Path(temporary)) if mpicc else None
        install_c(netcdf, libfrazil, tree, mpicc, table)
    source = os.environ.get("NETCDF_FORTRAN_SOURCE")
    if source:
        install_fortran(Path(source), tree, mpicc)
    languages = f"C{' and Fortran' if source else ''}{f' and the MPI of {mpicc}' if mpicc else ''}"
    print(f"netCDF that writes with frazil, for {languages}, in {tree}")


if __name__ == "__main__":
    main()
