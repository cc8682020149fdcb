"""Blocks of dask arrays that are not as large as dask was told: refused, and nothing is written."""

import uuid

import dask
import dask.array as da
import frazil
import numpy as np
import pytest
import xarray as xr

SIZES = {
    "shorter": lambda block: block[:5],
    "longer": lambda block: np.concatenate([block, block]),
    "empty": lambda block: block[:0],
    "of two axes": lambda block: block[:, None],
}


def lying(change, at=2, size=10):
    """Ten blocks, one of which is of another shape."""

    def changed(block, block_info=None):
        is_it = block_info and block_info[0]["chunk-location"][0] == at
        return change(block) if is_it else block

    # A cluster would take values of the same name from another test.
    options = {"dtype": "f8", "meta": np.empty(0), "name": f"lying-{uuid.uuid4().hex}"}
    return da.arange(10 * size, chunks=size, dtype="f8").map_blocks(changed, **options)


@pytest.mark.parametrize("change", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("scheduler", ["threads", "synchronous", "processes"])
def test_such_a_block_is_refused(change, scheduler, tmp_path):
    path = tmp_path / "out.nc"
    with (
        dask.config.set(scheduler=scheduler),
        pytest.raises(frazil.errors.InvalidArgumentError, match="has shape") as caught,
    ):
        frazil.to_netcdf(xr.Dataset({"v": ("x", lying(change))}), path)
    assert caught.value.variable == "v"
    assert caught.value.file == str(path)
    assert "(2,)" in str(caught.value) and "(10,)" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_such_a_block_is_refused_later_too(tmp_path):
    dataset = xr.Dataset({"v": ("x", lying(SIZES["longer"]))})
    delayed = frazil.to_netcdf(dataset, tmp_path / "late.nc", compute=False)
    with pytest.raises(frazil.errors.InvalidArgumentError, match="has shape"):
        dask.compute(delayed)
    assert not (tmp_path / "late.nc").exists()


def test_such_a_block_is_not_added_to_a_file(tmp_path):
    path = tmp_path / "grows.nc"
    frazil.to_netcdf(xr.Dataset({"v": ("x", np.zeros(3))}), path, append_dim="x")
    before = path.read_bytes()
    with pytest.raises(frazil.errors.InvalidArgumentError, match="has shape"):
        more = xr.Dataset({"v": ("x", lying(SIZES["shorter"]))})
        frazil.to_netcdf(more, path, append_dim="x")
    assert path.read_bytes() == before


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    options = {"threads_per_worker": 2, "processes": False, "dashboard_address": None}
    options |= {"n_workers": 1, "set_as_default": False}
    with distributed.Client(**options) as one:
        yield one


# As they are, cut in the middle, brought together, and without filters, which come to the client.
ENCODINGS = [{"chunksizes": (n,), "zlib": True} for n in (10_000, 7_000, 50_000)] + [
    {"zlib": False}
]


@pytest.mark.parametrize("is_computed", [False, True], ids=["", "computed before"])
@pytest.mark.parametrize("encoding", ENCODINGS, ids=["whole", "cut", "joined", "plain"])
@pytest.mark.parametrize("change", SIZES.values(), ids=SIZES)
def test_workers_of_a_cluster_refuse_such_a_block(change, encoding, is_computed, client, tmp_path):
    # The client takes chunks as small as those of the other tests itself.
    values = lying(change, size=10_000)
    if is_computed:
        values = client.persist(values)
    with pytest.raises(frazil.errors.InvalidArgumentError, match="has shape") as caught:
        dataset = xr.Dataset({"v": ("x", values)})
        frazil.to_netcdf(dataset, tmp_path / "out.nc", client=client, encoding={"v": encoding})
    assert "v" in caught.value.variable
    assert caught.value.file == str(tmp_path / "out.nc")
    assert list(tmp_path.iterdir()) == []


def test_a_writer_is_not_given_values_of_another_shape_than_declared(tmp_path):
    with frazil.Writer(tmp_path / "w.nc") as writer:
        writer.add_dimension("x", None)
        variable = writer.add_variable("v", "f8", "x")
        with pytest.raises(frazil.errors.InvalidArgumentError, match="declared with shape"):
            variable.put(lying(SIZES["shorter"]), [0])
        assert variable.shape == (0,)


def test_blocks_of_unknown_size_are_refused_with_a_cure(tmp_path):
    values = da.arange(100, chunks=10, dtype="f8")
    unknown = values[values > 20]
    with pytest.raises(frazil.errors.InvalidArgumentError, match="compute_chunk_sizes"):
        frazil.to_netcdf(xr.Dataset({"v": ("x", unknown)}), tmp_path / "out.nc")
