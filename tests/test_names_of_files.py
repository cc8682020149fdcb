"""Names that no file can have, that lead nowhere, or that name one file twice."""

import os
import shutil
from pathlib import Path

import pytest
from support.command import DONE, FAILED, SAMPLE, TROUBLE, frazil

# What writes to the name that comes last.
OUTPUTS = {
    "pack": ("pack", SAMPLE, "-o"),
    "unpack": ("unpack", SAMPLE, "-o"),
    "synth": ("synth", "-s", "4x4", "-o"),
    "plan": ("plan", SAMPLE, "--json"),
    "refs": ("refs", SAMPLE, "-o"),
    "figure": ("analyze", SAMPLE, "--figure"),
}


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_name_that_ends_in_a_slash_is_refused_at_once(tmp_path: Path, command: str):
    name = "new.svg/" if command == "figure" else "new/"
    outcome = frazil(*OUTPUTS[command], f"{tmp_path}/{name}")
    assert outcome.code == TROUBLE
    assert "ends in / is that of a folder [invalid_argument]" in outcome.stderr
    assert "hint: " in outcome.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("synth", "--pattern", "nope", "-o", "out.nc"),
        ("synth", "-o", "-"),
        ("pack", "-", "-o", "out.nc"),
        ("pack", SAMPLE, "-o", "-"),
        ("pack", SAMPLE, "-o", "."),
        ("unpack", SAMPLE, "-o", "-"),
        ("plan", "-"),
        ("analyze", "-"),
        ("info", "-"),
        ("import", "table.csv", "-o", "."),
    ],
    ids=lambda words: " ".join(str(word) for word in words if word != SAMPLE),
)
def test_what_is_wrong_before_a_file_is_read_is_wrong_usage(tmp_path: Path, words: tuple):
    outcome = frazil(*words, cwd=tmp_path)
    assert outcome.code == TROUBLE, outcome.stderr
    assert "[invalid_argument]" in outcome.stderr and not list(tmp_path.iterdir())


def test_a_link_that_leads_nowhere_is_called_one(tmp_path: Path):
    shutil.copy(SAMPLE, tmp_path / "a.nc")
    (tmp_path / "gone.nc").symlink_to("nothing.nc")
    outcome = frazil("pack", tmp_path, "--out-dir", tmp_path / "out", "--json")
    assert outcome.code == FAILED
    (error,) = outcome.errors
    assert error["code"] == "not_found" and "a link to nothing.nc" in error["cure"]


def test_a_link_to_itself_is_called_one(tmp_path: Path):
    (tmp_path / "loop.nc").symlink_to("loop.nc")
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "loop.nc")
    assert outcome.code == FAILED and "leads back to itself" in outcome.stderr


def test_a_quoted_pattern_is_called_one(tmp_path: Path):
    outcome = frazil("info", "d*/x.nc", cwd=tmp_path)
    assert outcome.code == FAILED and "without quotes" in outcome.stderr


def test_a_file_that_is_named_twice_is_taken_once(tmp_path: Path):
    shutil.copy(SAMPLE, tmp_path / "a.nc")
    words = ("a.nc", "./a.nc", f"../{tmp_path.name}/a.nc")
    outcome = frazil("pack", *words, "--out-dir", "out", "--json", cwd=tmp_path)
    assert outcome.code == DONE, outcome.stderr
    assert len(outcome.report["reports"]) == 1


def test_two_names_of_one_file_have_two_results(tmp_path: Path):
    shutil.copy(SAMPLE, tmp_path / "a.nc")
    (tmp_path / "b.nc").symlink_to("a.nc")
    outcome = frazil("pack", "a.nc", "b.nc", "--out-dir", "out", cwd=tmp_path)
    assert outcome.code == DONE and len(list((tmp_path / "out").glob("*.nc"))) == 2


@pytest.mark.parametrize(
    ("words", "variable", "name"),
    [
        (("man", "nowhere/x"), "", "nowhere/x: "),
        (("plugin-path",), "FRAZIL_PLUGIN_PATH", "no plugins in "),
        (("run", "--", "true"), "FRAZIL_RUN_PATH", "libfrazil"),
        (("run", "--", "no_such_program"), "", "no_such_program: "),
    ],
)
def test_every_error_names_its_code(tmp_path: Path, words: tuple, variable: str, name: str):
    environment = os.environ | ({variable: str(tmp_path)} if variable else {})
    outcome = frazil(*words, cwd=tmp_path, env=environment)
    assert outcome.code != DONE
    assert name in outcome.stderr and "[not_found]" in outcome.stderr, outcome.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ("analyze", SAMPLE, "--variables", "T", "--figure", "full.svg"),
        ("verify", SAMPLE, SAMPLE, "--report", "full.html"),
    ],
)
def test_a_page_that_does_not_fit_has_its_code(tmp_path: Path, words: tuple):
    (tmp_path / str(words[-1])).symlink_to("/dev/full")
    outcome = frazil(*words, cwd=tmp_path)
    assert outcome.code != DONE and "[no_space]" in outcome.stderr, outcome.stderr


def test_a_file_of_rules_is_asked_for(tmp_path: Path):
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "out.nc", "--precision", "3")
    assert outcome.code == TROUBLE and "takes a file of rules" in outcome.stderr


def test_a_finest_error_needs_a_relative_one(tmp_path: Path):
    target = tmp_path / "out.nc"
    outcome = frazil("pack", SAMPLE, "-o", target, "--finest-abs-error", "1")
    assert outcome.code != DONE and "no relative error" in outcome.stderr
    words = ("--finest-abs-error", "T:1e-3", "--rel-error", "0.1%")
    assert frazil("pack", SAMPLE, "-o", target, *words).code == DONE


def test_a_name_that_leaves_no_room_for_a_journal_is_not_spoken_of(tmp_path: Path):
    source = tmp_path / f"{'n' * 247}.nc"
    shutil.copy(SAMPLE, source)
    outcome = frazil("pack", source, "--out-dir", tmp_path / "out")
    assert outcome.code == DONE and "journal" not in outcome.stdout + outcome.stderr
