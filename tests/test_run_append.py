"""`frazil run`: files that programs open to write on become what they become without it."""

import shutil
import signal
import subprocess
import sys
from ctypes import c_size_t
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.capi import PLAIN, needs
from support.command import FAILED
from support.fortran import run
from support.netcdf_calls import Calls, stock_library
from support.running import check_equal, fates, frazil_run

pytestmark = pytest.mark.sampled(one_in=2)

MODELS = ["NETCDF4", "NETCDF4_CLASSIC"]

EDIT = """
import sys, numpy as np, netCDF4
values = np.random.default_rng(1).normal(size=(7, 100, 50))
with netCDF4.Dataset(sys.argv[1], "a") as file:
    print(file.data_model, file.ncattrs(), file.dimensions, file.title)
    for v in file.variables.values():
        print(v.name, v.dtype, v.shape, v.dimensions, v.chunking(), v.filters(), v.endian())
        print({name: v.getncattr(name) for name in v.ncattrs()})
    v = file["v"]
    print(v[1, 2, 3], v[:].sum(), file["c"][:])
    for record in range(5, 12):
        v[record], file["t"][record] = values[record - 5], record
    v[1], v[0, 5:8, ::2], file["k"][7], file["w"][3] = 3, 4, 9, 5
    file.title, file.new, v.units, v.more = "a much longer title", "n", "C", np.float32(3)
    v.long_name = "much heat"
    del file.history, v.counts
    v.renameAttribute("more", "few")
    file.sync()
    file.renameVariable("w", "ww"), file.renameDimension("x", "xx")
    file.createDimension("n", 3)
    n = file.createVariable("n", "f4", ("t", "n"), zlib=True, fill_value=1)
    n[:8] = np.arange(24).reshape(8, 3)
    n.a, file["c"][3] = 1, b"q"
    if file.data_model == "NETCDF4":
        file["s"][2], file["g/b"][4] = "caf\\u00e9", 3
        file.createVariable("g/later", "u8", ("n",), chunksizes=(2,))[:] = 2
        file.createGroup("h/i").a = 1
    print(v[:].mean(), v[6, 2, 3], file["ww"][:].sum(), n[:])
"""
# Each status is printed; the classic model refuses most while define mode was not entered.
STATUSES = r"""
#include <netcdf.h>
#include <stdio.h>
#define SAY(call) printf("%d " #call "\n", call)
int main(int argc, char **argv) {
    int nc, other, id, level[3], mode;
    size_t start[3] = {1, 0, 0}, count[3] = {1, 1, 1}, far[3] = {0, 100, 0}, length;
    float value = 7, fill = 1;
    char text[NC_MAX_NAME + 1];
    (void)argc;
    SAY(nc_open("none.nc", NC_WRITE, &nc));
    SAY(nc_open(argv[1], NC_WRITE, &nc));
    SAY(nc_inq_format(nc, &id)); printf("%d\n", id);
    SAY(nc_inq_format_extended(nc, &id, &mode)); printf("%d\n", id);
    SAY(nc_enddef(nc));
    SAY(nc_def_dim(nc, "early", 4, &id));
    SAY(nc_def_dim(nc, "x", 4, &id));
    SAY(nc_def_var(nc, "v", NC_INT, 0, NULL, &id));
    SAY(nc_inq_varid(nc, "v", &id)); printf("%d\n", id);
    SAY(nc_inq_varid(nc, "no", &id));
    SAY(nc_inq_varid(nc, "v", &id));
    SAY(nc_def_var_deflate(nc, id, 0, 1, 1));
    SAY(nc_def_var_fill(nc, id, 0, &fill));
    SAY(nc_put_att_float(nc, id, "_FillValue", NC_FLOAT, 1, &fill));
    SAY(nc_put_att_float(nc, id, "counts", NC_FLOAT, 1, &fill));
    SAY(nc_put_att_text(nc, id, "units", 40, "a text that is longer than the one before"));
    SAY(nc_redef(nc));
    SAY(nc_redef(nc));
    SAY(nc_put_att_text(nc, id, "units", 40, "a text that is longer than the one before"));
    SAY(nc_def_dim(nc, "late", 2, level));
    SAY(nc_def_var(nc, "late", NC_SHORT, 1, level, &other)); printf("%d\n", other);
    SAY(nc_def_var_deflate(nc, other, 1, 1, 5));
    SAY(nc_put_var1_float(nc, id, start, &value));
    SAY(nc_enddef(nc));
    SAY(nc_put_var1_float(nc, id, start, &value));
    SAY(nc_put_vara_float(nc, id, far, count, &value));
    SAY(nc_put_var1_text(nc, id, start, "a"));
    SAY(nc_get_var1_float(nc, id, start, &value)); printf("%g\n", value);
    start[0] = 20;
    SAY(nc_get_var1_float(nc, id, start, &value));
    SAY(nc_inq_unlimdim(nc, level));
    SAY(nc_inq_dimlen(nc, level[0], &length)); printf("%zu\n", length);
    SAY(nc_inq_var_deflate(nc, id, level, level + 1, level + 2));
    printf("%d %d\n", level[1], level[2]);
    SAY(nc_del_att(nc, id, "none"));
    SAY(nc_del_att(nc, NC_GLOBAL, "history"));
    SAY(nc_inq_attname(nc, NC_GLOBAL, 0, text)); puts(text);
    SAY(nc_rename_var(nc, id, "t"));
    SAY(nc_sync(nc));
    SAY(nc_close(nc));
    SAY(nc_close(nc));
    return 0;
}
"""
DEFINES_A_TYPE = """
import os, sys, numpy as np, netCDF4
with netCDF4.Dataset(sys.argv[1], "a") as file:
    os.chdir("/")
    if len(sys.argv) > 2:
        file["v"][7] = 3
    kind = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
    values = np.zeros(100, kind.dtype)
    values["a"] = np.arange(100)
    file.createVariable("p", kind, ("x",))[:] = values
    file.createVariable("later", "f4", ("t", "x"), zlib=True)[:] = 4
    file.late, file["v"][8] = "l", 2
"""
# New variables between which one is asked for what frazil does not write.
LATE = r"""
#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#define SAY(call) printf("%d " #call "\n", call)
int main(int argc, char **argv) {
    static float large[9000000];
    int nc, dims[2], first, odd, last, x, group, v, storage;
    size_t chunk[2] = {0, 0}, at[3] = {6, 1, 1};
    float value = 1.2345678f, fill = -3;
    (void)argc;
    SAY(nc_open("out.nc", NC_WRITE, &nc));
    SAY(nc_inq_varid(nc, "v", &v));
    if (*argv[3]) SAY(nc_put_var1_float(nc, v, at, &value));
    SAY(nc_redef(nc));
    SAY(nc_put_att_text(nc, NC_GLOBAL, "title", 30, "a title that is not short at all"));
    SAY(nc_rename_var(nc, v, "u"));
    SAY(nc_inq_dimid(nc, "x", &x));
    SAY(nc_def_dim(nc, "n", strcmp(argv[1], "large") ? 50 : 9000000, dims));
    SAY(nc_def_var(nc, "first", NC_SHORT, 1, &x, &first));
    SAY(nc_def_var_deflate(nc, first, 1, 1, 3));
    SAY(nc_def_var_chunking(nc, first, NC_CHUNKED, (size_t[]){30}));
    SAY(nc_put_att_text(nc, first, "units", 1, "K"));
    SAY(nc_def_var(nc, "odd", NC_FLOAT, 1, dims, &odd));
    SAY(nc_def_var_fill(nc, odd, 0, &fill));
    group = nc;
    if (!strcmp(argv[2], "NETCDF4")) SAY(nc_def_grp(nc, "later", &group));
    SAY(nc_def_var(group, "last", NC_INT, 1, dims, &last));
    SAY(nc_def_var_fletcher32(group, last, 1));
    if (!strcmp(argv[1], "bitgroom")) SAY(nc_def_var_quantize(nc, odd, NC_QUANTIZE_BITGROOM, 3));
    if (!strcmp(argv[1], "compact")) SAY(nc_def_var_chunking(nc, odd, NC_COMPACT, NULL));
    chunk[0] = 9000000;
    if (!strcmp(argv[1], "large")) SAY(nc_def_var_chunking(nc, odd, NC_CHUNKED, chunk));
    SAY(nc_put_att_text(nc, odd, "late", 1, "l"));
    SAY(nc_enddef(nc));
    SAY(nc_inq_var_chunking(nc, odd, &storage, chunk));
    printf("%d %zu\n", storage, chunk[0]);
    SAY(nc_put_var_float(nc, odd, large));
    SAY(nc_put_var1_float(nc, odd, at, &value));
    SAY(nc_put_var1_int(group, last, at, &storage));
    SAY(nc_put_var1_int(nc, first, at, &storage));
    at[0] = 7;
    SAY(nc_put_var1_float(nc, v, at, &value));
    SAY(nc_sync(nc));
    SAY(nc_close(nc));
    return 0;
}
"""
# What unlimited dimensions there are, in which order.
ORDER = r"""
#include <netcdf.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int nc, ids[9] = {0}, count, first, more, v;
    size_t at[2] = {4, 5};
    float value = 3;
    (void)argc;
    if (nc_open(argv[1], NC_WRITE, &nc)) return 1;
    for (int turn = 0; turn < 2; turn++) {
        if (nc_inq_unlimdims(nc, &count, ids) || nc_inq_unlimdim(nc, &first)) return 2;
        printf("%d: %d %d %d %d, %d\n", count, ids[0], ids[1], ids[2], ids[3], first);
        if (nc_inq(nc, NULL, NULL, NULL, &first)) return 3;
        printf("%d\n", first);
        if (turn == 0 && nc_def_dim(nc, "later", NC_UNLIMITED, &more)) return 4;
    }
    if (nc_inq_varid(nc, "v", &v) || nc_put_var1_float(nc, v, at, &value)) return 5;
    return nc_close(nc);
}
"""
READS_BESIDE = """
import sys, netCDF4
file = netCDF4.Dataset(sys.argv[1], "a")
reader, other = netCDF4.Dataset(sys.argv[1]), netCDF4.Dataset(sys.argv[1])
for record in range(5, 8):
    file["v"][record] = record
    print(len(reader["v"]), reader["v"][record, 0, 0], other["v"].shape, other["k"][:, 1])
    if "g" in file.groups:
        file["g/b"][record] = record
        print(other["g/b"][:, 0], len(reader["g"].dimensions["u"]))
other.close()
file["t"][9] = 9
file.sync()
print(reader["t"][:])
file["t"][10] = 10
file.close()
print(reader["v"].shape, reader["v"][:8].sum(), reader["t"][:])
reader.close()
"""
# One file by two numbers: what each writes and sees.
TWICE = r"""
#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#define SAY(call) printf("%d " #call "\n", call)
int main(int argc, char **argv) {
    int one, two, dim, v, w;
    size_t at[3] = {1, 0, 0}, length;
    float value = 7;
    (void)argc;
    if (!strcmp(argv[1], "create")) {
        SAY(nc_create("out.nc", NC_NETCDF4, &one));
        SAY(nc_def_dim(one, "t", NC_UNLIMITED, &dim));
        SAY(nc_def_var(one, "v", NC_FLOAT, 1, &dim, &v));
    } else SAY(nc_open("out.nc", NC_WRITE, &one));
    SAY(nc_inq_varid(one, "v", &v));
    SAY(nc_put_var1_float(one, v, at, &value));
    SAY(nc_open("out.nc", NC_WRITE, &two));
    SAY(nc_inq_varid(two, "v", &w));
    value = 8; at[0] = 2;
    SAY(nc_put_var1_float(two, w, at, &value));
    value = 9; at[0] = 3;
    SAY(nc_put_var1_float(one, v, at, &value));
    SAY(nc_get_var1_float(two, w, at, &value)); printf("%g\n", value);
    at[0] = 2;
    SAY(nc_get_var1_float(one, v, at, &value)); printf("%g\n", value);
    SAY(nc_inq_dimlen(two, 0, &length)); printf("%zu\n", length);
    SAY(nc_close(two));
    SAY(nc_close(one));
    return 0;
}
"""
KILLED = """
import os, signal, sys, netCDF4
file = netCDF4.Dataset(sys.argv[1], "a")
for record in range(5, 30):
    file["v"][record] = record
    if record == 7:
        file.sync()
os.kill(os.getpid(), signal.SIGKILL)
"""


