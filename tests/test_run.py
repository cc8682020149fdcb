"""`frazil run`: programs that nobody rebuilt write what they write without it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.capi import PLAIN, needs
from support.command import BINARY, FAILED, TROUBLE
from support.dumps import ncdump
from support.fortran import LIBRARIES, needs_netcdf_fortran, run, with_netcdf_fortran
from support.running import check_equal, fates, frazil_run

pytestmark = pytest.mark.sampled(one_in=4)

needs_netcdf = needs("nc-config")

CDL = """netcdf a {
dimensions: t = UNLIMITED ; x = 4 ; y = 5 ;
variables:
  float v(t, x, y) ; v:units = "K" ; v:_FillValue = -9.f ; v:long_name = "heat" ;
  v:_DeflateLevel = 2 ;
  int c(x, y) ; double z ; byte b(t) ; char name(x) ;
:title = "x" ;
data: v = 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21 ;
  c = 4,3,2,1 ; z = 3.5 ; b = 1,2 ; name = "abcd" ;
group: g { dimensions: q = 3 ; variables: short w(t, q) ; w:scale_factor = 2. ;
  data: w = 1,2,3,4,5,6 ; group: deep { :a = 1, 2 ; } } }
"""
TYPES = """netcdf a {
types: compound pair { int a ; float b ; }; byte enum sky {clear = 0, fog = 3}; int(*) ragged ;
dimensions: x = 3 ;
variables: float f(x) ; pair p(x) ; sky s(x) ; ragged r(x) ; string text(x) ;
data: f = 1, 2, 3 ; p = {1, 2}, {3, 4}, {5, 6} ; s = clear, fog, fog ; r = {1, 2}, {3}, {} ;
  text = "a", "b", "c" ; }
"""
PYTHON = """
import sys, numpy as np, netCDF4
path, values = sys.argv[1], np.random.default_rng(0).normal(size=(6, 100, 50))
with netCDF4.Dataset(path, "w") as file:
    file.title = "x"
    for name, length in (("t", None), ("x", 100), ("y", 50)):
        file.createDimension(name, length)
    v = file.createVariable("v", "f4", ("t", "x", "y"), zlib=True, complevel=4, fill_value=-9.0)
    v.units = "K"
    w = file.createVariable("w", "f8", ("x", "y"))
    i = file.createVariable("i", "i2", ("t",), chunksizes=(7,))
    s = file.createVariable("s", str, ("x",))
    z = file.createVariable("z", "f4", ("x", "y"), shuffle=False, fletcher32=True)
    file.createGroup("g/deep").a = np.arange(3)
    for record in range(6):
        v[record], i[record] = values[record], record
    print([one.chunking() for one in (v, w, i, s, z)], v.filters(), v[2, 3, 4])
    w[:], z[:], s[3] = values[0], values[1], "caf\\u00e9"
    v.long_name = "later"
    with netCDF4.Dataset(path) as reader:
        print(reader["v"].shape, reader["i"][:])
    file.renameVariable("w", "ww")
with netCDF4.Dataset(path, "a") as file:
    file["ww"][0], file.more = 7, "m"
"""
COMPOUNDS = """
import sys, numpy as np, netCDF4
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.title = "x"
    file.createDimension("t", None), file.createDimension("x", 10)
    deep, other = file.createGroup("g/deep"), file.createGroup("h")
    deep.createDimension("q", 4)
    chunks = dict(zlib=True, complevel=3, fill_value=-9.0, chunksizes=(2, 5), fletcher32=True)
    v = file.createVariable("v", "f4", ("t", "x"), **chunks)
    v.units = "K"
    n = deep.createVariable("n", ">f8", ("q", "x"), endian="big")
    inner = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "inner")
    outer = file.createCompoundType(np.dtype([("i", inner.dtype), ("c", "f4", (2,))]), "outer")
    c = file.createVariable("c", outer, ("x",))
    values = np.zeros(10, outer.dtype)
    values["i"]["a"] = np.arange(10)
    c[:], v[0], n[:] = values, np.arange(10), 2
    later = other.createGroup("later")
    later.createVariable("w", "i2", ("x",))[:] = 8
    print(file.filepath() == sys.argv[1], deep.path)
