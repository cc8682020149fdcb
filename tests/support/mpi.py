"""Compiles programs with an MPI, and runs them on several ranks."""

import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from support.capi import PLAIN, STRICT, pkg_config
from support.command import ROOT
from support.fortran import run

PROGRAMS = ROOT / "tests/mpi"
SOURCES = ROOT / "mpi"


@dataclass(frozen=True)
class Mpi:
    """One MPI library: its compilers and how it starts programs."""

    name: str
    compiler: str
    fortran: str
    start: tuple[str, ...]
    environment: dict[str, str]

    def following_ranks(self) -> "Mpi":
        """As this one, with files whose bytes may depend on the ranks."""
        environment = {**self.environment, "FRAZIL_REPRODUCIBLE": "0"}
        return replace(self, environment=environment)

    def with_io_ranks(self, io_ranks: int) -> "Mpi":
        """As this one, with so many ranks that write for the others where netCDF's calls write."""
        environment = {**self.environment, "FRAZIL_IO_RANKS": str(io_ranks)}
        return replace(self, environment=environment)

    def is_here(self) -> bool:
        return all(map(shutil.which, (self.compiler, self.start[0])))

    def compiled(self, prefix: Path, source: Path, program: Path) -> Path:
        """A program that writes with frazil through this MPI."""
        flags = [*pkg_config(prefix, "--cflags"), f"-I{SOURCES}"]
        libraries = [*pkg_config(prefix, "--libs"), "-lm", f"-Wl,-rpath,{prefix}/lib"]
        shim = SOURCES / "frazil_mpi.c"
        run(self.compiler, "-std=gnu99", *STRICT, *flags, source, shim, "-o", program, *libraries)
        return program

    def compiled_fortran(self, prefix: Path, source: Path, program: Path) -> Path:
        """A Fortran program that writes with frazil through this MPI."""
        shim = program.with_suffix(".shim.o")
        flags = [*pkg_config(prefix, "--cflags"), f"-I{SOURCES}"]
        run(self.compiler, *flags, "-c", SOURCES / "frazil_mpi.c", "-o", shim)
        lib = prefix / "lib"
        link = (f"-L{lib}", "-lfrazil_fortran", "-lfrazil", f"-Wl,-rpath,{lib}")
        include = f"-I{prefix / 'include'}"
        run(self.fortran, "-g", include, source, shim, "-o", program, *link, cwd=program.parent)
        return program

    def started(self, ranks: int, *command: object) -> subprocess.CompletedProcess[str]:
        """Runs a program on so many ranks; what it printed, and its exit status."""
        texts = [*self.start, "-n", str(ranks), *map(str, command)]
        return subprocess.run(
            texts,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=180,
            env={**PLAIN, "FRAZIL_THREADS": "1", "FRAZIL_LONGEST_WAIT": "60", **self.environment},
        )

    def run(self, ranks: int, *command: object) -> str:
        """As `started`, for a program that must succeed."""
        done = self.started(ranks, *command)
        assert done.returncode == 0, f"{self.name}, {ranks} ranks, {command}\n{done.stdout}"
        return done.stdout


OPEN_MPI_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

MPICH = Mpi("mpich", "mpicc.mpich", "mpif90.mpich", ("mpiexec.mpich",), {})
OPEN_MPI = Mpi(
    "openmpi",
    "mpicc.openmpi",
    "mpif90.openmpi",
    ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none"),
    OPEN_MPI_ROOT if os.getuid() == 0 else {},
)
