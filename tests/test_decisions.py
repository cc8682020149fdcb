"""Decisions keep their word where samples tell little: a part of `make bench-decisions`."""

import json
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import BINARY, DONE, ROOT, frazil, pack, tool

sys.path.insert(0, str(ROOT / "bench"))
from decision_files import SHAPE, make, smooth
from decision_rules import WAYS, Broken, broken, foretold, is_more, judge, promises

pytestmark = pytest.mark.sampled(one_in=2)

# Goals that weigh time, and levels: quick also where nothing is optimised.
QUICK = ["default", "any balanced", "any speed", "any size", "level 1", "level 6"]


@pytest.mark.parametrize(
    "case", ["half_zero_packed", "five_records", "noise_chunked", "chars_packed", "tiny_packed"]
)
def test_goals_and_levels_keep_their_word(case: str, tmp_path: Path):
    (source,) = make(tmp_path, [case])
    assert judge(Path(BINARY), source, tmp_path, QUICK)[0] == []


def test_a_dearer_goal_and_a_wider_reader_level_are_not_larger(tmp_path: Path):
    source = tmp_path / "small.h5"
    with h5py.File(source, "w") as file:
        file["v"] = smooth(30, 40, 50)
    broken, predictions = judge(Path(BINARY), source, tmp_path)
    assert broken == []
    # All of so small a variable was seen.
    assert all(one.is_within for one in predictions), predictions


@pytest.mark.parametrize("compression", [{}, {"zlib": True, "complevel": 4}])
def test_what_sticks_out_of_the_array_is_not_predicted(compression: dict, tmp_path: Path):
    """132 records in chunks for series, of which a chunk may hold 256: half of it is no data."""
    source, output = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as file:
        for name, length in {"time": None, "y": 60, "x": 72}.items():
            file.createDimension(name, length)
        dimensions = ("time", "y", "x")
        field = file.createVariable("v", "f4", dimensions, chunksizes=(1, 60, 72), **compression)
        noise = np.random.default_rng(3).normal(size=(132, 60, 72)) / 1000
        field[:] = smooth(132, 60, 72) + noise.astype("f4")
    assert foretold(Path(BINARY), source, output, "series").is_within


