"""The netCDF that writes with frazil, for programs of an MPI: ranks write one file by its calls."""

import ctypes.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.drop_in import BARE, installed
from support.dumps import ncdump
from support.fortran import run
from support.mpi import MPICH, OPEN_MPI, PROGRAMS, Mpi
from support.running import check_equal

pytestmark = pytest.mark.sampled(one_in=2)

RECORDS, NY, NX = 3, 24, 40
FORTRAN_SOURCE = os.environ.get("NETCDF_FORTRAN_SOURCE")
DEBIANS = Path("/usr/lib/x86_64-linux-gnu/netcdf/mpi/include")

CMAKE = """
cmake_minimum_required(VERSION 3.13)
project(model C)
find_package(netCDF 4.7 REQUIRED)
if(NOT netCDF_HAS_PARALLEL)
  message(FATAL_ERROR "no parallel files")
endif()
add_executable(model netcdf_par.c)
target_link_libraries(model netCDF::netcdf)
"""
FORTRAN = """
program model
  use mpi
  use netcdf
  integer :: nc, dims(2), v, record, rank, ranks, error, i
  real :: values(64)
  real, allocatable :: all(:, :)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call check(nf90_create_par('out.nc', nf90_netcdf4, mpi_comm_world, mpi_info_null, nc))
  call check(nf90_def_dim(nc, 'x', 64 * ranks, dims(1)))
  call check(nf90_def_dim(nc, 't', nf90_unlimited, dims(2)))
  call check(nf90_def_var(nc, 'v', nf90_float, dims, v, shuffle=.true., deflate_level=4, &
    chunksizes=[64, 1]))
  call check(nf90_enddef(nc))
  call check(nf90_var_par_access(nc, v, nf90_collective))
  do record = 1, 10
    values = [(real(record - 1 + i + 64 * rank), i = 0, 63)]
    call check(nf90_put_var(nc, v, values, [1 + 64 * rank, record], [64, 1]))
  end do
  call check(nf90_close(nc))
  call check(nf90_open_par('out.nc', nf90_nowrite, mpi_comm_world, mpi_info_null, nc))
  allocate(all(64 * ranks, 10))
  call check(nf90_get_var(nc, v, all))
  if (all(64 * ranks, 10) /= 64 * ranks + 8) error stop 'wrong values'
  call check(nf90_close(nc))
  call mpi_finalize(error)
contains
  subroutine check(status)
    integer, intent(in) :: status
    if (status /= nf90_noerr) then
      print *, status, trim(nf90_strerror(status))
      call mpi_abort(mpi_comm_world, 1, error)
    end if
  end subroutine
end program
"""
# What the last rank is told by netcdf_par_refused.c; calls that are not named succeed.
NO_PARALLEL, NOT_BUILT, INVALID = -114, -128, -36
REFUSED = [
    ("nc_open_par", NO_PARALLEL),
    ("nc_create_par", NOT_BUILT),
    ("nc_create_par", INVALID),
    ("nc_open_par", 2),
    ("nc_open_par", 2),
    ("nc_def_vlen", NOT_BUILT),
    ("nc_def_compound", NOT_BUILT),
    ("nc_var_par_access", INVALID),
    ("nc_var_par_access", -49),
    ("nc_get_var1_int", NOT_BUILT),
    ("nc_var_par_access", NO_PARALLEL),
]