def history(path: Path, model: str = "NETCDF4") -> Path:
    """A file of five records, made by netCDF-C."""
    values = np.random.default_rng(0).normal(size=(5, 100, 50)).astype("f4")
    with netCDF4.Dataset(path, "w", format=model) as file:
        file.title, file.history = "x", "old"
        for name, length in (("t", None), ("x", 100), ("y", 50)):
            file.createDimension(name, length)
        chunks = {"zlib": True, "complevel": 4, "chunksizes": (3, 50, 50), "fill_value": -9.0}
        v = file.createVariable("v", "f4", ("t", "x", "y"), **chunks)
        v.units, v.long_name, v.counts = "K", "heat", np.arange(3, dtype="i4")
        file.createVariable("t", "f8", ("t",))[:] = np.arange(5)
        file.createVariable("w", "f8", ("x", "y"))[:] = 1
        file.createVariable("k", "i2", ("t", "x"), zlib=True, fletcher32=True)[:5] = 2
        file.createVariable("c", "S1", ("x",))[:] = b"a"
        v[:] = values
        if model == "NETCDF4":
            file.createVariable("s", str, ("t",))[0] = "first"
            group = file.createGroup("g")
            group.createDimension("u", None)
            group.createVariable("b", ">i4", ("u", "y"), endian="big", zlib=True)[:2] = 7
    return path


