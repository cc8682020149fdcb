"""The C library: its examples, its refusals, its symbols, and how programs find it."""

import ctypes
import json
import os
import shutil
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.capi import (
    EXAMPLES,
    PLAIN,
    PROGRAMS,
    compiled,
    compiled_static,
    install,
    needs,
    pkg_config,
)
from support.command import ROOT
from support.dumps import ncdump
from support.fortran import LIBRARIES, run

pytestmark = pytest.mark.sampled(one_in=2)

NLAT, NLON = 90, 180


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("prefix"))


def exported(*options: str) -> list[str]:
    """Names that a library offers to others."""
    lines = run("nm", "--defined-only", *options).splitlines()
    return [line.split()[-1].split("@")[0] for line in lines if len(line.split()) == 3]


@pytest.mark.parametrize(
    "options",
    [("--dynamic", f"{LIBRARIES}/libfrazil.so"), ("--extern-only", f"{LIBRARIES}/libfrazil.a")],
    ids=["shared", "static"],
)
def test_only_names_of_frazil_are_offered(options: tuple[str, ...]) -> None:
    names = exported(*options)
    assert {"frz_create", "frz_close", "frz_put1_double"} <= set(names)
    assert [name for name in names if not name.startswith(("frz_", "nf_"))] == []


FOR_PRELOAD = (
    *("frz_nc_open_reading", "frz_nc_open_writing", "frz_nc_state"),
    *("frz_nc_settled_variables", "frz_nc_take_back_variables"),
    *("frz_nc_create_ranks", "frz_nc_open_ranks"),
)


def test_the_header_names_what_the_library_offers() -> None:
    header = "".join(path.read_text() for path in (ROOT / "crates/frazil-capi/include").glob("*.h"))
    names = exported("--dynamic", f"{LIBRARIES}/libfrazil.so")
    # For `frazil run` alone: whether frazil can serve a file, how far it is, what to take back.
    names = [name for name in names if name.startswith("frz_") and name not in FOR_PRELOAD]
    assert [name for name in names if f"{name}(" not in header] == []


def test_a_name_that_is_not_utf8_is_a_name(tmp_path: Path) -> None:
    library = ctypes.CDLL(f"{LIBRARIES}/libfrazil.so")
    name, writer = os.fsencode(tmp_path) + b"/caf\xe9.nc", ctypes.c_void_p()
    assert library.frz_create(name, None, ctypes.byref(writer)) == 0
    assert library.frz_close(writer, None) == 0
    assert [os.fsencode(path.name) for path in tmp_path.iterdir()] == [b"caf\xe9.nc"]
    with h5py.File(name) as file:
        assert list(file) == []


def check_records(file: Path, steps: int) -> None:
    """What write_records computes, by netCDF4 and h5py."""
    step, lat, lon = np.ogrid[:steps, :NLAT, :NLON]
    wave = np.sin(np.radians(2.0 * lon + 3.0 * step)) * np.cos(np.radians(2.0 * lat - 89.0))
    wanted = (288.0 + 12.0 * wave).astype("f4")
    with netCDF4.Dataset(file) as data:
        assert data.dimensions["time"].isunlimited()
        assert np.array_equal(data["time"][:], np.arange(steps))
        assert np.array_equal(data["lat"][:], -89.0 + 2.0 * np.arange(NLAT))
        assert data["temperature"].units == "K"
        # The C library's sine and numpy's may differ in the last bit.
        np.testing.assert_allclose(data["temperature"][:], wanted, rtol=2e-7)
    with h5py.File(file) as data:
        np.testing.assert_allclose(data["temperature"][:], wanted, rtol=2e-7)
        assert data["temperature"].compression == "gzip"


@needs("pkg-config")
def test_write_records_and_append(prefix: Path, tmp_path: Path) -> None:
    file = tmp_path / "model.nc"
    program = compiled(prefix, EXAMPLES / "write_records.c", tmp_path / "write_records")
    said = run(program, file, 25, env=PLAIN)
    assert "MB became" in said
    check_records(file, 25)
    assert b"time = UNLIMITED ; // (25 currently)" in ncdump(file)

    run(compiled(prefix, EXAMPLES / "append.c", tmp_path / "append"), file, env=PLAIN)
    with netCDF4.Dataset(file) as data:
        assert len(data.dimensions["time"]) == 26
        assert data["time"][25] == 25
        last = data["temperature"][24:26]
        assert np.array_equal(last[1], last[0] + np.float32(1))
        rain = data["rain"][:]
        assert rain.mask[:25].all()
        assert rain[25] == 2.5
        assert data["pressure"][25].mask.all()
    with h5py.File(file) as data:
        assert data["rain"].fillvalue == -999


