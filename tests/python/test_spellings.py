"""Messages that name the command's options name parameters in Python."""

import re
from pathlib import Path

import pytest
from frazil.spellings import in_python

CRATES = Path(__file__).resolve().parents[2] / "crates"


@pytest.mark.parametrize(
    ("command", "python"),
    [
        ("state --abs-error for it", 'state "absolute_tolerance" in precision for it'),
        ("x: --keep-information is coarse", "x: keep_information is coarse"),
        ("such as --abs-error 'T:0.1'", 'such as precision={"T": {"absolute_tolerance": 0.1}}'),
        ("that all readers have: --readable-by any", 'that all readers have: readable_by="any"'),
        ("absolute_tolerance (--rel-error, --abs-error)", "absolute_tolerance"),
        (
            "pack the file first: frazil pack --readable-by netcdf4 IN -o OUT",
            "pack the file first: frazil.pack('IN', 'OUT', readable_by=\"netcdf4\")",
        ),
        (
            "better: `frazil pack --storage object-store --layout cmip7 a.nc -o OUT`",
            "better: frazil.pack('a.nc', 'OUT', storage=\"object-store\", layout=\"cmip7\")",
        ),
        ("raise --memory, or choose --chunks", "raise memory=, or choose chunks="),
        ("add --overwrite to replace it", "add overwrite=True to replace it"),
        ("what `frazil plan --json FILE` writes, or", "what frazil.plan(FILE) returns, or"),
        ("a plan is replayed by `pack --plan`", "a plan is replayed by frazil.pack(plan=)"),
    ],
)
def test_options_become_parameters(command, python):
    assert in_python(command) == python


@pytest.mark.parametrize(
    "text",
    [
        "h5clear -s --increment=0 a.nc",
        "grow one: frazil train --table FILE -o TREE.json",
        "`frazil synth --list` shows them",
        "set what `aws configure export-credentials --format env` prints",
    ],
)
def test_commands_that_the_package_has_not_stay(text):
    assert in_python(text) == text


def test_no_cure_of_the_engine_keeps_an_option_of_the_command():
    found = []
    for source in CRATES.glob("*/src/**/*.rs"):
        if {"frazil-cli", "frazil-tools", "frazil-train", "frazil-bench"} & {*source.parts}:
            continue
        text = source.read_text().partition("#[cfg(test)]")[0]
        found += re.findall(r'with_cure\(\s*"((?:[^"\\]|\\.|\\\n)*)"', text)
    assert len(found) > 50
    for cure in found:
        ours = in_python(re.sub(r"\\\n\s*", "", cure))
        is_foreign = re.search(r"`(?:aws|h5clear|ptrepack)\b|frazil train", ours)
        assert is_foreign or not re.search(r"(?<!\w)--[a-z]", ours), ours