def both(folder: Path, source: Path, *command: object, taken: list[str]) -> str:
    """Has a command go on with copies of a file, with frazil and without, and compares."""
    for name in ("plain", "ours"):
        (folder / name).mkdir()
        shutil.copy(source, folder / name / "out.nc")
    plain = run(*command, "out.nc", cwd=folder / "plain", env=PLAIN)
    done = frazil_run(folder / "ours", "--", *command, "out.nc")
    assert (done.returncode, done.stdout) == (0, plain), done.stderr
    assert fates(folder / "ours") == taken, done.stderr
    check_equal(folder / "plain/out.nc", folder / "ours/out.nc")
    left = sorted(path.name for path in (folder / "ours").iterdir())
    assert left == ["out.nc", "report.json"]
    return done.stderr


@pytest.mark.parametrize("model", MODELS)
def test_python(tmp_path: Path, model: str):
    (tmp_path / "edit.py").write_text(EDIT)
    source = history(tmp_path / "in.nc", model)
    words = both(tmp_path, source, sys.executable, "../edit.py", taken=["written"])
    assert "out.nc: written by frazil" in words
    with h5py.File(tmp_path / "ours/out.nc") as file:
        assert file["v"].shape == (12, 100, 50) and (file["v"][1] == 3).all()
        assert file["v"].compression == "gzip" and file["v"].chunks == (3, 50, 50)


