"""Opening files and listing what is in them, beside h5py and netCDF4; see README.md."""

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
from measure import Contender, run_once, warm
from options import is_ready, parsed
from record import CORPUS, FOLDER, FRAZIL, FRAZIL_BENCH, machine, result_path, save, show
from versions import package_versions

HERE = Path(__file__).parent
PEERS = ("h5py", "netCDF4")
OURS = "frazil"
COMMAND = "frazil info"
SMALL_FILES, VARIABLES, CHUNKS = 1000, 10_000, 100_000
# h5netcdf takes 33 ms a file.
DATASET_FILES = 200
# How many times as fast as h5py and netCDF4.
WANTED = 5.0
# `frazil info` on a small file.
WANTED_COMMAND_S = 0.005
# How many times as fast as xarray's own engines over many files.
WANTED_MANY = 3.0
THREADS = (1, 4, 16, 64)

# A library gets no further turn once its turns took so long together.
ENOUGH_S = 20


@dataclass
class Way:
    """One library over the files of one case."""

    case: str
    library: str
    files: Path
    threads: int = 1
    seconds: list[float] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def command(self, _: Path) -> list[object]:
        if self.library == COMMAND:
            return [FRAZIL, "info", self.files]
        return [sys.executable, HERE / "peer_open.py", self.library, self.threads, self.files]

    def run(self) -> None:
        def seconds(text: str) -> float:
            answer = json.loads(text.splitlines()[-1])
            self.seen = {key: value for key, value in answer.items() if key != "open_s"}
            return answer["open_s"]

        read = None if self.library == COMMAND else seconds
        contender = Contender(self.library, self.command, self.threads, read)
        run_once(contender, FOLDER / "open/no-output")
        self.seconds += contender.walls

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def small_file(path: Path, number: int) -> None:
    """A day of a small model: two fields, four axes with values, a dozen attributes."""
    with netCDF4.Dataset(path, "w") as file:
        file.Conventions, file.title, file.source = (
            "CF-1.8",
            f"day {number}",
            "a benchmark",
        )
        sizes = {"time": None, "level": 4, "lat": 18, "lon": 36}
        for name, size in sizes.items():
            file.createDimension(name, size)
            axis = file.createVariable(name, "f8", (name,))
            axis.units = "days since 2000-01-01" if name == "time" else "1"
            axis[:] = np.arange(number, number + 1) if size is None else np.arange(size)
        for name in ("t", "q"):
            values = file.createVariable(name, "f4", tuple(sizes), zlib=True)
            values.units, values.long_name = "1", f"field {name}"
            values[:] = np.random.default_rng(number).normal(size=(1, 4, 18, 36))


def make_small_files(folder: Path) -> None:
    folder.mkdir()
    for number in range(SMALL_FILES):
        small_file(folder / f"{number:04}.nc", number)


def make_variables(path: Path) -> None:
    """Many variables of three attributes."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 12)
        for number in range(VARIABLES):
            variable = file.createVariable(f"v{number:05}", "f4", ("time", "x"), zlib=True)
            variable.units, variable.long_name, variable.level = "K", f"field {number}", 1.5
            variable[0:1] = number


def make_chunks(path: Path) -> None:
    """One variable of many chunks."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 64)
        chunks = {"zlib": True, "chunksizes": (1, 64)}
        variable = file.createVariable("v", "f4", ("time", "x"), **chunks)
        values = np.random.default_rng(1).normal(size=(CHUNKS, 64))
        variable[:] = values


MAKERS = {
    "1,000 small files": ("small", make_small_files),
    "10,000 variables": ("variables.nc", make_variables),
    "100,000 chunks": ("chunks.nc", make_chunks),
}


def made(case: str) -> Path:
    """The file or folder of a case; written whole where it is not there yet."""
    if case == "WRF":
        return CORPUS / "wrf/squall_line.nc"
    name, make = MAKERS[case]
    path = FOLDER / "open" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(f"making {case} ...", flush=True)
        unfinished = path.with_name(f"unfinished-{name}")
        subprocess.run(["rm", "-rf", unfinished], check=True)
        make(unfinished)
        unfinished.rename(path)
    return path


def some_of(folder: Path, count: int) -> Path:
    """A folder of links to the first files of another."""
    few = folder.with_name(f"{folder.name}-{count}")
    if not few.exists():
        few.mkdir()
        for path in sorted(folder.iterdir())[:count]:
            os.link(path, few / path.name)
    return few


