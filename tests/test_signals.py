"""Signals end the command in good order: nothing is left behind, and the exit status says which."""

import os
import resource
import shutil
import signal
import subprocess
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from support import make, slow
from support.command import BINARY, DONE, FAILED, start, tool

pytestmark = pytest.mark.sampled(one_in=4)

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
# Batch systems send some of them before they kill.
OTHERS = [signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM]
# By command: the calls that are slow once its work has begun.
SLOW_CALL = {
    "pack": "pwrite",
    "unpack": "pwrite",
    "in place": "pwrite",
    "import": "read",
    "synth": "pwrite",
    "verify": "pread",
}


LIMITED = ["pack", "unpack", "to classic", "in place", "import", "synth"]


class Scene:
    """A folder with inputs; knows whether anything in it changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "scene"
        self.folder.mkdir()
        self.source = make.plain_netcdf4(self.folder / "source.nc", steps=150)
        shutil.copy(self.source, self.folder / "twin.nc")
        self.table = self.folder / "table.csv"
        rows = np.arange(60_000).reshape(-1, 3)
        np.savetxt(self.table, rows, delimiter=",", fmt="%d", header="a,b,c", comments="")
        self.before = self.content()

    def content(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def words(self, command: str) -> list[object]:
        new = ["-o", self.folder / "new.nc"]
        one = ["--threads", 1]
        return {
            "pack": ["pack", self.source, *new, "--chunks", "time=1", *one],
            "unpack": ["unpack", self.source, *new, *one],
            "to classic": ["unpack", self.source, *new, "--format", "classic", *one],
            "in place": ["pack", self.source, "--in-place", "--chunks", "time=1", *one],
            "import": ["import", self.table, *new, *one],
            "synth": ["synth", "-s", "400x400x10", *new, *one],
            "verify": ["verify", self.source, self.folder / "twin.nc", *one],
        }[command]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def as_in_a_terminal() -> None:
    """Signals as a shell leaves them to a program, whatever this one was started to ignore."""
    for number in SIGNALS + OTHERS:
        signal.signal(number, signal.SIG_DFL)


def begin(scene: Scene, command: str, milliseconds: int) -> subprocess.Popen:
    return slow.begin(
        *scene.words(command),
        call=SLOW_CALL[command],
        milliseconds=milliseconds,
        preexec_fn=as_in_a_terminal,
    )


@pytest.mark.parametrize(
    ("command", "number"),
    [*product(SLOW_CALL, SIGNALS), *product(["pack", "in place"], OTHERS)],
)
def test_a_signal_ends_every_command_in_good_order(
    scene: Scene, command: str, number: signal.Signals
):
    process = begin(scene, command, 200)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + number, stderr
    assert b"nothing was left behind" in stderr
    assert scene.content() == scene.before


@pytest.mark.parametrize("command", SLOW_CALL)
def test_a_second_signal_ends_a_command_that_hangs(scene: Scene, command: str):
    process = begin(scene, command, slow.FOR_EVER)
    process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGINT
    assert b"interrupted; nothing was left behind" in stderr
    assert scene.content() == scene.before


def test_a_program_that_was_told_to_survive_its_terminal_does(scene: Scene):
    process = slow.begin(
        *scene.words("pack"),
        call="pwrite",
        milliseconds=20,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    process.send_signal(signal.SIGHUP)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == DONE, stderr
    assert tool("ncdump", "-h", scene.folder / "new.nc").returncode == 0


@pytest.mark.parametrize("words", [["pack", "--plan"], ["plan", "--precision"], ["import"]])
def test_a_signal_ends_what_waits_for_a_pipe(scene: Scene, tmp_path: Path, words: list[str]):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command, *option = words
    source = [scene.source] if option else []
    output = [] if command == "plan" else ["-o", tmp_path / "never.nc"]
    waiting = subprocess.Popen(
        [str(word) for word in (BINARY, command, *source, *option, pipe, *output)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=as_in_a_terminal,
    )
    time.sleep(0.5)
    waiting.send_signal(signal.SIGTERM)
    assert waiting.wait(60) == 128 + signal.SIGTERM
    assert not (tmp_path / "never.nc").exists()


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


@pytest.mark.parametrize("command", LIMITED)
def test_a_limit_on_the_size_of_files_is_an_error_that_names_it(scene: Scene, command: str):
    process = start(*scene.words(command), preexec_fn=limit_files)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == FAILED, stderr
    assert b"ulimit -f" in stderr and b"[no_space]" in stderr
    assert scene.content() == scene.before


@pytest.mark.parametrize("command", SLOW_CALL)
def test_a_reader_of_the_output_that_has_gone_stops_nothing(scene: Scene, command: str):
    reading, writing = os.pipe()
    os.close(reading)
    words = [str(word) for word in [BINARY, *scene.words(command), "--json"]]
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, timeout=120)
    os.close(writing)
    assert done.returncode == DONE, done.stderr
    assert not [name for name in scene.content() if name.startswith(".")]


def test_the_calibration_can_be_ended_at_any_time(tmp_path: Path):
    target = tmp_path / "calibration.json"
    process = slow.begin(
        *("calibrate", "-o", target, "--local", tmp_path),
        call="pwrite",
        milliseconds=1000,
        preexec_fn=as_in_a_terminal,
    )
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_a_byte_that_the_disk_changed_is_not_called_verified(scene: Scene):
    words = [*scene.words("pack"), "--verify", "--json"]
    process = start(*words, env=slow.environment(flip=1))
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == FAILED, stderr
    assert b'"verified": true' not in stdout
    assert scene.content() == scene.before
