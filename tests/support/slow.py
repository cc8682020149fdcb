"""Runs the command on files that are slow to read or write, never come back, or are damaged."""

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from support.command import ROOT, start

SOURCE = ROOT / "tests/signals/slow.c"
FOR_EVER = -1


@cache
def preloaded() -> Path:
    """The library, compiled when first asked for."""
    folder = Path(tempfile.mkdtemp(prefix="frazil-slow-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    compiler = os.environ.get("CC", "cc")
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    library = folder / "slow.so"
    command = [compiler, *flags, "-o", str(library), str(SOURCE), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return library


def environment(**settings: object) -> dict[str, str]:
    """The environment of a program whose files behave so."""
    extra = {f"FRAZIL_TEST_{name.upper()}": str(value) for name, value in settings.items()}
    return {**os.environ, "LD_PRELOAD": str(preloaded()), **extra}


def begin(*arguments: object, call: str, milliseconds: int, **options: object) -> subprocess.Popen:
    """Starts the command and waits until it makes the first of the slow calls."""
    mark = Path(tempfile.mkdtemp(dir=preloaded().parent)) / "mark"
    env = environment(call=call, mark=mark, ms=milliseconds)
    process = start(*arguments, env=env, **options)
    deadline = time.monotonic() + 60
    while not mark.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(f"no slow call: {process.communicate()}")
        time.sleep(0.005)
    return process
