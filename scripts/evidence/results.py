"""What was measured: rows of `bench/results`, and what the documents print."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "bench/results"
PUBLISHED = ROOT / "data/evidence"

Row = dict[str, str]


class NotMeasured(Exception):
    """There is no such result; says which."""


@dataclass(frozen=True)
class Source:
    """A file of results."""

    path: Path
    about: dict[str, str]
    rows: tuple[Row, ...]

    @property
    def when(self) -> str:
        return self.about.get("date", "date not kept")

    @property
    def where(self) -> str:
        return f"{self.about['processor']}, {self.about['cores']} cores"

    def row(self, where: dict[str, str]) -> Row:
        """The one row with these values."""
        found = [row for row in self.rows if has(row, where)]
        if len(found) != 1:
            raise NotMeasured(f"{self.path.name} has {len(found)} rows with {where}")
        return found[0]

    def some(self, where: dict[str, str]) -> list[Row]:
        return [row for row in self.rows if has(row, where)]


def has(row: Row, where: dict[str, str]) -> bool:
    return all(row[key] == value for key, value in where.items())


def load(path: Path) -> Source:
    lines = path.read_text().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = csv.DictReader(line for line in lines if not line.startswith("# "))
    return Source(path, about, tuple(rows))


@cache
def newest(prefix: str) -> Source:
    """The newest results of a benchmark, by the date inside: a clone's files are equally old."""
    found = [load(path) for path in RESULTS.glob(f"{prefix}-*.csv")]
    if not found:
        raise NotMeasured(f"no results of {prefix} are kept")
    return max(found, key=lambda source: (source.about.get("date", ""), source.path.name))


@cache
def published(name: str) -> Source:
    """A table as a document prints it."""
    return load(PUBLISHED / f"{name}.csv")


def number(expression: dict, prefix: str) -> float:
    """A figure of one row, or how many times that of another row it is."""
    source = newest(expression.get("from", prefix))
    key = expression["key"]
    value = float(source.row(expression["where"])[key])
    if "over" in expression:
        value = float(source.row(expression["over"])[key]) / value
    return value * expression.get("times", 1)


def shown(expression: dict, prefix: str) -> str:
    """An expression of the table of claims, as text."""
    if expression.get("text"):
        row = newest(expression.get("from", prefix)).row(expression["where"])
        return expression["show"].format(row[expression["key"]])
    return expression["show"].format(number(expression, prefix))