@needs("pkg-config")
def test_single_values(prefix: Path, tmp_path: Path) -> None:
    file = tmp_path / "series.nc"
    program = compiled(prefix, EXAMPLES / "single_values.c", tmp_path / "single_values")
    assert "million puts a second" in run(program, file, 300_000, env=PLAIN)
    with netCDF4.Dataset(file) as data:
        assert np.array_equal(data["position"][:], 0.25 * (np.arange(300_000) % 1000))


@needs("pkg-config")
@pytest.mark.parametrize("link", [compiled, compiled_static])
def test_values_in_memory_are_compressed_and_come_back(prefix: Path, tmp_path: Path, link) -> None:
    run(link(prefix, PROGRAMS / "memory.c", tmp_path / "memory"), tmp_path / "requests", env=PLAIN)


@pytest.mark.parametrize("link", [compiled, compiled_static])
def test_bad_input_is_refused(prefix: Path, tmp_path: Path, link) -> None:
    program = link(prefix, PROGRAMS / "bad_input.c", tmp_path / "bad_input")
    assert run(program, tmp_path, env=PLAIN) == "refused what had to be\n"
    with netCDF4.Dataset(tmp_path / "good.nc") as data:
        assert data["scalar"][...] == 42
        assert data["series"][0] == 1.5
        assert data["series"][:].mask[1:].all()


