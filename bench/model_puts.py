"""Single values put one by one into one variable, from C and from Fortran."""

import argparse
import re
import statistics
from pathlib import Path

import netCDF4
import numpy as np
from measure import Contender, run_once
from record import FOLDER, result_path, save, show

# Program, calls, values; netCDF's are fewer, for they take their time.
OURS, THEIRS = 10_000_000, 500_000
WAYS = (
    ("puts-netcdf", "netCDF-C nc_put_var1_double", THEIRS, None),
    ("puts-fortran-netcdf", "netcdf-fortran nf90_put_var", THEIRS, None),
    ("puts-frz", "frz_put1_double", OURS, 1e7),
    ("puts-frz_nc", "frz_nc_put_var1_double", OURS, 1e7),
    ("puts-fortran-frazil", "frazil_netcdf nf90_put_var", OURS, 1e7),
)
COLUMNS = {"calls": 30, "values": 10, "puts_per_second": 17, "close_s": 9, "wanted": 12}


def check(path: Path, count: int) -> None:
    places = np.arange(count)
    expected = 280.0 + 1e-3 * (places % 4096) + 1e-6 * (places // 4096)
    with netCDF4.Dataset(path) as file:
        # Constants are folded differently by compilers: the last bit is theirs.
        if not np.allclose(file["v"][...], expected, rtol=1e-14, atol=0):
            raise SystemExit(f"{path.name} does not hold what was put")


def measure(programs: Path, about: dict[str, str], options: argparse.Namespace) -> None:
    print("\nputs: single values into one variable")
    found: dict[str, list[tuple[float, float]]] = {name: [] for name, *_ in WAYS}
    for turn in range(options.repeats):
        for name, _, values, _ in WAYS:
            count = values // 10 if options.quick else values

            def seconds(text: str, name: str = name) -> float:
                times = re.search(r"puts\s+([\d.]+) close\s+([\d.]+)", text)
                found[name].append((float(times[1]), float(times[2])))
                return sum(found[name][-1])

            command = [programs / name, FOLDER / "puts.nc", count]
            one = Contender(name, lambda _, command=command: command, 1, seconds)
            run_once(one, FOLDER / "puts.nc")
            if turn == 0:
                check(FOLDER / "puts.nc", count)
    (FOLDER / "puts.nc").unlink()
    rows = []
    for name, calls, values, wanted in WAYS:
        count = values // 10 if options.quick else values
        rate = count / statistics.median(puts for puts, _ in found[name])
        rows.append(
            {
                "calls": calls,
                "values": count,
                "runs": len(found[name]),
                "puts_per_second": round(rate),
                "close_s": round(statistics.median(close for _, close in found[name]), 3),
                "wanted": int(wanted) if wanted else "",
                "missed": "rate" if wanted and rate < wanted else "",
            }
        )
    show(rows, COLUMNS)
    if not options.quick:
        save(result_path(about, "model-puts-"), about, rows)
