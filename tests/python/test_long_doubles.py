"""Floats that are none of IEEE 754's usual ones: no value is narrowed."""

from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
import xarray as xr
from h5py import h5t

LONG = np.dtype(np.longdouble)
IS_WIDE = np.finfo(LONG).nmant in (63, 112)
needs_long_double = pytest.mark.skipif(not IS_WIDE, reason="numpy's longdouble is a double")


def long_values() -> np.ndarray:
    values = np.array([1, -0.0, np.inf, np.nan, 3, 2**-1074.0], LONG)
    values[0] += np.finfo(LONG).eps
    values[4:] *= LONG.type("1e4000"), LONG.type("1e-300")
    return values


@needs_long_double
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("storage", [{}, {"chunks": (4,)}, {"chunks": (4,), "compression": "gzip"}])
def test_long_doubles_keep_all_their_bits(tmp_path: Path, order: str, storage: dict):
    path = tmp_path / "long.h5"
    stored = LONG.newbyteorder(order)
    record = np.dtype([("a", "i4"), ("x", stored), ("y", stored, (2,))])
    values = long_values()
    records = np.zeros(values.shape, record)
    records["x"], records["y"] = values, values[:, None]
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=values.astype(stored), **storage)
        file.create_dataset("c", data=(values + 1j).astype(values.dtype.char.upper()), **storage)
        file.create_dataset("r", data=records, **storage)
        file.create_dataset("a", (2,), np.dtype((stored, values.shape)))[...] = [values, values]
        file["v"].attrs["many"] = values.astype(stored)
        file["v"].attrs["one"] = values.astype(stored)[4]
        file["v"].attrs["none"] = h5py.Empty(stored)
    with (
        frazil.open(path) as file,
        h5py.File(path) as theirs,
        xr.open_dataset(path, engine="frazil") as data,
    ):
        for name in ("v", "c", "r", "a"):
            wanted = theirs[name][...]
            for found in (file[name][...], data[name].values):
                assert found.dtype == wanted.dtype.newbyteorder("=")
                for member in wanted.dtype.names or (...,):
                    np.testing.assert_array_equal(found[member], wanted[member])
        np.testing.assert_array_equal(file["v"][::-2], theirs["v"][...][::-2])
        assert data["v"].encoding["dtype"] == stored
        attributes = file["v"].attrs
        np.testing.assert_array_equal(attributes["many"], values)
        assert attributes["one"] == values[4] and attributes["none"].shape == (0,)
        assert all(one.dtype == LONG for one in attributes.values())


def float_type(base: h5t.TypeFloatID, **settings) -> h5t.TypeFloatID:
    kind = base.copy()
    for name, value in settings.items():
        getattr(kind, f"set_{name}")(*(value if isinstance(value, tuple) else (value,)))
    return kind


def bfloat16() -> h5t.TypeFloatID:
    return float_type(h5t.IEEE_F32LE, fields=(15, 7, 8, 0, 7), precision=16, size=2)


AS_DOUBLES = {
    "bfloat16": bfloat16,
    "padded": lambda: float_type(h5t.IEEE_F32LE, size=8),
}
AS_BYTES = {
    # libhdf5 writes them and cannot convert them back.
    "first_bit_stored": lambda: float_type(h5t.IEEE_F64LE, norm=h5t.NORM_MSBSET),
    "wide_exponent": lambda: float_type(h5t.IEEE_F64LE, fields=(63, 48, 15, 0, 48), ebias=16383),
    "wide_mantissa": lambda: float_type(h5t.IEEE_F64LE, fields=(63, 55, 8, 0, 55), ebias=127),
    "other_bias": lambda: float_type(h5t.IEEE_F64LE, ebias=2000),
}


def with_floats(path: Path, kind: h5t.TypeFloatID) -> tuple[np.ndarray, np.ndarray]:
    """Values of a type that h5py itself need not know, an attribute of it, and their bytes."""
    values = np.array([0.0, 1.5, -2.0, 0.15625])
    with h5py.File(path, "w") as file:
        space = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"v", kind, space)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        attribute = h5py.h5a.create(dataset, b"a", kind, space)
        attribute.write(values, mtype=h5t.NATIVE_DOUBLE)
        raw = np.empty(values.shape, f"V{kind.get_size()}")
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, kind)
    return values, raw


@pytest.mark.parametrize("name", AS_DOUBLES)
def test_floats_that_a_double_holds_are_doubles(tmp_path: Path, name: str):
    path = tmp_path / "fit.h5"
    values, _ = with_floats(path, AS_DOUBLES[name]())
    with frazil.open(path) as file:
        assert file["v"].dtype == np.float64
        np.testing.assert_array_equal(file["v"][...], values)
        # Not taken for another type of that size.
        assert file["v"].attrs["a"].dtype.kind == "V"


@pytest.mark.parametrize("name", AS_BYTES)
def test_floats_that_no_double_holds_are_bytes(tmp_path: Path, name: str):
    path = tmp_path / "bytes.h5"
    _, raw = with_floats(path, AS_BYTES[name]())
    with frazil.open(path) as file:
        assert file["v"].dtype == raw.dtype
        assert file["v"][...].tobytes() == raw.tobytes()
        assert file["v"].attrs["a"].tobytes() == raw.tobytes()
