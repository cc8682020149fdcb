"""Types that programs define, in files that they write: frazil's files are as netCDF-C's."""

import ctypes
import os
import shutil
import subprocess
import sys
import time
from ctypes import c_int, c_size_t
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.appended_types import NOT_SERVED, Appender
from support.capi import PLAIN, needs
from support.fortran import LIBRARIES, run
from support.netcdf_calls import Calls, File, stock_library
from support.running import frazil_run
from support.user_types import Author, Types, random_file
from test_netcdf_reading import fates, first_difference, printed_under_run

SEED = int(os.environ.get("FRAZIL_TYPES_SEED", time.time_ns() % 100_000))
FILES = 200 if os.environ.get("FRAZIL_FULL") else 20


@pytest.fixture(scope="module")
def libraries() -> tuple[Calls, Calls]:
    return Calls(LIBRARIES / "libfrazil.so", "frz_"), Calls(stock_library())


def said(path: Path, calls: Calls, *, of_storage: bool = True) -> list:
    """Everything that netCDF-C says of a file."""
    file = File(calls, path)
    found = [*file.inventory(), *Types(file).inventory()]
    assert file.close() == 0
    # Frazil chooses storage where its library is called by name.
    chosen = () if of_storage else ("storage", "deflate")
    return [one for one in found if not (isinstance(one, tuple) and one[0] in chosen)]


def without_number(fact: tuple) -> str:
    """What does not depend on the order of attributes."""
    is_numbered = isinstance(fact, tuple) and fact[0] == "attribute"
    return repr(fact[2:] if is_numbered else fact)


def is_fixed(seed: int) -> bool:
    """Whether the values of a random file have no strings or sequences."""
    return seed % 3 == 0


def test_random_types_are_written(tmp_path: Path, libraries):
    frazil, stock = libraries
    for seed in range(SEED, SEED + FILES):
        form = {"is_fixed": is_fixed(seed), "fills": 0.3}
        ours = random_file(tmp_path / f"{seed}.nc", seed, frazil, **form)
        theirs = random_file(tmp_path / f"{seed}-c.nc", seed, stock, **form)
        answers = [said(path, stock, of_storage=False) for path in (ours, theirs)]
        assert first_difference(*answers) is None, f"FRAZIL_TYPES_SEED={seed}"


def test_random_files_with_types_are_written_on(tmp_path: Path, libraries):
    served = 0
    for seed in range(SEED, SEED + FILES):
        paths = [tmp_path / f"{seed}-{index}.nc" for index in (0, 1)]
        author = Author(paths[0], seed, libraries[1], is_fixed=is_fixed(seed))
        author.write()
        shutil.copy(paths[0], paths[1])
        names = "open_writing", "open"
        ours, theirs = [
            Appender(author, *place)
            for place in zip(paths, (seed, seed), libraries, names, strict=True)
        ]
        if ours.status == NOT_SERVED:
            assert theirs.calls("close", theirs.root) == 0
            continue
        served += 1
        for side in (ours, theirs):
            side.go_on()
        repeat = f"FRAZIL_TYPES_SEED={seed}"
        assert first_difference(ours.said, theirs.said) is None, repeat
        # netCDF-C has no order of attributes in objects that are new in a file that it opens.
        answers = [
            sorted(map(without_number, said(path, libraries[1], of_storage=False)))
            for path in paths
        ]
        assert first_difference(*answers) is None, repeat
    assert served > FILES // 2


