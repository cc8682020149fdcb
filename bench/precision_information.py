"""`frazil analyze` beside xbitinfo, and its memory on a variable ten times the budget."""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from measure import Contender, run_once, take_turns, warm
from record import FOLDER, FRAZIL, ROOT, build_input, show

VARIABLE = "tas"
THREADS = (1, 4)
WANTED_TIMES = {4: 20.0}
# The budget for the large variable, which is ten times as large, and what the process may take
# beside it.
BUDGET_MIB = 32
WANTED_PEAK_MIB = BUDGET_MIB + 64

PEER_PYTHON = Path(os.environ.get("FRAZIL_BENCH_PYTHON") or ROOT / ".venv-bench/bin/python")


@dataclass
class Peer:
    """xbitinfo, in a Python of its own."""

    source: Path
    dimension: str
    seconds: list[float] = field(default_factory=list)
    answer: dict = field(default_factory=dict)

    def run(self) -> None:
        script = Path(__file__).with_name("peer_xbitinfo.py")
        command = [PEER_PYTHON, script, self.source, VARIABLE, self.dimension]
        answer = subprocess.run(command, check=True, capture_output=True)
        self.answer = json.loads(answer.stdout)
        self.seconds.append(self.answer["seconds"])
        print(f"  {'xbitinfo':34} {self.seconds[-1]:8.2f} s", flush=True)


def analyze(source: Path, *options: object) -> list[object]:
    return [FRAZIL, "analyze", source, "--json", *options]


def report(source: Path) -> dict:
    """What frazil says about the variable."""
    command = [str(word) for word in analyze(source)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    # One file: one report.
    found = answer.get("reports", [answer])[0]
    return next(one for one in found["variables"] if one["path"] == f"/{VARIABLE}")


def same_information(ours: list[float], theirs: list[float]) -> float:
    """The largest difference over the bits that frazil finds significant."""
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True) if a > 0)


def row(contender: str, threads: int, wall: float, peak_mib: object = "") -> dict:
    return {
        "contender": contender,
        "threads": threads,
        "wall_s": round(wall, 3),
        "times_xbitinfo": "",
        "wanted_times": "",
        "peak_mib": peak_mib,
        "wanted_peak_mib": "",
        "significant_bits": "",
        "largest_difference_bits": "",
        "missed": "",
    }


COLUMNS = {
    "contender": 38,
    "threads": 9,
    "wall_s": 9,
    "times_xbitinfo": 16,
    "wanted_times": 14,
    "peak_mib": 10,
    "wanted_peak_mib": 17,
    "significant_bits": 18,
    "largest_difference_bits": 25,
}


def measure(repeats: int) -> list[dict]:
    """All rows."""
    source, large = build_input("information"), build_input("information_large")
    print(f"\ninformation in the bits, {source.stat().st_size / 1e6:.0f} MB")
    rows = [*beside_xbitinfo(source, repeats), in_little_memory(large, repeats)]
    show(rows, COLUMNS)
    return rows


def beside_xbitinfo(source: Path, repeats: int) -> list[dict]:
    found = report(source)
    axis, dimension = found["axis"]
    print(f"  xbitinfo looks along {dimension} (axis {axis}) only, which frazil finds itself")
    peer = Peer(source, dimension)
    ours = [
        Contender(
            f"frazil, {n} threads", lambda _, n=n: analyze(source, "--threads", n, "--quiet"), n
        )
        for n in THREADS
    ]
    warm(source)
    for _ in range(repeats):
        peer.run()
        take_turns(ours, 1, FOLDER, lambda _: None)
    wall = statistics.median(peer.seconds)
    rows = [row("xbitinfo, one axis, values in memory", 1, wall)]
    rows[0]["significant_bits"] = peer.answer["significant_bits"]
    difference = same_information(found["information"], peer.answer["information"])
    for one in ours:
        mine = row(f"{one.name}, whole command", one.threads, one.wall, round(one.peak_mib, 1))
        mine["times_xbitinfo"] = round(wall / one.wall, 1)
        mine["wanted_times"] = WANTED_TIMES.get(one.threads, "")
        mine["significant_bits"] = found["significant_bits"]
        mine["largest_difference_bits"] = f"{difference:.1e}"
        if mine["wanted_times"] and wall / one.wall < mine["wanted_times"]:
            mine["missed"] = "speed"
        rows.append(mine)
    return rows


def in_little_memory(source: Path, repeats: int) -> dict:
    """Memory on a variable that is ten times the budget."""
    options = ("--threads", 4, "--memory", f"{BUDGET_MIB}MiB", "--quiet")
    one = Contender("frazil", lambda _: analyze(source, *options), 4)
    for _ in range(repeats):
        run_once(one, FOLDER / "output.nc")
    size = source.stat().st_size >> 20
    found = row(f"frazil, {size} MiB in {BUDGET_MIB} MiB", 4, one.wall, round(one.peak_mib, 1))
    found["wanted_peak_mib"] = WANTED_PEAK_MIB
    found["missed"] = "memory" if one.peak_mib > WANTED_PEAK_MIB else ""
    return found
