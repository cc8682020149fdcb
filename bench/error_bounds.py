"""Ratios at the same absolute bound, proved by numpy: frazil, ZFP, SZ3 and SPERR on a WRF file."""

import argparse
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
from record import CORPUS, FOLDER, FRAZIL, machine, result_path, save

WHOLE = CORPUS / "wrf/squall_line.nc"
SOURCE = FOLDER / "squall_line_bounds.nc"
VARIABLES = ("U", "W", "T", "P", "QVAPOR")
# Of the range of a variable.
SHARES = (1e-3, 1e-4, 1e-5)
# What frazil is asked beside the bound.
WAYS = {
    "frazil": (),
    "frazil, plugins": ("--readable-by", "plugins", "--goal", "size"),
}


def of_hdf5plugin(bound: float) -> dict[str, Mapping[str, Any]]:
    """Other compressors with an absolute bound, as h5py takes them."""
    return {
        "ZFP": hdf5plugin.Zfp(accuracy=bound),
        "SZ3": hdf5plugin.SZ3(absolute=bound),
        "SPERR": hdf5plugin.Sperr(absolute=bound),
    }


def proved(data: h5py.Dataset, original: np.ndarray, bound: float) -> tuple[float, bool]:
    """The ratio, and whether every value is within the bound."""
    error = np.abs(data[...].astype("f8") - original.astype("f8")).max()
    return original.nbytes / data.id.get_storage_size(), bool(error <= bound)


def packed(
    command: Path, words: tuple[str, ...], bounds: dict[str, float]
) -> Iterator[tuple[str, h5py.Dataset]]:
    """The variables of the file that a command packs with these bounds."""
    output = FOLDER / "bounded.nc"
    stated = [
        word for name, bound in bounds.items() for word in ("--abs-error", f"{name}:{bound!r}")
    ]
    run = [command, "pack", SOURCE, "-o", output, "--overwrite", "--quiet", *words, *stated]
    subprocess.run(run, check=True)
    with h5py.File(output) as file:
        for name in bounds:
            yield name, file[name]


def rows(before: Path | None) -> Iterator[dict[str, object]]:
    with h5py.File(SOURCE) as file:
        fields = {name: file[name][...] for name in VARIABLES}
    ways = {name: (FRAZIL, words) for name, words in WAYS.items()}
    if before is not None:
        ways = {"frazil, before": (before, ())} | ways
    for share in SHARES:
        bounds = {name: float(np.ptp(field.astype("f8")) * share) for name, field in fields.items()}
        found: dict[tuple[str, str], tuple[float, bool]] = {}
        chunks = {}
        for way, (command, words) in ways.items():
            for name, data in packed(command, words, bounds):
                found[way, name] = proved(data, fields[name], bounds[name])
                chunks[name] = data.chunks
        for name, field in fields.items():
            for way, filters in of_hdf5plugin(bounds[name]).items():
                found[way, name] = alone(field, chunks[name], filters, bounds[name])
        for (way, name), (ratio, is_kept) in found.items():
            yield {
                "share": share,
                "variable": name,
                "by": way,
                "ratio": f"{ratio:.2f}",
                "kept": is_kept,
            }


def alone(
    field: np.ndarray, chunks: tuple[int, ...], filters: Mapping[str, Any], bound: float
) -> tuple[float, bool]:
    """A field in a file of its own, in the chunks that frazil gave it."""
    with h5py.File(FOLDER / "peer.h5", "w") as file:
        file.create_dataset("v", data=field, chunks=chunks, **filters)
    # Opened again: what is in the library's cache was not compressed yet.
    with h5py.File(FOLDER / "peer.h5") as file:
        return proved(file["v"], field, bound)


def table(found: list[dict[str, object]]) -> Iterator[str]:
    """Rows by bound and contender, for a page; a broken bound is marked."""
    yield "| bound / range | by | " + " | ".join(VARIABLES) + " |"
    yield "|---|---|" + "---|" * len(VARIABLES)
    keys = dict.fromkeys((row["share"], row["by"]) for row in found)
    for share, by in keys:
        of = {row["variable"]: row for row in found if (row["share"], row["by"]) == (share, by)}
        cells = [
            f"{of[name]['ratio']}{'' if of[name]['kept'] else ' (broken)'}" for name in VARIABLES
        ]
        yield f"| {share:.0e} | {by} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="another frazil, to compare with")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run(["nccopy", "-V", ",".join(VARIABLES), WHOLE, SOURCE], check=True)
    about = machine(hdf5plugin=hdf5plugin.version)
    found = list(rows(arguments.before))
    save(result_path(about, "error-bounds-"), about, found)
    print("\n".join(table(found)))
    # Others' compressors may break theirs; frazil must not.
    broken = [row for row in found if not row["kept"] and str(row["by"]).startswith("frazil")]
    if broken:
        raise SystemExit(f"bounds are broken: {broken}")


if __name__ == "__main__":
    main()
