#!/usr/bin/env python3
"""Judges frazil over a folder of HDF5 files that others made: other projects' test files, say.

    scripts/judge_foreign_files.py FOLDER         what frazil-hdf5 reads, and h5py's low level
    scripts/judge_foreign_files.py FOLDER --values  also all values, of the Python package and h5py
    scripts/judge_foreign_files.py FOLDER --pack  also `frazil info`, and `frazil pack` with a
                                                  comparison of its output

Both readers must say the same of a file, or both refuse it. Run it with .venv/bin/python after
`make build inventory`; FRAZIL_BIN names another command, beside whose folder `examples` is. Each
file is read in a process of its own: some make libhdf5 crash or go round.
"""

import argparse
import difflib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import hdf5plugin

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
# h5py finds the filters of this package; frazil and the command must, too.
os.environ.setdefault("HDF5_PLUGIN_PATH", hdf5plugin.PLUGIN_PATH)

from support import hdf5_inventory, hdf5_values
from support.command import BINARY
from support.data import kind
from support.h5_compare import Comparison

SECONDS = 60
# What h5py refuses, and frazil reads on purpose: docs/architecture.md.
READ_ON_PURPOSE = (
    "file is already open for write",
    "unusually large # of unused bits",
)
# Lines shown of one difference.
MOST_LINES = 6
MOST_CHARACTERS = 300


@dataclass
class Verdict:
    """How a comparison of one file ended."""

    word: str
    details: str = ""

    @property
    def is_good(self) -> bool:
        return self.word in ("same", "both refuse", "read on purpose", "h5py cannot compare")


@dataclass
class Answer:
    """What a reader said: a value, or why not."""

    value: object = None
    error: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--values", action="store_true", help="compare all values, too")
    parser.add_argument("--pack", action="store_true", help="run the command on each file, too")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    is_good = True
    for path in sorted(filter(_is_hdf5, arguments.folder.rglob("*"))):
        verdicts = {"metadata": judge_metadata(path)}
        if arguments.values:
            verdicts["values"] = judge_values(path)
        if arguments.pack:
            verdicts |= judge_command(path)
        for step, verdict in verdicts.items():
            counts[f"{step}: {verdict.word}"] += 1
            is_good &= verdict.is_good
            if not verdict.is_good:
                print(f"{path.relative_to(arguments.folder)}: {step}: {verdict.word}")
                print(verdict.details, flush=True)
    for words, count in sorted(counts.items()):
        print(f"{count:6} {words}")
    return 0 if is_good else 1


def _is_hdf5(path: Path) -> bool:
    return path.is_file() and kind(path) == "hdf5"


def judge_metadata(path: Path) -> Verdict:
    """Our inventory of a file beside that of h5py."""
    theirs = _apart(lambda: hdf5_inventory.theirs(path))
    try:
        lines, error = hdf5_inventory.ours(path, SECONDS)
    except subprocess.TimeoutExpired:
        return Verdict("we take too long")
    if error.startswith("thread") or "panicked" in error:
        return Verdict("we fail", error)
    if theirs.error or error:
        return _of_refusals(theirs.error, error)
    ours = hdf5_inventory.comparable(lines, theirs.value)
    if ours != theirs.value:
        return Verdict("other facts", _difference(theirs.value, ours))
    wrong = _apart(lambda: hdf5_inventory.wrong_chunks(path, lines))
    if wrong.error or wrong.value:
        return Verdict("other chunks", _shortened(wrong.error or str(wrong.value)))
    return Verdict("same")


def judge_values(path: Path) -> Verdict:
    """All values beside those of h5py."""
    opened = _apart(lambda: hdf5_inventory.theirs(path) and None)
    wrong = _apart(lambda: hdf5_values.wrong_values(path))
    if wrong.error:
        # Who cannot read one object opens no file here.
        return _of_refusals(opened.error, wrong.error)
    if wrong.value:
        return Verdict("other values", "\n".join(map(_shortened, wrong.value)))
    return Verdict("same")


def judge_command(path: Path) -> dict[str, Verdict]:
    """What `frazil info` and `frazil pack` do with a file, beside what h5py can open."""
    opened = _apart(lambda: hdf5_inventory.theirs(path) and None)
    path = path.resolve()
    info = _run("info", path)
    verdicts = {"info": _of_refusals(opened.error, info)}
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "packed.h5"
        if error := _run("pack", path, "-o", packed):
            verdicts["pack"] = _of_refusals(opened.error, error)
            return verdicts
        compared = _apart(lambda: _compared(path, packed))
    if compared.error:
        verdicts["pack"] = Verdict("h5py cannot compare", compared.error)
    elif compared.value:
        verdicts["pack"] = Verdict("other content", "\n".join(map(_shortened, compared.value)))
    else:
        verdicts["pack"] = Verdict("same")
    return verdicts


def _compared(path: Path, packed: Path) -> list[str]:
    # Sources of virtual datasets and other files with values are beside the first.
    os.chdir(path.parent)
    return Comparison(path, packed).run().differences


def _of_refusals(theirs: str, ours: str) -> Verdict:
    if theirs and ours:
        return Verdict("both refuse")
    if ours:
        return Verdict("we refuse", f"    {_shortened(ours)}")
    if any(words in theirs for words in READ_ON_PURPOSE):
        return Verdict("read on purpose")
    if theirs:
        return Verdict("h5py refuses", f"    {_shortened(theirs)}")
    return Verdict("same")


def _run(action: str, path: Path, *arguments: object) -> str:
    """Runs the command in the file's folder, where values in other files are; its error."""
    command = [BINARY.resolve(), action, path, *map(str, arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return "it takes too long"
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def _apart(work: Callable[[], object]) -> Answer:
    """What work in a child process comes to."""
    receiver, sender = multiprocessing.get_context("fork").Pipe(duplex=False)

    def attempt() -> None:
        # Readers complain about some files; their verdict is the exception.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            sender.send(Answer(work()))
        except Exception as error:
            sender.send(Answer(error=f"{type(error).__name__}: {error}"))

    child = multiprocessing.get_context("fork").Process(target=attempt)
    child.start()
    sender.close()
    try:
        answer = receiver.recv() if receiver.poll(SECONDS) else Answer(error="it takes too long")
    except EOFError:
        answer = Answer(error="it crashes")
    child.kill()
    child.join()
    return answer


def _difference(theirs: list[str], ours: list[str]) -> str:
    lines = difflib.unified_diff(theirs, ours, "h5py", "frazil", n=0, lineterm="")
    changed = [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]
    return "\n".join(f"    {_shortened(line)}" for line in changed[:MOST_LINES])


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."


if __name__ == "__main__":
    sys.exit(main())
