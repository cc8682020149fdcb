"""Signals and kills at random instants of every command."""

import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from campaign import judge, seeds
from campaign.journals import leave

GENTLE = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
SAMPLE = judge.ROOT / "data/sample/squall_line_sample.nc"


@dataclass(frozen=True)
class Kind:
    """A command: what comes before and after its input, and what its outputs are."""

    before: tuple[str, ...]
    after: tuple[str, ...] = ()
    is_copy: bool = False
    """Whether its output has the input's content."""

    @property
    def is_in_place(self) -> bool:
        return "--in-place" in self.after or self.before == ("recover",)


OUT = ("-o", "out.nc")
KINDS = [
    Kind(("pack",), OUT, is_copy=True),
    Kind(("pack", "--verify"), OUT, is_copy=True),
    Kind(("pack",), ("--in-place",), is_copy=True),
    Kind(("pack", "--keep-information", "0.99"), OUT),
    Kind(("unpack",), OUT, is_copy=True),
    Kind(("unpack",), ("--in-place",), is_copy=True),
    Kind(("unpack", "--format", "classic"), OUT, is_copy=True),
    Kind(("recover",), is_copy=True),
    Kind(("import",), OUT),
    Kind(("verify",), ("again.nc", "--report", "report.html")),
    Kind(("plan",), ("--json", "plan.json")),
    Kind(("plan",), ("--plot", "plan.svg")),
    Kind(("info",)),
    Kind(("analyze",), ("--figure", "bits.svg")),
    Kind(("synth", "--shape", "200x300", "--seed", "1"), OUT),
    Kind(("train", "-o", "tree.json", "--write-table", "table.csv")),
]


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Interrupts a command; afterwards the input is whole, each output absent or whole."""
    chance = random.Random(seed)
    kind = chance.choice(KINDS)
    origin = _origin(kind, chance, made)
    whole, cut = folder / "whole", folder / "cut"
    source = _prepare(kind, origin, cut)
    words = _words(kind, source)
    kill = chance.choice([*GENTLE, signal.SIGKILL, signal.SIGKILL])
    details = {"command": " ".join(words), "signal": kill.name, "origin": origin.name}
    # Without an interruption, for what it makes and how long it takes.
    began = time.monotonic()
    code, said = judge.run(judge.BINARY, *_words(kind, _prepare(kind, origin, whole)), cwd=whole)
    seconds = time.monotonic() - began
    before = judge.digest(source)
    process = subprocess.Popen(
        [str(judge.BINARY), *words],
        cwd=cut, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    time.sleep(chance.random() * seconds * 1.1)
    process.send_signal(kill)
    if chance.random() < 0.2:
        time.sleep(chance.random() * 0.01)
        process.send_signal(chance.choice(GENTLE))
    try:
        process.wait(timeout=6 * judge.SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return judge.Verdict("a signal did not end it", "", True, details)
    fault = _left(cut, kill) or _again(words, cut, code)
    if fault is None and not kind.is_in_place and judge.digest(source) != before:
        fault = judge.Verdict("source changed", "", True)
    fault = fault or _compare(kind, source, whole, cut)
    if fault is None and code != 0 and kind.before != ("unpack", "--format", "classic"):
        fault = judge.Verdict("fails without a signal", said[-300:], True)
    verdict = fault or judge.Verdict()
    verdict.details = details
    return verdict


def _origin(kind: Kind, chance: random.Random, made: Path) -> Path:
    if kind.before == ("import",):
        path = made / "table.csv"
        if not path.exists():
            rows = "\n".join(f"{i},{i * 0.25}" for i in range(20_000))
            path.write_text(f"n,value\n{rows}\n")
        return path
    if kind.before == ("recover",):
        return made / "trees.h5"
    if chance.random() < 0.3:
        return SAMPLE
    named = [path for path in seeds.make(made) if path.suffix == ".nc"]
    return chance.choice(named)


def _prepare(kind: Kind, origin: Path, folder: Path) -> Path:
    """A folder with the inputs."""
    folder.mkdir()
    source = folder / f"in{origin.suffix}"
    if kind.before[0] == "train":
        # What one dataset shows is judged by others.
        for number, name in enumerate(("one", "other")):
            (folder / "files" / name).mkdir(parents=True)
            field = np.cumsum(np.random.default_rng(number).normal(size=(120, 160)), axis=1)
            with h5py.File(folder / "files" / name / "field.h5", "w") as file:
                file["v"] = field.astype("f4")
    shutil.copy(origin, source)
    if kind.before == ("verify",):
        shutil.copy(origin, folder / "again.nc")
    if kind.before == ("recover",):
        _leave_half_done(source)
    return source


def _leave_half_done(source: Path) -> None:
    """A commit that stopped midway: some blocks are zeros, and the journal holds what is right."""
    data = source.read_bytes()
    changes = [(at, data[at : at + 4096]) for at in range(10_000, 90_000, 8192)]
    with source.open("r+b") as file:
        for at, block in changes:
            file.seek(at)
            file.write(bytes(len(block)))
    leave(source, *changes)


def _words(kind: Kind, source: Path) -> list[str]:
    if kind.before[0] == "synth":
        return [*kind.before, *kind.after]
    if kind.before[0] == "train":
        return [*kind.before, "files"]
    return [*kind.before, source.name, *kind.after]


def _left(folder: Path, kill: signal.Signals) -> judge.Verdict | None:
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    if left and kill != signal.SIGKILL:
        return judge.Verdict("left behind", " ".join(left), True)
    return None


def _again(words: list[str], folder: Path, wanted: int | None) -> judge.Verdict | None:
    """Whoever is killed leaves what the next run takes away, and the next run works."""
    overwrite = [] if words[0] in ("info", "recover") or "--in-place" in words else ["--overwrite"]
    if words[0] in ("verify", "plan", "analyze"):
        overwrite = []
        # These replace nothing without being told, and do not ask here.
        for name in ("report.html", "plan.json", "plan.svg", "bits.svg"):
            (folder / name).unlink(missing_ok=True)
    code, said = judge.run(judge.BINARY, *words, *overwrite, cwd=folder)
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    if left:
        return judge.Verdict("left behind by the next run", " ".join(left), True)
    if code != wanted:
        return judge.Verdict("the next run fails", said[-300:], True)
    return None


def _compare(kind: Kind, source: Path, whole: Path, cut: Path) -> judge.Verdict | None:
    """Every file is as it is without an interruption."""
    for path in sorted(path for path in whole.iterdir() if path.is_file()):
        other = cut / path.name
        if not other.exists():
            return judge.Verdict("an output is missing", path.name, True)
        if judge.digest(path) == judge.digest(other):
            continue
        if path.suffix in (".nc", ".h5"):
            code, said = judge.run(judge.BINARY, "verify", path, other)
            if code != 0:
                return judge.Verdict("another content", f"{path.name}: {said[-300:]}", True)
        elif not _is_complete(path, other):
            return judge.Verdict("another text", path.name, True)
    if kind.is_copy and not kind.is_in_place and (cut / "out.nc").exists():
        code, said = judge.run(judge.BINARY, "verify", source, cut / "out.nc")
        if code != 0:
            return judge.Verdict("not the input's content", said[-300:], True)
    return None


def _is_complete(path: Path, other: Path) -> bool:
    """Reports name times and folders: as many lines, and the same last words."""
    one, two = path.read_text(), other.read_text()
    return len(one.splitlines()) == len(two.splitlines()) and one[-20:] == two[-20:]
