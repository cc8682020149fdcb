"""Filters: ratio, time, CPU and energy beside what SCIL's paper compared; see README.md."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from filter_data import FAMILIES
from filter_plot import draw_all
from measure import warm
from options import is_ready, parsed
from record import CORPUS, FOLDER, FRAZIL, ROOT, machine, result_path, save, show
from versions import package_versions

PACKAGES = ("netCDF4", "h5py", "hdf5plugin", "numcodecs", "numpy")
PEER = Path(__file__).with_name("filter_peer.py")
LEVELS = ("any", "plugins", "frazil")
GOALS = ("balanced", "size", "speed", "archive", "energy")
# Rows of SCIL's paper and of the WRF charts, and what else readers of a level have.
PEERS = {
    "off": "any",
    "blosc-lz4": "plugins",
    "lz4": "plugins",
    "zstd": "plugins",
    "zstd-11": "plugins",
    "zstd-22": "plugins",
    "MAFISC": "frazil",
    "SCIL": "plugins",
    "SCIL, by data": "plugins",
    "szip": "plugins",
    "shuffle+szip": "plugins",
    "gzip-1": "any",
    "gzip-6": "any",
    "gzip-9": "any",
    "shuffle+gzip-1": "any",
    "shuffle+gzip-6": "any",
    "shuffle+zstd": "plugins",
    "bitshuffle+lz4": "plugins",
}
# A figure counts as equal within this; ratios, which do not change from run to run, within less.
EQUAL, EQUAL_RATIO = 1.1, 1.005
# `speed` is compared with what shrinks at least so.
SHRINKS = 1.2
# A row has no further turns once its turns took so long together.
ENOUGH_SECONDS = 20.0


@dataclass
class Row:
    """One way to store a family; times are medians of its turns."""

    name: str
    level: str
    goal: str = ""
    how: str = "h5py"
    # One for each turn.
    turns: list[dict[str, float]] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    energy_by: str = ""

    def median(self, key: str) -> float:
        return statistics.median(turn[key] for turn in self.turns)

    @property
    def cpu_s(self) -> float:
        return self.median("cpu_s")

    def ratio(self, raw_bytes: int) -> float:
        return raw_bytes / min(self.sizes)


def mafisc_folder() -> tuple[str, str] | None:
    """A folder with a plugin for filter 32002, and whose it is: one that is stated, or frazil's."""
    stated = os.environ.get("MAFISC_PLUGIN_PATH")
    if stated:
        return stated, "its own plugin"
    ours = plugin_folder()
    if ours and any("mafisc" in path.name for path in Path(ours).glob("*.so")):
        return ours, "frazil's filter 32002"
    return None


def plugin_folder() -> str | None:
    """Where frazil's plugins are, if `make plugins` has built them."""
    answer = subprocess.run([FRAZIL, "plugin-path"], capture_output=True, text=True)
    folder = answer.stdout.strip()
    return folder if answer.returncode == 0 and folder and Path(folder).is_dir() else None


def run(command: list[object], plugins: str | None = None) -> str:
    words = [str(word) for word in command]
    environment = dict(os.environ)
    environment.pop("HDF5_PLUGIN_PATH", None)
    if plugins:
        environment["HDF5_PLUGIN_PATH"] = plugins
    answer = subprocess.run(words, capture_output=True, text=True, env=environment)
    if answer.returncode != 0:
        raise SystemExit(f"{' '.join(words)} ends with {answer.returncode}:\n{answer.stderr}")
    return answer.stdout


def peer(*words: object, plugins: str | None = None) -> dict[str, dict]:
    return json.loads(run([sys.executable, PEER, *words], plugins))


def goals() -> list[str]:
    """Those that this frazil has."""
    text = run([FRAZIL, "pack", "--help"])
    return [goal for goal in GOALS if re.search(rf"\b{goal}:", text)]


def rows_of(options: argparse.Namespace) -> list[Row]:
    found = []
    mafisc = mafisc_folder()
    for name, level in PEERS.items():
        if name != "MAFISC":
            found.append(Row(name, level))
        elif mafisc:
            found.append(Row(name, level, how=mafisc[1]))
        else:
            print("no plugin for MAFISC (filter 32002): its row is left out")
    for level in LEVELS:
        for goal in goals():
            found.append(Row(f"frazil {goal}, {level}", level, goal, "frazil pack"))
    if options.rows:
        wanted = options.rows.split(";")
        found = [row for row in found if any(part in row.name for part in wanted)]
    return found


def by_frazil(row: Row, source: Path, target: Path) -> dict[str, object]:
    """What its own clocks and meter say."""
    command = [FRAZIL, "pack", source, "-o", target, "--keep-chunks", "--threads", 1, "--json"]
    command += ["--goal", row.goal, "--readable-by", row.level]
    report = json.loads(run(command))["reports"][0]
    return {
        "wall_s": report["seconds"],
        "cpu_s": report["cpu_seconds"],
        "joules": report["energy"]["joules"],
        "energy_by": report["energy"]["source"],
    }


def plugins_of(row: Row) -> str | None:
    """Where stock readers find the plugins that a row's files need beyond hdf5plugin's."""
    if row.name == "MAFISC":
        found = mafisc_folder()
        return found[0] if found else None
    return plugin_folder() if row.goal and row.level == "frazil" else None


