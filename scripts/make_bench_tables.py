"""Writes the benchmark tables of the documents from the benchmarks' rows, or checks them.

python scripts/make_bench_tables.py [--check]

A table stands between `<!-- generated: NAME from PREFIX -->` and `<!-- end -->`; its rows are those
of the `bench/results/PREFIX-*.csv` with the newest date. Where there is none yet it says so.
"""

import csv
import re
import sys
from collections.abc import Callable
from pathlib import Path

from generated import write_or_check

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
PART = re.compile(
    r"(<!-- generated: (?P<name>\w+) from (?P<prefix>[\w-]+) -->\n).*?(<!-- end -->)",
    flags=re.DOTALL,
)

Row = dict[str, str]

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
    "ufs": {
        "": "what",
        "ranks": "ranks",
        "chunks": "chunks",
        "filters": "filters",
        "s": "wall_s",
        "CPU s": "cpu_s",
        "MB": "output_mb",
        "times as fast as serial netCDF-C, nbits 14": "times_serial",
    },
    "chunks": {
        "file": "origin",
        "chunk": "chunk",
        "KiB": "chunk_kib",
        "MB": "file_mb",
        "map, ms": "map_ms",
        "series, ms": "series_ms",
        "five series": "five_series_ms",
        "map of a sweep, cache 1 MiB": "sweep_1_ms",
        "128 MiB": "sweep_128_ms",
        "worse, times best": "worse_times",
        "wanted": "wanted_times",
        "missed": "missed",
    },
    "chunk_cache": {
        "file": "origin",
        "chunk": "chunk",
        "MiB": "chunk_mib",
        "default cache, MiB": "default_cache_mib",
        "ms a map": "map_ms",
        "times": "times",
        "missed": "missed",
    },
    "xarray": {
        "library": "library",
        "filters": "filters",
        "data, MB": "data_mb",
        "s": "write_s",
        "CPU s": "cpu_s",
        "bytes": "output_bytes",
        "memory, MiB": "memory_mib",
        "over that of half": "memory_over_half_the_data",
        "frazil: times as fast": "frazil_times",
        "wanted": "wanted_times",
        "missed": "missed",
    },
}

COLUMNS["dask"] = {
    "": "way",
    "data, MB": "data_mb",
    "s": "write_s",
    "MB/s": "mb_per_s",
    "bytes": "output_bytes",
    "memory of the client, MiB": "client_mib",
    "of a worker": "worker_mib",
    "frazil: times as fast": "frazil_times",
    "missed": "missed",
}
COLUMNS["filters"] = {
    "filter": "filter",
    "": "how",
    "ratio": "ratio",
    "write, s": "write_s",
    "CPU s": "write_cpu_s",
    "CPU, %": "cpu_percent",
    "read, s": "read_s",
    "energy, J": "joules",
    "missed": "missed",
}
COLUMNS["opening"] = {
    "": "case",
    "library": "library",
    "threads": "threads",
    "s": "open_s",
    "frazil: times as fast": "frazil_times",
    "wanted": "wanted",
    "missed": "missed",
}
COLUMNS["unmodified"] = {
    "program": "case",
    "": "way",
    "whole run, s": "wall_s",
    "CPU, s": "cpu_s",
    "in calls, s": "in_calls_s",
    "relative to plain": "over_plain",
    "MB": "output_mb",
    "missed": "missed",
}
COLUMNS["choices"] = {
    "values keep": "precision",
    "readers": "readers",
    "": "what",
    "MB": "mb",
    "%": "percent",
    "CPU s": "cpu_s",
}
COLUMNS["planning"] = {
    "file": "file",
    "MB": "raw_mb",
    "variables": "variables",
    "goal": "goal",
    "readers": "readers",
    "reads": "reads",
    "planning, CPU s": "plan_cpu_s",
    "packing, CPU s": "pack_cpu_s",
    "%": "percent",
    "missed": "missed",
}
COLUMNS["costs"] = {"what": "name", "": "value", "unit": "unit", "how": "how"}
COLUMNS["checks"] = {
    "what": "what",
    "ranks": "ranks",
    "measured, s": "measured_s",
    "simulated, s": "predicted_s",
    "simulated / measured": "predicted_over_measured",
}

# By table: a picture of the same rows, drawn by the benchmark.
PICTURES = {
    "figure": "![Seconds for each chunk and slice](figures/writing_from_models.svg)",
    "predicted": "![Simulated seconds of an output over ranks](figures/scaling.svg)",
}


def newest(prefix: str) -> Path | None:
    """By the date inside: a clone's files are all equally old."""
    found = RESULTS.glob(f"{prefix}-*.csv")
    return max(found, key=lambda path: (read(path)[0].get("date", ""), path.name), default=None)


