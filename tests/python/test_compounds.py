"""Compounds with members of either byte order, read as netCDF4-python and xarray's engines do."""

from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
import xarray as xr


def members(order: str) -> np.dtype:
    inner = np.dtype([("p", f"{order}f8"), ("q", f"{order}u2")])
    enum = h5py.enum_dtype({"off": 0, "on": 1}, basetype=f"{order}i2")
    return np.dtype(
        {
            "names": ["big", "little", "nested", "array", "flag", "switch", "text"],
            "formats": [
                f"{order}f4",
                "<i4",
                inner,
                (f"{order}i8", (2, 3)),
                "?",
                enum,
                "S5",
            ],
            "offsets": [0, 4, 8, 24, 72, 74, 76],
            "itemsize": 88,
        }
    )


def filled(order: str) -> np.ndarray:
    values = np.zeros((3, 4), members(order))
    count = np.arange(12).reshape(3, 4)
    values["big"], values["little"] = count + 0.5, -count
    values["nested"]["p"], values["nested"]["q"] = count * 1e-3, count * 100
    values["array"] = count[..., None, None] + 7 * np.arange(6).reshape(2, 3)
    values["flag"], values["switch"], values["text"] = count % 2, count % 2, b"ab"
    return values


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.parametrize("storage", [{}, {"chunks": (2, 2), "compression": "gzip"}])
def test_members_of_compounds_are_numbers_of_this_machine(
    tmp_path: Path, order: str, storage: dict
):
    path = tmp_path / "compound.h5"
    wanted = filled(order)
    with h5py.File(path, "w") as file:
        x = file.create_dataset("x", data=wanted, **storage)
        file["a"] = np.arange(3.0)
        file["b"] = np.arange(4.0)
        for axis, name in enumerate("ab"):
            file[name].make_scale(name)
            x.dims[axis].attach_scale(file[name])
        stored = x[...]
        x.attrs["all"] = wanted[0]
    with frazil.open(path) as file:
        found = file["x"][...]
        part = file["x"][1, ::2]
        attribute = file["x"].attrs["all"]
    with xr.open_dataset(path, engine="frazil") as data:
        through_xarray = data["x"].load().values
    for name in wanted.dtype.names:
        np.testing.assert_array_equal(found[name], stored[name])
        np.testing.assert_array_equal(part[name], stored[1, ::2][name])
        np.testing.assert_array_equal(through_xarray[name], stored[name])
        if name not in ("text",):
            np.testing.assert_array_equal(attribute[name], wanted[0][name])
    for dtype in (found.dtype, through_xarray.dtype):
        for name in ("big", "little", "switch"):
            assert dtype[name].isnative
        assert dtype["nested"]["p"].isnative and dtype["array"].base.isnative
