"""netCDF's C and Fortran 77 interfaces: programs built with netCDF's library and with ours."""

import os
import re
import shutil
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import ROOT
from support.dumps import first_difference, ncdump
from support.fortran import GFORTRAN, LIBRARIES, needs_gfortran, needs_netcdf_fortran, run

HEADERS = ROOT / "crates/frazil-capi/include"
INCLUDE = ROOT / "fortran/frazil.inc"
TWIN = ROOT / "tests/netcdf_twin"
EXAMPLES = ROOT / "examples/fortran77"
NC_CONFIG = shutil.which("nc-config")
# netcdf-fortran's sources, for its own tests.
SOURCES = os.environ.get("FRAZIL_NETCDF_FORTRAN")

CLASSIC, OFFSET64, DATA64, NETCDF4, CLASSIC_MODEL = 0, 512, 32, 4096, 4096 + 256
FORMATS = pytest.mark.parametrize("mode", [CLASSIC, OFFSET64, DATA64, NETCDF4])

# Its old programs pass a scalar here and an array there.
LEGACY = ("-w", "-std=legacy", "-fallow-argument-mismatch")

# netcdf-fortran's Fortran 77 programs without user-defined types and without MPI.
PROGRAMS = [
    "nf_test4/ftst_groups.F",
    "nf_test4/ftst_rengrps.F",
    "nf_test4/ftst_vars.F",
    "nf_test4/ftst_vars2.F",
    "nf_test4/ftst_vars6.F",
    "nf_test4/ftst_zstandard.F",
    "nf_test/tst_int64.F",
]
EXAMPLE_PAIRS = ["simple_xy", "simple_xy_nc4", "sfc_pres_temp", "pres_temp_4D"]

# The readers of this test suite bring filter plugins along, which programs shall not need.
WITHOUT_PLUGINS = {key: text for key, text in os.environ.items() if key != "HDF5_PLUGIN_PATH"}

needs_netcdf = pytest.mark.skipif(NC_CONFIG is None, reason="netCDF-C is not installed")
needs_sources = pytest.mark.skipif(
    SOURCES is None, reason="FRAZIL_NETCDF_FORTRAN does not name netcdf-fortran's sources"
)


@pytest.fixture(scope="session")
def link() -> tuple[str, ...]:
    """What links a program with frazil."""
    if not (LIBRARIES / "libfrazil.so").exists():
        pytest.fail(f"{LIBRARIES}/libfrazil.so is missing: run 'make lib' (or set FRAZIL_LIB)")
    return (f"-L{LIBRARIES}", "-lfrazil", f"-Wl,-rpath,{LIBRARIES}")


@pytest.fixture(scope="session")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which frazil's include file is called netcdf.inc."""
    folder = tmp_path_factory.mktemp("include")
    shutil.copy(INCLUDE, folder / "netcdf.inc")
    return folder


def compare(tmp_path: Path, ours: Path, theirs: Path, *arguments: object) -> None:
    """Runs both programs: same words, same file."""
    said = {}
    for who, program in (("ours", ours), ("theirs", theirs)):
        folder = tmp_path / f"by_{who}"
        folder.mkdir()
        said[who] = run(program, *arguments, cwd=folder).splitlines()
    assert said["ours"] == said["theirs"]
    dumps = [ncdump(tmp_path / f"by_{who}" / "model.nc") for who in ("theirs", "ours")]
    assert first_difference(*dumps) is None


def test_include_files_are_what_the_tables_say():
    run("python3", ROOT / "scripts/write_netcdf_interface.py", "--check")


def test_every_declared_function_is_in_the_library(link: tuple[str, ...]):
    symbols = run("nm", "--dynamic", "--defined-only", LIBRARIES / "libfrazil.so").split()
    symbols = [name.split("@")[0] for name in symbols]
    header = (HEADERS / "frazil_netcdf.h").read_text()
    declared = re.findall(r"\b(frz_nc_\w+)\(", header)
    fortran = [f"{name}_" for name in re.findall(r"external (nf_\w+)", INCLUDE.read_text())]
    assert len(declared) > 250 and len(fortran) > 150
    assert sorted({*declared, *fortran} - set(symbols)) == []


@needs_netcdf
def test_prototypes_and_numbers_are_netcdfs(tmp_path: Path):
    """The compiler compares the types of all functions and the values of all numbers."""
    names = re.findall(r"#define (nc_\w+) frz_nc_\w+", (HEADERS / "frazil_netcdf.h").read_text())
    # No installed header declares those that netCDF-Fortran calls.
    names = [name for name in names if not name.endswith("_ints")]
    lines = ["#include <netcdf.h>", "#include <netcdf_filter.h>"]
    constants = (ROOT / "scripts/netcdf_interface/constants.txt").read_text().splitlines()
    for line in constants:
        name, _, value = line.partition(" ")
        # The most digits that make a difference changed between releases.
        fixed = "(" not in name and '"' not in value and "QUANTIZE_MAX" not in name
        if name.startswith("NC_") and fixed:
            lines.append(f"#ifdef {name}\n_Static_assert({name} == ({value}), {name!r});\n#endif")
    lines.append("#include <frazil_netcdf.h>")
    for name in names:
        types = f"__typeof__({name}), __typeof__(frz_{name})"
        lines.append(f'_Static_assert(__builtin_types_compatible_p({types}), "{name}");')
    source = tmp_path / "types.c"
    source.write_text("\n".join(lines).replace("'", '"') + "\n")
    assert len(names) > 250
    run("gcc", "-std=gnu11", "-w", f"-I{HEADERS}", "-c", source, "-o", tmp_path / "types.o")


