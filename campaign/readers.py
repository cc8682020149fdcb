"""Threads and forked processes read a file that another process changes all the time."""

import json
import os
import random
import signal
import threading
import time
import traceback
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import h5py
import netCDF4
import numpy as np

from campaign import blame, judge

THREADS, FORKS, SECONDS = 16, 3, 1.5
SHAPE = (40, 500)
# Of a program that has the file open for longer than this, readers cannot know that it goes on.
PATIENCE = 0.15


def _version(path: Path, number: int) -> None:
    """A file all of whose values are `number`, at `path` at once."""
    new = path.with_suffix(f".{os.getpid()}")
    with netCDF4.Dataset(new, "w") as file:
        file.createDimension("y", SHAPE[0])
        file.createDimension("x", SHAPE[1])
        variable = file.createVariable("v", "f4", ("y", "x"), zlib=True, chunksizes=(5, 50))
        variable[:] = float(number)
    new.replace(path)


def _replace(path: Path, end: float) -> None:
    number = 1
    while time.time() < end:
        _version(path, number)
        number += 1


def _edit(path: Path, end: float) -> None:
    """Changes the file itself; notes when it was slow, so that mixtures mean nothing."""
    number = 1
    with path.with_name("slow").open("a") as slow:
        while time.time() < end:
            began = time.monotonic()
            with h5py.File(path, "r+") as file:
                file["v"][:] = float(number)
            if (ended := time.monotonic()) > began + PATIENCE:
                print(began, ended, file=slow)
            number += 1
            time.sleep(0.05)


def _append(path: Path, end: float) -> None:
    """frazil's own writer: a record at a time, each of one number."""
    import frazil

    with frazil.Writer(path) as writer:
        writer.add_dimension("y", None)
        writer.add_dimension("x", SHAPE[1])
        variable = writer.add_variable("v", "f4", ("y", "x"))
        record = 0
        while time.time() < end:
            variable[record] = np.full(SHAPE[1], float(record), "f4")
            writer.sync()
            record += 1


WRITERS = {"replace": _replace, "edit": _edit, "append": _append}


@dataclass(frozen=True)
class Mixture:
    """What a read saw that no version of the file is, and when."""

    began: float
    ended: float
    words: str


def _read(path: Path, end: float, seed: int, kind: str, found: list[Mixture]) -> int:
    import frazil

    chance, reads = random.Random(seed), 0
    while time.time() < end:
        # What was read since then may be kept.
        began = time.monotonic()
        try:
            with frazil.open(path) as file:
                for _ in range(chance.randrange(1, 4)):
                    values = _some(file["v"], chance)
                    reads += 1
                    if words := _mixed(values, kind):
                        found.append(Mixture(began, time.monotonic(), words))
        except (OSError, frazil.Error, KeyError):
            # It says that the file is another one now, or finds none for a moment.
            continue
    return reads


def _some(variable, chance: random.Random) -> np.ndarray:
    rows = variable.shape[0]
    first = chance.randrange(max(rows - 1, 1))
    return np.asarray(variable[first : first + chance.randrange(1, 30)])


def _mixed(values: np.ndarray, kind: str) -> str:
    if values.size == 0:
        return ""
    if kind == "append":
        # Every record is of one number, and follows the one before.
        firsts = values[:, 0]
        is_right = (values == firsts[:, None]).all() and (np.diff(firsts) == 1).all()
        return "" if is_right else f"records {firsts[:5]}"
    low, high = values.min(), values.max()
    return "" if low == high else f"{low} and {high}"


def _child(work) -> int:
    """A forked process that ends with what `work` returns."""
    process = os.fork()
    if process == 0:
        try:
            status = work()
        except Exception:
            traceback.print_exc()
            status = 1
        os._exit(status)
    return process


def _forked_reader(path: Path, end: float, seed: int, kind: str) -> int:
    found: list[Mixture] = []
    _read(path, end, seed, kind, found)
    told = path.with_name(f"fork-{os.getpid()}")
    told.write_text(json.dumps([[one.began, one.ended, one.words] for one in found]))
    return 0


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """A mixture of two versions is a fault; an error that says so is none."""
    if find_spec("frazil") is None:
        return judge.Verdict("no package frazil")
    # What a fork finds half imported stays so.
    import frazil  # noqa: F401

    path = folder / "changing.nc"
    kind = list(WRITERS)[seed % len(WRITERS)]
    if kind != "append":
        _version(path, 0)
    end = time.time() + SECONDS
    writer = _child(lambda: WRITERS[kind](path, end) or 0)
    found, reads, fault = _all_read(path, end, seed, kind)
    fault = fault or _fault_of(_end_of(writer))
    details = {"reads": reads, "kind": kind}
    if fault:
        return judge.Verdict(fault, "", True, details)
    judged = [one for one in found if not _is_excused(one, folder / "slow")]
    if judged:
        return judge.Verdict("mixture", judged[0].words, True, details)
    return judge.Verdict("excused" if found else "fine", "", False, details)


def _all_read(path: Path, end: float, seed: int, kind: str) -> tuple[list[Mixture], int, str]:
    """Threads and forked processes read; what they saw, how often they read, and what failed."""
    found: list[Mixture] = []
    counts = [0] * THREADS

    def work(number: int) -> None:
        counts[number] = _read(path, end, seed * THREADS + number, kind, found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    # Forks while all threads read.
    forks = []
    for number in range(FORKS):
        forks.append(_child(lambda n=number: _forked_reader(path, end, seed + n, kind)))
        time.sleep(0.1)
    for thread in threads:
        thread.join(timeout=6 * judge.SECONDS)
    faults = [_fault_of(_end_of(process)) for process in forks]
    if any(thread.is_alive() for thread in threads):
        faults.append("a thread hangs")
    for told in path.parent.glob("fork-*"):
        found += [Mixture(*one) for one in json.loads(told.read_text())]
    return found, sum(counts), next(filter(None, faults), "")


def _fault_of(status: int | str) -> str:
    if isinstance(status, str):
        return f"a forked process hangs: {status}"
    return f"a forked process ends with {status}" if status else ""


def _is_excused(mixture: Mixture, slow: Path) -> bool:
    """Whether a writer was too slow meanwhile to be told from one that is done."""
    if not slow.exists():
        return False
    times = [list(map(float, line.split())) for line in slow.read_text().splitlines()]
    return any(began < mixture.ended and mixture.began < ended for began, ended in times)


def _end_of(process: int, seconds: float = 6 * judge.SECONDS) -> int | str:
    """How it ended; where it was if it did not."""
    end = time.time() + seconds
    while time.time() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    where = blame.of_hang(process)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return where
