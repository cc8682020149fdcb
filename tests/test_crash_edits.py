"""Others at a file of a killed writer, and readers at one that is being written."""

import subprocess
import sys
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from crash.model import State
from crash.program import HERE, Fault, Run
from crash.readers import REFUSALS, by_h5py, by_netcdf4, differences
from support.command import frazil

pytestmark = pytest.mark.sampled(one_in=4)


def _killed(folder: Path, orders: dict[str, int]) -> list[Run]:
    """Writers that were killed at every change from the second commit on."""
    whole = Run(folder / "whole", orders).run()
    sealed = [i for i, call in enumerate(whole.calls) if call[0] == "rename"]
    runs = []
    for at in range(sealed[0] + 2, len(whole.calls) + 1):
        run = Run(folder / f"stop{at}", orders).run(Fault(at, "half" if at % 2 else "kill"))
        if run.committed:
            runs.append(run)
    return runs


def _edit(edit: str, runs: list[Run]) -> set[Path]:
    """The files that netCDF4 has edited."""
    left, edited = [run.path for run in runs], set()
    while left:
        command = [sys.executable, HERE / "edit.py", edit, *left]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
        tried = [Path(path) for what, path in lines if what == "try"]
        edited |= {Path(path) for what, path in lines if what == "done"}
        assert tried, done.stderr
        # A file that ends the process was not edited to the end.
        left = left[len(tried) :]
    return edited


def _without_edit(edit: str, path: Path) -> State:
    """What a file holds beside the edit, which must be there."""
    found = by_netcdf4(path)
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        if edit == "attribute":
            assert file.comment == "edited"
        elif edit == "variable":
            assert np.all(file["added"][:] == 7)
        else:
            assert file["time"][-1] == -1.0
            # Records of other variables are fill values there.
            for name, values in found.variables.items():
                if file[name].dimensions[:1] == ("time",):
                    found.variables[name] = values[:-1]
    return found


def _recover_edited(run: Run, edit: str) -> str:
    """Recovers a file that was edited: nothing may be lost."""
    had_journal = run.has_journal
    before = run.path.read_bytes()
    outcome = frazil("recover", "--json", run.path)
    if outcome.code:
        error = outcome.errors[0]
        assert had_journal and error["code"] == "corrupt" and error["cause"], error
        assert run.path.read_bytes() == before, "refused, and changed"
        assert run.has_journal, "refused, and the journal is gone"
        return "refused"
    found = _without_edit(edit, run.path)
    wrong = differences(found, run.orders)
    assert not wrong, f"{run.path}: {wrong}"
    assert run.committed <= found.attributes["records"] <= run.committed + 1
    return outcome.report["reports"][0]["outcome"]


@pytest.mark.parametrize("edit", ["attribute", "variable", "records"])
@pytest.mark.parametrize("durable", [0, 1], ids=["quick", "durable"])
def test_edits_after_a_kill_are_not_lost(tmp_path: Path, edit: str, durable: int):
    orders = {"records": 3, "durable": durable, "rewrites": 1}
    runs = _killed(tmp_path, orders)
    edited = _edit(edit, runs)
    seen: Counter[str] = Counter()
    for run in runs:
        journal = "journal" if run.has_journal else "no journal"
        if run.path in edited:
            seen[f"{journal}, edited: {_recover_edited(run, edit)}"] += 1
        else:
            assert run.has_journal, f"netCDF4 cannot edit {run.path}"
            seen[f"{journal}, not opened"] += 1
    for what, count in sorted(seen.items()):
        print(f"{count:4} {what}")
    assert any(what.startswith("journal, edited") for what in seen)
    assert any(what.startswith("no journal, edited") for what in seen)


@pytest.mark.parametrize("read", [by_h5py, by_netcdf4])
def test_readers_of_a_file_being_written_see_whole_commits(tmp_path: Path, read):
    orders = {"records": 1000, "pause": 150000, "rewrites": 1, "own_chunks": 1}
    run = Run(tmp_path / "run", orders)
    process = run.start()
    run.await_line(process)
    seen: Counter[str] = Counter()
    last, states = 0, set()
    # A process for each attempt: after a read that failed, netCDF-C keeps the file open and sees
    # what it saw before.
    with get_context("fork").Pool(1, maxtasksperchild=1) as attempts:
        # On a busy machine most attempts meet a commit: the writer has time for many.
        while len(states) < 10 and process.poll() is None:
            try:
                found = attempts.apply(read, [run.path])
                again = by_h5py(run.path).attributes["records"]
            except REFUSALS:
                seen["retried"] += 1
                continue
            # Readers that a commit overtakes must open the file again.
            if run.has_journal or again != found.attributes["records"]:
                seen["overtaken"] += 1
                continue
            wrong = differences(found, orders)
            assert not wrong, wrong
            assert again >= last, "a commit has gone"
            last = again
            states.add(again)
            seen["whole"] += 1
    process.kill()
    run.finish(process)
    print(f"{dict(seen)}, {len(states)} commits seen")
    assert run.is_killed, run.printed[-3:]
    assert len(states) >= 10
