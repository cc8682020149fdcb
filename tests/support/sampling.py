"""Which tests run with each change, where a module has so many that a part of them is enough.

A module that says `pytestmark = pytest.mark.sampled(one_in=4)` runs one in four of its tests,
others with each commit. With `FRAZIL_FULL=1` (`make test-full`), all of them run.
"""

import os
import subprocess
import zlib

import pytest

from .command import ROOT

# All that there is, however long it takes.
FULL = os.environ.get("FRAZIL_FULL", "0") not in ("", "0")


def seed() -> str:
    """Of this commit, or as stated in FRAZIL_TEST_SEED."""
    if stated := os.environ.get("FRAZIL_TEST_SEED"):
        return stated
    words = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    return found.stdout.strip()[:12] or "0"


def split(items: list[pytest.Item], of: str) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Those that run and those that do not, for a seed."""
    runs: list[pytest.Item] = []
    rests: list[pytest.Item] = []
    for item in items:
        marker = item.get_closest_marker("sampled")
        one_in = marker.kwargs["one_in"] if marker else 1
        # The name without its folder, so that it does not matter where pytest is started.
        drawn = zlib.crc32(f"{of} {item.name}".encode()) % one_in == 0
        (runs if drawn else rests).append(item)
    return runs, rests