"""
STRINGS = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("x", 3), file.createDimension("t", None)
    s = file.createVariable("s", str, ("x",), fill_value="none")
    grows = file.createVariable("grows", str, ("t",), fill_value="caf\\u00e9")
    s[0], s.units, grows[2] = "a", "u", "b"
    file.sync()
    print(s[:], grows[:], grows[1:2], s.ncattrs())
with netCDF4.Dataset(sys.argv[1], "a") as file:
    print(file["s"][:], file["grows"][:], file["grows"]._FillValue)
    file["grows"][5], file["s"].more = "c", 1
    print(file["grows"][:])
"""
# Records of strings that nobody puts, in chunks that are not there.
FEW_STRINGS = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("t", None)
    s = file.createVariable("s", str, ("t",), chunksizes=(2,))
    file.createVariable("v", "f4", ("t",))[:9] = 1
    s[0] = "a"
    print(s[:], s[5:8:2], s[1], s.shape)
    file.sync()
    s[3] = "b"
    print(s[:4])
"""
# Strings in another encoding than UTF-8, as values, attribute and fill value, and read back.
LATIN = r"""
#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#define MUST(call) if (call) { puts(#call); return 1; }
int main(int argc, char **argv) {
    int nc, dims[1], v;
    const char *values[] = {"caf\xe9", "", "\xff\xfe x"};
    const char *fill[] = {"n\xe9" "ant"}, *title[] = {"\xc4rger", "b"};
    char *read[3];
    size_t start = 1;
    (void)argc;
    MUST(nc_create(argv[1], NC_NETCDF4, &nc));
    MUST(nc_def_dim(nc, "x", 3, dims));
    MUST(nc_def_var(nc, "s", NC_STRING, 1, dims, &v));
    MUST(nc_def_var_fill(nc, v, 0, fill));
    MUST(nc_put_att_string(nc, NC_GLOBAL, "title", 2, title));
    MUST(nc_put_var1_string(nc, v, &start, values));
    MUST(nc_get_var_string(nc, v, read));
    if (strcmp(read[0], fill[0]) || strcmp(read[1], values[0])) return 2;
    MUST(nc_free_string(3, read));
    MUST(nc_inq_var_fill(nc, v, NULL, read));
    if (strcmp(read[0], fill[0])) return 3;
    MUST(nc_put_var_string(nc, v, values));
    MUST(nc_get_var_string(nc, v, read));
    if (strcmp(read[2], values[2])) return 4;
    MUST(nc_get_att_string(nc, NC_GLOBAL, "title", read));
    if (strcmp(read[0], title[0])) return 5;
    return nc_close(nc);
}
"""
XARRAY = """
import sys, numpy as np, xarray as xr
values = np.random.default_rng(0).normal(size=(20, 30, 40)).astype("f4")
time = np.arange("2000-01", "2000-01-21", dtype="datetime64[D]")
data = xr.Dataset({"t2m": (("time", "lat", "lon"), values)}, {"time": time, "lat": np.arange(30.0)})
packed = {"t2m": {"zlib": True, "complevel": 4}}
data.to_netcdf(sys.argv[1], engine="netcdf4", encoding=packed, unlimited_dims=["time"])
more = xr.Dataset({"q": (("lat",), np.arange(30.0))})
more.to_netcdf(sys.argv[1], mode="a", engine="netcdf4")
"""
FORTRAN = """
program simple
  use netcdf
  integer :: nc, dims(2), v, record
  character(len=80) :: path
  real :: values(50)
  call get_command_argument(1, path)
  call check(nf90_create(trim(path), nf90_netcdf4, nc))
  call check(nf90_def_dim(nc, 'x', 50, dims(1)))
  call check(nf90_def_dim(nc, 't', nf90_unlimited, dims(2)))
  call check(nf90_def_var(nc, 'v', nf90_float, dims, v, shuffle=.true., deflate_level=4))
  call check(nf90_put_att(nc, v, 'units', 'K'))
  call check(nf90_enddef(nc))
  do record = 1, 5
    values = [(real(record * i), i = 1, 50)]
    call check(nf90_put_var(nc, v, values, [1, record], [50, 1]))
  end do
  call check(nf90_close(nc))
