"""Fortran programs with frazil's modules, beside the same programs with netcdf-fortran."""

import json
import os
import shutil
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import ROOT
from support.dumps import first_difference, ncdump
from support.fortran import (
    GFORTRAN,
    install,
    needs_gfortran,
    needs_netcdf_fortran,
    run,
    with_frazil,
    with_netcdf_fortran,
)

PROGRAMS = ROOT / "tests/fortran"
EXAMPLES = ROOT / "examples/fortran"

pytestmark = needs_gfortran

# Writing to a file opened for reading: for netCDF-4, older versions of netCDF-C say NC_EHDFERR.
READ_ONLY = {"read only -101 NetCDF: HDF error": "read only -37 NetCDF: Write to read only"}


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("installed"))


def folder(path: Path) -> Path:
    path.mkdir()
    return path


@needs_netcdf_fortran
@pytest.mark.parametrize("form", ["classic", "netcdf4"])
def test_nf90_calls_mean_what_they_mean_in_netcdf_fortran(prefix: Path, tmp_path: Path, form: str):
    source = PROGRAMS / "nf90_calls.F90"
    ours = with_frazil(prefix, source, tmp_path / "ours.exe")
    theirs = with_netcdf_fortran(source, tmp_path / "theirs.exe")
    said = run(ours, folder(tmp_path / "ours"), form).splitlines()
    wanted = run(theirs, folder(tmp_path / "theirs"), form).splitlines()
    assert said == [READ_ONLY.get(line, line) for line in wanted]
    files = sorted(path.name for path in (tmp_path / "theirs").iterdir())
    assert sorted(path.name for path in (tmp_path / "ours").iterdir()) == files
    for name in files:
        dumps = [ncdump(tmp_path / who / name) for who in ("theirs", "ours")]
        assert first_difference(*dumps) is None, name


def test_nf90_calls_beyond_netcdf_fortran(prefix: Path, tmp_path: Path):
    run(with_frazil(prefix, PROGRAMS / "nf90_more.F90", tmp_path / "program"), tmp_path)
    values = (280 + 10 * np.sin(0.1 * np.arange(1, 64 * 32 + 1))).astype("f4").reshape(32, 64)
    with netCDF4.Dataset(tmp_path / "more.nc") as more:
        assert more["quantized"].quantization() == (3, "GranularBitRound")
        assert more["quantized"].filters()["complevel"] == 1
        assert np.abs(more["quantized"][:] - values).max() <= 0.5
        assert more["filter"].filters()["complevel"] == 6
        np.testing.assert_allclose(more["filter"][:], values, rtol=1e-6)
        assert more["zstandard"].filters()["zstd"]
        assert more["zstandard"].filters()["shuffle"]


def test_the_writer_from_fortran(prefix: Path, tmp_path: Path):
    run(with_frazil(prefix, PROGRAMS / "writer_calls.f90", tmp_path / "program"), tmp_path)
    assert not (tmp_path / "given_up.nc").exists()
    field = np.arange(1, 31, dtype="f4").reshape(5, 6)
    inner = field[1:4, 1:5]
    with netCDF4.Dataset(tmp_path / "writer.nc") as file:
        file.set_auto_mask(False)
        for name, kind, factor in (("i1", "i1", 1), ("i2", "i2", 1000), ("i4", "i4", 1)):
            assert file[name].dtype == kind
            assert list(file[name][:]) == [factor * i for i in (1, 2, 3, -4)]
        assert list(file["i8"][:]) == [10**10 * i for i in (1, 2, 3, -4)]
        assert list(file["r8"][:]) == [0.125, 0.25, 0.375, -0.5]
        assert file["scalar"][...] == 2.5
        words = [bytes(row).decode() for row in file["words"][:].astype("S1")]
        assert words == ["alpha ", "BETA  ", "gamma "]
        assert file["field"].dimensions == ("time", "y", "x")
        assert np.array_equal(file["field"][0], inner)
        assert np.array_equal(file["field"][1], inner[::-1, ::-1])
        longer = field.ravel()[:12].reshape(3, 4).copy()
        longer[2, 3] = -7
        assert np.array_equal(file["field"][2], longer)
        assert np.array_equal(file["field"][3], np.full((3, 4), 100, "f4"))
        tuned = file["tuned"]
        assert tuned.chunking() == [2, 4]
        assert (tuned.filters()["complevel"], tuned.filters()["shuffle"]) == (6, True)
        assert tuned[:].tolist() == [[1, -1, -1, 2], [-1, -1, -1, -1], [3, -1, -1, 4]]
        assert list(file["physics/row"][:]) == [1, 2, 3, 4]
        assert file["physics"].level == 7
        assert file.title == "all of it"
        assert file["field"].units == "m s-1"
        assert list(file["field"].numbers) == [0.125, -0.5]
    with netCDF4.Dataset(tmp_path / "again.nc") as file:
        assert file["tuned"].chunking() == [2, 4]
        paths = [variable["path"] for variable in json.loads(file.frazil_plan)["variables"]]
        assert paths[:2] == ["/tuned", "/groomed"]
        assert file[file["groomed"].getncattr("quantization")].algorithm == "bitgroom"