def check_round_trip(file: Path) -> None:
    with netCDF4.Dataset(file) as data:
        assert data.title == "round trip"
        assert data.numbers.tolist() == [-1, 0, 1]
        found = {name: var[1] for name, var in data["model"].variables.items()}
        assert found == {
            "int8": -5,
            "char": b"q",
            "int16": -300,
            "int32": -70000,
            "float": 0.5,
            "double": 1e-300,
            "uint8": 200,
            "uint16": 60000,
            "uint32": 4_000_000_000,
            "int64": -9_000_000_000,
            "uint64": 18_000_000_000_000_000_000,
        }
        assert data["words"][:].tolist() == ["one", "", "zwölf"]
        assert data["words"].choices == ["one", "", "zwölf"]
        filters = data["deflated"].filters()
        assert (filters["complevel"], filters["shuffle"], filters["fletcher32"]) == (5, True, True)
        assert data["deflated"].chunking() == [100]
        assert not data["plain"].filters()["zlib"]
        assert data["plain"].endian() == "big"
        assert data["run"].chunking() == "contiguous"
        for name in ("deflated", "plain"):
            assert np.array_equal(data[name][:], np.arange(1000) // 10)
        original = np.float32(280) + np.float32(0.001234) * np.arange(1000, dtype="f4")
        rounded = data["rounded"][:]
        assert 0 < np.abs(rounded - original).max() <= 0.01
        groomed = data["groomed"]
        assert 0 < np.abs(groomed[:] - original).max() <= 0.5
        assert data[groomed.getncattr("quantization")].algorithm == "bitgroom"
        assert data["deflated"].units == "m"
        assert "wrong" not in data["deflated"].ncattrs()
        assert not {"old", "new"} & set(data.ncattrs())
    with h5py.File(file) as data:
        assert data["strided"][1].tolist() == [1, 6, 2, 6, 3, 6]


@needs("pkg-config")
@pytest.mark.parametrize("link", [compiled, compiled_static])
def test_what_is_put_is_read(prefix: Path, tmp_path: Path, link) -> None:
    file = tmp_path / "a.nc"
    program = link(prefix, PROGRAMS / "round_trip.c", tmp_path / "round_trip")
    run(program, file, env=PLAIN)
    check_round_trip(file)
    with netCDF4.Dataset(f"{file}.again") as again:
        assert again["deflated"].chunking() == [100]
        kept = json.loads(again.frazil_plan)
        assert [variable["path"] for variable in kept["variables"]] == ["/deflated"]


@needs("pkg-config")
def test_threads_share_a_writer(prefix: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.nc"
    program = compiled(prefix, PROGRAMS / "threads.c", tmp_path / "threads", "-pthread")
    run(program, file, env=PLAIN)
    with netCDF4.Dataset(file) as data:
        assert np.array_equal(data["table"][:], np.arange(200 * 50).reshape(200, 50))


@needs("pkg-config")
@pytest.mark.parametrize("name", ["fork", "fork_netcdf"])
def test_a_fork_is_refused_and_its_parent_goes_on(prefix: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.nc"
    run(compiled(prefix, PROGRAMS / f"{name}.c", tmp_path / name), file, env=PLAIN)
    with netCDF4.Dataset(file) as data:
        assert np.array_equal(data["table"][:], np.arange(64 * 20_000).reshape(64, 20_000))


@pytest.mark.parametrize("hidden", ["variable", "attribute"])
def test_objects_that_cannot_be_shown_are_refused(tmp_path: Path, hidden: str) -> None:
    path = tmp_path / "a.nc"
    point = np.dtype([("a", "i4"), ("b", "f4")])
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 3)
        group = file.createGroup("g")
        file.createVariable("v", "f4", ("x",))[:] = 1
        kind = group.createCompoundType(point, "point")
        if hidden == "variable":
            group.createVariable("spot", kind, ("x",))
        else:
            group.spot = np.zeros((), point)
    before = path.read_bytes()
    library, number = ctypes.CDLL(f"{LIBRARIES}/libfrazil.so"), ctypes.c_int()
    library.frz_last_message.restype = ctypes.c_char_p
    status = library.frz_nc_open(os.fsencode(path), 1, ctypes.byref(number))
    assert (status, b"`spot`" in library.frz_last_message()) == (-128, True)
    assert path.read_bytes() == before
    assert library.frz_nc_open(os.fsencode(path), 0, ctypes.byref(number)) == 0
    assert library.frz_nc_close(number) == 0


def test_values_in_memory_are_copied_and_freed(tmp_path: Path) -> None:
    library, number = ctypes.CDLL(f"{LIBRARIES}/libfrazil.so"), ctypes.c_int()
    assert library.frz_nc_create(os.fsencode(tmp_path / "a.nc"), 0x1000, ctypes.byref(number)) == 0
    texts, copy = (ctypes.c_char_p * 3)(b"one", None, b"three"), ctypes.c_void_p()
    copied = library.frz_nc_copy_data_all(number, 12, texts, ctypes.c_size_t(3), ctypes.byref(copy))
    assert copied == 0
    assert list(ctypes.cast(copy, ctypes.POINTER(ctypes.c_char_p))[:3]) == [b"one", None, b"three"]
    assert library.frz_nc_reclaim_data_all(number, 12, copy, ctypes.c_size_t(3)) == 0
    numbers, twins = (ctypes.c_double * 2)(1.5, 2.5), (ctypes.c_double * 2)()
    assert library.frz_nc_copy_data(number, 6, numbers, ctypes.c_size_t(2), twins) == 0
    assert list(twins) == [1.5, 2.5]
    assert library.frz_nc_reclaim_data(number, 6, twins, ctypes.c_size_t(2)) == 0
    assert library.frz_nc_copy_data(number, 99, numbers, ctypes.c_size_t(2), twins) == -45
    equal = ctypes.c_int(7)
    assert library.frz_nc_inq_type_equal(number, 5, number, 6, ctypes.byref(equal)) == 0
    assert equal.value == 0
    assert library.frz_nc_close(number) == 0


@needs("pkg-config")
@needs("valgrind")
@pytest.mark.parametrize("name", ["bad_input", "round_trip"])
def test_valgrind_finds_nothing(prefix: Path, tmp_path: Path, name: str) -> None:
    program = compiled(prefix, PROGRAMS / f"{name}.c", tmp_path / name)
    check = ("--quiet", "--error-exitcode=99", "--leak-check=full")
    kinds = ("--errors-for-leak-kinds=definite", "--show-leak-kinds=definite")
    where = tmp_path if name == "bad_input" else tmp_path / "a.nc"
    run("valgrind", *check, *kinds, program, where, env=PLAIN)


@needs("pkg-config")
@pytest.mark.parametrize("name", ["bad_input", "round_trip", "threads"])
def test_address_sanitizer_finds_nothing(prefix: Path, tmp_path: Path, name: str) -> None:
    sanitized = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-pthread")
    program = compiled(prefix, PROGRAMS / f"{name}.c", tmp_path / name, *sanitized)
    where = tmp_path if name == "bad_input" else tmp_path / "a.nc"
    run(program, where, env={**PLAIN, "ASAN_OPTIONS": "detect_leaks=1"})


@needs("pkg-config")
@needs("nc-config")
@pytest.mark.parametrize("link", [compiled, compiled_static])
@pytest.mark.parametrize("netcdf_first", [False, True])
def test_a_program_keeps_its_own_netcdf(
    prefix: Path, tmp_path: Path, link, netcdf_first: bool
) -> None:
    theirs = run("nc-config", "--cflags", "--libs").split()
    ours = (prefix / "lib/libfrazil.so",) if link is compiled and not netcdf_first else ()
    program = link(prefix, PROGRAMS / "beside_netcdf.c", tmp_path / "both", *ours, *theirs)
    version = run(program, tmp_path / "ours.nc", tmp_path / "theirs.nc", env=PLAIN)
    assert version.split()[0] == run("nc-config", "--version").split()[-1]
    for name in ("ours.nc", "theirs.nc"):
        with netCDF4.Dataset(tmp_path / name) as data:
            assert np.array_equal(data["v"][:], 0.5 * (np.arange(5000) % 77))


@needs("cmake")
def test_cmake_finds_it(prefix: Path, tmp_path: Path) -> None:
    # The tree may be moved.
    moved = tmp_path / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    build = tmp_path / "build"
    run("cmake", "-S", EXAMPLES, "-B", build, f"-DCMAKE_PREFIX_PATH={moved}", env=PLAIN)
    run("cmake", "--build", build, env=PLAIN)
    for program in ("write_records", "write_records_static"):
        run(build / program, tmp_path / f"{program}.nc", 3, env=PLAIN)
        check_records(tmp_path / f"{program}.nc", 3)
    frozen = ("-DCMAKE_PREFIX_PATH=" + str(moved), "-S", tmp_path, "-B", tmp_path / "other")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nfind_package(frazil 9.0 QUIET)\n"
        'if(frazil_FOUND)\n  message(FATAL_ERROR "another version was taken")\nendif()\n'
    )
    run("cmake", *frozen, env=PLAIN)


@needs("c++")
def test_the_headers_are_cplusplus_too(prefix: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(
        "#include <frazil.h>\n#include <cstdio>\n"
        "int main() { std::puts(frz_version()); return frz_create(nullptr, nullptr, nullptr); }\n"
    )
    include = f"-I{prefix}/include"
    run("c++", "-Wall", "-Wextra", "-Werror", "-pedantic", include, "-fsyntax-only", source)


def test_a_package_is_staged_below_destdir(tmp_path: Path) -> None:
    install(Path("/usr"), DESTDIR=str(tmp_path), LIBDIR="/usr/lib64")
    assert (tmp_path / "usr/lib64/libfrazil.so").resolve().name.startswith("libfrazil.so.")
    assert (tmp_path / "usr/include/frazil.h").exists()
    text = (tmp_path / "usr/lib64/pkgconfig/frazil.pc").read_text()
    assert "libdir=/usr/lib64\n" in text
    assert str(tmp_path) not in text


@needs("pkg-config")
def test_versions_agree(prefix: Path, tmp_path: Path) -> None:
    version = pkg_config(prefix, "--modversion")[0]
    source = tmp_path / "version.c"
    source.write_text(
        "#include <frazil.h>\n#include <stdio.h>\n"
        'int main(void) { printf("%d.%d.%d %s\\n", FRZ_VERSION_MAJOR, FRZ_VERSION_MINOR,\n'
        "    FRZ_VERSION_PATCH, frz_version()); return 0; }\n"
    )
    program = compiled(prefix, source, tmp_path / "version")
    assert run(program, env=PLAIN).split() == [version.split("-")[0], version]


def test_symbols_have_a_version(prefix: Path) -> None:
    library = prefix / "lib/libfrazil.so"
    listed = run("nm", "-D", "--defined-only", "--with-symbol-versions", library)
    names = [line.split()[2] for line in listed.splitlines() if " T " in line]
    assert names and all(name.endswith("@@FRAZIL_1.0") for name in names)