contains
  subroutine check(status)
    integer, intent(in) :: status
    if (status /= nf90_noerr) error stop 'a call failed'
  end subroutine
end program
"""
C = """
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
#include <sys/resource.h>
static void must(int status) { if (status) { puts(nc_strerror(status)); exit(9); } }
int main(int argc, char **argv) {
    int nc, reader, dims[2], v, chunks[2] = {0, 0};
    size_t length;
    static float row[100];
    must(nc_create(argv[1], NC_NETCDF4, &nc));
    must(nc_def_dim(nc, "t", NC_UNLIMITED, dims));
    must(nc_def_dim(nc, "x", 100, dims + 1));
    must(nc_def_var(nc, "v", NC_FLOAT, 2, dims, &v));
    if (nc_def_dim(nc, "x", 5, chunks) != NC_ENAMEINUSE) return 8;
    for (size_t record = 0; record < 5; record++) {
        size_t start[2] = {record, 0}, count[2] = {1, 100};
        for (int i = 0; i < 100; i++) row[i] = (float)(record * 100 + i);
        must(nc_put_vara_float(nc, v, start, count, row));
    }
    must(nc_open(argv[1], NC_NOWRITE, &reader));
    must(nc_inq_dimlen(reader, 0, &length));
    must(nc_close(reader));
    if (length != 5) return 7;
    if (argc > 2 && !strcmp(argv[2], "full")) {
        struct rlimit limit = {1 << 20, 1 << 20};
        static float many[100][1000];
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        for (size_t record = 5; record < 20000; record += 1000) {
            size_t start[2] = {record, 0}, count[2] = {1000, 100};
            if (nc_put_vara_float(nc, v, start, count, &many[0][0])) break;
        }
        return nc_close(nc) ? 0 : 4;
    }
    if (argc > 2 && !strcmp(argv[2], "_exit")) _exit(0);
    if (argc > 2 && !strcmp(argv[2], "type")) {
        must(nc_def_opaque(nc, 4, "blob", &v));
        must(nc_put_vara_float(nc, 0, (size_t[]){4, 99}, (size_t[]){1, 1}, (float[]){499}));
    }
    if (argc > 2 && !strcmp(argv[2], "open")) exit(3);
    must(nc_close(nc));
    return nc_close(nc) == NC_EBADID ? 0 : 5;
}
"""


def both(folder: Path, *command: object, taken: str = "written") -> None:
    """Runs a command that writes `out.nc` with frazil and without, and compares."""
    done = frazil_run(folder, "--", *command)
    assert done.returncode == 0, done.stderr
    assert fates(folder) == taken.split(), done.stderr
    (folder / "out.nc").rename(folder / "ours.nc")
    plain = subprocess.run(
        list(map(str, command)), cwd=folder, env=PLAIN, capture_output=True, text=True, check=True
    )
    assert done.stdout == plain.stdout
    check_equal(folder / "out.nc", folder / "ours.nc")
    assert not list(folder.glob(".*")), "something was left behind"


@needs("ncgen")
def test_ncgen(tmp_path: Path):
    (tmp_path / "a.cdl").write_text(CDL)
    both(tmp_path, "ncgen", "-4", "-o", "out.nc", "a.cdl")


@needs("nccopy")
def test_nccopy(tmp_path: Path):
    (tmp_path / "a.cdl").write_text(CDL)
    run("ncgen", "-4", "-o", tmp_path / "in.nc", tmp_path / "a.cdl")
    both(tmp_path, "nccopy", "-d", "3", "-s", "in.nc", "out.nc")


@needs("nccopy")
def test_nccopy_of_a_classic_file_leaves_chunks_to_the_library(tmp_path: Path):
    """It asks for chunks of extents that begin with 0."""
    text = (
        "netcdf a { dimensions: t = UNLIMITED ; x = 7 ; variables: double t(t) ; float v(t, x) ; }"
    )
    (tmp_path / "a.cdl").write_text(text.replace("; }", "; data: t = 1, 2 ; v = 1, 2, 3 ; }"))
    run("ncgen", "-3", "-o", tmp_path / "in.nc", tmp_path / "a.cdl")
    both(tmp_path, "nccopy", "-d", "2", "-s", "-k", "nc4", "in.nc", "out.nc")


@needs("nccopy")
def test_nccopy_of_types(tmp_path: Path):
    (tmp_path / "a.cdl").write_text(TYPES)
    run("ncgen", "-4", "-o", tmp_path / "in.nc", tmp_path / "a.cdl")
    both(tmp_path, "nccopy", "in.nc", "out.nc")


@needs("nccopy")
def test_a_filter_that_the_program_could_not_read_is_refused_as_by_its_library(tmp_path: Path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 9 ; variables: float v(x) ; }")
    run("ncgen", "-4", "-o", tmp_path / "in.nc", tmp_path / "a.cdl")
    # Zstandard, without a plugin for it.
    command = ["nccopy", "-F", "v,32015,3", "in.nc", "out.nc"]
    bare = {**PLAIN, "HDF5_PLUGIN_PATH": str(tmp_path)}
    plain = subprocess.run(
        command, cwd=tmp_path, env=bare, capture_output=True, text=True, check=False
    )
    done = frazil_run(tmp_path, "-q", "--", *command, HDF5_PLUGIN_PATH=str(tmp_path))
    assert plain.returncode != 0
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert done.stderr == plain.stderr


LARGE = """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("x", 9 << 20)
    file.createVariable("v", "f4", ("x",), {options})[:] = 1
    file.createVariable("small", "i2", ("x",), chunksizes=(1000,))[:10] = 3
