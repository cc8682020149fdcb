"""Tables take the terminal's width and do not wrap; in a pipe nothing of them is shortened."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import unicodedata
from pathlib import Path

import pytest
from support.command import BINARY, DONE, SAMPLE, frazil

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


def in_terminal(columns: int, folder: Path, *words: object) -> str:
    """What the command prints on a terminal of that width."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    command = [str(word) for word in (BINARY, *words)]
    process = subprocess.Popen(command, stdout=secondary, stderr=subprocess.DEVNULL, cwd=folder)
    os.close(secondary)
    pieces = []
    try:
        while piece := os.read(primary, 65536):
            pieces.append(piece)
    except OSError:
        # Linux says so when the other side is closed.
        pass
    os.close(primary)
    assert process.wait() == DONE
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
