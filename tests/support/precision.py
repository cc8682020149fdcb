"""Packs with precision, and reads what the packed file says about it."""

import json
from pathlib import Path

import h5py
import numpy as np

from support.command import DONE, Outcome, frazil, pack

# All attributes by which a variable says how it was rounded, netCDF-C's own excepted.
STATEMENT = (
    "quantization",
    "quantization_nsb",
    "quantization_nsd",
    "quantization_maximum_absolute_error",
    "quantization_maximum_relative_error",
    "quantization_finest_absolute_error",
    "quantization_keep_information",
    "nbits",
    "max_abs_compression_error",
)


def write_rules(path: Path, *rules: dict) -> Path:
    """A precision file; `variables` may be one pattern."""
    lines = []
    for rule in rules:
        lines.append("[[rule]]")
        for key, value in rule.items():
            if key == "variables" and isinstance(value, str):
                value = [value]
            # JSON is TOML for numbers, texts, booleans and lists of them.
            lines.append(f"{key} = {json.dumps(value)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def pack_by_rules(source: Path, target: Path, *rules: dict, options: tuple = ()) -> Outcome:
    """Packs with a precision file that holds `rules`."""
    file = write_rules(target.with_suffix(".toml"), *rules)
    return pack(source, target, "--precision", file, *options)


def statement(path: Path, name: str) -> dict[str, object]:
    """What a packed file's variable says about its rounding."""
    with h5py.File(path) as file:
        found = file[name].attrs
        return {key: plain(found[key]) for key in STATEMENT if key in found}


def plain(value: object) -> object:
    """An attribute's only element as a Python object."""
    array = np.asarray(value)
    if array.size == 1:
        value = array.reshape(-1)[0]
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def precision_of(outcome: Outcome, path: str) -> dict | None:
    """What the report (`--json`) says about one variable's rounding."""
    (report,) = outcome.report["reports"]
    (found,) = [one for one in report["variables"] if one["path"] == path]
    return found["precision"]


def notices(outcome: Outcome) -> list[str]:
    """The notices of a run without `--json`."""
    mark = "frazil: note: "
    return [line.removeprefix(mark) for line in outcome.stderr.splitlines() if mark in line]


def verify_json(a: Path, b: Path, *options: object) -> tuple[int, dict]:
    """Exit code and report of `frazil verify`."""
    outcome = frazil("verify", a, b, "--json", *options)
    assert outcome.code in (DONE, 1), outcome.stderr
    (report,) = outcome.report["reports"]
    return outcome.code, report