@needs("nc-config")
@pytest.mark.parametrize("model", MODELS)
def test_statuses(tmp_path: Path, model: str):
    (tmp_path / "statuses.c").write_text(STATUSES)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "statuses.c", "-o", tmp_path / "statuses", *flags)
    source = history(tmp_path / "in.nc", model)
    # It goes back for a fill value that comes late.
    both(tmp_path, source, "../statuses", taken=["given_back"])


@needs("ncks")
@pytest.mark.parametrize(
    "command",
    [
        ("ncks", "-h", "-A", "../more.nc"),
        ("ncrcat", "-h", "-v", "v,t,k", "--rec_apn", "../in.nc"),
        ("ncatted", "-h", "-a", "units,v,o,c,degC", "-a", "n,global,c,f,3", "-a", "counts,v,d,,"),
        # By another name first, which is changed into `_FillValue` once there are values.
        ("ncatted", "-h", "-a", "_FillValue,v,o,f,-9"),
        ("cdo", "-s", "cat", "../days.nc"),
    ],
    ids=lambda command: "-".join(command[:4:3]),
)
def test_tools(tmp_path: Path, command: tuple[str, ...]):
    """NCO works on a copy that it puts in the place of the file."""
    if not shutil.which(command[0]):
        pytest.skip(f"needs {command[0]}")
    source = history(tmp_path / "in.nc")
    with netCDF4.Dataset(tmp_path / "more.nc", "w") as file:
        file.createDimension("x", 100)
        file.createVariable("extra", "f4", ("x",), zlib=True)[:] = np.arange(100)
    if command[0] == "cdo":
        source = tmp_path / "days.nc"
        run("cdo", "-s", "-f", "nc4", "-z", "zip_2", "-random,r36x18", tmp_path / "day.nc")
        run("cdo", "-s", "settaxis,2000-01-01,12:00,1day", tmp_path / "day.nc", source)
    for name in ("plain", "ours"):
        (tmp_path / name).mkdir()
        shutil.copy(source, tmp_path / name / "out.nc")
    run(*command, "out.nc", cwd=tmp_path / "plain", env=PLAIN)
    done = frazil_run(tmp_path / "ours", "--", *command, "out.nc")
    assert done.returncode == 0 and "written" in fates(tmp_path / "ours"), done.stderr
    assert "not_taken" not in fates(tmp_path / "ours"), done.stderr
    for name in ("plain", "ours"):
        # The time of the call.
        with netCDF4.Dataset(tmp_path / name / "out.nc", "a") as file:
            for attribute in {"history", "NCO", "CDO"} & set(file.ncattrs()):
                file.delncattr(attribute)
    check_equal(tmp_path / "plain/out.nc", tmp_path / "ours/out.nc")


