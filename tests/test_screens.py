"""Tables take the terminal's width and do not wrap; in a pipe nothing of them is shortened."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import BINARY, DONE, SAMPLE, TROUBLE, frazil

WIDTHS = (80, 120, 200)
# By command: arguments behind it, and a column that a wide screen shows.
COMMANDS = {
    "info": ((SAMPLE,), "raw"),
    "analyze": ((SAMPLE,), "total bits"),
    "plan": ((SAMPLE,), "x best"),
    "pack": ((SAMPLE, "-o", "packed.nc", "--overwrite", "--digits", "4"), "filters"),
    "pack --dry-run --energy": ((SAMPLE,), "filters"),
}
# Of these the wide form has a column that the narrow one leaves out.
LEFT_OUT = ("info", "analyze")


def in_terminal(
    columns: int, folder: Path, *words: object, notes: bool = False, code: int = DONE
) -> str:
    """What the command prints on a terminal of that width, with its notes if they are wanted."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    command = [str(word) for word in (BINARY, *words)]
    stderr = secondary if notes else subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=secondary, stderr=stderr, cwd=folder)
    os.close(secondary)
    pieces = []
    try:
        while piece := os.read(primary, 65536):
            pieces.append(piece)
    except OSError:
        # Linux says so when the other side is closed.
        pass
    os.close(primary)
    assert process.wait() == code
    return b"".join(pieces).decode().replace("\r\n", "\n")


def columns_of(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(command: str, width: int, tmp_path: Path) -> None:
    words, _ = COMMANDS[command]
    lines = in_terminal(width, tmp_path, *command.split(), *words).splitlines()
    assert len(lines) > 30
    widest = max(lines, key=columns_of)
    assert columns_of(widest) <= width, widest


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_shortened_in_a_pipe(command: str, tmp_path: Path) -> None:
    words, column = COMMANDS[command]
    piped = frazil(*command.split(), *words, cwd=tmp_path)
    assert piped.code == DONE
    assert "…" not in piped.stdout
    assert column in piped.stdout
    narrow = in_terminal(80, tmp_path, *command.split(), *words)
    if command in LEFT_OUT:
        assert column not in narrow
        assert column in in_terminal(200, tmp_path, command, *words)


@pytest.mark.parametrize(("width", "most"), [(80, 80), (60, 60), (0, 80), (200, 100)])
def test_help_takes_the_terminals_width(width: int, most: int, tmp_path: Path) -> None:
    for words in (("pack", "--help"), ("plan", "-h"), ("--help",), ("run", "--help")):
        lines = in_terminal(width, tmp_path, *words).splitlines()
        lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
        # Nobody can wrap the name of an option, or the examples.
        lines = [line for line in lines if len(line.split()) > 3 and "  frazil " not in line]
        assert most - 12 < max(map(columns_of, lines)) <= most
    piped = frazil("pack", "--help").stdout.splitlines()
    assert max(map(columns_of, piped)) <= 100


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of variables whose names differ in a few letters."""
    path = tmp_path_factory.mktemp("names") / "long.nc"
    with netCDF4.Dataset(path, "w") as file:
        for axis in ("lat", "lon"):
            file.createDimension(axis, 64)
        for most in ("maximum", "minimum"):
            for height in (2, 10):
                name = f"near_surface_{most}_of_air_temperature_at_{height}_m_above_ground"
                values = file.createVariable(name, "f4", ("lat", "lon"))
                values[:] = np.random.default_rng(height).normal(size=(64, 64))
    return path


@pytest.mark.parametrize("command", ["info", "analyze", "pack", "plan", "verify"])
def test_names_that_differ_look_different(command: str, long_names: Path) -> None:
    folder, name = long_names.parent, long_names.name
    packing = ("-o", "packed.nc", "--overwrite", "--digits", 3)
    if command == "verify":
        in_terminal(80, folder, "pack", name, *packing)
    words = {"pack": packing, "verify": ("packed.nc",)}.get(command, ())
    lines = in_terminal(80, folder, command, name, *words).splitlines()
    assert max(map(columns_of, lines)) <= 80
    rows = [line.split()[0] for line in lines if line.startswith(("/", "…"))]
    assert len(set(rows[:4])) == 4, rows


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", ["pack", "info"])
def test_names_of_filters_stay_whole(command: str, width: int, tmp_path: Path) -> None:
    name = "near_surface_maximum_of_air_temperature"
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as file:
        for axis, extent in zip(("time", "lat", "lon"), (12, 240, 360), strict=True):
            file.createDimension(axis, extent)
        values = file.createVariable(name, "f4", ("time", "lat", "lon"))
        values[:] = np.random.default_rng(1).normal(size=(12, 240, 360))
    packing = ("pack", "in.nc", "-o", "out.nc", "--filters", "shuffle+deflate(1)+fletcher32")
    shown = in_terminal(width, tmp_path, *packing)
    if command == "info":
        shown = in_terminal(width, tmp_path, "info", "out.nc")
    assert max(map(columns_of, shown.splitlines())) <= width
    for part in ("shuffle", "deflate(1)", "fletcher32"):
        assert part in shown, shown


def test_notes_of_filters_are_whole(tmp_path: Path) -> None:
    narrow = in_terminal(80, tmp_path, "--version", "--all")
    assert "…" not in narrow and max(map(columns_of, narrow.splitlines()[:-2])) <= 80


def test_usage_errors_take_the_terminals_width(tmp_path: Path) -> None:
    words = ("pack", SAMPLE, "-o", "out.nc", "--filters", "unknown")
    shown = in_terminal(80, tmp_path, *words, notes=True, code=TROUBLE)
    assert "unknown" in shown and max(map(columns_of, shown.splitlines())) <= 80


@pytest.mark.parametrize("width", [20, 50, 68])
def test_bits_that_fill_the_screen_keep_their_names(width: int, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "doubles.nc", "w") as file:
        file.createDimension("x", 4000)
        for name in ("height_of_a_station_in_winter", "height_of_a_station_in_summer"):
            values = file.createVariable(name, "f8", ("x",))
            values[:] = np.exp(np.sin(np.arange(4000) / 300))
    lines = in_terminal(width, tmp_path, "analyze", "doubles.nc").splitlines()
    assert max(map(columns_of, lines)) <= max(width, 60)
    rows = [line.split()[0] for line in lines if line.startswith(("/", "…"))]
    assert rows[-1] != rows[-2] and min(map(len, rows)) >= 5, rows


def test_notes_break_between_words(long_names: Path, tmp_path: Path) -> None:
    words = ("pack", long_names, "-o", tmp_path / "packed.nc", "--expected", "lat=9,lon=7")
    note = "frazil: note: expected=lat=9 changes nothing: `lat` has a fixed length of 64"
    assert note in frazil(*words).stderr.splitlines()
    shown = in_terminal(50, tmp_path, *words, "--overwrite", notes=True)
    assert "changes nothing:\n`lat` has a fixed length" in shown, shown


def test_the_command_alone_shows_five_examples() -> None:
    answer = frazil()
    text = answer.stdout + answer.stderr
    examples = text.split("Examples:\n")[1].split("\n\n")[0].splitlines()
    assert len(examples) == 5
    assert all(line.startswith("  frazil ") and columns_of(line) <= 80 for line in examples)


def test_the_version_names_a_commit_or_none() -> None:
    first, *_ = frazil("--version").stdout.splitlines()
    name, version, *commit = first.split()
    assert (name, version.split("-")[0].count(".")) == ("frazil", 2)
    assert not commit or int(commit[0].strip("()"), 16) > 0