"""


@pytest.mark.parametrize(
    ("options", "fate"),
    [
        ("contiguous=True", "given_back"),
        ("", "given_back"),
        ("chunksizes=(9 << 20,)", "given_back"),
        ("zlib=True, complevel=1", "written"),
    ],
)
def test_what_is_too_large_to_gather_goes_back(tmp_path: Path, options: str, fate: str):
    (tmp_path / "large.py").write_text(LARGE.format(options=options))
    both(tmp_path, sys.executable, "large.py", "out.nc", taken=fate)
    report = json.loads((tmp_path / "report.json").read_text())
    assert fate == "written" or "--memory" in report["files"][0]["why"]


@needs("ncgen")
@pytest.mark.parametrize("kind", ["link", "dangling", "hard link"])
def test_files_are_written_where_they_lie(tmp_path: Path, kind: str):
    (tmp_path / "a.cdl").write_text(CDL)
    target, name = tmp_path / "disk.nc", tmp_path / "out.nc"
    if kind != "dangling":
        target.write_bytes(b"old")
    name.hardlink_to(target) if kind == "hard link" else name.symlink_to(target.name)
    done = frazil_run(tmp_path, "--", "ncgen", "-4", "-o", "out.nc", "a.cdl")
    assert done.returncode == 0 and fates(tmp_path) == ["not_taken"], done.stderr
    assert name.is_symlink() == (kind != "hard link") and name.samefile(target)
    assert b"heat" in ncdump(target)


@needs("ncgen")
@pytest.mark.skipif(os.geteuid() != 0, reason="another user is played, which root can do")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path):
    folder = tmp_path / "open"
    folder.mkdir()
    for path in (folder, *tmp_path.parents):
        if path.stat().st_uid == 0 and "pytest" in str(path):
            path.chmod(0o777)
    (folder / "a.cdl").write_text(CDL)
    (folder / "out.nc").write_bytes(b"precious")
    (folder / "out.nc").chmod(0o444)
    command = [BINARY, "run", "--", "ncgen", "-4", "-o", "out.nc", "a.cdl"]
    done = subprocess.run(
        command, cwd=folder, env=PLAIN, capture_output=True, text=True, user=65534, check=False
    )
    assert done.returncode != 0 and "Permission denied" in done.stderr
    assert (folder / "out.nc").read_bytes() == b"precious"


FORK = """
import os, sys, netCDF4
file = netCDF4.Dataset(sys.argv[1], "w")
file.createDimension("x", 3)
file.createVariable("v", "f4", ("x",))[:] = 1
if os.fork() == 0:
    sys.exit(0)
