"""What a sync per record costs, and how much memory a writer takes.

FRAZIL_FULL=1 writes a GiB under a small budget.
"""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from crash.program import DATA, Run
from support.command import tool
from support.sampling import FULL

MIB = 1 << 20


def _bulk(folder: Path, **orders: int) -> Run:
    run = Run(folder, orders)
    run.finish(run.start(program="bulk"), timeout=300)
    assert run.code == 0, run.printed
    return run


def _written(run: Run, name: str) -> int:
    return sum(size for call, file, size in run.calls if call == "write" and file == name)


# Shapes of a small regional model, of a single column's surroundings, and of a coarse global one.
@pytest.mark.parametrize("shape", [(10, 96, 192), (5, 20, 30), (3, 45, 90)], ids=str)
def test_a_sync_per_record_is_cheap(tmp_path: Path, shape: tuple[int, int, int]):
    levels, rows, columns = shape
    orders = {"records": 30, "levels": levels, "rows": rows, "columns": columns}
    once = _bulk(tmp_path / "once", **orders)
    each = _bulk(tmp_path / "each", **orders, every=1)
    with h5py.File(once.path) as a, h5py.File(each.path) as b:
        for name in a:
            assert np.array_equal(a[name][()], b[name][()]), name
        chunks = {name: (a[name].chunks, b[name].chunks) for name in a if a[name].chunks}
    final = each.path.stat().st_size
    is_tiny = final < 60 * MIB // 30
    chunk_bytes = each.count("stored")
    written = _written(each, DATA)
    growth = final / once.path.stat().st_size
    journal = sum(_written(each, name) for name in {name for _, name, _ in each.calls} - {DATA})
    print(f"{shape}: raw {each.count('raw')}, values {chunk_bytes}, file {final} bytes")
    print(f"  file {growth:.3f} of the unsynced one ({once.path.stat().st_size})")
    print(f"  written {written / final:.3f} of the file, and {journal / final:.3f} as journals")
    print(f"  unsynced: written {_written(once, DATA) / once.path.stat().st_size:.3f}")
    print(f"  chunks {chunks}")
    assert written <= 2.5 * final
    # Records of some kilobytes are outweighed by the books that are kept of them.
    assert is_tiny or written + journal <= 2.5 * final
    assert growth <= 1.05


def test_memory_stays_within_the_budget(tmp_path: Path):
    budget, records = 64 * MIB, 128
    columns = (2 * MIB if FULL else MIB // 2) + 1000
    orders = {"records": records, "columns": columns, "strips": 500, "memory": budget}
    run = _bulk(tmp_path / "run", **orders, passes=2)
    peak = run.count("peak")
    print(f"peak {peak / MIB:.1f} MiB for {run.count('raw') / MIB:.0f} MiB of values")
    print(f"  {run.count('spilled') / MIB:.0f} MiB spilled, {run.count('chunks')} chunks")
    assert run.count("raw") == records * columns * 4
    assert run.count("spilled") > budget, "most chunks fitted into memory: this proves nothing"
    assert budget / 2 < peak <= budget + 64 * MIB
    _check_strips(run.path, records, columns)
    assert tool("ncdump", "-h", run.path).returncode == 0


def _check_strips(path: Path, records: int, columns: int) -> None:
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        across = np.arange(columns, dtype="f4") * np.float32(0.5)
        for record in range(records):
            wanted = across + np.float32(record * 1000.0)
            assert np.array_equal(file["strips"][record], wanted), record
