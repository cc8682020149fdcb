"""Damaged inputs: bytes where the structure of a file is, with checksums made right again."""

import random
from pathlib import Path

from campaign import judge, seeds
from campaign.checksums import repaired

SIGNATURES = [
    b"\x89HDF", b"OHDR", b"OCHK", b"TREE", b"SNOD", b"HEAP", b"GCOL", b"BTHD", b"BTLF", b"BTIN",
    b"FRHP", b"FHDB", b"FHIB", b"EAHD", b"EAIB", b"EADB", b"FAHD", b"FADB", b"CDF",
]  # fmt: skip
TELLING = [0, 1, 0x7F, 0x80, 0xFF]
COMMANDS = [
    ("info",), ("plan",), ("pack", "--verify"), ("pack",), ("unpack",), ("verify",), ("analyze",),
]  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    """`data` with a few bytes changed, most of them near what readers follow."""
    changed = bytearray(data)
    places = [at for mark in SIGNATURES for at in _all(data, mark)] or [0]
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        near = chance.choice(places) + int(chance.expovariate(1 / 40))
        at = near if chance.random() < 0.8 else chance.randrange(len(changed))
        at = min(at, len(changed) - 1)
        match chance.randrange(4):
            case 0:
                changed[at] = chance.choice(TELLING)
            case 1:
                changed[at] ^= 1 << chance.randrange(8)
            case 2:
                changed[at : at + 8] = chance.choice(
                    [b"\xff" * 8, bytes(8), chance.randrange(len(data)).to_bytes(8, "little")]
                )
            case _:
                changed[at] = chance.randrange(256)
    if chance.random() < 0.05:
        del changed[chance.randrange(len(changed)) :]
    return repaired(bytes(changed)) if chance.random() < 0.8 else bytes(changed)


def _all(data: bytes, mark: bytes) -> list[int]:
    found, at = [], data.find(mark)
    while at >= 0:
        found.append(at)
        at = data.find(mark, at + 1)
    return found


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Damages a seed file, and runs one command on it."""
    chance = random.Random(seed)
    origin = chance.choice(seeds.make(made))
    source = folder / f"damaged{origin.suffix}"
    source.write_bytes(mutated(origin.read_bytes(), chance))
    command = chance.choice(COMMANDS)
    target = folder / "out.nc"
    words = [judge.BINARY, *command, source]
    if command[0] in ("pack", "unpack"):
        words += ["-o", target]
    elif command[0] == "verify":
        words.append(origin)
    before = judge.digest(source)
    code, said, _ = judge.run(*words, seconds=judge.SECONDS)
    verdict = judge.judged(code, said, source, before, folder)
    verdict.details = {"command": " ".join(command), "origin": origin.name}
    is_verified = code == 0 and "--verify" in command and source.suffix == ".h5"
    if is_verified and judge.reads_with_h5py(source) == "reads":
        difference = judge.same_values(source, target)
        if difference:
            return judge.Verdict("verified, and wrong", difference, True, verdict.details)
    if code != 0 and target.exists():
        return judge.Verdict("refused, and written", said[-300:], True, verdict.details)
    return verdict
