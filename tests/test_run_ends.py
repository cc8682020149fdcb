"""How programs end and what else happens in them, under `frazil run` and with the drop-in library.

Each row of the table in docs/unmodified_programs.md has its test here.
"""

import ctypes
import ctypes.util
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.capi import PLAIN, needs
from support.command import BINARY, FAILED
from support.drop_in import BARE, BUILT, installed
from support.dumps import ncdump
from support.fortran import LIBRARIES, run
from support.mpi import MPICH, OPEN_MPI, SOURCES, Mpi
from support.running import check_equal, fates, frazil_run

pytestmark = needs("nc-config")

# Puts five records, commits after the third, and ends as it is told. With MPI, each rank has a file
# of its own.
PROGRAM = r"""
#include <netcdf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#define MUST(call) do { int s = call; if (s) { printf("%s: %d\n", #call, s); exit(9); } } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int begun(const char *path) {
    int nc, dims[2], v;
    MUST(nc_create(path, NC_NETCDF4, &nc));
    MUST(nc_def_dim(nc, "t", NC_UNLIMITED, dims));
    MUST(nc_def_dim(nc, "x", 1000, dims + 1));
    MUST(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &v));
    MUST(nc_def_var_deflate(nc, v, 1, 1, 4));
    MUST(nc_enddef(nc));
    return nc;
}

static int put(int nc, size_t record) {
    size_t start[2] = {record, 0}, count[2] = {1, 1000};
    float row[1000];
    for (int i = 0; i < 1000; i++) row[i] = (float)(record * 1000 + i);
    return nc_put_vara_float(nc, 0, start, count, row);
}

/* One file of its own; netCDF wants one call at a time. */
static void *written(void *path) {
    int nc;
    pthread_mutex_lock(&lock);
    nc = begun(path);
    pthread_mutex_unlock(&lock);
    for (size_t record = 0; record < 5; record++) {
        pthread_mutex_lock(&lock);
        MUST(put(nc, record));
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    MUST(nc_close(nc));
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void threads(void) {
    static char names[4][16];
    pthread_t all[4];
    for (int n = 0; n < 4; n++) {
        sprintf(names[n], "%d.nc", n);
        pthread_create(all + n, NULL, written, names[n]);
    }
    for (int n = 0; n < 4; n++) pthread_join(all[n], NULL);
}

static volatile int done;

static void *written_again(void *path) {
    while (!done) {
        written(path);
        usleep(500);  /* The others get the lock. */
    }
    return NULL;
}

/* Children write files while threads of their parent do. netCDF's calls come one at a time, and a
   fork between two of them. A child that waits for a lock of nobody is ended by the alarm. */
static int forks(void) {
    static char names[3][16];
    pthread_t all[3];
    int failed = 0;
    for (int n = 0; n < 3; n++) {
        sprintf(names[n], "%d.nc", n);
        pthread_create(all + n, NULL, written_again, names[n]);
    }
    for (int n = 0; n < 40; n++) {
        int status = 0;
        pthread_mutex_lock(&lock);
        pid_t child = fork();
        pthread_mutex_unlock(&lock);
        if (child == 0) {
            char path[32];
            alarm(60);
            sprintf(path, "child%d.nc", n);
            int nc = begun(path);
            MUST(put(nc, 0));
            MUST(nc_close(nc));
            _exit(0);
        }
        wait(&status);
        failed += status != 0;
    }
    done = 1;
    for (int n = 0; n < 3; n++) pthread_join(all[n], NULL);
    return failed;
}

static void on_term(int number) { (void)number; exit(7); }

int main(int argc, char **argv) {
    const char *end = argc > 1 ? argv[1] : "";
    char path[32] = "out.nc";
    int nc, status;
#ifdef WITH_MPI
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sprintf(path, "%d.nc", rank);
#endif
    if (!strcmp(end, "threads")) { threads(); return 0; }
    if (!strcmp(end, "forks")) return forks();
    nc = begun(path);
    for (size_t record = 0; record < 5; record++) {
        MUST(put(nc, record));
        if (record == 2) MUST(nc_sync(nc));
    }
    if (!strcmp(end, "exit")) exit(3);
    if (!strcmp(end, "_exit")) _exit(0);
    if (!strcmp(end, "kill")) raise(SIGKILL);
    if (!strcmp(end, "term")) raise(SIGTERM);
    if (!strcmp(end, "handler")) { signal(SIGTERM, on_term); raise(SIGTERM); }
    if (!strcmp(end, "fork")) {
        int own;
        if (fork() == 0) {
            own = begun("child.nc");
            MUST(put(own, 0));
            MUST(nc_close(own));
            exit(put(nc, 5) ? 0 : 6);
        }
        wait(&status);
        if (status) return 6;
    }
    if (!strcmp(end, "full")) {
        struct rlimit limit = {1 << 20, 1 << 20};
        size_t start[2] = {5, 0}, count[2] = {2000, 1000};
        float *noise = malloc(2000 * 1000 * sizeof(float));
        for (int i = 0; i < 2000 * 1000; i++) noise[i] = (float)rand();
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        status = nc_put_vara_float(nc, 0, start, count, noise);
        status = nc_close(nc) || status;
        return status ? 0 : 6;
    }
    MUST(nc_close(nc));
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
"""
# A netCDF of the system's, in a Python that has the one of a wheel.
LIBRARY = r"""
#include <netcdf.h>
int write_file(const char *path) {
    int nc, dim, v;
    static int values[5000];
    for (int i = 0; i < 5000; i++) values[i] = i;
    if (nc_create(path, NC_NETCDF4, &nc) || nc_def_dim(nc, "x", 5000, &dim)) return 1;
    if (nc_def_var(nc, "v", NC_INT, 1, &dim, &v) || nc_def_var_deflate(nc, v, 0, 1, 2)) return 2;
    if (nc_put_var_int(nc, v, values)) return 3;
    return nc_close(nc);
}
"""
TWO_LIBRARIES = """
import ctypes, numpy as np, netCDF4
system = ctypes.CDLL("./liboffers.so")
with netCDF4.Dataset("wheel.nc", "w") as file:
    file.createDimension("x", 5000)
    v = file.createVariable("v", "i4", ("x",), zlib=True)
    v[:2000] = np.arange(2000)
    assert system.write_file(b"system.nc") == 0
    v[2000:] = np.arange(2000, 5000)
maps = {line.split()[-1] for line in open("/proc/self/maps") if "libnetcdf" in line}
assert len({path.rsplit("/", 1)[0] for path in maps}) == 2, maps
"""
PARALLEL = r"""
#include <mpi.h>
#include <netcdf.h>
#include <stdio.h>
/* Of netcdf_par.h, which is elsewhere on each system. */
extern int nc_create_par(const char *, int, MPI_Comm, MPI_Info, int *);
int main(int argc, char **argv) {
    int nc, dim, v, rank, ranks, status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    status = nc_create_par("out.nc", NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &nc);
    if (status) { if (!rank) printf("%d\n", status); MPI_Finalize(); return 0; }
    size_t start = (size_t)rank, count = 1;
    nc_def_dim(nc, "x", (size_t)ranks, &dim);
    nc_def_var(nc, "v", NC_INT, 1, &dim, &v);
    nc_enddef(nc);
    status = nc_put_vara_int(nc, v, &start, &count, &rank);
    status = nc_close(nc) || status;
    MPI_Finalize();
    return status;
}
"""


