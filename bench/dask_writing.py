"""frazil.to_netcdf beside xarray's to_zarr on a cluster of processes; see README.md."""

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import files_of
from record import CORPUS, FOLDER, machine, result_path, save, show
from versions import package_versions
from xarray_writing import BYTES_PER_STEP, HERE, make_frames, remove

STEPS, QUICK_STEPS = 8000, 512
WORKERS = 4
NAMES = (
    "nowhere",
    "frazil",
    "frazil-killed",
    "frazil default",
    "zarr default",
    "zarr deflate1",
    "zarr blosc-zlib1",
)
OURS = ("frazil", "frazil-killed", "frazil default")
# Memory with all of the data over that with half of it.
WANTED_GROWTH = 1.1
# Differences below this are chance.
FLAT_MIB = 64


@dataclass
class Way:
    """One way to write so many time steps."""

    name: str
    steps: int
    results: list[dict[str, float]] = field(default_factory=list)
    output_bytes: int = 0

    @property
    def output(self) -> Path:
        return FOLDER / f"write/dask{'.zarr' if self.name.startswith('zarr') else '.nc'}"

    def run(self, frames: Path, is_first: bool) -> None:
        # What earlier runs left to be written to the disk is none of this one's.
        os.sync()
        said = run("peer_dask.py", self.name, frames, self.steps, WORKERS, self.output)
        self.results.append(json.loads(said.splitlines()[-1]))
        if self.name != "nowhere":
            self.output_bytes = sum(one.stat().st_size for one in files_of(self.output))
            if is_first:
                run("peer_write.py", "check", "-", frames, self.steps, WORKERS, self.output)
            remove(self.output)
        print(f"  {self.name:17} {self.results[-1]['write_s']:8.2f} s", flush=True)

    def median(self, what: str) -> float:
        return statistics.median(result[what] for result in self.results)

    def most_mib(self, what: str) -> float:
        return max(result[what] for result in self.results) / 1024


def run(script: str, *words: object) -> str:
    command = [sys.executable, HERE / script, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{script} ends with {done.returncode}:\n{done.stderr[-3000:]}")
    return done.stdout


def row(way: Way, ways: list[Way], half: list[Way]) -> dict[str, object]:
    """A peer's row says how many times as fast frazil is."""
    of_ours = "frazil default" if way.name == "zarr default" else "frazil"
    own = next((one for one in ways if one.name == of_ours), None)
    before = next(one for one in half if one.name == way.name)
    times = None
    if own is not None and way.name.startswith("zarr"):
        times = way.median("write_s") / own.median("write_s")
    missed = [
        f"flat memory of the {who}"
        for who in ("client", "worker")
        if way.name in OURS and has_grown(before.most_mib(f"{who}_kib"), way.most_mib(f"{who}_kib"))
    ]
    megabytes = way.steps * BYTES_PER_STEP / 1e6
    return {
        "way": way.name,
        "workers": WORKERS,
        "runs": len(way.results),
        "data_mb": round(megabytes, 1),
        "write_s": round(way.median("write_s"), 3),
        "min_s": round(min(result["write_s"] for result in way.results), 3),
        "max_s": round(max(result["write_s"] for result in way.results), 3),
        "mb_per_s": round(megabytes / way.median("write_s"), 1),
        "output_bytes": way.output_bytes,
        "client_mib": round(way.most_mib("client_kib"), 1),
        "worker_mib": round(way.most_mib("worker_kib"), 1),
        "frazil_times": round(times, 2) if times else "",
        "missed": " and ".join(missed),
    }


def has_grown(before: float, after: float) -> bool:
    return after > WANTED_GROWTH * before and after - before > FLAT_MIB


COLUMNS = {
    "way": 18,
    "data_mb": 9,
    "write_s": 9,
    "mb_per_s": 10,
    "output_bytes": 13,
    "client_mib": 11,
    "worker_mib": 11,
    "frazil_times": 13,
}


def measure(steps: int, repeats: int, frames: Path, *, peers: int) -> list[Way]:
    """Frazil so many times, and `peers` times the others, in turns."""
    print(f"\n{steps * BYTES_PER_STEP / 1e6:.0f} MB")
    ways = [Way(name, steps) for name in NAMES]
    for turn in range(repeats):
        for way in ways:
            if way.name in OURS or turn < peers:
                way.run(frames, is_first=turn == 0)
    return ways


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="less data, once: to see that it runs")
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"the corpus is not at {CORPUS} (set FRAZIL_CORPUS)", file=sys.stderr)
        return 2
    steps, repeats = (QUICK_STEPS, 1) if options.quick else (STEPS, options.repeats)
    frames = make_frames()
    about = machine(**package_versions())
    # As often as all of the data: the most of more runs is more.
    half = measure(steps // 2, repeats, frames, peers=1)
    whole = measure(steps, repeats, frames, peers=repeats)
    rows = [row(way, ways, half) for ways in (half, whole) for way in ways]
    show(rows, COLUMNS)
    if not options.quick:
        save(result_path(about, "dask-"), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
