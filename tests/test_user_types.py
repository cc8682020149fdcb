"""Types that programs define, in files opened for reading: frazil answers as netCDF-C does."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import make
from support.capi import PLAIN, needs
from support.fortran import LIBRARIES
from support.netcdf_calls import Calls, File, stock_library
from support.user_types import Types, random_file
from test_netcdf_reading import fates, first_difference, is_read_by_frazil, printed_under_run

SEED = int(os.environ.get("FRAZIL_TYPES_SEED", time.time_ns() % 100_000))
FILES = 400 if os.environ.get("FRAZIL_FULL") else 60


@pytest.fixture(scope="module")
def libraries() -> tuple[Calls, Calls]:
    return Calls(LIBRARIES / "libfrazil.so", "frz_"), Calls(stock_library())


def difference(path: Path, libraries: tuple[Calls, Calls]) -> tuple | None:
    """What differs first between frazil and netCDF-C."""
    ours, theirs = (File(calls, path) for calls in libraries)
    found = first_difference(list(ours.inventory()), list(theirs.inventory()))
    found = found or first_difference(*(list(Types(one).inventory()) for one in (ours, theirs)))
    assert (ours.close(), theirs.close()) == (0, 0)
    return found


def test_random_types_are_read_as_netcdf_c_reads_them(tmp_path: Path, libraries):
    for seed in range(SEED, SEED + FILES):
        path = random_file(tmp_path / f"{seed}.nc", seed)
        assert is_read_by_frazil(path, libraries[0]), f"FRAZIL_TYPES_SEED={seed}"
        assert difference(path, libraries) is None, f"FRAZIL_TYPES_SEED={seed}"


def test_types_of_netcdf4_python_are_read_by_frazil(tmp_path: Path, libraries):
    path = make.every_netcdf4_type(tmp_path / "types.nc")
    assert is_read_by_frazil(path, libraries[0])
    assert difference(path, libraries) is None


def h5py_types(path: Path, *, is_first: bool = True) -> Path:
    """Named types of HDF5: packed, big-endian, and with an order of their own."""
    packed = np.dtype([("a", "i1"), ("b", ">f8"), ("c", "<i2", (2, 3))])
    choice = h5py.enum_dtype({"no": 0, "yes": 1, "maybe": 300}, basetype="<i2")
    nested = np.dtype([("one", packed), ("kind", choice), ("raw", "V5")])
    with h5py.File(path, "w") as file:
        for name, kind in {"a_packed": packed, "b_choice": choice, "c_nested": nested}.items():
            if name == "c_nested":
                file["b_opaque"] = np.dtype("V5")
            file[name] = kind
        values = np.zeros((3, 4), nested)
        values["one"]["b"] = np.arange(12).reshape(3, 4)
        values["one"]["c"][..., 1, 2] = 7
        values["kind"] = 300
        file.create_dataset("v", data=values, dtype=file["c_nested"], chunks=(2, 2), compression=4)
        file["v"].attrs.create("also", values[0, :2], dtype=file["c_nested"])
        file.create_dataset("w" if is_first else "a", data=values["one"], dtype=file["a_packed"])
    return path


def test_types_that_lie_otherwise_in_the_file(tmp_path: Path, libraries):
    path = h5py_types(tmp_path / "a.h5")
    assert is_read_by_frazil(path, libraries[0])
    assert difference(path, libraries) is None


def test_types_without_a_name_are_left_to_netcdf_c(tmp_path: Path, libraries):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["v"] = np.zeros(3, [("a", "i4"), ("b", "f8")])
    assert not is_read_by_frazil(tmp_path / "a.h5", libraries[0])
    # netCDF-C meets this variable before its type, and makes one up.
    path = h5py_types(tmp_path / "b.h5", is_first=False)
    assert not is_read_by_frazil(path, libraries[0])


def test_types_of_two_files_are_compared(tmp_path: Path, libraries):
    answers = []
    for calls in libraries:
        one = File(calls, make.every_netcdf4_type(tmp_path / "a.nc"))
        other = File(calls, h5py_types(tmp_path / "b.h5"))
        same = File(calls, make.every_netcdf4_type(tmp_path / "c.nc"))
        numbers = range(31, 38)
        answers.append(
            [
                calls.ints("inq_type_equal", 1, one.root, i, second.root, j)
                for second in (other, same)
                for i in numbers
                for j in numbers
            ]
        )
        assert [file.close() for file in (one, other, same)] == [0, 0, 0]
    assert answers[0] == answers[1]
    assert (0, 1) in answers[0]


def large(path: Path) -> Path:
    """A file with types that is worth to be taken."""
    make.every_netcdf4_type(path)
    pair = np.dtype([("n", "i2"), ("value", "f8"), ("counts", "i4", (3,))], align=True)
    with netCDF4.Dataset(path, "a") as file:
        file.createDimension("many", 300_000)
        values = np.zeros(300_000, pair)
        values["value"] = np.random.default_rng(1).normal(size=300_000)
        values["n"] = np.arange(300_000) % 300
        one = file.createVariable("many_pairs", file.cmptypes["pair"], ("many",), zlib=True)
        one[:] = values
    return path


PYTHON = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1]) as file:
    file.set_auto_mask(False)
    print(file, file.cmptypes, file.vltypes, file.enumtypes)
    for name, variable in file.variables.items():
        print(name, variable, variable.dtype, variable[...].tolist()[:500] if variable.ndim else 0)
        print({name: variable.getncattr(name) for name in variable.ncattrs()})
"""


@needs("ncdump")
def test_ncdump_prints_the_same(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    plain = subprocess.run(["ncdump", path], capture_output=True, text=True, check=True)
    assert printed_under_run(tmp_path, "ncdump", path) == plain.stdout
    assert fates(tmp_path) == [("a.nc", "read")]


def test_python_reads_the_same(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    (tmp_path / "read.py").write_text(PYTHON)
    command = (sys.executable, "read.py", path)
    plain = subprocess.run(
        command, cwd=tmp_path, env=PLAIN, capture_output=True, text=True, check=True
    )
    assert printed_under_run(tmp_path, *command) == plain.stdout
    assert fates(tmp_path) == [("a.nc", "read")]


@needs("ncdump")
@needs("nccopy")
def test_nccopy_copies_the_same(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    subprocess.run(["nccopy", path, tmp_path / "plain.nc"], check=True)
    printed_under_run(tmp_path, "nccopy", path, tmp_path / "ours.nc")
    dumps = [
        subprocess.run(
            ["ncdump", "-n", "one", tmp_path / name], capture_output=True, text=True, check=True
        ).stdout
        for name in ("plain.nc", "ours.nc")
    ]
    assert dumps[0] == dumps[1]


def test_sequences_are_made_and_copied(libraries, tmp_path: Path):
    path = make.every_netcdf4_type(tmp_path / "a.nc")
    calls = libraries[0]
    file = File(calls, path)
    types = Types(file)
    rows = next(number for number, kind in types.kinds.items() if kind.name == b"rows")
    values = (ctypes.c_int32 * 3)(5, 6, 7)
    element = (ctypes.c_size_t * 2)()
    place = (file.root, rows, element, ctypes.c_size_t(3))
    assert calls("put_vlen_element", *place, values) == 0
    copied, length = (ctypes.c_int32 * 3)(), ctypes.c_size_t()
    place = (file.root, rows, element, ctypes.byref(length))
    assert calls("get_vlen_element", *place, copied) == 0
    assert (length.value, list(copied)) == (3, [5, 6, 7])
    assert file.close() == 0
