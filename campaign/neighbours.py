"""Hostile neighbours: names that others have planted beside the output, and forged journals."""

import os
import random
import shutil
import stat
from pathlib import Path

from campaign import judge, seeds

NAMES = [
    ".out.nc.frazil-part", ".out.nc.frazil-lock", "out.nc.frazil-journal", "in.nc.frazil-journal",
    ".out.nc.frazil-journal-part", ".in.nc.frazil-part", ".in.nc.frazil-lock",
]  # fmt: skip


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Plants something, runs a command: a file elsewhere stays as it is, and nothing hangs."""
    chance = random.Random(seed)
    seeds.make(made)
    victim = folder / "victim"
    victim.write_bytes(b"nobody's business" * 100)
    beside = folder / "work"
    beside.mkdir()
    source, target = beside / "in.nc", beside / "out.nc"
    shutil.copy(made / "netcdf4.nc", source)
    name = chance.choice(NAMES)
    kind = chance.choice(["link", "pipe", "folder", "bytes", "dangling"])
    _plant(kind, beside / name, victim)
    command = chance.choice([["info"], ["pack"], ["pack", "--in-place"], ["recover"]])
    words = [judge.BINARY, *command, source]
    if command == ["pack"]:
        words += ["-o", target]
    before = judge.digest(victim)
    code, said, _ = judge.run(*words, seconds=30)
    details = {"name": name, "kind": kind, "command": " ".join(command)}
    if code is None:
        return judge.Verdict("hang", "", True, details)
    if "panicked at" in said or code in judge.CRASHES:
        return judge.Verdict("crash", said[-300:], True, details)
    if judge.digest(victim) != before or (folder / "made").exists():
        return judge.Verdict("followed a planted link", said[-300:], True, details)
    if target.exists() and not stat.S_ISREG(target.lstat().st_mode):
        return judge.Verdict("the output is no regular file", "", True, details)
    if not source.is_file():
        return judge.Verdict("the input is gone", said[-300:], True, details)
    return judge.Verdict("fine" if code == 0 else "refused", said[-200:], False, details)


def _plant(kind: str, path: Path, victim: Path) -> None:
    match kind:
        case "link":
            path.symlink_to(victim)
        case "dangling":
            path.symlink_to(victim.parent / "made")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(os.urandom(300))
