"""What a reader keeps of each variable: by a plan, by the reads to come, or by bytes."""

import json
import pickle

import frazil
import h5py
import numpy as np
import pytest
import xarray as xr
from frazil import errors

SHAPE = (40, 64, 64)
BUDGET = 400 << 10
# Chunks of ten maps, sixteen to a map: what one map touches is 160 KiB.
A_CHUNK, A_ROW, A_CHUNKS = (10, 16, 16), 160 << 10, 64


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("cache") / "two.nc"
    values = np.random.default_rng(5).normal(0, 1, SHAPE).astype("f4")
    with frazil.Writer(path, filters="shuffle+deflate(1)") as writer:
        for name, length in zip(("time", "lat", "lon"), SHAPE, strict=True):
            writer.add_dimension(name, length)
        for name, chunk in (("a", A_CHUNK), ("b", (5, 32, 64))):
            dims = ["time", "lat", "lon"]
            writer.add_variable(name, "f4", dims, chunks=chunk)[...] = values
    return path


@pytest.fixture(autouse=True)
def small_budget():
    frazil.set_read_budget(BUDGET)
    yield
    frazil.set_read_budget(256 << 20)


def sweep(file):
    """Maps of ``a`` one by one, and between any two of them all of ``b``, map by map.

    Gives how many chunks of ``a`` were decoded.
    """
    a, b = file.variables["a"], file.variables["b"]
    for step in range(SHAPE[0]):
        a[step]
        for other in range(SHAPE[0]):
            b[other]
    stats = file.cache_stats()["/a"]
    assert stats["hits"] + stats["misses"] == SHAPE[0] * 16
    assert frazil.read_stats()["kept_bytes"] <= BUDGET
    return stats["misses"]


def test_without_a_share_what_others_read_drives_chunks_out(path):
    with frazil.open(path, threads=1) as file:
        assert sweep(file) > 5 * A_CHUNKS
        assert file.cache_stats()["/a"]["share_bytes"] == 0


def plan_for(bytes_):
    cache = {"bytes": bytes_, "slots": 521}
    layout = {"kind": "chunked", "chunk": A_CHUNK}
    rest = {"deflate_encoder": None, "copy_raw": False, "predicted_bytes": None, "reason": ""}
    variable = {"path": "/a", "layout": layout, "pipeline": [], "cache": cache} | rest
    return frazil.WritePlan(variables=[variable])


@pytest.mark.parametrize("how", ["bytes", "plan", "file", "reads"])
def test_what_a_map_touches_is_decoded_once_whatever_else_is_read(path, tmp_path, how):
    stated = {
        "bytes": {"chunk_cache": {"a": A_ROW}},
        "plan": {"chunk_cache": plan_for(A_ROW)},
        "file": {"chunk_cache": tmp_path / "plan.json"},
        "reads": {"reads": "map"},
    }[how]
    (tmp_path / "plan.json").write_text(plan_for(A_ROW).to_json())
    with frazil.open(path, threads=1, **stated) as file:
        if how == "reads":
            # A map of `b` touches two chunks of 40 KiB.
            assert file.variables["b"][0].shape == SHAPE[1:]
            assert file.cache_stats()["/b"]["share_bytes"] == 80 << 10
        assert sweep(file) == A_CHUNKS
        stats = file.cache_stats()["/a"]
        assert stats["share_bytes"] == A_ROW and stats["kept_bytes"] >= A_ROW
        assert stats["hit_rate"] == 1 - A_CHUNKS / (SHAPE[0] * 16)


def test_a_share_keeps_what_small_reads_touch_from_the_first_time_on(path):
    for shares, decoded in (({}, 8), ({"a": A_ROW}, 4)):
        with frazil.open(path, threads=1, chunk_cache=shares) as file:
            # One point of chunks of ten maps: so little of them is kept when it is wanted again.
            for x in range(2):
                file.variables["a"][:, 0, x]
            assert file.cache_stats()["/a"]["misses"] == decoded


def test_shares_are_cut_alike_where_they_exceed_the_budget(path):
    with frazil.open(path, threads=1, chunk_cache={"a": 1 << 63, "/b": 1 << 62}) as file:
        file.variables["a"][0], file.variables["b"][0]
        stats = file.cache_stats()
        assert stats["/a"]["share_bytes"] == stats["/b"]["share_bytes"] == BUDGET * 3 // 8