os.wait()
file.close()
"""


def test_a_child_that_ends_does_not_fail_its_parents_file(tmp_path: Path):
    (tmp_path / "fork.py").write_text(FORK)
    done = frazil_run(tmp_path, "--", sys.executable, "fork.py", "out.nc")
    assert done.returncode == 0 and fates(tmp_path) == ["written"], done.stderr
    assert b"v = 1, 1, 1" in ncdump(tmp_path / "out.nc")


def test_a_report_that_cannot_be_written_stops_the_program_before_it_runs(tmp_path: Path):
    command = [BINARY, "run", "--report", tmp_path / "no/report", "--", "touch", "ran"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == TROUBLE and "no/report: its folder" in done.stderr
    assert not (tmp_path / "ran").exists()
    refused = frazil_run(tmp_path, "--threads", "-1", "--", "true")
    assert refused.returncode == TROUBLE and "from 0 (one for each core)" in refused.stderr


@needs("ncks")
def test_ncks(tmp_path: Path):
    (tmp_path / "a.cdl").write_text(CDL)
    run("ncgen", "-4", "-o", tmp_path / "in.nc", tmp_path / "a.cdl")
    both(tmp_path, "ncks", "-h", "-O", "-4", "-L", "4", "in.nc", "out.nc")
    # It writes under another name, and renames the file.
    files = json.loads((tmp_path / "report.json").read_text())["files"]
    (written,) = [file for file in files if file["fate"] == "written"]
    assert written["path"] == "out.nc" and ".tmp" in written["written_as"]


@needs_netcdf
@pytest.mark.parametrize(
    ("program", "taken"),
    [
        (PYTHON, "written written"),
        (XARRAY, "written written"),
        (COMPOUNDS, "written"),
        (STRINGS, "written written"),
        (FEW_STRINGS, "written"),
    ],
    ids=["netcdf4", "xarray", "compounds", "strings", "few strings"],
)
def test_python(tmp_path: Path, program: str, taken: str):
    (tmp_path / "program.py").write_text(program)
    both(tmp_path, sys.executable, "program.py", "out.nc", taken=taken)


@needs_netcdf_fortran
def test_fortran(tmp_path: Path):
    source = tmp_path / "simple.f90"
    source.write_text(FORTRAN)
    with_netcdf_fortran(source, tmp_path / "simple")
    both(tmp_path, "./simple", "out.nc")


@pytest.fixture
def c_program(tmp_path: Path) -> Path:
    (tmp_path / "program.c").write_text(C)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "program.c", "-o", tmp_path / "program", *flags)
    return tmp_path / "program"


@needs_netcdf
def test_a_c_program_and_its_statuses(tmp_path: Path, c_program: Path):
    both(tmp_path, c_program, "out.nc")


@needs_netcdf
def test_strings_are_bytes(tmp_path: Path):
    (tmp_path / "latin.c").write_text(LATIN)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "latin.c", "-o", tmp_path / "latin", *flags)
    both(tmp_path, "./latin", "out.nc")
    with h5py.File(tmp_path / "ours.nc") as file:
        assert list(file["s"][:]) == [b"caf\xe9", b"", b"\xff\xfe x"]


@needs_netcdf
@pytest.mark.parametrize(
    ("end", "code", "fate"),
    [
        ("open", 3, "written"),
        # The file was committed by being opened once more, and nothing was put since.
        ("_exit", 0, "left_whole"),
        ("full", FAILED, "failed"),
        ("type", 0, "written"),
    ],
)
def test_how_programs_end(tmp_path: Path, c_program: Path, end: str, code: int, fate: str):
    """Without nc_close the file is whole; what fails behind the program's back is a failure."""
    done = frazil_run(tmp_path, "--", c_program, "out.nc", end)
    assert (done.returncode, fates(tmp_path)) == (code, [fate]), done.stderr
    assert ("FAILED" in done.stderr) == (code == FAILED)
    text = ncdump(tmp_path / "out.nc")
    # With values in it, the file has gone on in the program's own library.
    assert (b"opaque(4) blob" in text) == (end == "type")
    assert b"t = UNLIMITED ; // (5 currently)" in text
    assert b" 496, 497, 498, 499 ;" in text


