"""Hostile neighbours: another user plants links, pipes and files, and acts while frazil works."""

import contextlib
import os
import random
import shutil
import signal
import time
from pathlib import Path

from campaign import judge, seeds

# Numbers without a name serve as well.
VICTIM, STRANGER = 61001, 61002
NAMES = [
    ".out.nc.frazil-part", ".out.nc.frazil-lock", "out.nc.frazil-journal", "in.nc.frazil-journal",
    ".out.nc.frazil-journal-part", ".in.nc.frazil-part", ".in.nc.frazil-lock", "out.nc",
    ".out.nc.part-1",
]  # fmt: skip
KINDS = ["link", "hard link", "pipe", "folder", "bytes", "dangling", "nothing"]
COMMANDS = [
    ["info"], ["plan"], ["pack"], ["pack", "--overwrite"], ["pack", "--in-place"], ["unpack"],
    ["unpack", "--in-place"], ["recover"], ["analyze"],
]  # fmt: skip


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """The victim runs a command in a folder that is open to all, as /tmp is."""
    chance = random.Random(seed)
    seeds.make(made)
    is_root = os.geteuid() == 0
    victim, beside, binary = _scene(folder, is_root)
    source, target = beside / "in.nc", beside / "out.nc"
    shutil.copy(made / "netcdf4.nc", source)
    source.chmod(0o600)
    _give(source, VICTIM, is_root)
    name, kind, command = chance.choice(NAMES), chance.choice(KINDS), chance.choice(COMMANDS)
    _plant(kind, beside / name, victim, is_root)
    words = [binary, *command, source]
    if command[0] in ("pack", "unpack") and "--in-place" not in command:
        words += ["-o", target]
    before = judge.digest(victim)
    active = os.fork() if is_root and chance.random() < 0.6 else None
    if active == 0:
        _act(beside, victim, chance)
    who = {"user": VICTIM, "group": VICTIM, "extra_groups": []} if is_root else {}
    ended = judge.watched(*words, cwd=beside, umask=0o077, **who)
    details = {"name": name, "kind": kind, "command": " ".join(command), "active": bool(active)}
    has_read = active is not None and _stop(active)
    fault = _judge(ended, victim, before, folder, source, target)
    if has_read:
        fault = ("a stranger reads what is not done", "")
    if fault is not None:
        return judge.Verdict(*fault, True, details)
    what = "fine" if ended.code == 0 else "refused"
    return judge.Verdict(what, ended.said[-200:], False, details)


def _scene(folder: Path, is_root: bool) -> tuple[Path, Path, Path]:
    """A file of the victim's, a folder that is open to all, and a command that all may run."""
    folder.chmod(0o755)
    home, beside = folder / "home", folder / "work"
    home.mkdir(mode=0o755)
    beside.mkdir()
    beside.chmod(0o1777)
    victim = home / "victim"
    victim.write_bytes(b"nobody's business" * 100)
    victim.chmod(0o600)
    for path in (home, victim):
        _give(path, VICTIM, is_root)
    if not is_root:
        return victim, beside, judge.BINARY
    return victim, beside, _command(folder)


def _command(folder: Path) -> Path:
    """The command where others may run it; one copy serves the whole campaign."""
    binary = folder.parent / f"frazil-campaign-command-{os.getpid()}"
    if not binary.exists():
        shutil.copy(judge.BINARY, binary)
        binary.chmod(0o755)
    return binary


def _give(path: Path, user: int, is_root: bool) -> None:
    if is_root:
        os.chown(path, user, user, follow_symlinks=False)


def _plant(kind: str, path: Path, victim: Path, is_root: bool) -> None:
    match kind:
        case "nothing":
            return
        case "link":
            path.symlink_to(victim)
        case "hard link":
            # Systems forbid it to strangers, or not.
            path.hardlink_to(victim)
            return
        case "dangling":
            path.symlink_to(victim.parent / "made")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(os.urandom(300))
    _give(path, STRANGER, is_root)


def _act(beside: Path, victim: Path, chance: random.Random) -> None:
    """The stranger: reads, replaces and removes what appears, until ended. Never returns."""
    os.setgroups([])
    os.setgid(STRANGER)
    os.setuid(STRANGER)
    status = 0
    signal.signal(signal.SIGTERM, lambda *_: os._exit(status))
    end = time.monotonic() + 6 * judge.SECONDS
    while time.monotonic() < end:
        for path in list(beside.iterdir()):
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == VICTIM and path.read_bytes():
                    status = 3
            with contextlib.suppress(OSError):
                path.rename(beside / "taken")
            with contextlib.suppress(OSError):
                path.unlink()
        with contextlib.suppress(OSError):
            (beside / chance.choice(NAMES)).symlink_to(victim)
    os._exit(status)


def _stop(process: int) -> bool:
    """Ends the stranger; whether it has read what it must not."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status) == 3


def _judge(ended, victim, before, folder, source, target) -> tuple[str, str] | None:
    said = ended.said[-300:]
    if ended.code is None:
        return "hang", ended.blamed
    if "panicked at" in said or ended.code in judge.CRASHES:
        return "crash", said
    if judge.digest(victim) != before or (folder / "home/made").exists():
        return "followed a planted link", said
    if ended.code == 0 and target.is_symlink() and target.lstat().st_uid != STRANGER:
        return "the output is no regular file", said
    if not source.is_file():
        return "the input is gone", said
    return None
