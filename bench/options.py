"""What benchmarks have in common at their start: `--repeats`, `--quick`, and what must be there."""

import argparse
import shutil
import sys

from record import CORPUS


def parsed(
    parser: argparse.ArgumentParser,
    repeats: int,
    of_what: str | None = None,
    quick: str = "less data, once: to see that it runs",
) -> argparse.Namespace:
    """The options of a parser and `--repeats`, which is 1 with `--quick`; `of_what` is measured."""
    parser.add_argument("--repeats", type=int, default=repeats, help=of_what)
    parser.add_argument("--quick", action="store_true", help=quick)
    options = parser.parse_args()
    if options.quick:
        options.repeats = 1
    return options


def is_ready(*programs: object) -> bool:
    """Whether the corpus and these programs are here; says what is not."""
    has_corpus = CORPUS.is_dir()
    if not has_corpus:
        print(f"the corpus is not at {CORPUS} (set FRAZIL_CORPUS)", file=sys.stderr)
    missing = [str(name) for name in programs if not shutil.which(str(name))]
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
    return has_corpus and not missing
