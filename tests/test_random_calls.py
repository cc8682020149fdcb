"""Random sequences of netCDF's calls, with frazil and with netCDF-C.

Every status, every output and the files are compared. One side is the drop-in library, the other
the netCDF-C that came with the Python package. What they do differently on purpose is listed in
`docs/unmodified_programs.md`; the generator leaves it out, and the faults of netCDF-C, each where
it says so.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import ROOT
from support.netcdf_calls import Calls, File, stock_library
from support.sampling import FULL, seed

BUILT = Path(os.environ.get("FRAZIL_NETCDF", ROOT / ".build/netcdf"))
LIBFRAZIL = Path(os.environ.get("FRAZIL_LIB", ROOT / ".build/lib")) / "libfrazil.so"
PARTS = 4
SEQUENCES = 1500 if FULL else 60
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


def made(path: Path, calls: Calls, home: int) -> list:
    """What is said when a variable of a group gets a dimension of another one, `a`, and values."""
    root = calls.ints("create", 1, str(path).encode(), 0x1000)[1]
    groups = [root, *(calls.ints("def_grp", 1, root, name)[1] for name in (b"a", b"b"))]
    sizes = ((groups[0], b"r", 2), (groups[1], b"x", 3))
    ids = [
        calls.ints("def_dim", 1, id_, name, ctypes.c_size_t(size))[1] for id_, name, size in sizes
    ]
    axes = (ctypes.c_int * 2)(*ids)
    said = [calls.ints("def_var", 1, groups[home], b"v", 4, 2, axes)]
    said.append(calls.ints("inq_var", 1, groups[home], 0, None, None, None, axes))
    said.append(list(axes))
    said += [
        calls("enddef", root),
        calls("put_var_int", groups[home], 0, (ctypes.c_int * 6)(*range(6))),
    ]
    return [*said, calls("close", root)]


def test_a_variable_may_have_a_dimension_of_any_group(tmp_path: Path):
    """Also of one below its own, where netCDF-C fails when define mode ends (`NC_EDIMSCALE`)."""
    ours, stock = Calls(LIBFRAZIL, "frz_"), Calls(stock_library())
    paths = [tmp_path / name for name in ("ours.nc", "netcdf-c.nc", "below.nc", "failed.nc")]
    assert made(paths[0], ours, 2) == made(paths[1], stock, 2)
    assert made(paths[2], ours, 0) == made(paths[0], ours, 2)
    assert made(paths[3], stock, 0)[3] == -124
    found = []
    for path, home in zip(paths[:3], (2, 2, 0), strict=True):
        file = File(stock, path)
        values, group = (ctypes.c_int * 6)(), stock.numbers("inq_grps", file.root)[1]
        id_ = group if home else file.root
        assert stock("get_var_int", id_, 0, values) == 0 and list(values) == list(range(6))
        names = [file.dimension(id_, axis)[1:] for axis in (0, 1)]
        assert names == [(b"r", 2), (b"x", 3)]
        found.append([one for one in file.inventory() if one[0] != "extended"])
        assert file.close() == 0
    assert found[0] == found[1]