@needs("ncgen")
@needs("ncdump")
def test_ncgen_writes_the_same(tmp_path: Path, libraries):
    _, stock = libraries
    made, written = 0, 0
    for seed in range(SEED, SEED + 30):
        path = random_file(tmp_path / "a.nc", seed, stock, is_fixed=is_fixed(seed))
        with (tmp_path / "a.cdl").open("w") as dump:
            subprocess.run(["ncdump", path], stdout=dump, check=False)
        command = ["ncgen", "-4", "-o"]
        plain = subprocess.run([*command, "plain.nc", "a.cdl"], cwd=tmp_path, check=False)
        if plain.returncode != 0 or made == 8:
            # ncdump cannot write all types, and ncgen reads less than that.
            continue
        made += 1
        printed_under_run(tmp_path, *command, "ours.nc", "a.cdl")
        answers = [said(tmp_path / name, stock) for name in ("ours.nc", "plain.nc")]
        assert first_difference(*answers) is None, f"FRAZIL_TYPES_SEED={seed}"
        written += fates(tmp_path) == [("ours.nc", "written")]
    # What ncgen lays out in its own way is given back.
    assert made > 2 and written > 0


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[2])
from ctypes import c_int, c_size_t
from pathlib import Path
from support import make
make.every_netcdf4_type(Path(sys.argv[1]))
"""


@needs("ncdump")
def test_types_of_netcdf4_python_are_written_the_same(tmp_path: Path, libraries):
    (tmp_path / "write.py").write_text(PROGRAM)
    command = [sys.executable, "write.py"]
    folder = Path(__file__).parent
    subprocess.run([*command, "plain.nc", folder], cwd=tmp_path, env=PLAIN, check=True)
    printed_under_run(tmp_path, *command, "ours.nc", folder)
    dumps = [
        subprocess.run(
            ["ncdump", "-n", "one", tmp_path / name], capture_output=True, text=True, check=True
        ).stdout
        for name in ("plain.nc", "ours.nc")
    ]
    assert dumps[0] == dumps[1]


MODEL = """
import sys, netCDF4, numpy as np
pair = np.dtype([("n", "i2"), ("value", "f8"), ("counts", "i4", (3,))], align=True)
outer = np.dtype([("one", pair), ("flag", "u1")], align=True)
with netCDF4.Dataset(sys.argv[1], "w") as file:
    inner_type = file.createCompoundType(pair, "pair")
    outer_type = file.createCompoundType(outer, "outer")
    choice = file.createEnumType("i2", "choice", {"no": 0, "yes": 1, "maybe": 300})
    file.createDimension("time", None)
    file.createDimension("x", 5000)
    v = file.createVariable("v", outer_type, ("time", "x"), zlib=True)
    e = file.createVariable("e", choice, ("time", "x"), zlib=True, fill_value=0)
    scalar = file.createVariable("s", inner_type, ())
    values = np.zeros((1, 5000), outer)
    for record in range(12):
        values["one"]["value"] = np.arange(5000) + record
        values["one"]["counts"][..., 1] = record
        values["flag"] = record
        v[record] = values
        e[record] = [1, 300] * 2500
        if record == 6:
            file.sync()
            print(v[5]["one"]["value"][:3], e[3][:4])
    scalar[...] = values["one"][0, 7]
    # After values were put.
    file.createVariable("late", inner_type, ("x",))[:] = values["one"][0]
"""


def test_a_model_writes_compounds(tmp_path: Path):
    (tmp_path / "write.py").write_text(MODEL)
    command = [sys.executable, "write.py"]
    plain = subprocess.run(
        [*command, "plain.nc"], cwd=tmp_path, env=PLAIN, capture_output=True, text=True, check=True
    )
    assert printed_under_run(tmp_path, *command, "ours.nc") == plain.stdout
    assert fates(tmp_path) == [("ours.nc", "written")]
    with h5py.File(tmp_path / "plain.nc") as plain_file, h5py.File(tmp_path / "ours.nc") as ours:
        assert sorted(ours) == sorted(plain_file)
        for name in ("v", "e", "s", "late"):
            one, other = ours[name], plain_file[name]
            assert one.id.get_type().equal(other.id.get_type())
            assert (one.chunks, one.compression) == (other.chunks, other.compression)
            # Byte by byte they differ in what lies between the members.
            assert np.array_equal(one[()], other[()])
        for name in ("pair", "outer", "choice"):
            assert ours[name].id.equal(plain_file[name].id)
    with netCDF4.Dataset(tmp_path / "ours.nc") as file:
        assert list(file.cmptypes) == ["pair", "outer"]
        assert np.all(file["v"][11]["flag"] == 11)


SEQUENCES = """
import sys, numpy as np, netCDF4
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("t", None), file.createDimension("x", 4)
    deep = file.createGroup("g/deep")
    pair = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8", (2,))]), "pair")
    choice = deep.createEnumType("u1", "choice", {"no": 0, "yes": 7})
    p = file.createVariable("p", pair, ("t", "x"), zlib=True)
    c = deep.createVariable("c", choice, ("x",), fill_value=7)
    p.units, p.best, deep.kind = "K", np.ones(1, pair.dtype)[0], "some"
    rows = file.createVLType("i4", "rows")
    r = file.createVariable("r", rows, ("t", "x"))
    if len(sys.argv) > 2:
        # The program's own library goes on.
        rounded = {"significant_digits": 3, "quantize_mode": "BitGroom"}
        file.createVariable("o", "f4", ("x",), zlib=True, **rounded)[:] = 1.2345
    some = np.array([np.arange(n, dtype="i4") for n in (3, 1, 2, 4)], object)
    r[:] = some
    file.last = some[0]
    r[2] = some[::-1]
    file.createVariable("late", rows, ("x",))[1:3] = some[2:]
    p[0], c[1:] = np.ones(4, pair.dtype), [0, 7, 0]
    print(r[0, 2], r[1], r[2], file["late"][:], deep["c"][:], p[0]["b"], file.last)
