"""Whether decisions keep their word, over the corpus and over made-up files; see README.md."""

import argparse
import collections
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from decision_files import make
from decision_rules import WAYS, Broken, Foretold, judge
from record import CORPUS, FRAZIL

LEAST_BYTES = 20_000
SUFFIXES = {".nc", ".nc4", ".h5", ".hdf5", ".nxs", ".emd", ".cdf", ".he5", ".hdf"}


def files_of(folders: list[Path], most_bytes: int) -> list[Path]:
    """Files that are worth packing, smallest first."""
    found = [path for folder in folders for path in sorted(folder.rglob("*"))]
    sizes = {path: path.stat().st_size for path in found if path.suffix in SUFFIXES}
    fit = [path for path, size in sizes.items() if LEAST_BYTES <= size <= most_bytes]
    return sorted(fit, key=sizes.__getitem__)


def tell(broken: list[Broken], files: int) -> None:
    kinds = collections.Counter((one.way, one.beside) for one in broken)
    for (way, beside), count in kinds.most_common():
        worst = max(
            (one for one in broken if (one.way, one.beside) == (way, beside)),
            key=lambda one: one.bytes / max(one.most, 1),
        )
        print(f"{count:4d}  {way} > {beside}; worst {worst}")
    print(f"{len(broken)} broken promises, {len(WAYS)} ways, {files} files")


def tell_predictions(predictions: list[Foretold], worst: int = 5) -> None:
    """For each way, how many files lie in the range, and the median errors of size and time."""
    print("| way | files in the range | median error of size | of time, times |")
    print("|---|---|---|---|")
    for way in WAYS:
        of_way = [one for one in predictions if one.way == way]
        if not of_way:
            continue
        within = sum(one.is_within for one in of_way) / len(of_way)
        error = statistics.median(one.error for one in of_way)
        times = statistics.median(max(one.times, 1 / max(one.times, 1e-9)) for one in of_way)
        print(f"| {way} | {within:.0%} | {error:.1%} | {times:.2f} |")
    for one in sorted(predictions, key=lambda one: -one.error)[:worst]:
        print(f"far off: {one}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="in place of the corpus")
    parser.add_argument("--most-bytes", type=int, default=1 << 40, help="leave out larger files")
    parser.add_argument("--made-up", action="store_true", help="only the made-up files")
    parser.add_argument("--without", metavar="WORD", help="leave out ways with this in their name")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    options = parser.parse_args()
    ways = [way for way in WAYS if options.without is None or options.without not in way]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make(folder)
        if not options.made_up:
            files += files_of(options.folders or [CORPUS], options.most_bytes)
        broken: list[Broken] = []
        predictions: list[Foretold] = []
        with ThreadPoolExecutor(options.jobs) as pool:
            for found, foretold in pool.map(lambda path: judge(FRAZIL, path, folder, ways), files):
                broken += found
                predictions += foretold
                for one in found:
                    print(one, flush=True)
    tell_predictions(predictions)
    tell(broken, len(files))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
