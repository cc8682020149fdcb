"""``frazil.to_netcdf(..., client=)`` on clusters of real processes."""

import json
import os
import subprocess
import sys
import time

import dask.array as da
import frazil
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.regrouping import LEAST_BYTES, regroup
from support.cluster import assert_written, cluster_of, instead_of_writing, sample

pytestmark = pytest.mark.sampled(one_in=4)


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as client:
        yield client


# --- what is written ---


@pytest.mark.parametrize(
    ("blocks", "encoding"),
    [
        ((3, 50, 120), {}),
        ((3, 50, 120), {"t2m": {"chunksizes": (4, 40, 40), "zlib": True, "complevel": 1}}),
        ((1, 100, 120), {"t2m": {"chunksizes": (5, 30, 120), "compression": "zstd"}}),
        ((16, 7, 11), {"t2m": {"zlib": True, "complevel": 5, "shuffle": False, "endian": "big"}}),
        ((8, 64, 64), {"t2m": {"contiguous": True, "zlib": False}, "rain": {"dtype": "f4"}}),
        ((5, 50, 60), {"t2m": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0}}),
        ((5, 50, 60), {"t2m": {"significant_digits": 5, "quantize_mode": "GranularBitRound"}}),
        ((5, 50, 60), {"t2m": {"significant_digits": 5}, "rain": {"least_significant_digit": 2}}),
        ((5, 50, 60), {"t2m": {"fletcher32": True, "_FillValue": np.float32(-9)}}),
    ],
)
@pytest.mark.parametrize("unlimited", [(), ("time",)])
def test_it_writes_what_is_written_without_a_cluster(blocks, encoding, unlimited, client, tmp_path):
    dataset = sample(blocks)
    paths = [tmp_path / "cluster.nc", tmp_path / "alone.nc"]
    if unlimited:
        # What grows is stored in chunks.
        encoding = {
            name: {key: value for key, value in one.items() if key != "contiguous"}
            for name, one in encoding.items()
        }
    frazil.to_netcdf(dataset, paths[0], client=client, encoding=encoding, unlimited_dims=unlimited)
    frazil.to_netcdf(dataset, paths[1], encoding=encoding, unlimited_dims=unlimited)
    assert frazil.verify(*paths, check=True)
    ours, theirs = (frazil.info(path) for path in paths)
    for name in ("/t2m", "/rain", "/time"):
        assert ours[name].chunk == theirs[name].chunk
        assert ours[name].dimensions == theirs[name].dimensions
        if name in encoding:
            assert ours[name].filters == theirs[name].filters
    with netCDF4.Dataset(paths[0]) as a, netCDF4.Dataset(paths[1]) as b:
        for name in a.variables:
            assert a[name].ncattrs() == b[name].ncattrs()
            np.testing.assert_array_equal(a[name][:], b[name][:])
            assert a[name].dimensions == b[name].dimensions
    with h5py.File(paths[0]) as file:
        np.testing.assert_array_equal(file["mask"][:], np.eye(100, 120))
    subprocess.run(["ncdump", "-h", paths[0]], check=True, capture_output=True)


def test_each_chunk_is_packed_once_and_lies_in_the_file_without_gaps(client, tmp_path):
    path = tmp_path / "out.nc"
    dataset = sample((1, 33, 47))
    encoding = {
        name: {"chunksizes": (4, 40, 40), "zlib": True, "complevel": 4} for name in ("t2m", "rain")
    }
    frazil.to_netcdf(dataset, path, client=client, encoding=encoding)
    info = frazil.info(path)
    assert info["t2m"].chunk_count == info["rain"].chunk_count == 4 * 3 * 3
    stored = sum(info[name].stored_bytes for name in info)
    assert stored > 0.9 * path.stat().st_size - 20_000
    assert_written(path, dataset)


def test_filters_are_tried_where_values_vary(client, tmp_path):
    """The first fields of `rain` are zero: they tell nothing."""
    path = tmp_path / "out.nc"
    frazil.to_netcdf(sample((2, 100, 120)), path, client=client, keep_plan=True)
    with netCDF4.Dataset(path) as file:
        plans = {one["path"]: one for one in json.loads(file.frazil_plan)["variables"]}
    alone = tmp_path / "alone.nc"
    frazil.to_netcdf(sample((2, 100, 120)), alone, keep_plan=True)
    with netCDF4.Dataset(alone) as file:
        for one in json.loads(file.frazil_plan)["variables"]:
            assert plans[one["path"]]["pipeline"] == one["pipeline"], one["path"]
            assert plans[one["path"]]["reason"] == one["reason"], one["path"]
    assert frazil.info(path)["rain"].filters.startswith("shuffle+deflate")


