"""``frazil.info(..., cloud=True)`` and ``frazil info --cloud``: what h5py and a server count."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
from support.command import frazil as command
from support.far import serving

SHAPE, CHUNK = (60, 64, 100), (5, 32, 100)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Chunks that lie far from each other, and whose index is behind the first request."""
    path = tmp_path / "file.h5"
    values = np.random.default_rng(1).random((60, 400_000), "f4")
    with h5py.File(path, "w") as file:
        made = file.create_dataset("v", SHAPE, "f4", chunks=CHUNK)
        between = file.create_dataset("between", values.shape, "f4", chunks=(1, 400_000))
        for step in range(0, 60, 5):
            made[step : step + 5] = step
            between[step : step + 5] = values[step : step + 5]
        file["run"] = np.zeros((4, 5, 6))
    return path


def joined(ranges: Iterable[tuple[int, int]], link: dict[str, int]) -> tuple[int, int]:
    """Requests and bytes: ranges that are near each other are one, long ones are cut."""
    runs: list[list[int]] = []
    for begin, end in sorted(ranges):
        if runs and begin - runs[-1][1] <= link["gap_bytes"]:
            runs[-1][1] = max(end, runs[-1][1])
        else:
            runs.append([begin, end])
    lengths = [end - begin for begin, end in runs]
    return sum(-(-length // link["request_bytes"]) for length in lengths), sum(lengths)


def places(path: Path, name: str, part: tuple[slice, ...]) -> list[tuple[int, int]]:
    """Where the chunks are that a part touches."""
    with h5py.File(path) as file:
        dataset = file[name]
        bounds = [one.indices(n)[:2] for one, n in zip(part, dataset.shape, strict=True)]
        found = []
        for number in range(dataset.id.get_num_chunks()):
            chunk = dataset.id.get_chunk_info(number)
            sides = zip(chunk.chunk_offset, dataset.chunks, bounds, strict=True)
            if all(at < end and begin < at + length for at, length, (begin, end) in sides):
                found.append((chunk.byte_offset, chunk.byte_offset + chunk.size))
    return found


def test_parts_take_what_their_chunks_take(path: Path):
    cloud = frazil.info(path, cloud=True).cloud
    of = {one["path"]: one for one in cloud["variables"]}
    whole = slice(None)
    cases = [
        ("v", "map", (slice(30, 31), whole, whole)),
        ("v", "series", (whole, slice(32, 33), slice(50, 51))),
        ("v", "everything", (whole, whole, whole)),
        ("between", "series", (whole, slice(200_000, 200_001))),
    ]
    for name, what, part in cases:
        found, locate = of[f"/{name}"][what], of[f"/{name}"]["locate"]
        requests, length = joined(places(path, name, part), cloud["link"])
        assert found["requests"] - locate["requests"] == requests, (name, what)
        assert found["bytes"] - locate["bytes"] == length, (name, what)
        assert found["rounds"] == locate["rounds"] + 1
    assert of["/between"]["map"] is None
    assert of["/v"]["stored_bytes"] == 60 * 64 * 100 * 4
    assert of["/run"]["everything"] == {"requests": 1, "rounds": 1, "bytes": 960}
    assert cloud["advice"]


def test_rounds_are_those_that_a_server_counts(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FRAZIL_REMOTE_TIMEOUT", "5")
    with serving(files={"file.h5": path.read_bytes()}, delay=0.05) as far:
        there = frazil.info(far.url("file.h5"), cloud=True).cloud
        here = frazil.info(path, cloud=True).cloud
        assert there["open"] == here["open"]
        assert there["variables"] == here["variables"]
        # Another name is another file.
        far.files["again.h5"] = far.files["file.h5"]
        far.requests.clear()
        with frazil.open(far.url("again.h5")) as file:
            assert far.rounds() <= here["open"]["rounds"]
            time.sleep(0.01)
            far.requests.clear()
            np.testing.assert_array_equal(file["v"][30], 30)
            of_map = next(one["map"] for one in here["variables"] if one["path"] == "/v")
            assert far.rounds() <= of_map["rounds"]


def test_the_command_and_the_package_say_the_same(path: Path, tmp_path: Path):
    packed = tmp_path / "packed.h5"
    words = ("--storage", "object-store", "--layout", "cmip7")
    assert command("pack", path, "-o", packed, *words).code == 0
    for file in (path, packed):
        done = command("info", "--cloud", "--json", file)
        [said] = json.loads(done.stdout)["reports"]
        assert said["cloud"] == frazil.info(file, cloud=True).cloud
    assert said["cloud"]["open"]["rounds"] == 1 and not said["cloud"]["advice"]
    assert frazil.info(packed).cloud is None
    screen = command("info", "--cloud", path).stdout
    assert "in a bucket" in screen and "better: `frazil pack" in screen
    assert "in a bucket" not in command("info", path).stdout