def read(path: Path) -> tuple[dict[str, str], list[Row]]:
    lines = path.read_text().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return about, list(csv.DictReader(line for line in lines if not line.startswith("# ")))


def conditions(about: dict[str, str]) -> str:
    """The machine, and the versions in the order in which the benchmark noted them."""
    others = {"processor", "cores", "system", "date", "load_at_start", "page_cache"}
    versions = [
        value if value[:1].isalpha() else f"{name} {value}"
        for name, value in about.items()
        if name not in others
    ]
    when = f", {about['date']} UTC" if "date" in about else ""
    return (
        f"{about['processor']}, {about['cores']} cores{when}, load average at the start "
        f"{about['load_at_start']}; {', '.join(versions)}."
    )


def grid(headings: list[str], cells: list[list[str]]) -> list[str]:
    rule = "|" + "---|" * len(headings)
    return [f"| {' | '.join(line)} |" if line else rule for line in [headings, [], *cells]]


def listed(name: str, rows: list[Row]) -> list[str]:
    """One line a row."""
    columns = COLUMNS[name]
    used = {heading: key for heading, key in columns.items() if any(row.get(key) for row in rows)}
    return grid(list(used), [[row[key] for key in used.values()] for row in rows])


# Seconds of reading: what stands side by side.
PATTERNS = ("full", "boxes", "map", "series")
THREADS = ("1", "4")


def reading(rows: list[Row]) -> list[str]:
    """One line a reader, a table for each compression and state of the page cache."""
    lines = []
    for case in dict.fromkeys(row["compression"] for row in rows):
        for cache in dict.fromkeys(row["cache"] for row in rows):
            some = [row for row in rows if (row["compression"], row["cache"]) == (case, cache)]
            lines += [f"### {case}, {cache}", "", *side_by_side(some), ""]
    return lines


def side_by_side(rows: list[Row]) -> list[str]:
    cells: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
    for row in rows:
        seconds, times = float(row["read_s"]), row["frazil_times"]
        text = f"{seconds:.4g}" + (f" ({times})" if times else "")
        of_reader = cells.setdefault((row["library"], row["file"]), {})
        of_reader[row["pattern"], row["threads"]] = f"**{text}**" if row["missed"] else text
    columns = [(pattern, threads) for pattern in PATTERNS for threads in THREADS]
    headings = ["reader", "file", *(f"{pattern}, {threads}" for pattern, threads in columns)]
    return grid(
        headings,
        [[*reader, *(found.get(key, "") for key in columns)] for reader, found in cells.items()],
    )


# Of ranks that write together: what stands behind the seconds on the most ranks.
BY_RANKS = {
    "CPU s": "cpu_s",
    "MB": "output_mb",
    "parallel netCDF-4 / this": "times_parallel",
    "with any chunks / this": "times_parallel_any_chunks",
    "one process / this": "times_serial",
    "by core": "per_core",
    "efficiency": "efficiency",
    "over codec loop's": "over_codec_loop",
    "missed": "missed",
}


def ranks(rows: list[Row]) -> list[str]:
    """One line a writer and chunk shape, seconds on each number of ranks side by side."""
    lines = []
    if any(int(row["cores_used"]) < int(row["ranks"]) for row in rows):
        lines += [
            "There were fewer cores than ranks: efficiencies are by core, and what is wanted over "
            "one process is asked of each core.",
            "",
        ]
    for data, filters in dict.fromkeys((row["data"], row["filters"]) for row in rows):
        some = [row for row in rows if (row["data"], row["filters"]) == (data, filters)]
        megabytes = int(some[0]["raw_bytes"]) / 1e6
        lines += [f"### {data}, {filters} ({megabytes:.0f} MB)", "", *by_ranks(some), ""]
    return lines


def by_ranks(rows: list[Row]) -> list[str]:
    counts = sorted({int(row["ranks"]) for row in rows})
    ways: dict[tuple[str, ...], dict[int, Row]] = {}
    for row in rows:
        way = ways.setdefault((row["writer"], row["mpi"], row["chunks"]), {})
        way[int(row["ranks"])] = row | {"output_mb": f"{int(row['output_bytes']) / 1e6:.1f}"}
    last = {way: found[max(found)] for way, found in ways.items()}
    used = {name: key for name, key in BY_RANKS.items() if any(row[key] for row in last.values())}
    headings = ["writer", "MPI", "chunks", *(f"{count}, s" for count in counts), *used]
    cells = []
    for way, found in ways.items():
        seconds = [found[count]["wall_s"] if count in found else "" for count in counts]
        cells.append([*way, *seconds, *(last[way][key] for key in used.values())])
    return grid(headings, cells)


