"""Writes docs/evidence.md: what five documents show, our figure beside it and the peer's of today.

The measured table of docs/comparison.md is made with it.

    python scripts/make_evidence.py            of the results that are kept
    python scripts/make_evidence.py --rerun    runs the benchmarks first: many hours
    python scripts/make_evidence.py --check    refuses a page that is not what the results give

The documents' claims are in data/evidence/claims.toml, their tables beside it.
"""

import argparse
import shlex
import subprocess
import sys
import tomllib

from evidence import comparison
from evidence.plots import PICTURES
from evidence.results import PUBLISHED, ROOT, NotMeasured, newest, shown
from evidence.tables import TABLES, grid
from generated import write_or_check

PAGE = ROOT / "docs/evidence.md"
COMPARISON = ROOT / "docs/comparison.md"
FIGURES = ROOT / "docs/figures"
HEAD = """# Evidence

Five documents led to frazil. This page has each of their tables, figures and claims, with what the
peer and frazil do today, also where frazil is slower or larger. `make evidence` makes it of what
`bench/results/` keeps, by the list in `data/evidence/claims.toml`. Before that,
`make evidence EVIDENCE_ARGS=--rerun` runs the benchmarks, of which
[a page of their own](../bench/README.md) says how each figure is measured.

The documents' figures are of other machines, libraries and data. Compare them with each other, and
today's with each other.
"""
HEADINGS = ["", "document", "peer today", "frazil", "made by", "when, where"]


def documents() -> list[dict]:
    return tomllib.loads((PUBLISHED / "claims.toml").read_text())["document"]


def cells(item: dict) -> list[str]:
    """The row of a table, figure or claim."""
    if "why" in item:
        return [item["name"], item["says"], "not measured", item["why"], "", ""]
    prefix = item["from"]
    try:
        source = newest(prefix)
        sides = [", ".join(shown(one, prefix) for one in item[side]) for side in ("peer", "frazil")]
    except NotMeasured as reason:
        return [item["name"], item["says"], "not measured", str(reason), f"`{item['command']}`", ""]
    where = f"{source.when}, {source.where}"
    return [item["name"], item["says"], *sides, f"`{item['command']}`", where]


def detail(item: dict) -> list[str]:
    """What stands below the rows: notes, the whole table, the picture."""
    lines = [f"### {item['name']}", ""]
    if "note" in item:
        lines += [item["note"], ""]
    if "detail" in item:
        source = newest(item["from"])
        lines += [
            f"Of `{source.path.relative_to(ROOT)}`, {source.when} UTC, {source.where}:",
            "",
            *TABLES[item["detail"]](),
            "",
        ]
    if "picture" in item:
        lines += [f"![{item['name']}](figures/{item['picture']})", ""]
    return lines


def page() -> str:
    lines = [HEAD]
    for document in documents():
        lines += [f"## {document['title']}", "", f"{document['by']}.", ""]
        lines += [*grid(HEADINGS, [cells(item) for item in document["item"]]), ""]
        for item in document["item"]:
            if {"note", "detail", "picture"} & item.keys():
                lines += detail(item)
    return "\n".join(lines).rstrip() + "\n"


def rerun() -> None:
    """Runs every benchmark that a row names, once."""
    commands = [item.get("command") for one in documents() for item in one["item"]]
    for command in dict.fromkeys(command for command in commands if command):
        print(f"== {command}", flush=True)
        subprocess.run(shlex.split(command), cwd=ROOT, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes docs/evidence.md")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--cached", action="store_true", help="of the results that are kept (default)"
    )
    ways.add_argument("--rerun", action="store_true", help="run the benchmarks first")
    ways.add_argument("--check", action="store_true", help="refuse a page that is not current")
    options = parser.parse_args()
    if options.rerun:
        rerun()
    made = {FIGURES / name: draw() for name, draw in PICTURES.items()}
    made |= {PAGE: page(), COMPARISON: comparison.filled(COMPARISON.read_text())}
    return write_or_check(made)


if __name__ == "__main__":
    sys.exit(main())
