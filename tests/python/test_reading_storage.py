"""``frazil.open``: ways of storing values that few files use, files that grow, and many at once."""

import ctypes
import re
import subprocess
import sys
import threading
from pathlib import Path

import frazil
import h5py
import netCDF4
import numpy as np
import pytest

H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS = 2
PART = np.s_[3:17, ::2, -5:]


def hdf5_of_h5py():
    """The library that h5py has loaded; h5py itself cannot set chunk options."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("only Linux tells which libraries are loaded")
    found = re.findall(r"(/\S*h5py\S*/libhdf5-\S*)", maps.read_text())
    if not found:
        pytest.skip("h5py does not bring its own libhdf5")
    library = ctypes.CDLL(found[0])
    library.H5Pset_chunk_opts.argtypes = [ctypes.c_int64, ctypes.c_uint]
    return library


def test_partial_chunks_that_are_not_filtered(tmp_path):
    path, values = tmp_path / "partial.h5", np.arange(21 * 10 * 30, dtype="i4").reshape(21, 10, 30)
    library = hdf5_of_h5py()
    with h5py.File(path, "w", libver="latest") as file:
        for name, options in (("all", 0), ("whole", H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS)):
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_chunk((8, 10, 13))
            creation.set_shuffle()
            creation.set_deflate(4)
            assert library.H5Pset_chunk_opts(creation.id, options) == 0
            space = h5py.h5s.create_simple(values.shape)
            kind = h5py.h5t.NATIVE_INT32
            dataset = h5py.h5d.create(file.id, name.encode(), kind, space, creation)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        sizes = {name: {file[name].id.get_chunk_info(i).size for i in range(9)} for name in file}
    assert 4 * 8 * 10 * 13 in sizes["whole"] and 4 * 8 * 10 * 13 not in sizes["all"]
    with frazil.open(path) as file:
        for name in ("all", "whole"):
            assert (file.variables[name][:] == values).all()
            assert (file.variables[name][PART] == values[PART]).all()
            assert (file.variables[name][20, 9, 29]) == values[20, 9, 29]


def test_virtual_datasets(tmp_path):
    values = np.arange(20 * 6 * 9, dtype="f8").reshape(20, 6, 9)
    layout = h5py.VirtualLayout((20, 6, 9), "f8")
    for i in range(3):
        name = f"part{i}.h5"
        with h5py.File(tmp_path / name, "w") as part:
            part.create_dataset("v", data=values[5 * i : 5 * i + 5], compression=1)
        layout[5 * i : 5 * i + 5] = h5py.VirtualSource(name, "v", (5, 6, 9))
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        file.create_virtual_dataset("v", layout, fillvalue=-1)
    # The last part was never there.
    values[15:] = -1
    (tmp_path / "part2.h5").unlink()
    values[10:15] = -1
    with frazil.open(tmp_path / "virtual.h5") as file:
        assert (file.variables["v"][:] == values).all()
        assert (file.variables["v"][PART] == values[PART]).all()
        assert (file.variables["v"][[12, 1, 1]] == values[[12, 1, 1]]).all()


def test_what_lies_behind_texts_is_not_read(tmp_path):
    path, raw = tmp_path / "texts.h5", [b"ab\0zz", b"a b  ", b"     ", b"\0abcd", b"abcde"]
    pads = (h5py.h5t.STR_NULLTERM, h5py.h5t.STR_NULLPAD, h5py.h5t.STR_SPACEPAD)
    with h5py.File(path, "w") as file:
        for name, pad in zip(("ended", "nulls", "spaces"), pads, strict=True):
            text = h5py.h5t.C_S1.copy()
            text.set_size(5)
            text.set_strpad(pad)
            pair = h5py.h5t.create(h5py.h5t.COMPOUND, 7)
            pair.insert(b"number", 0, h5py.h5t.STD_I16LE)
            pair.insert(b"text", 2, text)
            space = h5py.h5s.create_simple((len(raw),))
            for kind, start in ((text, b""), (pair, b"\1\2")):
                values = np.array([start + one for one in raw], f"V{kind.get_size()}")
                own = f"{name}{kind.get_size()}".encode()
                dataset = h5py.h5d.create(file.id, own, kind, space)
                dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=kind)
    with h5py.File(path) as stock, frazil.open(path) as file:
        for name in ("ended", "nulls", "spaces"):
            assert file[f"{name}5"][:].tobytes() == stock[f"{name}5"][:].tobytes(), name
            assert file[f"{name}7"][:].tobytes() == stock[f"{name}7"][:].tobytes(), name


def test_elements_larger_than_their_file_close_nothing_else(tmp_path):
    path = tmp_path / "large.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("large", (2,), np.dtype(("f8", (1 << 20,))))
        file["small"] = np.arange(3)
    with frazil.open(path) as file:
        assert file["small"][:].tolist() == [0, 1, 2]
        assert file["large"].shape[0] == 2
        assert not file["large"][0].any()


def test_values_in_other_files(tmp_path, monkeypatch):
    values = np.arange(20 * 6 * 9, dtype=">i2").reshape(20, 6, 9)
    monkeypatch.chdir(tmp_path)
    outside = [("first.bin", 16, 1000), ("second.bin", 0, 2 * values.size - 1000)]
    with h5py.File("external.h5", "w") as file:
        file.create_dataset("v", values.shape, values.dtype, external=outside)[:] = values
    with frazil.open("external.h5") as file:
        assert (file.variables["v"][:] == values).all()
        assert (file.variables["v"][PART] == values[PART]).all()
    assert Path("first.bin").stat().st_size == 1016


def test_external_files_are_found_as_libhdf5_finds_them(tmp_path, monkeypatch):
    """From the current folder, or the one that the environment names; what they lack is zeros."""
    values = np.arange(12, dtype=">i4")
    (tmp_path / "one.raw").write_bytes(b"..." + values.tobytes()[:20])
    (tmp_path / "two.raw").write_bytes(values.tobytes()[20:40])
    path = tmp_path / "a.h5"
    parts = [("one.raw", 3, 20), ("two.raw", 0, 24), ("three.raw", 0, h5py.h5f.UNLIMITED)]
    with h5py.File(path, "w") as file:
        file.create_dataset("v", (13,), ">i4", external=parts)
    (tmp_path / "three.raw").write_bytes(values.tobytes()[44:])
    monkeypatch.chdir(tmp_path)
    with h5py.File(path) as file:
        expected = file["v"][:]
    assert expected.tolist() == [*range(10), 0, 11, 0]
    with frazil.open(path) as file:
        assert file["v"][:].tolist() == expected.tolist()
        assert file["v"][4:12:3].tolist() == expected[4:12:3].tolist()
    monkeypatch.chdir("/")
    with frazil.open(path) as file, pytest.raises(frazil.Error, match=r"one\.raw"):
        file["v"][:]
    monkeypatch.setenv("HDF5_EXTFILE_PREFIX", "${ORIGIN}")
    with frazil.open(path) as file:
        assert file["v"][:].tolist() == expected.tolist()


def test_links_show_what_they_lead_to(tmp_path):
    path = tmp_path / "links.h5"
    with h5py.File(path, "w") as file:
        file["data/raw/v"] = np.arange(20).reshape(4, 5)
        file["data/raw/v"].attrs["units"] = "K"
        file["data/raw/square"] = np.ones((5, 5))
        shown = file.create_group("shown")
        shown["hard"] = file["data/raw/v"]
        shown["soft"] = h5py.SoftLink("/data/again/v")
        file["data/again"] = h5py.SoftLink("raw")
        file["plain"] = np.zeros(7)
        file["second/up"] = file["data"]

    def listed(group, dimensions):
        found = {}
        for name, variable in group.variables.items():
            found[name] = (dimensions(variable), np.asarray(variable[...]).tolist())
        for name, below in group.groups.items():
            found |= {f"{name}/{key}": one for key, one in listed(below, dimensions).items()}
        return found

    with netCDF4.Dataset(path) as stock, frazil.open(path) as ours:
        expected = listed(stock, lambda variable: variable.dimensions)
        assert listed(ours, lambda variable: variable.dims) == expected
        assert {"shown/hard", "shown/soft", "data/again/square", "second/up/raw/v"} <= set(expected)
        assert ours["shown/soft"].attrs == {"units": "K"}
        assert ours["shown/soft"].path == "/shown/soft"


def test_links_that_lead_in_circles_or_nowhere(tmp_path):
    path = tmp_path / "circles.h5"
    with h5py.File(path, "w") as file:
        file["a/b/v"] = np.arange(3)
        file["a/b/up"] = file["a"]
        file["a/b/root"] = h5py.SoftLink("/")
        file["a/self"] = h5py.SoftLink("self")
        file["c"] = h5py.SoftLink("/a/b/up/b")
        # netCDF-C refuses files with these.
        file["a/b/gone"] = h5py.SoftLink("/data/other")
        file["a/b/outside"] = h5py.ExternalLink("absent.h5", "/v")
    with frazil.open(path) as file:
        assert list(file["a/b"].groups) == [] and list(file["a/b"].variables) == ["v"]
        # From elsewhere it is no circle yet.
        assert file["c/v"][:].tolist() == file["c/up/b/v"][:].tolist() == [0, 1, 2]


def test_a_file_that_grows_while_it_is_read(tmp_path):
    path = tmp_path / "grows.nc"
    rows = np.arange(40 * 50, dtype="f4").reshape(40, 50)
    written, failures = [0], []
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        writer.add_dimension("x", 50)
        variable = writer.add_variable("v", "f4", ["t", "x"], chunks=(4, 20))
        variable[0:4] = rows[:4]
        writer.sync()
        written[0] = 4
        done = threading.Event()

        def follow():
            with frazil.open(path) as begun:
                while not done.is_set():
                    least = written[0]
                    try:
                        # What was there at first is the same for ever.
                        same = (begun.variables["v"][:4] == rows[:4]).all()
                        with frazil.open(path) as now:
                            found = now.variables["v"][:]
                    except frazil.errors.FileChangedError:
                        continue
                    grown = len(found) >= least and (found == rows[: len(found)]).all()
                    if not (same and grown):
                        failures.append((least, found))

        readers = [threading.Thread(target=follow) for _ in range(3)]
        for reader in readers:
            reader.start()
        for i in range(4, 40):
            variable[i : i + 1] = rows[i : i + 1]
            writer.sync()
            written[0] = i + 1
        done.set()
        for reader in readers:
            reader.join()
    assert not failures


MANY = """
import sys, frazil
from pathlib import Path

def resident():
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4

files = []
def open_more(count):
    for _ in range(count):
        file = frazil.open(sys.argv[1])
        files.append(file)
        assert file.variables["v"][3, 4, 5] == 12345
    return resident()

open_more(50)
before = open_more(50)
print((open_more(300) - before) / 300)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says so")
def test_open_files_cost_no_memory_each(tmp_path):
    """Each has read from a chunk of 4 MiB; what libhdf5 and the cache keep has an end."""
    path = tmp_path / "one.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, length in zip("tyx", (16, 256, 512), strict=True):
            file.createDimension(name, length)
        chunks = (8, 256, 512)
        variable = file.createVariable("v", "f4", ("t", "y", "x"), zlib=True, chunksizes=chunks)
        variable[:] = 12345
    script = tmp_path / "many.py"
    script.write_text(MANY)
    command = [sys.executable, script, path]
    kibibytes = float(subprocess.run(command, check=True, capture_output=True).stdout)
    assert kibibytes < 64