def test_a_file_that_keeps_its_plan_needs_no_word(path, tmp_path):
    kept = tmp_path / "kept.nc"
    values = frazil.open(path).variables["a"][:]
    with frazil.Writer(kept, plan=plan_for(A_ROW), keep_plan=True) as writer:
        for name, length in zip(("time", "lat", "lon"), SHAPE, strict=True):
            writer.add_dimension(name, length)
        writer.add_variable("a", "f4", ["time", "lat", "lon"])[...] = values
    with frazil.open(kept, threads=1) as file:
        assert json.loads(file.attrs["frazil_plan"])["variables"][0]["cache"]["bytes"] == A_ROW
        file.variables["a"][0]
        assert file.cache_stats()["/a"]["share_bytes"] == A_ROW
    # What has that name and is no plan is no reason not to read.
    with h5py.File(kept, "a") as file:
        file.attrs["frazil_plan"] = "by hand"
    with frazil.open(kept) as file:
        assert (file.variables["a"][:] == values).all()


def test_a_writer_that_knows_the_reads_keeps_their_caches_in_the_file(tmp_path):
    kept = tmp_path / "kept.nc"
    with frazil.Writer(kept, reads="map", keep_plan=True) as writer:
        for name, length in (("time", None), ("lat", 512), ("lon", 1024)):
            writer.add_dimension(name, length)
        one = writer.add_variable("t", "f4", ["time", "lat", "lon"], chunks=(4, 128, 256))
        one[:8] = np.random.default_rng(1).normal(0, 1, (8, 512, 1024)).astype("f4")
    # A map touches sixteen chunks of half a MiB.
    frazil.set_read_budget(256 << 20)
    with frazil.open(kept, threads=1) as file:
        file.variables["t"][0]
        assert file.cache_stats()["/t"]["share_bytes"] == 8 << 20


def test_a_plan_of_a_file_has_caches_that_readers_use(tmp_path):
    large = tmp_path / "large.nc"
    with frazil.Writer(large) as writer:
        for name, length in (("time", 64), ("lat", 256), ("lon", 256)):
            writer.add_dimension(name, length)
        one = writer.add_variable("t", "f4", ["time", "lat", "lon"], chunks=(32, 64, 64))
        one[...] = np.random.default_rng(1).normal(0, 1, (64, 256, 256)).astype("f4")
    plan = frazil.plan(large, chunks="keep", reads="map")
    # A map touches sixteen chunks of half a MiB.
    caches = {one["path"]: one.get("cache") for one in plan.variables}
    assert caches["/t"]["bytes"] == 8 << 20
    frazil.set_read_budget(256 << 20)
    with frazil.open(large, threads=1, chunk_cache=plan) as file:
        file.variables["t"][0]
        assert file.cache_stats()["/t"]["share_bytes"] == 8 << 20
    # Several threads decode ahead what the next read will touch.
    with frazil.open(large, threads=2, chunk_cache=plan) as file:
        file.variables["t"][0]
        assert file.cache_stats()["/t"]["share_bytes"] == 16 << 20


def test_xarray_hands_it_on_and_pickled_files_keep_it(path):
    with xr.open_dataset(path, engine="frazil", chunk_cache={"a": A_ROW}) as data:
        assert data["a"][3].values.shape == SHAPE[1:]
    with xr.open_dataset(path, engine="frazil", reads="map,series") as data:
        assert data["b"][3].values.shape == SHAPE[1:]
    with frazil.open(path, threads=1, chunk_cache={"a": A_ROW}) as file:
        again = pickle.loads(pickle.dumps(file))
    with again:
        again.variables["a"][0]
        assert again.cache_stats()["/a"]["share_bytes"] == A_ROW


def test_what_cannot_be_is_refused(path, tmp_path):
    with pytest.raises(errors.InvalidArgumentError, match="`c`") as caught:
        frazil.open(path, chunk_cache={"c": 1})
    assert "info" in caught.value.cure
    with pytest.raises(errors.InvalidArgumentError, match="state one"):
        frazil.open(path, chunk_cache={"a": 1}, reads="map")
    with pytest.raises(errors.InvalidArgumentError, match="sideways"):
        frazil.open(path, reads="sideways")
    with pytest.raises(errors.InvalidArgumentError):
        frazil.open(path, chunk_cache={"a": -1})
    with pytest.raises(FileNotFoundError):
        frazil.open(path, chunk_cache=tmp_path / "nowhere.json")
    (tmp_path / "plan.json").write_text("[]")
    with pytest.raises(errors.InvalidArgumentError, match="not a plan"):
        frazil.open(path, chunk_cache=tmp_path / "plan.json")
