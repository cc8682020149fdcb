"""How much more a goal's choice takes than the best filters, on whole variables; see README.md."""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from decisions import files_of
from record import CORPUS, FRAZIL

GOALS = ("size", "archive")
LEVELS = (1, 4, 6, 9)
CHAINS = ["none", *(f"{first}deflate({level})" for first in ("", "shuffle+") for level in LEVELS)]
# Smaller variables are lost in their metadata.
LEAST_BYTES = 16_384


def stored(path: Path, folder: Path, *words: str) -> dict[str, tuple[int, int]]:
    """Raw and stored bytes of each variable."""
    target = folder / f"{path.stem}-{abs(hash((path, words)))}.nc"
    command = [FRAZIL, "pack", path, "-o", target, "--allow-larger", "--json", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    target.unlink(missing_ok=True)
    if done.returncode:
        return {}
    (report,) = json.loads(done.stdout)["reports"]
    return {one["path"]: (one["raw_bytes"], one["stored_bytes"]) for one in report["variables"]}


def regrets(path: Path, folder: Path) -> list[tuple[str, str, float]]:
    """Goal, variable and regret of every variable that is large enough."""
    of_chains = [stored(path, folder, "--filters", chain) for chain in CHAINS]
    found = []
    for goal in GOALS:
        for name, (raw, chosen) in stored(path, folder, "--goal", goal).items():
            others = [one[name][1] for one in of_chains if name in one]
            if raw >= LEAST_BYTES and chosen and others:
                found.append((goal, f"{path.name}{name}", chosen / min([chosen, *others]) - 1))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="in place of the corpus")
    parser.add_argument("--most-bytes", type=int, default=4 << 20, help="leave out larger files")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    options = parser.parse_args()
    files = files_of(options.folders or [CORPUS], options.most_bytes)
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        found = [
            one for of in pool.map(lambda path: regrets(path, Path(name)), files) for one in of
        ]
    print("| goal | variables | median regret | 90th percentile | worst | of |")
    print("|---|---|---|---|---|---|")
    for goal in GOALS:
        own = sorted((regret, name) for of, name, regret in found if of == goal)
        values = [regret for regret, _ in own]
        ninth = values[min(len(values) - 1, len(values) * 9 // 10)]
        worst, name = own[-1]
        median = statistics.median(values)
        print(f"| {goal} | {len(own)} | {median:.2%} | {ninth:.2%} | {worst:.2%} | {name} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