@pytest.fixture(scope="module", params=[MPICH, OPEN_MPI], ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    if not request.param.is_here():
        pytest.skip(f"{request.param.name} is not installed (scripts/setup test installs it)")
    return request.param


@pytest.fixture(scope="module")
def tree(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("drop-in"), MPICC=mpi.compiler)


def built(tree: Path, name: str, program: Path) -> Path:
    """As a build system does it: with the compiler and the flags of nc-config."""
    said = run(tree / "bin/nc-config", "--cc", "--cflags", "--libs").split()
    run(said[0], "-std=gnu99", "-Wall", "-Wextra", PROGRAMS / f"{name}.c", "-o", program, *said[1:])
    return program


@pytest.fixture(scope="module")
def program(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tree, "netcdf_par", tmp_path_factory.mktemp("program") / "netcdf_par")


def start(
    mpi: Mpi, ranks: int, folder: Path, *command: object, **variables: str
) -> subprocess.CompletedProcess[str]:
    stated = {"FRAZIL_THREADS": "1", "FRAZIL_LONGEST_WAIT": "60", **variables}
    return subprocess.run(
        [*mpi.start, "-n", str(ranks), *map(str, command)],
        cwd=folder,
        env={**BARE, **mpi.environment, **stated},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def started(mpi: Mpi, ranks: int, folder: Path, *command: object, **variables: str) -> str:
    done = start(mpi, ranks, folder, *command, **variables)
    assert done.returncode == 0, f"{mpi.name}, {ranks} ranks, {command}\n{done.stdout}{done.stderr}"
    return done.stdout


def events(report: Path) -> dict[int, list[str]]:
    """Of each process."""
    all_events: dict[int, list[str]] = {}
    for line in report.read_text().splitlines():
        event = json.loads(line)
        all_events.setdefault(event["process"], []).append(event["event"])
    return all_events


def check_values(path: Path, records: int) -> None:
    record, y, x = np.ogrid[:records, :NY, :NX]
    expected = (record * 1000 + y * 31 + x % 7 + 0.25).astype("f4")
    cells = np.arange(NY * NX, dtype="f8").reshape(NY, NX)
    with netCDF4.Dataset(path) as file:
        assert np.array_equal(file["t"][:].filled(), expected)
        assert file["t"].filters()["complevel"] == 4 and file["t"].chunking() == [1, 10, NX]
        assert np.array_equal(file["plain"][:], cells) and file["filled"][:].mask.all()
    with h5py.File(path) as file:
        assert np.array_equal(file["t"][:], expected) and np.array_equal(file["plain"][:], cells)
        assert np.array_equal(file["more/area"][:], 3 * np.arange(NY))
        assert b"frazil" in file.attrs["_NCProperties"]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks_write_read_and_append(mpi: Mpi, program: Path, tmp_path: Path, ranks: int):
    """The file is that of one process, to the byte; each rank reports that frazil wrote."""
    started(mpi, 1, tmp_path, program, "alone.nc", "alone", "string")
    report = tmp_path / "report"
    told = {"FRAZIL_RUN_REPORT": str(report)}
    started(mpi, ranks, tmp_path, program, "out.nc", "write", "string", **told)
    check_values(tmp_path / "out.nc", RECORDS)
    check_equal(tmp_path / "alone.nc", tmp_path / "out.nc")
    assert b'names = "a name" ;' in ncdump(tmp_path / "out.nc")
    told = events(report)
    assert len(told) == ranks
    assert all(one[:2] == ["process", "taken"] and one[-1] == "closed" for one in told.values())
    started(mpi, ranks, tmp_path, program, "out.nc", "together", "string")
    check_values(tmp_path / "out.nc", RECORDS + 1)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"alone.nc", "out.nc", "report"}


@pytest.mark.skipif(not ctypes.util.find_library("netcdf_mpi"), reason="needs a parallel netCDF")
def test_the_file_is_that_of_a_parallel_netcdf(mpi: Mpi, program: Path, tmp_path: Path):
    if mpi is not OPEN_MPI or not DEBIANS.is_dir():
        pytest.skip("Debian's parallel netCDF is built with Open MPI")
    library = ctypes.util.find_library("netcdf_mpi")
    source = PROGRAMS / "netcdf_par.c"
    run(mpi.compiler, f"-I{DEBIANS}", source, "-o", tmp_path / "stock", f"-l:{library}")
    started(mpi, 2, tmp_path, tmp_path / "stock", "stock.nc", "together")
    started(mpi, 2, tmp_path, program, "out.nc", "together")
    check_equal(tmp_path / "stock.nc", tmp_path / "out.nc")


def test_what_ranks_do_not_get(mpi: Mpi, tree: Path, tmp_path: Path):
    """Statuses instead of waits, on all ranks alike; the file is whole in the end."""
    program = built(tree, "netcdf_par_refused", tmp_path / "refused")
    report = tmp_path / "report"
    said = started(mpi, 2, tmp_path, program, "out.nc", FRAZIL_RUN_REPORT=str(report))
    calls = [line.split() for line in said.splitlines()]
    assert [(call, int(status)) for call, status in calls if status != "0"] == REFUSED
    assert any("nc_def_compound" in line for line in report.read_text().splitlines())
    with h5py.File(tmp_path / "out.nc") as file:
        assert np.array_equal(file["v"][:], [0, 1])
        np.testing.assert_allclose(file["rounded"][:], [0, 1], rtol=1e-3)
        assert file["large"].chunks is not None and np.array_equal(file["large"][:2], [0, 1])


def test_options_of_writers_hold_for_ranks(mpi: Mpi, program: Path, tmp_path: Path):
    asked = {"FRAZIL_RUN_COMPRESS": "1", "FRAZIL_RUN_COMMIT_BEHIND": "1"}
    started(mpi, 2, tmp_path, program, "out.nc", "together", **asked)
    check_values(tmp_path / "out.nc", RECORDS + 1)
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["plain"].filters()["zlib"] and file["plain"].chunking() == [NY, NX]


def test_programs_of_another_mpi_are_refused(tree: Path, mpi: Mpi, tmp_path: Path):
    other = MPICH if mpi is OPEN_MPI else OPEN_MPI
    if not other.is_here():
        pytest.skip(f"needs {other.name}")
    program, source = tmp_path / "other", PROGRAMS / "netcdf_par.c"
    flags = run(tree / "bin/nc-config", "--cflags", "--libs").split()
    run(other.compiler, "-std=gnu99", source, "-o", program, *flags)
    done = start(other, 2, tmp_path, program, "out.nc", "write")
    assert done.returncode != 0 and "nc_create_par(path, NC_NETCDF4" in done.stderr
    assert str(NO_PARALLEL) in done.stderr and not (tmp_path / "out.nc").exists()
    # Files of one process need no MPI.
    started(other, 1, tmp_path, program, "alone.nc", "alone")
    check_values(tmp_path / "alone.nc", RECORDS)


def test_build_systems_see_that_it_is_parallel(mpi: Mpi, tree: Path, tmp_path: Path):
    config = tree / "bin/nc-config"
    asked = ("--has-parallel", "--has-parallel4", "--has-pnetcdf")
    assert run(config, *asked).split() == ["yes", "yes", "no"]
    assert run(config, "--cc").strip() == mpi.compiler
    shutil.copy(PROGRAMS / "netcdf_par.c", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    stated = (f"-DCMAKE_PREFIX_PATH={tree}", f"-DCMAKE_C_COMPILER={mpi.compiler}")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", *stated)
    run("cmake", "--build", tmp_path / "build")
    started(mpi, 2, tmp_path, tmp_path / "build/model", "out.nc", "together")
    check_values(tmp_path / "out.nc", RECORDS + 1)


def test_a_tree_without_mpi_has_nothing_of_it(tmp_path: Path):
    tree = installed(tmp_path)
    assert not (tree / "include/netcdf_par.h").exists()
    assert not list(tree.glob("lib/frazil/*mpi*"))
    meta = (tree / "include/netcdf_meta.h").read_text()
    assert re.search(r"#define NC_HAS_PARALLEL\s+0", meta)


@pytest.mark.skipif(
    FORTRAN_SOURCE is None, reason="NETCDF_FORTRAN_SOURCE names no release of netCDF-Fortran"
)
def test_a_fortran_program(mpi: Mpi, tmp_path: Path):
    if shutil.which(mpi.fortran) is None:
        pytest.skip(f"needs {mpi.fortran}")
    tree = installed(tmp_path, MPICC=mpi.compiler, MPIFC=mpi.fortran)
    (tmp_path / "model.f90").write_text(FORTRAN)
    said = run(tree / "bin/nf-config", "--fc", "--fflags", "--flibs").split()
    run(said[0], tmp_path / "model.f90", "-o", tmp_path / "model", *said[1:], cwd=tmp_path)
    started(mpi, 3, tmp_path, tmp_path / "model")
    expected = np.add.outer(np.arange(10), np.arange(3 * 64))
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert np.array_equal(file["v"][:], expected) and file["v"].chunking() == [1, 64]
    with h5py.File(tmp_path / "out.nc") as file:
        assert np.array_equal(file["v"][:], expected)
        assert b"frazil" in file.attrs["_NCProperties"]


def told(said: str) -> list[str]:
    """Without what MPI says of messages that nobody reads."""
    return re.findall(r"^\w+ -?\d+$", said, flags=re.M)


def test_ranks_that_drop_their_files(mpi: Mpi, tree: Path, tmp_path: Path):
    """`nc_abort` removes a new file, on all ranks or on one; the ranks go on with others."""
    program = built(tree, "netcdf_par_left", tmp_path / "left")
    said = told(started(mpi, 3, tmp_path, program, "abort"))
    assert sorted(set(said)) == ["abort 0", "close 0"] and len(said) == 63
    (tmp_path / "out.nc").rename(tmp_path / "first.nc")
    said = told(started(mpi, 3, tmp_path, program, "one"))
    assert said.count("abort 0") == 1 and said.count("close 0") == 3 and len(said) == 6
    assert {path.name for path in tmp_path.glob("*.nc")} == {"first.nc", "next.nc"}
    for name in ("first.nc", "next.nc"):
        with h5py.File(tmp_path / name) as file:
            assert np.array_equal(file["v"][:], [0, 1, 2])


def test_a_rank_that_ends_without_a_close(mpi: Mpi, tree: Path, tmp_path: Path):
    """The file is as at the last sync of all ranks; nothing hangs."""
    program = built(tree, "netcdf_par_left", tmp_path / "left")
    done = start(mpi, 3, tmp_path, program, "exit", FRAZIL_LONGEST_WAIT="10")
    said = told(done.stdout)
    assert said.count("sync 0") == 3 and "close 0" not in said
    with h5py.File(tmp_path / "out.nc") as file:
        assert np.array_equal(file["v"][:], [0, 1, 2])


def test_a_compiler_that_is_none_leaves_no_tree(tmp_path: Path):
    with pytest.raises(AssertionError, match="cannot be compiled with no-such-mpicc"):
        installed(tmp_path, MPICC="no-such-mpicc")
    assert list(tmp_path.iterdir()) == []
