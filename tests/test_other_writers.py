"""Files that another program writes: never replaced, read with a word about it, never mixed."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import make, slow
from support.command import DONE, FAILED, Outcome, frazil

pytestmark = pytest.mark.sampled(one_in=2)

# Arguments: file, libver, what comes after the records are there; then waits to be told to go on.
WRITER = """
import os, sys
import h5py
path, libver, end = sys.argv[1:]
with h5py.File(path, "w", libver=libver) as file:
    data = file.create_dataset("d", (10, 1000), "f4", maxshape=(None, 1000), chunks=(1, 1000))
    data[:] = 1
    if end.startswith("swmr"):
        file.swmr_mode = True
        for i in range(10, 25):
            data.resize(i + 1, 0)
            data[i] = i
            data.flush()
    file.flush()
    print("ready", flush=True)
    if end.endswith("die"):
        os._exit(0)
    sys.stdin.readline()
    data.resize(len(data) + 1, 0)
    data[-1] = 2
"""


@contextmanager
def writer(path: Path, libver: str = "earliest", end: str = "", **env: str) -> Iterator[None]:
    """A program that has the file open for writing; it adds a record and closes in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), libver, end],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **env},
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    if end.endswith("die"):
        process.wait(timeout=60)
    try:
        yield
    finally:
        process.communicate("\n", timeout=60)


def died(path: Path, libver: str, end: str) -> Path:
    """A file whose writer died while it had it open."""
    with writer(path, libver, end):
        pass
    return path


def refused(outcome: Outcome, code: str) -> dict:
    assert outcome.code == FAILED, outcome.stdout + outcome.stderr
    (error,) = outcome.errors
    assert error["code"] == code, error
    return error


@pytest.mark.parametrize("command", ["pack", "unpack"])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("locking", ["TRUE", "FALSE"])
def test_a_file_that_another_program_writes_is_not_replaced(
    tmp_path: Path, command: str, libver: str, locking: str
):
    path = tmp_path / "live.h5"
    with writer(path, libver, HDF5_USE_FILE_LOCKING=locking):
        error = refused(frazil(command, path, "--in-place", "--json"), "locked")
        assert "does not replace it" in error["cause"] and error["cure"]
    with h5py.File(path) as file:
        assert file["d"].shape == (11, 1000) and (file["d"][10] == 2).all()
    assert [one.name for one in tmp_path.iterdir()] == ["live.h5"]
    assert frazil(command, path, "--in-place").code == DONE


def test_a_program_that_waits_for_the_lock_finds_its_file_unchanged(tmp_path: Path):
    """Who opens a file while it is packed in place is told that it is locked."""
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    process = packing(source, "--in-place")
    with pytest.raises(OSError, match="lock"), h5py.File(source, "r+"):
        pass
    with h5py.File(source) as file:
        assert "tas" in file
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == DONE, stderr
    with h5py.File(source, "r+") as file:
        file.attrs["later"] = 1


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_reading_commands_say_that_a_file_is_being_written(tmp_path: Path, libver: str):
    path = tmp_path / "live.h5"
    with writer(path, libver):
        for words in (
            ["pack", path, "-o", tmp_path / "packed.h5"],
            ["unpack", path, "-o", tmp_path / "unpacked.h5"],
            ["info", path],
            ["plan", path],
            ["analyze", path],
            ["verify", path, path],
        ):
            outcome = frazil(*words)
            assert outcome.code == DONE, outcome.stderr
            assert "open for writing" in outcome.stdout + outcome.stderr, words
    outcome = frazil("info", path)
    assert "open for writing" not in outcome.stdout + outcome.stderr


def test_a_file_whose_writer_died_is_read_with_a_word_and_not_replaced(tmp_path: Path):
    path = died(tmp_path / "dead.h5", "latest", "die")
    with pytest.raises(OSError, match="h5clear"), h5py.File(path):
        pass
    outcome = frazil("pack", path, "-o", tmp_path / "packed.h5")
    assert outcome.code == DONE and "h5clear -s --increment=0" in outcome.stderr
    with h5py.File(tmp_path / "packed.h5") as file:
        assert (file["d"][:] == 1).all() and file["d"].shape == (10, 1000)
    error = refused(frazil("pack", path, "--in-place", "--json"), "locked")
    assert error["cure"].endswith(f"h5clear -s --increment=0 {path}")


@contextmanager
def swmr(path: Path, is_alive: bool) -> Iterator[None]:
    """A file that is, or was, written for many readers."""
    with writer(path, "latest", "swmr" if is_alive else "swmr die"):
        yield


@pytest.mark.parametrize("is_alive", [True, False])
def test_what_swmr_readers_may_read_is_read(tmp_path: Path, is_alive: bool):
    path = tmp_path / "swmr.h5"
    packed = tmp_path / "packed.h5"
    with swmr(path, is_alive):
        for words in (
            ["pack", path, "-o", packed, "--verify"],
            ["unpack", path, "-o", tmp_path / "unpacked.h5"],
            ["info", path, "--fill"],
            ["verify", path, packed],
        ):
            outcome = frazil(*words)
            said = outcome.stdout + outcome.stderr
            assert outcome.code == DONE, said
            assert "SWMR" in said or "multiple readers" in said
            assert is_alive or "h5clear -s --increment=0" in said
        with h5py.File(path, swmr=True) as file:
            expected = file["d"][:]
        error = refused(frazil("pack", path, "--in-place", "--json"), "locked")
        assert "copy it again" not in error["cure"]
    for name in ("packed.h5", "unpacked.h5"):
        with h5py.File(tmp_path / name) as file:
            assert np.array_equal(file["d"][:], expected)


