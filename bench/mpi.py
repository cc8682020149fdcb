"""Many ranks write one file: frazil beside netCDF-C, parallel netCDF-4, PnetCDF and raw values."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from measure import Contender
from mpi_programs import FRAZIL, PARALLEL, PNETCDF, RAW, SERIAL, Programs, has_mpi
from mpi_ways import (
    DECOMPOSITION,
    DEFAULT,
    DEFLATE,
    LAYER,
    PLAIN,
    ROUNDED,
    Data,
    Way,
    gfs,
    squall,
    take_turns,
)
from options import is_ready, parsed
from record import FOLDER, FRAZIL_BENCH, machine, result_path, save, show

DATA = {"gfs": gfs, "squall": squall}
FILTERS = (PLAIN, DEFLATE, ROUNDED)
RANKS = (1, 2, 4)
NAMES = {
    FRAZIL: "frazil",
    SERIAL: "netCDF-C, one process",
    PARALLEL: "parallel netCDF-4",
    PNETCDF: "PnetCDF",
    RAW: "raw, MPI-IO",
}

# Of frazil with so many ranks.
JUDGED_RANKS = 4
WANTED_OVER_PARALLEL = {DEFLATE: 3.0, ROUNDED: 3.0}
WANTED_OVER_SERIAL = {ROUNDED: 12.0}
WANTED_EFFICIENCY = 0.85
WANTED_SIZE = 1.01

# The table of the UFS project: what, library, ranks, chunks, filters.
PACKED = "deflate1+noshuffle"
UFS = (
    ("raw binary in place of NEMSIO", RAW, 1, DEFAULT, PLAIN),
    ("netCDF, uncompressed", SERIAL, 1, DEFAULT, PLAIN),
    ("netCDF, lossless", SERIAL, 1, DEFAULT, PACKED),
    ("netCDF, nbits 20", SERIAL, 1, DEFAULT, f"{PACKED}+nbits20"),
    ("netCDF, nbits 14", SERIAL, 1, DEFAULT, f"{PACKED}+nbits14"),
    ("parallel netCDF, nbits 14", PARALLEL, 4, DEFAULT, f"{PACKED}+nbits14"),
    ("parallel netCDF, nbits 14", PARALLEL, 4, DECOMPOSITION, f"{PACKED}+nbits14"),
    ("parallel netCDF, nbits 14", PARALLEL, 4, LAYER, f"{PACKED}+nbits14"),
    ("frazil, uncompressed", FRAZIL, 4, DEFAULT, PLAIN),
    ("frazil, lossless", FRAZIL, 4, DEFAULT, PACKED),
    ("frazil, nbits 20", FRAZIL, 4, DEFAULT, f"{PACKED}+nbits20"),
    ("frazil, nbits 14", FRAZIL, 1, DEFAULT, f"{PACKED}+nbits14"),
    ("frazil, nbits 14", FRAZIL, 4, DEFAULT, f"{PACKED}+nbits14"),
    ("frazil, nbits 14", FRAZIL, 4, DECOMPOSITION, f"{PACKED}+nbits14"),
    ("frazil, nbits 14", FRAZIL, 4, LAYER, f"{PACKED}+nbits14"),
    ("frazil, nbits 14, with shuffle", FRAZIL, 4, DEFAULT, "deflate1+nbits14"),
)

WRITE_COLUMNS = {
    "data": 8,
    "writer": 23,
    "mpi": 10,
    "ranks": 7,
    "chunks": 15,
    "filters": 15,
    "wall_s": 9,
    "cpu_s": 8,
    "output_bytes": 13,
    "times_parallel": 16,
    "times_serial": 14,
    "per_core": 10,
    "efficiency": 12,
    "over_codec_loop": 17,
}
UFS_COLUMNS = {
    "what": 34,
    "ranks": 7,
    "chunks": 15,
    "filters": 28,
    "wall_s": 9,
    "cpu_s": 8,
    "output_mb": 11,
    "times_serial": 14,
}


def write_ways(data: Data, programs: Programs, ranks: list[int]) -> list[Way]:
    """All libraries with all settings, serial netCDF-C first."""

    def ways(writer: str, ranks: int, filters: str, chunks: tuple[str, ...]) -> Iterator[Way]:
        # netCDF-C in one process knows no MPI: one of them is enough.
        mpis = [programs.one_mpi()] if writer == SERIAL else programs.mpis
        for mpi in mpis:
            if programs.has(mpi, writer):
                yield from (Way(data, mpi, writer, ranks, one, filters) for one in chunks)

    found = []
    for filters in FILTERS:
        serial = tuple(one for one in data.chunks if one != DECOMPOSITION)
        found += ways(SERIAL, 1, filters, serial)
        for count in ranks:
            if filters == PLAIN:
                found += [*ways(RAW, count, filters, (DEFAULT,))]
                found += [*ways(PNETCDF, count, filters, (DEFAULT,))]
            found += ways(PARALLEL, count, filters, data.chunks)
            found += ways(FRAZIL, count, filters, data.chunks)
    return found


# --- the bare codec loop ---


def codec_loops(data: Data, programs: Programs, ranks: list[int]) -> dict[str, list[Contender]]:
    """By filters: the bare codec loop over the same chunks, with as many threads as ranks.

    Empty where frazil-bench is not built. Values are rounded already where they are to be.
    """
    if not FRAZIL_BENCH.exists():
        print(f"{FRAZIL_BENCH} is not built: efficiencies stand without the codec loop's own")
        return {}
    found = {}
    for filters in (DEFLATE, ROUNDED):
        source = FOLDER / f"mpi-loop-{data.name}-{filters}.nc"
        plain = PLAIN if filters == DEFLATE else f"{PLAIN}+gbr3"
        Way(data, programs.one_mpi(), FRAZIL, 1, DEFAULT, plain).run(programs, source)
        found[filters] = [codec_loop(source, data, filters, threads) for threads in ranks]
    return found


def codec_loop(source: object, data: Data, filters: str, threads: int) -> Contender:
    options = ("--keep-chunks", "--shuffle", "on", "--level", 1, "--threads", threads)
    words = (FRAZIL_BENCH, "codec-loop", source, *options, "--repeats", 1, "--json")

    def seconds(text: str) -> float:
        return float(json.loads(text)["median_seconds"])

    name = f"{data.name}, bare codec loop, {threads} threads, {filters}"
    return Contender(name, lambda _: [*words], threads, seconds)


# --- what stands against what ---


@dataclass
class Judge:
    """All ways on one set of fields, and the codec loops beside them."""

    ways: list[Way]
    loops: dict[str, list[Contender]]
    cores: int

    def fastest(
        self, way: Way, *writers: str, ranks: int, filters: str = "", chunks: str = ""
    ) -> Way | None:
        """The peer that took the least time; with any chunk shapes where none are named."""
        wanted = filters or way.filters
        peers = [
            one
            for one in self.ways
            if one.writer in writers
            and (one.ranks, one.filters) == (ranks, wanted)
            and chunks in ("", one.chunks)
        ]
        return min(peers, key=lambda one: one.wall, default=None)

    def used_cores(self, ranks: int) -> int:
        return min(ranks, self.cores)

    def efficiency(self, way: Way) -> float | None:
        """Speed over that of one rank, by cores."""

        def same(one: Way) -> bool:
            settings = (one.writer, one.mpi, one.chunks, one.filters)
            return one.ranks == 1 and settings == (way.writer, way.mpi, way.chunks, way.filters)

        alone = next((one for one in self.ways if same(one)), None)
        if alone is None:
            return None
        return alone.wall / way.wall / self.used_cores(way.ranks)

    def loop_efficiency(self, way: Way) -> float | None:
        walls = {one.threads: one.wall for one in self.loops.get(way.filters, [])}
        if not {1, way.ranks} <= set(walls):
            return None
        return walls[1] / walls[way.ranks] / self.used_cores(way.ranks)

    def size(self, way: Way) -> float | None:
        """Over the smallest netCDF-4 peer with the same filters and chunks."""
        # What one rank has of a field is another chunk with other ranks.
        ranks = (way.ranks,) if way.chunks == DECOMPOSITION else (1, way.ranks)
        peers = [
            one.output_bytes
            for one in self.ways
            if one.writer in (SERIAL, PARALLEL)
            and (one.filters, one.chunks) == (way.filters, way.chunks)
            and one.ranks in ranks
        ]
        return way.output_bytes / min(peers) if peers else None


def row_of(way: Way, judge: Judge) -> dict[str, object]:
    own = way.writer == FRAZIL
    parallel = judge.fastest(way, PARALLEL, ranks=way.ranks, chunks=way.chunks) if own else None
    any_chunks = judge.fastest(way, PARALLEL, ranks=way.ranks) if own else None
    serial = judge.fastest(way, SERIAL, ranks=1) if own else None
    plain = judge.fastest(way, RAW, PNETCDF, ranks=way.ranks, filters=PLAIN) if own else None
    times_parallel = parallel.wall / way.wall if parallel else None
    times_serial = serial.wall / way.wall if serial else None
    used = judge.used_cores(way.ranks)
    # Fewer cores than ranks: what is wanted of the ranks is asked of each core.
    per_core = times_serial / used if times_serial else None
    efficiency = judge.efficiency(way) if way.ranks > 1 else None
    loop = judge.loop_efficiency(way) if own and efficiency else None
    over_loop = efficiency / loop if loop else None
    size = judge.size(way) if own else None
    is_judged = own and way.ranks == JUDGED_RANKS
    wanted_parallel = WANTED_OVER_PARALLEL.get(way.filters) if is_judged else None
    wanted_serial = WANTED_OVER_SERIAL.get(way.filters) if is_judged else None
    wanted_core = wanted_serial / JUDGED_RANKS if wanted_serial else None
    wanted_efficiency = WANTED_EFFICIENCY if is_judged and over_loop else None
    missed = {
        "parallel": is_below(times_parallel, wanted_parallel),
        "serial": is_below(per_core, wanted_core),
        "efficiency": is_below(over_loop, wanted_efficiency),
        "size": is_judged and size is not None and size > WANTED_SIZE,
    }
    return {
        **settings_of(way),
        **measured(way),
        "times_parallel": rounded(times_parallel),
        "wanted_parallel": wanted_parallel or "",
        "times_parallel_any_chunks": rounded(any_chunks.wall / way.wall if any_chunks else None),
        "times_serial": rounded(times_serial),
        "wanted_serial": wanted_serial or "",
        "cores_used": used,
        "per_core": rounded(per_core),
        "wanted_per_core": wanted_core or "",
        "times_uncompressed": rounded(plain.wall / way.wall if plain else None),
        "size_over_smallest_peer": rounded(size, 4),
        "efficiency": rounded(efficiency),
        "codec_loop_efficiency": rounded(loop),
        "over_codec_loop": rounded(over_loop),
        "wanted_efficiency": wanted_efficiency or "",
        "missed": " and ".join(name for name, is_missed in missed.items() if is_missed),
    }


def is_below(value: float | None, wanted: float | None) -> bool:
    return value is not None and wanted is not None and value < wanted


def rounded(value: float | None, digits: int = 2) -> object:
    return "" if value is None else round(value, digits)


def settings_of(way: Way) -> dict[str, object]:
    return {
        "data": way.data.name,
        "raw_bytes": way.data.raw_bytes,
        "writer": NAMES[way.writer],
        "mpi": "" if way.writer == SERIAL else way.mpi.name,
        "ranks": way.ranks,
        "chunks": way.chunks,
        "filters": way.filters,
        "runs": len(way.times),
    }


def measured(way: Way) -> dict[str, object]:
    walls = [times["wall"] for times in way.times]
    return {
        "wall_s": round(way.wall, 3),
        "wall_min_s": round(min(walls), 3),
        "wall_max_s": round(max(walls), 3),
        "put_s": round(way.median("put"), 3),
        "cpu_s": round(way.median("cpu"), 2),
        "memory_mib": round(max(times["memory_kib"] for times in way.times) / 1024, 1),
        "output_bytes": way.output_bytes,
    }


# --- the parts ---


def write(programs: Programs, about: dict[str, str], options: argparse.Namespace) -> None:
    """All libraries, ranks, chunk shapes and filters."""
    rows = []
    ranks = [int(one) for one in options.ranks.split(",")]
    for name in options.data.split(","):
        data = DATA[name](options.quick)
        print(f"\nwrite: {name}, {data.raw_bytes / 1e6:.0f} MB")
        ways = write_ways(data, programs, ranks)
        loops = codec_loops(data, programs, ranks)
        others = [one for several in loops.values() for one in several]
        take_turns(ways, programs, options.repeats, others)
        judge = Judge(ways, loops, int(about["cores"]))
        rows += [row_of(way, judge) for way in ways]
    show(rows, WRITE_COLUMNS)
    finish("mpi-write-", about, rows, options)


def ufs(programs: Programs, about: dict[str, str], options: argparse.Namespace) -> None:
    """The table of the UFS project, with its own rounding and without shuffle."""
    data = gfs(options.quick)
    mpi = programs.one_mpi()
    print(f"\nufs: {data.raw_bytes / 1e6:.0f} MB, {mpi.name}")
    ways = [
        Way(data, mpi, writer, ranks, chunks, filters, label=label)
        for label, writer, ranks, chunks, filters in UFS
        if programs.has(mpi, writer)
    ]
    take_turns(ways, programs, options.repeats, [])
    serial = next(way for way in ways if way.writer == SERIAL and "nbits14" in way.filters)
    rows = []
    for way in ways:
        row = {"what": way.label, **settings_of(way), **measured(way)}
        row["output_mb"] = round(way.output_bytes / 1e6, 1)
        row["times_serial"] = round(serial.wall / way.wall, 2)
        rows.append({**row, "missed": ""})
    show(rows, UFS_COLUMNS)
    finish("mpi-ufs-", about, rows, options)


def finish(
    prefix: str, about: dict[str, str], rows: list[dict[str, object]], options: argparse.Namespace
) -> None:
    cores = int(about["cores"])
    if cores < JUDGED_RANKS:
        print(
            f"{cores} cores for {JUDGED_RANKS} ranks: efficiency and what is wanted over one "
            "process are by core."
        )
    if not options.quick:
        save(result_path(about, prefix), about, rows)


PARTS = {"write": write, "ufs": ufs}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)))
    return parsed(parser, repeats=5)


def main() -> int:
    options = arguments()
    if not is_ready("pkg-config", "nc-config") or not has_mpi():
        return 2
    programs = Programs(FOLDER / "mpi")
    programs.build()
    for writer in NAMES:
        if not any(programs.has(mpi, writer) for mpi in programs.mpis):
            print(f"left out, for its library is not installed: {NAMES[writer]}")
    about = machine(**programs.versions())
    about["cores"] = str(len(os.sched_getaffinity(0)))
    for part in options.parts.split(","):
        PARTS[part](programs, about, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
