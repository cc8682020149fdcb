"""Another process changes, replaces or cuts the input or the output while a command works."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

from campaign import judge, seeds

DEEDS = ["truncate", "rename", "append", "remove"]


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Does one deed while a file is packed; what is said to be packed is what was there."""
    chance = random.Random(seed)
    origin = made / "netcdf4.nc"
    other = made / "classic.nc"
    seeds.make(made)
    source, target = folder / "in.nc", folder / "out.nc"
    shutil.copy(origin, source)
    is_in_place = chance.random() < 0.5
    where = ["--in-place"] if is_in_place else ["-o", target]
    words = [judge.BINARY, "pack", "--verify", source, *where]
    process = subprocess.Popen(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    time.sleep(chance.random() * 0.05)
    deed = chance.choice(DEEDS)
    details = {"deed": deed, "in place": is_in_place}
    _do(deed, source, other, folder)
    kept = judge.digest(source)
    try:
        said, _ = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return judge.Verdict("hang", "", True, details)
    words = said.decode(errors="replace")
    if process.returncode in judge.CRASHES or "panicked at" in words:
        return judge.Verdict("crash", words[-400:], True, details)
    if process.returncode != 0:
        if judge.digest(source) != kept:
            return judge.Verdict("refused, and the input changed", words[-300:], True, details)
        return judge.Verdict("refused", words[-200:], False, details)
    result = source if is_in_place else target
    if deed == "rename" and judge.digest(result) == judge.digest(other):
        # It was done before, and the other file came in its place.
        return judge.Verdict("fine", "", False, details)
    if not result.exists():
        return judge.Verdict("fine", "", False, details)
    for wanted in (origin, other):
        code, _, _ = judge.run(judge.BINARY, "verify", result, wanted)
        if code == 0:
            return judge.Verdict("fine", "", False, details)
    if judge.digest(result) == kept:
        return judge.Verdict("fine", "", False, details)
    return judge.Verdict("neither the one nor the other", words[-300:], True, details)


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
            case _:
                source.unlink()
    except FileNotFoundError:
        pass
