"""Two users: what one plants in a folder that both may write to does not make frazil write, read or
hang for the other."""

import contextlib
import hashlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import make
from support.command import BINARY, DONE, FAILED, Outcome
from support.journals import journal, journal_of

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can act as two other users"),
    pytest.mark.sampled(one_in=2),
]

# Numbers without a name serve as well.
VICTIM, STRANGER = 61001, 61002
# Longer than any command here takes: what waits for a pipe waits for ever.
PATIENCE = 60


@dataclass
class Scene:
    """A folder that is open to all, as /tmp is, and one of the victim's."""

    shared: Path
    home: Path
    command: Path

    def run(self, *words: object, user: int = VICTIM, umask: int = 0o022) -> Outcome:
        """Runs the command as a user, to its end."""
        process = self.start(*words, user=user, umask=umask)
        with process:
            try:
                stdout, stderr = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                pytest.fail(f"{words} hangs")
        return Outcome(process.returncode, stdout.decode(), stderr.decode(errors="replace"))

    def start(self, *words: object, user: int = VICTIM, umask: int = 0o022) -> subprocess.Popen:
        """Starts the command as a user."""
        return subprocess.Popen(
            [str(word) for word in (self.command, *words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            user=user,
            group=user,
            extra_groups=[],
            umask=umask,
            cwd=self.shared,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
        )

    def data(self, folder: Path, name: str = "data.nc", mode: int = 0o600) -> Path:
        """A file of the victim's."""
        path = folder / name
        with h5py.File(path, "w") as file:
            file["x"] = np.arange(5000, dtype="f4")
        return give(path, VICTIM, mode)


def give(path: Path, user: int, mode: int | None = None) -> Path:
    """Makes a user the owner of what has this name."""
    os.chown(path, user, user, follow_symlinks=False)
    if mode is not None:
        path.chmod(mode)
    return path


@pytest.fixture(scope="module")
def command() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield Path(shutil.copy(BINARY, folder / "frazil"))


@pytest.fixture
def scene(command: Path) -> Iterator[Scene]:
    # pytest's own folders are closed to others.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for inner, owner, mode in (("shared", 0, 0o1777), ("home", VICTIM, 0o755)):
            (folder / inner).mkdir()
            give(folder / inner, owner, mode)
        yield Scene(folder / "shared", folder / "home", command)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def forge(beside: Path, data: Path, owner: int, mode: int = 0o644) -> Path:
    """A journal that would overwrite values of a file, if it were applied."""
    content = data.read_bytes()
    at = len(content) - 64
    forged = journal(data, [(at, content[at:], b"\x66" * 64)])
    journal_of(beside).write_bytes(forged)
    return give(journal_of(beside), owner, mode)


def reading(path: Path, output: Path) -> list[tuple[object, ...]]:
    return [
        ("info", path),
        ("plan", path),
        ("verify", path, path),
        ("pack", path, "-o", output / "packed.nc", "--overwrite"),
        ("unpack", path, "-o", output / "plain.nc", "--overwrite"),
    ]


def test_a_journal_beside_a_strangers_link_reaches_no_file_of_the_victims(scene: Scene):
    data = scene.data(scene.home)
    before = digest(data)
    link = scene.shared / "link.nc"
    link.symlink_to(data)
    give(link, STRANGER)
    forged = forge(link, data, STRANGER)
    for words in (*reading(data, scene.home), ("info", link), ("recover", link)):
        scene.run(*words)
        assert digest(data) == before, words
        assert forged.exists() and not journal_of(data).exists()


@pytest.mark.parametrize(
    ("owner", "mode"), [(STRANGER, 0o644), (STRANGER, 0o600), (VICTIM, 0o666), (VICTIM, 0o664)]
)
def test_a_journal_that_a_stranger_may_have_written_is_reported_and_not_applied(
    scene: Scene, owner: int, mode: int
):
    data = scene.data(scene.shared)
    before = digest(data)
    forged = forge(data, data, owner, mode)
    for words in reading(data, scene.home):
        outcome = scene.run(*words)
        assert outcome.code == DONE, (words, outcome.stderr)
        assert forged.name in outcome.stdout + outcome.stderr, words
        assert digest(data) == before and forged.exists()
    outcome = scene.run("recover", data, "--json")
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] == "permission_denied"
    assert forged.name in outcome.errors[0]["cause"] and outcome.errors[0]["cure"]
    assert digest(data) == before and forged.exists()


def test_the_victims_own_journal_is_applied_by_the_victim_and_by_the_superuser(scene: Scene):
    for user in (VICTIM, 0):
        data = scene.data(scene.shared, f"of{user}.nc")
        own = forge(data, data, VICTIM)
        outcome = scene.run("recover", data, user=user)
        assert outcome.code == DONE, outcome.stderr
        assert data.read_bytes().endswith(b"\x66" * 64) and not own.exists()


@pytest.mark.parametrize("kind", ["link", "pipe", "hard link", "folder"])
def test_what_lies_in_a_journals_place_is_not_followed(scene: Scene, kind: str):
    data = scene.data(scene.shared)
    own = forge(data, data, VICTIM)
    elsewhere = own.rename(scene.home / "elsewhere")
    plant(kind, own, elsewhere)
    before = digest(data), digest(elsewhere)
    assert scene.run("info", data).code == DONE
    assert scene.run("recover", data).code == FAILED
    assert (digest(data), digest(elsewhere)) == before


def plant(kind: str, name: Path, victims: Path) -> None:
    """Puts something in the place of a file that frazil may make."""
    if kind == "link":
        name.symlink_to(victims)
        give(name, STRANGER)
    elif kind == "pipe":
        os.mkfifo(name, 0o666)
        give(name, STRANGER, 0o666)
    elif kind == "hard link":
        name.hardlink_to(victims)
    else:
        name.mkdir()
        give(name, STRANGER)


# Names that can be foreseen, now or in earlier versions.
NAMES = [
    ".out.nc.frazil-part",
    "out.nc.frazil-journal-part",
    ".out.nc.part-1",
    "out.nc.frazil-journal",
    ".out.nc.frazil-lock",
]


@pytest.mark.parametrize("kind", ["link", "pipe", "hard link"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_planted_is_neither_written_to_nor_waited_for(scene: Scene, name: str, kind: str):
    data = scene.data(scene.home)
    precious = scene.home / "precious"
    precious.write_bytes(b"precious")
    give(precious, VICTIM, 0o644)
    plant(kind, scene.shared / name, precious)
    outputs = [("plan", data, "--json"), ("pack", data, "-o"), ("unpack", data, "-o")]
    outputs.append(("synth", "-s", "8x8", "-o"))
    for words in outputs:
        outcome = scene.run(*words, "out.nc", "--overwrite")
        assert precious.read_bytes() == b"precious", words
        if name == ".out.nc.frazil-lock":
            assert outcome.code != DONE and name in outcome.stdout + outcome.stderr, words
        else:
            assert outcome.code == DONE, (words, outcome.stderr)


def test_a_strangers_link_is_not_replaced_in_place_of_the_victims_file(scene: Scene):
    data, text = scene.data(scene.home), scene.home / "notes"
    text.write_text("precious")
    give(text, VICTIM, 0o644)
    link = scene.shared / "plan.json"
    link.symlink_to(text)
    give(link, STRANGER)
    outcome = scene.run("plan", data, "--json", link, "--overwrite")
    assert outcome.code != DONE and "link" in outcome.stderr
    assert text.read_text() == "precious"


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_strangers_link_to_a_folder_leads_no_output_there(scene: Scene, overwrite: bool):
    data, out = scene.data(scene.home), scene.home / "out.nc"
    (scene.shared / "folder").symlink_to(scene.home)
    give(scene.shared / "folder", STRANGER)
    if overwrite:
        out.write_text("precious")
        give(out, VICTIM)
    before = sorted(one.name for one in scene.home.iterdir())
    for words in (("pack", data, "-o"), ("synth", "-s", "8x8", "-o"), ("plan", data, "--json")):
        outcome = scene.run(*words, scene.shared / "folder" / "out.nc", "--overwrite")
        assert outcome.code != DONE and "another user" in outcome.stderr, (words, outcome.stderr)
        assert sorted(one.name for one in scene.home.iterdir()) == before
    assert not overwrite or out.read_text() == "precious"


@pytest.mark.parametrize("kind", ["chain", "folder", "pipe"])
def test_what_a_stranger_put_on_the_way_to_a_text_is_refused(scene: Scene, kind: str):
    data, text = scene.data(scene.home), scene.home / "notes"
    text.write_text("precious")
    give(text, VICTIM, 0o644)
    target = scene.shared / "plan.json"
    if kind == "chain":
        own = scene.home / "own"
        give(own.parent, VICTIM)
        own.symlink_to(target)
        give(own, VICTIM)
        target.symlink_to(text)
        give(target, STRANGER)
        target = own
    elif kind == "folder":
        (scene.shared / "folder").symlink_to(scene.home)
        give(scene.shared / "folder", STRANGER)
        (scene.home / "link").symlink_to(text)
        give(scene.home / "link", VICTIM)
        target = scene.shared / "folder" / "link"
    else:
        os.mkfifo(target)
        give(target, STRANGER, 0o666)
    outcome = scene.run("plan", data, "--json", target, "--overwrite")
    assert outcome.code != DONE and "another user" in outcome.stderr, outcome.stderr
    assert text.read_text() == "precious"


@pytest.mark.parametrize("in_place", [False, True])
def test_nobody_else_reads_a_file_before_it_is_complete(scene: Scene, in_place: bool):
    data = give(make.noise(scene.home / "noise.h5", 40), VICTIM, 0o600)
    target = data if in_place else scene.home / "packed.h5"
    where = ["--in-place"] if in_place else ["-o", target]
    process = scene.start("pack", data, *where, "--level", 9, "--threads", 1)
    seen = set()
    while process.poll() is None:
        for path in scene.home.glob(".*.frazil-part"):
            with contextlib.suppress(FileNotFoundError):
                seen.add(stat.S_IMODE(path.stat().st_mode))
        time.sleep(0.002)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == DONE, stderr
    # The last thing before it gets its name is the mode that it keeps.
    kept = 0o600 if in_place else 0o644
    assert 0o600 in seen and seen <= {0o600, kept}
    assert stat.S_IMODE(target.stat().st_mode) == kept


def test_the_next_run_removes_what_a_killed_one_left(scene: Scene):
    data = give(make.noise(scene.home / "noise.h5", 40), VICTIM, 0o600)
    target = scene.shared / "packed.h5"
    process = scene.start("pack", data, "-o", target, "--level", 9, "--threads", 1)
    deadline = time.monotonic() + PATIENCE
    while not list(scene.shared.glob(".*.frazil-part")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert len(list(scene.shared.iterdir())) == 2, "a temporary file and a lock"
    # Another user can neither remove them nor take the target's place.
    outcome = scene.run("synth", "-s", "8x8", "-o", target, user=STRANGER)
    assert outcome.code != DONE and ".packed.h5.frazil-lock" in outcome.stderr
    assert len(list(scene.shared.iterdir())) == 2
    small = scene.data(scene.home)
    outcome = scene.run("pack", small, "-o", target)
    assert outcome.code == DONE, outcome.stderr
    assert [path.name for path in scene.shared.iterdir()] == ["packed.h5"]


def test_a_lock_of_a_strangers_does_not_make_frazil_remove_files(scene: Scene):
    data = scene.data(scene.home)
    word = ".packed.nc.0123456789abcdef.frazil-part"
    own = scene.shared / word
    own.write_bytes(b"precious")
    give(own, VICTIM)
    lock = scene.shared / ".packed.nc.frazil-lock"
    lock.write_text(f"{word}\n../home/data.nc\n")
    give(lock, STRANGER, 0o666)
    for user in (VICTIM, 0):
        scene.run("pack", data, "-o", scene.shared / "packed.nc", "--overwrite", user=user)
        assert own.read_bytes() == b"precious" and data.exists()
