#!/usr/bin/env python3
"""Make the golden files of a release: tests/golden/VERSION.

    .venv/bin/python scripts/make_golden_files.py

Later versions must read them to the same values (tests/test_golden_files.py), so a folder that
exists is refused: what a release wrote is never made again. Needs the command (FRAZIL_BIN), the
library (FRAZIL_LIB) and the plugins (FRAZIL_PLUGIN_PATH); netCDF-C writes what is packed, and
h5py, with the plugins, reads the rounded values that are kept beside.
"""

import json
import shutil
import sys
import tempfile
import tomllib
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import netCDF4
import numpy as np
from crash.program import DATA, JOURNAL, Fault, Run
from support import golden, make
from support.command import DONE, ROOT, frazil, pack

VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
URL = "https://example.org/data/"
SHAPE, CHUNKS = (3, 8, 16), "time=2,x=12"
# Enough to be worth chunks.
LARGER = (6, 24, 32)
TYPES = ("f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">f4", ">i2")
CHAINS = (
    "shuffle+deflate(4)+fletcher32",
    "szip(8)",
    "bzip2(5)",
    "lz4",
    "zstd(-3)",
    "shuffle+zstd(19)",
    "bitshuffle",
    "bitshuffle+lz4",
    "bitshuffle+zstd(5)",
    "blosc(blosclz)",
    "blosc(lz4,5,bitshuffle)",
    "blosc(zstd,1,noshuffle)",
    "blosc(zlib)",
    "blosc(snappy)",
    "mafisc(0)",
    "delta+shuffle+zstd(1)",
    "frazil(size)+fletcher32",
    "frazil(archive)",
)
# Of the filters that treat each type in a way of its own.
BY_TYPE = {
    "pcodec": TYPES,
    "lorenzo+deflate(1)": ("f4", "f8", "i1", "u8", ">f4", ">i2"),
    "frazil": ("f4", "f8", "i2", "u1", "i8"),
}
ROUNDED = {
    "bits": {"significant_bits": 7},
    "digits": {"significant_digits": 3},
    "bound": {"absolute_tolerance": 0.01},
    "grid": {"nbits": 10},
    "integers": {"absolute_tolerance": 0.05, "pack_integers": True},
    "groom": {"significant_digits": 3, "algorithm": "bitgroom"},
}


def field(code: str, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    """Smooth values of a type, by whole numbers: every machine makes the same."""
    t, y, x = np.indices(shape, dtype="i8")
    whole = (x - 9) ** 2 + 3 * y * (t + 1) - 7 * t + (x * 7919 + y * 104729 + t * 31) % 3
    if np.dtype(code).kind != "f":
        return (whole % 120).astype(code)
    return (whole / 16).astype(code)


def named(code: str) -> str:
    """A type in a variable's name."""
    return code.replace(">", "big")


def write(path: Path, variables: dict[str, np.ndarray]) -> Path:
    """A file by netCDF-C."""
    with netCDF4.Dataset(path, "w") as file:
        shape = next(iter(variables.values())).shape
        for name, size in zip(("time", "y", "x"), shape, strict=True):
            file.createDimension(name, size)
        for name, values in variables.items():
            order = "big" if values.dtype.byteorder == ">" else "little"
            one = file.createVariable(name, values.dtype, ("time", "y", "x"), endian=order)
            one.units = "K"
            one[:] = values
    return path


def rules(requests: dict[str, dict[str, object]]) -> str:
    """A file of rules that names variables."""
    text = ""
    for name, keys in requests.items():
        text += f'[variables."{name}"]\n'
        text += "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()) + "\n"
    return text


def exact(folder: Path) -> None:
    """Every filter: `exact.nc`. A variable's name begins with that of its values in `source.nc`."""
    chains = [(chain, "f4") for chain in CHAINS]
    chains += [(chain, code) for chain, codes in BY_TYPE.items() for code in codes]
    names = {f"{named(pair[1])}_{number}": pair for number, pair in enumerate(chains)}
    write(folder / "source.nc", {named(code): field(code) for code in TYPES})
    requests = {name: {"filters": chain} for name, (chain, _) in names.items()}
    (folder / "filters.toml").write_text(rules(requests))
    options = ("--readable-by", "frazil", "--precision", folder / "filters.toml")
    with tempfile.TemporaryDirectory() as scratch:
        variables = {name: field(code) for name, (_, code) in names.items()}
        source = write(Path(scratch) / "source.nc", variables)
        pack(source, folder / "exact.nc", "--chunks", CHUNKS, *options)


def rounded(folder: Path) -> None:
    """Every way to round: `rounded.nc` of `unrounded.nc`, and its values by netCDF-C."""
    values = field("f4", LARGER) + np.float32(0.1)
    source = write(folder / "unrounded.nc", dict.fromkeys(ROUNDED, values))
    (folder / "rounding.toml").write_text(rules(ROUNDED))
    pack(source, folder / "rounded.nc", "--precision", folder / "rounding.toml", "--level", 6)
    with netCDF4.Dataset(folder / "rounded.nc") as file:
        file.set_auto_maskandscale(False)
        np.savez_compressed(
            folder / "rounded.npz", **{name: one[...] for name, one in file.variables.items()}
        )


def objects(folder: Path) -> None:
    """Types, groups, attributes, strings: `objects.nc` of `objects_source.nc`."""
    source = make.every_netcdf4_type(folder / "objects_source.nc")
    pack(source, folder / "objects.nc", "--level", 6, "--allow-larger")


def texts(folder: Path) -> None:
    """Files that people keep and hand on: a plan, rules, a calibration, a tree, references."""
    source = folder / "unrounded.nc"
    commands = (
        ("plan", source, "--json", folder / "plan.json", "--readable-by", "plugins", "--bits", "9"),
        ("pack", source, "-o", folder / "decided.nc", "--bits", "9", "--write-precision"),
        ("calibrate", "-o", folder / "calibration.json", "--network", "777MB/s"),
        ("train", "--table", ROOT / "data/filters/measurements.csv", "-o", folder / "tree.json"),
        ("refs", folder / "rounded.nc", "-o", folder / "references.json", "--url-prefix", URL),
    )
    for words in commands:
        more = [folder / "decided.toml"] if words[-1] == "--write-precision" else []
        outcome = frazil(*words, *more)
        assert outcome.code == DONE, outcome.stderr
    (folder / "decided.nc").unlink()


def _is_applied(journal: Path) -> bool:
    content = journal.read_bytes()
    return zlib.crc32(content[:-4]) != int.from_bytes(content[-4:], "little")


def killed(folder: Path) -> dict[str, int]:
    """A file whose writer was killed in its last commit, with the journal; what was asked of it."""
    orders = {"records": 3, "durable": 1, "own_chunks": 1}
    with tempfile.TemporaryDirectory() as scratch:
        whole = Run(Path(scratch) / "whole", orders).run()
        for at in range(len(whole.calls), 0, -1):
            run = Run(Path(scratch) / f"at{at}", orders).run(Fault(at, "half"))
            journal = run.folder / JOURNAL
            # Half a change of the file itself; the journal is complete, and not marked as applied.
            if whole.calls[at - 1][1] == DATA and journal.exists() and not _is_applied(journal):
                shutil.copy(run.path, folder / golden.KILLED)
                shutil.copy(journal, folder / golden.JOURNAL)
                return orders
    raise AssertionError("no kill left a journal")


def batch(folder: Path) -> dict[str, int]:
    """A run over many files with its index of finished inputs; the times that the index knows."""
    inputs, results = folder / golden.BATCH / "in", folder / golden.BATCH / "out"
    inputs.mkdir(parents=True)
    for name in ("a.nc", "b c.nc"):
        write(inputs / name, {"v": field("f4")})
    outcome = frazil("pack", inputs, "--out-dir", results, "--skip-existing", "--allow-larger")
    assert outcome.code == DONE, outcome.stderr
    files = sorted((folder / golden.BATCH).rglob("*.nc"))
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in files}


def main() -> int:
    """Makes the folder."""
    folder = golden.GOLDEN / VERSION
    if folder.exists():
        print(f"{folder} exists: what a release wrote is never made again", file=sys.stderr)
        return 1
    folder.mkdir()
    exact(folder)
    rounded(folder)
    objects(folder)
    texts(folder)
    manifest: dict[str, object] = {"killed": killed(folder), "times": batch(folder)}
    with tempfile.TemporaryDirectory() as scratch:
        found = {
            name: golden.shape(report(Path(scratch), folder / "rounded.nc"))
            for name, report in golden.REPORTS.items()
        }
    manifest["reports"] = found
    (folder / golden.MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
