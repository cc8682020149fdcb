#!/usr/bin/env python3
"""WRF without any change to it: the stock program, the same under `frazil run`, and one linked with
the drop-in netCDF. docs/wrf.md#nothing-is-changed

    bench/wrf_unmodified.py CASE --stock WRF_EXE [--drop-in WRF_EXE] [--repeats N] [--seconds S]

CASE is a folder with what the model reads: namelist.input, wrfinput_d01 and others. History goes
through WRF's own netCDF package (io_form 2). The ways take turns; every file is compared with that
of the stock program, bit by bit.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import wrf_check
from record import FRAZIL, machine, result_path, save, show, version_of
from wrf_model import END, LOG, WRITTEN, Run, with_settings

COLUMNS = {
    "way": 32,
    "runs": 6,
    "frames": 8,
    "first_s": 9,
    "later_s": 9,
    "cpu_s": 8,
    "output_mb": 11,
    "over_stock": 12,
    "differs": 10,
}
WANTED_OVER_STOCK = 0.2
RUN = "frazil run"
DROP_IN = "drop-in netCDF"
BEHIND = ", commits behind"


def run(case: Path, folder: Path, command: list[str], settings: dict[str, object]) -> Run:
    """Runs the model in a folder of its own; `wall` are seconds of the processor."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in case.iterdir():
        (folder / path.name).symlink_to(path.resolve())
    namelist = folder / "namelist.input"
    text = namelist.read_text()
    namelist.unlink()
    namelist.write_text(with_settings(text, settings))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (folder / "said").open("w") as said:
        subprocess.run(command, cwd=folder, stdout=said, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = folder / (LOG if (folder / LOG).exists() else "said")
    words = log.read_text("latin-1")
    if END not in words:
        raise SystemExit(f"WRF did not end well: see {folder}\n{words[-1500:]}")
    written = WRITTEN.findall(words)
    frames = [float(s) for path, s in written if Path(path).name.startswith("wrfout")]
    size = sum(path.stat().st_size for path in folder.glob("wrfout_d01_*"))
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(used, frames, size, folder)


def is_written_by_frazil(run: Run) -> bool:
    return any(b"frazil" in path.read_bytes() for path in run.outputs)


def measure(arguments: argparse.Namespace, ways: dict[str, list[str]], work: Path) -> list[dict]:
    settings = {
        "run_seconds": arguments.seconds,
        "history_interval_s": arguments.interval,
        "restart_interval_s": 10 * arguments.seconds,
        "frames_per_outfile": 100000,
        "io_form_history": 2,
    }
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    differing: dict[str, list[str]] = {name: [] for name in ways}
    for _ in range(arguments.repeats):
        time.sleep(arguments.pause)
        for name, command in ways.items():
            runs[name].append(run(arguments.case, work / name, command, settings))
        reference = runs["stock"][-1]
        for name in ways:
            ours = runs[name][-1]
            if is_written_by_frazil(ours) != (name != "stock"):
                raise SystemExit(f"{name}: not written by what should have: see {ours.folder}")
            for one, other in zip(ours.outputs, reference.outputs, strict=True):
                differing[name] += wrf_check.differences(one, other)
    stock = statistics.median(run.later for run in runs["stock"])
    rows = []
    for name, found in runs.items():
        later = statistics.median(run.later for run in found)
        differs = "; ".join(sorted({*differing[name]})) or "nothing"
        missed = "over_stock" if name != "stock" and later > WANTED_OVER_STOCK * stock else ""
        rows.append(
            {
                "way": name,
                "runs": len(found),
                "frames": len(found[0].frames),
                "first_s": round(statistics.median(run.first for run in found), 4),
                "later_s": round(later, 4),
                "cpu_s": round(statistics.median(run.wall for run in found), 2),
                "output_mb": round(found[0].output_bytes / 1e6, 2),
                "over_stock": round(later / stock, 3),
                "differs": differs,
                "missed": missed if differs == "nothing" else f"{missed} equality".strip(),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", type=Path)
    parser.add_argument("--stock", type=Path, required=True, help="wrf.exe with any netCDF")
    parser.add_argument("--drop-in", type=Path, help="wrf.exe with that of `make install-netcdf`")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=48, help="that the model computes")
    parser.add_argument("--interval", type=int, default=12, help="seconds between frames")
    parser.add_argument("--pause", type=int, default=0, help="seconds before each round")
    arguments = parser.parse_args()
    arguments.case = arguments.case.absolute()
    stock = str(arguments.stock.absolute())
    ways = {"stock": [stock], RUN: [str(FRAZIL), "run", "-q", "--", stock]}
    ways[RUN + BEHIND] = [str(FRAZIL), "run", "-q", "--commit-behind", "--", stock]
    if arguments.drop_in:
        drop_in = str(arguments.drop_in.absolute())
        ways[DROP_IN] = [drop_in]
        ways[DROP_IN + BEHIND] = ["env", "FRAZIL_RUN_COMMIT_BEHIND=1", drop_in]
    about = machine(
        netcdf_c=version_of("nc-config", "--version"),
        fortran=version_of("gfortran", "--version"),
    )
    with tempfile.TemporaryDirectory(prefix="wrf-unmodified-") as folder:
        rows = measure(arguments, ways, Path(folder))
    show(rows, COLUMNS)
    about["load_at_end"] = f"{os.getloadavg()[0]:.2f}"
    save(result_path(about, "wrf-unmodified-"), about, rows)


if __name__ == "__main__":
    main()
