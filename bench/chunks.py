"""Chunk shapes: what one map and one series cost, by shape and cache; see README.md."""

import argparse
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np
from chunk_files import (
    FIELDS,
    VARIABLE,
    Field,
    by_peer,
    in_grid,
    packed,
    peers,
    values_of,
    write_classic,
)
from measure import warm
from options import is_ready, parsed
from record import FOLDER, machine, read, result_path, save, show
from versions import package_versions

MIB = 1 << 20
CACHES_MIB = (1, 4, 32, 128)
# Maps of one sweep, fewer where one takes long, and series of one visit.
SWEEP, SHORT_SWEEP, FIVE = 16, 4, 5
LONG_MAP_SECONDS = 0.1
# Our shape may be so many times as far from the best reads as the best row of the table.
WANTED_TIMES = 1.2
# No variable gets more chunks unless asked: rows with more are no measure of ours.
MOST_CHUNKS = 65_536
# A figure counts as equal within this.
EQUAL = 1.1
# What takes that long once is far from the best, and is read once.
SLOW_SECONDS = 1.0
# Rounds of three and more end here.
ENOUGH_SECONDS = 5.0
# Our file without a word about reads.
UNASKED = "frazil, default"
# Of which it is shown what chunks larger than the cache cost.
CACHE_FIELD = "precipitation"


@dataclass
class Row:
    """One file, and what reading it takes."""

    origin: str
    chunk: tuple[int, ...]
    file_bytes: int
    seconds: dict[str, float]

    def times(self, best: dict[str, float]) -> float:
        """The worse of map and series, by the table's best of each."""
        return max(self.seconds[read] / best[read] for read in ("map", "series"))


def opened(path: Path, cache_mib: int | None) -> tuple[netCDF4.Dataset, netCDF4.Variable]:
    """With a chunk cache of so many MiB, or netCDF-C's own, and nothing in it."""
    file = netCDF4.Dataset(path)
    file.set_auto_maskandscale(False)
    variable = file[VARIABLE]
    if cache_mib is not None and variable.chunking() not in (None, "contiguous"):
        variable.set_var_chunk_cache(cache_mib * MIB, 100_003, 0.75)
    return file, variable


def timed(path: Path, selections: list[tuple], cache_mib: int | None = None) -> list[float]:
    """Seconds of reading one selection after the other in one file."""
    file, variable = opened(path, cache_mib)
    found = []
    for selection in selections:
        begin = time.perf_counter()
        variable[selection]
        found.append(time.perf_counter() - begin)
    file.close()
    return found


def medians(repeats: int, read: Callable[[int], list[float]]) -> list[float]:
    """Medians of several reads; few rounds where these take long."""
    rounds: list[list[float]] = []
    begin = time.perf_counter()
    for turn in range(repeats):
        rounds.append(read(turn))
        took = time.perf_counter() - begin
        if took > (SLOW_SECONDS if len(rounds) < 3 else ENOUGH_SECONDS):
            break
    return [statistics.median(one) for one in zip(*rounds, strict=True)]


