"""Runs the frazil command and stock tools."""

import json
import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))
SAMPLE = ROOT / "data/sample/squall_line_sample.nc"

# Exit codes of the command: 1 is also "different", 2 also "cannot compare".
DONE, FAILED, TROUBLE, INTERRUPTED = 0, 1, 2, 130


@dataclass
class Outcome:
    """How a run of the command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict:
        """What --json printed."""
        return json.loads(self.stdout)

    @property
    def errors(self) -> list[dict]:
        """The errors that --json printed."""
        return self.report["errors"]


def _limits(memory_bytes: int | None, file_bytes: int | None):
    def apply() -> None:
        if memory_bytes is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        if file_bytes is not None:
            # Writing past the limit then fails with EFBIG instead of killing the process.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    return apply


def start(*arguments: object, **options: object) -> subprocess.Popen:
    """A running frazil command."""
    command = [BINARY, *map(str, arguments)]
    # A shell makes what it starts in the background deaf to Ctrl-C.
    options.setdefault("preexec_fn", partial(signal.signal, signal.SIGINT, signal.SIG_DFL))
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def frazil(
    *arguments: object,
    timeout: float = 300,
    memory_bytes: int | None = None,
    file_bytes: int | None = None,
    **options: object,
) -> Outcome:
    """Runs the command to its end, within limits; raises `TimeoutExpired` if it hangs."""
    if memory_bytes is not None or file_bytes is not None:
        options["preexec_fn"] = _limits(memory_bytes, file_bytes)
    with start(*arguments, **options) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Outcome(process.returncode, stdout.decode(), stderr.decode(errors="replace"))


def pack(source: object, target: object, *options: object, **limits: object) -> Outcome:
    """Packs one file and expects that to work."""
    outcome = frazil("pack", source, "-o", target, *options, **limits)
    assert outcome.code == DONE, f"exit code {outcome.code}: {outcome.stderr}"
    return outcome


def tool(*command: object, timeout: float = 600) -> subprocess.CompletedProcess:
    """Runs a stock tool; its output stays bytes (dumps can be anything)."""
    words = [str(word) for word in command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
