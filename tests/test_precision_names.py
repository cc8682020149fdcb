"""A rule about precision that names a variable which no input has is refused: a typo must not round
what was to stay exact."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import DONE, FAILED, TROUBLE, frazil


def field(path: Path, *names: str) -> Path:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 1000)
        for name in names:
            group, _, name = name.rpartition("/")
            place = file.createGroup(group) if group else file
            place.createVariable(name, "f4", ("n",))[:] = np.linspace(0, 1, 1000, dtype="f4")
    return path


def rules(folder: Path, name: str) -> Path:
    path = folder / "rules.toml"
    path.write_text(
        f'[[rule]]\nvariables = ["*"]\nsignificant_digits = 3\n'
        f'[[rule]]\nvariables = ["{name}"]\nlossless = true\n'
    )
    return path


WORDS = {
    "lossless": (["--digits", "3", "--lossless", "{}"]),
    "bound": (["--abs-error", "{}:0.1"]),
    "special": (["--digits", "3", "--special", "{}:7"]),
}


@pytest.mark.parametrize("command", ["pack", "plan", "dry run"])
@pytest.mark.parametrize("words", [*WORDS, "file"])
def test_a_name_that_is_nowhere_is_refused_with_the_nearest_one(
    tmp_path: Path, words: str, command: str
):
    source, out = field(tmp_path / "in.nc", "T", "QVAPOR", "g/salt"), tmp_path / "out.nc"
    commands = {
        "pack": ["pack", source, "-o", out],
        "plan": ["plan", source],
        "dry run": ["pack", source, "--dry-run"],
    }
    for name, near in {"Tt": "`T`", "qvapro": "`QVAPOR`", "/g/slat": "`/g/salt`"}.items():
        stated = (
            ["--precision", rules(tmp_path, name)]
            if words == "file"
            else [word.format(name) for word in WORDS[words]]
        )
        outcome = frazil(*commands[command], *stated)
        assert outcome.code in (FAILED, TROUBLE)
        assert f"`{name}`" in outcome.stderr and near in outcome.stderr
        assert "in.nc" in outcome.stderr
        assert not out.exists()


def test_a_name_that_is_like_none_is_answered_with_all(tmp_path: Path):
    source = field(tmp_path / "in.nc", "T", "U")
    outcome = frazil("pack", source, "-o", tmp_path / "out.nc", "--lossless", "NOPE", "--json")
    assert outcome.code == FAILED
    (error,) = outcome.errors
    assert "NOPE" in error["cause"] and "T, U" in error["cure"]


@pytest.mark.parametrize("pattern", ["NO*", "/absent/**", "[T]t", "N?", "{A,B}"])
def test_a_pattern_that_matches_nothing_is_a_line(tmp_path: Path, pattern: str):
    source = field(tmp_path / "in.nc", "T")
    words = ["--digits", "3", "--lossless", pattern]
    if "," in pattern:
        words = ["--digits", f"{pattern}:3"]
    outcome = frazil("pack", source, "-o", tmp_path / "out.nc", *words)
    assert outcome.code == DONE, outcome.stderr
    assert f"no variable is named `{pattern}`" in outcome.stderr


def test_of_several_inputs_one_must_have_the_variable(tmp_path: Path):
    sources = [field(tmp_path / f"{name}.nc", name) for name in ("T", "U")]
    out = tmp_path / "out"
    words = ["--abs-error", "T:0.01", "--lossless", "U"]
    outcome = frazil("pack", *sources, "--out-dir", out, "--allow-larger", *words)
    assert outcome.code == DONE, outcome.stderr
    with netCDF4.Dataset(out / "T.nc") as file:
        assert "quantization" in file["T"].ncattrs()
    outcome = frazil("pack", *sources, "--out-dir", tmp_path / "none", "--lossless", "Uu", "--json")
    assert outcome.code == FAILED
    (error,) = outcome.errors
    assert "in any input" in error["cause"] and "`U`" in error["cure"]
    assert not (tmp_path / "none").exists()


def test_an_input_that_cannot_be_read_hides_no_other(tmp_path: Path):
    good, bad = field(tmp_path / "T.nc", "T"), tmp_path / "bad.nc"
    bad.write_bytes(b"no netCDF")
    outcome = frazil("pack", bad, good, "--out-dir", tmp_path / "out", "--lossless", "T")
    assert outcome.code == FAILED and "bad.nc" in outcome.stderr
    assert (tmp_path / "out" / "T.nc").exists()
