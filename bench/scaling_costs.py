"""What the simulation is fed with: costs measured on this machine, in a minute or two.

Packing and exchange are those of `mpi/write.c` on the fields of the GFS-like record, the placer's
those of `mpi/placer.c`.
"""

import re
import statistics
from pathlib import Path

import numpy as np
from measure import Contender, cores, run_once
from mpi_programs import FRAZIL, RAW, Mpi, Programs
from mpi_ways import DECOMPOSITION, DEFAULT, LAYER, PLAIN, ROUNDED, Data, Way
from scaling_model import Costs

# Ranks and chunks from which the placer's costs are found, and those at which they are tried.
FITTED = tuple((ranks, chunks) for ranks in (2, 8, 32) for chunks in (1, 1000, 20000))
TRIED = ((16, 40000), (64, 2000))
SYNCS = 9

Row = dict[str, object]


def row(name: str, value: float, unit: str, how: str) -> Row:
    return {"name": name, "value": f"{value:.6g}", "unit": unit, "how": how, "missed": ""}


# --- packing, writing, exchange ---


def turns(ways: list[Way], programs: Programs, repeats: int) -> None:
    output = programs.folder / "scaling-output.nc"
    for _ in range(repeats):
        for way in ways:
            way.run(programs, output)
            output.unlink(missing_ok=True)
            print(f"  {way!s:70} {way.wall:8.3f} s", flush=True)


def measured_ways(data: Data, mpi: Mpi) -> dict[str, Way]:
    return {
        "pack": Way(data, mpi, FRAZIL, 1, DECOMPOSITION, ROUNDED),
        "copy": Way(data, mpi, RAW, 1, DEFAULT, PLAIN),
        "alone": Way(data, mpi, FRAZIL, 1, LAYER, PLAIN),
        "shared": Way(data, mpi, FRAZIL, 2, LAYER, PLAIN),
    }


def data_rows(ways: dict[str, Way], open_close: float) -> list[Row]:
    raw = ways["pack"].data.raw_bytes
    stored = ways["pack"].output_bytes
    copy = ways["copy"].median("cpu") / raw
    pack = (ways["pack"].wall - open_close - stored * copy) / raw
    # Half of the values are the other rank's.
    exchange = (ways["shared"].median("cpu") - ways["alone"].median("cpu")) / (raw / 2)
    giga = 1e9
    return [
        row("pack", pack * giga, "s/GB", "one rank, deflate 1 and 3 digits; values copied, packed"),
        row("ratio", raw / stored, "", "raw over stored bytes"),
        row("copy", copy * giga, "s/GB", "one rank, raw values by MPI-IO into the page cache"),
        row(
            "exchange",
            max(exchange, 0) * giga,
            "s/GB",
            "two ranks that share chunks, or one; by bytes sent",
        ),
    ]


# --- the placer ---


def placer_run(program: Path, mpi: Mpi, ranks: int, chunks: int) -> dict[str, float]:
    output = program.with_name("placer-output.nc")
    found: dict[str, float] = {}

    def seconds(text: str) -> float:
        words = re.search(r"^cpu .*$", text, re.MULTILINE)[0].split()
        found.update(zip(words[::2], map(float, words[1::2]), strict=True))
        return found["wall"]

    # What lies in a machine's shared memory would not be counted as sent.
    through_mpi = ("env", "FRAZIL_NODE_MEMORY=0")
    command = mpi.command(ranks, *through_mpi, program, output, chunks, SYNCS)
    with cores(ranks):
        run_once(Contender("placer", lambda _: command, ranks, seconds), output)
    output.unlink(missing_ok=True)
    print(
        f"  placer: {ranks:3} ranks, {chunks:6} chunks: {found['cpu'] * 1e3:8.3f} ms of CPU, "
        f"{found['messages_in']:.0f} messages in, {found['messages_out']:.0f} out",
        flush=True,
    )
    return found


