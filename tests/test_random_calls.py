"""Random sequences of netCDF's calls, with frazil and with netCDF-C.

Every status, every output and the files are compared. One side is the drop-in library, the other
the netCDF-C that came with the Python package. What they do differently on purpose is listed in
`docs/unmodified_programs.md`; the generator leaves it out, and the faults of netCDF-C, each where
it says so.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import ROOT
from support.sampling import FULL, seed

BUILT = Path(os.environ.get("FRAZIL_NETCDF", ROOT / ".build/netcdf"))
LIBFRAZIL = Path(os.environ.get("FRAZIL_LIB", ROOT / ".build/lib")) / "libfrazil.so"
PARTS = 4
SEQUENCES = 1500 if FULL else 100
# A push repeats sequences without a difference: one in some thousand still has one.
# `make test-full` draws others.
SEED = os.environ.get("FRAZIL_RANDOM_SEED", seed() if FULL else "frazil")
# One sequence only, to repeat what has failed.
ONLY = os.environ.get("FRAZIL_RANDOM_SEQUENCE")


@pytest.mark.parametrize("part", range(1 if ONLY else PARTS))
def test_random_calls_do_the_same(tmp_path: Path, part: int):
    if not (BUILT / "libnetcdf.so").exists():
        pytest.fail(f"{BUILT}/libnetcdf.so is missing: run 'make netcdf' (or set FRAZIL_NETCDF)")
    print(f"FRAZIL_RANDOM_SEED={SEED}")
    first, count = (int(ONLY), 1) if ONLY else (part * SEQUENCES, SEQUENCES)
    # In a process of its own: a fault of netCDF-C's may end it.
    done = subprocess.run(
        [sys.executable, "-m", "support.random_runs", SEED, str(first), str(count), tmp_path],
        cwd=ROOT / "tests",
        env={
            **os.environ,
            "FRAZIL_RUN_LIBRARY": str(LIBFRAZIL),
            "FRAZIL_NETCDF": str(BUILT / "libnetcdf.so"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    last = lines[-1] if lines else {"sequence": first}
    again = (
        f"FRAZIL_RANDOM_SEED={SEED} FRAZIL_RANDOM_SEQUENCE={last['sequence']} "
        "python -m pytest tests/test_random_calls.py"
    )
    assert done.returncode == 0, f"{done.stderr}\nThe process ended; to repeat it: {again}"
    assert "different" not in last, "\n".join([last["different"], *last["calls"], again])
    equal, faulty, taken = last["equal"], last["faulty"], last["taken"]
    assert equal + faulty == count
    # Else the generator is stuck in what netCDF-C does wrong, or frazil writes nothing.
    assert ONLY or (faulty < count / 2 and taken > count / 2), last
