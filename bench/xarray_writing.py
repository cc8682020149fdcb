"""frazil.to_netcdf beside xarray's to_netcdf and to_zarr, of dask arrays; see README.md."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import Contender, cores, files_of, run_once
from options import is_ready, parsed
from record import CORPUS, FOLDER, machine, result_path, save, show
from versions import package_versions

STEPS, QUICK_STEPS = 4000, 512
THREADS = 4
BYTES_PER_STEP = 4 * 128 * 256 * 4
HERE = Path(__file__).parent
FRAZIL = "frazil"
# Computes the values only: what nobody who writes them can save.
NOWHERE = "nowhere"
# Who is measured against whom: the netCDF engines with the same filters.
WAYS = (
    (NOWHERE, ""),
    ("xarray-netcdf4", "deflate1"),
    ("xarray-h5netcdf", "deflate1"),
    (FRAZIL, "deflate1"),
    ("xarray-zarr", "deflate1"),
    ("xarray-zarr", "blosc-zlib1"),
    ("xarray-netcdf4", "zstd1"),
    (FRAZIL, "zstd1"),
    ("xarray-zarr", "blosc-zstd1"),
    (FRAZIL, "own choice"),
)
WANTED_TIMES = {("xarray-netcdf4", "deflate1"): 6.0, ("xarray-h5netcdf", "deflate1"): 6.0}
WANTED_SIZE = 1.005
BLOCK_MIB = 256 * 128 * 256 * 4 / (1 << 20)
# frazil's budget and two of dask's blocks.
WANTED_MEMORY_MIB = 256 + 2 * BLOCK_MIB
# Memory of all the data over that of half of it.
WANTED_GROWTH = 1.1


@dataclass
class Way:
    """One library with one choice of filters, writing so many time steps."""

    library: str
    filters: str
    steps: int
    times: list[dict[str, float]] = field(default_factory=list)
    output_bytes: int = 0

    @property
    def output(self) -> Path:
        suffix = ".zarr" if self.library == "xarray-zarr" else ".nc"
        return FOLDER / f"write/output{suffix}"

    def words(self, what: str, frames: Path) -> list[object]:
        script = HERE / "peer_write.py"
        numbers = (self.steps, THREADS)
        return [sys.executable, script, what, self.filters, frames, *numbers, self.output]

    def run(self, frames: Path, is_first: bool) -> None:
        def seconds(text: str) -> float:
            self.times.append(json.loads(text.splitlines()[-1]))
            return self.times[-1]["write_s"]

        # What earlier runs left to be written to the disk is none of this one's.
        os.sync()
        command = self.words(self.library, frames)
        contender = Contender(self.library, lambda _: command, THREADS, seconds)
        run_once(contender, FOLDER / "write/no-output")
        if self.library == NOWHERE:
            return self.say()
        self.output_bytes = sum(one.stat().st_size for one in files_of(self.output))
        if is_first:
            subprocess.run([str(word) for word in self.words("check", frames)], check=True)
        remove(self.output)
        self.say()

    def say(self) -> None:
        last = self.times[-1]["write_s"]
        print(f"  {self.library:16} {self.filters:12} {last:8.2f} s", flush=True)

    def median(self, what: str) -> float:
        return statistics.median(times[what] for times in self.times)

    @property
    def memory_mib(self) -> float:
        return max(times["memory_kib"] for times in self.times) / 1024


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def make_frames() -> Path:
    """In a process of its own (see `record.build_input`)."""
    path = FOLDER / "write/frames.raw"
    if not path.exists():
        print(f"building {path.name} from real fields ...", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, HERE / "write_fields.py", CORPUS, path], check=True)
    return path


def find(ways: list[Way], library: str, filters: str) -> Way | None:
    return next((way for way in ways if (way.library, way.filters) == (library, filters)), None)


def ours_for(way: Way, ways: list[Way]) -> Way | None:
    """Frazil with the same kind of compression."""
    if way.library in (FRAZIL, NOWHERE):
        return None
    return find(ways, FRAZIL, "zstd1" if "zstd" in way.filters else "deflate1")


def row(way: Way, ways: list[Way], half: list[Way]) -> dict[str, object]:
    """A peer's row says how many times as fast frazil is; frazil's, what memory it takes."""
    own = ours_for(way, ways)
    times = way.median("write_s") / own.median("write_s") if own else None
    wanted = WANTED_TIMES.get((way.library, way.filters))
    growth = way.memory_mib / max(find(half, way.library, way.filters).memory_mib, 1)
    missed = []
    if times and wanted and times < wanted:
        missed.append("speed")
    if times and wanted and own.output_bytes > WANTED_SIZE * way.output_bytes:
        missed.append("size")
    if way.library == FRAZIL and way.memory_mib > WANTED_MEMORY_MIB:
        missed.append("memory")
    if way.library == FRAZIL and growth > WANTED_GROWTH:
        missed.append("flat memory")
    megabytes = way.steps * BYTES_PER_STEP / 1e6
    return {
        "library": way.library,
        "filters": way.filters,
        "threads": THREADS,
        "runs": len(way.times),
        "data_mb": round(megabytes, 1),
        "write_s": round(way.median("write_s"), 3),
        "min_s": round(min(times["write_s"] for times in way.times), 3),
        "max_s": round(max(times["write_s"] for times in way.times), 3),
        "cpu_s": round(way.median("cpu_s"), 2),
        "mb_per_s": round(megabytes / way.median("write_s"), 1),
        "output_bytes": way.output_bytes,
        "memory_mib": round(way.memory_mib, 1),
        "memory_over_half_the_data": round(growth, 2),
        "frazil_times": round(times, 2) if times else "",
        "wanted_times": wanted or "",
        "missed": " and ".join(missed),
    }


COLUMNS = {
    "library": 17,
    "filters": 13,
    "data_mb": 9,
    "write_s": 9,
    "cpu_s": 8,
    "mb_per_s": 10,
    "output_bytes": 13,
    "memory_mib": 11,
    "memory_over_half_the_data": 26,
    "frazil_times": 13,
    "wanted_times": 13,
}


def measure(
    steps: int, repeats: int, libraries: set[str], frames: Path, of_peers: int | None = None
) -> list[Way]:
    """Everybody so many times, in turns; peers only `of_peers` times if that is given."""
    print(f"\n{steps * BYTES_PER_STEP / 1e6:.0f} MB")
    ways = [Way(*names, steps) for names in WAYS if names[0] in libraries]
    for turn in range(repeats):
        for way in ways:
            if way.library != FRAZIL and turn >= (of_peers or repeats):
                continue
            with cores(THREADS):
                way.run(frames, is_first=turn == 0)
    return ways


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default=",".join(sorted({one for one, _ in WAYS})))
    return parsed(parser, repeats=3)


def main() -> int:
    options = arguments()
    if not is_ready():
        return 2
    steps, repeats = QUICK_STEPS if options.quick else STEPS, options.repeats
    libraries = set(options.libraries.split(","))
    frames = make_frames()
    about = machine(**package_versions())
    half = measure(steps // 2, repeats, libraries, frames, of_peers=1)
    whole = measure(steps, repeats, libraries, frames)
    rows = [row(way, ways, half) for ways in (half, whole) for way in ways]
    show(rows, COLUMNS)
    if not options.quick:
        save(result_path(about, "xarray-"), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
