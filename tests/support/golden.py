"""What the folders of golden files hold, for who makes them and who tests them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from support.command import DONE, ROOT, Outcome, frazil

GOLDEN = ROOT / "tests/golden"
# Of each release a folder with files that are never changed again.
MANIFEST = "golden.json"
# What a run over many files finished, with the times that its index knows.
BATCH = "batch"
INDEX = ".frazil-finished"
# A file whose writer was killed in the middle of a commit, and its journal.
KILLED = "killed.nc"
JOURNAL = f"{KILLED}.frazil-journal"
JOURNAL_HEADER = len(b"FRZJRNL1") + 8


def folders() -> list[Path]:
    """The folders of all releases."""
    return sorted(path.parent for path in GOLDEN.glob(f"*/{MANIFEST}"))


def report_of(outcome: Outcome) -> object:
    """What a command printed as JSON."""
    assert outcome.code in (DONE, 1), outcome.stderr
    return outcome.report


def _batch(folder: Path, source: Path) -> Outcome:
    shutil.copy(source, folder / "one.nc")
    options = ("--level", 1, "--overwrite")
    return frazil("pack", folder / "one.nc", "--out-dir", folder / "out", *options, "--json-lines")


def _plan(folder: Path, source: Path) -> object:
    frazil("plan", source, "--json", folder / "plan.json", "--overwrite", "-q")
    return json.loads((folder / "plan.json").read_text())


# What is printed or written for programs: by name, how to get it for a file in a folder.
REPORTS: dict[str, Callable[[Path, Path], object]] = {
    "pack --json": lambda folder, source: report_of(
        frazil("pack", source, "-o", folder / "packed.nc", "--overwrite", "--bits", 9, "--json")
    ),
    "pack --json-lines": lambda folder, source: [
        json.loads(line) for line in _batch(folder, source).stdout.splitlines()
    ],
    "unpack --json": lambda folder, source: report_of(
        frazil("unpack", source, "-o", folder / "plain.nc", "--overwrite", "--json")
    ),
    "info --json": lambda _, source: report_of(frazil("info", source, "--json")),
    "info --cloud --json": lambda _, source: report_of(frazil("info", source, "--cloud", "--json")),
    "analyze --json": lambda _, source: report_of(frazil("analyze", source, "--json")),
    "verify --json": lambda _, source: report_of(frazil("verify", source, source, "--json")),
    "recover --json": lambda _, source: report_of(frazil("recover", source, "--json")),
    "plan --json": _plan,
    "error": lambda folder, _: report_of(frazil("info", folder / "missing.nc", "--json")),
}


def shape(value: object) -> dict[str, str]:
    """The keys of a JSON value, as paths, each with the kinds of what stands there."""
    found: dict[str, set[str]] = {}
    _shape(value, "", found)
    return {key: " ".join(sorted(kinds)) for key, kinds in sorted(found.items())}


def _shape(value: object, path: str, found: dict[str, set[str]]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _shape(inner, f"{path}.{key}".lstrip("."), found)
    elif isinstance(value, list):
        for inner in value:
            _shape(inner, f"{path}[]", found)
    else:
        kinds = {bool: "truth", int: "number", float: "number", str: "text", type(None): "null"}
        found.setdefault(path, set()).add(kinds[type(value)])