def test_requests_for_filters_hold_on_workers(client, tmp_path):
    paths = [tmp_path / "cluster.nc", tmp_path / "alone.nc"]
    requests = {"*": {"min_write_speed": "200MB/s"}, "rain": {"filters": "shuffle+deflate(7)"}}
    for path, where in zip(paths, ({"client": client}, {}), strict=True):
        frazil.to_netcdf(sample(), path, precision=requests, keep_plan=True, **where)
        info = frazil.info(path)
        assert info["rain"].filters == "shuffle+deflate(7)"
        # Stronger levels are slower than that.
        assert info["t2m"].filters == "shuffle+deflate(1)"
        with netCDF4.Dataset(path) as file:
            plan = json.loads(file.frazil_plan)["variables"]
            reasons = {one["path"]: one["reason"] for one in plan}
        assert reasons["/rain"] == "from rules"
        assert "write floor of 200 MB/s from rules" in reasons["/t2m"]
    assert frazil.verify(*paths, check=True)


def test_groups_texts_scalars_and_nothing(client, tmp_path):
    path = tmp_path / "tree.nc"
    texts = da.from_array(np.array(["a", "bc", "ä"], dtype="U2"), chunks=2)
    tree = xr.DataTree.from_dict(
        {
            "/": sample().drop_vars("mask"),
            "/child": xr.Dataset(
                {
                    "texts": ("n", texts),
                    "scalar": ((), da.from_array(np.array(3.5))),
                    "tiny": ("n", da.arange(3, chunks=1)),
                }
            ),
            "/child/deep": xr.Dataset({"none": ("z", da.zeros(0, chunks=1))}),
        }
    )
    frazil.to_netcdf(tree, path, client=client)
    with xr.open_datatree(path, engine="netcdf4") as found:
        xr.testing.assert_equal(found, tree.compute())


def test_layouts_precision_and_progress(client, tmp_path, capsys):
    dataset = sample()
    path = tmp_path / "out.nc"
    frazil.to_netcdf(
        dataset,
        path,
        client=client,
        layout="cmip7",
        unlimited_dims=["time"],
        precision={"t2m": {"absolute_tolerance": 0.01}},
        progress=True,
    )
    with netCDF4.Dataset(path) as file:
        error = np.abs(file["t2m"][:] - dataset.t2m.values)
        assert 0 < error.max() <= 0.01
        # What came of rounding is stated by what all workers saw.
        assert file["t2m"].quantization_maximum_absolute_error <= 0.01
    assert "100 %" in capsys.readouterr().err


