"""Runs commands in turns and measures wall and CPU seconds, peak memory, size of the output."""

import mmap
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Contender:
    """One way to do a job. `command` gets the output path; `seconds` reads a time it prints."""

    name: str
    command: Callable[[Path], list[object]]
    threads: int = 1
    # A codec loop prints its own time and writes no file.
    reported_seconds: Callable[[str], float] | None = None
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    users: list[float] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)
    output_bytes: int = 0

    @property
    def wall(self) -> float:
        return statistics.median(self.walls)

    @property
    def cpu(self) -> float:
        return statistics.median(self.cpus)

    @property
    def user(self) -> float:
        """CPU seconds outside the system."""
        return statistics.median(self.users)

    @property
    def peak_mib(self) -> float:
        return statistics.median(self.peaks) / (1 << 20)


def memory_at_hand(wanted: int) -> None:
    """Fetches memory that a virtual machine has given back to its host, and frees it.

    Getting it again can take longer than writing it does: what ran before must not matter.
    """
    with mmap.mmap(-1, wanted) as memory:
        for start in range(0, wanted, mmap.PAGESIZE):
            memory[start] = 1


def run_once(contender: Contender, output: Path) -> None:
    """One measured run; the output is left for the caller."""
    output.unlink(missing_ok=True)
    command = [str(word) for word in contender.command(output)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = process.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ends with {process.returncode}:\n{text[-2000:]}")
    if contender.reported_seconds is not None:
        wall = contender.reported_seconds(text)
    contender.walls.append(wall)
    contender.cpus.append(usage.ru_utime + usage.ru_stime)
    contender.users.append(usage.ru_utime)
    # Linux counts kibibytes, macOS bytes.
    unit = 1 if os.uname().sysname == "Darwin" else 1024
    contender.peaks.append(usage.ru_maxrss * unit)
    if output.exists():
        contender.output_bytes = output.stat().st_size


def take_turns(
    contenders: list[Contender], repeats: int, folder: Path, check: Callable[[Path], None]
) -> None:
    """Every contender `repeats` times, in turns; the first output of each is checked."""
    for turn in range(repeats):
        for contender in contenders:
            output = folder / "output.nc"
            run_once(contender, output)
            if turn == 0 and output.exists():
                check(output)
            output.unlink(missing_ok=True)
            print(f"  {contender.name:34} {contender.walls[-1]:8.2f} s", flush=True)


def warm(path: Path) -> None:
    """Brings a file into the page cache."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Programs started within may use this many cores, and count as many."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def files_of(path: Path) -> list[Path]:
    """A file, or the files of a store that is a folder."""
    return [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else [path]