def take_turns(ways: list[Way], repeats: int) -> None:
    for path in {way.files for way in ways}:
        for file in path.iterdir() if path.is_dir() else [path]:
            warm(file)
    for _ in range(repeats):
        for way in ways:
            if sum(way.seconds) < ENOUGH_S:
                way.run()
    # HDF5 knows dimensions without values as variables, too.
    of_netcdf = [way for way in ways if way.library != "h5py"]
    for what in ("variables", "axes"):
        seen = {way.seen[what] for way in of_netcdf if what in way.seen}
        if len(seen) > 1:
            raise SystemExit(f"{ways[0].case}: libraries see different {what}: {seen}")


def row(way: Way, own: Way | None, wanted: float | None) -> dict[str, object]:
    times = way.median / own.median if own else None
    missed = times is not None and wanted is not None and times < wanted
    if way.library == COMMAND:
        wanted, missed = WANTED_COMMAND_S, way.median > WANTED_COMMAND_S
    return {
        "case": way.case,
        "library": way.library,
        "threads": way.threads,
        "runs": len(way.seconds),
        "open_s": f"{way.median:.5f}",
        "min_s": f"{min(way.seconds):.5f}",
        "max_s": f"{max(way.seconds):.5f}",
        "frazil_times": f"{times:.2f}" if times else "",
        "wanted": wanted or "",
        "missed": "speed" if missed else "",
    }


def compare(case: str, files: Path, repeats: int) -> list[dict[str, object]]:
    """Opening and listing, by one thread."""
    ways = [Way(case, library, files) for library in (*PEERS, OURS)]
    take_turns(ways, repeats)
    return [row(way, ways[-1] if way.library in PEERS else None, WANTED) for way in ways]


def small_info(repeats: int) -> list[dict[str, object]]:
    """The command on one small file, its start included."""
    way = Way("one small file", COMMAND, made("1,000 small files") / "0000.nc")
    for _ in range(4 * repeats):
        way.run()
    return [row(way, None, None)]


def as_one_dataset(count: int, repeats: int) -> list[dict[str, object]]:
    """xarray.open_mfdataset by engine."""
    files = some_of(made("1,000 small files"), count)
    case = f"open_mfdataset of {count:,} files"
    engines = ("netcdf4", "h5netcdf", OURS)
    ways = [Way(case, f"xarray-{engine}", files) for engine in engines]
    take_turns(ways, repeats)
    return [row(way, ways[-1] if way is not ways[-1] else None, WANTED_MANY) for way in ways]


def by_threads(repeats: int) -> list[dict[str, object]]:
    """The small files by one thread and by many of one process.

    h5py's threads take turns behind a lock; netCDF4 has none, and crashes.
    """
    files = made("1,000 small files")
    case = "1,000 small files, by threads"
    command = [FRAZIL_BENCH, "open", "--json", "--rounds", repeats]
    command += ["--threads", ",".join(map(str, THREADS)), *sorted(files.iterdir())]
    answer = subprocess.run([str(word) for word in command], capture_output=True, check=True)
    ours = {one["threads"]: one["seconds"] / repeats for one in json.loads(answer.stdout)["rows"]}
    rows = []
    for threads in THREADS:
        peer = Way(case, "h5py", files, threads)
        take_turns([peer], repeats)
        own = Way(case, "frazil, Rust", files, threads, [ours[threads]])
        rows.append(row(peer, own, None))
        scaling = ours[1] / ours[threads]
        rows.append({**row(own, None, None), "frazil_times": f"{scaling:.2f} of one thread"})
    return rows


COLUMNS = {"case": 36, "library": 18, "threads": 9, "open_s": 11, "frazil_times": 20, "wanted": 8}


def of_files(options: argparse.Namespace) -> list[dict[str, object]]:
    """By one thread, and as one dataset."""
    rows: list[dict[str, object]] = []
    for case in ("WRF", *MAKERS):
        rows += compare(case, made(case), options.repeats)
    rows += small_info(options.repeats)
    return rows + as_one_dataset(20 if options.quick else DATASET_FILES, min(options.repeats, 3))


# Each has a file of results.
PARTS = {"files": of_files, "threads": lambda options: by_threads(min(options.repeats, 3))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    options = parsed(parser, repeats=5)
    if not is_ready(FRAZIL, FRAZIL_BENCH):
        return 2
    about = machine(**package_versions(("netCDF4", "h5py", "h5netcdf", "xarray", "numpy")))
    for part in options.parts.split(","):
        rows = PARTS[part](options)
        show(rows, COLUMNS)
        if not options.quick:
            save(result_path(about, f"opening-{part}-"), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
