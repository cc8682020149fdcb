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


def test_a_name_overrides_patterns_wherever_it_stands(dataset, tmp_path):
    coarse = {"significant_digits": 2}
    for number, rules in enumerate(
        (
            {"t2m": coarse, "*": None},
            {"*": None, "t2m": coarse},
            {"u*": None, "t2m": coarse, "*": coarse, "t*": {"significant_digits": 6}},
        )
    ):
        path = tmp_path / f"{number}.nc"
        frazil.to_netcdf(dataset, path, precision=rules)
        with netCDF4.Dataset(path) as file:
            assert np.array_equal(file["u10"][:], dataset["u10"]), rules
            assert file["t2m"].quantization_nsd == 2, rules
    with pytest.raises(InvalidArgumentError, match="a key of precision is 3"):
        frazil.to_netcdf(dataset, tmp_path / "no.nc", precision={3: coarse})


def test_chunks_of_a_variable_override_those_of_all(dataset, tmp_path):
    path, out = tmp_path / "in.nc", tmp_path / "out.nc"
    dataset.to_netcdf(path, engine="netcdf4")
    frazil.pack(path, out, chunks={"t2m": {"x": 50}, "x": 100})
    with netCDF4.Dataset(out) as file:
        assert (file["t2m"].chunking()[1], file["u10"].chunking()[1]) == (50, 100)


def test_values_of_a_rounded_file_state_both_errors(dataset, tmp_path):
    first, second = tmp_path / "first.nc", tmp_path / "second.nc"
    frazil.to_netcdf(dataset, first, precision={"*": {"absolute_tolerance": 0.125}})
    with xr.open_dataset(first, engine="netcdf4") as rounded:
        assert rounded["t2m"].quantization_maximum_absolute_error == 0.125
        rounded.load()
    frazil.to_netcdf(
        rounded,
        second,
        precision={
            "t2m": {"absolute_tolerance": 0.5},
            "u10": {"relative_tolerance_percent": 25},
        },
    )
    with netCDF4.Dataset(second) as file:
        assert file["t2m"].quantization_maximum_absolute_error == 0.625
        # No absolute bound holds any more.
        assert "quantization_maximum_absolute_error" not in file["u10"].ncattrs()
        u10 = np.asarray(file["u10"][:], "f8")
        share, least = (
            file["u10"].quantization_maximum_relative_error,
            file["u10"].quantization_finest_absolute_error,
        )
    exact = dataset["u10"].values.astype("f8")
    assert (np.abs(u10 - exact) <= np.maximum(share * np.abs(exact), least)).all()
