"""The simulation behind docs/scaling.md: what must hold for any costs, and the kept rows."""

import sys
from dataclasses import replace

import pytest
from support.command import ROOT

pytest.importorskip("simpy")
sys.path.insert(0, str(ROOT / "bench"))
from record import read
from scaling_model import Costs, Job, Machine, simulate, simulate_files

RESULTS = ROOT / "bench/results"
COSTS = Costs(
    pack_per_byte=5e-9,
    ratio=4.0,
    copy_per_byte=0.25e-9,
    exchange_per_byte=4e-9,
    placer_step=1e-4,
    placer_message=4e-6,
    placer_chunk=1e-6,
    steps=4,
    step_wait=5e-4,
    message_bytes=12,
    chunk_bytes_in=17,
    chunk_bytes_out=7,
    open_close=0.02,
)
HERE = Machine(1, 1)
CLUSTER = Machine(128, 128, link_bytes=25e9, file_system_bytes=200e9, servers=128, latency=2e-6)


def test_one_rank_takes_the_sum_of_its_steps():
    found = simulate(COSTS, HERE, Job(1, 1e9, 1000))
    conferring = 4 * (1e-4 + 5e-4) + 1000 * 1e-6
    assert found.seconds == pytest.approx(5.0 + 0.25e-9 * 0.25e9 + conferring + 0.02)
    assert found.messages == 0


def test_ranks_share_cores_and_bytes():
    job = Job(4, 1e9, 1000)
    four = simulate(COSTS, Machine(4, 4), job).packed
    two = simulate(COSTS, Machine(2, 4), job).packed
    assert four == pytest.approx(5.0 / 4, rel=0.05)
    assert two == pytest.approx(5.0 / 2, rel=0.05)


def test_every_rank_speaks_in_every_step():
    assert simulate(COSTS, CLUSTER, Job(300, 1e9, 3000)).messages == 2 * 4 * 299
    # Three batches more.
    assert simulate(COSTS, CLUSTER, Job(10, 1e9, 250_000)).messages == 2 * 7 * 9


def test_shared_chunks_cost_their_exchange():
    job = Job(4, 1e9, 1000)
    shared = simulate(COSTS, Machine(4, 4), replace(job, is_shared=True)).packed
    own = simulate(COSTS, Machine(4, 4), job).packed
    assert shared - own == pytest.approx(4e-9 * 0.25e9 * 3 / 4)


def test_a_placer_that_is_too_slow_sets_the_pace():
    costs = replace(COSTS, placer_message=1e-3)
    job = Job(1024, 1e9, 1024)
    one = simulate(costs, CLUSTER, job)
    assert one.placer > 0.9 * one.seconds
    assert one.placer == pytest.approx(2 * 4 * 1023e-3 + 4e-4 + 1024e-6)
    several = simulate(costs, CLUSTER, replace(job, placers=32))
    assert several.seconds < one.seconds / 8
    assert several.messages == 2 * 4 * 31
    assert simulate_files(costs, CLUSTER, job, 32).seconds < one.seconds / 8


def test_chunks_stay_with_the_one_that_has_the_index():
    costs = replace(COSTS, placer_chunk=1e-4)
    job = Job(256, 1e9, 50_000)
    one, several = (simulate(costs, CLUSTER, replace(job, placers=n)).seconds for n in (1, 16))
    assert several > 5.0
    assert several == pytest.approx(one, rel=0.01)


@pytest.mark.parametrize("is_early", [True, False])
def test_no_byte_is_faster_than_the_file_system(is_early):
    slow = replace(CLUSTER, file_system_bytes=1e9, servers=8)
    job = Job(256, 20e9, 4096, writes_while_packing=is_early)
    found = simulate(COSTS, slow, job)
    assert found.seconds > 20e9 / COSTS.ratio / 1e9
    quick = simulate(COSTS, CLUSTER, job)
    assert quick.seconds < found.seconds


@pytest.mark.parametrize("predictions", sorted(RESULTS.glob("scaling-predicted-*.csv")))
def test_kept_predictions_are_those_of_the_same_machines_kept_costs(predictions):
    from scaling import predict
    from scaling_costs import costs_of

    costs = predictions.with_name(predictions.name.replace("-predicted-", "-costs-", 1))
    found = list(predict(costs_of(read(costs)), (128, 512)))
    expected = [row for row in read(predictions) if row["ranks"] in ("128", "512")]
    texts = [{key: str(value) for key, value in row.items()} for row in found]
    assert texts == expected, f"{predictions.name}: run make scaling"
