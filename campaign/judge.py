"""Runs a command on a damaged or threatened file and says what is wrong with how it behaved."""

import hashlib
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from campaign import blame

ROOT = Path(__file__).resolve().parents[1]
BINARY = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))
PLUGINS = os.environ.get("FRAZIL_PLUGIN_PATH", str(ROOT / ".build/plugins"))

# A run takes milliseconds; the machine may be slow, and busy: see `_watch`.
SECONDS = 30
# Between two looks at a process.
LOOK_MS = 5
# What a process may take at all; what it is told to stay within; what it takes beside that.
ADDRESSES, BUDGET, BESIDE = 8 << 30, 64 << 20, 96 << 20
CRASHES = {-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE}
CONFINED = ["--threads", "2", "--memory", str(BUDGET)]


@dataclass
class Verdict:
    """What came of one case."""

    what: str = "fine"
    """`fine`, `refused`, or the name of a fault."""
    words: str = ""
    is_fault: bool = False
    details: dict = field(default_factory=dict)


@dataclass
class Run:
    """How a process ended."""

    code: int | None
    """None: it hung."""
    said: str
    peak: int
    """The most memory that it had resident, in bytes."""
    blamed: str = ""
    """What it was doing where it hung."""


def digest(path: Path) -> str | None:
    """Tells a file's content; None if there is no file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def limits(addresses: int = ADDRESSES):
    """What a child calls before it becomes the command."""

    def apply() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))

    return apply


def watched(*arguments: object, seconds: float = SECONDS, addresses=ADDRESSES, **options) -> Run:
    """Runs to the end, and notes what it took."""
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            list(map(str, arguments)), stdin=subprocess.DEVNULL, stdout=told,
            stderr=subprocess.STDOUT, preexec_fn=limits(addresses), **options,
        )  # fmt: skip
        ends, peak = _watch(process.pid, seconds)
        hangs = not ends
        blamed = blame.of_hang(process.pid) if hangs else ""
        if hangs:
            process.kill()
        process.wait()
        told.seek(0)
        said = told.read().decode(errors="replace")
    code = None if hangs else process.returncode
    return Run(code, said, peak, blamed)


def _watch(process: int, seconds: float) -> tuple[bool, int]:
    """Waits for a process: so long as it computes less than that, and does not idle for longer; on
    a busy machine both take their time. Whether it ends, and the most memory that it was seen with
    (what the system tells at the end includes that of the process which started it)."""
    watch = os.pidfd_open(process)
    try:
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        computed, since, peak = 0.0, time.monotonic(), 0
        while not poll.poll(LOOK_MS):
            peak = max(peak, _peak(process))
            if (now := _computed(process)) != computed:
                computed, since = now, time.monotonic()
            if computed > seconds or time.monotonic() > since + 3 * seconds:
                return bool(poll.poll(0)), peak
        return True, peak
    finally:
        os.close(watch)


def _peak(process: int) -> int:
    """The most memory that a process has had resident since it became what it is, in bytes."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _computed(process: int) -> float:
    """Seconds of processor time that a process has had."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(*arguments: object, seconds: float = SECONDS, **options: object):
    """Runs to the end: exit code (None: it hung), and what it said."""
    ended = watched(*arguments, seconds=seconds, **options)
    return ended.code, ended.said


def with_plugins() -> dict[str, str]:
    """The environment of a stock reader that finds frazil's plugins."""
    return {**os.environ, "HDF5_PLUGIN_PATH": PLUGINS}


def judged(
    words: list,
    ended: Run,
    source: Path,
    before: str | None,
    folder: Path,
    anew: Callable[[], list] | None = None,
) -> Verdict:
    """Judges how a command ended that read `source` and may write into `folder`. `anew` gives the
    words of the same command for a fresh copy of its input, with no output there yet."""
    said = ended.said
    if ended.code is None:
        return _blamed("hang", ended.blamed, source, said)
    if "panicked at" in said:
        return Verdict("panic", said[-500:], True)
    if ended.code in CRASHES:
        again = words if anew is None else anew()
        whose = blame.of_crash(list(map(str, again)), limits())
        return _blamed("crash", whose, source, said)
    if digest(source) != before:
        return Verdict("source changed", said[-300:], True)
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if left:
        return Verdict("left behind", " ".join(left), True)
    if ended.peak > BUDGET + BESIDE:
        return memory_of(anew or (lambda: words), ended)
    if ended.code == 0:
        return Verdict()
    return Verdict("refused", said[-200:])


def memory_of(anew: Callable[[], list], ended: Run) -> Verdict:
    """Where memory that exceeds the budget is taken: with less to be had, its taker gives up."""
    size = f"{ended.peak >> 20} MiB"
    again = watched(*anew(), addresses=ended.peak // 2 + (256 << 20))
    if again.code in CRASHES:
        lowered = limits(ended.peak // 2 + (256 << 20))
        whose = blame.of_crash(list(map(str, anew())), lowered)
    else:
        # Our own memory ends the process where there is none; libhdf5 says so and goes on.
        whose = "libhdf5: refuses with less" if again.code != 0 else "unknown"
    if whose.startswith("libhdf5"):
        return Verdict("memory inside libhdf5", f"{size}, {whose}")
    return Verdict("memory", f"{size}, {whose}", True)


def _blamed(fault: str, whose: str, source: Path, said: str) -> Verdict:
    """A crash or a hang: inside libhdf5's parser, netCDF-C's, or ours."""
    words = f"{whose}. {said[-300:]}"
    if whose.startswith(("libhdf5", "netCDF-C")):
        return Verdict(f"{fault} inside {whose.split(':')[0]}", words)
    if whose.startswith("own"):
        return Verdict(fault, words, True)
    by_h5py = reads_with_h5py(source)
    if by_h5py in ("crashes", "hangs"):
        return Verdict(f"{fault} inside libhdf5", f"as h5py's. {words}")
    return Verdict(fault, f"h5py {by_h5py} it. {words}", True)


def reads_with_h5py(path: Path) -> str:
    """What h5py does with a file in its own process: `reads`, `refuses`, `crashes`, `hangs`."""
    code, _ = run(sys.executable, "-m", "campaign.stock", path, cwd=ROOT, env=with_plugins())
    if code is None:
        return "hangs"
    if code in CRASHES:
        return "crashes"
    return "reads" if code == 0 else "refuses"


def difference(one: Path, other: Path) -> str:
    """How two files differ by stock readers; empty if they do not, or cannot be compared."""
    words = [sys.executable, "-m", "campaign.stock", one, other]
    code, said = run(*words, cwd=ROOT, env=with_plugins())
    return said.strip()[-300:] if code == DIFFERENT else ""


# How campaign.stock says that files differ.
DIFFERENT = 9
