"""``frazil.virtual_dataset``: VirtualiZarr opens our places, and Icechunk takes them."""

from pathlib import Path

import frazil
import h5py
import icechunk
import numpy as np
import pytest
import xarray


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file.nc"
    values = np.random.default_rng(3).random((20, 6, 8)).astype("f4")
    values[3, 2] = np.nan
    dataset = xarray.Dataset(
        {
            "t": (("time", "y", "x"), values, {"units": "K"}),
            "plain": (("y", "x"), np.arange(48.0).reshape(6, 8)),
            "count": (("time",), np.arange(20, dtype="i2")),
        },
        coords={"time": np.arange(20), "x": np.arange(8.0)},
        attrs={"title": "made up"},
    )
    encoding = {"zlib": True, "shuffle": True, "chunksizes": (5, 3, 8), "_FillValue": -9.0}
    dataset.to_netcdf(path, engine="h5netcdf", encoding={"t": encoding})
    return path


def test_virtual_arrays_are_where_h5py_says(path: Path):
    virtual = frazil.virtual_dataset(path, loadable_variables=[])
    manifest = virtual["t"].data.manifest.dict()
    with h5py.File(path) as file:
        of_file = file["t"].id
        chunks = [of_file.get_chunk_info(i) for i in range(of_file.get_num_chunks())]
    places = {(one.byte_offset, one.size) for one in chunks}
    assert {(one["offset"], one["length"]) for one in manifest.values()} == places
    assert {one["path"] for one in manifest.values()} == {f"file://{path}"}
    assert virtual.attrs["title"] == "made up"


def test_values_through_virtualizarr_are_those_of_the_file(path: Path):
    names = ["t", "plain", "count", "time", "x"]
    virtual = frazil.virtual_dataset(path, loadable_variables=names)
    with xarray.open_dataset(path, engine="h5netcdf") as right:
        xarray.testing.assert_equal(virtual.load(), right.load())
        assert virtual["t"].attrs["units"] == "K"


def test_icechunk_takes_virtual_datasets(path: Path, tmp_path: Path):
    config = icechunk.RepositoryConfig.default()
    prefix = f"file://{tmp_path}/"
    store = icechunk.local_filesystem_store(str(tmp_path))
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, store))
    repository = icechunk.Repository.create(
        icechunk.in_memory_storage(),
        config=config,
        authorize_virtual_chunk_access=icechunk.containers_credentials({prefix: None}),
    )
    session = repository.writable_session("main")
    frazil.virtual_dataset(path).vz.to_icechunk(session.store)
    session.commit("places")
    found = xarray.open_zarr(repository.readonly_session("main").store, consolidated=False)
    with xarray.open_dataset(path, engine="h5netcdf") as right:
        assert np.array_equal(found["t"].values, right["t"].values, equal_nan=True)


def test_what_has_no_place_is_named(tmp_path: Path):
    path = tmp_path / "file.h5"
    with h5py.File(path, "w") as file:
        file["numbers"] = np.arange(1000)
        file["texts"] = ["a", "b"]
        file.create_group("below")["deep"] = np.arange(10)
    with pytest.warns(UserWarning, match="/texts is left out"):
        virtual = frazil.virtual_dataset(path)
    assert set(virtual.variables) == {"numbers"}
    deep = frazil.virtual_dataset(path, group="below", loadable_variables=["deep"])
    assert np.array_equal(deep["deep"], np.arange(10))
