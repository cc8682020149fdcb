"""Stops early without a built command; sums up what was seen over the corpus."""

import os
from collections import Counter

# Filter plugins must find h5py's libhdf5 before netCDF4 brings its own into the process.
import hdf5plugin  # noqa: F401
import pytest
from support import sampling
from support.command import BINARY


def pytest_report_header() -> str:
    if sampling.FULL:
        return "all tests"
    return f"sampled tests: FRAZIL_TEST_SEED={sampling.seed()}; all of them with FRAZIL_FULL=1"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: every third second, a test waits for a server, a disk or a time limit."""
    return 2 * len(os.sched_getaffinity(0))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Who names a test wants it.
    is_named = any("::" in word for word in config.args)
    if not (sampling.FULL or is_named):
        items[:], rests = sampling.split(items, sampling.seed())
        config.hook.pytest_deselected(items=rests)


def pytest_configure() -> None:
    if not BINARY.exists():
        pytest.exit(f"{BINARY} is missing: run 'make build' (or set FRAZIL_BIN)", returncode=2)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many corpus files were packed and refused, and how many each reader compared."""
    counts: Counter[str] = Counter()
    refused: list[str] = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            for key, value in getattr(report, "user_properties", []):
                if key == "corpus" and report.when == "call":
                    counts[value] += 1
                elif key == "refused" and report.when == "call":
                    refused.append(value)
    if not counts:
        return
    terminalreporter.section("corpus")
    for what, count in sorted(counts.items()):
        terminalreporter.write_line(f"{count:5} {what}")
    for line in sorted(refused):
        terminalreporter.write_line(f"      refused: {line}")
