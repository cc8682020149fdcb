"""Errors about words of other programs, or misspelled ones: what they suggest and what not."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import DONE, FAILED, TROUBLE, frazil


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("suggestions") / "in.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", 4)
        for name in ("air_temperature", "wind"):
            file.createVariable(name, "f4", ("time",))[:] = np.arange(4)
    return path


MEANT = [
    (("--report", "page.html"), "frazil verify IN OUT --report"),
    (("--compression", "4"), "--level N"),
    (("--tolerance", "0.1"), "--abs-error"),
    (("--error-bound", "0.1"), "--abs-error"),
    (("--zlib",), "--level N"),
    (("--variables", "T"), "here all variables are meant"),
    (("--complevel", "4"), "--level N"),
    (("-d", "4"), "--level N"),
    (("--html", "page.html"), "frazil verify"),
    (("--ratio", "4"), "--ratio-tolerance"),
    (("--chunk", "time=2"), "'--chunks'"),
    (("--goal", "small"), "here this is 'size'"),
    (("--goal", "FASTEST"), "here this is 'speed'"),
    (("--goal", "sizee"), "'size'"),
    (("--shuffle", "yes"), "here this is 'on'"),
    (("--shuffle", "false"), "here this is 'off'"),
    (("--storage", "s3"), "here this is 'object-store'"),
    (("--filters", "gzip(4)"), "is `deflate(4)` meant?"),
    (("--readable-by", "all"), "here this is 'any'"),
    (("--reads", "map,time-series=2"), "is `series` meant?"),
    (("--digits", "wind=3"), "is `wind:3` meant?"),
    (("--digits", "3:wind"), "is `wind:3` meant?"),
    (("--abs-error", "wind=0.1"), "is `wind:0.1` meant?"),
    (("--chunks", "time:2"), "is `time=2` meant?"),
    (("--chunks", "wind=time:2"), "is `wind:time=2` meant?"),
    (("--expected", "time:5"), "is `time=5` meant?"),
    (("--digits", "air_temp:3"), "write `air_temperature` if you mean"),
    (("--chunks", "winds:time=2"), "write `wind` if you mean"),
    (("--chunks", "tim=2"), "write `time` if you mean"),
]


@pytest.mark.parametrize(("words", "meant"), MEANT, ids=lambda one: str(one)[:40])
def test_what_is_meant_is_named(source: Path, tmp_path: Path, words: tuple, meant: str):
    outcome = frazil("pack", source, "-o", tmp_path / "out.nc", *words)
    assert outcome.code != 0 and meant in " ".join(outcome.stderr.split()), outcome.stderr
    assert "--overwrite" not in outcome.stderr and not list(tmp_path.iterdir())


def test_other_commands_know_such_words(source: Path, tmp_path: Path):
    unpacked = frazil("unpack", source, "-o", tmp_path / "out.nc", "--format", "netcdf3")
    assert "here this is 'classic'" in unpacked.stderr and "similar" not in unpacked.stderr
    ran = frazil("run", "--precision", 3, "--", "true")
    assert ran.code != 0 and "for all variables, state --digits N" in ran.stderr, ran.stderr


def test_expected_lengths_that_change_nothing_are_told(source: Path, tmp_path: Path):
    growing = tmp_path / "growing.nc"
    with netCDF4.Dataset(growing, "w") as file:
        file.createDimension("time", None)
        file.createVariable("wind", "f4", ("time",))[:] = np.arange(40)
    fixed = "`time` has a fixed length of 4"
    less = "expected=time=9 is less than `time` has already: 40"
    for file, length, said in [(source, 9, fixed), (growing, 9, less), (growing, 50, None)]:
        words = (file, "--expected", f"time={length}")
        out = tmp_path / "out.nc"
        for outcome in (frazil("pack", *words, "-o", out, "--overwrite"), frazil("plan", *words)):
            assert outcome.code == 0, outcome.stderr
            assert (said or "") in outcome.stderr
            assert ("expected=" in outcome.stderr) == (said is not None), outcome.stderr


@pytest.mark.parametrize("word", ["--plot", "--colour", "--xyz", "--report"])
def test_words_that_are_not_alike_are_not_suggested(source: Path, tmp_path: Path, word: str):
    outcome = frazil("pack", source, "-o", tmp_path / "out.nc", word)
    assert outcome.code != 0 and f"unexpected argument '{word}'" in outcome.stderr
    assert "similar" not in outcome.stderr and "as a value" not in outcome.stderr


def test_a_notice_of_many_files_is_told_once(source: Path, tmp_path: Path):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for number in range(12):
        with netCDF4.Dataset(folder / f"{number}.nc", "w") as file:
            file.createDimension("x", 50_000)
            file.createVariable("v", "f4", ("x",), zlib=True)[:] = np.arange(50_000) % 977
            file.createVariable("mask", "i4", ("x",))[:] = 1
    files = sorted(folder.iterdir())
    outcome = frazil("pack", *files, "--out-dir", out, "--digits", "nothing*:3", "--jobs", 2)
    assert outcome.code == 0, outcome.stderr
    told = [line for line in outcome.stderr.splitlines() if "nothing*" in line]
    assert len(told) == 2 and "11 more files: precision: no variable" in told[1], outcome.stderr


def test_a_misspelled_file_gets_the_nearest_one(source: Path):
    for words in (("info",), ("recover",), ("pack", "-o", source.with_name("out.nc"))):
        outcome = frazil(*words, source.with_name("inn.nc"))
        assert outcome.code == FAILED and f"do you mean {source}?" in outcome.stderr, words


def test_a_folder_to_recover_says_how_its_files_are_found(tmp_path: Path):
    outcome = frazil("recover", tmp_path)
    assert outcome.code == FAILED and "name its files" in outcome.stderr


def test_a_mere_ending_is_no_name(source: Path, tmp_path: Path):
    outcome = frazil("pack", source, "-o.nc", cwd=tmp_path)
    assert outcome.code == TROUBLE and "only the ending of a name" in outcome.stderr
    assert not list(tmp_path.iterdir())


def test_an_escaped_pattern_gets_no_neighbour(source: Path, tmp_path: Path):
    outcome = frazil("pack", source, "-o", tmp_path / "out.nc", "--abs-error", r"\*:0.1")
    assert outcome.code == FAILED and "is a pattern" in outcome.stderr
    assert "wind" not in outcome.stderr


def test_a_matrix_gets_the_hints_of_a_matrix(tmp_path: Path):
    def hint(text: str) -> str:
        (tmp_path / "in.csv").write_text(text)
        words = ("import", tmp_path / "in.csv", "-o", tmp_path / "out.nc", "--matrix")
        outcome = frazil(*words)
        assert outcome.code == FAILED
        return outcome.stderr

    assert "leave out --matrix" in hint("a,b\n1,2\n") and "--skip" not in hint("a,b\n1,2\n")
    assert "--delimiter ' '" in hint("1 2\n3 4\n")


def test_what_a_plan_decides_is_told(source: Path, tmp_path: Path):
    plan, out = tmp_path / "plan.json", tmp_path / "out.nc"
    assert frazil("plan", source, "--json", plan).code == DONE
    words = ("--plan", plan, "--goal", "size", "--reads", "map", "--min-read-speed", "1MB/s")
    outcome = frazil("pack", source, "-o", out, *words)
    assert outcome.code == DONE
    assert "--reads has no effect: the plan decides the chunk shapes of all" in outcome.stderr
    assert "--goal and --min-read-speed have no effect" in outcome.stderr


def test_files_that_look_like_options_get_a_hint(source: Path, tmp_path: Path):
    (tmp_path / "--dash.nc").write_bytes(source.read_bytes())
    refused = frazil("pack", "--dash.nc", "-o", "out.nc", cwd=tmp_path)
    assert refused.code == TROUBLE and "name it ./--dash.nc" in refused.stderr
    assert frazil("pack", "./--dash.nc", "-o", "out.nc", cwd=tmp_path).code == DONE
    (tmp_path / "-dash.nc").write_bytes(source.read_bytes())
    for command in ("info", "pack"):
        refused = frazil(command, "-dash.nc", cwd=tmp_path)
        assert refused.code == TROUBLE and "name it ./-dash.nc" in refused.stderr
    refused = frazil("plan", "--json", "out.nc", cwd=tmp_path)
    assert refused.code == TROUBLE and "frazil plan out.nc --json" in refused.stderr


def test_texts_with_a_byte_order_mark_and_from_pipes_are_read(source: Path, tmp_path: Path):
    plan, names = tmp_path / "plan.json", tmp_path / "names.txt"
    assert frazil("plan", source, "--json", plan).code == DONE
    plan.write_text("\ufeff" + plan.read_text(), encoding="utf-8")
    names.write_text(f"\ufeff{source}\n", encoding="utf-8")
    words = ("--files-from", names, "--out-dir", tmp_path / "out", "--plan", plan)
    assert frazil("pack", *words).code == DONE
    refused = frazil("pack", source, "-o", tmp_path / "out.nc", "--plan", "-")
    assert refused.code == TROUBLE and "/dev/stdin" in refused.stderr
