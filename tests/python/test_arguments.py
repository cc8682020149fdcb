"""Arguments that cannot be: errors name the file, the variable, what was given and what to do."""

import frazil
import numpy as np
import pytest
import xarray as xr
from frazil.errors import (
    AlreadyExistsError,
    BadIndexError,
    InvalidArgumentError,
    IsFolderError,
    UnsupportedError,
)

DATA = xr.Dataset({"v": (("t", "x"), np.zeros((4, 5)))})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.nc"


def assert_named(error, path, variable="v"):
    assert (error.file, error.variable) == (str(path), variable)


@pytest.mark.parametrize(
    ("dtype", "cure"),
    [
        ("f2", r"astype\('f4'\)"),
        ("f16", r"astype\('f8'\)"),
        ("c16", "values.real"),
        ("V3", "field"),
    ],
)
def test_types_that_netcdf_has_not_are_refused_with_a_cure(dtype, cure, path):
    with (
        frazil.Writer(path) as writer,
        pytest.raises(UnsupportedError, match=cure) as refused,
    ):
        writer.add_variable("v", dtype)
    assert_named(refused.value, path)
    if dtype == "V3":
        return
    for data, encoding in ((DATA.astype(dtype), {}), (DATA, {"v": {"dtype": dtype}})):
        with pytest.raises(frazil.Error, match=cure) as refused:
            frazil.to_netcdf(data, path, encoding=encoding)
        assert_named(refused.value, path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chunks", 3),
        ("chunks", "34"),
        ("precision", 3),
        ("precision", {"absolute_tolerance": float("nan")}),
        ("attrs", 3),
        ("dims", 3),
        ("dtype", "f44"),
        ("shuffle", "no"),
        ("checksum", "no"),
        ("no_fill", "no"),
        ("contiguous", "no"),
        ("netcdf_statement", 3),
        ("endian", 3),
    ],
)
def test_what_a_variable_cannot_be_is_refused(name, value, path):
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        stated = {"dtype": "f4", "dims": ["x"]} | {name: value}
        with pytest.raises(InvalidArgumentError, match=rf"{name}.* is .*; it must be") as refused:
            writer.add_variable("v", **stated)
        assert_named(refused.value, path)


@pytest.mark.parametrize("encoding", [None, [1]])
def test_an_encoding_is_a_mapping(encoding, path):
    with pytest.raises(InvalidArgumentError, match="encoding is") as refused:
        frazil.to_netcdf(DATA, path, encoding={"v": encoding})
    assert_named(refused.value, path)


def test_options_of_a_file_name_it(path):
    frazil.to_netcdf(DATA, path)
    for wrong in (
        lambda: frazil.to_netcdf(DATA, path, precision=3),
        lambda: frazil.to_netcdf(DATA, path, compute="no"),
        lambda: frazil.Writer(path, precision=3),
        lambda: frazil.Writer(path, own_commits="no"),
        lambda: frazil.pack(path, in_place=True, precision={"v": {"absolute_tolerance": np.nan}}),
        lambda: frazil.plan(path, chunks=3),
    ):
        with pytest.raises(InvalidArgumentError, match="it must be") as refused:
            wrong()
        assert_named(refused.value, path, None)
    with pytest.raises(InvalidArgumentError, match="'absolute_tolerance'] is nan"):
        frazil.compress(np.zeros(3), precision={"absolute_tolerance": np.nan})


def test_folders_are_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for wrong in (
        lambda: frazil.to_netcdf(DATA, "."),
        lambda: frazil.Writer("."),
        lambda: frazil.Writer(tmp_path),
        lambda: frazil.open(tmp_path),
        lambda: frazil.info("."),
        lambda: frazil.pack(tmp_path, "out.nc"),
    ):
        with pytest.raises(IsFolderError):
            wrong()


@pytest.mark.parametrize("key", [10, -10, (1, 2), "a", 1.5, True])
def test_indices_that_an_axis_has_not(key, path):
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        variable = writer.add_variable("v", "f4", ["x"])
        with pytest.raises(BadIndexError) as refused:
            variable[key] = 1
        assert_named(refused.value, path)
        with pytest.raises(IndexError):
            variable[key]
    with frazil.open(path) as file, pytest.raises(BadIndexError) as refused:
        file["v"][key]
    assert_named(refused.value, path)


def test_an_existing_file_is_replaced_by_the_mode(path):
    path.write_bytes(b"")
    with pytest.raises(AlreadyExistsError, match="state mode='w' to replace it"):
        frazil.Writer(path, "x")


def test_a_cure_names_no_option_that_python_lacks(path):
    frazil.to_netcdf(DATA, path)
    rules = {"v": {"relative_err_finest_abs_tolerance": 0.1}}
    with pytest.raises(InvalidArgumentError, match="absolute_tolerance") as refused:
        frazil.pack(path, in_place=True, precision=rules)
    assert "error=" not in refused.value.cure and "--" not in refused.value.cure
