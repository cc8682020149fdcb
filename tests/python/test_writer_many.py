"""Files of many groups, dimensions and variables: what a call costs does not grow with them."""

import threading
import unicodedata

import frazil
import h5py
import netCDF4
import numpy as np
import pytest


class Counting:
    """A compiled writer that counts how often it is asked for all that the file has."""

    asked = 0

    def __init__(self, writer):
        self._writer = writer

    def __getattr__(self, name):
        return getattr(self._writer, name)

    def schema(self):
        Counting.asked += 1
        return self._writer.schema()


@pytest.fixture
def counting(monkeypatch):
    compiled = frazil._frazil.Writer

    class Made:
        @staticmethod
        def create(*arguments):
            return Counting(compiled.create(*arguments))

        @staticmethod
        def append(*arguments):
            return Counting(compiled.append(*arguments))

    monkeypatch.setattr(frazil._frazil, "Writer", Made)
    monkeypatch.setattr(Counting, "asked", 0)
    return Counting


def write_many(path, mode, numbers):
    with frazil.Writer(path, mode) as writer:
        if mode == "w":
            writer.add_dimension("t", None)
            writer.add_dimension("x", 3)
        for i in numbers:
            writer.add_group(f"g{i}/h")
            writer.add_dimension(f"d{i}", 2)
            variable = writer.add_variable(f"v{i}", "i4", ["t", "x"])
            variable[0:2] = i
            variable[-1, :] = i
            variable[variable.shape[0]] = i
            text = writer.add_variable("s", str, ["t", f"d{i}"], f"g{i}/h")
            text[0] = "a"
            assert text.shape == (i + 3, 2)
            assert writer[f"v{i}"].shape == variable.shape == (i + 3, 3)
            assert variable[0, 0] == i


def test_what_the_file_has_is_asked_for_once(tmp_path, counting):
    path = tmp_path / "many.nc"
    write_many(path, "w", range(200))
    assert counting.asked <= 2
    counting.asked = 0
    write_many(path, "a", range(200, 300))
    assert counting.asked <= 2
    with h5py.File(path) as file:
        for i in range(300):
            assert file[f"v{i}"].shape == (302, 3)
            assert (file[f"v{i}"][:2] == i).all() and (file[f"v{i}"][i + 2] == i).all()
            assert file[f"g{i}/h/s"][0, 1] == b"a"


def test_datasets_of_many_variables(tmp_path, counting):
    xarray = pytest.importorskip("xarray")
    dataset = xarray.Dataset({f"v{i}": ("x", np.arange(3) + i) for i in range(100)})
    frazil.to_netcdf(dataset, tmp_path / "many.nc")
    assert counting.asked <= 2
    with xarray.open_dataset(tmp_path / "many.nc", engine="netcdf4") as found:
        xarray.testing.assert_identical(found.load(), dataset)


def test_unlimited_dimensions_grow_by_puts_of_other_variables_and_threads(tmp_path):
    path = tmp_path / "grows.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        variables = [writer.add_variable(f"v{i}", "i4", ["t"]) for i in range(8)]
        watching = writer.add_variable("watching", "i4", ["t"])

        def work(first):
            for i in range(first, 400, 8):
                variables[first][i] = i

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert watching.shape == (400,) and writer.dimensions() == {"t": 400}
        watching[-1] = 7
        # Strides reach as far as the last element, and nothing reaches nowhere.
        variables[0].put(np.arange(3, dtype="i4"), [400], [10])
        variables[0].put(np.empty(0, "i4"), [1000])
        assert watching.shape == (421,)
    with netCDF4.Dataset(path) as file:
        assert file.dimensions["t"].size == 421 and file["watching"][399] == 7


def test_after_a_put_that_fails_lengths_are_what_the_file_has(tmp_path):
    path = tmp_path / "fails.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        writer.add_dimension("x", 3)
        variable = writer.add_variable("v", "i4", ["t", "x"])
        variable[0:2] = 1
        with pytest.raises(frazil.errors.InvalidArgumentError):
            variable.put(np.ones((1, 4), "i4"), [7, 0])
        assert variable.shape == (2, 3)
    with netCDF4.Dataset(path) as file:
        assert file["v"].shape == (2, 3)


def test_names_are_found_in_any_form_of_their_letters(tmp_path):
    composed, parts = (unicodedata.normalize(form, "Größe") for form in ("NFC", "NFD"))
    path = tmp_path / "names.nc"
    with frazil.Writer(path) as writer:
        writer.add_group(f"{parts}n")
        writer.add_group(f"{composed}n")
        writer.add_dimension(parts, 3)
        writer.add_variable("v", "i4", [parts], f"{parts}n")[:] = 1
        writer.add_variable(parts, "i4", [composed])[:] = 1
        with pytest.raises(frazil.errors.InvalidArgumentError):
            writer.add_dimension(composed, 4)
        assert list(writer.dimensions()) == [composed] == list(writer.variables("/"))
        assert writer[parts].name == writer[composed].name == composed
    with netCDF4.Dataset(path) as file:
        assert list(file.variables) == [composed]
