"""Writers that give up or are killed: nothing of theirs stays behind the last commit."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import frazil
import netCDF4
import numpy as np
import pytest

# As large as is written at once.
ROW = 1 << 18
FOREVER = """
import sys, time
sys.path.insert(0, sys.argv[2])
from test_given_up import appended
with appended(sys.argv[1]):
    print("ready", flush=True)
    time.sleep(600)
"""


def rows(count: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(count, ROW)).astype("f4")


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    path = tmp_path / "rows.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        writer.add_dimension("x", ROW)
        writer.add_variable("v", "f4", ["t", "x"], chunks=(1, ROW))[0:2] = rows(2)
    return path


def appended(path: str | Path) -> frazil.Writer:
    """A writer that has written behind the last commit."""
    path = Path(path)
    before = path.stat().st_size
    writer = frazil.Writer(path, "a")
    writer["v"][2:8] = rows(6)
    deadline = time.monotonic() + 60
    while path.stat().st_size <= before:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return writer


def holds_two_rows(path: Path) -> bool:
    with netCDF4.Dataset(path) as file:
        return (file["v"][:] == rows(2)).all()


def test_a_writer_that_gives_up_leaves_the_file_as_it_was(committed: Path):
    before = committed.read_bytes()
    with pytest.raises(RuntimeError, match="stop"), appended(committed):
        raise RuntimeError("stop")
    assert committed.read_bytes() == before
    assert list(committed.parent.iterdir()) == [committed]


def test_recover_removes_what_a_killed_writer_left_and_nothing_of_a_living_one(committed: Path):
    before = committed.read_bytes()
    command = [sys.executable, "-c", FOREVER, committed, Path(__file__).parent]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        alive = frazil.recover(committed)
        assert (alive.outcome, alive.removed_bytes) == ("clean", 0)
        assert alive.remaining_bytes > 0 and committed.stat().st_size > len(before)
        process.send_signal(signal.SIGKILL)
    left = committed.stat().st_size - len(before)
    found = frazil.recover(committed)
    assert found.outcome == "discarded" and found.remaining_bytes == 0
    assert found.removed_bytes == left > 0
    assert committed.read_bytes() == before and holds_two_rows(committed)
    assert list(committed.parent.iterdir()) == [committed]
    assert frazil.recover(committed).outcome == "clean"
