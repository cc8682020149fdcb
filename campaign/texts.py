"""Damaged plans, rules, trees and tables: an error that says what is wrong, or a file as stated."""

import os
import random
from pathlib import Path

from campaign import judge, seeds

RULES = """[[rule]]
variables = ["t", "/deep/**"]
significant_digits = 3

[[rule]]
variables = ["q"]
absolute_error = 0.01
"""
TABLE = "time,value,text\n" + "".join(f"{i},{i * 0.5},\n" for i in range(50))
PIECES = ["-1", "0", "1e400", "NaN", "null", "[]", "{}", '""', "99999999999999999999", "\x00", "é"]


def _spoilt(text: str, chance: random.Random) -> bytes:
    """A text with a number or a word replaced, a piece left out, or some bytes changed."""
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(text))
        end = min(at + int(chance.expovariate(1 / 6)) + 1, len(text))
        text = text[:at] + chance.choice([*PIECES, "", "", text[at:end] * 2]) + text[end:]
    spoilt = bytearray(text.encode())
    if chance.random() < 0.2:
        spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
    return bytes(spoilt)


def _plan(made: Path) -> str:
    kept = made / "plan.json"
    if not kept.exists():
        new = kept.with_name(f"{os.getpid()}-plan.json")
        code, said = judge.run(judge.BINARY, "plan", made / "netcdf4.nc", "--json", new)
        assert code == 0, said
        new.replace(kept)
    return kept.read_text()


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Runs the command that reads such a text."""
    chance = random.Random(seed)
    seeds.make(made)
    source, target, text = made / "netcdf4.nc", folder / "out.nc", folder / "text"
    pack = ["pack", source, "-o", target]
    kind = chance.choice(["plan", "rules", "tree", "table"])
    tree = judge.ROOT / "crates/frazil-plan/data/filter_tree.json"
    content, words = {
        "plan": (lambda: _plan(made), [*pack, "--plan", text]),
        "rules": (lambda: RULES, [*pack, "--precision", text]),
        "tree": (tree.read_text, [*pack, "--readable-by", "frazil", "--tree", text]),
        "table": (lambda: TABLE, ["import", text, "-o", target]),
    }[kind]
    text.write_bytes(_spoilt(content(), chance))
    words = [judge.BINARY, *words, *judge.CONFINED]
    before = judge.digest(source)
    ended = judge.watched(*words)
    verdict = judge.judged(words, ended, source, before, folder)
    verdict.details = {"kind": kind}
    if ended.code != 0 and target.exists():
        return judge.Verdict("refused, and written", ended.said[-300:], True, verdict.details)
    exact = kind in ("plan", "tree") and '"quantize": {' not in text.read_text(errors="replace")
    if ended.code == 0 and exact and (found := judge.difference(source, target)):
        return judge.Verdict("written, and wrong", found, True, verdict.details)
    return verdict
