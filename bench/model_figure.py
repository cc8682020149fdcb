"""Figure 1 of "NetCDF write performance: Chunking, slicing, openmp" (2020), with both libraries.

A runner computes for one second (it sleeps, as the article's does), then a writer writes two
variables of 300 000 values: slice by slice, into chunks of a chosen size or without a word about
chunks. With OpenMP, three steps: the runner is one step ahead of the writer; times are per step.
"""

import argparse
import re
import statistics
from pathlib import Path

import netCDF4
import numpy as np
from measure import Contender, run_once
from model_plot import bars
from record import FOLDER, ROOT, result_path, save, show

SIZES = (1, 10, 100, 1000)
# 0: no chunking call.
CHUNKS = (0, *SIZES)
COMPUTE_S = 1.0
STEPS = {"plain": 1, "openmp": 3}
SLOW_S = 4.0
# Below this, two times are the same.
NOISE_S = 0.02
COLUMNS = {
    "build": 9,
    "chunk": 7,
    "slice": 7,
    "netcdf_fortran_s": 18,
    "frazil_s": 10,
    "netcdf_fortran_io": 19,
    "frazil_io": 11,
    "wanted_s": 10,
}


def wanted_seconds(chunk: int) -> float | None:
    """What a cell with ours may take."""
    return {1: None, 10: 1.4}.get(chunk, 1.2)


def contenders(programs: Path, build: str, n: int, chunk: int, slice_: int) -> list[Contender]:
    def one(library: str) -> Contender:
        program = programs / f"figure-{build}-{library}"
        return Contender(
            library,
            lambda out: [program, n, chunk, slice_, STEPS[build], COMPUTE_S, out],
            reported_seconds=lambda text: float(re.search(r"per_step\s+([\d.]+)", text)[1]),
        )

    return [one("netcdf"), one("frazil")]


def values_of(path: Path) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(path) as file:
        return {name: np.asarray(file[name][...]) for name in ("xdata", "ydata")}


def measure_cell(both: list[Contender], options: argparse.Namespace) -> None:
    """Both libraries in turns; what is slow, less often."""
    found = []
    for turn in range(options.repeats):
        for one in both:
            if turn >= options.slow_repeats and one.walls[0] > SLOW_S:
                continue
            output = FOLDER / "figure.nc"
            run_once(one, output)
            if turn == 0:
                found.append(values_of(output))
            output.unlink()
    for name, values in found[0].items():
        if values.tobytes() != found[1][name].tobytes():
            raise SystemExit(f"{name} differs between netcdf-fortran and frazil")


def io_share(seconds: float) -> float:
    return max(0.0, 1 - COMPUTE_S / seconds)


def judge(build: str, chunk: int, slice_: int, both: list[Contender]) -> dict[str, object]:
    theirs, ours = (statistics.mean(one.walls) for one in both)
    wanted = wanted_seconds(chunk)
    missed = []
    if wanted and ours > wanted:
        missed.append("time")
    if ours > theirs + NOISE_S:
        missed.append("slower than netcdf-fortran")
    return {
        "build": build,
        "chunk": chunk or "none",
        "slice": slice_,
        "netcdf_fortran_runs": len(both[0].walls),
        "netcdf_fortran_s": round(theirs, 3),
        "netcdf_fortran_median_s": round(both[0].wall, 3),
        "frazil_runs": len(both[1].walls),
        "frazil_s": round(ours, 3),
        "frazil_median_s": round(both[1].wall, 3),
        "netcdf_fortran_io": f"{100 * io_share(theirs):.1f} %",
        "frazil_io": f"{100 * io_share(ours):.1f} %",
        "frazil_cpu_s": round(both[1].cpu, 3),
        "wanted_s": wanted or "",
        "missed": " and ".join(missed),
    }


def measure(programs: Path, about: dict[str, str], options: argparse.Namespace) -> None:
    n = 30_000 if options.quick else 300_000
    print(f"\nfigure: {n} values, {COMPUTE_S} s of computation in each step")
    rows = []
    for build in STEPS:
        for chunk in CHUNKS:
            for slice_ in SIZES:
                both = contenders(programs, build, n, chunk, slice_)
                measure_cell(both, options)
                rows.append(judge(build, chunk, slice_, both))
                row = rows[-1]
                print(
                    f"  {build:7} chunk {row['chunk']!s:5} slice {slice_:5} "
                    f"netcdf-fortran {row['netcdf_fortran_s']:7.3f}  frazil {row['frazil_s']:7.3f} "
                    f"{row['missed']}",
                    flush=True,
                )
    show(rows, COLUMNS)
    if options.quick:
        return
    save(result_path(about, "model-figure-"), about, rows)
    plot = ROOT / "docs/figures/writing_from_models.svg"
    plot.parent.mkdir(parents=True, exist_ok=True)
    plot.write_text(bars(rows))
    print(f"written: {plot.relative_to(ROOT)}")
