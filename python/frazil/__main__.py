"""``python -m frazil pack FILES --scheduler tcp://...``: the command ``frazil pack`` on a cluster.

Options have the names that they have for the command ``frazil``, which calls this for
``--scheduler``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .cluster_pack import packed
from .errors import Error
from .operations import _pack_options
from .reports import PackReport, WritePlan

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}

# Options that `frazil.pack` has under the same names, with the same values.
_AS_IN_PACK = (
    "reads",
    "storage",
    "axes",
    "expect",
    "most_chunks",
    "calibration",
    "level",
    "checksum",
    "precision",
    "netcdf_attribute",
    "readable_by",
    "goal",
    "weights",
    "min_write_speed",
    "tree",
    "filters",
    "layout",
    "dry_run",
    "verify",
    "carbon_intensity",
    "break_hard_links",
    "threads",
    "memory",
)


def _bytes(text: str) -> int:
    """``512MiB`` as a number of bytes."""
    found = re.fullmatch(r"(\d+)\s*(|k|m|g|ki|mi|gi)b?", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 512MiB or 2GB")
    return int(found[1]) * _UNITS[found[2]]


def _extents(text: str) -> tuple[str, dict[str, int]]:
    """``tas:time=24,lat=64`` as a variable (``*``: all) and elements by dimension."""
    variable, _, extents = text.rpartition(":")
    try:
        pairs = [pair.split("=") for pair in extents.split(",")]
        return variable or "*", {name: int(count) for name, count in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not [VAR:]DIM=N,...") from None


def _pairs(text: str) -> dict[str, str]:
    """``k=level,time2=time`` by name."""
    pairs = [pair.split("=") for pair in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not DIM=...,DIM=...")
    return {name: value for name, value in pairs}


def _weights(text: str) -> dict[str, float]:
    """``size=1,write=0.5`` by name."""
    try:
        return {name.strip(): float(weight) for name, weight in _pairs(text).items()}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not size=1,write=0.5,...") from None


def _speed(text: str) -> float:
    """``400MB/s`` in MB/s."""
    found = re.fullmatch(r"([\d.]+)\s*(|k|m|g|ki|mi|gi)b/s", text.strip().lower())
    try:
        return float(found[1]) * _UNITS[found[2]] / 1e6
    except (TypeError, ValueError):
        raise argparse.ArgumentTypeError(f"{text!r} is no speed; write 400MB/s") from None


def parser() -> argparse.ArgumentParser:
    """The options of ``pack`` that mean something on a cluster."""
    top = argparse.ArgumentParser(prog="python -m frazil", allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True)
    about = "pack files on a cluster, one task for each"
    pack = commands.add_parser("pack", help=about, allow_abbrev=False)
    pack.add_argument("inputs", nargs="+", metavar="IN")
    pack.add_argument("--scheduler", required=True, metavar="ADDRESS", help="tcp://host:8786")
    where = pack.add_mutually_exclusive_group()
    where.add_argument("--out-dir", metavar="DIR", help="folder for the results")
    where.add_argument("--in-place", action="store_true", help="replace inputs, once verified")
    pack.add_argument("--break-hard-links", action="store_true")
    pack.add_argument("--overwrite", action="store_true", help="replace existing results")
    pack.add_argument("--verify", action="store_true", help="compare before a result gets its name")
    pack.add_argument("--chunks", action="append", type=_extents, metavar="[VAR:]DIM=N,...")
    pack.add_argument("--keep-chunks", action="store_true")
    pack.add_argument("--reads", metavar="READ[=WEIGHT],...")
    pack.add_argument("--storage", choices=("local", "disk", "parallel-fs", "object-store"))
    pack.add_argument("--axes", type=_pairs, metavar="DIM=AXIS,...")
    pack.add_argument("--expect", type=_pairs, metavar="DIM=N,...")
    pack.add_argument("--most-chunks", type=int, metavar="N")
    pack.add_argument("--calibration", metavar="default|FILE")
    pack.add_argument("--plan", metavar="PLAN.json")
    pack.add_argument("--level", type=int, metavar="N")
    pack.add_argument("--goal", choices=("balanced", "size", "speed", "archive", "energy"))
    pack.add_argument("--weights", type=_weights, metavar="size=1,write=0.5,...")
    pack.add_argument("--min-write-speed", type=_speed, metavar="SPEED", help="400MB/s")
    pack.add_argument("--tree", metavar="TREE.json")
    pack.add_argument("--filters", metavar="CHAIN")
    pack.add_argument("--shuffle", choices=("auto", "on", "off"), default="auto")
    pack.add_argument("--checksum", action="store_true")
    pack.add_argument("--layout", choices=("standard", "cmip7"), default="standard")
    pack.add_argument("--readable-by", choices=("any", "plugins", "frazil"))
    pack.add_argument("--precision", metavar="FILE", help="TOML file of rules")
    pack.add_argument("--netcdf-quantize-attribute", dest="netcdf_attribute", action="store_true")
    pack.add_argument("-n", "--dry-run", action="store_true")
    pack.add_argument("--threads", type=int, default=1, metavar="N", help="for each file")
    pack.add_argument("--memory", type=_bytes, metavar="SIZE", help="for each file")
    pack.add_argument("--energy", action="store_true", help="always so here")
    pack.add_argument("--carbon-intensity", type=float, metavar="GRAMS", help="of a kWh")
    pack.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    pack.add_argument("--all-variables", action="store_true", help="always so here")
    pack.add_argument("-q", "--quiet", action="store_true", help="errors only")
    return top


def _options(asked: argparse.Namespace) -> str:
    chunks: Any = "keep" if asked.keep_chunks else None
    if asked.chunks:
        chunks = dict(asked.chunks)
    plan = None if asked.plan is None else WritePlan.from_json(Path(asked.plan).read_text())
    return _pack_options(
        chunks=chunks,
        plan=plan,
        shuffle={"auto": None, "on": True, "off": False}[asked.shuffle],
        overwrite=True,
        **{name: getattr(asked, name) for name in _AS_IN_PACK},
    )


def _record(error: Exception) -> dict[str, Any]:
    """An error as the command's JSON document has it."""
    parts = ("file", "variable", "cause", "cure")
    if isinstance(error, Error):
        return {"number": error.code, **{key: getattr(error, key) for key in parts}}
    return {"number": 0, "file": None, "variable": None, "cause": repr(error), "cure": None}


