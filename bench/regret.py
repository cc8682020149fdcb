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


def _each(firsts: tuple[str, ...], coder: str, levels: tuple[int, ...]) -> list[str]:
    return [f"{first}{coder}({level})" for first in firsts for level in levels]


# By reader level: what the levels before it have belongs to it as well.
CHAINS = {
    "any": ["none", *_each(("", "shuffle+"), "deflate", (1, 4, 6, 9))],
    "plugins": [
        *_each(("", "shuffle+", "bitshuffle+"), "zstd", (3, 9, 19)),
        "bitshuffle+lz4",
        "shuffle+bzip2(9)",
    ],
    "frazil": ["pcodec", "delta+shuffle+zstd(19)", "delta+bitshuffle+zstd(19)", "mafisc"],
}
# One core encodes less than 20 MB/s by them: for `archive` only.
SLOW = ("zstd(19)", "bzip2", "mafisc")
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


def regrets(path: Path, folder: Path, readers: list[str]) -> list[tuple[str, str, str, float]]:
    """Reader level, goal, variable and regret of every variable that is large enough."""
    of_chains: dict[str, dict[str, tuple[int, int]]] = {}
    found = []
    levels = list(CHAINS)
    for level in levels[: 1 + max(map(levels.index, readers))]:
        reach = ("--readable-by", level)
        for chain in CHAINS[level]:
            of_chains[chain] = stored(path, folder, *reach, "--filters", chain)
        for goal in GOALS if level in readers else ():
            fair = [
                of
                for chain, of in of_chains.items()
                if goal == "archive" or not any(slow in chain for slow in SLOW)
            ]
            for name, (raw, chosen) in stored(path, folder, *reach, "--goal", goal).items():
                others = [one[name][1] for one in fair if name in one]
                if raw >= LEAST_BYTES and chosen and others:
                    regret = chosen / min([chosen, *others]) - 1
                    found.append((level, goal, f"{path.name}{name}", regret))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="in place of the corpus")
    parser.add_argument("--most-bytes", type=int, default=4 << 20, help="leave out larger files")
    parser.add_argument("--readable-by", nargs="+", choices=[*CHAINS], default=["any"])
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    options = parser.parse_args()
    files = files_of(options.folders or [CORPUS], options.most_bytes)
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        of_files = pool.map(lambda path: regrets(path, Path(name), options.readable_by), files)
        found = [one for of in of_files for one in of]
    print("| readers | goal | variables | median regret | 90th percentile | worst | of |")
    print("|---|---|---|---|---|---|---|")
    for level in options.readable_by:
        for goal in GOALS:
            print(row(level, goal, found))
    return 0


def row(level: str, goal: str, found: list[tuple[str, str, str, float]]) -> str:
    own = sorted((regret, name) for *of, name, regret in found if of == [level, goal])
    if not own:
        return f"| {level} | {goal} | 0 | | | | |"
    values = [regret for regret, _ in own]
    ninth = values[min(len(values) - 1, len(values) * 9 // 10)]
    worst, name = own[-1]
    median = statistics.median(values)
    return f"| {level} | {goal} | {len(own)} | {median:.2%} | {ninth:.2%} | {worst:.2%} | {name} |"


if __name__ == "__main__":
    sys.exit(main())
