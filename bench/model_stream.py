"""A model that writes eight three-dimensional fields a record, with computation between records.

Frazil and netCDF-C write the same fields with the same filters: alone, beside a model that leaves
cores idle, and beside one that keeps every core busy.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
from measure import Contender, run_once
from record import CORPUS, FOLDER, result_path, save, show

FIELDS, LATITUDES, LONGITUDES, RECORDS = 8, 384, 768, 4
LEVELS, QUICK_LEVELS = 32, 4
THREADS = 4
MEMORY_MIB, ALLOWED_MIB = 512, 512 + 64
COMPUTE_OVER_PACKING = 1.5
SLOW_S = 4.0

PLAIN, DEFLATE, ROUNDED, ZSTD = "none", "deflate1", "deflate1+gbr3", "zstd+gbr3"
FILTERS = (PLAIN, DEFLATE, ROUNDED, ZSTD)
OWN = "default"
NAMES = {
    "netcdf": "netCDF-C",
    "frz": "frazil",
    "frz_nc": "frazil, netCDF's calls",
    "none": "no output",
}

WANTED_ALONE = 12.0
WANTED_BUSY = 6.0

COLUMNS = {
    "case": 11,
    "library": 24,
    "filters": 15,
    "threads": 8,
    "wall_s": 9,
    "visible_s": 10,
    "computed_s": 11,
    "cpu_s": 8,
    "output_mb": 10,
    "memory_mib": 11,
    "against": 34,
    "ratio": 8,
    "wanted": 8,
}


@dataclass
class Way:
    """One program with one setting, and what it said."""

    case: str
    library: str
    filters: str
    command: list[object]
    threads: int = 1
    times: list[dict[str, float]] = field(default_factory=list)
    contender: Contender | None = None

    def median(self, what: str) -> float:
        return statistics.median(times[what] for times in self.times)

    @property
    def visible(self) -> float:
        """Seconds in calls: puts, and open and close."""
        return statistics.median(times["put"] + times["ends"] for times in self.times)


class Bench:
    """Runs ways in turns on one set of fields."""

    def __init__(self, programs: Path, options: argparse.Namespace) -> None:
        self.programs = programs
        self.options = options
        self.levels = QUICK_LEVELS if options.quick else LEVELS
        self.fields = make_fields(self.levels)
        self.output = FOLDER / "stream.nc"

    def way(
        self, case: str, library: str, filters: str, *, work: int = 0, cores: int = 1,
        threads: int = THREADS, bound: bool = False,
    ) -> Way:  # fmt: skip
        environment = {"FRAZIL_THREADS": threads, "FRAZIL_MEMORY": f"{MEMORY_MIB}M"}
        if bound:
            environment |= {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
        command = [
            *("env", *(f"{key}={value}" for key, value in environment.items())),
            self.programs / f"stream-{library}",
            *(self.output, self.fields, self.levels, LATITUDES, LONGITUDES, RECORDS),
            *(work, cores, filters, threads, MEMORY_MIB),
        ]
        used = threads if library.startswith("frz") else 1
        return Way(case, library, filters, command, used)

    def run(self, ways: list[Way]) -> None:
        """In turns; what is slow, less often."""
        for turn in range(self.options.stream_repeats):
            for way in ways:
                is_slow = bool(way.times) and way.times[0]["visible"] > SLOW_S * RECORDS
                if turn >= self.options.slow_repeats and is_slow:
                    continue
                self.run_once(way, is_first=turn == 0)

    def run_once(self, way: Way, is_first: bool) -> None:
        def seconds(text: str) -> float:
            found = re.search(r"^computed .*$", text, re.MULTILINE)[0].split()
            times = {key: float(value) for key, value in zip(found[::2], found[1::2], strict=True)}
            times["visible"] = times["put"] + times["ends"]
            way.times.append(times)
            return times["wall"]

        if way.contender is None:
            way.contender = Contender(way.library, lambda _: way.command, way.threads, seconds)
        # Neither the file before, which may still be on its way to the disk, nor the page cache's
        # limit for such bytes may slow this run down.
        os.sync()
        run_once(way.contender, self.output)
        if is_first and way.case == "alone":
            self.check(way)
        self.output.unlink(missing_ok=True)
        last = way.times[-1]
        print(
            f"  {way.case:11} {NAMES[way.library]:24} {way.filters:15} {way.threads} threads: "
            f"wall {last['wall']:7.2f} s, in calls {last['visible']:7.2f} s",
            flush=True,
        )

    def check(self, way: Way) -> None:
        """The last record is what the model handed over, or rounded as asked."""
        shape = (RECORDS, FIELDS, self.levels, LATITUDES, LONGITUDES)
        fields = np.memmap(self.fields, "<f4", "r", shape=shape)
        with netCDF4.Dataset(self.output) as file:
            file.set_auto_mask(False)
            for number in range(FIELDS):
                expected = np.asarray(fields[-1, number])
                found = np.asarray(file[f"field{number}"][RECORDS - 1])
                if "gbr3" in way.filters:
                    error = np.abs(found - expected) <= 0.5e-2 * np.abs(expected)
                    is_right = bool(error.all())
                else:
                    is_right = found.tobytes() == expected.tobytes()
                if not is_right:
                    raise SystemExit(
                        f"{way.library} with {way.filters}: field{number} is not right"
                    )


def make_fields(levels: int) -> Path:
    """The fields, made once, in a process of its own (see `record.build_input`)."""
    path = FOLDER / f"model-{levels}.raw"
    if not path.exists():
        print(f"building {path.name} from real fields ...", flush=True)
        script = Path(__file__).with_name("model_fields.py")
        command = [sys.executable, script, CORPUS, path, str(levels), str(RECORDS)]
        subprocess.run(command, check=True)
    return path


def plugin_path() -> None:
    """Where netCDF-C finds zstd, if Python's hdf5plugin is installed."""
    try:
        import hdf5plugin
    except ImportError:
        return
    os.environ.setdefault("HDF5_PLUGIN_PATH", hdf5plugin.PLUGIN_PATH)


