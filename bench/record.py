"""Where the tools and data of a benchmark are, what machine it ran on, where its rows go."""

import csv
import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRAZIL = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))
FRAZIL_BENCH = FRAZIL.with_name("frazil-bench")
CORPUS = Path(os.environ.get("FRAZIL_CORPUS") or ROOT.parent / "shared/corpus")
FOLDER = ROOT / ".build/bench"


def build_input(name: str) -> Path:
    """A large input from real fields; built where it is not there yet.

    In a process of its own: peak memory as the system counts it begins with the parent's, which
    must stay small.
    """
    path = FOLDER / f"{name}.nc"
    if not path.exists():
        print(f"building {path.name} from real fields ...", flush=True)
        script = Path(__file__).with_name("inputs.py")
        subprocess.run([sys.executable, script, name, CORPUS, path], check=True)
    return path


def version_of(*command: object) -> str:
    """The line in which a tool names its version (ncdump says it below its usage)."""
    answer = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    lines = (answer.stdout + answer.stderr).splitlines()
    return next((line.strip(" $") for line in lines if re.search(r"\d+\.\d+\.\d+", line)), "?")


def processor() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.*)", info.read_text()) if info.exists() else None
    return found.group(1) if found else platform.processor() or platform.machine()


def machine(**peers: str) -> dict[str, str]:
    """What the figures depend on; `peers` are their names and versions."""
    about = {
        "processor": processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "system": f"{platform.system()} {platform.release()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "load_at_start": f"{os.getloadavg()[0]:.2f}",
        "frazil": version_of(FRAZIL, "--version"),
        **peers,
    }
    print("\n".join(f"{key}: {value}" for key, value in about.items()))
    if float(about["load_at_start"]) > 0.5:
        print("The machine is not idle: trust CPU seconds more than wall seconds.")
    return about


def result_path(about: dict[str, str], prefix: str = "") -> Path:
    words = re.sub(r"[^A-Za-z0-9]+", "-", about["processor"]).strip("-").lower()
    version = about["frazil"].split()[-1]
    return ROOT / "bench/results" / f"{prefix}{words}-{about['cores']}cores-{version}.csv"


def save(path: Path, about: dict[str, str], rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        for key, value in about.items():
            file.write(f"# {key}: {value}\n")
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"\nwritten: {path.relative_to(ROOT)}")


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file that was saved."""
    lines = path.read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("# ")))


def newest(prefix: str) -> Path | None:
    """The rows that were written last, by the date inside: files of a clone are equally old."""

    def date(path: Path) -> tuple[str, str]:
        found = re.search(r"^# date: (.*)$", path.read_text(), flags=re.MULTILINE)
        return found.group(1) if found else "", path.name

    return max((ROOT / "bench/results").glob(f"{prefix}-*.csv"), key=date, default=None)


def show(rows: list[dict[str, object]], columns: dict[str, int]) -> None:
    """Prints some columns of some rows; `columns` gives their widths."""
    print("  " + "".join(f"{name:<{width}}" for name, width in columns.items()) + "missed")
    for row in rows:
        cells = "".join(f"{row[name]!s:<{width}}" for name, width in columns.items())
        print(f"  {cells}{row['missed']}")
