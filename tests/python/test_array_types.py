"""Types that hold arrays: of variables, of members of compounds and of attributes, as in h5py."""

from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
import xarray as xr

TEXT = h5py.string_dtype()
BESIDE_TEXT = np.dtype([("s", TEXT), ("a", ">f4", (3,)), ("b", "i2", (2, 2)), ("k", "S3", (2,))])
NESTED = np.dtype([("n", BESIDE_TEXT, (2,)), ("t", TEXT, (2,))])


def beside_text() -> np.ndarray:
    values = np.zeros(2, BESIDE_TEXT)
    values[0] = ("p", [1, 2, 3], [[1, 2], [3, 4]], [b"a", b"b"])
    values[1] = ("q", [4, 5, 6], [[5, 6], [7, 8]], [b"c", b"d"])
    return values


def assert_same(found, wanted) -> None:
    """Compares frazil's dictionaries and texts with h5py's records and bytes."""
    if isinstance(found, dict):
        assert list(found) == list(wanted.dtype.names)
        for name, value in found.items():
            assert_same(value, wanted[name])
    elif isinstance(found, str):
        assert found == (wanted.decode() if isinstance(wanted, bytes) else wanted)
    elif found.dtype == object:
        assert found.shape == wanted.shape
        for one, other in zip(found.flat, wanted.flat, strict=True):
            assert_same(one, other)
    else:
        assert found.dtype == wanted.dtype.newbyteorder("=")
        np.testing.assert_array_equal(found, wanted)


def test_arrays_in_compounds_that_hold_texts(tmp_path: Path):
    path = tmp_path / "compound.h5"
    nested = np.zeros(2, NESTED)
    nested["n"] = beside_text()
    nested["t"] = [["u", "v"], ["w", "x"]]
    with h5py.File(path, "w") as file:
        file["flat"], file["nested"] = beside_text(), nested
        file.attrs.create("one", beside_text()[0], dtype=BESIDE_TEXT)
        file.attrs.create("two", beside_text(), dtype=BESIDE_TEXT)
    with frazil.open(path) as file, h5py.File(path) as stored:
        for name in ("flat", "nested"):
            assert_same(file[name][...], stored[name][...])
        for name in ("one", "two"):
            assert_same(file.attrs[name], stored.attrs.get(name))


@pytest.mark.parametrize("base", ["<f4", ">f4", ">i2", "u1", "S3", [("a", ">i4", (2,))]])
@pytest.mark.parametrize("axes", [(3,), (2, 3)])
def test_attributes_of_array_type(tmp_path: Path, base, axes: tuple):
    path = tmp_path / "attributes.h5"
    element = np.dtype((base, axes))
    count = np.arange(2 * np.prod(axes)).reshape((2, *axes))
    values = np.zeros(count.shape, base)
    if values.dtype.names:
        values["a"] = count[..., None]
    else:
        values[...] = count.astype(base)
    with h5py.File(path, "w") as file:
        file.attrs.create("two", values, shape=values.shape, dtype=element)
        file.attrs.create("one", values[0], shape=axes, dtype=element)
    with frazil.open(path) as file, h5py.File(path) as stored:
        for name in ("one", "two"):
            assert_same(file.attrs[name], stored.attrs[name])


def array_variables(path: Path) -> None:
    with h5py.File(path, "w") as file:
        for name, order in (("little", "<"), ("big", ">")):
            file.create_dataset(name, shape=(4,), dtype=np.dtype((f"{order}f4", (3, 2))))
            file[name][...] = np.arange(24.0).reshape(4, 3, 2)
        element = np.dtype((">i2", (3,)))
        file.create_dataset("chunks", (4, 6), element, chunks=(2, 3), compression="gzip")
        file["chunks"][...] = np.arange(72).reshape(4, 6, 3)
        file.create_dataset("texts", (2,), np.dtype(("S3", (2,))))
        file["texts"][...] = np.array([[b"a", b"bc"], [b"d", b"efg"]])
        file.create_dataset("strings", (2,), np.dtype((TEXT, (2,))))
        file["strings"][...] = np.array([["a", "bc"], ["d", ""]], dtype=object)
        file.create_dataset("records", (2,), np.dtype((BESIDE_TEXT, (2,))))
        file["records"][...] = np.stack([beside_text(), beside_text()[::-1]])
        file.create_dataset("scalar", (), np.dtype(("f8", (3,))))
        file["scalar"][...] = np.arange(3)
        file.create_dataset("empty", (0, 2), np.dtype(("f8", (3,))))


def test_elements_that_are_arrays(tmp_path: Path):
    path = tmp_path / "arrays.h5"
    array_variables(path)
    with frazil.open(path) as file, h5py.File(path) as stored:
        for name, variable in file.variables.items():
            assert variable.shape == stored[name].shape
            assert variable.dtype.shape == stored[name].dtype.shape
            assert_same(variable[...], stored[name][()])
        for key in (np.s_[1:3], np.s_[2], np.s_[..., 1], np.s_[::2, 1:4], np.s_[:0]):
            assert_same(file["chunks"][key], stored["chunks"][key])
        assert_same(file["chunks"][::-1], stored["chunks"][...][::-1])
        assert_same(file["strings"][1], stored["strings"][1])


def test_elements_that_are_arrays_have_axes_of_their_own_in_xarray(tmp_path: Path):
    path = tmp_path / "arrays.h5"
    array_variables(path)
    with xr.open_dataset(path, engine="frazil") as data, h5py.File(path) as stored:
        wanted = stored["chunks"][...]
        chunks = data["chunks"]
        assert chunks.dims[2:] == ("chunks_array_0",)
        assert chunks.encoding["chunksizes"] == (2, 3, 3)
        assert chunks.encoding["original_shape"] == wanted.shape
        assert chunks.encoding["dtype"] == wanted.dtype
        axes = dict(zip(chunks.dims, ([3, 0], slice(None, None, -2), [2, 0]), strict=True))
        np.testing.assert_array_equal(chunks.isel(axes), wanted[[3, 0], ::-2][..., [2, 0]])
        little = dict(zip(data["little"].dims, (1, 2, 0), strict=True))
        assert data["little"].isel(little).item() == stored["little"][1][2, 0]
        for name in data:
            assert_same(data[name].values, stored[name][()])
