"""Many variables in one file: definitions, puts and closing, beside netCDF-C."""

import argparse
import re
import statistics
from pathlib import Path

from measure import Contender, run_once
from record import FOLDER, result_path, save, show

COUNTS = (1_000, 10_000, 20_000, 100_000)
WAYS = (("objects-netcdf", "netCDF-C"), ("objects-frz_nc", "frazil"))
# As many times netCDF-C's time as may be taken.
WANTED = 1.5
COLUMNS = {
    "library": 10,
    "variables": 10,
    "defined_s": 10,
    "put_s": 8,
    "closed_s": 9,
    "all_s": 8,
    "times": 7,
    "wanted": 7,
}


def measure(programs: Path, about: dict[str, str], options: argparse.Namespace) -> None:
    print("\nobjects: many variables of one dimension")
    rows = []
    for count in COUNTS[:2] if options.quick else COUNTS:
        found = {name: _seconds(programs / name, count, options.repeats) for name, _ in WAYS}
        theirs = sum(found["objects-netcdf"])
        for name, library in WAYS:
            defined, put, closed = found[name]
            times = (defined + put + closed) / theirs
            rows.append(
                {
                    "library": library,
                    "variables": count,
                    "defined_s": round(defined, 3),
                    "put_s": round(put, 3),
                    "closed_s": round(closed, 3),
                    "all_s": round(defined + put + closed, 3),
                    "times": round(times, 2),
                    "wanted": WANTED if library == "frazil" else "",
                }
            )
    show(rows, COLUMNS)
    if not options.quick:
        save(result_path(about, "model-objects-"), about, rows)


def _seconds(program: Path, count: int, repeats: int) -> list[float]:
    """Medians of the seconds for definitions, puts and closing."""
    found: list[list[float]] = []

    def seconds(text: str) -> float:
        said = re.search(r"defined ([\d.]+) put ([\d.]+) closed ([\d.]+)", text)
        found.append([float(part) for part in said.groups()])
        return sum(found[-1])

    target = FOLDER / "objects.nc"
    command = [program, target, count]
    for _ in range(repeats):
        run_once(Contender(program.name, lambda _: command, 1, seconds), target)
    target.unlink()
    return [statistics.median(column) for column in zip(*found, strict=True)]
