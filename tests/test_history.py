"""The attribute `history`, by CF's habit: one line for each program, the last one first."""

import re
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, FAILED, frazil

FORMATS = ["NETCDF3_CLASSIC", "NETCDF4"]
OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: frazil ")
THEIRS = "Mon Jan  5 10:11:12 2026: cdo copy x.nc in.nc"


def write(path: Path, form: str, history: object = None) -> Path:
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.title = "test"
        if history is not None:
            file.history = history
        file.source = "model"
        file.createDimension("x", 5000)
        file.createVariable("v", "f4", ("x",))[:] = np.arange(5000)
    return path


def history(path: Path) -> str:
    with netCDF4.Dataset(path) as file:
        return file.history


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", [("pack",), ("unpack",), ("unpack", "--format", "classic")])
def test_a_history_begins_with_the_command(tmp_path: Path, form: str, words: tuple[str, ...]):
    source, out = write(tmp_path / "in.nc", form, THEIRS), tmp_path / "out.nc"
    command = (*words, source, "-o", out, "--history")
    outcome = frazil(*command, "--verify")
    assert outcome.code == DONE, outcome.stderr
    first, second = history(out).split("\n")
    assert OURS.match(first) and " --history" in first and second == THEIRS
    assert first.split(": frazil ")[1] == " ".join(map(str, (*command, "--verify")))
    with netCDF4.Dataset(out) as file:
        assert {"title", "source", "history"} == set(file.ncattrs())
    assert frazil("verify", source, out).code == DONE
    # The other way round, lines are missing.
    assert frazil("verify", out, source).code == FAILED


def test_a_file_without_a_history_gets_one_and_keeps_it_in_place(tmp_path: Path):
    source = write(tmp_path / "in.nc", "NETCDF4")
    assert frazil("pack", source, "-o", tmp_path / "plain.nc").code == DONE
    with netCDF4.Dataset(tmp_path / "plain.nc") as file:
        assert "history" not in file.ncattrs()
    assert frazil("pack", source, "--in-place", "--history").code == DONE
    assert OURS.match(history(source)) and "\n" not in history(source)


def test_each_of_many_files_names_itself(tmp_path: Path):
    files = [write(tmp_path / f"{number}.nc", "NETCDF4") for number in range(3)]
    assert frazil("pack", *files, "--out-dir", tmp_path / "out", "--history").code == DONE
    for path in files:
        line = history(tmp_path / "out" / path.name)
        assert [str(one) in line for one in files] == [one == path for one in files]


def test_lines_of_others_are_a_difference(tmp_path: Path):
    one = write(tmp_path / "a.nc", "NETCDF4", THEIRS)
    other = write(tmp_path / "b.nc", "NETCDF4", f"Tue: ncks a.nc b.nc\n{THEIRS}")
    assert frazil("verify", one, other).code == FAILED


@pytest.mark.parametrize("value", [np.int32(7), "x" * 60_000])
def test_what_is_no_text_or_too_long_is_left_alone(tmp_path: Path, value: object):
    source, out = write(tmp_path / "in.nc", "NETCDF4", value), tmp_path / "out.nc"
    outcome = frazil("pack", source, "-o", out, "--history", "--verify")
    assert outcome.code == DONE and "gets no line of this run" in outcome.stderr
    assert history(out) == value


def test_strings_of_other_writers_are_understood(tmp_path: Path):
    source, out = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as file:
        file["v"] = np.arange(5000)
        file.attrs["history"] = THEIRS
    assert frazil("pack", source, "-o", out, "--history", "--verify").code == DONE
    with h5py.File(out) as file:
        found = file.attrs["history"]
    text = found.decode() if isinstance(found, bytes) else found
    assert OURS.match(text) and text.endswith(f"\n{THEIRS}")
