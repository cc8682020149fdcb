"""What each goal, reader level and precision costs and brings on the bundled sample."""

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from measure import warm
from options import parsed
from record import FOLDER, FRAZIL, ROOT, machine, result_path, save, show, version_of

SOURCE = ROOT / "data/sample/squall_line_sample.nc"
GOALS = ("speed", "balanced", "size", "archive")
LEVELS = {"any": "any netCDF-4 reader", "plugins": "with HDF5's plugins", "frazil": "with frazil's"}
PRECISIONS = {
    "every bit": (),
    "5 digits": ("--digits", "5"),
    "99 % of the information": ("--keep-information", "0.99"),
}


@dataclass
class Row:
    """One way to pack the file."""

    precision: str
    readers: str
    what: str
    run: Callable[[Path], float]
    seconds: list[float] = field(default_factory=list)
    megabytes: float = 0.0

    def measure(self, output: Path) -> None:
        self.seconds.append(self.run(output))
        self.megabytes = output.stat().st_size / 1e6
        output.unlink()


def by_frazil(command: str, *words: str) -> Callable[[Path], float]:
    def run(output: Path) -> float:
        command_line = [FRAZIL, command, SOURCE, "-o", output, "--overwrite", "--json"]
        command_line += ["--threads", "1", *words]
        answer = subprocess.run(command_line, capture_output=True, check=True)
        return float(json.loads(answer.stdout)["reports"][0]["cpu_seconds"])

    return run


def by_nccopy(level: int) -> Callable[[Path], float]:
    def run(output: Path) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["nccopy", "-d", str(level), "-s", SOURCE, output], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return run


def rows_of(quick: bool) -> list[Row]:
    exact, anyone = "every bit", LEVELS["any"]
    found = [Row(exact, anyone, "no compression", by_frazil("unpack"))]
    if shutil.which("nccopy"):
        found += [Row(exact, anyone, f"nccopy -s -d {n}", by_nccopy(n)) for n in (1, 4, 9)]
    for precision, words in PRECISIONS.items():
        for level, readers in LEVELS.items():
            for goal in GOALS:
                run = by_frazil("pack", "--goal", goal, "--readable-by", level, *words)
                found.append(Row(precision, readers, goal, run))
    return found[:6] if quick else found


def judged(rows: list[Row]) -> list[dict[str, object]]:
    whole = rows[0].megabytes
    return [
        {
            "precision": row.precision,
            "readers": row.readers,
            "what": row.what,
            "mb": f"{row.megabytes:.2f}",
            "percent": f"{100 * row.megabytes / whole:.1f}",
            "cpu_s": f"{statistics.median(row.seconds):.2f}",
            "runs": len(row.seconds),
            "missed": "",
        }
        for row in rows
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    options = parsed(parser, repeats=3, quick="few rows, once: to see that it runs")
    FOLDER.mkdir(parents=True, exist_ok=True)
    about = machine(nccopy=version_of("nccopy") if shutil.which("nccopy") else "not installed")
    warm(SOURCE)
    rows = rows_of(options.quick)
    for _ in range(1 if options.quick else options.repeats):
        for row in rows:
            row.measure(FOLDER / "chosen.nc")
    found = judged(rows)
    show(found, {"precision": 26, "readers": 22, "what": 18, "mb": 9, "percent": 9, "cpu_s": 9})
    if not options.quick:
        save(result_path(about, "choices-"), about, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