COUNTING = """
program counting
  use frazil
  use frazil_netcdf
  implicit none
  type(frazil_writer) :: writer
  integer :: lon, lat, time, v, s, nc, d(2)
  real :: field(4, 3) = 1
  s = frazil_create('writer.nc', writer, goal=frazil_goal_speed, filters='shuffle+deflate(2)', &
                    reads='map', storage=frazil_storage_local, cores=frazil_cores_any)
  if (s /= 0) error stop 1
  s = frazil_add_dimension(writer, 'lon', 4, lon)
  s = frazil_add_dimension(writer, 'lat', 3, lat)
  s = frazil_add_unlimited_dimension(writer, 'time', time)
  print '(a)', trim(frazil_message(frazil_add_dimension(writer, 'n', -3, s)))
  s = frazil_add_variable(writer, 'v', frazil_real32, [lon, lat, time], v)
  print '(a)', trim(frazil_message(frazil_put(writer, v, field, start=[0, 1, 1])))
  print '(a)', trim(frazil_message(frazil_put(writer, v, field, start=[1, 2, 1])))
  print '(a)', trim(frazil_message(frazil_set_chunk_shape(writer, v, [4, 0, 1])))
  print '(a)', trim(frazil_message(frazil_set_chunk_shape(writer, v, [4, 3])))
  print '(a)', trim(frazil_message(frazil_state_block(writer, v, [1], [4])))
  if (frazil_set_big_endian(writer, v) /= 0) error stop 2
  if (frazil_set_deflate(writer, v, 1) /= 0) error stop 3
  if (frazil_put(writer, v, field, start=[1, 1, 1]) /= 0) error stop 4
  if (frazil_close(writer) /= 0) error stop 5
  s = nf90_create('calls.nc', nf90_netcdf4, nc)
  print '(i0)', nf90_def_dim(nc, 'n', -3, s)
  print '(a)', trim(frazil_last_message())
  s = nf90_def_dim(nc, 'x', 4, d(1))
  s = nf90_def_dim(nc, 'y', 3, d(2))
  s = nf90_def_var(nc, 'v', nf90_float, d, v)
  print '(i0)', nf90_put_var(nc, v, field, start=[0, 1])
  print '(a)', trim(frazil_last_message())
  print '(i0)', nf90_put_var(nc, v, field, start=[1, 2])
  print '(a)', trim(frazil_last_message())
  if (nf90_close(nc) /= 0) error stop 6
end program
"""


def test_messages_count_as_fortran_does(prefix: Path, tmp_path: Path):
    source = tmp_path / "counting.f90"
    source.write_text(COUNTING)
    program = with_frazil(prefix, source, tmp_path / "counting")
    said = run(program, cwd=tmp_path).splitlines()
    assert "the length -3" in said[0]
    assert "axis 1 has 4 elements; 4 from 0 on leave it" in said[1]
    assert "axis 2 has 3 elements; 3 from 2 on leave it" in said[2]
    assert "[4, 0, 1] cannot be its chunk shape" in said[3]
    assert said[4] == said[5] == "fewer numbers than the variable has dimensions: each needs one"
    assert said[6] == "-63" and "the length -3" in said[7]
    assert said[8] == "-40" and "index 0 along axis 1, which has length 4" in said[9]
    assert said[10] == "-57" and "index 4 along axis 2, which has length 3" in said[11]
    with netCDF4.Dataset(tmp_path / "writer.nc") as file:
        assert file["v"].endian() == "big"
        assert (file["v"].filters()["complevel"], file["v"].filters()["shuffle"]) == (1, True)


