"""Many variables in one file: definitions, puts and closing, beside netCDF-C."""

import argparse
import re
import statistics
from pathlib import Path

from measure import Contender, run_once
from record import FOLDER, result_path, save, show

COUNTS = (1_000, 10_000, 20_000, 100_000)
WAYS = (("objects-netcdf", "netCDF-C"), ("objects-frz_nc", "frazil"))
# netCDF-C refuses more of one dimension: the list of who uses it does not fit into an attribute.
MOST_OF_NETCDF = 20_000
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
        theirs = 0.0
        for name, library in WAYS:
            if library == "netCDF-C" and count > MOST_OF_NETCDF:
                continue
            defined, put, closed = _seconds(programs / name, count, options.repeats)
            total = defined + put + closed
            theirs = theirs or (0.0 if count > MOST_OF_NETCDF else total)
            rows.append(
                {
                    "library": library,
                    "variables": count,
                    "defined_s": round(defined, 3),
                    "put_s": round(put, 3),
                    "closed_s": round(closed, 3),
                    "all_s": round(total, 3),
                    "times": round(total / theirs, 2) if theirs else "",
                    "wanted": WANTED if library == "frazil" and theirs else "",
                    "missed": "time" if theirs and total > WANTED * theirs else "",
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
