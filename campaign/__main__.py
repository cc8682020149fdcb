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

from campaign import inputs, interruptions, judge, meddlers, neighbours, readers, values

KINDS = {
    "inputs": inputs.case,
    "decompress": values.decompress,
    "plugins": values.plugins,
    "interruptions": interruptions.case,
    "meddlers": meddlers.case,
    "neighbours": neighbours.case,
    "readers": readers.case,
}
MOST_FAULTS = 100


class State:
    """How far one kind is, in a file."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.path = folder / f"{kind}.json"
        known = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.next = known.get("next", 0)
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


def campaign(folder: Path, kinds: list[str], seconds: float) -> int:
    """Gives each kind its turn until the time is over; how many faults there are."""
    states = {kind: State(folder, kind) for kind in kinds}
    end = time.time() + seconds
    while time.time() < end:
        for kind, state in states.items():
            began = time.time()
            turn = min(10.0, max(seconds / len(kinds) / 4, 0.1))
            while time.time() < min(began + turn, end):
                verdict = one(kind, state.next, folder / "made")
                if verdict.is_fault:
                    print(f"{kind}:{state.next} {verdict.what}: {verdict.words[:160]}", flush=True)
                state.note(state.next, verdict)
            state.seconds += time.time() - began
            state.save()
    summary = {
        kind: {"cases": state.next, "counts": state.counts, "seeds": state.faults}
        for kind, state in states.items()
    }
    (folder / "summary.json").write_text(json.dumps(summary, indent=1))
    for kind, state in states.items():
        said = ", ".join(f"{count} {what}" for what, count in sorted(state.counts.items()))
        print(f"{kind}: {state.next} cases in {state.seconds:.0f} s: {said}")
    return sum(len(state.faults) for state in states.values())


def main() -> int:
    """Runs campaigns, or one case again."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3 * 3600)
    parser.add_argument("--kinds", default=",".join(KINDS))
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
    return int(campaign(options.state.resolve(), kinds, options.seconds) > 0)


if __name__ == "__main__":
    sys.exit(main())
