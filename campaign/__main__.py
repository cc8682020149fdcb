"""Campaigns: `python -m campaign --seconds 3600`; see docs/reliability.md.

Each kind goes on where it stopped. What was found is in STATE/summary.json; `--reproduce KIND:SEED`
runs one case again and keeps its files.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from campaign import (
    inputs,
    interruptions,
    journals,
    judge,
    meddlers,
    neighbours,
    package,
    readers,
    texts,
    values,
)

KINDS = {
    "inputs": inputs.case,
    "package": package.case,
    "journals": journals.case,
    "texts": texts.case,
    "decompress": values.decompress,
    "plugins": values.plugins,
    "interruptions": interruptions.case,
    "meddlers": meddlers.case,
    "neighbours": neighbours.case,
    "readers": readers.case,
}
MOST_FAULTS = 100
# Seconds of one turn where it is not ten: what has most to try has most of the time.
SHARES = {"inputs": 60.0, "package": 20.0, "readers": 5.0}


class State:
    """How far one kind is, in a file."""

    def __init__(self, folder: Path, kind: str, first: int = 0) -> None:
        self.path = folder / f"{kind}.json"
        known = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.first = known.get("first", first)
        self.next = known.get("next", first)
        self.counts = Counter(known.get("counts", {}))
        self.faults = known.get("faults", [])
        self.seconds = known.get("seconds", 0.0)

    def note(self, seed: int, verdict: judge.Verdict) -> None:
        """Counts a case; its seed is kept if it is a fault."""
        self.next = seed + 1
        self.counts[verdict.what] += 1
        if verdict.is_fault and len(self.faults) < MOST_FAULTS:
            fault = {"seed": seed, "what": verdict.what, "words": verdict.words}
            self.faults.append({**fault, **verdict.details})

    def save(self) -> None:
        """Writes it to its file."""
        known = {
            "first": self.first,
            "next": self.next,
            "seconds": round(self.seconds, 1),
            "counts": dict(self.counts),
            "faults": self.faults,
        }
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(known, indent=1))
        new.replace(self.path)


def one(kind: str, seed: int, made: Path, kept: Path | None = None) -> judge.Verdict:
    """Runs one case in a folder of its own."""
    if kept is not None:
        kept.mkdir(parents=True)
        return KINDS[kind](seed, kept, made)
    with tempfile.TemporaryDirectory(prefix="frazil-campaign-") as folder:
        return KINDS[kind](seed, Path(folder), made)


def _tried(kind: str, seed: int, made: Path) -> judge.Verdict:
    """As `one`; what is wrong with the campaign itself does not end it."""
    try:
        return one(kind, seed, made)
    except Exception as error:
        return judge.Verdict("the campaign fails", repr(error)[:300], True)


def campaign(folder: Path, kinds: list[str], seconds: float, first: int = 0) -> int:
    """Gives each kind its turn until the time is over; how many faults there are."""
    states = {kind: State(folder, kind, first) for kind in kinds}
    end = time.time() + seconds
    while time.time() < end:
        for kind, state in states.items():
            began = time.time()
            turn = min(SHARES.get(kind, 10.0), max(seconds / len(kinds) / 4, 0.1))
            while time.time() < min(began + turn, end):
                verdict = _tried(kind, state.next, folder / "made")
                if verdict.is_fault:
                    print(f"{kind}:{state.next} {verdict.what}: {verdict.words[:160]}", flush=True)
                state.note(state.next, verdict)
            state.seconds += time.time() - began
            state.save()
    return _sum_up(folder, states)


def _sum_up(folder: Path, states: dict[str, State]) -> int:
    summary = {
        kind: {"cases": state.next - state.first, "counts": state.counts, "seeds": state.faults}
        for kind, state in states.items()
    }
    (folder / "summary.json").write_text(json.dumps(summary, indent=1))
    for kind, state in states.items():
        said = ", ".join(f"{count} {what}" for what, count in sorted(state.counts.items()))
        seeds = f"seeds {state.first} to {state.next - 1}"
        print(f"{kind}: {state.next - state.first} cases in {state.seconds:.0f} s, {seeds}: {said}")
    return sum(len(state.faults) for state in states.values())


def main() -> int:
    """Runs campaigns, or one case again."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3 * 3600)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--first", type=int, default=0, help="the first seed of a new campaign")
    parser.add_argument("--state", type=Path, default=Path(".build/campaign"))
    parser.add_argument("--reproduce", metavar="KIND:SEED")
    options = parser.parse_args()
    options.state.mkdir(parents=True, exist_ok=True)
    if options.reproduce:
        kind, seed = options.reproduce.split(":")
        kept = Path(tempfile.mkdtemp(prefix="frazil-campaign-")) / "case"
        verdict = one(kind, int(seed), options.state.resolve() / "made", kept)
        print(f"{verdict}\nfiles: {kept}")
        return int(verdict.is_fault)
    kinds = options.kinds.split(",")
    faults = campaign(options.state.resolve(), kinds, options.seconds, options.first)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