@pytest.mark.parametrize("openmp", [False, True], ids=["plain", "openmp"])
@pytest.mark.parametrize(("chunk", "piece"), [(0, 1), (0, 1000), (100, 7), (1000, 100)])
def test_runner_and_writer(prefix: Path, tmp_path: Path, openmp: bool, chunk: int, piece: int):
    options = ("-fopenmp",) if openmp else ()
    source = EXAMPLES / "runner_writer.F90"
    program = with_frazil(prefix, source, tmp_path / "ours", *options)
    run(program, 3001, chunk, piece, 2, 0.01, tmp_path / "ours.nc")
    i = np.arange(1, 3002)
    with netCDF4.Dataset(tmp_path / "ours.nc") as file:
        x = file["xdata"][:]
        np.testing.assert_allclose(
            x, 282 + 10 * np.sin(0.001 * i) + 0.1 * np.sin(1.7 * i), rtol=1e-5
        )
        assert np.array_equal(file["ydata"][:], x - np.float32(273.15))
        if chunk:
            assert file["xdata"].chunking() == [chunk]
    if not shutil.which("nf-config"):
        return
    theirs = with_netcdf_fortran(source, tmp_path / "theirs", *options)
    run(theirs, 3001, chunk, piece, 2, 0.01, tmp_path / "theirs.nc")
    with netCDF4.Dataset(tmp_path / "theirs.nc") as file:
        assert np.array_equal(file["xdata"][:], x)


def test_surface_temperature(prefix: Path, tmp_path: Path):
    program = with_frazil(prefix, EXAMPLES / "surface_temperature.f90", tmp_path / "program")
    said = run(program, tmp_path / "tas.nc")
    assert "bytes put" in said
    with netCDF4.Dataset(tmp_path / "tas.nc") as file:
        assert file["tas"].shape == (24, 36, 72)
        assert file["tas"].units == "K"
        assert file.Conventions == "CF-1.11"
        lat, lon, step = file["lat"][:], file["lon"][:], file["time"][:] + 1
        wave = np.sin(0.0872665 * lon / 5 + 0.2618 * step[:, None])
        wanted = 300 - 0.5 * np.abs(lat)[None, :, None] + 5 * wave[:, None, :]
        np.testing.assert_allclose(file["tas"][:], wanted, rtol=1e-5)


def test_a_model_built_with_cmake(prefix: Path, tmp_path: Path):
    if not (cmake := shutil.which("cmake")):
        pytest.skip("cmake is not installed")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\n"
        "project(model LANGUAGES C Fortran)\n"
        "find_package(frazil REQUIRED)\n"
        f"add_subdirectory({ROOT / 'fortran'} frazil)\n"
        f"add_executable(model {EXAMPLES / 'surface_temperature.f90'})\n"
        "target_link_libraries(model PRIVATE frazil_fortran)\n"
    )
    build = tmp_path / "build"
    options = (f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_Fortran_COMPILER={GFORTRAN}")
    run(cmake, "-S", tmp_path, "-B", build, *options)
    run(cmake, "--build", build)
    assert "bytes put" in run(build / "model", tmp_path / "tas.nc")


def test_a_model_built_with_fpm(prefix: Path, tmp_path: Path):
    if not (fpm := shutil.which("fpm")):
        pytest.skip("fpm is not installed")
    # fpm takes relative paths only.
    path = os.path.relpath(ROOT / "fortran", tmp_path)
    (tmp_path / "fpm.toml").write_text(
        f'name = "model"\n[dependencies]\nfrazil = {{ path = "{path}" }}\n'
    )
    folder(tmp_path / "app")
    shutil.copy(EXAMPLES / "surface_temperature.f90", tmp_path / "app/main.f90")
    flags = (
        "--c-flag",
        f"-I{prefix / 'include'}",
        "--link-flag",
        f"-L{prefix / 'lib'} -Wl,-rpath,{prefix / 'lib'}",
    )
    run(fpm, "run", "--compiler", GFORTRAN, *flags, "--", tmp_path / "tas.nc", cwd=tmp_path)
    assert (tmp_path / "tas.nc").exists()
