"""`frazil pack` beside nccopy, h5repack and cmip7repack: one run, taking turns, medians."""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measure import Contender, take_turns, warm
from options import is_ready
from record import (
    CORPUS,
    FOLDER,
    FRAZIL,
    FRAZIL_BENCH,
    build_input,
    machine,
    result_path,
    save,
    show,
    version_of,
)

THREADS = (1, 4)

# Where results are wanted: case, threads, how many times as fast as the fastest peer.
WANTED = {
    ("squall", 1): 1.5,
    ("squall", 4): 5.5,
    ("tiled", 1): 1.5,
    ("tiled", 4): 5.5,
    ("rechunk", 4): 15.0,
    ("cmip7", 4): 5.5,
}
WANTED_SIZE = 1.005
WANTED_OVER_CODEC_LOOP = 1.25
# The default budget for chunk buffers, and what the rest of the process may take.
WANTED_PEAK_MIB = 256 + 64

RECHUNK = {"Time": 13, "bottom_top": 40, "south_north": 64, "west_east": 64}


@dataclass
class Case:
    """A job that all contenders do."""

    name: str
    level: int
    source: Path
    peers: list[Contender]
    frazil: list[Contender]
    codec_loops: list[Contender]

    @property
    def contenders(self) -> list[Contender]:
        return self.peers + self.frazil + self.codec_loops


def find_input(case: str) -> Path:
    """The input of a case; built where it is not there yet."""
    return CORPUS / "wrf/squall_line.nc" if case == "squall" else build_input(case)


def frazil_contenders(source: Path, *options: object) -> list[Contender]:
    """frazil pack with these options, once per number of threads."""

    def command(threads: int) -> Callable[[Path], list[object]]:
        return lambda output: [
            *(FRAZIL, "pack", source, "-o", output, "--quiet", "--threads", threads),
            *options,
        ]

    return [Contender(f"frazil, {n} threads", command(n), n) for n in THREADS]


def codec_loops(source: Path, level: int) -> list[Contender]:
    """The bare codec loop over the same chunks, where frazil-bench is built."""
    if not FRAZIL_BENCH.exists():
        return []

    def command(threads: int) -> Callable[[Path], list[object]]:
        options = ("--keep-chunks", "--shuffle", "on", "--level", level, "--threads", threads)
        words = (FRAZIL_BENCH, "codec-loop", source, *options, "--repeats", 1, "--json")
        return lambda output: [*words]

    def seconds(text: str) -> float:
        return float(json.loads(text)["median_seconds"])

    return [Contender(f"bare codec loop, {n} threads", command(n), n, seconds) for n in THREADS]


def same_chunks(name: str, level: int) -> Case:
    """Chunk shapes stay; shuffle and deflate at one level."""
    source = find_input(name)
    nccopy = Contender("nccopy", lambda out: ["nccopy", "-d", level, "-s", source, out])
    filters = ("-f", "SHUF", "-f", f"GZIP={level}")
    h5repack = Contender("h5repack", lambda out: ["h5repack", *filters, source, out])
    options = ("--keep-chunks", "--level", level, "--shuffle", "on")
    ours = frazil_contenders(source, *options)
    return Case(name, level, source, [nccopy, h5repack], ours, codec_loops(source, level))


def rechunk() -> Case:
    """Every variable into new chunks of many time steps."""
    source = find_input("rechunk")
    per_dimension = ",".join(f"{name}/{size}" for name, size in RECHUNK.items())
    nccopy = Contender("nccopy -c", lambda out: ["nccopy", "-c", per_dimension, source, out])
    chunks = ",".join(f"{name}={size}" for name, size in RECHUNK.items())
    ours = frazil_contenders(source, "--chunks", chunks, "--level", 2, "--shuffle", "on")
    return Case("rechunk", 2, source, [nccopy], ours, [])


def cmip7() -> Case:
    """The layout that the CMIP7 archive wants."""
    source = find_input("cmip7")
    tool = Path(sys.executable).with_name("cmip7repack")

    def in_place(output: Path) -> list[object]:
        # It works in place; copying a cached file costs it a tenth of a second.
        return ["sh", "-c", 'cp "$1" "$2" && "$3" -o -z 4 "$2"', "sh", source, output, tool]

    peer = Contender("cmip7repack -z 4", in_place)
    ours = frazil_contenders(
        source, "--layout", "cmip7", "--level", 4, "--shuffle", "on", "--checksum"
    )
    return Case("cmip7", 4, source, [peer], ours, [])


