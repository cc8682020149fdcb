"""Damaged journals beside a file, with their checksum made right: `recover` and readers."""

import os
import random
import shutil
import sys
import zlib
from pathlib import Path

from campaign import judge, seeds

sys.path.insert(0, str(judge.ROOT / "tests"))

from support.journals import journal, journal_of, leave

__all__ = ["case", "leave"]

# Beyond what a journal of some kilobytes can make of a file.
MOST_GROWTH = 1 << 20


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """A journal that its writer did not write so: refused, or one of the states that it states."""
    chance = random.Random(seed)
    origin = chance.choice([path for path in seeds.make(made) if path.suffix == ".h5"])
    source = folder / origin.name
    shutil.copy(origin, source)
    content = source.read_bytes()
    places = sorted(chance.sample(range(64, len(content) - 64, 64), 3))
    changes = [(at, content[at : at + 32], os.urandom(32)) for at in places]
    sealed = bytearray(journal(source, changes)[:-4])
    at = chance.randrange(8, 64) if chance.random() < 0.7 else chance.randrange(len(sealed))
    wide = chance.choice([bytes(8), b"\xff" * 8, chance.randrange(1 << 20).to_bytes(8, "little")])
    if chance.random() < 0.5:
        sealed[at : at + 8] = wide
    else:
        sealed[at] = chance.randrange(256)
    if chance.random() < 0.1:
        del sealed[chance.randrange(len(sealed)) :]
    journal_of(source).write_bytes(bytes(sealed) + zlib.crc32(sealed).to_bytes(4, "little"))
    journal_of(source).chmod(0o644)
    command = chance.choice([["recover"], ["recover"], ["info"], ["plan"], ["verify", origin]])
    words = [judge.BINARY, command[0], source, *command[1:]]
    ended = judge.watched(*words)
    details = {"command": command[0], "origin": origin.name}
    is_applied = command[0] == "recover" and ended.code == 0
    before = judge.digest(source) if is_applied else judge.digest(origin)
    verdict = judge.judged(words, ended, source, before, folder)
    verdict.details = details
    if source.stat().st_size > len(content) + MOST_GROWTH:
        return judge.Verdict("the file grows", str(source.stat().st_size), True, details)
    return verdict