def unit_seconds(bench: Bench, cores: int) -> float:
    """Seconds of one unit of computation with nothing beside it."""
    units = 200
    way = bench.way("unit", "none", PLAIN, work=units, cores=cores)
    bench.run_once(way, is_first=False)
    return way.times[0]["computed"] / (units * RECORDS)


def alone(bench: Bench) -> list[Way]:
    """No computation to hide behind."""
    ways = [bench.way("alone", "netcdf", filters) for filters in FILTERS]
    ways += [bench.way("alone", "frz", filters) for filters in (*FILTERS, OWN)]
    ways.append(bench.way("alone", "frz_nc", ROUNDED))
    ways.append(bench.way("alone", "frz", ROUNDED, threads=1))
    bench.run(ways)
    return ways


def packing_seconds(ways: list[Way]) -> dict[str, float]:
    """By filters: seconds that frazil takes for a record with all threads."""
    own = [way for way in ways if way.library == "frz" and way.threads == THREADS]
    return {way.filters: way.median("wall") / RECORDS for way in own}


def idle(bench: Bench, packing: dict[str, float], unit: float) -> list[Way]:
    """A model on one core, the others idle."""

    def work(filters: str) -> int:
        return round(COMPUTE_OVER_PACKING * packing[filters] / unit)

    ways = [bench.way("idle cores", "netcdf", PLAIN, work=work(ROUNDED))]
    for filters in (DEFLATE, ROUNDED, ZSTD, OWN):
        ways.append(bench.way("idle cores", "frz", filters, work=work(filters)))
    bench.run(ways)
    return ways


def busy(bench: Bench, packing: dict[str, float], unit: float, cores: int) -> list[Way]:
    """A model on every core, not bound and bound."""
    work = round(COMPUTE_OVER_PACKING * packing[DEFLATE] / unit)
    ways = []
    for bound in (False, True):
        case = "bound cores" if bound else "busy cores"

        def one(library: str, filters: str, case: str = case, bound: bool = bound) -> Way:
            return bench.way(case, library, filters, work=work, cores=cores, bound=bound)

        ways += [one("none", PLAIN), one("frz", DEFLATE)]
        if bound:
            ways.append(one("frz", f"{DEFLATE}+any_core"))
        else:
            ways += [one("frz", OWN), one("netcdf", DEFLATE)]
    bench.run(ways)
    return ways


