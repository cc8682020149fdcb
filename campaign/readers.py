"""Threads and forked processes read a file that another process replaces all the time."""

import os
import random
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import netCDF4
import numpy as np

from campaign import judge

THREADS, SECONDS = 16, 1.0
SHAPE = (40, 500)


def _version(path: Path, number: int) -> None:
    """A file all of whose values are `number`, at `path` at once."""
    new = path.with_suffix(f".{os.getpid()}")
    with netCDF4.Dataset(new, "w") as file:
        file.createDimension("y", SHAPE[0])
        file.createDimension("x", SHAPE[1])
        variable = file.createVariable("v", "f4", ("y", "x"), zlib=True, chunksizes=(5, 50))
        variable[:] = float(number)
    new.replace(path)


def _replace_until(path: Path, end: float) -> None:
    number = 1
    while time.time() < end:
        _version(path, number)
        number += 1


def _read(path: Path, end: float, seed: int, faults: list[str]) -> int:
    import frazil

    chance, reads = random.Random(seed), 0
    while time.time() < end:
        first = chance.randrange(SHAPE[0] - 1)
        try:
            with frazil.open(path) as file:
                values = np.asarray(file["v"][first : first + chance.randrange(1, 30)])
        except (OSError, frazil.Error):
            # It says that the file is another one now, or finds none for a moment.
            continue
        reads += 1
        if values.size and values.min() != values.max():
            faults.append(f"mixture of {values.min()} and {values.max()}")
    return reads


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """A mixture of two versions is a fault; an error that says so is none."""
    if find_spec("frazil") is None:
        return judge.Verdict("no package frazil")
    path = folder / "changing.nc"
    _version(path, 0)
    end = time.time() + SECONDS
    writer = os.fork()
    if writer == 0:
        _replace_until(path, end)
        os._exit(0)
    faults: list[str] = []
    counts = [0] * THREADS

    def work(number: int) -> None:
        counts[number] = _read(path, end, seed * THREADS + number, faults)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    child = os.fork()
    if child == 0:
        own: list[str] = []
        _read(path, end, seed, own)
        os._exit(1 if own else 0)
    for thread in threads:
        thread.join(timeout=60)
    _, status = os.waitpid(child, 0)
    os.waitpid(writer, 0)
    if any(thread.is_alive() for thread in threads):
        return judge.Verdict("hang", "", True)
    if status != 0:
        faults.append(f"a forked reader ended with {status}")
    details = {"reads": sum(counts)}
    if faults:
        return judge.Verdict("mixture", faults[0], True, details)
    return judge.Verdict("fine", "", False, details)
