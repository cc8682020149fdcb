"""Files opened for reading through netCDF's calls: frazil's reader answers as netCDF-C does."""

import ctypes
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import random_files
from support.capi import PLAIN, needs
from support.command import BINARY, SAMPLE
from support.fortran import LIBRARIES, needs_netcdf_fortran, with_netcdf_fortran
from support.netcdf_calls import DOUBLE, FLOAT, KINDS, STRING, Calls, File, stock_library
from support.running import frazil_run

SEED = int(os.environ.get("FRAZIL_READING_SEED", time.time_ns() % 100_000))
FILES = 400 if os.environ.get("FRAZIL_FULL") else 40
# frazil's number for a file that it does not read itself (`NC_ENOTBUILT`).
NOT_READ = -128


@pytest.fixture(scope="module")
def libraries() -> tuple[Calls, Calls]:
    return Calls(LIBRARIES / "libfrazil.so", "frz_"), Calls(stock_library())


def first_difference(ours: list, theirs: list) -> tuple | None:
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return ours[max(0, number - 3) : number], one, other
    return None if len(ours) == len(theirs) else (len(ours), len(theirs))


def parts(file: File, seed: int) -> list:
    """Random parts of random variables, good and bad, and what came of each."""
    some, found = random.Random(seed), []
    for _ in range(150):
        group = file.root | some.choice([0, *file.groups()])
        variables = file.calls.numbers("inq_varids", group)
        varid = some.choice([-1, *variables, len(variables)])
        status, rank = file.calls.ints("inq_varndims", 1, group, varid)
        shape = axis_lengths(file, group, varid, rank) if status == 0 else []
        is_bad = some.random() < 0.3
        start = [some.randrange(max(n, 1) + 2 * is_bad) for n in shape]
        stride = [some.randrange(1 - is_bad, 3) for _ in shape]
        room = [max(n - at, 0) for n, at in zip(shape, start, strict=True)]
        count = [
            some.randrange(-(-n // max(step, 1)) + 1 + is_bad)
            for n, step in zip(room, stride, strict=True)
        ]
        memory = some.choice([*KINDS, "text", "string"])
        stored = file.calls.ints("inq_vartype", 1, group, varid)[1]
        if stored == STRING:
            # netCDF-C writes texts beyond memory for numbers.
            memory = "string"
        elif file.calls.ints("inq_var_quantize", 2, group, varid)[1] > 0:
            # netCDF-C rounds values once more when it converts them.
            memory = {FLOAT: "float", DOUBLE: "double"}[stored]
        step = some.choice([None, stride])
        if step is None:
            count = [min(n, rest + is_bad) for n, rest in zip(count, room, strict=True)]
        answer = file.part(group, varid, memory, start, count, step)
        found.append((group & 0xFFFF, varid, memory, start, count, step, answer))
    return found


def axis_lengths(file: File, group: int, varid: int, rank: int) -> list[int]:
    axes = (ctypes.c_int * max(rank, 1))()
    file.calls("inq_vardimid", group, varid, axes)
    return [file.dimension(group, axis)[2] for axis in list(axes)[:rank]]


def compare(path: Path, libraries: tuple[Calls, Calls], seed: int) -> tuple | None:
    """What differs first between frazil and netCDF-C."""
    ours, theirs = (File(calls, path) for calls in libraries)
    found = first_difference(list(ours.inventory()), list(theirs.inventory()))
    found = found or first_difference(parts(ours, seed), parts(theirs, seed))
    assert (ours.close(), theirs.close()) == (0, 0)
    return found


@pytest.mark.parametrize("maker", [random_files.netcdf4, random_files.hdf5])
def test_random_files_are_read_as_netcdf_c_reads_them(tmp_path: Path, libraries, maker):
    read = 0
    for seed in range(SEED, SEED + FILES):
        path = maker(tmp_path / f"{seed}.nc", seed)
        # Others have what netCDF-C alone sees as it does, or by chance.
        if is_read_by_frazil(path, libraries[0]):
            read += 1
            assert compare(path, libraries, seed) is None, f"FRAZIL_READING_SEED={seed}"
    assert read > FILES // 3


def is_read_by_frazil(path: Path, frazil: Calls) -> bool:
    number = ctypes.c_int()
    status = frazil("open_reading", str(path).encode(), 0, ctypes.byref(number))
    assert status in (0, NOT_READ)
    return status == 0 and frazil("close", number.value) == 0


def test_the_sample_is_read_by_frazil(libraries):
    assert is_read_by_frazil(SAMPLE, libraries[0])
    assert compare(SAMPLE, libraries, SEED) is None


def test_texts_that_are_not_there_are_read_as_null(tmp_path: Path, libraries):
    path, (ours, stock) = tmp_path / "null.nc", libraries
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 4)
        for name, fill in (("v", None), ("filled", "fill"), ("empty", None)):
            file.createVariable(name, str, ("x",), fill_value=fill)
    number = ctypes.c_int()
    assert stock("open", str(path).encode(), 1, ctypes.byref(number)) == 0
    texts = (ctypes.c_char_p * 4)(b"a", None, b"", b"d")
    assert stock("put_att_string", number, -1, b"texts", ctypes.c_size_t(4), texts) == 0
    assert stock("put_var_string", number, 0, texts) == 0
    one = (ctypes.c_size_t * 1)(1)
    assert stock("put_vara_string", number, 1, one, one, (ctypes.c_char_p * 1)(None)) == 0
    assert stock("close", number) == 0
    with h5py.File(path, "a") as file:
        # Of h5py's own, what was never written is not there.
        file.create_dataset("later", (4,), dtype=h5py.string_dtype(), chunks=(2,))[3] = "d"
        file["later"].dims[0].attach_scale(file["x"])
    assert is_read_by_frazil(path, ours)
    assert compare(path, libraries, SEED) is None
    file = File(ours, path)
    status, found = file.part(file.root, 0, "string", [0], [4], None)
    assert (status, found[:4]) == (0, [b"a", None, b"", b"d"])
    file.close()


def large(path: Path) -> Path:
    """A file that is worth to be taken: with a group, strings, and a short variable."""
    values = np.random.default_rng(1).normal(size=(40, 100, 100)).astype("f4")
    with netCDF4.Dataset(path, "w") as file:
        file.title = "é"
        for name, length in (("time", None), ("y", 100), ("x", 100)):
            file.createDimension(name, length)
        v = file.createVariable("v", "f4", ("time", "y", "x"), zlib=True, fill_value=-9)
        v.units, v.valid_range = "K", np.array([0, 1], "f8")
        v[:] = values
        file.createVariable("time", "f8", ("time",))[:30] = np.arange(30)
        file.createVariable("s", str, ("y",))[:] = np.full(100, "té", object)
        deep = file.createGroup("g/deep")
        deep.createVariable("n", ">i2", ("y",))[:] = np.arange(100)
    return path


def printed_under_run(folder: Path, *command: object, **environment: str) -> str:
    """What a program prints under `frazil run`."""
    done = frazil_run(folder, "--", *command, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fates(folder: Path) -> list[tuple[str, str]]:
    files = json.loads((folder / "report.json").read_text())["files"]
    return [(Path(file["path"]).name, file["fate"]) for file in files]


PYTHON = """
import sys, os, netCDF4
with netCDF4.Dataset(sys.argv[1]) as file:
    file.set_auto_mask(False)
    print(file, file["v"], file["v"].filters(), file["v"].chunking(), file["v"].endian())
    print(file["v"][3:30:7, ::9, 5].sum(), file["time"][:], file["s"][5], file["g/deep/n"][::3])
    print(file["v"][:].tobytes().__hash__() == file["v"][:].tobytes().__hash__(), file.ncattrs())
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print("child", file["v"][7].sum(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    try:
        file.more = 1
    except Exception as error:
        print(type(error), error)
    os.chdir("/")
    print(file["v"][39].sum(), file.filepath(), file["g/deep"].path, file["g/deep/n"][-1])
"""
XARRAY = """
import sys, xarray as xr
with xr.open_dataset(sys.argv[1], engine="netcdf4") as data:
    print(data, float(data.v.sum()), data.v[5, 6].values)
with xr.open_mfdataset([sys.argv[1]], engine="netcdf4", chunks={"time": 5}) as data:
    print(float(data.v.mean().compute()))
"""


@needs("ncdump")
@pytest.mark.parametrize("options", [(), ("-s",), ("-h",), ("-v", "time")])
def test_ncdump_prints_the_same(tmp_path: Path, options: tuple[str, ...]):
    path = large(tmp_path / "a.nc")
    plain = subprocess.run(["ncdump", *options, path], capture_output=True, text=True, check=True)
    assert printed_under_run(tmp_path, "ncdump", *options, path) == plain.stdout
    assert fates(tmp_path) == [("a.nc", "read")]


@pytest.mark.parametrize("program", [PYTHON, XARRAY])
def test_python_reads_the_same(tmp_path: Path, program: str):
    path = large(tmp_path / "a.nc")
    (tmp_path / "read.py").write_text(program)
    command = (sys.executable, "read.py", path)
    plain = subprocess.run(
        command, cwd=tmp_path, env=PLAIN, capture_output=True, text=True, check=True
    )
    assert printed_under_run(tmp_path, *command) == plain.stdout
    expected = "read_in_part" if program is PYTHON else "read"
    assert ("a.nc", expected) in fates(tmp_path)


@needs("ncks")
@needs("cdo")
def test_tools_read_and_write_at_the_same_time(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    for command in (
        ["ncks", "-4", "-O", "-L", "1", path],
        ["cdo", "-s", "-f", "nc4", "copy", path],
    ):
        subprocess.run([*map(str, command), "plain.nc"], cwd=tmp_path, check=True, env=PLAIN)
        printed_under_run(tmp_path, *command, "ours.nc")
        assert ("a.nc", "read") in fates(tmp_path)
        assert values_of(tmp_path / "plain.nc") == values_of(tmp_path / "ours.nc")


def values_of(path: Path) -> dict[str, list]:
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: variable[:].tolist() for name, variable in file.variables.items()}


@needs_netcdf_fortran
def test_a_fortran_program_reads_the_same(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    (tmp_path / "read.f90").write_text(
        """
program read
  use netcdf
  integer :: nc, v, status
  real :: values(100, 100)
  status = nf90_open('a.nc', nf90_nowrite, nc)
  status = nf90_inq_varid(nc, 'v', v)
  status = nf90_get_var(nc, v, values, start=[1, 1, 8], count=[100, 100, 1])
  print *, status, sum(values), nf90_inq_varid(nc, 'none', v), nf90_redef(nc), nf90_close(nc)
end program
"""
    )
    with_netcdf_fortran(tmp_path / "read.f90", tmp_path / "read")
    plain = subprocess.run(["./read"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert printed_under_run(tmp_path, "./read") == plain.stdout
    assert path.exists() and fates(tmp_path) == [("a.nc", "read_in_part")]


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    program = f"import netCDF4; netCDF4.Dataset('{path}')"
    with h5py.File(path, "r+", locking=False):
        printed_under_run(tmp_path, sys.executable, "-c", program, HDF5_USE_FILE_LOCKING="FALSE")
    assert fates(tmp_path) == [("a.nc", "not_read")]


def test_reading_can_be_left_to_the_programs_library(tmp_path: Path):
    path = large(tmp_path / "a.nc")
    command = [str(BINARY), "run", "--write-only", "--", sys.executable, "-c"]
    done = subprocess.run(
        [*command, f"import netCDF4; netCDF4.Dataset('{path}')"],
        env=PLAIN,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "nothing was accelerated" in done.stderr and "read by frazil" not in done.stderr
