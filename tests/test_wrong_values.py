"""What cannot be meant is refused with what was given, what is allowed, and what to do."""

import os
import re
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, FAILED, TROUBLE, frazil


def with_dimension(path: Path, name: str) -> Path:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension(name, None)
        file.createDimension("x", 20)
        file.createVariable("v", "f4", (name, "x"))[:] = np.ones((10, 20))
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [with_dimension(tmp_path / f"{name}.nc", name) for name in ("time", "level")]


def wrong(option: str, name: str) -> list[str]:
    value = {"--axes": "time", "--expected": "8", "--chunks": "2"}.get(option)
    return [option, f"{name}:2/x:4" if value is None else f"{name}={value}"]


@pytest.mark.parametrize("option", ["--axes", "--expected", "--reads", "--chunks"])
def test_one_of_many_inputs_must_have_a_dimension(files: list[Path], option: str):
    refused = frazil("pack", files[0], "-n", *wrong(option, "tmie"))
    assert refused.code == FAILED
    assert f"the option {option[2:]} names `tmie`" in refused.stderr
    assert "write `time` if you mean that one" in refused.stderr
    refused = frazil("pack", *files, "-n", *wrong(option, "levle"))
    assert refused.code == FAILED and "in any input" in refused.stderr
    assert "write `level`" in refused.stderr
    if option != "--chunks":
        assert frazil("pack", *files, "-n", *wrong(option, "level")).code == DONE


def test_a_file_of_rules_names_dimensions_that_are_there(files: list[Path], tmp_path: Path):
    rules = tmp_path / "rules.toml"
    for text in ("axes = {tmie = 'time'}", "reads = 'tmie:4'", "chunks = {tmie = 4}"):
        rules.write_text(f"[defaults]\n{text}\n")
        refused = frazil("pack", files[0], "-n", "--precision", rules)
        assert refused.code in (FAILED, TROUBLE)
        assert "names `tmie`" in refused.stderr and "write `time`" in refused.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("significant_digits = 'x'", 'significant_digits: "x" is no whole number from 0 on'),
        ("lossless = true\nsignificant_digits = 3", "`lossless` keeps every bit"),
        ("algorithm = 'bitgroom'", "nothing says how far it rounds"),
        ("goal = 'size'\nfilters = 'shuffle+deflate(1)'", "leave one out"),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(files: list[Path], text: str, words: str):
    rules = files[0].with_suffix(".toml")
    rules.write_text(f"[defaults]\n{text}\n")
    refused = frazil("pack", files[0], "-n", "--precision", rules)
    assert refused.code in (FAILED, TROUBLE) and words in refused.stderr, refused.stderr


def test_what_is_no_file_has_a_cure(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for path, words in (
        (tmp_path / "pipe", "save it to a file first"),
        ("/dev/zero", "name a file"),
    ):
        for command in ("info", "analyze", "plan"):
            refused = frazil(command, path)
            assert refused.code == FAILED and words in refused.stderr, refused.stderr
    refused = frazil("plan", tmp_path)
    assert "is a directory" in refused.stderr and "--recursive" in refused.stderr


def test_speeds_do_not_count_what_was_never_written(tmp_path: Path):
    path = tmp_path / "sparse.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("t", (2**48,), "f8", maxshape=(None,), chunks=(131072,))
        file["t"][:10] = 1
    for words in (["-n"], ["-o", tmp_path / "out.h5"]):
        outcome = frazil("pack", path, *words)
        assert outcome.code == DONE, outcome.stderr
        speeds = re.findall(r"([\d.]+) MB/s", outcome.stdout)
        assert speeds and all(float(one) < 1e5 for one in speeds), outcome.stdout


def test_info_goes_through_directories(files: list[Path], tmp_path: Path):
    (tmp_path / "nested").mkdir()
    with_dimension(tmp_path / "nested/n.nc", "time")
    names = {one["path"] for one in frazil("info", tmp_path, "-r", "--json").report["reports"]}
    assert names == {*map(str, files), str(tmp_path / "nested/n.nc")}