def _pack(asked: argparse.Namespace) -> int:
    from distributed import Client

    document: dict[str, list] = {"reports": [], "errors": []}
    with Client(asked.scheduler, timeout="10 s", set_as_default=False) as client:
        may_replace = asked.overwrite or asked.dry_run
        outcomes = packed(asked.inputs, asked.out_dir, client, _options(asked), may_replace)
        for _, outcome in outcomes:
            if isinstance(outcome, PackReport):
                document["reports"].append(outcome.to_dict())
                if not (asked.quiet or asked.json):
                    print(outcome, flush=True)
            else:
                document["errors"].append(_record(outcome))
                notes = "".join(f" ({note})" for note in getattr(outcome, "__notes__", ()))
                print(f"frazil: {outcome}{notes}", file=sys.stderr, flush=True)
    if asked.json:
        print(json.dumps(document, default=str))
    return FAILED if document["errors"] else DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the arguments ask for; the exit code."""
    asked = parser().parse_args(arguments)
    if asked.out_dir is None and not asked.in_place and not asked.dry_run:
        parser().error("say where the results go: --out-dir DIR or --in-place")
    try:
        return _pack(asked)
    except KeyboardInterrupt:
        print("frazil: stopped", file=sys.stderr)
        return INTERRUPTED
    except (Error, OSError) as error:
        print(f"frazil: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
