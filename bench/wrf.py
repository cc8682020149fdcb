"""WRF's history through frazil, beside the model's own I/O packages: docs/wrf.md.

With --wrf, a built WRF source tree, the model runs its idealised supercell. Without, a program
stands in that makes the model's calls with fields that WRF wrote.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
import wrf_check
import wrf_crash
import wrf_plot
from record import FOLDER, machine, result_path, save, show, version_of
from wrf_model import STEP_S, Model, Run, Way
from wrf_standin import OURS, RAW, StandIn

GOALS = ("balanced", "speed", "size", "archive", "energy")
# WRF's own package asks for shuffle and deflate 2.
FILTERS = ("none", "deflate(2)", "shuffle+deflate(2)", "szip", "shuffle+szip")
CHUNKS = {
    "frazil's own": "",
    "for maps": "reads=map",
    "for series": "reads=series",
    "for both": "reads=map,series",
}
NO_OUTPUT = Way("no output", 0)
BINARY = "io_form 1, binary"
OWN_PACKED = "io_form 2, deflate 2"

WANTED_OVER_BINARY = 1.1
WANTED_OVER_PACKED = 0.1
WANTED_WALL = 1.02

COLUMNS = {
    "part": 9,
    "way": 26,
    "tasks": 7,
    "frames": 8,
    "runs": 6,
    "first_s": 9,
    "later_s": 9,
    "wall_s": 9,
    "output_mb": 11,
    "over_binary": 13,
    "over_packed": 13,
}


@dataclass
class Measured:
    """All runs of one way."""

    way: Way
    tasks: int
    frames: int
    runs: list[Run] = field(default_factory=list)
    reads: list[dict[str, object]] = field(default_factory=list)

    def median(self, what: Callable[[Run], float]) -> float:
        return statistics.median(what(run) for run in self.runs)

    def row(self, part: str) -> dict[str, object]:
        return {
            "part": part,
            "way": self.way.name,
            "tasks": self.tasks,
            "frames": self.frames,
            "runs": len(self.runs),
            "first_s": round(self.median(lambda run: run.first), 4),
            "later_s": round(self.median(lambda run: run.later), 4),
            "wall_s": round(self.median(lambda run: run.wall), 2),
            "output_mb": round(self.median(lambda run: run.output_bytes) / 1e6, 2),
            "over_binary": "",
            "over_packed": "",
            "chunk": "",
            "map_ms": "",
            "series_ms": "",
            "missed": "",
        }


def ours(model: Model | StandIn, name: str, options: str = "") -> Way:
    return Way(name, model.io_form, options)


def own_ways(model: Model | StandIn) -> list[Way]:
    """What the model, or the stand-in, has beside frazil."""
    if isinstance(model, StandIn):
        return [Way(RAW, 1)]
    ways = [Way(BINARY, 1), Way(OWN_PACKED, 2), Way("io_form 2, classic", 2, is_classic=True)]
    if model.has("PNETCDF"):
        ways.append(Way("io_form 11, PnetCDF", 11))
    if model.has("NETCDFPAR"):
        ways.append(Way("io_form 13, parallel netCDF", 13))
    return ways


def by_goal(model: Model | StandIn) -> list[Way]:
    return [ours(model, f"frazil, {goal}", f"goal={goal}") for goal in GOALS]


def gathered(model: Model | StandIn) -> list[Way]:
    """The spare slot: the model gathers each field on one task, which commits behind its back."""
    is_other = model.has("YYY") and model.io_form != 8
    return [Way("frazil, balanced, slot 8", 8, "goal=balanced")] if is_other else []


def by_filter(model: Model | StandIn) -> list[Way]:
    return [
        ours(model, f"frazil, {chain}", f"readable_by=plugins;filters={chain}") for chain in FILTERS
    ]


def by_chunks(model: Model | StandIn) -> list[Way]:
    own = [] if isinstance(model, StandIn) else [Way(OWN_PACKED, 2)]
    chain = "filters=shuffle+deflate(2)"
    return own + [
        ours(model, f"frazil, chunks {name}", ";".join(filter(None, (reads, chain))))
        for name, reads in CHUNKS.items()
    ]


def milliseconds(read: Callable[[], object]) -> float:
    began = time.perf_counter()
    read()
    return 1e3 * (time.perf_counter() - began)


def reads_of(path: Path) -> dict[str, object]:
    """Reading maps of one level, and series of one point, each in a file opened anew."""
    with netCDF4.Dataset(path) as data:
        times, levels, rows, columns = data["T"].shape
        chunk = "x".join(str(one) for one in data["T"].chunking())
    found: dict[str, list[float]] = {"map_ms": [], "series_ms": []}
    generator = np.random.default_rng(1)
    for _ in range(5):
        level, row, column = (int(generator.integers(n)) for n in (levels, rows, columns))
        for name, place in (
            ("map_ms", (times - 1, level)),
            ("series_ms", (slice(None), level, row, column)),
        ):
            with netCDF4.Dataset(path) as data:
                variable = data["T"]
                found[name].append(milliseconds(lambda v=variable, p=place: v[p]))
    medians = {name: round(statistics.median(times), 2) for name, times in found.items()}
    return {"chunk": chunk, **medians}


@dataclass
class Bench:
    model: Model | StandIn
    options: argparse.Namespace

    def take_turns(
        self, ways: list[tuple[Way, int, int]], must_read: bool = False
    ) -> list[Measured]:
        """Every way with so many tasks and frames, in turns."""
        all_of = [Measured(*one) for one in ways]
        for _ in range(self.options.repeats):
            for one in all_of:
                self.run(one, must_read)
        return all_of

    def run(self, one: Measured, must_read: bool) -> None:
        # What an earlier run left to be written must not slow this one down.
        os.sync()
        run = self.model.write(one.way, one.tasks, one.frames, self.options.steps)
        one.runs.append(run)
        if must_read:
            one.reads.append(reads_of(run.outputs[0]))
        self.model.clean(run)
        print(
            f"  {one.way.name:28} {one.tasks} tasks, {one.frames} frames: "
            f"{run.first:.3f} s, then {run.later:.3f} s a frame; {run.wall:.1f} s in all, "
            f"{run.output_bytes / 1e6:.1f} MB",
            flush=True,
        )

    def frames(self) -> list[dict[str, object]]:
        """Seconds a frame, as the model prints them."""
        # The slower goals stand among the filters.
        ways = [*own_ways(self.model), *by_goal(self.model)[:2], *gathered(self.model)]
        rows = []
        for tasks in self.options.tasks:
            chosen = [(way, tasks, self.options.frames) for way in ways if serves(way, tasks)]
            rows += judged([one.row("frames") for one in self.take_turns(chosen)])
        return rows

    def sizes(self) -> list[dict[str, object]]:
        """Wall time by the size of the output."""
        ways = [NO_OUTPUT, *own_ways(self.model)[:2], ours(self.model, OURS)]
        rows = []
        for tasks in self.options.tasks:
            counts = [self.options.frames * times for times in (1, 2, 4)]
            chosen = [(way, tasks, count) for count in counts for way in ways]
            found = [one.row("sizes") for one in self.take_turns(chosen)]
            rows += with_wall(found)
        return rows

    def filters(self) -> list[dict[str, object]]:
        """Size and wall time by filter and by goal, one task."""
        own = [way for way in own_ways(self.model) if serves(way, 1)]
        ways = [*own, *by_filter(self.model), *by_goal(self.model)]
        chosen = [(way, 1, self.options.frames) for way in ways]
        return judged([one.row("filters") for one in self.take_turns(chosen)])

    def chunks(self) -> list[dict[str, object]]:
        """Size and reads by the shape of chunks, one task."""
        chosen = [(way, 1, 2 * self.options.frames) for way in by_chunks(self.model)]
        rows = []
        for one in self.take_turns(chosen, must_read=True):
            read = {name: one.reads[0][name] for name in ("chunk",)}
            for name in ("map_ms", "series_ms"):
                read[name] = statistics.median(found[name] for found in one.reads)
            rows.append(one.row("chunks") | read)
        return rows


def serves(way: Way, tasks: int) -> bool:
    """Packages for many tasks stand beside one that gathers; with one task there is no use."""
    return tasks > 1 or way.io_form not in (11, 13)


def judged(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Adds how many times as long a frame takes as with the model's own packages."""
    seconds = {row["way"]: row["later_s"] for row in rows}
    for row in rows:
        for column, name, wanted in (
            ("over_binary", BINARY, WANTED_OVER_BINARY),
            ("over_packed", OWN_PACKED, WANTED_OVER_PACKED),
        ):
            if not seconds.get(name):
                continue
            row[column] = round(row["later_s"] / seconds[name], 2)
            is_default = row["way"] == "frazil, balanced"
            if is_default and row[column] > wanted:
                row["missed"] = f"{row['missed']} {column}".strip()
    return rows


