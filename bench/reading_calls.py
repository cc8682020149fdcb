"""Reading through netCDF's calls: one program, alone and under `frazil run`, in turns.

    python bench/reading_calls.py FOLDER [WRF_FILE]

Prints medians of seconds: the whole program, its CPU time, opening with all inquiries, reading.
"""

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import netCDF4
import numpy as np

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "bench/read/netcdf_calls.c"
FRAZIL = os.environ.get("FRAZIL_BIN", str(ROOT / "target/release/frazil"))
ROUNDS = 7


def many_variables(path: Path, count: int) -> Path:
    """Small variables of one map, with attributes."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 20), file.createDimension("x", 30)
        for number in range(count):
            variable = file.createVariable(f"v{number}", "f4", ("y", "x"))
            variable.units, variable.long_name = "K", f"variable number {number}"
    return path


def compressed(path: Path) -> Path:
    """200 MB of smooth fields, a chunk for each record, shuffled and deflated."""
    rows, columns = np.mgrid[0:500, 0:1000]
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("t", None), ("y", 500), ("x", 1000)):
            file.createDimension(name, length)
        options = {"zlib": True, "complevel": 4, "chunksizes": (1, 500, 1000)}
        v = file.createVariable("v", "f4", ("t", "y", "x"), **options)
        noise = np.random.default_rng(0).normal(scale=1e-3, size=rows.shape)
        for record in range(100):
            v[record] = np.sin(rows / 90 + record / 7) * np.cos(columns / 110) + noise
    return path


def cpu_seconds() -> float:
    """Of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command: list[str]) -> tuple[float, ...]:
    before, begin = cpu_seconds(), time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    whole = time.perf_counter() - begin
    return whole, cpu_seconds() - before, *map(float, done.stdout.split())


def main() -> None:
    folder = Path(sys.argv[1])
    program = str(folder / "netcdf_calls")
    flags = subprocess.run(
        ["nc-config", "--cflags", "--libs"], capture_output=True, text=True, check=True
    )
    subprocess.run(["cc", "-O2", str(SOURCE), "-o", program, *flags.stdout.split()], check=True)
    cases = {
        "10,000 variables": [str(many_variables(folder / "many.nc", 10_000))],
        "200 MB, deflated": [str(compressed(folder / "deflated.nc")), "v"],
    }
    if len(sys.argv) > 2:
        cases["WRF"] = [sys.argv[2], "U"]
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
    for name, arguments in cases.items():
        ways = {"plain": [program], "frazil run": [FRAZIL, "run", "-q", "--", program]}
        found: dict[str, list[tuple[float, ...]]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, command in ways.items():
                found[way].append(seconds([*command, *arguments]))
        for way, rows in found.items():
            medians = [statistics.median(column) for column in zip(*rows, strict=True)]
            print(f"{name}, {way}: whole, CPU, open, read", *(f"{one:.4f}" for one in medians))


if __name__ == "__main__":
    main()