def test_a_file_that_is_only_looked_at_stays_as_it_is(tmp_path: Path):
    path = history(tmp_path / "out.nc")
    before = path.read_bytes(), path.stat().st_mtime_ns
    script = (
        "import netCDF4; file = netCDF4.Dataset('out.nc', 'a'); print(file['v'][4, 5, 6]);"
        "file.sync(); file.close()"
    )
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script)
    assert (done.returncode, fates(tmp_path)) == (0, ["unchanged"]), done.stderr
    assert "not changed" in done.stderr
    assert before == (path.read_bytes(), path.stat().st_mtime_ns)


@pytest.mark.parametrize("values", [(), ("put",)])
def test_a_type_is_added(tmp_path: Path, values: tuple[str, ...]):
    script = DEFINES_A_TYPE.replace("len(sys.argv) > 2", str(bool(values)))
    (tmp_path / "define.py").write_text(script)
    source = history(tmp_path / "in.nc")
    both(tmp_path, source, sys.executable, "../define.py", taken=["written"])


@needs("nc-config")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("put", ["", "put"])
@pytest.mark.parametrize("asks", ["bitgroom", "compact", "large"])
def test_a_new_variable_is_stored_as_the_program_asks(
    tmp_path: Path, model: str, put: str, asks: str
):
    """What frazil does not write, the program's own library defines in the file that it opens."""
    (tmp_path / "late.c").write_text(LATE)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "late.c", "-o", tmp_path / "late", *flags)
    source = history(tmp_path / "in.nc", model)
    taken = "written" if put else "given_back"
    both(tmp_path, source, "../late", asks, model, put, taken=[taken])


def test_what_frazil_does_not_show_is_left_alone(tmp_path: Path):
    source = history(tmp_path / "in.nc")
    stock = Calls(stock_library())
    root = stock.ints("open", 1, bytes(source), 1)[1]
    packed = stock.ints("def_compound", 1, root, c_size_t(9), b"packed")[1]
    assert stock("insert_compound", root, packed, b"a", c_size_t(0), 1) == 0
    assert stock("insert_compound", root, packed, b"b", c_size_t(1), 6) == 0
    assert stock.ints("def_var", 1, root, b"p", packed, 0, None)[0] == 0
    assert stock("close", root) == 0
    (tmp_path / "edit.py").write_text(EDIT)
    words = both(tmp_path, source, sys.executable, "../edit.py", taken=["not_taken"])
    assert "left to the program's own netCDF library: p: its fill value" in words


@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_links_lead_to_the_same_file(tmp_path: Path, kind: str):
    path = history(tmp_path / "disk.nc")
    link = tmp_path / "out.nc"
    link.symlink_to(path.name) if kind == "symbolic" else link.hardlink_to(path)
    script = "import netCDF4; netCDF4.Dataset('out.nc', 'a')['v'][5] = 2"
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script)
    assert (done.returncode, fates(tmp_path)) == (0, ["written"]), done.stderr
    assert link.is_symlink() == (kind == "symbolic") and link.samefile(path)
    with netCDF4.Dataset(path) as file:
        assert (file["v"][5] == 2).all()


