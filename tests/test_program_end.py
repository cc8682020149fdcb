"""Programs that end without closing their files: what they put is there."""

import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.capi import PLAIN, compiled, needs
from support.fortran import install, needs_gfortran, with_frazil

pytestmark = needs("pkg-config")

# Puts five records with netCDF's calls and five with frazil's, and ends as it is told.
PROGRAM = r"""
#define _GNU_SOURCE
#define FRAZIL_NETCDF_NAMES
#include <frazil.h>
#include <frazil_netcdf.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int nc;
static int is_left_to_the_end;

/* Runs behind what was registered with atexit: the file is closed by then, and there. */
static void __attribute__((destructor)) late(void) {
    if (is_left_to_the_end && nc_close(nc) != NC_EBADID) abort();
}

static void on_term(int number) { exit(number == SIGTERM ? 7 : 8); }
static void *sleep_on(void *none) { pause(); return none; }

int main(int argc, char **argv) {
    const char *end = argc > 1 ? argv[1] : "";
    int dims[2], v, x, w, t;
    frz_writer *writer;
    static float row[1000];
    nc_create("calls.nc", NC_NETCDF4, &nc);
    nc_def_dim(nc, "t", NC_UNLIMITED, dims);
    nc_def_dim(nc, "x", 1000, dims + 1);
    nc_def_var(nc, "v", NC_FLOAT, 2, dims, &v);
    nc_enddef(nc);
    frz_create("writer.nc", NULL, &writer);
    frz_add_unlimited_dimension(writer, FRZ_ROOT, "t", 0, &t);
    frz_add_dimension(writer, FRZ_ROOT, "x", 1000, &x);
    dims[0] = t; dims[1] = x;
    frz_add_variable(writer, FRZ_ROOT, "v", FRZ_FLOAT, 2, dims, &w);
    for (size_t record = 0; record < 5; record++) {
        size_t start[2] = {record, 0}, count[2] = {1, 1000};
        uint64_t first[2] = {record, 0}, many[2] = {1, 1000};
        for (int i = 0; i < 1000; i++) row[i] = (float)(record * 1000 + i);
        nc_put_vara_float(nc, v, start, count, row);
        frz_put(writer, w, first, many, NULL, FRZ_FLOAT, row);
    }
    is_left_to_the_end = strcmp(end, "destructor") == 0;
    if (strcmp(end, "exit") == 0) exit(3);
    if (strcmp(end, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, sleep_on, NULL);
    }
    if (strcmp(end, "fork") == 0) {
        int status;
        if (fork() == 0) exit(0);
        wait(&status);
        for (int i = 0; i < 1000; i++) row[i] = -1;
        size_t start[2] = {5, 0}, count[2] = {1, 1000};
        nc_put_vara_float(nc, v, start, count, row);
    }
    if (strcmp(end, "term") == 0) {
        signal(SIGTERM, on_term);
        raise(SIGTERM);
    }
    if (strcmp(end, "_exit") == 0) _exit(0);
    return 0;
}
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def program(prefix: Path) -> Path:
    source = prefix / "unclosed.c"
    source.write_text(PROGRAM)
    return compiled(prefix, source, prefix / "unclosed", "-std=gnu99", "-pthread")


def values(path: Path) -> np.ndarray:
    with netCDF4.Dataset(path) as file:
        return file["v"][:].filled()


@pytest.mark.parametrize(
    ("end", "code"),
    [("return", 0), ("exit", 3), ("thread", 0), ("term", 7), ("fork", 0), ("destructor", 0)],
)
def test_c_programs_that_do_not_close(program: Path, tmp_path: Path, end: str, code: int):
    done = subprocess.run(
        [program, end], cwd=tmp_path, env=PLAIN, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (code, "")
    expected = np.arange(5000, dtype="f4").reshape(5, 1000)
    assert np.array_equal(values(tmp_path / "writer.nc"), expected)
    assert np.array_equal(values(tmp_path / "calls.nc")[:5], expected)
    assert len(values(tmp_path / "calls.nc")) == (6 if end == "fork" else 5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calls.nc", "writer.nc"]


def test_a_program_that_ends_at_once_leaves_the_last_commit(program: Path, tmp_path: Path):
    done = subprocess.run([program, "_exit"], cwd=tmp_path, env=PLAIN, timeout=60)
    assert done.returncode == 0
    with pytest.raises(OSError):
        netCDF4.Dataset(tmp_path / "writer.nc")


@needs_gfortran
@pytest.mark.parametrize("stop", ["", "stop", "stop 3", "error stop 4"])
def test_fortran_programs_that_do_not_close(prefix: Path, tmp_path: Path, stop: str):
    source = tmp_path / "unclosed.f90"
    source.write_text(
        "program unclosed\n  use frazil_netcdf\n  integer :: nc, d, v, s\n"
        "  s = nf90_create('calls.nc', nf90_netcdf4, nc)\n"
        "  s = nf90_def_dim(nc, 'x', 3, d)\n"
        "  s = nf90_def_var(nc, 'v', nf90_float, [d], v)\n"
        "  s = nf90_enddef(nc)\n"
        "  s = nf90_put_var(nc, v, [1., 2., 3.])\n"
        f"  {stop}\nend program\n"
    )
    built = with_frazil(prefix, source, tmp_path / "unclosed")
    done = subprocess.run([built], cwd=tmp_path, env=PLAIN, capture_output=True, timeout=60)
    assert done.returncode == int((stop.split() or ["0"])[-1].replace("stop", "0"))
    assert values(tmp_path / "calls.nc").tolist() == [1, 2, 3]