@needs_netcdf
@FORMATS
def test_c_calls_mean_what_they_mean_in_netcdf_c(link: tuple[str, ...], tmp_path: Path, mode: int):
    source = TWIN / "model.c"
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    strict = ("-std=c11", "-Wall", "-Wextra", "-Werror")
    run("gcc", *strict, "-DWITH_FRAZIL", f"-I{HEADERS}", source, "-o", ours, *link)
    libraries = run(NC_CONFIG, "--libs").split()
    run(
        "gcc",
        *strict,
        f"-I{run(NC_CONFIG, '--includedir').strip()}",
        source,
        "-o",
        theirs,
        *libraries,
    )
    compare(tmp_path, ours, theirs, "model.nc", mode)


@needs_netcdf
@pytest.mark.parametrize("mode", [CLASSIC, OFFSET64, DATA64, NETCDF4, CLASSIC_MODEL])
def test_c_calls_are_refused_as_by_netcdf_c(link: tuple[str, ...], tmp_path: Path, mode: int):
    source = TWIN / "refusals.c"
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    strict = ("-std=c11", "-Wall", "-Wextra", "-Werror")
    run("gcc", *strict, "-DWITH_FRAZIL", f"-I{HEADERS}", source, "-o", ours, *link)
    include, *libraries = (run(NC_CONFIG, what) for what in ("--includedir", "--libs"))
    run("gcc", *strict, f"-I{include.strip()}", source, "-o", theirs, *libraries[0].split())
    said = [run(program, tmp_path / "a.nc", mode).splitlines() for program in (ours, theirs)]
    # Writing to a file opened for reading: NC_EPERM, where older versions say NC_EHDFERR, or
    # what is wrong with the type.
    late = re.compile(r"nc_put_var.*: -(101|45)")
    pairs = zip(*said, strict=True)
    differ = [(our, their) for our, their in pairs if our != their]
    assert [
        (our, their)
        for our, their in differ
        if not (late.fullmatch(their) and our == re.sub(r"-\d+$", "-37", their))
    ] == []


@needs_netcdf_fortran
@FORMATS
def test_fortran_calls_mean_what_they_mean_in_netcdf_fortran(
    link: tuple[str, ...], include: Path, tmp_path: Path, mode: int
):
    source = TWIN / "model.F"
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    run(GFORTRAN, *LEGACY, f"-I{include}", source, "-o", ours, *link)
    flags, libraries = (run("nf-config", what).split() for what in ("--fflags", "--flibs"))
    run(GFORTRAN, *LEGACY, *flags, source, "-o", theirs, *libraries)
    compare(tmp_path, ours, theirs, mode)


@needs_gfortran
@pytest.mark.parametrize(
    "variables",
    [{}, {"FRAZIL_READABLE_BY": "netcdf4"}, {"FRAZIL_OPTIONS": "threads=1,readable_by=netcdf4"}],
)
def test_zstandard_if_available_and_deflate_otherwise(
    link: tuple[str, ...], tmp_path: Path, variables: dict[str, str]
):
    available = not variables
    source = EXAMPLES / "zstandard.F"
    run(
        GFORTRAN, "-Wall", "-Werror", f"-I{INCLUDE.parent}", source, "-o", tmp_path / "a.out", *link
    )
    environment = {**WITHOUT_PLUGINS, **variables}
    said = run(tmp_path / "a.out", cwd=tmp_path, env=environment)
    assert ("Set HDF5_PLUGIN_PATH and try again." in said) is not available
    lon, lat = np.arange(1, 241), np.arange(1, 121)
    wanted = 250 + 30 * np.sin(0.1 * lon)[None, :] * np.cos(0.05 * lat)[:, None]
    with netCDF4.Dataset(tmp_path / "zstandard.nc") as file:
        filters = file["tas"].filters()
        assert (filters["zstd"], filters["zlib"]) == (available, not available)
        assert file["tas"].dimensions == ("lat", "lon")
        np.testing.assert_allclose(file["tas"][:], wanted, rtol=5e-4)


@needs_gfortran
@needs_sources
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_of_netcdf_fortran(
    link: tuple[str, ...], include: Path, tmp_path: Path, program: str
):
    source = Path(SOURCES) / program
    options = ("-DENABLE_ZSTD", f"-I{include}")
    run(GFORTRAN, *LEGACY, *options, source, "-o", tmp_path / "a.out", *link)
    assert "SUCCESS" in run(tmp_path / "a.out", cwd=tmp_path, env=WITHOUT_PLUGINS)


@needs_gfortran
@needs_sources
@pytest.mark.parametrize("pair", EXAMPLE_PAIRS)
def test_example_of_netcdf_fortran(link: tuple[str, ...], include: Path, tmp_path: Path, pair: str):
    for part in ("wr", "rd"):
        source = Path(SOURCES) / f"examples/F77/{pair}_{part}.F"
        run(GFORTRAN, *LEGACY, f"-I{include}", source, "-o", tmp_path / part, *link)
        assert "SUCCESS" in run(tmp_path / part, cwd=tmp_path)