def test_a_damaged_file_that_is_marked_as_written_names_the_writer(tmp_path: Path):
    path = died(tmp_path / "dead.h5", "latest", "die")
    os.truncate(path, path.stat().st_size // 2)
    outcome = frazil("info", path, "--json")
    error = refused(outcome, "corrupt")
    assert "writer" in error["cause"] and "h5clear -s --increment=0" in error["cure"]


def packing(source: Path, *target: object) -> subprocess.Popen:
    """Packing that has begun and goes on for a while."""
    words = ["pack", source, *target, "--chunks", "time=1", "--threads", 1]
    return slow.begin(*words, "--json", call="pwrite", milliseconds=300)


def ended(process: subprocess.Popen) -> Outcome:
    stdout, stderr = process.communicate(timeout=120)
    return Outcome(process.returncode, stdout.decode(), stderr.decode())


def append(path: Path) -> None:
    with h5py.File(path, "r+", locking=False) as file:
        file["tas"].resize(151, 0)
        file["tas"][150] = 7


def edit(path: Path) -> None:
    with h5py.File(path, "r+", locking=False) as file:
        file["lat"][3] = -77


def replace(path: Path) -> None:
    path.with_name("other.nc").rename(path)


@pytest.mark.parametrize("change", [append, edit, replace])
def test_a_file_that_changed_meanwhile_is_not_replaced(
    tmp_path: Path, change: Callable[[Path], None]
):
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    make.plain_netcdf4(tmp_path / "other.nc", steps=3)
    process = packing(source, "--in-place")
    change(source)
    changed = source.read_bytes()
    refused(ended(process), "file_changed")
    assert source.read_bytes() == changed
    assert {one.name for one in tmp_path.iterdir()} <= {"source.nc", "other.nc"}


def test_an_input_that_changes_while_it_is_packed_is_an_error(tmp_path: Path):
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    process = packing(source, "-o", tmp_path / "packed.nc")
    edit(source)
    refused(ended(process), "file_changed")
    assert [one.name for one in tmp_path.iterdir()] == ["source.nc"]


def test_a_new_mode_or_name_of_the_input_is_no_change(tmp_path: Path):
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    process = packing(source, "-o", tmp_path / "packed.nc")
    source.chmod(0o640)
    source.rename(tmp_path / "renamed.nc")
    outcome = ended(process)
    assert outcome.code == DONE, outcome.stderr


def test_an_output_that_changed_meanwhile_is_not_replaced(tmp_path: Path):
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    target = tmp_path / "packed.nc"
    target.write_text("worthless")
    process = packing(source, "-o", target, "--overwrite")
    target.write_text("precious")
    refused(ended(process), "file_changed")
    assert target.read_text() == "precious"


def test_an_output_that_came_meanwhile_is_not_replaced(tmp_path: Path):
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    target = tmp_path / "packed.nc"
    process = packing(source, "-o", target)
    target.write_text("precious")
    refused(ended(process), "already_exists")
    assert target.read_text() == "precious"


def test_an_output_that_another_program_writes_is_not_replaced(tmp_path: Path):
    source = make.plain_netcdf4(tmp_path / "source.nc")
    target = tmp_path / "live.h5"
    with writer(target):
        refused(frazil("pack", source, "-o", target, "--overwrite", "--json"), "locked")
    with h5py.File(target) as file:
        assert file["d"].shape == (11, 1000)
    assert frazil("pack", source, "-o", target, "--overwrite").code == DONE


def test_a_file_that_changes_while_it_is_verified_is_an_error(tmp_path: Path):
    source = make.plain_netcdf4(tmp_path / "source.nc", steps=150)
    twin = make.plain_netcdf4(tmp_path / "twin.nc", steps=150)
    process = slow.begin(
        *("verify", source, twin, "--threads", 1, "--json"),
        call="pread",
        milliseconds=10,
    )
    edit(source)
    outcome = ended(process)
    assert outcome.code != DONE
    assert [error["code"] for error in outcome.errors] == ["file_changed"], outcome.stdout


def test_a_pipe_is_no_input_and_nobody_waits_for_it(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for command in ("info", "plan"):
        outcome = frazil(command, tmp_path / "pipe", timeout=20)
        assert outcome.code == FAILED and "is a pipe" in outcome.stderr


# Adds a record after the other until it is told to end.
GROWING = """
import select, sys
import h5py
with h5py.File(sys.argv[1], "w", libver="latest") as file:
    data = file.create_dataset("d", (0, 1000), "f4", maxshape=(None, 1000), chunks=(1, 1000))
    file.swmr_mode = True
    i = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        data.resize(i + 1, 0)
        data[i] = i + 1
        data.flush()
        i += 1
        if i == 500:
            print("ready", flush=True)
"""


@pytest.mark.parametrize("command", ["pack", "unpack"])
def test_a_file_that_grows_is_copied_as_it_was_at_one_time(tmp_path: Path, command: str):
    path, copy = tmp_path / "live.h5", tmp_path / "copy.h5"
    words = [sys.executable, "-c", GROWING, str(path)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        for _ in range(3):
            outcome = frazil(command, path, "-o", copy, "--overwrite")
            assert outcome.code == DONE, outcome.stderr
            with h5py.File(copy) as file:
                rows = file["d"][:, 0]
            assert (rows == np.arange(1, len(rows) + 1)).all()
        process.communicate("\n", timeout=60)