@pytest.mark.parametrize("blocks_per_thread", [1, 4])
def test_what_blocks_and_variables_share_is_computed_once(
    blocks_per_thread, client, tmp_path, monkeypatch
):
    monkeypatch.setattr("frazil.cluster._BOXES_PER_THREAD", blocks_per_thread)
    counts = tmp_path / "counts"
    counts.mkdir()

    def note(block, block_info=None):
        (counts / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        return block

    base = da.ones((48, 100), chunks=(3, 100)).map_blocks(note, dtype="f8", meta=np.empty((0, 0)))
    both = {"a": (("t", "x"), base), "b": (("t", "x"), base - base.mean(axis=0))}
    # Chunks begin and end in the middle of blocks.
    encoding = {name: {"zlib": True, "complevel": 4, "chunksizes": (4, 50)} for name in both}
    frazil.to_netcdf(xr.Dataset(both), tmp_path / "out.nc", client=client, encoding=encoding)
    assert len(list(counts.iterdir())) == 16
    with xr.open_dataset(tmp_path / "out.nc", engine="netcdf4") as found:
        assert (found.a == 1).all() and (found.b == 0).all()


def test_values_that_the_cluster_has_already(client, tmp_path):
    dataset = sample((4, 100, 120))
    kept = client.persist(dataset)
    path = tmp_path / "out.nc"
    frazil.to_netcdf(kept, path, client=client, encoding={"t2m": {"chunksizes": (4, 100, 120)}})
    assert_written(path, dataset)


def test_blocks_are_packed_by_the_task_that_computes_them(client, tmp_path):
    """In a worker's memory chunks wait to be written, but no blocks to be packed."""
    found = []

    def largest_block(dask_worker):
        values = list(dask_worker.data.values())
        return max((one.nbytes for one in values if isinstance(one, np.ndarray)), default=0)

    class Look:
        def stage(self, name, total_bytes):
            pass

        def advance(self, count):
            found.append(max(client.run(largest_block).values()))

        def notice(self, line):
            pass

    # 1 MB blocks, which are computed sooner than they are packed.
    values = da.arange(24 * 250_000, chunks=250_000, dtype="i4")
    encoding = {"v": {"zlib": True, "complevel": 9, "chunksizes": (50_000,)}}
    dataset = xr.Dataset({"v": ("t", values)})
    path = tmp_path / "out.nc"
    frazil.to_netcdf(dataset, path, client=client, encoding=encoding, progress=Look())
    assert len(found) == 24 and max(found) == 0
    assert_written(path, dataset)


MEMORY = """
import logging, sys
import dask.array as da, frazil, xarray as xr
from distributed import Client, LocalCluster
from pathlib import Path
path, steps = sys.argv[1], int(sys.argv[2])

def peak():
    import frazil, dask.array
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

options = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
options |= {"n_workers": 2, "threads_per_worker": 1}
with LocalCluster(**options) as cluster, Client(cluster) as client:
    before = client.run(peak)
    # 6 MB blocks that end where chunks do and in the middle of them, by turns.
    values = da.random.default_rng(0).random((steps, 500, 500), chunks=(3, 500, 500))
    dataset = xr.Dataset({"v": (("t", "y", "x"), values)})
    encoding = {"v": {"zlib": True, "complevel": 1, "chunksizes": (2, 250, 500)}}
    frazil.to_netcdf(dataset, path, client=client, encoding=encoding)
    growth = [kib - before[worker] for worker, kib in client.run(peak).items()]
    print(peak(), max(growth))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory as Linux tells it")
def test_memory_stays_flat_when_the_data_grow(tmp_path):
    def peaks(steps):
        path = tmp_path / f"{steps}.nc"
        words = [sys.executable, "-c", MEMORY, path, str(steps)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        path.unlink()
        return [int(kib) << 10 for kib in done.stdout.split()]

    client, worker = (b - a for a, b in zip(peaks(64), peaks(192), strict=True))
    # 256 MB more went through, and no packing makes random numbers small.
    assert client < 32 << 20
    # What blocks share is not kept for blocks that come much later: five blocks are chance.
    assert worker < 32 << 20


SLOW = """
import logging, sys, time
import dask.array as da, frazil, numpy as np, xarray as xr
from distributed import Client, LocalCluster
from pathlib import Path

class Slow:
    def stage(self, name, total_bytes): pass
    def advance(self, count): time.sleep(0.06)
    def notice(self, line): pass

def noise(block_info):
    shape = block_info[None]["chunk-shape"]
    return np.frombuffer(np.random.default_rng().bytes(4 * np.prod(shape)), "i4").reshape(shape)

def peak():
    import frazil, dask.array
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

options = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
options |= {"n_workers": 2, "threads_per_worker": 1}
with LocalCluster(**options) as cluster, Client(cluster) as client:
    before = client.run(peak)
    # 8 MB blocks.
    values = da.map_blocks(noise, chunks=((1,) * 60, (1000,), (2000,)), dtype="i4")
    encoding = {"v": {"zlib": False, "chunksizes": (1, 250, 500)}}
    dataset = xr.Dataset({"v": (("t", "y", "x"), values)})
    frazil.to_netcdf(dataset, sys.argv[1], client=client, encoding=encoding, progress=Slow())
    print(max(kib - before[worker] for worker, kib in client.run(peak).items()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory as Linux tells it")
def test_memory_of_workers_is_bounded_where_the_client_is_slow(tmp_path):
    """Of 30 blocks for each worker, four may be on their way; one more is computed and copied."""
    words = [sys.executable, "-c", SLOW, tmp_path / "out.nc"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(done.stdout) << 10 < 12 * 8_000_000


@pytest.mark.parametrize(
    ("blocks", "chunk"),
    [
        (((3, 3, 3, 1), (50, 50)), (4, 40)),
        (((1,) * 100, (7,)), (64, 7)),
        (((100,), (1000,)), (1, 1)),
        (((5,), (6,)), (9, 9)),
        (((1,) * 64, (3000,), (3000,)), (64, 100, 100)),
    ],
)
def test_blocks_are_regrouped_on_the_grid_of_chunks(blocks, chunk):
    found = regroup(blocks, chunk, 8)
    for sizes, extent, before in zip(found, chunk, blocks, strict=True):
        assert sum(sizes) == sum(before)
        assert all(size % extent == 0 for size in sizes[:-1])
    largest = 8 * np.prod([max(sizes) for sizes in found])
    allowed = 8 * np.prod([max(sizes) for sizes in blocks])
    assert largest <= max(allowed, LEAST_BYTES, 8 * np.prod(chunk))


# --- what is refused, and what fails ---


def test_what_workers_cannot_do_is_refused(client, tmp_path):
    path = tmp_path / "out.nc"
    dataset = sample()
    with pytest.raises(frazil.errors.InvalidArgumentError, match="computed now"):
        frazil.to_netcdf(dataset, path, client=client, compute=False)
    with pytest.raises(frazil.errors.InvalidArgumentError, match="must be a dask"):
        frazil.to_netcdf(dataset, path, client="tcp://localhost:8786")
    frazil.to_netcdf(dataset, path, client=client, append_dim="time")
    before = path.read_bytes()
    for more in ({"mode": "a"}, {"append_dim": "time"}):
        with pytest.raises(frazil.errors.InvalidArgumentError, match="new files only") as refused:
            frazil.to_netcdf(dataset, path, client=client, **more)
        assert refused.value.file == str(path)
    assert path.read_bytes() == before


def test_a_block_that_fails_names_its_variable_and_leaves_the_old_file(client, tmp_path):
    path = tmp_path / "out.nc"
    path.write_bytes(b"old")

    def fail(block):
        raise ZeroDivisionError("no")

    dataset = sample()
    dataset["bad"] = ("z", da.ones(1000, chunks=500).map_blocks(fail, dtype="f8"))
    with pytest.raises(ZeroDivisionError) as failed:
        frazil.to_netcdf(dataset, path, client=client)
    assert any("bad" in note and str(path) in note for note in failed.value.__notes__)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["out.nc"]


def test_a_worker_that_cannot_write_names_file_and_variable(client, tmp_path):
    def full(path, payload, address):
        raise OSError(28, "full")

    path = tmp_path / "out.nc"
    with (
        instead_of_writing(client, full),
        pytest.raises(frazil.errors.NoSpaceError) as failed,
    ):
        frazil.to_netcdf(sample(), path, client=client)
    assert failed.value.file == str(path)
    assert failed.value.variable in ("/t2m", "/rain")
    assert list(tmp_path.iterdir()) == []


def test_chunks_that_are_packed_with_other_filters_are_packed_again(client, tmp_path):
    """Filters are chosen by values, and those may differ when they are computed again."""

    def other(self, block, choice, region):
        from frazil import _frazil
        from frazil.cluster_tasks import Packed, packed_bytes

        if choice is not None and region[0][0] >= 8 and "again" not in choice:
            changed = json.loads(choice)
            changed["pipeline"] = changed["pipeline"][-1:]
            choice = json.dumps(changed)
        packer = _frazil.Packer.create(self.plan, choice)
        payload, summary = packed_bytes(packer, region, self._bytes(block, region))
        return Packed(payload, summary, os.urandom(8).hex())

    def patch():
        from frazil import cluster_tasks

        usual = cluster_tasks.Recipe.pack
        seen = set()

        def pack(self, block, choice, region):
            first = (self.plan, str(region)) not in seen
            seen.add((self.plan, str(region)))
            return (other if first else usual)(self, block, choice, region)

        cluster_tasks.Recipe.usual = usual
        cluster_tasks.Recipe.pack = pack

    def undo():
        from frazil import cluster_tasks

        cluster_tasks.Recipe.pack = cluster_tasks.Recipe.usual

    path = tmp_path / "out.nc"
    dataset = sample((4, 100, 120))
    encoding = {"t2m": {"chunksizes": (4, 100, 120)}}
    client.run(patch)
    try:
        frazil.to_netcdf(dataset, path, client=client, encoding=encoding)
    finally:
        client.run(undo)
    assert_written(path, dataset)