# A simulated output: what stands in a line of one file.
PREDICTED = {
    "raw, GB": "raw_gb",
    "chunks": "chunks",
    "s": "seconds",
    "GB/s": "gb_per_s",
    "packed after, s": "packed_s",
    "the file system alone, s": "file_system_s",
    "the placer busy, s": "placer_s",
    "share": "placer_share",
    "messages": "messages",
}
ONE_FILE, WHILE_PACKING, AT_SYNC = "one file", "while packing", "at the sync"


def predicted(rows: list[Row]) -> list[str]:
    """By workload: one file, where its placer saturates, and what several would do."""
    lines = []
    for workload in dict.fromkeys(row["workload"] for row in rows):
        some = [row for row in rows if row["workload"] == workload]
        one = [row for row in some if row["way"] == ONE_FILE]
        early = [row for row in one if row["writes"] == WHILE_PACKING]
        late = {row["ranks"]: row["seconds"] for row in one if row["writes"] == AT_SYNC}
        headings = ["ranks", *PREDICTED, "s, written at the sync"]
        cells = [
            [row["ranks"], *(row[key] for key in PREDICTED.values()), late[row["ranks"]]]
            for row in early
        ]
        lines += [f"### {workload}", "", *grid(headings, cells), "", saturation(early), ""]
        lines += [*what_then(some), ""]
    return lines


def saturation(rows: list[Row]) -> str:
    """From how many ranks on the placer is what takes the time."""
    full = [row for row in rows if float(row["placer_share"]) > 0.5]
    if not full:
        last = rows[-1]
        return (
            f"Up to {last['ranks']} ranks the one placer is busy for at most half of the time "
            f"({100 * float(last['placer_share']):.0f} % there)."
        )
    first = full[0]
    return (
        f"From {first['ranks']} ranks on the one placer is busy for more than half of the time: "
        f"{first['placer_s']} of {first['seconds']} s there. It saturates."
    )


def what_then(rows: list[Row]) -> list[str]:
    """Seconds of one file and of what several files or placers would take."""
    chosen = [row for row in rows if row["writes"] == WHILE_PACKING]
    ways = list(dict.fromkeys(row["way"] for row in chosen))
    seconds = {(row["ranks"], row["way"]): row["seconds"] for row in chosen}
    ranks = dict.fromkeys(row["ranks"] for row in chosen)
    headings = ["ranks", *(f"{way}, s" for way in ways)]
    return grid(headings, [[one, *(seconds[one, way] for way in ways)] for one in ranks])


# Rows of a table of chunk shapes beside ours, the peers' and the classic file's.
BEST_OF_GRID = 3


def chunks(rows: list[Row]) -> list[str]:
    """A table for each field and filters: all but the grid, and the best rows of that."""
    lines = []
    for key in dict.fromkeys((row["field"], row["filters"]) for row in rows):
        some = [row for row in rows if (row["field"], row["filters"]) == key]
        grid_rows = sorted(
            (row for row in some if row["origin"] == "grid"),
            key=lambda row: float(row["worse_times"]),
        )
        others = [row for row in some if row["origin"] != "grid"]
        shown = [*others[:1], *grid_rows[:BEST_OF_GRID], *others[1:]]
        lines += [f"### {key[0]}, {key[1]}", "", *listed("chunks", shown), ""]
    return lines


ENERGY_BY = {
    "rapl": "Energy is what counters of the machine's processors and memory show.",
    "model": "Energy is by the model of [energy](energy.md): this machine shows no counters.",
}


def filters(rows: list[Row]) -> list[str]:
    """A table and figures for each data family."""
    lines = [ENERGY_BY[source] for source in dict.fromkeys(row["energy_by"] for row in rows)]
    for family in dict.fromkeys(row["family"] for row in rows):
        some = [row for row in rows if row["family"] == family]
        name = f"figures/filters_{family.replace(' ', '_')}.svg"
        lines += ["", f"### {family}, {some[0]['raw_mb']} MB", "", *listed("filters", some), ""]
        lines += [f"![{family}: ratio, time, CPU and energy by filter]({name})", ""]
    return lines


# The two charts of the WRF report: rows in its order.
WRF_ROWS = ("off", "gzip-6", "shuffle+gzip-6", "szip", "shuffle+szip")


