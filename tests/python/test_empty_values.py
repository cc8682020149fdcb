"""What holds no value at all: attributes without elements, and null dataspaces."""

from pathlib import Path

import frazil
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
CLASSIC = ["i1", "i2", "i4", "f4", "f8"]
TEXT = h5py.string_dtype()
# What netCDF-C has no type for, and h5netcdf gives as h5py does.
OTHERS = [
    "f2",
    ">i4",
    "c16",
    "V5",
    [("a", ">i4"), ("b", "f4", (2,))],
    h5py.enum_dtype({"on": 1}),
    h5py.vlen_dtype("i4"),
]


@pytest.mark.parametrize("format", ["NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC"])
def test_attributes_without_elements_keep_their_type(tmp_path: Path, format: str):
    path, copy = tmp_path / "empty.nc", tmp_path / "copy.nc"
    types = NUMBERS if format == "NETCDF4" else CLASSIC
    with netCDF4.Dataset(path, "w", format=format) as file:
        file.createDimension("x", 2)
        variable = file.createVariable("v", "f4", ("x",))
        for one in types:
            variable.setncattr(one, np.array([], one))
            file.setncattr(one, np.array([], one))
        file.setncattr("text", "")
        if format == "NETCDF4":
            file.setncattr_string("texts", [])
    with xr.open_dataset(path, engine="frazil") as data:
        frazil.to_netcdf(data, copy)
        of_engine = data.attrs, data["v"].attrs
    with netCDF4.Dataset(path) as stored, frazil.open(path) as file, netCDF4.Dataset(copy) as again:
        theirs = stored, stored["v"]
        ours = file.attrs, file["v"].attrs
        copied = again, again["v"]
        for i, them in enumerate(theirs):
            for name in them.ncattrs():
                wanted = them.getncattr(name)
                for found in (ours[i][name], of_engine[i][name]):
                    assert type(found) is type(wanted)
                    assert np.shape(found) == np.shape(wanted)
                    assert getattr(found, "dtype", None) == getattr(wanted, "dtype", None)
                if name in types:
                    assert copied[i].getncattr(name).dtype == wanted.dtype


@pytest.mark.parametrize("dtype", [*NUMBERS, *OTHERS], ids=str)
def test_null_attributes_keep_their_type(tmp_path: Path, dtype):
    path = tmp_path / "null.h5"
    with h5py.File(path, "w") as file:
        file.attrs["null"] = h5py.Empty(dtype)
        file.attrs.create("none", np.zeros(0, dtype), dtype=dtype)
    with frazil.open(path) as file, h5py.File(path) as stored:
        for name in ("null", "none"):
            found, wanted = file.attrs[name], stored.attrs[name]
            assert found.shape == (0,)
            assert found.dtype == wanted.dtype.newbyteorder("=")


def test_null_texts_are_those_of_netcdf4(tmp_path: Path):
    path = tmp_path / "texts.h5"
    with h5py.File(path, "w") as file:
        file["v"] = np.arange(3.0)
        file["v"].attrs["fixed"] = h5py.Empty("S7")
        file["v"].attrs["any"] = h5py.Empty(TEXT)
    with frazil.open(path) as file, netCDF4.Dataset(path) as stored:
        for name in ("fixed", "any"):
            assert file["v"].attrs[name] == stored["v"].getncattr(name)


@pytest.mark.parametrize("dtype", [*NUMBERS, *OTHERS, "S7", TEXT, h5py.ref_dtype], ids=str)
def test_variables_without_any_value(tmp_path: Path, dtype):
    path = tmp_path / "null.h5"
    with h5py.File(path, "w") as file:
        file["null"] = h5py.Empty(dtype)
        file["null"].attrs["units"] = "K"
        file["beside"] = np.arange(3.0)
    with (
        frazil.open(path) as file,
        h5py.File(path) as stored,
        xr.open_dataset(path, engine="frazil") as data,
    ):
        found = file["null"]
        wanted = stored["null"][()]
        assert found.shape is stored["null"].shape is None
        assert (found.dims, found.ndim, found.size, found.nbytes) == ((), 0, 0, 0)
        assert "without a value" in repr(found) and found._repr_html_() and file._repr_html_()
        for values in (found[...], found[()], np.asarray(found)):
            assert values.shape == (0,)
            assert values.dtype == found.dtype == wanted.dtype.newbyteorder("=")
        with pytest.raises(IndexError):
            found[0]
        with pytest.raises(TypeError):
            len(found)
        assert data["null"].shape == (0,) and data["null"].attrs == {"units": "K"}
        assert data["null"].values.size == 0
        assert data["beside"].values.tolist() == [0, 1, 2]