# What the program is told, its exit status under `frazil run`, what that says of the file, and the
# records in it.
ENDS = [
    ("close", 0, "written", 5),
    ("exit", 3, "written", 5),
    ("handler", 7, "written", 5),
    ("_exit", FAILED, "unclosed", 3),
    ("kill", 128 + signal.SIGKILL, "unclosed", 3),
    ("term", 128 + signal.SIGTERM, "unclosed", 3),
    ("full", FAILED, "failed", 3),
]


def built(
    folder: Path,
    source: str,
    name: str,
    *more: str,
    compiler: str = "cc",
    flags: list[str] | None = None,
) -> Path:
    (folder / f"{name}.c").write_text(source)
    flags = flags or run("nc-config", "--cflags", "--libs").split()
    command = (compiler, "-std=gnu99", "-pthread", folder / f"{name}.c", "-o", folder / name)
    run(*command, *more, *flags)
    return folder / name


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("ends"), PROGRAM, "program")


def check(path: Path, records: int) -> None:
    expected = np.arange(records * 1000, dtype="f4").reshape(records, 1000)
    with netCDF4.Dataset(path) as file:
        assert np.array_equal(file["v"][:records], expected) and len(file["v"]) == records
    with h5py.File(path) as file:
        assert np.array_equal(file["v"][:], expected)


@pytest.mark.parametrize(("end", "code", "fate", "records"), ENDS)
def test_ends(program: Path, tmp_path: Path, end: str, code: int, fate: str, records: int):
    """What ends in order leaves the whole file, what does not its last commit."""
    done = frazil_run(tmp_path, "--", program, end)
    assert (done.returncode, fates(tmp_path)) == (code, [fate]), done.stdout + done.stderr
    assert ("FAILED" in done.stderr) == (fate != "written")
    check(tmp_path / "out.nc", records)


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same program, linked with the drop-in library."""
    folder = tmp_path_factory.mktemp("linked")
    flags = run(installed(folder) / "bin/nc-config", "--cflags", "--libs").split()
    return built(folder, PROGRAM, "program", flags=flags)


@pytest.mark.parametrize(("end", "code", "event", "records"), ENDS)
def test_ends_with_the_drop_in_library(
    linked: Path, tmp_path: Path, end: str, code: int, event: str, records: int
):
    """As under `frazil run`, but that the exit status is the program's."""
    environment = {**BARE, "FRAZIL_RUN_REPORT": str(tmp_path / "report")}
    done = subprocess.run([linked, end], cwd=tmp_path, env=environment, timeout=120, check=False)
    assert done.returncode == {128 + signal.SIGKILL: -9, 128 + signal.SIGTERM: -15}.get(
        code, 0 if code == FAILED else code
    )
    told = [json.loads(line) for line in (tmp_path / "report").read_text().splitlines()]
    closed = [one["error"] is None for one in told if one["event"] == "closed"]
    assert closed == {"written": [True], "failed": [False], "unclosed": []}[event]
    check(tmp_path / "out.nc", records)