def test_a_program_that_is_killed_leaves_the_last_commit(tmp_path: Path):
    path = history(tmp_path / "out.nc")
    (tmp_path / "killed.py").write_text(KILLED)
    done = frazil_run(tmp_path, "--", sys.executable, "killed.py", "out.nc")
    assert done.returncode == 128 + signal.SIGKILL and fates(tmp_path) == ["unclosed"]
    with netCDF4.Dataset(path) as file:
        assert len(file["v"]) == 8 and (file["v"][7] == 7).all()
    # A program goes on from there.
    script = "import netCDF4; netCDF4.Dataset('out.nc', 'a')['v'][8] = 8"
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script)
    assert (done.returncode, fates(tmp_path)) == (0, ["written"]), done.stderr
    with h5py.File(path) as file:
        assert [file["v"][record, 0, 0] for record in (7, 8)] == [7, 8]


def test_a_full_disk_leaves_the_last_commit(tmp_path: Path):
    path = history(tmp_path / "out.nc")
    script = """
import resource, signal, netCDF4, numpy as np
file = netCDF4.Dataset("out.nc", "a")
file["v"][5] = 5
file.sync()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
file["v"][6:200] = np.random.default_rng(2).normal(size=(194, 100, 50))
file.close()
"""
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script)
    assert done.returncode == FAILED and fates(tmp_path) == ["failed"], done.stderr
    with netCDF4.Dataset(path) as file:
        assert len(file["v"]) == 6 and (file["v"][5] == 5).all()


@needs("nc-config")
def test_unlimited_dimensions_come_in_the_order_of_the_file(tmp_path: Path):
    """Frazil writes those with a variable first; netCDF-C shows them as it finds them."""
    (tmp_path / "order.c").write_text(ORDER)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "order.c", "-o", tmp_path / "order", *flags)
    script = (
        "import netCDF4; file = netCDF4.Dataset('in.nc', 'w');"
        "[file.createDimension(name, None) for name in ('x', 'y', 't')];"
        "file.createVariable('t', 'f8', ('t',))[:] = [1, 2];"
        "file.createVariable('v', 'f4', ('t', 'x'))[:2, :3] = 1; file.close()"
    )
    assert frazil_run(tmp_path, "--", sys.executable, "-c", script).returncode == 0
    both(tmp_path, tmp_path / "in.nc", "../order", taken=["written"])


@needs("nc-config")
@pytest.mark.parametrize("first", ["open", "create"])
def test_two_numbers_write_one_file(tmp_path: Path, first: str):
    """As in netCDF-C, which has the file from the second opening on."""
    (tmp_path / "twice.c").write_text(TWICE)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "twice.c", "-o", tmp_path / "twice", *flags)
    source = history(tmp_path / "in.nc")
    both(tmp_path, source, "../twice", first, taken=["written"])


@pytest.mark.parametrize("model", MODELS)
def test_a_reader_sees_what_the_writer_puts(tmp_path: Path, model: str):
    """In one process, without `nc_sync`, as in netCDF-C."""
    (tmp_path / "beside.py").write_text(READS_BESIDE)
    source = history(tmp_path / "in.nc", model)
    both(tmp_path, source, sys.executable, "../beside.py", taken=["written"])


# The reader is open when the file goes back to the program's own library.
READER_BETWEEN = """
import sys, netCDF4
first = netCDF4.Dataset(sys.argv[1], "a")
first["k"][3] = 5
reader = netCDF4.Dataset(sys.argv[1])
print(reader["k"][3])
second = netCDF4.Dataset(sys.argv[1], "a")
first["k"][4] = 6
second["k"][5] = 7
print(reader["k"][3:6])
first.close()
print(reader["k"][3:6])
second.close(), reader.close()
"""


def test_a_second_writer_opens_a_file_that_is_read(tmp_path: Path):
    (tmp_path / "between.py").write_text(READER_BETWEEN)
    source = history(tmp_path / "in.nc")
    both(tmp_path, source, sys.executable, "../between.py", taken=["written"])


