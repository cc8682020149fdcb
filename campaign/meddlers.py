"""Another process changes, replaces or cuts the input or the output while a command works."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import h5py

from campaign import judge, seeds

DEEDS = ["truncate", "rename", "append", "remove", "edit", "take the output", "remove temporaries"]
COMMANDS = [
    ["pack", "--verify"], ["pack", "--in-place"], ["unpack"], ["unpack", "--in-place"],
    ["verify"], ["analyze"], ["info", "--fill"],
]  # fmt: skip
FOREIGN = b"somebody else's output"


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Does one deed meanwhile; what is said to be packed is what was there."""
    chance = random.Random(seed)
    seeds.make(made)
    origin, other = made / "netcdf4.nc", made / "classic.nc"
    if chance.random() < 0.3:
        origin = judge.ROOT / "data/sample/squall_line_sample.nc"
    source, target = folder / "in.nc", folder / "out.nc"
    shutil.copy(origin, source)
    command, deed = chance.choice(COMMANDS), chance.choice(DEEDS)
    words = [judge.BINARY, command[0], source, *command[1:]]
    if command[0] in ("pack", "unpack") and "--in-place" not in command:
        words += ["-o", target]
    elif command[0] == "verify":
        words.append(origin)
    with (folder / "said").open("wb") as told:
        process = subprocess.Popen(list(map(str, words)), stdout=told, stderr=subprocess.STDOUT)
    time.sleep(chance.random() * (0.2 if origin.parent == made else 1.5))
    is_running = process.poll() is None
    _do(deed, source, other, folder)
    kept = judge.digest(source)
    verdict = _ended(process, folder)
    if verdict is None and process.returncode != 0:
        verdict = judge.Verdict("refused", (folder / "said").read_text(errors="replace")[-200:])
        if judge.digest(source) != kept:
            verdict = judge.Verdict("refused, and the input changed", verdict.words, True)
    if is_running and deed == "take the output" and target.read_bytes() != FOREIGN:
        verdict = judge.Verdict("another's output is replaced", "", True)
    if verdict is None:
        result = source if "--in-place" in command else target
        is_copied = command[0] in ("pack", "unpack") and result.exists()
        verdict = _right(result, kept, [origin, other, source]) if is_copied else judge.Verdict()
    verdict.details = {"deed": deed, "command": " ".join(command)}
    return verdict


def _ended(process: subprocess.Popen, folder: Path) -> judge.Verdict | None:
    """What is wrong with how it ended, whatever was done."""
    try:
        process.wait(timeout=6 * judge.SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return judge.Verdict("hang", "", True)
    said = (folder / "said").read_text(errors="replace")
    if process.returncode in judge.CRASHES or "panicked at" in said:
        return judge.Verdict("crash", said[-400:], True)
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    return judge.Verdict("left behind", " ".join(left), True) if left else None


def _right(result: Path, kept: str | None, wanted: list[Path]) -> judge.Verdict:
    """The result has the content of what was there before, or of what is there now."""
    if judge.digest(result) == kept or result.read_bytes() == FOREIGN:
        return judge.Verdict()
    for one in wanted:
        if one.exists() and judge.run(judge.BINARY, "verify", one, result)[0] == 0:
            return judge.Verdict()
    return judge.Verdict("neither the one nor the other", "", True)


def _do(deed: str, source: Path, other: Path, folder: Path) -> None:
    try:
        match deed:
            case "truncate":
                os.truncate(source, source.stat().st_size // 2)
            case "rename":
                shutil.copy(other, folder / "newer.nc")
                (folder / "newer.nc").replace(source)
            case "append":
                with source.open("ab") as file:
                    file.write(b"more")
            case "edit":
                with h5py.File(source, "r+") as file:
                    name = "t" if "t" in file else "T"
                    file[name][0] = 77.0
            case "take the output":
                (folder / "out.nc").write_bytes(FOREIGN)
            case "remove temporaries":
                for path in folder.glob(".*"):
                    path.unlink()
            case _:
                source.unlink()
    except (OSError, KeyError):
        # It is gone already, or locked, as it should be.
        pass
