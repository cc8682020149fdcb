"""Writes the tables of docs/writing_from_models.md from the benchmark's rows, or checks them.

python scripts/make_model_tables.py [--check]

A table stands between `<!-- generated: NAME from PREFIX -->` and `<!-- end -->`; its rows are those
of the newest `bench/results/PREFIX-*.csv`. Where there is none yet the table stays empty.
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/writing_from_models.md"
RESULTS = ROOT / "bench/results"
PART = re.compile(
    r"(<!-- generated: (?P<name>\w+) from (?P<prefix>[\w-]+) -->\n).*?(<!-- end -->)",
    flags=re.DOTALL,
)

# By table: heading and column of the rows.
COLUMNS = {
    "figure": {
        "chunk": "chunk",
        "slice": "slice",
        "build": "build",
        "netcdf-fortran": "netcdf_fortran_s",
        "its I/O": "netcdf_fortran_io",
        "frazil": "frazil_s",
        "I/O": "frazil_io",
        "wanted": "wanted_s",
        "missed": "missed",
    },
    "stream": {
        "case": "case",
        "library": "library",
        "filters": "filters",
        "threads": "threads",
        "wall, s": "wall_s",
        "in calls, s": "visible_s",
        "MB": "output_mb",
        "memory, MiB": "memory_mib",
        "measure": "against",
        "": "ratio",
        "wanted": "wanted",
        "missed": "missed",
    },
    "puts": {
        "calls": "calls",
        "values": "values",
        "puts a second": "puts_per_second",
        "close, s": "close_s",
        "wanted": "wanted",
        "missed": "missed",
    },
}

# By table: a picture of the same rows, drawn by the benchmark.
PICTURES = {
    "figure": "![Seconds for each chunk and slice](figures/writing_from_models.svg)",
}


def newest(prefix: str) -> Path | None:
    found = sorted(RESULTS.glob(f"{prefix}-*.csv"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


def read(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    lines = path.read_text().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return about, list(csv.DictReader(line for line in lines if not line.startswith("# ")))


def table(name: str, prefix: str) -> str:
    path = newest(prefix)
    if path is None:
        return ""
    about, rows = read(path)
    columns = COLUMNS[name]
    used = {heading: key for heading, key in columns.items() if any(row.get(key) for row in rows)}
    picture = [PICTURES[name], ""] if name in PICTURES else []
    lines = [
        *picture,
        f"{about['processor']}, {about['cores']} cores, load average at the start "
        f"{about['load_at_start']}; {about['netcdf_c']}, {about['netcdf_fortran']}, "
        f"{about['frazil']}.",
        "",
        "| " + " | ".join(used) + " |",
        "|" + "---|" * len(used),
    ]
    for row in rows:
        lines.append("| " + " | ".join(row[key] for key in used.values()) + " |")
    return "\n".join(["", *lines, "", ""])


def main() -> int:
    text = DOCUMENT.read_text()
    made = PART.sub(
        lambda part: part[1] + table(part["name"], part["prefix"]) + part[4],
        text,
    )
    if "--check" in sys.argv[1:]:
        if made != text:
            print(f"{DOCUMENT.relative_to(ROOT)}: run scripts/make_model_tables.py")
            return 1
        return 0
    DOCUMENT.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
