"""What the benchmark of many ranks takes for right, and what it judges."""

import sys

import numpy as np
import pytest
from support.command import ROOT

sys.path.insert(0, str(ROOT / "bench"))
from mpi_programs import FRAZIL, OPEN_MPI, PARALLEL, SERIAL
from mpi_ways import DEFAULT, ROUNDED, Data, Way, is_right

from mpi import Judge, row_of

TRUTH = np.linspace(200, 320, 24, dtype="f4").reshape(2, 3, 2, 2)


def test_lossless_is_every_bit():
    changed = TRUTH.copy()
    changed[1, 2, 1, 1] = np.nextafter(changed[1, 2, 1, 1], np.float32(0))
    assert is_right(TRUTH, TRUTH.copy(), "deflate1")
    assert not is_right(TRUTH, changed, "deflate1")
    assert not is_right(TRUTH, TRUTH[:1], "deflate1")


@pytest.mark.parametrize(("share", "expected"), [(0.004, True), (0.006, False)])
def test_three_digits(share, expected):
    changed = TRUTH.copy()
    changed[0, 0, 0, 0] *= 1 + share
    assert is_right(TRUTH, changed, "deflate1+gbr3") is expected


@pytest.mark.parametrize(("steps", "expected"), [(0.49, True), (0.6, False)])
def test_nbits_is_half_a_step_of_the_records_own_range(steps, expected):
    step = (TRUTH[0].max() - TRUTH[0].min()) / (2**6 - 1)
    changed = TRUTH.copy()
    changed[0, 1, 0, 0] += steps * step
    assert is_right(TRUTH, changed, "deflate1+nbits6") is expected


def way(writer: str, ranks: int, wall: float, size: int = 1000) -> Way:
    data = Data("gfs", ROOT, 1, 1, (1, 8, 8), 2, (DEFAULT,))
    times = [{"put": wall, "wall": wall, "cpu": wall, "memory_kib": 0.0}]
    return Way(data, OPEN_MPI, writer, ranks, DEFAULT, ROUNDED, times=times, output_bytes=size)


def judged(cores: int, ours: float, size: int = 1000) -> dict[str, object]:
    mine = way(FRAZIL, 4, ours, size)
    others = [way(SERIAL, 1, 12.0), way(PARALLEL, 4, 4.0), way(PARALLEL, 1, 13.0)]
    return row_of(mine, Judge([*others, way(FRAZIL, 1, 3.6), mine], {}, cores))


def test_four_ranks_on_four_cores_are_wanted_twelve_times():
    row = judged(4, 1.0)
    assert (row["times_serial"], row["times_parallel"], row["missed"]) == (12.0, 4.0, "")
    assert row["efficiency"] == 0.9
    assert judged(4, 1.1)["missed"] == "serial"
    assert judged(4, 1.4)["missed"] == "parallel and serial"
    assert judged(4, 1.0, 1011)["missed"] == "size"


def test_fewer_cores_are_asked_by_core():
    row = judged(2, 1.3)
    assert (row["cores_used"], row["per_core"], row["missed"]) == (2, 4.62, "")
    assert judged(2, 2.1)["missed"] == "parallel and serial"
