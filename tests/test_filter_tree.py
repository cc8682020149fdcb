"""Filters by weights, floors and decision trees; `frazil train`."""

import json
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import make
from support.command import DONE, FAILED, TROUBLE, frazil, pack

pytestmark = pytest.mark.sampled(one_in=4)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.h5"
    field = make.field(400, 300, dtype="f4")
    noise = np.random.default_rng(1).random((400, 300), dtype="f4")
    with h5py.File(path, "w") as file:
        file.create_dataset("smooth", data=field, chunks=(100, 300))
        file.create_dataset("steps", data=(field * 10).astype("i4"), chunks=(100, 300))
        file.create_dataset("noisy", data=field + noise, chunks=(100, 300))
    return path


def planned(path: Path, folder: Path, *options: str | Path) -> dict[str, dict]:
    """The plan's variables by path."""
    file = folder / "plan.json"
    outcome = frazil("plan", path, "--json", file, "--overwrite", *options)
    assert outcome.code == DONE, outcome.stderr
    return {variable["path"]: variable for variable in json.loads(file.read_text())["variables"]}


def test_weights_choose_as_the_goal_that_they_stand_for(source: Path, tmp_path: Path):
    sizes = {}
    # Weights try no other chunk shapes.
    stated = ("--keep-chunks",)
    for name, options in {
        "archive": ("--goal", "archive", *stated),
        "size": ("--weights", "size=1", *stated),
        "write": ("--weights", "size=1,write=5"),
    }.items():
        packed = tmp_path / f"{name}.h5"
        pack(source, packed, "--readable-by", "plugins", *options)
        assert frazil("verify", source, packed).code == DONE
        sizes[name] = packed.stat().st_size
    assert sizes["size"] <= 1.01 * sizes["archive"]
    assert sizes["write"] > sizes["size"]
    for wrong in ("size=0", "colour=1", "size"):
        outcome = frazil("pack", source, "-o", tmp_path / "no.h5", "--weights", wrong)
        assert outcome.code == TROUBLE


def test_a_floor_takes_only_what_is_as_fast(source: Path, tmp_path: Path):
    plugins = ("--readable-by", "plugins", "--goal", "archive")
    fast = planned(source, tmp_path, *plugins, "--min-write-speed", "400MB/s")
    for variable in fast.values():
        levels = [stage["cd_values"] for stage in variable["pipeline"] if stage["id"] == 32015]
        assert all(level[0] <= 9 for level in levels), variable
    nothing = planned(source, tmp_path, "--goal", "size", "--min-write-speed", "4GB/s")
    assert all(variable["pipeline"] == [] for variable in nothing.values())
    outcome = frazil("plan", source, "--goal", "size", "--min-write-speed", "0MB/s")
    assert outcome.code == TROUBLE and "0MB/s" in outcome.stderr


def test_a_stated_tree_is_asked_and_its_way_shown(source: Path, tmp_path: Path):
    tree = tmp_path / "tree.json"
    question = {
        "feature": "is_float",
        "above": 0.5,
        "yes": {"try": ["shuffle+deflate(1)"]},
        "no": {"try": ["deflate(9)", "shuffle+deflate(9)"]},
    }
    leaf = {"readable_by": "any", "goal": "balanced", "tree": question}
    tree.write_text(json.dumps({"version": 1, "about": "a test", "trees": [leaf]}))
    plan = planned(source, tmp_path, "--tree", tree)
    assert "is float 1 > 0.5 -> shuffle+deflate(1)" in plan["/smooth"]["reason"]
    assert "is float 0 <= 0.5 -> deflate(9) or shuffle+deflate(9)" in plan["/steps"]["reason"]
    text = frazil("plan", source, "--tree", tree).stdout
    assert "deflate(9)" in text and "is float 1 > 0.5" in text
    tree.write_text(tree.read_text().replace("is_float", "colour"))
    outcome = frazil("plan", source, "--tree", tree)
    assert outcome.code == FAILED and "colour" in outcome.stderr


def test_training_measures_and_learns_the_same_from_its_table(source: Path, tmp_path: Path):
    data = tmp_path / "data"
    for name in ("one", "two"):
        (data / name).mkdir(parents=True)
        pack(source, data / name / "field.h5")
    (data / "two" / "broken.nc").write_bytes(b"CDF\x09")
    table, tree, again = (tmp_path / name for name in ("table.csv", "tree.json", "again.json"))
    outcome = frazil("train", data, "--write-table", table, "-o", tree)
    assert outcome.code == DONE, outcome.stderr
    assert "broken.nc" in outcome.stderr and "6 variables of 2 datasets" in outcome.stdout
    assert "| any | balanced |" in outcome.stdout
    once_more = frazil("train", "--table", table, "-o", again)
    assert once_more.code == DONE and once_more.stdout == outcome.stdout
    assert again.read_text() == tree.read_text()
    plan = planned(source, tmp_path, "--goal", "size", "--tree", tree)
    assert all(variable["pipeline"] for variable in plan.values())
    assert frazil("train", "--table", table, "-o", again).code == FAILED


def test_what_plans_take_is_judged_by_the_table(source: Path, tmp_path: Path):
    data, table = tmp_path / "data", tmp_path / "table.csv"
    for name in ("one", "two"):
        (data / name).mkdir(parents=True)
        pack(source, data / name / "field.h5", "--filters", "none")
    outcome = frazil("train", data, "--write-table", table, "--judge-plans", data)
    assert outcome.code == DONE, outcome.stderr
    judged = outcome.stdout.partition("as planned")[2].splitlines()[2:]
    assert len(judged) == 15
    for line in judged:
        found = re.search(r"/ ([\d.]+) \| (\d+) \| (\d+)", line)
        tenth, variables, kept = (float(number) for number in found.groups())
        assert (variables, kept) == (6, 0) and tenth < 50, line
    again = frazil("train", "--table", table, "--judge-plans", data)
    assert again.stdout == outcome.stdout
    outcome = frazil("train", "--table", table, "--judge-plans", tmp_path / "missing")
    assert outcome.code == FAILED and "missing" in outcome.stderr
    (tmp_path / "elsewhere" / "data").mkdir(parents=True)
    outcome = frazil("train", "--table", table, "--judge-plans", tmp_path / "elsewhere" / "data")
    assert outcome.code == FAILED and "field.h5" in outcome.stderr
    with h5py.File(data / "two" / "field.h5", "r+") as file:
        gone = next(name for name in file if isinstance(file[name], h5py.Dataset))
        file.move(gone, "renamed")
    outcome = frazil("train", "--table", table, "--judge-plans", data)
    assert outcome.code == FAILED and f"/{gone}" in outcome.stderr and "field.h5" in outcome.stderr


def test_a_table_that_says_too_little_leaves_no_tree(source: Path, tmp_path: Path):
    folder = tmp_path / "data" / "one"
    folder.mkdir(parents=True)
    pack(source, folder / "field.h5")
    table, tree = tmp_path / "table.csv", tmp_path / "tree.json"
    outcome = frazil("train", tmp_path / "data", "--write-table", table, "-o", tree)
    assert outcome.code == FAILED and "one dataset is not enough" in outcome.stderr
    table.write_text(table.read_text()[:-100])
    outcome = frazil("train", "--table", table, "-o", tree)
    assert outcome.code == FAILED and "table.csv" in outcome.stderr and "fields" in outcome.stderr
    assert not tree.exists() and not list(tmp_path.glob(".*"))