def with_wall(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Judges our wall time by that without output, where a core is free."""
    silent = {row["frames"]: row["wall_s"] for row in rows if row["way"] == NO_OUTPUT.name}
    cores = len(os.sched_getaffinity(0))
    for row in rows:
        is_judged = row["way"] == OURS and row["tasks"] < cores
        if is_judged and row["wall_s"] > WANTED_WALL * silent[row["frames"]]:
            row["missed"] = "wall"
    return rows


def real(bench: Bench) -> Model:
    """The model, for parts that nothing else can do."""
    if isinstance(bench.model, StandIn):
        raise SystemExit("check and crash need --wrf; make test does it with a stand-in")
    return bench.model


def equality(bench: Bench) -> list[dict[str, object]]:
    """Every way of frazil that the program has, beside io_form 2."""
    model = real(bench)
    slots = {"FRAZIL_IO": "own number", "PHDF5": "slot 4", "YYY": "slot 8"}
    numbers = {"PHDF5": 4, "YYY": 8, "FRAZIL_IO": model.io_form}
    ways = [Way(name, numbers[macro]) for macro, name in slots.items() if model.has(macro)]
    return wrf_check.check(model, ways, tuple(bench.options.tasks), bench.options.check_steps)


def crashes(bench: Bench) -> list[dict[str, object]]:
    """Kills at several instants, with one task and with most; a disk that gets full."""
    rows = []
    for tasks in sorted({1, max(bench.options.tasks)}):
        rows += wrf_crash.kills(real(bench), tasks, bench.options.instants)
        rows.append(wrf_crash.full_disk(real(bench), tasks, bench.options.disk))
    return rows


PARTS: dict[str, Callable[[Bench], list[dict[str, object]]]] = {
    "check": equality,
    "crash": crashes,
    "frames": Bench.frames,
    "sizes": Bench.sizes,
    "filters": Bench.filters,
    "chunks": Bench.chunks,
}


def numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrf", type=Path, metavar="TREE", help="a built WRF source tree")
    parser.add_argument("--parts", default="frames,sizes,filters,chunks", help=", ".join(PARTS))
    parser.add_argument("--case", default="em_quarter_ss", help="or em_squall2d_x, for check")
    parser.add_argument("--points", type=int, default=80, help="of the grid, along x and y")
    parser.add_argument("--tasks", type=numbers, default=[1, 2, 4])
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2, help="time steps between frames")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--spin-up", type=int, default=3600, metavar="SECONDS")
    parser.add_argument("--check-steps", type=int, default=wrf_check.STEPS)
    parser.add_argument("--instants", type=int, default=8, help="of kills")
    parser.add_argument("--disk", type=int, default=4, metavar="MIB", help="that gets full")
    parser.add_argument("--quick", action="store_true", help="less of all, once, not kept")
    parser.add_argument("--keep-in", type=Path, default=FOLDER / "wrf", help="files of the runs")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}: {', '.join(PARTS)}")
    if options.quick:
        options.points, options.repeats, options.frames, options.spin_up = 40, 1, 2, 10 * STEP_S
    return options


def model_of(options: argparse.Namespace) -> Model | StandIn:
    if options.wrf is None:
        return StandIn(options.keep_in)
    # The squall line has a grid and physics of its own.
    is_squall = "squall" in options.case
    points = 0 if is_squall else options.points
    # WRF for MPI wants at least ten rows a task; the case has two.
    physics = {"e_sn": 13} if is_squall else {"mp_physics": 6}
    folder = options.keep_in / f"{options.case}-{points}"
    model = Model(options.wrf.resolve(), folder, points, case=options.case, physics=physics)
    if not list(folder.glob("start/wrfinput_d01")):
        model.make_input()
    if set(options.parts) - {"check", "crash"}:
        model.spin_up(options.spin_up, len(os.sched_getaffinity(0)))
    return model


def main() -> None:
    options = parsed()
    model = model_of(options)
    peers = {
        "mpi": version_of("mpirun", "--version"),
        "fortran": version_of("gfortran", "--version"),
    }
    peers["netcdf_c"] = version_of("nc-config", "--version")
    about = machine(**model.about(), **peers)
    bench = Bench(model, options)
    kind = "wrf" if isinstance(model, Model) else "wrf-standin"
    kind += "-squall" if "squall" in options.case else ""
    for part in options.parts:
        print(f"\n{part}")
        rows = PARTS[part](bench)
        if part not in ("check", "crash"):
            show(rows, COLUMNS)
        if not options.quick:
            about["load_at_end"] = f"{os.getloadavg()[0]:.2f}"
            save(result_path(about, f"{kind}-{part}-"), about, rows)
    if not options.quick:
        wrf_plot.draw_all()


if __name__ == "__main__":
    main()
