"""How many ranks can write one file: a simulation fed with measured costs; see docs/scaling.md."""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import scaling_costs
from mpi_programs import FRAZIL, Mpi, Programs, has_mpi
from mpi_ways import DECOMPOSITION, LAYER, ROUNDED, Data, Way, gfs
from options import is_ready, parsed
from record import FOLDER, ROOT, machine, read, result_path, save, show
from scaling_costs import Row, compared, costs_of
from scaling_model import Costs, Job, Machine, Outcome, simulate, simulate_files
from scaling_plot import lines

FIGURE = ROOT / "docs/figures/scaling.svg"
CHECKED_RANKS = (1, 2, 4)
RANKS = tuple(128 << power for power in range(8))
# Assumed, not measured: nodes of 128 cores with 25 GB/s each, 2 µs from one to another, and a
# file system of 128 servers that take 200 GB/s in all.
CLUSTER = Machine(128, 128, link_bytes=25e9, file_system_bytes=200e9, servers=128, latency=2e-6)
# By name: bytes of all ranks, chunks of one rank.
GFS, BLOCKS = "33.6 GB in all", "64 MiB a rank"
FILES = (4, 16, 64)
ONE, PACKING, SYNC = "one file", "while packing", "at the sync"
BY_NODE = "a placer on each node"
# In which a rank packs and writes; more of them only take longer to simulate.
PIECES = 4

COST_COLUMNS = {"name": 20, "value": 12, "unit": 6, "how": 60}
CHECK_COLUMNS = {
    "what": 40,
    "ranks": 7,
    "measured_s": 12,
    "predicted_s": 13,
    "predicted_over_measured": 25,
}
COLUMNS = {
    "workload": 16,
    "way": 23,
    "writes": 15,
    "ranks": 7,
    "seconds": 10,
    "gb_per_s": 10,
    "packed_s": 10,
    "placer_s": 10,
    "placer_share": 13,
    "messages": 10,
}


def job_of(workload: str, ranks: int) -> Job:
    """14 fields of the GFS at 13 km, a chunk a rank and field; or 16 chunks of 4 MiB a rank."""
    if workload == GFS:
        return Job(ranks, 33.6e9, 14 * ranks, PIECES)
    return Job(ranks, 64 * 2**20 * ranks, 16 * ranks, PIECES)


# --- beside what is measured ---


def check(costs: Costs, data: Data, mpi: Mpi, programs: Programs, repeats: int) -> Iterator[Row]:
    """The same runs measured and simulated, on the ranks that fit here."""
    cores = len(os.sched_getaffinity(0))
    ways = [
        Way(data, mpi, FRAZIL, ranks, chunks, ROUNDED)
        for chunks in (DECOMPOSITION, LAYER)
        for ranks in CHECKED_RANKS
    ]
    scaling_costs.turns(ways, programs, repeats)
    for way in ways:
        here = Machine(min(way.ranks, cores), way.ranks)
        is_shared = way.chunks == LAYER
        chunks = data.fields * (data.shape[0] if is_shared else way.ranks)
        job = Job(way.ranks, data.raw_bytes, chunks, pieces=data.fields, is_shared=is_shared)
        predicted = simulate(costs, here, job).seconds
        what = f"seconds, chunks: {way.chunks}"
        yield compared(what, way.ranks, way.wall, predicted)


# --- beyond ---


def predict(costs: Costs, ranks: tuple[int, ...]) -> Iterator[Row]:
    for workload in (GFS, BLOCKS):
        for count in ranks:
            job = job_of(workload, count)
            for is_early, writes in ((True, PACKING), (False, SYNC)):
                one = replace(job, writes_while_packing=is_early)
                yield row_of(workload, ONE, writes, one, simulate(costs, CLUSTER, one), costs)
            for files in FILES:
                found = simulate_files(costs, CLUSTER, job, files)
                yield row_of(workload, f"{files} files", PACKING, job, found, costs)
            several = replace(job, placers=-(-count // CLUSTER.ranks_per_node))
            found = simulate(costs, CLUSTER, several)
            yield row_of(workload, BY_NODE, PACKING, job, found, costs)
            print(f"  {workload}, {count} ranks", flush=True)


def row_of(workload: str, way: str, writes: str, job: Job, found: Outcome, costs: Costs) -> Row:
    stored = job.raw_bytes / costs.ratio
    return {
        "workload": workload,
        "way": way,
        "writes": writes,
        "ranks": job.ranks,
        "raw_gb": f"{job.raw_bytes / 1e9:.1f}",
        "chunks": job.chunks,
        "seconds": f"{found.seconds:.4g}",
        "gb_per_s": f"{job.raw_bytes / 1e9 / found.seconds:.4g}",
        "packed_s": f"{found.packed:.4g}",
        "written_s": f"{found.written:.4g}",
        "file_system_s": f"{stored / CLUSTER.file_system_bytes:.4g}",
        "placer_s": f"{found.placer:.4g}",
        "placer_share": f"{found.placer / found.seconds:.3f}",
        "messages": found.messages,
        "missed": "",
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--costs", type=Path, help="rows of an earlier run: nothing is measured")
    return parsed(parser, repeats=5)


def measure(options: argparse.Namespace) -> tuple[dict[str, str], list[Row], list[Row]]:
    programs = Programs(FOLDER / "mpi")
    programs.build()
    mpi = programs.one_mpi()
    about = machine(**{key: text for key, text in programs.versions().items() if "mpi" in key})
    data = gfs(options.quick)
    print(f"\ncosts: {data.raw_bytes / 1e6:.0f} MB, {mpi.name}")
    costs, tried = scaling_costs.measure(programs, data, mpi, options.repeats)
    print("\ncheck")
    checked = [*check(costs_of(costs), data, mpi, programs, options.repeats), *tried]
    show(costs, COST_COLUMNS)
    show(checked, CHECK_COLUMNS)
    return about, costs, checked


def predict_and_draw(about: dict[str, str], costs: Costs, options: argparse.Namespace) -> None:
    print("\npredicted")
    rows = list(predict(costs, RANKS[:3] if options.quick else RANKS))
    show(rows, COLUMNS)
    if not options.quick:
        save(result_path(about, "scaling-predicted-"), about, rows)
        FIGURE.write_text(lines(rows))


def main() -> int:
    options = arguments()
    if options.costs:
        rows = read(options.costs)
        text = options.costs.read_text().splitlines()
        about = dict(line[2:].split(": ", 1) for line in text if line.startswith("# "))
        predict_and_draw(about, costs_of(rows), options)
        return 0
    if not is_ready() or not has_mpi():
        return 2
    about, costs, checked = measure(options)
    if not options.quick:
        save(result_path(about, "scaling-costs-"), about, costs)
        save(result_path(about, "scaling-check-"), about, checked)
    predict_and_draw(about, costs_of(costs), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
