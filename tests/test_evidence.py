"""docs/evidence.md has each table and figure of the five documents, and what the results give."""

import csv
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.command import ROOT

PAGE = ROOT / "docs/evidence.md"
RESULTS = ROOT / "bench/results"

# Counted in the documents themselves: tables, and figures with and without measurements.
SHOWN = {
    "ufs": {"C768L127 forecast output", "history of community", "Figure 1"},
    "ar5": {
        "Proof New Default Chunk Cache",
        "With One Time Series",
        "Horizontal and Time Series Reversed",
        "Even More Performance Data",
        "Chunking Performance Results",
    },
    "scil": {"Table I:", "Table II:", *(f"Figure {number}:" for number in range(1, 9))},
    "fortran": {"Figure 1"},
    "wrf": {*(f"Chart {number}:" for number in range(1, 5)), "sequential", "parallel HDF5"},
}
# Rows of the documents' own tables.
PUBLISHED = {
    "ufs_table": 7,
    "ufs_pi": 8,
    "ar5_default_cache": 3,
    "ar5_one_series": 37,
    "ar5_series_first": 37,
    "ar5_caches": 136,
    "ar5_chunks": 46,
    "scil_table_2": 24,
}


def documents() -> list[dict]:
    claims = ROOT / "data/evidence/claims.toml"
    return tomllib.loads(claims.read_text())["document"]


def rows_of(title: str) -> list[list[str]]:
    """The cells of the table that stands first below a document's title."""
    section = PAGE.read_text().split(f"\n## {title}\n")[1]
    table = re.search(r"(?:^\|.*\n)+", section, flags=re.MULTILINE)[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


@pytest.mark.parametrize("key", SHOWN)
def test_each_table_and_figure_has_a_row(key: str) -> None:
    (document,) = (one for one in documents() if one["key"] == key)
    shown = [item["name"] for item in document["item"] if item["kind"] != "claim"]
    assert len(shown) == len(SHOWN[key])
    for words in SHOWN[key]:
        assert sum(words in name for name in shown) == 1, words
    names = [row[0] for row in rows_of(document["title"])]
    assert names == [item["name"] for item in document["item"]]
    assert any(item["kind"] == "claim" for item in document["item"])


def test_each_row_says_what_makes_it_or_why_it_is_missing() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    for document in documents():
        for item, row in zip(document["item"], rows_of(document["title"]), strict=True):
            assert ("why" in item) == ("command" not in item)
            if "why" in item:
                assert row[2] == "not measured"
                continue
            assert item["command"].split()[1] in targets
            assert list(RESULTS.glob(f"{item['from']}-*.csv")), item["from"]
            assert row[4] == f"`{item['command']}`"
            assert re.search(r"\d+ cores", row[5])


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_documents_tables_are_whole(name: str) -> None:
    lines = (ROOT / f"data/evidence/{name}.csv").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    assert len(rows) == PUBLISHED[name]
    assert all(value for row in rows for value in row.values())


def test_a_figure_of_the_page_is_that_of_the_results() -> None:
    """Found without the script: the newest seconds of frazil's parallel output."""

    def date(path: Path) -> str:
        return re.search(r"^# date: (.*)$", path.read_text(), flags=re.MULTILINE)[1]

    lines = max(RESULTS.glob("mpi-ufs-*.csv"), key=date).read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("# "))
    (row,) = (
        row
        for row in rows
        if (row["what"], row["chunks"], row["ranks"]) == ("frazil, nbits 14", "layer", "4")
    )
    (title,) = (one["title"] for one in documents() if one["key"] == "ufs")
    assert rows_of(title)[0][3] == f"{float(row['wall_s']):.2f} s in parallel"


def check() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts/make_evidence.py", "--check"]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_page_is_current() -> None:
    answer = check()
    assert answer.returncode == 0, answer.stderr


def test_a_changed_figure_is_refused(tmp_path: Path) -> None:
    """In a copy of the tree: the page must not be touched while other tests read it."""
    for name in ("scripts", "data/evidence", "bench/results", "docs"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", ROOT / name, tmp_path / name], check=True)
    page = tmp_path / "docs/evidence.md"
    page.write_text(re.sub(r"(\d)\.(\d\d) s in parallel", r"9.99 s in parallel", page.read_text()))
    command = [sys.executable, tmp_path / "scripts/make_evidence.py", "--check"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 1
    assert "docs/evidence.md is not current" in answer.stderr
