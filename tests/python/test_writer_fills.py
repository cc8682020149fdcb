"""Fill values and masked values, as netCDF4 and h5py read them."""

import frazil
import h5py
import netCDF4
import numpy as np
import pytest

NOT_OF_THE_TYPE = [
    ("i2", 2**31),
    ("i2", 1.5),
    ("i2", float("nan")),
    ("i2", "5"),
    ("u1", -1),
    ("u8", 2**64),
    ("u8", 2.0**64),
    ("f4", 1e300),
    ("f4", 1e-300),
    ("f8", 10**400),
    ("f4", "5"),
    ("f4", 1j),
    ("f4", [1, 2]),
    ("f4", []),
    ("f4", np.ma.masked),
    ("f4", np.datetime64("2000-01-01")),
    ("S1", 3),
    ("S1", 2**62),
    ("S1", "abc"),
    ("S1", b"ab"),
    ("S1", "ä"),
    (str, "abc"),
    (str, ""),
]


@pytest.mark.parametrize(("dtype", "value"), NOT_OF_THE_TYPE)
def test_a_fill_value_that_the_type_cannot_hold_is_refused(tmp_path, dtype, value):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        with pytest.raises(frazil.errors.InvalidArgumentError, match="fill value") as caught:
            writer.add_variable("v", dtype, ["x"], fill_value=value)
        assert caught.value.file == str(path) and caught.value.variable == "v"
    with netCDF4.Dataset(path) as file:
        assert not file.variables


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("i2", -5.0, -5),
        ("i8", 2**63 - 1, 2**63 - 1),
        ("u8", 2**64 - 1, 2**64 - 1),
        ("u1", np.array([7]), 7),
        ("f4", 0.1, np.float32(0.1)),
        ("f4", -np.inf, -np.inf),
        ("f8", np.float32(1e20), np.float64(np.float32(1e20))),
        ("f4", 0, 0),
        ("S1", "x", b"x"),
        ("S1", np.bytes_(b"x"), b"x"),
        ("S1", np.array(b"x"), b"x"),
    ],
)
def test_a_fill_value_is_what_the_file_says(tmp_path, dtype, value, expected):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("v", dtype, ["x"], fill_value=value)
    with h5py.File(path) as file:
        assert file["v"].fillvalue == expected
        assert np.asarray(file["v"].attrs["_FillValue"]).reshape(-1)[0] == expected
        assert file["v"].dtype == np.dtype(dtype) and (file["v"][:] == expected).all()


def test_a_fill_value_may_be_no_number(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("v", "f4", ["x"], fill_value=np.nan)
    with h5py.File(tmp_path / "out.nc") as file:
        assert np.isnan(file["v"][:]).all()