def find(ways: list[Way], case: str, library: str, filters: str) -> Way:
    return next(w for w in ways if (w.case, w.library, w.filters) == (case, library, filters))


Judgement = tuple[str, float, float | None, bool]


def judgement(way: Way, ways: list[Way], cores: int) -> Judgement | None:
    """Against what, how many times as fast (or what part of its time), what is wanted, missed."""
    ours = way.library.startswith("frz")
    if way.case == "alone" and ours and way.threads == THREADS and way.filters in FILTERS:
        times = find(ways, "alone", "netcdf", way.filters).median("wall") / way.median("wall")
        wanted = WANTED_ALONE if way.filters == ROUNDED else None
        return "times as fast as netCDF-C", times, wanted, bool(wanted) and times < wanted
    if way.case == "alone" and ours and way.threads == 1:
        many = find(ways, "alone", "frz", way.filters).median("wall")
        efficiency = way.median("wall") / many / min(THREADS, cores)
        return f"efficiency of {THREADS} threads", efficiency, None, False
    if way.case == "idle cores" and ours:
        share = way.visible / find(ways, "idle cores", "netcdf", PLAIN).visible
        return "visible / netCDF-C uncompressed", share, 1.0, share > 1.0
    if way.case in ("busy cores", "bound cores") and way.library != "none":
        nothing = find(ways, way.case, "none", PLAIN).median("wall")
        cost = way.median("wall") - nothing
        peer = find(ways, "busy cores", "netcdf", DEFLATE).median("wall")
        peer_cost = peer - find(ways, "busy cores", "none", PLAIN).median("wall")
        wanted = (
            WANTED_BUSY if ours and way.case == "busy cores" and way.filters == DEFLATE else None
        )
        times = peer_cost / max(cost, 1e-6)
        return (
            f"{cost:.2f} s more; of netCDF-C's 1 /",
            times,
            wanted,
            bool(wanted) and times < wanted,
        )
    return None


def rows_of(ways: list[Way], cores: int) -> Iterator[dict[str, object]]:
    for way in ways:
        memory = max(times["memory_kib"] for times in way.times) / 1024
        found = judgement(way, ways, cores)
        missed = ["target"] if found and found[3] else []
        if way.library.startswith("frz") and memory > ALLOWED_MIB:
            missed.append("memory")
        yield {
            "case": way.case,
            "library": NAMES[way.library],
            "filters": way.filters,
            "threads": way.threads,
            "runs": len(way.times),
            "wall_s": round(way.median("wall"), 3),
            "visible_s": round(way.visible, 3),
            "computed_s": round(way.median("computed"), 3),
            "cpu_s": round(way.contender.cpu, 2),
            "output_mb": round(way.contender.output_bytes / 1e6, 1),
            "memory_mib": round(memory, 1),
            "against": found[0] if found else "",
            "ratio": round(found[1], 2) if found else "",
            "wanted": found[2] or "" if found else "",
            "missed": " and ".join(missed),
        }


def measure(programs: Path, about: dict[str, str], options: argparse.Namespace) -> None:
    plugin_path()
    bench = Bench(programs, options)
    record_mb = FIELDS * bench.levels * LATITUDES * LONGITUDES * 4 / 1e6
    print(f"\nstream: {RECORDS} records of {record_mb:.0f} MB, budget {MEMORY_MIB} MiB")
    cores = len(os.sched_getaffinity(0))
    ways = alone(bench)
    packing = packing_seconds(ways)
    for filters, seconds in packing.items():
        print(f"  packing a record, {filters}: {seconds:.3f} s; computation {1.5 * seconds:.3f} s")
    ways += idle(bench, packing, unit_seconds(bench, 1))
    ways += busy(bench, packing, unit_seconds(bench, cores), cores)
    rows = list(rows_of(ways, cores))
    show(rows, COLUMNS)
    if not options.quick:
        save(result_path(about, "model-stream-"), about, rows)