def read_times(path: Path, field: Field, repeats: int, caches: tuple[int, ...]) -> dict[str, float]:
    """Seconds of a map, a series, either behind the other, five series; of a map in a sweep."""
    warm(path)
    steps = field.shape[0]

    def a_map(turn: int) -> tuple:
        return field.map_at((turn * 97 + steps * 45 // 100) % steps)

    first = medians(repeats, lambda turn: timed(path, [a_map(turn), field.series_at(turn)]))
    second = medians(repeats, lambda turn: timed(path, [field.series_at(turn), a_map(turn)]))
    five = medians(
        min(repeats, 3),
        lambda turn: [sum(timed(path, [field.series_at(turn + i) for i in range(FIVE)]))],
    )
    found = {
        "map": first[0],
        "series after map": first[1],
        "series": second[0],
        "map after series": second[1],
        "five series": five[0],
    }
    length = SHORT_SWEEP if first[0] > LONG_MAP_SECONDS else SWEEP
    begin = min(steps // 3, max(0, steps - length))
    sweep = [field.map_at(step) for step in range(begin, min(begin + length, steps))]
    for cache in caches:
        rounds = medians(min(repeats, 3), lambda _, mib=cache: [sum(timed(path, sweep, mib))])
        found[f"sweep {cache}"] = rounds[0] / len(sweep)
    return found


def measured(path: Path, origin: str, chunk: tuple[int, ...], field: Field, repeats: int) -> Row:
    row = Row(origin, chunk, path.stat().st_size, read_times(path, field, repeats, CACHES_MIB))
    seconds = {read: f"{1e3 * took:.2f}" for read, took in row.seconds.items()}
    reads = f"map {seconds['map']} ms, series {seconds['series']} ms"
    print(f"  {origin:22} {chunk!s:22} {reads}", flush=True)
    return row


def table(field: Field, filters: str, values: np.ndarray, repeats: int) -> list[Row]:
    """The classic file, the grid, the peers' defaults, ours: all of one field and filters."""
    folder = FOLDER / "chunks"
    folder.mkdir(parents=True, exist_ok=True)
    source, target = folder / f"{field.name}.nc3", folder / "packed.nc"
    write_classic(source, field, values)
    rows = [measured(source, "classic", (), field, repeats)]
    for chunk in field.grid():
        made = in_grid(source, target, field, chunk, filters)
        rows.append(measured(target, "grid", made, field, repeats))
    for peer in peers(field):
        made = by_peer(peer, source, target, field, values, filters)
        rows.append(measured(target, peer, made, field, repeats))
    rows.append(measured(target, UNASKED, packed(source, target, filters), field, repeats))
    made = packed(source, target, filters, "--reads", "map,series")
    rows.append(measured(target, "frazil", made, field, repeats))
    target.unlink()
    source.unlink()
    return rows


def wanted_times(field: Field, rows: list[Row], best: dict[str, float]) -> float:
    """How far ours may be from the best reads, by the nearest of rows with few enough chunks."""
    allowed = [row for row in rows if row.chunk and field.chunks(row.chunk) <= MOST_CHUNKS]
    return WANTED_TIMES * min(row.times(best) for row in allowed)


def missed(
    ours: Row, rows: list[Row], best: dict[str, float], wanted: float, filters: str
) -> list[str]:
    """What our shape does not keep of what is wanted."""
    classic, *chunked = rows
    if filters == "none":
        reads = ("map", "series")
        return [f"classic: {r}" for r in reads if ours.seconds[r] > classic.seconds[r] * EQUAL]
    found = []
    if ours.times(best) > wanted:
        found.append("best of the table")
    own = ("grid", "frazil", UNASKED)
    defaults = [row.times(best) for row in chunked if row.origin not in own]
    if ours.times(best) > min(defaults) * EQUAL:
        found.append("peers")
    return found


def judged(field: Field, filters: str, rows: list[Row]) -> list[dict[str, object]]:
    """The rows with how far each is from the table's best reads, and what ours should be."""
    chunked = rows[1:]
    best = {read: min(row.seconds[read] for row in chunked) for read in ("map", "series")}
    wanted = wanted_times(field, rows, best)
    found = []
    for row in rows:
        is_ours = row.origin == "frazil"
        milliseconds = {
            f"{read.replace(' ', '_')}_ms": f"{1e3 * seconds:.3f}"
            for read, seconds in row.seconds.items()
        }
        found.append(
            {
                "field": field.name,
                "filters": filters,
                "origin": row.origin,
                "chunk": "x".join(map(str, row.chunk)) or "contiguous",
                "chunk_kib": round(chunk_bytes(row.chunk) / 1024, 1) if row.chunk else "",
                "file_mb": round(row.file_bytes / 1e6, 1),
                **milliseconds,
                "worse_times": f"{row.times(best):.2f}",
                "wanted_times": f"{wanted:.2f}" if is_ours else "",
                "missed": ", ".join(missed(row, rows, best, wanted, filters)) if is_ours else "",
            }
        )
    return found


def chunk_bytes(chunk: tuple[int, ...]) -> int:
    count = 4
    for extent in chunk:
        count *= extent
    return count


def beyond_the_cache(field: Field, values: np.ndarray, repeats: int) -> list[dict[str, object]]:
    """Chunks larger than the reader's default cache, decoded again by each read; and ours."""
    folder = FOLDER / "chunks"
    source, target = folder / f"{field.name}.nc3", folder / "packed.nc"
    write_classic(source, field, values)
    made = in_grid(source, target, field, field.shape, "shuffle+deflate")
    file, variable = opened(target, None)
    cache_bytes = variable.get_var_chunk_cache()[0]
    file.close()
    steps = [field.map_at(step) for step in range(SWEEP // 4)]
    whole = medians(min(repeats, 3), lambda _: [sum(timed(target, steps)) / len(steps)])[0]
    ours = packed(source, target, "shuffle+deflate", "--reads", "map,series")
    least = medians(min(repeats, 3), lambda _: [sum(timed(target, steps)) / len(steps)])[0]
    source.unlink()
    target.unlink()
    rows = []
    for origin, chunk, seconds in (("one chunk", made, whole), ("frazil", ours, least)):
        rows.append(
            {
                "field": field.name,
                "origin": origin,
                "chunk": "x".join(map(str, chunk)),
                "chunk_mib": round(chunk_bytes(chunk) / MIB, 2),
                "default_cache_mib": round(cache_bytes / MIB, 1),
                "map_ms": f"{1e3 * seconds:.2f}",
                "times": f"{seconds / least:.0f}",
                "missed": "",
            }
        )
    if chunk_bytes(ours) > cache_bytes:
        rows[-1]["missed"] = "larger than the cache"
    return rows


COLUMNS = {
    "origin": 21,
    "chunk": 18,
    "chunk_kib": 11,
    "file_mb": 9,
    "map_ms": 10,
    "series_ms": 11,
    "sweep_4_ms": 11,
    "worse_times": 12,
    "wanted_times": 13,
}
CACHE_COLUMNS = {
    "origin": 12,
    "chunk": 18,
    "chunk_mib": 11,
    "default_cache_mib": 18,
    "map_ms": 10,
    "times": 7,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fields", default=",".join(field.name for field in FIELDS))
    parser.add_argument("--filters", help="of all fields; by default each field's own")
    return parsed(parser, repeats=7)


def measure(field: Field, options: argparse.Namespace) -> tuple[list[dict], list[dict]]:
    """The rows of one field, and those of the cache."""
    field, repeats = field.shorter() if options.quick else field, options.repeats
    values = values_of(field)
    rows = []
    for filters in options.filters.split(",") if options.filters else field.filters:
        print(f"\n{field.name} {field.shape}, {filters}", flush=True)
        found = judged(field, filters, table(field, filters, values, repeats))
        show(found, COLUMNS)
        rows += found
    if field.name != CACHE_FIELD:
        return rows, []
    cache_rows = beyond_the_cache(field, values, repeats)
    print("\nmaps in their order, default cache")
    show(cache_rows, CACHE_COLUMNS)
    return rows, cache_rows


def with_others(path: Path, rows: list[dict]) -> list[dict]:
    """The rows, and those that the file has already of other fields, in the order of the fields."""
    measured = {row["field"] for row in rows}
    kept = read(path) if path.exists() else []
    others = [row for row in kept if row["field"] not in measured]
    order = [field.name for field in FIELDS]
    return sorted(others + rows, key=lambda row: order.index(row["field"]))


def main() -> int:
    options = arguments()
    if not is_ready("nccopy"):
        return 2
    about = machine(**package_versions())
    if not shutil.which("ncks"):
        print("NCO is not installed: its row is left out")
    rows, cache_rows = [], []
    names = options.fields.split(",")
    for field in (field for field in FIELDS if field.name in names):
        of_field, of_cache = measure(field, options)
        rows += of_field
        cache_rows += of_cache
        if options.quick:
            continue
        # What was measured is kept, should the rest be interrupted.
        path = result_path(about, "chunks-" if field.tuned else "untuned-chunks-")
        save(path, about, with_others(path, rows))
        if cache_rows:
            save(result_path(about, "chunk-cache-"), about, cache_rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
