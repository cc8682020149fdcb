"""The netCDF that writes with frazil: what is linked with it needs no change and no environment."""

import ctypes
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
from support.command import ROOT
from support.drop_in import BARE, installed
from support.dumps import ncdump
from support.fortran import GFORTRAN, run

FORTRAN_SOURCE = os.environ.get("NETCDF_FORTRAN_SOURCE")

C = """
#include <netcdf.h>
#include <netcdf_aux.h>
#include <netcdf_filter.h>
#include <netcdf_mem.h>
#include <netcdf_meta.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#define MUST(call) do { int status = (call); if (status) { \\
    printf("%s: %s\\n", #call, nc_strerror(status)); exit(1); } } while (0)
int main(int argc, char **argv) {
    int nc, dims[2], v, old, classic;
    static float row[64];
    MUST(nc_create(argv[1], NC_NETCDF4, &nc));
    MUST(nc_def_dim(nc, "t", NC_UNLIMITED, dims));
    MUST(nc_def_dim(nc, "x", 64, dims + 1));
    MUST(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &v));
    MUST(nc_def_var_deflate(nc, v, 1, 1, 4));
    MUST(nc_put_att_text(nc, v, "units", 1, "K"));
    MUST(nc_enddef(nc));
    for (size_t record = 0; record < 10; record++) {
        size_t start[2] = {record, 0}, count[2] = {1, 64};
        for (int i = 0; i < 64; i++) row[i] = record + i;
        MUST(nc_put_vara_float(nc, v, start, count, row));
    }
    /* The second version of the interface, on a file of the third. */
    old = ncvarid(nc, "v");
    if (old != v) return 2;
    MUST(nc_close(nc));
    /* What frazil does not write. */
    MUST(nc_create(argv[2], NC_CLASSIC_MODEL, &classic));
    MUST(nc_def_dim(classic, "x", 3, dims));
    MUST(nc_close(classic));
    MUST(nc_open(argv[1], NC_NOWRITE, &nc));
    MUST(nc_get_var1_float(nc, v, (size_t[]){9, 3}, row));
    MUST(nc_close(nc));
    return row[0] == 12 && !strncmp(nc_inq_libvers(), NC_VERSION, 3) ? 0 : 3;
}
"""
APPEND = """
#include <netcdf.h>
int main(void) {
    int nc, v, i;
    size_t start[2] = {3, 0}, count[2] = {1, 64};
    float row[64];
    for (i = 0; i < 64; i++) row[i] = 7;
    if (nc_open("out.nc", NC_WRITE, &nc) || nc_inq_varid(nc, "v", &v)) return 1;
    if (nc_put_vara_float(nc, v, start, count, row)) return 2;
    if (nc_put_att_text(nc, v, "units", 1, "K")) return 3;
    return nc_close(nc);
}
"""
FORTRAN = """
program model
  use netcdf
  integer :: nc, dims(2), v, record
  character(len=80) :: path
  real :: values(64)
  call get_command_argument(1, path)
  call check(nf90_create(trim(path), nf90_netcdf4, nc))
  call check(nf90_def_dim(nc, 'x', 64, dims(1)))
  call check(nf90_def_dim(nc, 't', nf90_unlimited, dims(2)))
  call check(nf90_def_var(nc, 'v', nf90_float, dims, v, shuffle=.true., deflate_level=4, &
    chunksizes=[16, 5]))
  call check(nf90_put_att(nc, v, 'units', 'K'))
  call check(nf90_enddef(nc))
  do record = 1, 10
    values = [(real(record - 1 + i), i = 0, 63)]
    call check(nf90_put_var(nc, v, values, [1, record], [64, 1]))
  end do
  call check(nf90_close(nc))
contains
  subroutine check(status)
    integer, intent(in) :: status
    if (status /= nf90_noerr) error stop 'a call failed'
  end subroutine
end program
"""
SYNC = """
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define MUST(call) do { int status = (call); if (status) { \\
    printf("%s: %s\\n", #call, nc_strerror(status)); exit(1); } } while (0)
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}
int main(int argc, char **argv) {
    enum { ROW = 1 << 22 };
    float *row = malloc(ROW * sizeof *row);
    int nc, dims[2], v;
    size_t length;
    MUST(nc_create(argv[1], NC_NETCDF4, &nc));
    MUST(nc_def_dim(nc, "t", NC_UNLIMITED, dims));
    MUST(nc_def_dim(nc, "x", ROW, dims + 1));
    MUST(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &v));
    MUST(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){1, ROW / 16}));
    MUST(nc_def_var_deflate(nc, v, 1, 1, 9));
    for (int i = 0; i < ROW; i++) row[i] = rand() % 1000 * 0.1f;
    for (size_t record = 0; record < 2; record++) {
        MUST(nc_put_vara_float(nc, v, (size_t[]){record, 0}, (size_t[]){1, ROW}, row));
        double begun = now();
        MUST(nc_sync(nc));
        double synced = now();
        MUST(nc_inq_dimlen(nc, dims[0], &length));
        printf("%g %g\\n", synced - begun, now() - synced);
    }
    MUST(nc_close(nc));
    return 0;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.13)
project(model C)
find_package(netCDF 4.7 REQUIRED)
if(NOT netCDF_HAS_NC4)
  message(FATAL_ERROR "no netCDF-4")
endif()
add_executable(model model.c)
target_link_libraries(model netCDF::netcdf)
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("drop-in"))


def events(report: Path) -> list[str]:
    return [json.loads(line)["event"] for line in report.read_text().splitlines()]


def check(program: Path, folder: Path, *arguments: str) -> None:
    """Runs a program, and reads what it wrote by other readers."""
    report = folder / "report"
    run(program, "out.nc", *arguments, cwd=folder, env=BARE)
    environment = {**BARE, "FRAZIL_RUN_REPORT": str(report)}
    run(program, "out.nc", *arguments, cwd=folder, env=environment)
    passed = ["passed"] if arguments else []
    assert events(report) == ["process", "taken", "closed", *passed]
    expected = np.add.outer(np.arange(10), np.arange(64))
    with netCDF4.Dataset(folder / "out.nc") as file:
        assert (file["v"][:] == expected).all() and file["v"].filters()["complevel"] == 4
    with h5py.File(folder / "out.nc") as file:
        assert (file["v"][:] == expected).all()
        assert b"frazil" in file.attrs["_NCProperties"]
    assert b'v:units = "K"' in ncdump(folder / "out.nc")


@pytest.mark.parametrize("way", ["nc-config", "pkg-config", "cmake"])
def test_a_c_program_is_built_in_every_way(tree: Path, tmp_path: Path, way: str):
    source, program = tmp_path / "model.c", tmp_path / "model"
    source.write_text(C)
    if way == "cmake":
        (tmp_path / "CMakeLists.txt").write_text(CMAKE)
        program = tmp_path / "build/model"
        run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tree}")
        run("cmake", "--build", tmp_path / "build")
    else:
        if way == "nc-config":
            flags = run(tree / "bin/nc-config", "--cflags", "--libs").split()
        else:
            paths = {**os.environ, "PKG_CONFIG_PATH": str(tree / "lib/pkgconfig")}
            flags = run("pkg-config", "--cflags", "--libs", "netcdf", env=paths).split()
        run("cc", source, "-o", program, *flags)
    check(program, tmp_path, "classic.nc")


@pytest.mark.skipif(
    GFORTRAN is None or FORTRAN_SOURCE is None,
    reason="gfortran is not installed, or NETCDF_FORTRAN_SOURCE names no release of netCDF-Fortran",
)
def test_a_fortran_program(tree: Path, tmp_path: Path):
    source, program = tmp_path / "model.f90", tmp_path / "model"
    source.write_text(FORTRAN)
    flags = run(tree / "bin/nf-config", "--fflags", "--flibs").split()
    run(GFORTRAN, source, "-o", program, *flags)
    check(program, tmp_path)
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["v"].chunking() == [5, 16]


def test_a_file_that_is_opened_to_write_on(tree: Path, tmp_path: Path):
    with netCDF4.Dataset(tmp_path / "out.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 64)
        file.createVariable("v", "f4", ("t", "x"), zlib=True)[:3] = 1
    (tmp_path / "append.c").write_text(APPEND)
    flags = run(tree / "bin/nc-config", "--cflags", "--libs").split()
    run("cc", "append.c", "-o", "append", *flags, cwd=tmp_path)
    environment = {**BARE, "FRAZIL_RUN_REPORT": str(tmp_path / "report")}
    run(tmp_path / "append", cwd=tmp_path, env=environment)
    assert events(tmp_path / "report") == ["process", "taken", "committed", "changed", "closed"]
    with h5py.File(tmp_path / "out.nc") as file:
        assert file["v"].shape == (4, 64) and (file["v"][3] == 7).all()
        assert file["v"].compression == "gzip" and file["v"].attrs["units"] == b"K"


@pytest.mark.parametrize("length", ["NC_UNLIMITED", "10"])
def test_options_come_from_the_environment(tree: Path, tmp_path: Path, length: str):
    source, program = tmp_path / "model.c", tmp_path / "model"
    text = C.replace("MUST(nc_def_var_deflate(nc, v, 1, 1, 4));", "")
    source.write_text(text.replace("NC_UNLIMITED", length))
    run("cc", source, "-o", program, *run(tree / "bin/nc-config", "--cflags", "--libs").split())
    run(program, "plain.nc", "classic.nc", cwd=tmp_path, env=BARE)
    ours = {"FRAZIL_RUN_COMPRESS": "1", "FRAZIL_OPTIONS": "goal=size"}
    run(program, "out.nc", "classic.nc", cwd=tmp_path, env={**BARE, **ours})
    levels = {}
    for name in ("plain.nc", "out.nc"):
        with netCDF4.Dataset(tmp_path / name) as file:
            levels[name] = file["v"].filters()["complevel"]
    assert levels["plain.nc"] == 0 < levels["out.nc"]


@pytest.mark.parametrize(
    "filtering", ["nc_def_var_zstandard(nc, v, 3)", "nc_def_var_szip(nc, v, 32, 8)"]
)
def test_small_files_are_read_with_filters_that_its_hdf5_lacks(
    tree: Path, tmp_path: Path, filtering: str
):
    source, program = tmp_path / "model.c", tmp_path / "model"
    source.write_text(C.replace("nc_def_var_deflate(nc, v, 1, 1, 4)", filtering))
    run("cc", source, "-o", program, *run(tree / "bin/nc-config", "--cflags", "--libs").split())
    report = tmp_path / "report"
    run(
        program,
        "out.nc",
        "classic.nc",
        cwd=tmp_path,
        env={**BARE, "FRAZIL_RUN_REPORT": str(report)},
    )
    assert "read" in events(report)
    with h5py.File(tmp_path / "out.nc") as file:
        number = file["v"].id.get_create_plist().get_filter(0)[0]
    assert number == (32015 if "zstandard" in filtering else h5py.h5z.FILTER_SZIP)


def test_commits_go_on_behind_the_program_on_request(tree: Path, tmp_path: Path):
    source, program = tmp_path / "model.c", tmp_path / "model"
    source.write_text(SYNC)
    run("cc", source, "-o", program, *run(tree / "bin/nc-config", "--cflags", "--libs").split())
    waits = {}
    for behind in ("0", "1"):
        asked = {**BARE, "FRAZIL_RUN_COMMIT_BEHIND": behind, "FRAZIL_OPTIONS": "threads=1"}
        said = run(program, f"{behind}.nc", cwd=tmp_path, env=asked)
        waits[behind] = np.array([line.split() for line in said.splitlines()], float).sum(axis=0)
    # Either the commit takes the time, or the call after it.
    assert waits["0"][0] > waits["0"][1] and waits["1"][0] < waits["1"][1]
    with netCDF4.Dataset(tmp_path / "0.nc") as one, netCDF4.Dataset(tmp_path / "1.nc") as other:
        assert one["v"].shape[0] == 2 and (one["v"][:] == other["v"][:]).all()


def test_variables_of_the_library_have_a_meaning(tree: Path, tmp_path: Path):
    crates = ("frazil-preload", "frazil-interpose")
    sources = [path for crate in crates for path in (ROOT / "crates" / crate / "src").glob("*.rs")]
    names = {
        name for path in sources for name in re.findall(r'"(FRAZIL_RUN_\w+)"', path.read_text())
    }
    assert {"FRAZIL_RUN_REPORT", "FRAZIL_RUN_WRITE_ONLY"} <= names
    names -= {"FRAZIL_RUN_LIBRARY"}
    source, program = tmp_path / "model.c", tmp_path / "model"
    source.write_text(C)
    run("cc", source, "-o", program, *run(tree / "bin/nc-config", "--cflags", "--libs").split())
    stated = {**BARE, **dict.fromkeys(names, "1"), "FRAZIL_RUN_REPORT": str(tmp_path / "report")}
    done = subprocess.run(
        [program, "out.nc", "classic.nc"],
        cwd=tmp_path,
        env=stated,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nc_config_knows_what_configure_scripts_ask_for(tree: Path):
    config = tree / "bin/nc-config"
    assert run(config, "--prefix").strip() == str(tree)
    assert re.fullmatch(r"netCDF 4\.\d+\.\d+\n", run(config, "--version"))
    answers = [
        run(config, f"--has-{it}").strip() for it in ("nc4", "hdf5", "dap", "parallel", "nc2")
    ]
    assert answers == ["yes", "yes", "no", "no", "yes"]
    assert str(tree / "lib") in run(config, "--all")
    wrong = subprocess.run([config, "--nonsense"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1 and "unknown option: --nonsense" in wrong.stderr


def test_every_function_of_the_headers_is_there(tree: Path):
    """Of the installed headers, of which the linker would miss one only in some program."""
    library = ctypes.CDLL(str(tree / "lib/libnetcdf.so"))
    # Of builds with MPI.
    absent = {"nc_create_par", "nc_open_par"}
    missing = []
    for header in (tree / "include").glob("netcdf*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for name in re.findall(r"^EXTERNL[^;(]*?\b(nc\w*)\s*\(", text, flags=re.M):
            if not hasattr(library, name) and name not in absent:
                missing.append(name)
    stock = shutil.which("nc-config")
    if stock is None:
        assert missing == []
        return
    # What the installed library's own headers do not have behind them either is nobody's.
    libdir = run(stock, "--libdir").strip()
    other = ctypes.CDLL(next(iter(Path(libdir).glob("libnetcdf.so*"))))
    assert [name for name in missing if hasattr(other, name)] == []


def test_names_of_hdf5_stay_inside(tree: Path):
    """A program's own libhdf5, of another release, is not hidden by ours."""
    names = run("nm", "-D", "--defined-only", tree / "lib/libnetcdf.so")
    assert not re.search(r" H5\w+$| compress2?$| _R\w+$", names, flags=re.M)