def wrf_charts(rows: list[Row]) -> list[str]:
    """Size and time of the squall line by compression, and of what frazil chooses by itself."""
    some = {row["filter"]: row for row in rows if row["family"] == "squall line"}
    names = [name for name in WRF_ROWS if name in some]
    names += [name for name, row in some.items() if row["goal"] == "balanced"]
    headings = ["compression", "MB", "write, s", "read, s"]
    keys = ("filter", "file_mb", "write_s", "read_s")
    picture = "![Squall line: size and time by compression](figures/filters_wrf_charts.svg)"
    cells = [[some[name][key] for key in keys] for name in names]
    return [*grid(headings, cells), "", picture]


def planning(rows: list[Row]) -> list[str]:
    """What planning costs: in a sentence, and row by row."""
    shares = sorted(float(row["percent"]) for row in rows)
    held = sum(not row["missed"] for row in rows)
    sentence = (
        f"Planning takes {shares[0]:.1f} to {shares[-1]:.1f} % of the CPU seconds of packing; "
        f"it keeps its budget in {held} of {len(rows)} rows."
    )
    return [sentence, "", *listed("planning", rows)]


# A column of the tables of WRF: its heading, its key, and what its number is multiplied by.
WRF_COLUMNS = (
    ("frames", "frames", 0),
    ("chunk of `T`", "chunk", 0),
    ("first frame, ms", "first_s", 1000),
    ("another frame, ms", "later_s", 1000),
    ("map, ms", "map_ms", 1),
    ("series, ms", "series_ms", 1),
    ("whole run, s", "wall_s", 1),
    ("MB", "output_mb", 1),
    ("times `io_form` 1", "over_binary", 1),
    ("times `io_form` 2", "over_packed", 1),
    ("missed", "missed", 0),
)


def wrf(rows: list[Row]) -> list[str]:
    """One line a way, a table for each number of tasks, and the chart of the same rows."""
    part, lines = rows[0]["part"], []
    for tasks in dict.fromkeys(row["tasks"] for row in rows):
        some = [row for row in rows if row["tasks"] == tasks]
        used = [column for column in WRF_COLUMNS if tells(some, column[1])]
        headings = ["", *(heading for heading, _, _ in used)]
        cells = [[row["way"], *(scaled(row[key], by) for _, key, by in used)] for row in some]
        runs = " to ".join(sorted({row["runs"] for row in some}))
        lines += [f"Tasks: {tasks}; runs of each: {runs}.", "", *grid(headings, cells), ""]
    return [*lines, f"![WRF: {part}](figures/wrf_{part}.svg)"]


def tells(rows: list[Row], key: str) -> bool:
    """Whether a column has anything to say: a number of frames does where it differs."""
    found = {row[key] for row in rows} - {"", "0.0"}
    return bool(found) and (key != "frames" or len(found) > 1)


def scaled(number: str, by: int) -> str:
    return f"{by * float(number):.4g}" if by and number else number


def cloud(rows: list[Row]) -> list[str]:
    """One line a reader, its cases side by side, a table for each layout."""
    lines = []
    for layout in dict.fromkeys(row["layout"] for row in rows):
        some = [row for row in rows if row["layout"] == layout]
        cases = list(dict.fromkeys(row["case"] for row in some))
        cells: dict[str, dict[str, str]] = {}
        for row in some:
            text = f"{float(row['seconds']):.3g}"
            text += f" ({row['frazil_times']})" if row["frazil_times"] else ""
            text = f"**{text}**" if row["missed"] else text
            text += f" {row['requests']}/{row['rounds']}" if row["requests"] else ""
            cells.setdefault(row["library"], {})[row["case"]] = text
        lines += [f"### {layout}", ""]
        body = [
            [library, *(found.get(case, "") for case in cases)] for library, found in cells.items()
        ]
        lines += [*grid(["reader", *cases], body), ""]
    return lines


MAKERS: dict[str, Callable[[list[Row]], list[str]]] = {
    "reading": reading,
    "ranks": ranks,
    "predicted": predicted,
    "chunks": chunks,
    "filters": filters,
    "wrf_charts": wrf_charts,
    "planning": planning,
    "wrf": wrf,
    "cloud": cloud,
}


def table(name: str, prefix: str) -> str:
    path = newest(prefix)
    if path is None:
        return "\nNo results are kept yet.\n\n"
    about, rows = read(path)
    picture = [PICTURES[name], ""] if name in PICTURES else []
    made = MAKERS[name](rows) if name in MAKERS else listed(name, rows)
    return "\n".join(["", *picture, conditions(about), "", *made, "", ""])


def main() -> int:
    def made(part: re.Match) -> str:
        return part[1] + table(part["name"], part["prefix"]) + part[4]

    documents = sorted((ROOT / "docs").glob("*.md"))
    return write_or_check({path: PART.sub(made, path.read_text()) for path in documents})


if __name__ == "__main__":
    sys.exit(main())
