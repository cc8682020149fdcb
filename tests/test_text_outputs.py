"""Texts that commands write, and where they do not: over data, on other machines, under no name."""

import json
import shutil
from pathlib import Path

import netCDF4
import pytest
from support.command import DONE, SAMPLE, TROUBLE, frazil

# Each writes a text to the file that it names last.
COMMANDS = {
    "refs": ("refs", SAMPLE, "--overwrite", "-o"),
    "run": ("run", "--report"),
    "figure": ("analyze", SAMPLE, "--variables", "T", "--figure"),
    "rules": ("plan", SAMPLE, "--keep-information", "0.99", "--overwrite", "--write-precision"),
    "log": ("pack", SAMPLE, "--out-dir", "out", "--log"),
}
BEHIND = {"run": ("--", "true")}


def words(command: str, target: object) -> list[object]:
    return [*COMMANDS[command], target, *BEHIND.get(command, ())]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC", "link"])
def test_no_text_replaces_data(tmp_path: Path, command: str, kind: str):
    # Names say nothing: what is in a file counts.
    data, target = tmp_path / "data.svg", tmp_path / "data.svg"
    with netCDF4.Dataset(data, "w", format="NETCDF4" if kind == "link" else kind) as file:
        file.title = "to be kept"
    if kind == "link":
        target = tmp_path / "link.svg"
        target.symlink_to(data)
    before = data.read_bytes()
    outcome = frazil(*words(command, target), cwd=tmp_path)
    assert outcome.code != 0
    assert "no text replaces" in outcome.stderr and "choose another name" in outcome.stderr
    assert data.read_bytes() == before


def test_references_do_not_replace_their_input(tmp_path: Path):
    shutil.copy(SAMPLE, tmp_path / "in.nc")
    outcome = frazil("refs", "in.nc", "-o", "./in.nc", "--overwrite", cwd=tmp_path)
    assert outcome.code != 0 and "no text replaces" in outcome.stderr
    assert (tmp_path / "in.nc").read_bytes() == SAMPLE.read_bytes()


@pytest.mark.parametrize("target", ["http://host.invalid/x.json", "s3://bucket/x.json", "-"])
def test_texts_are_files_of_this_machine(tmp_path: Path, target: str):
    outcome = frazil("refs", SAMPLE, "-o", target, cwd=tmp_path)
    assert outcome.code != 0
    assert "on another machine" in outcome.stderr or "/dev/stdout" in outcome.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_program_without_dashes_is_explained():
    outcome = frazil("run", "true", "x")
    assert outcome.code == TROUBLE and "frazil run -- true" in outcome.stderr


@pytest.mark.parametrize("end", [".json", ".parquet"])
def test_folders_made_for_references_that_fail_are_removed(tmp_path: Path, end: str):
    target = tmp_path / "new" / "deep" / ("n" * 300 + end)
    assert frazil("refs", SAMPLE, "-o", target).code != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["--json"], ["--json", "-"], ["--compare", "--json"]])
def test_a_plan_is_printed_alone(tmp_path: Path, words: list[str]):
    with netCDF4.Dataset(tmp_path / "small.nc", "w") as file:
        file.createDimension("x", 500)
        file.createVariable("v", "i4", ("x",))[:] = range(500)
    outcome = frazil("plan", tmp_path / "small.nc", *words)
    assert outcome.code == DONE, outcome.stderr
    printed = json.loads(outcome.stdout)
    assert printed["reports" if "--compare" in words else "variables"]


def test_a_plan_is_not_printed_twice():
    outcome = frazil("plan", SAMPLE, "--encoding", "nccopy", "--json")
    assert outcome.code == TROUBLE and "--json PLAN.json" in outcome.stderr


def test_texts_go_into_pipes_of_the_shell(tmp_path: Path):
    """A pipe behind /dev/stdout has no name in any folder."""
    outcome = frazil("refs", SAMPLE, "--overwrite", "-o", "/dev/stdout", "-q", cwd=tmp_path)
    assert outcome.code == DONE, outcome.stderr
    assert json.loads(outcome.stdout)["refs"]
