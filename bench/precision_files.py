"""Size, write time and measured error of real files, by precision and compression."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import Contender, take_turns, warm
from record import CORPUS, FOLDER, FRAZIL, show

THREADS = (1, 4)
PRECISIONS: dict[str, tuple[str, ...]] = {
    "lossless": (),
    "5 digits": ("--digits", "5"),
    "3 digits": ("--digits", "3"),
    "99 % information": ("--keep-information", "0.99"),
}
COMPRESSIONS = {"deflate": "any", "zstd": "plugins"}
PEER_LEVEL = 1


@dataclass
class Entry:
    """One way to write a file, over all files of a family."""

    precision: str
    compression: str
    contender: str
    threads: int
    command: tuple[object, ...]
    wall: float = 0.0
    cpu: float = 0.0
    output_bytes: int = 0
    errors: list[dict] = field(default_factory=list)

    def words(self, source: Path, output: Path) -> list[object]:
        places = {"IN": source, "OUT": output}
        return [places.get(word, word) for word in self.command]


def entries() -> list[Entry]:
    """frazil with every precision, compression and number of threads, and the peers there are."""
    found = []
    for precision, words in PRECISIONS.items():
        for compression, readers in COMPRESSIONS.items():
            for threads in THREADS:
                options = ("--quiet", "--readable-by", readers, "--threads", threads)
                command = (FRAZIL, "pack", "IN", "-o", "OUT", *options, *words)
                found.append(Entry(precision, compression, "frazil", threads, command))
    nccopy = ("nccopy", "-s", "-d", PEER_LEVEL, "IN", "OUT")
    found.append(Entry("lossless", "deflate", f"nccopy -s -d {PEER_LEVEL}", 1, nccopy))
    if shutil.which("ncks"):
        for digits in (5, 3):
            # Granular BitRound, as `frazil pack --digits`.
            lossy = ("--baa=4", "--ppc", f"default={digits}", "-L", PEER_LEVEL)
            command = ("ncks", "-O", "-h", "-4", *lossy, "IN", "OUT")
            found.append(Entry(f"{digits} digits", "deflate", f"ncks -L {PEER_LEVEL}", 1, command))
    return found


def check(entry: Entry, source: Path, output: Path) -> None:
    """frazil's outputs must keep what they state; errors are measured by numpy for all."""
    if entry.contender == "frazil":
        verified = subprocess.run([FRAZIL, "verify", source, output, "--json"], capture_output=True)
        if verified.returncode != 0:
            tail = (verified.stdout + verified.stderr)[-1000:].decode(errors="replace")
            raise SystemExit(f"{source.name}, {entry.precision}: verify fails: {tail}")
    script = Path(__file__).with_name("errors_of.py")
    answer = subprocess.run(
        [sys.executable, script, source, output], check=True, capture_output=True
    )
    entry.errors.append(json.loads(answer.stdout))


def pack_file(source: Path, all_entries: list[Entry], repeats: int) -> None:
    """Adds one file to all entries."""
    warm(source)
    contenders = []
    for entry in all_entries:
        name = f"{entry.contender}, {entry.precision}, {entry.compression}"
        command = lambda out, entry=entry: entry.words(source, out)  # noqa: E731
        contenders.append(Contender(name, command, entry.threads))
    for turn in range(repeats):
        for entry, contender in zip(all_entries, contenders, strict=True):
            judge = (lambda out, e=entry: check(e, source, out)) if turn == 0 else lambda _: None
            take_turns([contender], 1, FOLDER, judge)
    for entry, contender in zip(all_entries, contenders, strict=True):
        entry.wall += contender.wall
        entry.cpu += contender.cpu
        entry.output_bytes += contender.output_bytes


def families() -> dict[str, list[Path]]:
    """The squall line, and the netCDF-4 files of the corpus' atmosphere models."""
    found = [path for path in sorted((CORPUS / "b_atmos").glob("*/*")) if is_netcdf4(path)]
    return {"squall_line": [CORPUS / "wrf/squall_line.nc"], "b_atmos": found}


def is_netcdf4(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8) == b"\x89HDF\r\n\x1a\n"


COLUMNS = {
    "family": 13,
    "precision": 18,
    "compression": 13,
    "contender": 17,
    "threads": 9,
    "wall_s": 9,
    "cpu_s": 9,
    "output_bytes": 14,
    "over_lossless_deflate": 23,
    "largest_relative_error": 24,
    "largest_rmse_over_std": 23,
}


def measure(repeats: int) -> list[dict]:
    """All rows."""
    rows = []
    for family, sources in families().items():
        size = sum(path.stat().st_size for path in sources)
        print(f"\n{family}: {len(sources)} file(s), {size / 1e6:.1f} MB")
        found = entries()
        for source in sources:
            pack_file(source, found, repeats)
        rows += judge(family, sources, found)
        show(rows[-len(found) :], COLUMNS)
    return rows


def judge(family: str, sources: list[Path], found: list[Entry]) -> list[dict]:
    lossless = next(one.output_bytes for one in found if one.contender == "frazil")
    rows = []
    for one in found:
        special = sum(errors["special_changed"] for errors in one.errors)
        rows.append(
            {
                "family": family,
                "files": len(sources),
                "input_bytes": sum(path.stat().st_size for path in sources),
                "precision": one.precision,
                "compression": one.compression,
                "contender": one.contender,
                "threads": one.threads,
                "wall_s": round(one.wall, 3),
                "cpu_s": round(one.cpu, 3),
                "output_bytes": one.output_bytes,
                "over_lossless_deflate": round(one.output_bytes / lossless, 4),
                "largest_relative_error": f"{worst(one, 'largest_relative_error'):.2e}",
                "largest_rmse_over_std": f"{worst(one, 'largest_rmse_over_std'):.2e}",
                "special_changed": special,
                "missed": "special values" if special and one.contender == "frazil" else "",
            }
        )
    return rows


def worst(entry: Entry, name: str) -> float:
    return max(errors[name] for errors in entry.errors)
