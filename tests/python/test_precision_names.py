"""Rules that name variables which are not there are refused by every call that takes rules."""

import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.errors import InvalidArgumentError
from support.cluster import cluster_of

WRONG = {"*": {"significant_digits": 3}, "t2n": {"lossless": True}}
RIGHT = {"*": {"significant_digits": 3}, "t2m": {"lossless": True}, "absent*": {"lossless": True}}


@pytest.fixture
def dataset():
    values = np.random.default_rng(7).normal(size=(4, 300)).astype("f4")
    return xr.Dataset({name: (("time", "x"), values) for name in ("t2m", "u10")})


def refused(call, *words, **options):
    with pytest.raises(InvalidArgumentError) as caught:
        call(*words, precision=WRONG, **options)
    assert "`t2n`" in str(caught.value) and "`t2m`" in caught.value.cure
    return caught.value


def test_pack_and_plan_refuse(dataset, tmp_path):
    path, out = tmp_path / "in.nc", tmp_path / "out.nc"
    dataset.to_netcdf(path, engine="netcdf4")
    assert refused(frazil.pack, path, out).file == str(path)
    refused(frazil.plan, path)
    assert not out.exists()
    frazil.pack(path, out, precision=RIGHT)


def test_to_netcdf_refuses_before_there_is_a_file(dataset, tmp_path):
    path = tmp_path / "out.nc"
    assert refused(frazil.to_netcdf, dataset, path).file == str(path)
    assert list(tmp_path.iterdir()) == []
    frazil.to_netcdf(dataset, path, precision=RIGHT)
    with netCDF4.Dataset(path) as file:
        assert np.array_equal(file["t2m"][:], dataset["t2m"])
        assert not np.array_equal(file["u10"][:], dataset["u10"])


def test_a_writer_refuses_at_the_first_value(dataset, tmp_path):
    def write(path, precision):
        with frazil.Writer(path, precision=precision) as writer:
            writer.add_dimension("x", 300)
            for name in ("t2m", "u10"):
                writer.add_variable(name, "f4", ["x"])
            writer["u10"][:] = dataset["u10"].values[0]

    path = tmp_path / "out.nc"
    error = refused(write, path)
    assert "before the first value" in error.cure and error.file == str(path)
    write(path, RIGHT)
    assert not np.array_equal(netCDF4.Dataset(path)["u10"][:], dataset["u10"].values[0])


def test_of_many_files_one_must_have_the_variable(dataset, tmp_path):
    out = tmp_path / "out"
    paths = [tmp_path / f"{name}.nc" for name in dataset]
    for name, path in zip(dataset, paths, strict=True):
        dataset[[name]].to_netcdf(path, engine="netcdf4")
    with cluster_of(1) as client:
        refused(frazil.pack_files, paths, out, client=client)
        reports = frazil.pack_files(paths, out, client=client, precision=RIGHT)
    assert len(reports) == 2