def in_chunks(path: Path, values: np.ndarray, chunk: tuple[int, ...]) -> Path:
    """A compressed variable of time, y and x."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in zip(("time", "y", "x"), values.shape, strict=True):
            file.createDimension(name, length)
        packing = {"zlib": True, "complevel": 1, "chunksizes": chunk}
        file.createVariable("v", "f4", ("time", "y", "x"), **packing)[:] = values
    return path


def rare_runs(*shape: int) -> np.ndarray:
    """Mostly zeros; what is not lasts for 50 records."""
    chance = np.random.default_rng(4)
    start = chance.random((shape[0] // 50, *shape[1:]))
    runs = np.where(start < 0.03, chance.random(start.shape), 0)
    return np.repeat(runs, 50, axis=0).astype("f4")


@pytest.mark.parametrize("way", ["series", "map", "map 3 digits", "series plugins"])
def test_chunks_that_cut_long_runs_are_predicted(way: str, tmp_path: Path):
    """20 MB: more than a prediction packs."""
    source = in_chunks(tmp_path / "in.nc", rare_runs(1000, 50, 100), (500, 25, 25))
    found = foretold(Path(BINARY), source, tmp_path / "out.nc", way)
    assert found.is_within and found.error < 0.05, found
    assert found.most < 1.5 * found.least, found


def test_chunks_of_fill_are_neither_stored_nor_in_the_predicted_index(tmp_path: Path):
    values = np.zeros((60, 96, 128), "f4")
    values[:, :48, :50] = smooth(60, 48, 50)
    source = tmp_path / "in.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("v", data=values, chunks=(60, 96, 128), compression="gzip")
    for way in ("series", "series plugins"):
        found = foretold(Path(BINARY), source, tmp_path / "out.h5", way)
        assert found.is_within and found.error < 0.01, found


def test_a_file_that_grew_for_stated_reads_says_so(tmp_path: Path):
    source, output = (
        in_chunks(tmp_path / "in.nc", rare_runs(200, 30, 40), (200, 30, 40)),
        tmp_path / "out.nc",
    )
    done = pack(source, output, "--reads", "map", "--json")
    (notice,) = json.loads(done.stdout)["reports"][0]["notices"]
    assert "grew" in notice and "with --reads, frazil" in notice and "/v takes" in notice
    with netCDF4.Dataset(output) as file:
        assert file["v"].chunking() != [200, 30, 40]
    foreseen = frazil("pack", source, "--dry-run", "--reads", "map")
    assert "would grow" in foreseen.stderr and "grew" not in foreseen.stderr
    assert "grew" not in pack(source, output, "--overwrite").stderr


def test_broken_promises_are_found(tmp_path: Path):
    file = tmp_path / "input.h5"
    file.write_bytes(bytes(100_000))
    sizes = {"any archive": 90_000, "level 9": 80_000, "default": 120_000}
    found = [(one.way, one.beside) for one in broken(file, sizes, is_for_any=True)]
    assert found == [("default", "input"), ("any archive", "level 9")]
    assert not list(broken(file, {"zstd 19": 120_000}, is_for_any=True))
    assert all({way, beside} <= WAYS.keys() for way, beside in promises())
    assert not is_more(104_590, 100_000) and is_more(104_600, 100_000)
    assert "+20.0 %" in str(Broken(file, "default", "input", 120_000, 100_000))


def test_what_comes_out_larger_is_copied_as_it_was(tmp_path: Path):
    """Chunks of one map, each with its own noise behind 300 equal ones, that other shapes mix."""
    values = np.zeros(SHAPE, "i4")
    chance = np.random.default_rng(5)
    values[:, ::6, ::5] = chance.integers(0, 1 << 30, values[:, ::6, ::5].shape)
    source, packed = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset(
            "v", data=values, chunks=(1, *SHAPE[1:]), compression="gzip", compression_opts=9
        )
        file.create_dataset("w", data=smooth(*SHAPE))
    pack(source, packed, "--level", 1, "--verify")
    with h5py.File(source) as before, h5py.File(packed) as after:
        growth = after["v"].id.get_storage_size() / before["v"].id.get_storage_size()
        assert growth <= 1.005
        assert after["w"].id.get_storage_size() < before["w"].id.get_storage_size()
        assert np.array_equal(after["v"][:], values)


def test_a_goal_that_is_the_default_is_the_default(tmp_path: Path):
    source = tmp_path / "in.h5"
    with h5py.File(source, "w") as file:
        file["v"] = smooth(40, 60, 80)
    pack(source, tmp_path / "one.h5")
    pack(source, tmp_path / "other.h5", "--goal", "balanced", "--threads", 1)
    assert (tmp_path / "one.h5").read_bytes() == (tmp_path / "other.h5").read_bytes()


def test_a_tiny_variable_is_not_put_into_chunks_that_cost_more(tmp_path: Path):
    source, packed = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("n", 600)
        for number in range(30):
            file.createVariable(f"v{number}", "f4", ("n",))[:] = np.arange(600) + number
    outcome = frazil("pack", source, "-o", packed, "--goal", "archive")
    assert outcome.code == DONE, outcome.stderr
    assert packed.stat().st_size <= source.stat().st_size * 1.005 + 4096


@pytest.mark.parametrize("goal", ["size", "archive"])
def test_small_variables_are_chunked_where_only_bytes_count(goal: str, tmp_path: Path):
    """Filters save more than an index of chunks takes, and small chunks leave no holes."""
    source, copied, packed = (tmp_path / name for name in ("in.nc", "copy.nc", "out.nc"))
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("n", 1900)
        for number in range(40):
            steps = np.random.default_rng(number).normal(size=1900)
            values = np.round(np.cumsum(steps)).astype("f4")
            file.createVariable(f"v{number}", "f4", ("n",))[:] = values
    assert tool("nccopy", "-s", "-d", "1", source, copied).returncode == 0
    pack(source, packed, "--goal", goal)
    assert packed.stat().st_size <= copied.stat().st_size


def test_one_noisy_spot_does_not_make_a_wider_reader_level_larger(tmp_path: Path):
    """Samples are zeros nearly all, and say nothing of what the few noisy chunks take."""
    source, packed = tmp_path / "in.h5", tmp_path / "out.h5"
    values = np.zeros((80, 80, 96), "f4")
    values[-1:] = np.random.default_rng(0).normal(size=(1, 80, 96))
    with h5py.File(source, "w") as file:
        file.create_dataset("v", data=values, chunks=(1, 80, 96), compression=1, shuffle=True)
    sizes = []
    for readers in ("any", "plugins", "frazil"):
        words = ("--goal", "size", "--readable-by", readers, "--overwrite")
        pack(source, packed, *words)
        sizes.append(packed.stat().st_size)
    assert not is_more(sizes[1], sizes[0]) and not is_more(sizes[2], sizes[1]), sizes


def test_samples_that_tell_nothing_do_not_make_a_small_file_larger_than_a_level(tmp_path: Path):
    """All samples are zeros: what levels make of the rest is tried on the rest."""
    (source,) = make(tmp_path, ["last_spot"])
    ways = ["any size", "any archive", "level 1", "level 4", "level 6", "level 9"]
    assert judge(Path(BINARY), source, tmp_path, ways)[0] == []
    shown = frazil("plan", source)
    assert shown.code == DONE and " and more" in shown.stdout, shown.stdout


@pytest.mark.parametrize("words", [(), ("--digits", "3"), ("--goal", "size")])
def test_small_variables_that_are_compressed_stay_so(words: tuple[str, ...], tmp_path: Path):
    source, packed = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as file:
        for number in range(30):
            steps = np.random.default_rng(number).normal(size=1400)
            values = np.round(np.cumsum(steps)).astype("f4")
            file.create_dataset(f"v{number}", data=values, chunks=(1400,), compression=9)
    pack(source, packed, *words)
    assert packed.stat().st_size <= source.stat().st_size * 1.005 + 4096
    with h5py.File(packed) as after:
        assert all(after[f"v{i}"].id.get_storage_size() < 2800 for i in range(30))