def fit(runs: dict[tuple[int, int], dict[str, float]]) -> tuple[float, float, float]:
    """CPU seconds of a sync: fixed, for each other rank, for each chunk; relative errors count."""
    cpu = np.array([found["cpu"] for found in runs.values()])
    terms = np.array([(1.0, ranks - 1, chunks) for ranks, chunks in runs])
    found, *_ = np.linalg.lstsq(terms / cpu[:, None], np.ones_like(cpu), rcond=None)
    return tuple(max(float(one), 0.0) for one in found)


def placer_rows(runs: dict[tuple[int, int], dict[str, float]]) -> list[Row]:
    fixed, by_rank, by_chunk = fit(runs)
    two = min(runs, key=lambda key: (key[0], key[1]))
    steps = runs[two]["messages_in"] / (two[0] - 1)
    many = max(runs, key=lambda key: (-key[0], key[1]))
    more = many[1] - two[1]

    def by_chunk_told(what: str) -> float:
        return (runs[many][what] - runs[two][what]) / more

    wait = max(runs[two]["wall"] - runs[two]["cpu"], 0.0) / steps
    told = runs[two]["bytes_in"] / runs[two]["messages_in"]
    ends = statistics.median(found["ends"] for found in runs.values())
    how = f"rank 0 at a sync, {min(FITTED)[0]} to {max(FITTED)[0]} ranks"
    return [
        row("placer, fixed", fixed * 1e3, "ms", how),
        row("placer, by rank", by_rank * 1e6, "µs", how),
        row("placer, by chunk", by_chunk * 1e6, "µs", how),
        row("steps", steps, "", "messages of a rank to the placer at a sync"),
        row("wait", wait * 1e6, "µs", "two ranks: rank 0's seconds less its CPU seconds, by step"),
        row("message", told, "B", "to the placer, beside chunks"),
        row("chunk told", by_chunk_told("bytes_in"), "B", "to the placer, by chunk"),
        row("chunk placed", by_chunk_told("bytes_out"), "B", "from the placer, by chunk"),
        row("open and close", ends * 1e3, "ms", "the calls themselves"),
    ]


def measure(programs: Programs, data: Data, mpi: Mpi, repeats: int) -> tuple[list[Row], list[Row]]:
    """The costs, and how well those of the placer tell what was not among them."""
    program = programs.build_placer(mpi)
    runs = {key: placer_run(program, mpi, *key) for key in FITTED}
    rows = placer_rows(runs)
    ends = next(float(one["value"]) for one in rows if one["name"] == "open and close") / 1e3
    ways = measured_ways(data, mpi)
    turns(list(ways.values()), programs, repeats)
    rows = [*data_rows(ways, ends), *rows]
    costs = costs_of(rows)
    tried = []
    for ranks, chunks in TRIED:
        found = placer_run(program, mpi, ranks, chunks)
        predicted = costs.placer_step * costs.steps + chunks * costs.placer_chunk
        predicted += 2 * costs.steps * (ranks - 1) * costs.placer_message
        tried.append(
            compared(f"placer's CPU seconds, {chunks} chunks", ranks, found["cpu"], predicted)
        )
    return rows, tried


def compared(what: str, ranks: int, measured: float, predicted: float) -> Row:
    return {
        "what": what,
        "ranks": ranks,
        "measured_s": f"{measured:.4g}",
        "predicted_s": f"{predicted:.4g}",
        "predicted_over_measured": f"{predicted / measured:.2f}",
        "missed": "",
    }


def costs_of(rows: list[Row]) -> Costs:
    value = {str(one["name"]): float(one["value"]) for one in rows}
    steps = max(1, round(value["steps"]))
    return Costs(
        pack_per_byte=value["pack"] / 1e9,
        ratio=value["ratio"],
        copy_per_byte=value["copy"] / 1e9,
        exchange_per_byte=value["exchange"] / 1e9,
        placer_step=value["placer, fixed"] / 1e3 / steps,
        placer_message=value["placer, by rank"] / 1e6 / (2 * steps),
        placer_chunk=value["placer, by chunk"] / 1e6,
        steps=steps,
        step_wait=value["wait"] / 1e6,
        message_bytes=value["message"],
        chunk_bytes_in=value["chunk told"],
        chunk_bytes_out=value["chunk placed"],
        open_close=value["open and close"] / 1e3,
    )