def turn(row: Row, source: Path, target: Path) -> None:
    """Writes, compares once, reads."""
    target.unlink(missing_ok=True)
    plugins = plugins_of(row)
    if row.goal:
        wrote = by_frazil(row, source, target)
        is_readable = row.level != "frazil" or plugins is not None
        took = peer("read", target, plugins=plugins) if is_readable else {}
    else:
        took = peer("write", source, target, row.name, plugins=plugins)
        wrote = took["write"]
    row.energy_by = str(wrote["energy_by"])
    row.turns.append({key: float(wrote[key]) for key in ("wall_s", "cpu_s", "joules")})
    row.sizes.append(target.stat().st_size)
    if took:
        row.reads.append(took["read"]["wall_s"])
    if took and len(row.turns) == 1:
        peer("check", source, target, plugins=plugins)


def measure(family: str, options: argparse.Namespace) -> tuple[int, list[Row]]:
    """Raw bytes of a family, and its rows after all turns."""
    folder = FOLDER / "filters"
    folder.mkdir(parents=True, exist_ok=True)
    name = family.replace(" ", "-") + ("-quick" if options.quick else "")
    source, target = folder / f"{name}.h5", folder / "packed.h5"
    if not source.exists():
        script = Path(__file__).with_name("filter_data.py")
        run([sys.executable, script, family, CORPUS, source, *(["quick"] * options.quick)])
    warm(source)
    rows = rows_of(options)
    peer("write", source, target, "off")
    raw_bytes = target.stat().st_size
    print(f"\n{family}: {raw_bytes / 1e6:.1f} MB", flush=True)
    for number in range(options.repeats):
        for row in rows:
            if sum(one["wall_s"] for one in row.turns) > ENOUGH_SECONDS:
                continue
            turn(row, source, target)
            if number == 0:
                took = row.turns[0]["wall_s"]
                print(f"  {row.name:26} {row.ratio(raw_bytes):7.3f} {took:8.2f} s", flush=True)
    target.unlink()
    return raw_bytes, rows


def known_to(level: str, rows: list[Row]) -> list[Row]:
    """The rows that readers of a level can read."""
    return [row for row in rows if LEVELS.index(row.level) <= LEVELS.index(level)]


def missed(ours: Row, rows: list[Row], raw_bytes: int) -> list[str]:
    """What a goal does not keep of what is wanted, among the filters of its level."""
    known = known_to(ours.level, rows)
    others = [row for row in known if not row.goal]
    ratio = ours.ratio(raw_bytes)
    found = []
    if ours.goal == "archive":
        # What frazil takes for other goals and for more readers counts, too.
        best = max([*known, ours], key=lambda row: row.ratio(raw_bytes))
        if best.ratio(raw_bytes) > ratio * EQUAL_RATIO:
            found.append(f"smaller: {best.name}")
        limit = [row.cpu_s for row in rows if row.name == "MAFISC"]
        if limit and ours.cpu_s > limit[0] * EQUAL:
            found.append("slower than MAFISC")
    if ours.goal == "balanced":
        as_fast = [row for row in others if row.cpu_s <= ours.cpu_s]
        found += [
            f"as fast and smaller: {row.name}"
            for row in as_fast
            if row.ratio(raw_bytes) > ratio * EQUAL
        ]
    if ours.goal == "speed":
        shrinking = [row for row in others if row.ratio(raw_bytes) > SHRINKS]
        found += [f"faster: {row.name}" for row in shrinking if row.cpu_s * EQUAL < ours.cpu_s]
        if shrinking and ratio <= SHRINKS:
            found.append(f"does not shrink to 1/{SHRINKS}")
    return found


def judged(family: str, raw_bytes: int, rows: list[Row]) -> list[dict[str, object]]:
    found = []
    for row in rows:
        wall, cpu = row.median("wall_s"), row.cpu_s
        found.append(
            {
                "family": family,
                "filter": row.name,
                "readers": row.level,
                "goal": row.goal,
                "how": row.how,
                "ratio": f"{row.ratio(raw_bytes):.3f}",
                "write_s": f"{wall:.3f}",
                "write_cpu_s": f"{cpu:.3f}",
                "cpu_percent": round(100 * cpu / wall) if wall else "",
                "read_s": f"{statistics.median(row.reads):.3f}" if row.reads else "",
                "joules": f"{row.median('joules'):.2f}",
                "energy_by": row.energy_by,
                "raw_mb": f"{raw_bytes / 1e6:.1f}",
                "file_mb": f"{min(row.sizes) / 1e6:.2f}",
                "turns": len(row.turns),
                "missed": "; ".join(missed(row, rows, raw_bytes)) if row.goal else "",
            }
        )
    return found


COLUMNS = {
    "filter": 27,
    "ratio": 9,
    "write_s": 10,
    "write_cpu_s": 13,
    "cpu_percent": 13,
    "read_s": 9,
    "joules": 10,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--rows", help="parts of names, separated by semicolons")
    return parsed(parser, repeats=7)


def main() -> int:
    options = arguments()
    if not is_ready():
        return 2
    about = machine(**package_versions(PACKAGES))
    if plugin_folder() is None:
        print(
            "frazil's plugins are not built (make plugins): files of its own filters are not read"
        )
    rows = []
    for family in options.families.split(","):
        found = judged(family, *measure(family, options))
        show(found, COLUMNS)
        rows += found
    pictures = FOLDER / "filters" if options.quick or options.rows else ROOT / "docs/figures"
    draw_all(rows, pictures)
    if not options.quick and not options.rows:
        save(result_path(about, "filters-"), about, rows)
    misses = [f"{row['family']}: {row['filter']}: {row['missed']}" for row in rows if row["missed"]]
    print("\n" + ("\n".join(misses) or "nothing missed"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
