"""Writers that are killed, at random instants and at every change they make, keep every commit.

FRAZIL_FULL=1 kills ten times as often; FRAZIL_CRASH_SEED=N repeats one kill.
"""

import os
import random
import time
from pathlib import Path

import pytest
from crash.program import Fault, Run
from crash.readers import check, inspect
from support.sampling import FULL

pytestmark = pytest.mark.sampled(one_in=4)

KILLS, BATCHES = (2000 if FULL else 200), 8
OWN_KILLS = 400 if FULL else 40
REPLAYED = os.environ.get("FRAZIL_CRASH_SEED")
# Changes that a writer of the random kills makes in a second or less.
CALLS = 1500
# ... and one that commits by itself.
OWN_CALLS = 300


def _orders(dice: random.Random) -> dict[str, int]:
    return {
        "records": 1000,
        "every": dice.choice([1, 1, 2, 5]),
        "rewrites": dice.choice([0, 1, 1]),
        "strings": dice.choice([0, 0, 1]),
        "own_chunks": dice.choice([0, 1]),
        "threads": dice.choice([1, 2, 3]),
        "synchronous": dice.choice([0, 0, 0, 1]),
        "durable": dice.choice([0, 0, 1]),
    }


def _kill(run: Run, dice: random.Random) -> str:
    """Starts a writer and kills it: by the clock, or at a change that can be met again."""
    if dice.random() < 0.5:
        how = dice.choice(["kill", "half"])
        at = dice.randrange(1, CALLS)
        run.finish(run.start(Fault(at, how)))
        return f"{how} at change {at}"
    process = run.start()
    if dice.random() < 0.8:
        run.await_line(process)
    seconds = dice.uniform(0, 0.1)
    time.sleep(seconds)
    process.kill()
    run.finish(process)
    return f"after {seconds:.4f} s"


def _go_on(run: Run, records: int) -> None:
    """Another writer continues what was recovered."""
    orders = run.orders | {"first": records, "records": 3}
    more = run.continued(orders).run()
    assert more.code == 0, f"the file cannot be continued: {more.printed}"
    check(run.path, run.orders, records + 3, records + 3)


@pytest.mark.parametrize("batch", range(1 if REPLAYED else BATCHES))
def test_kills_at_random_instants(tmp_path: Path, batch: int):
    seeds = [int(REPLAYED)] if REPLAYED else range(batch, KILLS, BATCHES)
    journals, commits = 0, 0
    for seed in seeds:
        dice = random.Random(seed)
        run = Run(tmp_path / f"kill{seed}", _orders(dice))
        how = _kill(run, dice)
        print(f"FRAZIL_CRASH_SEED={seed}: {how}, {run.committed} committed, {run.orders}")
        assert run.is_killed, f"seed {seed}: {run.printed[-3:]}"
        records, has_journal = inspect(run, run.orders["every"])
        print(f"  {records} records, {'a' if has_journal else 'no'} journal")
        if seed % 4 == 0 and records:
            _go_on(run, records)
        commits += run.committed
        journals += has_journal
        run.forget()
    print(f"{len(seeds)} kills, {journals} with a journal, {commits} records committed")
    assert REPLAYED or commits > 10 * len(seeds), "hardly anything was committed"


def test_kills_between_commits_of_the_writers_own(tmp_path: Path):
    commits = journals = 0
    for seed in [int(REPLAYED)] if REPLAYED else range(OWN_KILLS):
        dice = random.Random(seed)
        orders = _orders(dice) | {"own_commits": 20_000, "own_chunks": 1}
        run = Run(tmp_path / f"own{seed}", orders)
        at, how = dice.randrange(1, OWN_CALLS), dice.choice(["kill", "half"])
        run.finish(run.start(Fault(at, how)))
        print(f"FRAZIL_CRASH_SEED={seed}: {how} at change {at}, {orders}")
        assert run.is_killed, run.printed[-3:]
        records, has_journal = inspect(run, orders["records"])
        print(f"  {records} records, {'a' if has_journal else 'no'} journal")
        commits += records > 0
        journals += has_journal
        run.forget()
    print(f"{commits} files with commits, {journals} with a journal")
    assert REPLAYED or (commits > OWN_KILLS / 2 and journals)


@pytest.mark.parametrize("how", ["kill", "half"])
@pytest.mark.parametrize(
    "orders",
    [
        {"durable": 0, "own_chunks": 1},
        {"durable": 1, "strings": 1},
        {"durable": 1, "own_chunks": 1, "synchronous": 1},
    ],
    ids=["quick", "durable", "synchronous"],
)
def test_stops_at_every_change(tmp_path: Path, orders: dict[str, int], how: str):
    orders = {"records": 3} | orders
    whole = Run(tmp_path / "whole", orders).run()
    assert whole.code == 0
    check(whole.path, orders, 3, 3)
    journals = 0
    for at, (call, name, size) in enumerate(whole.calls, start=1):
        if how == "half" and not size:
            continue
        run = Run(tmp_path / f"stop{at}", orders).run(Fault(at, how))
        print(f"{how} at {at}: {call} {name}, {run.committed} committed")
        assert run.is_killed
        _, has_journal = inspect(run)
        journals += has_journal
        run.forget()
    print(f"{len(whole.calls)} changes, {journals} with a journal")
    assert journals >= 10
