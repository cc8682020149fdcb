"""Where bytes are what counts, chunk shapes are tried, too, and the smallest is taken."""

import json
import math
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, frazil

pytestmark = pytest.mark.sampled(one_in=2)

GOALS = ("size", "archive")
# Rows that repeat each other, as in idealised runs of one row: chunks of one row do not see it.
SHAPE = (24, 40, 2, 200)
OF_ONE_ROW = (1, 40, 1, 200)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Noise that packs to three quarters, in two equal rows; 1.5 MB, in chunks of one row."""
    chance = np.random.default_rng(5)
    row = np.round(chance.standard_normal((*SHAPE[:2], 1, SHAPE[3])) * 4096) / 4096
    path = tmp_path_factory.mktemp("shapes") / "source.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, length in zip(("time", "lev", "lat", "lon"), SHAPE, strict=True):
            file.createDimension(name, length)
        variable = file.createVariable(
            "v", "f4", ("time", "lev", "lat", "lon"), zlib=True, chunksizes=OF_ONE_ROW
        )
        variable[:] = np.broadcast_to(row, SHAPE)
    return path


def packed(source: Path, tmp_path: Path, *words: object) -> dict:
    output = tmp_path / "packed.nc"
    outcome = frazil("pack", source, "-o", output, "--overwrite", "--json", *words)
    assert outcome.code == DONE, outcome.stderr
    (variable,) = outcome.report["reports"][0]["variables"]
    assert frazil("verify", source, output).code == DONE
    with h5py.File(source) as before, h5py.File(output) as after:
        assert after["v"].chunks == tuple(variable["chunk"])
        if "--readable-by" not in words:
            np.testing.assert_array_equal(before["v"][()], after["v"][()])
    return variable


def test_the_default_keeps_the_chunks(source: Path, tmp_path: Path):
    assert packed(source, tmp_path)["chunk"] == list(OF_ONE_ROW)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("readers", ["any", "plugins", "frazil"])
def test_chunks_hold_what_repeats(source: Path, tmp_path: Path, goal: str, readers: str):
    words = ("--goal", goal, "--readable-by", readers)
    found = packed(source, tmp_path, *words)
    kept = packed(source, tmp_path, *words, "--chunks", "v:lat=1,lon=200,lev=40,time=1")
    assert found["chunk"][2] == 2
    assert found["stored_bytes"] < 0.6 * kept["stored_bytes"]
    assert "shapes tried the smallest" in found["reason"]


@pytest.mark.parametrize("goal", GOALS)
def test_a_dry_run_knows_it(source: Path, tmp_path: Path, goal: str):
    output = tmp_path / "packed.nc"
    dry = frazil("pack", source, "-o", output, "--goal", goal, "-n", "--json")
    real = frazil("pack", source, "-o", output, "--goal", goal, "--json")
    least, most = dry.report["reports"][0]["range"]["file_bytes"]
    assert least <= real.report["reports"][0]["output_file_bytes"] <= most


def test_plans_show_the_shapes_that_were_tried(source: Path, tmp_path: Path):
    plan = tmp_path / "plan.json"
    screen = frazil("plan", source, "--goal", "archive", "--json", plan)
    assert screen.code == DONE, screen.stderr
    assert "quick ratio" in screen.stdout
    replayed = packed(source, tmp_path, "--plan", plan)
    assert replayed["chunk"] == packed(source, tmp_path, "--goal", "archive")["chunk"]
    assert "quick ratio" not in frazil("plan", source).stdout


def test_comparisons_know_it(source: Path, tmp_path: Path):
    plans, output = tmp_path / "plans.json", tmp_path / "packed.nc"
    outcome = frazil("plan", source, "--compare", "--json", plans)
    assert outcome.code == DONE, outcome.stderr
    rows = json.loads(plans.read_text())["reports"]
    exact = [row for row in rows if row["precision"] == "every bit" and row["readable_by"] == "any"]
    by_goal = {row["goal"]: row for row in exact}
    packed(source, tmp_path, "--goal", "archive")
    least, most = by_goal["archive"]["range"]["file_bytes"]
    assert least <= output.stat().st_size <= most
    assert most < by_goal["balanced"]["file_bytes"]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    "words",
    [
        ("--keep-chunks",),
        ("--reads", "map"),
        ("--chunks", "v:lat=1"),
        ("--storage", "object-store"),
    ],
)
def test_what_is_stated_decides(source: Path, tmp_path: Path, goal: str, words: tuple[str, ...]):
    found = packed(source, tmp_path, "--goal", goal, *words)
    assert "shapes tried" not in found["reason"]


@pytest.mark.parametrize("goal", GOALS)
def test_reads_of_large_variables_stay_cheap(tmp_path: Path, goal: str):
    """Equal steps pack to nothing in chunks along time, but each map would decode all of them."""
    source = tmp_path / "source.nc"
    chance = np.random.default_rng(5)
    shape = (256, 200, 200)
    field = np.round(chance.standard_normal((1, *shape[1:])) * 64).astype("i2")
    with netCDF4.Dataset(source, "w") as file:
        for name, length in zip(("time", "y", "x"), shape, strict=True):
            file.createDimension(name, length)
        file.createVariable("v", "i2", ("time", "y", "x"), chunksizes=(1, 200, 200))[:] = (
            np.broadcast_to(field, shape)
        )
    found = packed(source, tmp_path, "--goal", goal)
    chunk = found["chunk"]
    chunks = [math.ceil(length / extent) for length, extent in zip(shape, chunk, strict=True)]
    of_one = 2 * math.prod(chunk)
    assert chunks[1] * chunks[2] * of_one <= 16e6, "a map"
    assert chunks[0] * of_one <= 16e6, "a series"
    kept = packed(source, tmp_path, "--goal", goal, "--keep-chunks")
    assert found["stored_bytes"] <= kept["stored_bytes"]


def test_a_second_run_changes_nothing(source: Path, tmp_path: Path):
    once, twice = tmp_path / "once.nc", tmp_path / "twice.nc"
    assert frazil("pack", source, "-o", once, "--goal", "archive").code == DONE
    assert frazil("pack", once, "-o", twice, "--goal", "archive").code == DONE
    assert twice.stat().st_size <= once.stat().st_size + 4096
    found = json.loads(frazil("info", twice, "--json").stdout)
    assert found


def test_what_the_default_takes_is_tried(tmp_path: Path):
    """Repeats lie within the reach of deflate in small chunks only."""
    source = tmp_path / "repeats.nc"
    values = np.random.default_rng(5).standard_normal((1, 10, 120, 250)).astype("f4")
    with netCDF4.Dataset(source, "w") as file:
        shape = (12, 10, 120, 250)
        for number, extent in enumerate(shape):
            file.createDimension(f"d{number}", extent)
        names = tuple(f"d{number}" for number in range(4))
        file.createVariable("v", "f4", names)[:] = np.broadcast_to(values, shape)
    sizes = {}
    for goal in ("balanced", "size", "archive"):
        output = tmp_path / f"{goal}.nc"
        assert frazil("pack", source, "-o", output, "--goal", goal).code == DONE
        sizes[goal] = output.stat().st_size
    assert sizes["size"] <= 1.01 * sizes["balanced"], sizes
    assert sizes["archive"] <= 1.01 * sizes["balanced"], sizes