def cases(wanted: list[str], levels: list[int]) -> list[Callable[[], Case]]:
    makers: list[Callable[[], Case]] = []
    for name in wanted:
        if name in ("squall", "tiled"):
            makers += [lambda name=name, level=level: same_chunks(name, level) for level in levels]
        else:
            makers.append({"rechunk": rechunk, "cmip7": cmip7}[name])
    return makers


def check_equal(source: Path) -> Callable[[Path], None]:
    """Outputs must hold what the input holds, or the comparison is worth nothing."""

    def check(output: Path) -> None:
        answer = subprocess.run([FRAZIL, "verify", source, output, "--json"], capture_output=True)
        if answer.returncode == 0:
            return
        reports = json.loads(answer.stdout or b"{}").get("reports", [])
        # Peers may lose attributes, their order or fill values (nccopy does); none may lose values.
        differences = [one for report in reports for one in report["differences"]]
        if not reports or any("values differ" in one["what"] for one in differences):
            raise SystemExit(f"{output.name} differs from {source.name}: {differences[:3]}")

    return check


def judge(case: Case) -> list[dict[str, object]]:
    """One row per contender, with what it is measured against."""
    peer = min(case.peers, key=lambda one: one.wall)
    smallest = min(one.output_bytes for one in case.peers)
    loops = {one.threads: one.wall for one in case.codec_loops}
    rows = []
    for one in case.contenders:
        ours = one in case.frazil
        wanted = WANTED.get((case.name, one.threads)) if ours else None
        speedup = peer.wall / one.wall
        size = one.output_bytes / smallest if one.output_bytes else None
        over_loop = one.wall / loops[one.threads] if ours and one.threads in loops else None
        missed = []
        if wanted and speedup < wanted:
            missed.append("speed")
        if ours and case.name in ("squall", "tiled") and size and size > WANTED_SIZE:
            missed.append("size")
        if ours and one.peak_mib > WANTED_PEAK_MIB:
            missed.append("memory")
        if over_loop and over_loop > WANTED_OVER_CODEC_LOOP:
            missed.append("codec loop")
        rows.append(
            {
                "case": case.name,
                "level": case.level,
                "contender": one.name,
                "threads": one.threads,
                "runs": len(one.walls),
                "wall_s": round(one.wall, 3),
                "wall_min_s": round(min(one.walls), 3),
                "wall_max_s": round(max(one.walls), 3),
                "cpu_s": round(one.cpu, 3),
                "peak_mib": round(one.peak_mib, 1),
                "output_bytes": one.output_bytes,
                "times_fastest_peer": round(speedup, 2),
                "wanted_times": wanted or "",
                "size_over_smallest_peer": round(size, 4) if size else "",
                "over_codec_loop": round(over_loop, 2) if over_loop else "",
                "missed": " and ".join(missed),
            }
        )
    return rows


COLUMNS = {
    "contender": 28,
    "wall_s": 9,
    "cpu_s": 9,
    "peak_mib": 10,
    "output_bytes": 13,
    "times_fastest_peer": 19,
    "wanted_times": 13,
    "size_over_smallest_peer": 24,
    "over_codec_loop": 16,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default="squall,tiled,rechunk,cmip7")
    parser.add_argument("--levels", default="1,4", help="deflate levels of squall and tiled")
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if not is_ready("nccopy", "h5repack"):
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    about = machine(nccopy=version_of("ncdump"), h5repack=version_of("h5repack", "--version"))
    rows = []
    levels = [int(level) for level in options.levels.split(",")]
    for make in cases(options.cases.split(","), levels):
        case = make()
        print(f"\n{case.name}, level {case.level}, {case.source.stat().st_size / 1e6:.0f} MB")
        warm(case.source)
        take_turns(case.contenders, options.repeats, FOLDER, check_equal(case.source))
        rows += judge(case)
        show(rows[-len(case.contenders) :], COLUMNS)
    save(result_path(about), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
