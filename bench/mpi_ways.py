"""Ranks that write one file, with one library and one setting; run in turns and checked."""

import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import mpi_fields
import netCDF4
import numpy as np
from measure import Contender, cores, memory_at_hand, run_once
from mpi_programs import RAW, Mpi, Programs
from record import CORPUS, FOLDER

LEVELS, QUICK_LEVELS = 32, 4
MEMORY_MIB = 512
PLAIN, DEFLATE, ROUNDED = "none", "deflate1", "deflate1+gbr3"
DEFAULT, LAYER, DECOMPOSITION = "default", "layer", "decomposition"


@dataclass(frozen=True)
class Data:
    """Fields of a model's output, and how ranks divide them."""

    name: str
    path: Path
    fields: int
    records: int
    shape: tuple[int, int, int]
    # Each rank has a band along this axis of (time, level, latitude, longitude).
    axis: int
    chunks: tuple[str, ...]

    @property
    def raw_bytes(self) -> int:
        return 4 * self.fields * self.records * int(np.prod(self.shape))

    def words(self) -> list[object]:
        return [self.path, self.fields, self.records, *self.shape, self.axis]

    def truth(self) -> np.ndarray:
        """As (record, field, level, latitude, longitude)."""
        shape = (self.records, self.fields, *self.shape)
        return np.memmap(self.path, "<f4", "r", shape=shape)


def gfs(is_quick: bool) -> Data:
    """One record of eight global fields, in bands of latitude as the GFS model writes them."""
    levels = QUICK_LEVELS if is_quick else LEVELS
    path = made(f"mpi-gfs-{levels}.raw", "model_fields.py", levels, 1)
    chunks = (DEFAULT, LAYER, DECOMPOSITION)
    return Data("gfs", path, 8, 1, (levels, 384, 768), 2, chunks)


def squall(is_quick: bool) -> Data:
    """All records of twelve fields of WRF, in bands along x. A layer is too small for a chunk."""
    path = made("mpi-squall.raw", "mpi_fields.py")
    records = 4 if is_quick else mpi_fields.RECORDS
    fields = len(mpi_fields.NAMES)
    return Data("squall", path, fields, records, mpi_fields.SHAPE, 3, (DEFAULT, DECOMPOSITION))


def made(name: str, script: str, *numbers: int) -> Path:
    """Fields, made once, in a process of its own (see `record.build_input`)."""
    path = FOLDER / name
    if not path.exists():
        print(f"building {path.name} from real fields ...", flush=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, Path(__file__).with_name(script), CORPUS, path, *numbers]
        subprocess.run([str(word) for word in command], check=True)
    return path


@dataclass
class Way:
    """One library with one setting on so many ranks, and what it said."""

    data: Data
    mpi: Mpi
    writer: str
    ranks: int
    chunks: str
    filters: str
    label: str = ""
    times: list[dict[str, float]] = field(default_factory=list)
    output_bytes: int = 0

    @property
    def wall(self) -> float:
        return self.median("wall")

    def median(self, what: str) -> float:
        return statistics.median(times[what] for times in self.times)

    def run(self, programs: Programs, output: Path) -> None:
        """Once, on as many cores as there are ranks."""

        def seconds(text: str) -> float:
            found = re.search(r"^put .*$", text, re.MULTILINE)[0].split()
            times = {key: float(value) for key, value in zip(found[::2], found[1::2], strict=True)}
            self.times.append(times)
            return times["wall"]

        program = programs.path(self.mpi, self.writer)
        words = (program, output, *self.data.words(), self.chunks, self.filters, MEMORY_MIB)
        command = self.mpi.command(self.ranks, *words)
        one = Contender(self.writer, lambda _: command, self.ranks, seconds)
        # What earlier runs left to be written to the disk is none of this one's.
        subprocess.run(["sync"], check=True)
        memory_at_hand(3 * self.data.raw_bytes)
        with cores(self.ranks):
            run_once(one, output)
        self.output_bytes = one.output_bytes

    def check(self, output: Path) -> None:
        """The file holds what the ranks handed over, or that rounded as asked."""
        truth = self.data.truth()
        is_raw = self.writer == RAW
        values = np.memmap(output, "<f4", "r", shape=truth.shape) if is_raw else None
        file = None if is_raw else netCDF4.Dataset(output)
        if file is not None:
            file.set_auto_mask(False)
        for number in range(self.data.fields):
            found = values[:, number] if is_raw else file[f"field{number}"][...]
            if not is_right(truth[:, number], np.asarray(found), self.filters):
                raise SystemExit(f"{self}: field{number} in {output} is not what was put")
        if file is not None:
            file.close()

    def __str__(self) -> str:
        parts = (self.data.name, self.writer, self.mpi.name, f"{self.ranks} ranks", self.chunks)
        return ", ".join((*parts, self.filters))


def is_right(truth: np.ndarray, found: np.ndarray, filters: str) -> bool:
    """Whether values are the true ones, or within what rounding may do to them."""
    if found.shape != truth.shape:
        return False
    error = np.abs(found.astype("f8") - truth)
    if "gbr3" in filters:
        # Values that are not normal lose all their bits to netCDF-C.
        return bool((error <= 0.5e-2 * np.abs(truth) + np.finfo("f4").tiny).all())
    if bits := re.search(r"nbits(\d+)", filters):
        # Half a step of each record's grid, and what float32 adds to it.
        axes = tuple(range(1, truth.ndim))
        low, high = truth.min(axes).astype("f8"), truth.max(axes).astype("f8")
        step = (high - low) / (2 ** int(bits[1]) - 1)
        allowed = 0.5 * step + 4 * np.spacing(np.maximum(abs(low), abs(high)).astype("f4"))
        return bool((error.max(axes) <= allowed).all())
    return found.astype("<f4").tobytes() == truth.tobytes()


def take_turns(ways: list[Way], programs: Programs, repeats: int, others: list[Contender]) -> None:
    """Every way `repeats` times, in turns, and codec loops between; first files are checked."""
    output = FOLDER / "mpi-output.nc"
    for turn in range(repeats):
        for way in ways:
            output.unlink(missing_ok=True)
            way.run(programs, output)
            if turn == 0:
                way.check(output)
            output.unlink(missing_ok=True)
            print(f"  {way!s:70} {way.times[-1]['wall']:8.3f} s", flush=True)
        for other in others:
            with cores(other.threads):
                run_once(other, output)
            print(f"  {other.name:70} {other.walls[-1]:8.3f} s", flush=True)
