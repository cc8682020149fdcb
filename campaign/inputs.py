"""Damaged inputs for the command."""

import random
import shutil
from pathlib import Path

from campaign import judge, seeds
from campaign.mutations import mutated

COMMANDS = [
    ("info",), ("info", "--fill"), ("plan",), ("pack", "--verify"), ("pack",),
    ("pack", "--rel-error", "1e-3", "--verify"), ("pack", "--readable-by", "frazil"),
    ("pack", "--in-place"), ("unpack",), ("unpack", "--verify"), ("unpack", "--format", "classic"),
    ("verify",), ("analyze",), ("recover",),
]  # fmt: skip


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Damages a seed file, and runs one command on it."""
    chance = random.Random(seed)
    origin = chance.choice(seeds.make(made))
    source, target = folder / f"damaged{origin.suffix}", folder / "out.nc"
    kept = folder / f"kept{origin.suffix}"
    kept.write_bytes(mutated(origin, chance))
    command = chance.choice(COMMANDS)
    is_in_place = "--in-place" in command

    def anew(at: Path = folder / "anew") -> list:
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir()
        shutil.copyfile(kept, at / source.name)
        return _words(command, at / source.name, at / target.name, origin)

    shutil.copyfile(kept, source)
    words = _words(command, source, target, origin)
    before = judge.digest(source)
    ended = judge.watched(*words)
    is_replaced = is_in_place and ended.code == 0
    was = judge.digest(source) if is_replaced else before
    verdict = judge.judged(words, ended, source, was, folder, anew)
    verdict.details = {"command": " ".join(command), "origin": origin.name}
    if verdict.is_fault:
        return verdict
    result = source if is_replaced else target
    if ended.code != 0 and target.exists():
        return judge.Verdict("refused, and written", ended.said[-300:], True, verdict.details)
    # Whatever stock readers see in the damaged file, they see in the result.
    is_exact = command[0] in ("pack", "unpack") and "--rel-error" not in command
    if ended.code == 0 and is_exact and (found := judge.difference(kept, result)):
        return judge.Verdict("written, and wrong", found, True, verdict.details)
    return verdict


def _words(command: tuple[str, ...], source: Path, target: Path, origin: Path) -> list:
    words = [judge.BINARY, *command, source]
    if command[0] in ("pack", "unpack") and "--in-place" not in command:
        words += ["-o", target]
    elif command[0] == "verify":
        words.append(origin)
    if command[0] not in ("plan", "recover"):
        words += judge.CONFINED
    return words