@needs_netcdf
def test_what_was_not_asked_for_comes_on_request(tmp_path: Path, c_program: Path):
    options = ("--compress", "--filters", "shuffle+deflate(5)", "--threads", "1")
    done = frazil_run(tmp_path, *options, "--", c_program, "out.nc")
    assert done.returncode == 0, done.stderr
    assert b"v:_DeflateLevel = 5 ;" in ncdump(tmp_path / "out.nc", "-s", "-h")


@needs_netcdf
def test_filters_are_never_left_out_silently(tmp_path: Path, c_program: Path):
    """The environment counts as the flags do; a chain that nothing gets is said to be unused."""
    filters = {"FRAZIL_FILTERS": "shuffle+deflate(5)"}
    command = ("--threads", "1", "--", c_program, "out.nc")
    both = {**filters, "FRAZIL_RUN_COMPRESS": "1"}
    for environment, level, is_warned in ((filters, 0, True), (both, 5, False)):
        done = frazil_run(tmp_path, *command, **environment)
        assert done.returncode == 0, done.stderr
        assert ("add --compress" in done.stderr) == is_warned
        text = ncdump(tmp_path / "out.nc", "-s", "-h")
        assert (b"v:_DeflateLevel = 5 ;" in text) == (level == 5)
    wrong = {**both, "FRAZIL_FILTERS": "shuffle,deflate(9)"}
    done = frazil_run(tmp_path, *command, **wrong)
    assert "there is no filter" in done.stderr and "nothing was accelerated" in done.stderr


@pytest.mark.parametrize("mode, kept", [("BitGroom", 4), ("GranularBitRound", 4), ("BitRound", 9)])
def test_quantized_files_are_no_larger(tmp_path: Path, mode: str, kept: int):
    """Not even small ones, of which room for metadata is a large part."""
    (tmp_path / "program.py").write_text(
        "import sys, netCDF4, numpy as np\n"
        "values = np.random.default_rng(0).uniform(size=100000)\n"
        "with netCDF4.Dataset(sys.argv[1], 'w') as file:\n"
        "    file.createDimension('n', values.size)\n"
        f"    rounding = dict(significant_digits={kept}, quantize_mode='{mode}')\n"
        "    zlib = dict(compression='zlib', complevel=6, shuffle=True)\n"
        "    file.createVariable('v', 'f4', ('n',), **zlib, **rounding)[:] = values\n"
    )
    command = (sys.executable, "program.py")
    done = frazil_run(tmp_path, "--threads", "1", "--", *command, "ours.nc")
    assert done.returncode == 0, done.stderr
    run(*command, "plain.nc", cwd=tmp_path, env=PLAIN)
    ours, plain = [(tmp_path / name).stat().st_size for name in ("ours.nc", "plain.nc")]
    assert ours < 1.01 * plain


@needs("ncgen")
def test_a_classic_file_is_left_alone(tmp_path: Path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; }")
    both(tmp_path, "ncgen", "-3", "-o", "out.nc", "a.cdl", taken="not_taken")
    done = frazil_run(tmp_path, "--", "ncgen", "-3", "-o", "out.nc", "a.cdl")
    assert "classic format" in done.stderr and "nothing was accelerated, because" in done.stderr