def test_a_program_that_ends_after_a_commit_leaves_a_whole_file(tmp_path: Path):
    path = history(tmp_path / "out.nc")
    script = (
        "import netCDF4, os; file = netCDF4.Dataset('out.nc', 'a'); file['v'][5] = 5; file.sync();"
        "print(file['v'][5, 0, 0]); os._exit(4)"
    )
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script)
    assert (done.returncode, fates(tmp_path)) == (4, ["left_whole"]), done.stderr
    assert "the file is whole" in done.stderr and "FAILED" not in done.stderr
    with netCDF4.Dataset(path) as file:
        assert (file["v"][5] == 5).all() and len(file["v"]) == 6
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script.replace("print", "file.a = "))
    assert (done.returncode, fates(tmp_path)) == (4, ["unclosed"]), done.stderr


def test_a_file_being_written_is_not_opened_twice(tmp_path: Path):
    """The second opening reads what was put before."""
    history(tmp_path / "out.nc")
    script = (
        "import netCDF4; file = netCDF4.Dataset('out.nc', 'a'); file['v'][5] = 5;"
        "print(len(netCDF4.Dataset('out.nc')['v'])); file['v'][6] = 6; file.close()"
    )
    done = frazil_run(tmp_path, "--", sys.executable, "-c", script)
    assert (done.returncode, done.stdout, fates(tmp_path)) == (0, "6\n", ["written"]), done.stderr
    plain = subprocess.run(["ncdump", "-h", tmp_path / "out.nc"], capture_output=True, check=True)
    assert b"t = UNLIMITED ; // (7 currently)" in plain.stdout


# What netCDF-C's own tests ask of a library, where an answer depends on what was done before.
REFUSALS = r"""
#include <netcdf.h>
#include <stdio.h>
#define SAY(call) printf("%d " #call "\n", call)
int main(int argc, char **argv) {
    int nc, other, dim, id, one, two, equal = -1, value = 1;
    size_t index = 1;
    const char *missing[1] = {NULL};
    char *found[1] = {(char *)argv};
    (void)argc;
    SAY(nc_open(argv[1], NC_WRITE, &nc));
    SAY(nc_create("one.nc", NC_NETCDF4, &nc));
    SAY(nc_create("two.nc", NC_NETCDF4, &other));
    SAY(nc_def_enum(nc, NC_INT, "e", &one));
    SAY(nc_insert_enum(nc, one, "a", &value));
    SAY(nc_def_enum(other, NC_INT, "e", &two));
    SAY(nc_insert_enum(other, two, "a", &value));
    SAY(nc_inq_type_equal(nc, one, other, two, &equal));
    SAY(nc_enddef(nc));
    SAY(nc_enddef(other));
    SAY(nc_inq_type_equal(nc, one, other, two, &equal));
    printf("%d\n", equal);
    SAY(nc_close(other));
    SAY(nc_redef(nc));
    SAY(nc_def_dim(nc, "x", 3, &dim));
    SAY(nc_def_var(nc, "v", NC_INT, 1, &dim, &id));
    SAY(nc_put_var1_int(nc, id, &index, &value));
    SAY(nc_put_att_int(nc, id, "_FillValue", NC_INT, 1, &value));
    SAY(nc_put_att_string(nc, NC_GLOBAL, "missing", 1, missing));
    SAY(nc_get_att_string(nc, NC_GLOBAL, "missing", found));
    printf("%s\n", found[0] ? found[0] : "NULL");
    SAY(nc_close(nc));
    return 0;
}
"""


@needs("nc-config")
def test_what_netcdf_refuses_is_refused(tmp_path: Path):
    """Files without an order, late fill values, types that no file has yet, NULL strings."""
    (tmp_path / "refusals.c").write_text(REFUSALS)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "refusals.c", "-o", tmp_path / "refusals", *flags)
    unordered = tmp_path / "unordered.h5"
    h5py.File(unordered, "w").close()
    for name in ("plain", "ours"):
        (tmp_path / name).mkdir()
    plain = run("../refusals", unordered, cwd=tmp_path / "plain", env=PLAIN)
    done = frazil_run(tmp_path / "ours", "--", "../refusals", unordered)
    assert (done.returncode, done.stdout) == (0, plain), done.stderr
    for name in ("one.nc", "two.nc"):
        check_equal(tmp_path / "plain" / name, tmp_path / "ours" / name)
