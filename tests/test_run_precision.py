"""`frazil run` with bounds: which files are rounded, and which stay exact."""

import json
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.capi import needs
from support.command import TROUBLE
from support.running import frazil_run

pytestmark = needs("nc-config")

BOUND = 0.01
# Writes each file that it is told of, with this title if there is one: `name=title`.
PROGRAM = """
import os, sys, numpy as np, netCDF4
values = np.random.default_rng(0).normal(size=(4, 50, 60)).astype("f4")
for word in sys.argv[1:]:
    path, _, title = word.partition("=")
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with netCDF4.Dataset(path, "w") as file:
        if title:
            file.title = title
        for name, length in (("t", None), ("y", 50), ("x", 60)):
            file.createDimension(name, length)
        for name in ("T", "U", "lat"):
            variable = file.createVariable(name, "f4", ("t", "y", "x"), zlib=True)
            if name == "lat":
                variable.units = "degrees_north"
            variable[:] = values
"""
OUTPUT = "out.nc"
RESTARTS = ("model_rst_7.nc", "RESTART/fields.nc", "case.cam.r.0001.nc", "dump.nc=model RESTART")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def written(folder: Path, *arguments: object, **environment: str) -> dict[str, dict]:
    """Runs the program with all files; what the report says of each."""
    program = (sys.executable, "program.py", OUTPUT, *RESTARTS)
    done = frazil_run(folder, *arguments, "--", *program, **environment)
    assert done.returncode == 0, done.stderr
    files = json.loads((folder / "report.json").read_text())["files"]
    (folder / "words").write_text(done.stderr)
    return {file["path"]: file for file in files}


def largest_error(path: Path, name: str) -> float:
    values = np.random.default_rng(0).normal(size=(4, 50, 60)).astype("f4")
    with netCDF4.Dataset(path) as file:
        return float(np.abs(file[name][:].astype("f8") - values).max())


def paths(folder: Path) -> list[Path]:
    return [folder / word.partition("=")[0] for word in RESTARTS]


def test_restart_files_stay_exact(folder: Path):
    report = written(folder, "--abs-error", f"T:{BOUND}", "--digits", "U:3")
    assert 0 < largest_error(folder / OUTPUT, "T") <= BOUND
    assert report[OUTPUT]["kept_exact"] == 0
    for path in paths(folder):
        assert [largest_error(path, name) for name in ("T", "U", "lat")] == [0, 0, 0], path
        assert report[str(path.relative_to(folder))]["kept_exact"] == 2
    words = (folder / "words").read_text()
    assert words.count("2 variables that rules would round are exact") == len(RESTARTS)
    assert "--restart-files" in words


def test_rules_in_a_file_and_in_the_environment_keep_them_too(folder: Path):
    rules = folder / "rules.toml"
    rules.write_text(f'[variables."*"]\nabsolute_tolerance = {BOUND}\n')
    for arguments, environment in (
        (("--precision", rules), {}),
        ((), {"FRAZIL_PRECISION": str(rules)}),
    ):
        written(folder, *arguments, **environment)
        assert 0 < largest_error(folder / OUTPUT, "T") <= BOUND
        # A coordinate.
        assert largest_error(folder / OUTPUT, "lat") == 0
        assert [largest_error(path, "T") for path in paths(folder)] == [0] * 4


def test_the_user_says_which_files_are_restart_files(folder: Path):
    bound = ("--abs-error", f"T:{BOUND}")
    written(folder, *bound, "--restart-files", "out*,*.r.*")
    assert largest_error(folder / OUTPUT, "T") == 0
    for path in paths(folder):
        assert (largest_error(path, "T") == 0) == (".r." in path.name), path
    for named in (("--restart-files", "none"), ("--force-precision",)):
        report = written(folder, *bound, *named)
        assert all(0 < largest_error(path, "T") <= BOUND for path in paths(folder))
        assert all(file["kept_exact"] == 0 for file in report.values())


def test_flags_override_a_file_of_rules(folder: Path):
    rules = folder / "rules.toml"
    rules.write_text(
        '[variables."T"]\nsignificant_bits = 2\n[variables."U"]\nsignificant_bits = 2\n'
    )
    written(folder, "--precision", rules, "--lossless", "T")
    assert largest_error(folder / OUTPUT, "T") == 0 < largest_error(folder / OUTPUT, "U")


def test_what_is_refused(folder: Path):
    for arguments, words in (
        (("--restart-files", "["), "no pattern of names"),
        (("--abs-error", "T:-1"), "abs-error"),
        (("--level", "codec", "--abs-error", "T:1"), "--level engine"),
        (("--keep-information", "T:0.9"), "--keep-information"),
    ):
        done = frazil_run(folder, *arguments, "--", "true")
        assert (done.returncode, words in done.stderr) == (TROUBLE, True), done.stderr