@pytest.mark.parametrize("level", [1, 4, 9])
def test_only_deflate(tmp_path: Path, level: int):
    """Every HDF5 program: the same values, chunks and filters, and bytes that are no more."""
    (tmp_path / "program.py").write_text(
        "import sys, h5py, numpy as np\n"
        "noise = np.random.default_rng(0).normal(size=(20, 200, 300)).cumsum(axis=2)\n"
        "values = np.round(noise, 2).astype('f4')\n"
        "with h5py.File(sys.argv[1], 'w') as file:\n"
        "    options = dict(chunks=(1, 200, 300), compression='gzip', shuffle=True)\n"
        f"    file.create_dataset('v', data=values, compression_opts={level}, **options)\n"
        "    noise = np.random.default_rng(0).bytes(100000)\n"
        "    noise = np.frombuffer(noise, 'u1')\n"
        "    file.create_dataset('noise', data=noise, chunks=(1000,), compression='gzip')\n"
    )
    command = (sys.executable, "program.py")
    done = frazil_run(tmp_path, "--level", "codec", "--", *command, "ours.h5")
    assert (done.returncode, "deflated to" in done.stderr) == (0, True), done.stderr
    run(*command, "plain.h5", cwd=tmp_path, env=PLAIN)
    with h5py.File(tmp_path / "plain.h5") as plain, h5py.File(tmp_path / "ours.h5") as ours:
        for name in ("v", "noise"):
            assert np.array_equal(plain[name][:], ours[name][:])
            assert (ours[name].compression, ours[name].chunks) == ("gzip", plain[name].chunks)
            sizes = [file[name].id.get_storage_size() for file in (plain, ours)]
            assert sizes[1] <= 1.01 * sizes[0], sizes
    refused = frazil_run(tmp_path, "--level", "codec", "--goal", "size", "--", "true")
    assert (refused.returncode, "--level engine" in refused.stderr) == (TROUBLE, True)


@needs("ncgen")
def test_all_processes_are_told_of(tmp_path: Path):
    (tmp_path / "a.cdl").write_text(CDL)
    script = "for n in 1 2 3; do ncgen -4 -o $n.nc a.cdl & done; exec 2>&-; wait"
    done = frazil_run(tmp_path, "--", "sh", "-c", script)
    assert (done.returncode, fates(tmp_path)) == (0, ["written"] * 3), done.stderr
    assert [f"{n}.nc: written by frazil" in done.stderr for n in (1, 2, 3)] == [True] * 3


def test_a_program_without_netcdf(tmp_path: Path):
    done = frazil_run(tmp_path, "--", "sh", "-c", "echo out; exit 7")
    assert (done.returncode, done.stdout) == (7, "out\n")
    assert "nothing was accelerated, because no process called nc_create" in done.stderr
    assert frazil_run(tmp_path, "-q", "--", "true").stderr == ""
    killed = frazil_run(tmp_path, "--", "sh", "-c", "kill -TERM $$")
    assert killed.returncode == 143


def test_what_cannot_be_served_is_refused(tmp_path: Path):
    (tmp_path / "program.c").write_text("int main(void) { return 0; }")
    run("cc", "-static", tmp_path / "program.c", "-o", tmp_path / "fixed")
    run("cc", tmp_path / "program.c", "-o", tmp_path / "other")
    (tmp_path / "other").chmod(0o4755)
    for program, words in (("fixed", "statically"), ("other", "setuid"), ("none", "No such file")):
        done = frazil_run(tmp_path, "--", f"./{program}")
        assert (done.returncode, words in done.stderr) == (TROUBLE, True), done.stderr
    done = frazil_run(tmp_path, "--goal", "sizee", "--", "true")
    assert (done.returncode, "sizee" in done.stderr) == (TROUBLE, True)
    (tmp_path / "empty").mkdir()
    done = frazil_run(tmp_path, "--", "true", FRAZIL_RUN_PATH=str(tmp_path / "empty"))
    assert done.returncode == TROUBLE
    assert "make lib preload" in done.stderr and "empty" in done.stderr


def test_only_names_of_netcdf_are_exported():
    lines = run("nm", "-D", "--defined-only", LIBRARIES / "libfrazil_preload.so").splitlines()
    names = [line.split()[-1] for line in lines]
    assert len(names) > 300 and [name for name in names if not name.startswith("nc_")] == []


@needs_netcdf
def test_an_installed_command_finds_its_libraries(tmp_path: Path, c_program: Path):
    prefix = tmp_path / "prefix"
    where = {**os.environ, "PREFIX": str(prefix), "LIBDIR": f"{prefix}/lib64", "DESTDIR": ""}
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(BINARY, prefix / "bin/frazil")
    for script in ("install-library", "install-preload"):
        run(Path(__file__).parents[1] / "scripts" / script, LIBRARIES, env=where)
    command = [prefix / "bin/frazil", "run", "--", c_program, "out.nc"]
    done = subprocess.run(command, cwd=tmp_path, env=PLAIN, capture_output=True, text=True)
    assert (done.returncode, "written by frazil" in done.stderr) == (0, True), done.stderr