with netCDF4.Dataset(sys.argv[1], "a") as file:
    r = file["r"]
    r[3], file["p"][2] = r[2], file["p"][0]
    file.createVariable("more", r.datatype, ("x",))[2:] = r[0][:2]
    print(r[3], file["more"][:])
"""


@pytest.mark.parametrize("is_odd", [False, True])
def test_sequences_are_written_and_handed_over(tmp_path: Path, libraries, is_odd: bool):
    """With all types that were defined before, and what was made of them."""
    (tmp_path / "write.py").write_text(SEQUENCES)
    command, odd = [sys.executable, "write.py"], ["odd"] * is_odd
    plain = subprocess.run(
        [*command, "plain.nc", *odd],
        cwd=tmp_path,
        env=PLAIN,
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed_under_run(tmp_path, *command, "ours.nc", *odd) == plain.stdout
    # Frazil goes on with what is rounded in no file.
    found = ["given_back", "not_taken"] if is_odd else ["written", "written"]
    assert fates(tmp_path) == [("ours.nc", one) for one in found]
    answers = [said(tmp_path / name, libraries[1]) for name in ("ours.nc", "plain.nc")]
    assert first_difference(*answers) is None


def definitions(path: Path, calls: Calls, mode: int) -> list:
    """What a library answers to definitions, good and bad."""
    root, size, four = calls.ints("create", 1, str(path).encode(), mode)[1], *map(c_size_t, (16, 4))
    said = [
        ("opaque", calls.ints("def_opaque", 1, root, size, b"raw")),
        ("twice", calls.ints("def_opaque", 1, root, size, b"raw")),
        ("empty", calls.ints("def_opaque", 1, root, c_size_t(0), b"nothing")),
        ("name", calls.ints("def_opaque", 1, root, size, b"a/b")),
        ("enum", calls.ints("def_enum", 1, root, 4, b"choice")),
        ("compound", calls.ints("def_compound", 1, root, size, b"pair")),
        ("no size", calls.ints("def_compound", 1, root, c_size_t(0), b"none")),
        ("vlen", calls.ints("def_vlen", 1, root, b"rows", 6)),
    ]
    choice, pair, value, two = 33, 34, c_int(7), (c_int * 1)(2)
    said += [
        ("field", calls("insert_compound", root, pair, b"a", c_size_t(0), 4)),
        ("enum in it", calls("insert_compound", root, pair, b"b", four, choice)),
        ("array", calls("insert_array_compound", root, pair, b"c", c_size_t(8), 4, 1, two)),
        ("of opaque", calls("insert_compound", root, 32, b"a", c_size_t(0), 4)),
        ("of int", calls("insert_compound", root, 4, b"a", c_size_t(0), 4)),
        ("of nothing", calls("insert_compound", root, 99, b"a", c_size_t(0), 4)),
        ("bad name", calls("insert_compound", root, pair, b"a/", c_size_t(0), 4)),
        ("member", calls("insert_enum", root, choice, b"yes", ctypes.byref(value))),
        ("of compound", calls("insert_enum", root, pair, b"yes", ctypes.byref(value))),
        ("variable", calls.ints("def_var", 1, root, b"v", pair, 0, None)),
        ("taken", calls.ints("def_var", 1, root, b"pair", 4, 0, None)),
        ("group", calls.ints("def_grp", 1, root, b"choice")[0]),
        ("attribute", calls("put_att", root, -1, b"a", choice, c_size_t(1), ctypes.byref(value))),
        ("bytes", calls.ints("inq_var_endian", 1, root, 0), calls("def_var_endian", root, 0, 1)),
        ("end", calls("enddef", root)),
        ("late", calls("insert_enum", root, choice, b"no", ctypes.byref(value))),
        ("late field", calls("insert_compound", root, pair, b"d", four, 4)),
        ("put", calls("put_var", root, 0, (c_int * 4)(1, 7, 3, 4))),
        ("as int", calls("put_var_int", root, 0, (c_int * 4)(1, 7, 3, 4))),
        ("as a map", calls("put_varm", root, 0, None, None, None, None, (c_int * 4)())),
        ("more", calls.ints("def_opaque", 1, root, size, b"later")),
    ]
    back = (c_int * 4)()
    said += [("get", calls("get_var", root, 0, back), list(back)), ("close", calls("close", root))]
    return said


@pytest.mark.parametrize("mode", [0x1000, 0x1100])
def test_definitions_are_answered_as_netcdf_c_does(tmp_path: Path, libraries, mode: int):
    answers = [definitions(tmp_path / f"{i}.nc", calls, mode) for i, calls in enumerate(libraries)]
    assert [one for one in zip(*answers, strict=True) if one[0] != one[1]] == []
    stock = libraries[1]
    assert (
        mode != 0x1000
        or first_difference(*(said(tmp_path / f"{i}.nc", stock, of_storage=False) for i in (0, 1)))
        is None
    )


# Without a fill mode, types that programs define keep their fill values, in netCDF-C alone.
UNFILLED = r"""
#include <netcdf.h>
#include <stdio.h>
int main(void) {
    int source, nc, e, dim, v, old, mode;
    signed char seven = 7, zero = 0, out[4];
    size_t one = 1;
    for (int file = 0; file < 2; file++) {
        nc_create(file ? "out.nc" : "source.nc", NC_NETCDF4, &nc);
        if (file) nc_set_fill(nc, NC_NOFILL, &old);
        nc_def_enum(nc, NC_BYTE, "e", &e);
        nc_insert_enum(nc, e, "zero", &zero);
        nc_insert_enum(nc, e, "seven", &seven);
        nc_def_dim(nc, "x", 4, &dim);
        nc_def_var(nc, "v", e, 1, &dim, &v);
        if (!file) {
            nc_def_var_fill(nc, v, 0, &seven);
            nc_close(nc);
            nc_open("source.nc", 0, &source);
        }
    }
    nc_inq_var_fill(nc, v, &mode, NULL);
    printf("%d\n", mode);
    printf("%d\n", nc_copy_att(source, 0, "_FillValue", nc, v));
    nc_enddef(nc);
    nc_put_var1(nc, v, &one, &zero);
    nc_get_var(nc, v, out);
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    printf("%d\n", nc_close(nc));
    return 0;
}
"""


@needs("nc-config")
def test_fill_values_of_types_outlive_a_handover(tmp_path: Path):
    (tmp_path / "unfilled.c").write_text(UNFILLED)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "unfilled.c", "-o", tmp_path / "unfilled", *flags)
    for name in ("plain", "ours"):
        (tmp_path / name).mkdir()
    plain = run("../unfilled", cwd=tmp_path / "plain", env=PLAIN)
    assert printed_under_run(tmp_path / "ours", "../unfilled") == plain
    for name in ("plain", "ours"):
        with h5py.File(tmp_path / name / "out.nc") as file:
            assert file["v"].fillvalue == 7 and list(file["v"][:]) == [7, 0, 7, 7]


# Of texts and sequences, in types of two files with other numbers.
COPIES = r"""
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { nc_vlen_t rows; char *text; int counts[2]; } pair;
static int begun(const char *name, int is_second, int *at, int *v) {
    int nc, group, other, dim, two = 2;
    nc_create(name, NC_NETCDF4, &nc);
    nc_def_grp(nc, "g", &group);
    if (is_second) nc_def_opaque(group, 3, "first", &other);
    nc_def_vlen(is_second ? group : nc, "rows", NC_SHORT, &other);
    *at = is_second ? group : nc;
    nc_def_compound(*at, sizeof(pair), "pair", &dim);
    nc_insert_compound(*at, dim, "rows", 0, other);
    nc_insert_compound(*at, dim, "text", 16, NC_STRING);
    nc_insert_array_compound(*at, dim, is_second ? "other" : "counts", 24, NC_INT, 1, &two);
    if (!is_second) nc_def_opaque(nc, 5, "alone", &other);
    *at = dim;
    nc_def_dim(nc, "x", 4, &dim);
    nc_def_var(nc, "v", *at, 1, &dim, v);
    return nc;
}
int main(void) {
    short row[3] = {1, 2, 3};
    pair two[2] = {{{3, row}, "one", {1, 2}}, {{0, NULL}, "another", {3, 4}}}, told[2];
    int first, other, v, w, group, target, kind, mode;
    size_t length, at = 2;
    int source = begun("source.nc", 0, &first, &v);
    nc_put_att(source, NC_GLOBAL, "pairs", first, 2, two);
    nc_put_att(source, v, "_FillValue", first, 1, two);
    nc_put_att(source, v, "rows", first - 1, 1, &two[0].rows);
    nc_put_att(source, v, "alone", first + 1, 1, "bytes");
    target = begun("out.nc", 1, &other, &w);
    nc_inq_grp_ncid(target, "g", &group);
    printf("%d\n", nc_copy_att(source, NC_GLOBAL, "pairs", group, NC_GLOBAL));
    printf("%d\n", nc_copy_att(source, NC_GLOBAL, "pairs", target, NC_GLOBAL));
    printf("%d\n", nc_copy_att(source, v, "_FillValue", target, w));
    printf("%d\n", nc_copy_att(source, v, "rows", target, w));
    printf("%d\n", nc_copy_att(target, w, "rows", target, NC_GLOBAL));
    printf("%d\n", nc_copy_att(source, v, "alone", target, w));
    printf("%d\n", nc_copy_att(source, v, "nothing", target, w));
    nc_inq_att(target, NC_GLOBAL, "pairs", &kind, &length);
    nc_get_att(target, NC_GLOBAL, "pairs", told);
    printf("%d %d %s %s\n", kind - other, (int)length, told[0].text, told[1].text);
    printf("%d\n", nc_inq_var_fill(target, w, &mode, told));
    printf("%d %s %d %d\n", mode, told[0].text, (int)told[0].rows.len, told[0].counts[1]);
    printf("%d\n", nc_put_var1(target, w, &at, two + 1));
    pair all[4];
    nc_get_var(target, w, all);
    for (int i = 0; i < 4; i++) printf("%s %d ", all[i].text, all[i].counts[0]);
    printf("\n%d %d\n", nc_close(source), nc_close(target));
    return 0;
}
"""


@needs("nc-config")
def test_values_of_types_are_copied_between_files(tmp_path: Path, libraries):
    (tmp_path / "copies.c").write_text(COPIES)
    flags = run("nc-config", "--cflags", "--libs").split()
    run("cc", "-std=gnu99", tmp_path / "copies.c", "-o", tmp_path / "copies", *flags)
    for name in ("plain", "ours"):
        (tmp_path / name).mkdir()
    plain = run("../copies", cwd=tmp_path / "plain", env=PLAIN)
    assert printed_under_run(tmp_path / "ours", "../copies") == plain
    assert sorted(fates(tmp_path / "ours")) == [("out.nc", "written"), ("source.nc", "written")]
    for file in ("source.nc", "out.nc"):
        paths = [tmp_path / name / file for name in ("plain", "ours")]
        answers = [said(path, libraries[1]) for path in paths]
        assert first_difference(*answers) is None


# A library that opens the file counts types of groups behind all of the root.
LATE_TYPE = """
import netCDF4, numpy as np
with netCDF4.Dataset("out.nc", "w") as file:
    file.createDimension("x", 7)
    file.createGroup("g").createCompoundType(np.dtype([("a", "i4")]), "c")
    file.createVariable("n", "f8", ("x",))[:] = 3.5
    file.createCompoundType(np.dtype([("b", "f8")]), "l")
    rounded = {"significant_digits": 3, "quantize_mode": "BitGroom"}
    file.createVariable("v", "f4", ("x",), zlib=True, **rounded)
    file["n"][2] = 4
"""


def test_a_file_that_cannot_go_on_elsewhere_keeps_its_values(tmp_path: Path):
    (tmp_path / "late.py").write_text(LATE_TYPE)
    done = frazil_run(tmp_path, "--", sys.executable, "late.py")
    assert "its types would have other numbers there" in done.stderr
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert list(file["n"][:]) == [3.5, 3.5, 4, 3.5, 3.5, 3.5, 3.5]