# The files that are whole in the end, and how many records each has.
PROCESSES = {
    "fork": {"out.nc": 5, "child.nc": 1},
    "threads": {f"{number}.nc": 5 for number in range(4)},
    "forks": {f"{number}.nc": 5 for number in range(3)}
    | {f"child{number}.nc": 1 for number in range(40)},
}


@pytest.mark.parametrize("way", PROCESSES)
def test_processes_and_threads_with_the_drop_in_library(linked: Path, tmp_path: Path, way: str):
    subprocess.run([linked, way], cwd=tmp_path, env=BARE, timeout=120, check=True)
    for path, records in PROCESSES[way].items():
        check(tmp_path / path, records)


def test_the_drop_in_library_makes_no_parallel_files(tmp_path: Path):
    """netCDF-C's status of a library that was built without MPI: `NC_ENOPAR`."""
    library = ctypes.CDLL(BUILT / "libnetcdf.so")
    path, nc = os.fsencode(tmp_path / "out.nc"), ctypes.c_int()
    assert library.nc_create_par(path, 0x1000, 0, 0, ctypes.byref(nc)) == -114
    assert not (tmp_path / "out.nc").exists()


@pytest.mark.parametrize("way", PROCESSES)
def test_processes_and_threads(program: Path, tmp_path: Path, way: str):
    """A child writes its own files, not its parent's, whatever frazil's threads do at the fork."""
    done = frazil_run(tmp_path, "--", program, way)
    assert (done.returncode, set(fates(tmp_path))) == (0, {"written"}), done.stderr
    for path, records in PROCESSES[way].items():
        check(tmp_path / path, records)


@pytest.mark.parametrize("mpi", [MPICH, OPEN_MPI], ids=lambda mpi: mpi.name)
def test_each_rank_its_own_file(tmp_path: Path, mpi: Mpi):
    if not mpi.is_here():
        pytest.skip(f"needs {mpi.name}")
    program = built(tmp_path, PROGRAM, "program", "-DWITH_MPI", compiler=mpi.compiler)
    command = (*mpi.start, "-n", "3", program, "close")
    done = frazil_run(tmp_path, "--threads", "1", "--", *command, **mpi.environment)
    assert (done.returncode, fates(tmp_path)) == (0, ["written"] * 3), done.stderr
    for rank in range(3):
        check(tmp_path / f"{rank}.nc", 5)


def test_a_wheel_and_the_systems_library_in_one_process(tmp_path: Path):
    built(tmp_path, LIBRARY, "liboffers.so", "-shared", "-fPIC")
    (tmp_path / "two.py").write_text(TWO_LIBRARIES)
    done = frazil_run(tmp_path, "--", sys.executable, "two.py")
    assert (done.returncode, fates(tmp_path)) == (0, ["written"] * 2), done.stderr
    for name in ("wheel.nc", "system.nc"):
        with netCDF4.Dataset(tmp_path / name) as file:
            assert np.array_equal(file["v"][:], np.arange(5000))
        assert b"v = 0, 1, 2, 3," in ncdump(tmp_path / name)


PARALLEL_NETCDF = ctypes.util.find_library("netcdf_mpi")


def built_with_parallel_netcdf(folder: Path, source: str) -> tuple[str, ...]:
    """How to start a program that is linked with Debian's parallel netCDF."""
    if not OPEN_MPI.is_here() or not PARALLEL_NETCDF:
        pytest.skip("needs Open MPI and a parallel netCDF")
    (folder / "parallel.c").write_text(source)
    run("mpicc.openmpi", "parallel.c", "-o", "parallel", f"-l:{PARALLEL_NETCDF}", cwd=folder)
    return (*OPEN_MPI.start, "-n", "2", "./parallel")


