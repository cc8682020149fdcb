"""Builds and runs the program that stands in for WRF in benchmarks."""

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from record import CORPUS, ROOT
from wrf_model import LAUNCHER, WRITTEN, Run, Way

OURS = "frazil, balanced"
RAW = "Fortran records, one task"

# The grid, the fields, the frames that are kept; those of the sample, repeated along y with
# changing weights of two frames.
X, Z, Y, KEPT = 200, 80, 24, 8
# Units of computation a step, about a second.
WORK = 2500
LIBRARY = Path(os.environ.get("FRAZIL_LIB", ROOT / ".build/lib"))


@dataclass
class StandIn:
    folder: Path
    name: str = "stand-in"
    io_form: int = 4

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.fields = self.folder / "fields.raw"
        self.count = make_fields(self.fields)
        self.build()

    def about(self) -> dict[str, str]:
        megabytes = X * Y * Z * self.count * 4 / 1e6
        return {"wrf": "a program stands in", "case": f"{X}x{Y}x{Z}, {megabytes:.1f} MB a frame"}

    def has(self, macro: str) -> bool:
        return False

    def build(self) -> None:
        """With one package for all tasks and one for one, and without any."""
        source = Path(__file__).with_name("wrf") / "frames.F90"
        mpi = shutil.which("mpif90")
        flags = ("-O2", "-g", "-w", "-fallow-argument-mismatch", "-pthread")
        link = (f"-L{LIBRARY}", "-lfrazil", f"-Wl,-rpath,{LIBRARY}")
        made = self.folder / "package"
        made.mkdir(exist_ok=True)
        variables = {
            "PREFIX_OF_ENTRIES": "ext_frz_",
            "PARALLEL": "1" if mpi else "",
            "BUILD": made,
            "FRAZIL_INCLUDE": ROOT / "crates/frazil-capi/include",
            "FRAZIL_MPI": ROOT / "mpi",
        }
        words = [f"{name}={value}" for name, value in variables.items()]
        call("make", "-s", "-C", ROOT / "wrf", *words)
        package = made / "libwrfio_frazil.a"
        parallel = ("-DPARALLEL",) if mpi else ()
        compiler = mpi or "gfortran"
        target = self.folder / "frames"
        call(compiler, *flags, *parallel, source, "-o", target, package, *link)
        call("gfortran", *flags, "-DRAW", source, "-o", self.folder / "frames-raw")
        self.is_parallel = bool(mpi)

    def write(self, way: Way, tasks: int, frames: int, steps: int) -> Run:
        folder = self.folder / re.sub(r"\W+", "-", f"{way.name}-{tasks}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        output = folder / "wrfout_d01_0001-01-01_00:00:00"
        is_raw, is_silent = way.io_form == 1, way.io_form == 0
        program = self.folder / ("frames-raw" if is_raw else "frames")
        columns = 2 if tasks == 4 else 1
        grid = (X, Z, Y, self.count, KEPT, steps * WORK // (1 if is_raw else tasks))
        split = (1, 1) if is_raw else (columns, tasks // columns)
        words = [program, self.fields, output, 0 if is_silent else frames, *grid, *split, frames]
        is_alone = is_raw or not self.is_parallel
        command = words if is_alone else [*LAUNCHER, tasks, *words]
        began = time.perf_counter()
        said = call(*command, **way.environment())
        wall = time.perf_counter() - began
        seconds = [float(found) for _, found in WRITTEN.findall(said)]
        size = output.stat().st_size if output.exists() else 0
        return Run(wall, seconds, size, folder)

    def clean(self, run: Run) -> None:
        shutil.rmtree(run.folder, ignore_errors=True)


def call(*command: object, **environment: str) -> str:
    words = [str(word) for word in command]
    answer = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )
    if answer.returncode != 0:
        raise SystemExit(f"{' '.join(words)} ends with {answer.returncode}:\n{answer.stdout}")
    return answer.stdout


def make_fields(path: Path) -> int:
    """Frames from the squall line of the corpus; how many fields there are."""
    import netCDF4
    import numpy as np

    with netCDF4.Dataset(CORPUS / "wrf/squall_line.nc") as data:
        data.set_auto_mask(False)
        names = [
            name
            for name, one in data.variables.items()
            if one.ndim == 4 and one.shape[1] >= Z and one.shape[3] >= X
        ]
        if path.exists():
            return len(names)
        print(f"building {path.name} from real fields ...", file=sys.stderr, flush=True)
        with path.open("wb") as file:
            for frame in range(KEPT):
                for name in sorted(names, key=lambda name: name != "T"):
                    at = data[name].shape[0] - KEPT - 1 + frame
                    two = data[name][at : at + 2, :Z, 0, :X]
                    for row in range(Y):
                        # No row repeats another, and none is like its neighbour.
                        weight = (row + 0.5) / Y
                        mixed = (1 - weight) * two[0] + weight * two[1]
                        file.write(np.roll(mixed, 5 * row, axis=1).astype("<f4").tobytes())
    return len(names)
