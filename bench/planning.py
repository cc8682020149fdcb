"""What planning costs beside packing, on files above 100 MB; see README.md."""

import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from filters import LEVELS, goals
from measure import warm
from options import is_ready, parsed
from record import FOLDER, FRAZIL, build_input, machine, result_path, save, show

# Of the CPU seconds of packing without planning: what deciding may cost, by goal. Equal within a
# tenth, as times are elsewhere.
WANTED_PERCENT = {"speed": 10.0, "balanced": 10.0, "energy": 10.0, "size": 60.0, "archive": 300.0}
EQUAL = 1.1
# Of real fields: few large variables, compressed ones that get other chunks, many small ones.
SOURCES = ("tiled", "rechunk", "copies")
LEAST_BYTES = 100_000_000


@dataclass
class Row:
    """One way to pack a file, and what its runs report of themselves."""

    source: Path
    goal: str
    level: str
    reads: str = ""
    runs: list[dict[str, float]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.goal}, {self.level}{', ' * bool(self.reads)}{self.reads}"

    def run(self, output: Path) -> None:
        words = ["--readable-by", self.level, "--threads", 1]
        words += ["--goal", self.goal]
        words += ["--reads", self.reads, "--calibration", "default"] if self.reads else []
        command = [FRAZIL, "pack", self.source, "-o", output, "--json", *words]
        answer = subprocess.run([str(word) for word in command], capture_output=True, check=True)
        self.runs.append(json.loads(answer.stdout)["reports"][0])

    def median(self, figure: str) -> float:
        return statistics.median(run[figure] for run in self.runs)

    @property
    def percent(self) -> float:
        """CPU seconds of planning by those of packing without it."""
        shares = (
            run["planning_cpu_seconds"] / (run["cpu_seconds"] - run["planning_cpu_seconds"])
            for run in self.runs
        )
        return 100 * statistics.median(shares)

    @property
    def is_missed(self) -> bool:
        return self.percent > WANTED_PERCENT[self.goal] * EQUAL


def rows_of(source: Path, options: argparse.Namespace) -> list[Row]:
    stated = options.goals.split(",") if options.goals else goals()
    wanted = stated[:1] if options.quick else stated
    levels = LEVELS[:1] if options.quick else LEVELS
    found = [Row(source, goal, level) for level in levels for goal in wanted]
    return [*found, Row(source, "balanced", "any", "map,series")]


def measure(rows: list[Row], repeats: int) -> None:
    """All rows in turns."""
    output = FOLDER / "planned.nc"
    for turn in range(repeats):
        for row in rows:
            row.run(output)
            output.unlink()
            if turn == 0:
                took = [
                    f"{row.median(part):.3f}" for part in ("planning_cpu_seconds", "cpu_seconds")
                ]
                print(f"  {row.name:34} {' of '.join(took)} CPU s, {row.percent:.1f} %", flush=True)


def judged(rows: list[Row]) -> list[dict[str, object]]:
    return [
        {
            "file": row.source.stem,
            "raw_mb": f"{row.source.stat().st_size / 1e6:.0f}",
            "variables": variables(row.source),
            "goal": row.goal,
            "readers": row.level,
            "reads": row.reads,
            "plan_s": f"{row.median('planning_seconds'):.3f}",
            "plan_cpu_s": f"{row.median('planning_cpu_seconds'):.3f}",
            "pack_s": f"{row.median('seconds'):.3f}",
            "pack_cpu_s": f"{row.median('cpu_seconds'):.3f}",
            "percent": f"{row.percent:.2f}",
            "wanted_percent": WANTED_PERCENT[row.goal],
            "runs": len(row.runs),
            "missed": "share" if row.is_missed else "",
        }
        for row in rows
    ]


def variables(path: Path) -> int:
    answer = subprocess.run([FRAZIL, "info", path, "--json"], capture_output=True, check=True)
    return len(json.loads(answer.stdout)["reports"][0]["variables"])


COLUMNS = {
    "file": 10,
    "goal": 10,
    "readers": 9,
    "reads": 12,
    "plan_cpu_s": 12,
    "pack_cpu_s": 12,
    "percent": 9,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", default=",".join(SOURCES))
    parser.add_argument("--goals", help="all by default")
    return parsed(parser, repeats=7, quick="few rows, once: to see that it runs")


def main() -> int:
    options = arguments()
    if not is_ready():
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    about = machine()
    found = []
    for name in options.sources.split(","):
        source = build_input(name)
        if source.stat().st_size < LEAST_BYTES:
            print(f"{source.name} is smaller than 100 MB: left out")
            continue
        print(f"\n{name}: {source.stat().st_size / 1e6:.0f} MB")
        warm(source)
        rows = rows_of(source, options)
        measure(rows, options.repeats)
        found += judged(rows)
        show(found[-len(rows) :], COLUMNS)
    if not options.quick and found:
        save(result_path(about, "planning-"), about, found)
    held = sum(not row["missed"] for row in found)
    print(f"\nplanning keeps its budget in {held} of {len(found)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