def test_files_of_several_processes_are_left_alone(tmp_path: Path):
    """`nc_create_par` goes to the program's own library, and the report says so."""
    start = built_with_parallel_netcdf(tmp_path, PARALLEL)
    done = frazil_run(tmp_path, "--threads", "1", "--", *start, **OPEN_MPI.environment)
    assert (done.returncode, done.stdout, set(fates(tmp_path))) == (0, "", {"not_taken"}), done
    assert "several processes write it together (nc_create_par)" in done.stderr
    assert b"v = 0, 1 ;" in ncdump(tmp_path / "out.nc")


@pytest.mark.parametrize(
    ("compiler", "fate", "words"),
    [
        ("mpicc.openmpi", "written", "written by frazil"),
        ("mpicc.mpich", "not_taken", "was built for another MPI"),
        (None, "not_taken", "libfrazil_mpi_table.so is not there"),
    ],
)
def test_files_of_several_processes_on_request(
    tmp_path: Path, compiler: str | None, fate: str, words: str
):
    """With what reaches the program's own MPI; else its library writes, and the report says why."""
    start = built_with_parallel_netcdf(tmp_path, PARALLEL)
    folder = tmp_path / "lib"
    folder.mkdir()
    for name in ("libfrazil.so", "libfrazil_preload.so"):
        (folder / name).symlink_to((LIBRARIES / name).resolve())
    if compiler is not None:
        if shutil.which(compiler) is None:
            pytest.skip(f"needs {compiler}")
        table = folder / "libfrazil_mpi_table.so"
        run("make", "-C", SOURCES, f"CC={compiler}", f"BUILD={folder}", table)
    asked = {**OPEN_MPI.environment, "FRAZIL_RUN_PATH": str(folder)}
    done = frazil_run(tmp_path, "--threads", "1", "--parallel-files", "--", *start, **asked)
    assert (done.returncode, done.stdout, fates(tmp_path)) == (0, "", [fate] * 2), done
    assert words in done.stderr
    assert b"v = 0, 1 ;" in ncdump(tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as file:
        assert (b"frazil" in file.attrs["_NCProperties"]) == (fate == "written")


def test_a_signal_of_the_users_reaches_the_program(tmp_path: Path):
    """Ctrl-C and a batch system's TERM: the program decides, and the report is still written."""
    (tmp_path / "wait.py").write_text(
        "import signal, sys, time, netCDF4\n"
        "told = []\n"
        # Not `sys.exit` here: Python drops it if it comes while a file is being closed.
        "signal.signal(signal.SIGTERM, lambda *_: told.append(5))\n"
        "file = netCDF4.Dataset('out.nc', 'w')\n"
        "file.createDimension('x', 3)\n"
        "file.createVariable('v', 'i4', ('x',))[:] = 4\n"
        "open('ready', 'w').close()\n"
        "while not told:\n"
        "    time.sleep(0.01)\n"
        "sys.exit(told[0])\n"
    )
    command = [BINARY, "run", "--report", "report.json", "--", sys.executable, "wait.py"]
    with subprocess.Popen(command, cwd=tmp_path, env=PLAIN, stderr=subprocess.PIPE) as running:
        while not (tmp_path / "ready").exists() and running.poll() is None:
            os.sched_yield()
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=60) == 5
    report = json.loads((tmp_path / "report.json").read_text())
    assert [file["fate"] for file in report["files"]] == ["written"]
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert list(file["v"][:]) == [4, 4, 4]


SYNC = """
import resource, sys, netCDF4, numpy as np
values, length = np.random.default_rng(0), 20_000
if sys.argv[2:]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("t", None), file.createDimension("x", length)
    v = file.createVariable("v", "f4", ("t", "x"), zlib=True)
    for record in range(100 if sys.argv[2:] else 5):
        v[record] = values.normal(size=length)
        file.sync()
        with netCDF4.Dataset(sys.argv[1]) as reader:
            assert reader["v"].shape[0] == record + 1
"""


def test_commits_behind_a_program(tmp_path: Path):
    command = [sys.executable, "-c", SYNC, "out.nc"]
    done = frazil_run(tmp_path, "--commit-behind", "--", *command)
    assert (done.returncode, fates(tmp_path)) == (0, ["written"]), done.stderr
    (tmp_path / "out.nc").rename(tmp_path / "ours.nc")
    subprocess.run(command, cwd=tmp_path, env=PLAIN, check=True)
    check_equal(tmp_path / "out.nc", tmp_path / "ours.nc")


def test_a_full_disk_is_told_of_where_commits_go_on_behind(tmp_path: Path):
    done = frazil_run(
        tmp_path, "--commit-behind", "--", sys.executable, "-c", SYNC, "out.nc", "full"
    )
    assert done.returncode == FAILED and "File too large" in done.stderr
    # Nor is anything told twice: the file's name, or the cause in other words.
    line = next(line for line in done.stderr.splitlines() if "FAILED" in line)
    assert line.count("out.nc") == 1 and "No space left" not in line
    assert b"t = UNLIMITED" in ncdump(tmp_path / "out.nc", "-h")
