"""Compiles the programs in bench/mpi with each MPI that is installed, and starts them."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from model_programs import LIBRARIES, run
from record import ROOT, version_of

SOURCES = Path(__file__).with_name("mpi")
FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra")
FRAZIL, SERIAL, PARALLEL, PNETCDF, RAW = "frazil", "netcdf", "netcdf-par", "pnetcdf", "raw"


@dataclass(frozen=True)
class Mpi:
    """One MPI library: its compiler, and how it starts programs."""

    name: str
    compiler: str
    start: tuple[str, ...]

    def is_here(self) -> bool:
        return all(map(shutil.which, (self.compiler, self.start[0])))

    def command(self, ranks: int, *words: object) -> list[object]:
        # Open MPI refuses root, and more ranks than cores, where nobody says that it is meant.
        variables = ("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
        return ["env", *variables, *self.start, "-n", ranks, *words]

    def version(self) -> str:
        found = re.search(r"\d+(\.\d+)+", version_of(self.start[0], "--version"))
        return f"{self.name} {found[0] if found else '?'}"


MPICH = Mpi("MPICH", "mpicc.mpich", ("mpiexec.mpich",))
OPEN_MPI = Mpi(
    "Open MPI", "mpicc.openmpi", ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none")
)


def installed() -> list[Mpi]:
    return [mpi for mpi in (MPICH, OPEN_MPI) if mpi.is_here()]


def has_mpi() -> bool:
    """Whether there is an MPI; says if not."""
    if not installed():
        print("not installed: an MPI", file=sys.stderr)
    return bool(installed())


def package(name: str) -> tuple[str, ...] | None:
    """What pkg-config says about a library; none: it is not installed."""
    answer = subprocess.run(
        ["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True
    )
    return tuple(answer.stdout.split()) if answer.returncode == 0 else None


class Programs:
    """Who can write with which MPI. Debian builds parallel netCDF and PnetCDF on Open MPI only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mpis = installed()
        self.paths: dict[tuple[str, str], Path] = {}

    def has(self, mpi: Mpi, writer: str) -> bool:
        return (mpi.name, writer) in self.paths

    def path(self, mpi: Mpi, writer: str) -> Path:
        return self.paths[mpi.name, writer]

    def one_mpi(self) -> Mpi:
        """That of the peers, where it is there."""
        return OPEN_MPI if OPEN_MPI in self.mpis else MPICH

    def build(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # By the name that programs look for at run time, and the one that the linker looks for.
        for name in ("libfrazil.so", "libfrazil.so.0"):
            link = self.folder / name
            link.unlink(missing_ok=True)
            link.symlink_to(LIBRARIES / "libfrazil.so")
        for mpi in self.mpis:
            self.build_with(mpi)

    def build_with(self, mpi: Mpi) -> None:
        frazil = self.frazil_flags()
        self.compile(mpi, FRAZIL, "output_frazil.c", ROOT / "mpi/frazil_mpi.c", *frazil)
        self.compile(mpi, RAW, "output_raw.c")
        self.compile(mpi, SERIAL, "output_netcdf.c", *(package("netcdf") or ("-lnetcdf",)))
        if mpi is not OPEN_MPI:
            return
        if flags := package("netcdf-mpi"):
            # The header of the parallel library lies in a folder of its own.
            prefix = run("pkg-config", "--variable=prefix", "netcdf-mpi").strip()
            flags = ("-DPARALLEL", f"-I{prefix}/include", *flags)
            self.compile(mpi, PARALLEL, "output_netcdf.c", *flags)
        if flags := package("pnetcdf"):
            self.compile(mpi, PNETCDF, "output_pnetcdf.c", *flags)

    def frazil_flags(self) -> tuple[str, ...]:
        include = (f"-I{ROOT / 'crates/frazil-capi/include'}", f"-I{ROOT / 'mpi'}")
        return (*include, f"-L{self.folder}", "-lfrazil", f"-Wl,-rpath,{self.folder}")

    def compile(self, mpi: Mpi, writer: str, source: str, *flags: object) -> None:
        program = self.folder / f"write-{writer}-{mpi.name.replace(' ', '').lower()}"
        sources = (SOURCES / "write.c", SOURCES / source)
        run(mpi.compiler, *FLAGS, *sources, *flags, "-lm", "-o", program)
        self.paths[mpi.name, writer] = program

    def build_placer(self, mpi: Mpi) -> Path:
        """The program that looks at rank 0 alone."""
        program = self.folder / f"placer-{mpi.name.replace(' ', '').lower()}"
        sources = (SOURCES / "placer.c", ROOT / "mpi/frazil_mpi.c")
        run(mpi.compiler, *FLAGS, *sources, *self.frazil_flags(), "-o", program)
        return program

    def versions(self) -> dict[str, str]:
        """Of all that stands beside frazil."""
        answer = {mpi.name.replace(" ", "_").lower(): mpi.version() for mpi in self.mpis}
        for name in ("netcdf", "netcdf-mpi", "hdf5-openmpi", "pnetcdf"):
            if package(name) is not None:
                version = run("pkg-config", "--modversion", name).split()[-1]
                answer[name] = version
        return answer
