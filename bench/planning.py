"""What planning costs beside packing, on files above 100 MB; see README.md."""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from filters import LEVELS, goals
from measure import Contender, run_once, warm
from record import CORPUS, FOLDER, FRAZIL, build_input, machine, result_path, save, show

# Of packing, planning included.
WANTED_PERCENT = 5.0
# Of real fields: few large variables, compressed ones that get other chunks, many small ones.
SOURCES = ("tiled", "rechunk", "copies")
LEAST_BYTES = 100_000_000


@dataclass
class Row:
    """One way to pack a file: its planning alone, and all of it."""

    source: Path
    goal: str
    level: str
    reads: str = ""
    plan: Contender = field(init=False)
    pack: Contender = field(init=False)

    def __post_init__(self) -> None:
        words = ["--goal", self.goal, "--readable-by", self.level, "--threads", 1, "--quiet"]
        words += ["--reads", self.reads, "--calibration", "default"] if self.reads else []
        start = [FRAZIL, "pack", self.source]
        # A dry run decides as packing does, and times one more encoding of the samples.
        self.plan = Contender("planning", lambda out: [*start, "--dry-run", "-o", out, *words])
        self.pack = Contender("packing", lambda out: [*start, "-o", out, *words])

    @property
    def name(self) -> str:
        return f"{self.goal}, {self.level}{', ' * bool(self.reads)}{self.reads}"

    @property
    def percent(self) -> float:
        """CPU seconds of planning by those of packing, planning included."""
        return 100 * self.plan.cpu / self.pack.cpu


def rows_of(source: Path, options: argparse.Namespace) -> list[Row]:
    wanted = goals()[:1] if options.quick else goals()
    levels = LEVELS[:1] if options.quick else LEVELS
    found = [Row(source, goal, level) for level in levels for goal in wanted]
    return [*found, Row(source, "balanced", "any", "map,series")]


def measure(rows: list[Row], repeats: int) -> None:
    """All rows in turns."""
    output = FOLDER / "planned.nc"
    for turn in range(repeats):
        for row in rows:
            for one in (row.plan, row.pack):
                run_once(one, output)
                output.unlink(missing_ok=True)
            if turn == 0:
                took = f"{row.plan.cpus[0]:.2f} of {row.pack.cpus[0]:.2f} CPU s"
                print(f"  {row.name:34} {took}", flush=True)


def judged(rows: list[Row]) -> list[dict[str, object]]:
    return [
        {
            "file": row.source.stem,
            "raw_mb": f"{row.source.stat().st_size / 1e6:.0f}",
            "variables": variables(row.source),
            "goal": row.goal,
            "readers": row.level,
            "reads": row.reads,
            "plan_s": f"{row.plan.wall:.3f}",
            "plan_cpu_s": f"{row.plan.cpu:.3f}",
            "pack_s": f"{row.pack.wall:.3f}",
            "pack_cpu_s": f"{row.pack.cpu:.3f}",
            "percent": f"{row.percent:.2f}",
            "wanted_percent": WANTED_PERCENT,
            "runs": len(row.plan.walls),
            "missed": "share" if row.percent > WANTED_PERCENT else "",
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
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="few rows, once: to see that it runs")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if not CORPUS.is_dir():
        print(f"the corpus is not at {CORPUS} (set FRAZIL_CORPUS)", file=sys.stderr)
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
        measure(rows, 1 if options.quick else options.repeats)
        found += judged(rows)
        show(found[-len(rows) :], COLUMNS)
    if not options.quick and found:
        save(result_path(about, "planning-"), about, found)
    held = sum(not row["missed"] for row in found)
    print(
        f"\nplanning costs at most {WANTED_PERCENT:g} % of packing in {held} of {len(found)} rows"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
