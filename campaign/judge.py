"""Runs a command on a damaged or threatened file and says what is wrong with how it behaved."""

import hashlib
import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BINARY = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))

# What a run may take; the command itself is told to stay within a quarter of the memory.
SECONDS, MEMORY = 60, 1 << 30
CRASHES = {-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE}


@dataclass
class Verdict:
    """What came of one case."""

    what: str = "fine"
    """`fine`, `refused`, or the name of a fault."""
    words: str = ""
    is_fault: bool = False
    details: dict = field(default_factory=dict)


def digest(path: Path) -> str | None:
    """Tells a file's content; None if there is no file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*arguments: object, seconds: float = SECONDS, **options: object):
    """Runs to the end: exit code (None: it hung), what it said, most memory in bytes."""
    process = subprocess.Popen(
        list(map(str, arguments)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=_limits,
        **options,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, "", 0
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return process.returncode, said.decode(errors="replace"), peak


def reads_with_h5py(path: Path) -> str:
    """What h5py does with a file in its own process: `reads`, `refuses`, `crashes`, `hangs`."""
    walk = (
        "import sys, h5py\n"
        "def look(name, thing):\n"
        "    list(thing.attrs.items())\n"
        "    if isinstance(thing, h5py.Dataset) and 0 < (thing.size or 0) < 1 << 24:\n"
        "        thing[()]\n"
        "with h5py.File(sys.argv[1]) as file: file.visititems(look)\n"
    )
    code, _, _ = run(sys.executable, "-c", walk, path)
    if code is None:
        return "hangs"
    if code in CRASHES:
        return "crashes"
    return "reads" if code == 0 else "refuses"


def same_values(one: Path, other: Path) -> str:
    """How the values of two files differ by h5py; empty if they do not."""
    compare = (
        "import sys, h5py, numpy\n"
        "try: import hdf5plugin\n"
        "except ImportError: pass\n"
        "one, other = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])\n"
        "def look(name, thing):\n"
        "    if not isinstance(thing, h5py.Dataset) or thing.dtype.hasobject: return\n"
        "    if thing.size is None or thing.size > 1 << 24: return\n"
        "    a, b = thing[()], other[name][()]\n"
        "    if numpy.asarray(a).tobytes() != numpy.asarray(b).tobytes():\n"
        "        sys.exit(f'{name} differs')\n"
        "one.visititems(look)\n"
    )
    code, said, _ = run(sys.executable, "-c", compare, one, other)
    return "" if code == 0 else said.strip()[-300:]


def judged(code: int | None, said: str, source: Path, before: str | None, folder: Path) -> Verdict:
    """Judges how a command ended that read `source` and may write into `folder`."""
    if code is None:
        return _blamed("hang", source, said)
    if "panicked at" in said:
        return Verdict("panic", said[-500:], True)
    if code in CRASHES or code - 128 in {-one for one in CRASHES}:
        return _blamed("crash", source, said)
    if digest(source) != before:
        return Verdict("source changed", said[-300:], True)
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if left:
        return Verdict("left behind", " ".join(left), True)
    if code == 0:
        return Verdict()
    return Verdict("refused", said[-200:])


def _blamed(fault: str, source: Path, said: str) -> Verdict:
    """A crash or a hang; where h5py has it too it is libhdf5's."""
    by_h5py = reads_with_h5py(source)
    if by_h5py in ("crashes", "hangs"):
        return Verdict(f"{fault} inside libhdf5, as h5py's", said[-200:])
    return Verdict(fault, f"h5py {by_h5py} it. {said[-400:]}", True)
