"""The measured table of docs/comparison.md."""

import re
import tomllib

from evidence.results import PUBLISHED, Row, newest
from evidence.tables import grid

PART = re.compile(r"(<!-- generated: comparison -->\n).*?(<!-- end -->)", flags=re.DOTALL)
HEADINGS = ["task", "peer", "frazil", "frazil is", "made by", "when, where"]
WORDS = {"faster": "times as fast", "smaller": "times as small", "ratio": "times that"}


def figures(row: Row, keys: list) -> str:
    return ", ".join(form.format(float(row[key]) * factor) for key, form, factor in keys)


def line(item: dict) -> list[str]:
    source = newest(item["from"])
    theirs, ours = source.row(item["theirs"]), source.row(item["ours"])
    key, better = item["keys"][0][0], item.get("better", "faster")
    times = float(theirs[key]) / float(ours[key])
    if better == "ratio":
        times = 1 / times
    return [
        item["task"],
        f"{item['peer']}: {figures(theirs, item['keys'])}",
        figures(ours, item["keys"]),
        f"{times:.2g} {WORDS[better]}",
        f"`{item['command']}`",
        f"{source.when}, {source.where}",
    ]


def filled(document: str) -> str:
    """The document with the table of today's results."""
    rows = tomllib.loads((PUBLISHED / "comparison.toml").read_text())["row"]
    table = "\n".join(grid(HEADINGS, [line(item) for item in rows]))
    return PART.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", document)
