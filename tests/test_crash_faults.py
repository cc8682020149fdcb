"""A full disk, an exhausted quota and a failing medium at every change that a writer makes: the
error is reported and lasts, the last commit stays readable, nothing strange is left behind.

FRAZIL_FULL=1 tries all errors at every change.
"""

import errno
from itertools import cycle
from pathlib import Path

import pytest
from crash.program import DATA, JOURNAL, LOCK, Fault, Run
from crash.readers import check, inspect
from support.sampling import FULL

pytestmark = pytest.mark.sampled(one_in=4)

ERRORS = [errno.ENOSPC, errno.EDQUOT, errno.EIO]
# Statuses of frazil.h.
NO_SPACE, IO = 6, 5
STATUS = {errno.ENOSPC: NO_SPACE, errno.EDQUOT: NO_SPACE, errno.EIO: IO}


def _is_harmless(call: str, name: str) -> bool:
    """Whether the writer can do without: the note that only helps recovery, and the removal of its
    lock, which is no lock any more."""
    return (call, name) == ("unlink", LOCK) or (call == "write" and name == JOURNAL)


def _check_errors(run: Run, fault: Fault) -> None:
    """The first error names file and cause, and all calls after it fail."""
    errors = [line.split() for line in run.printed if line.startswith("error ")]
    first = run.printed.index(" ".join(errors[0]))
    # Calls between them may fail for their arguments: what they need is missing.
    assert int(errors[0][2]) == int(errors[-1][2]) == STATUS[fault.error], errors
    file, cause = run.printed[first + 1].removeprefix("because ").split("|", 1)
    assert file == str(run.path) and cause
    after = run.printed[first + 2 :]
    assert all(line.startswith("error ") for line in after), f"calls go on: {after}"
    assert errors[-1][1] in ("open", "close"), "the end does not say so"


def _check_left_behind(run: Run, fault: Fault) -> None:
    allowed = {DATA, JOURNAL}
    if fault.error == errno.EIO:
        # What cannot be removed stays.
        allowed |= run.temporary
    assert run.files <= allowed, run.files


def _check_final(run: Run, at: int) -> None:
    """After a failed fsync the writer leaves the file alone."""
    after = [(call, name) for call, name, _ in run.calls[at:] if name == DATA]
    assert set(after) <= {("unlink", DATA)}, after


def _check(run: Run, fault: Fault) -> bool:
    """Whether there was an error."""
    assert run.code in (0, 1), f"ended by {run.code}: {run.printed[-3:]}"
    call, name, _ = run.calls[fault.at - 1]
    if run.code == 0:
        is_spared = call == "unlink" and fault.error != errno.EIO
        assert is_spared or _is_harmless(call, name), f"{call} {name} failed without an error"
        check(run.path, run.orders, run.orders["records"], run.orders["records"])
        return False
    _check_errors(run, fault)
    _check_left_behind(run, fault)
    if call == "fsync" and name == DATA:
        _check_final(run, fault.at)
    inspect(run)
    return True


@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("durable", [0, 1], ids=["quick", "durable"])
def test_errors_at_every_change(tmp_path: Path, durable: int, is_lasting: bool):
    orders = {"records": 3, "durable": durable, "own_chunks": 1}
    whole = Run(tmp_path / "whole", orders).run()
    assert whole.code == 0
    changes, errors, reported = len(whole.calls), cycle(ERRORS), 0
    for at in range(1, changes + 1):
        for error in ERRORS if FULL else [next(errors)]:
            fault = Fault(at, "fail", error, is_lasting)
            run = Run(tmp_path / f"fault{at}", orders)
            print(f"{errno.errorcode[error]} at change {at}: {whole.calls[at - 1]}")
            run.run(fault, timeout=30)
            reported += _check(run, fault)
            run.forget()
    print(f"{changes} changes, {reported} errors reported")
    assert reported > changes / 2
