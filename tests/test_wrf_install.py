"""Installing the package into a WRF source tree: once, twice, and out again."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.command import ROOT

INSTALL = ROOT / "wrf/install"

# A whole WRF source tree to try it on, if there is one.
WRF = os.environ.get("FRAZIL_TEST_WRF")

# What the script looks for in each file of WRF, in the shortest form.
MINIATURE = {
    "configure.wrf": "ARCHFLAGS = -DINTIO\nLIB = $(LIB_BUNDLED)\nio_only: esmf_time\n",
    "arch/postamble": "ARCHFLAGS = -DINTIO\nLIB = $(LIB_BUNDLED)\n",
    "arch/md_calls.inc": "#ifdef PHDF5\nCASE ( IO_PHDF5 )\n#  ifdef A\n#  endif\n#endif\nEND\n",
    "frame/md_calls.m4": "#ifdef PHDF5\nCASE ( IO_PHDF5 )\nifelse($3,`a')\n#endif\n",
    "frame/module_io.F": (
        "#ifdef PHDF5\n  CALL ext_phdf5_ioinit( SysDepInfo, ierr( 3) )\n#endif\n"
        "#ifdef YYY\n  CALL ext_yyy_ioinit( SysDepInfo, ierr( 6) )\n#endif\n"
        "#ifdef YYY\n  CASE ( IO_YYY )\n    CALL ext_yyy_iosync( Hndl, Status )\n#endif\n"
    ),
    "share/output_wrf.F": (
        "    IF ( ( use_package( io_form ) == IO_NETCDF ) .OR. &\n"
        "         ( use_package( io_form ) == IO_PNETCDF ) ) THEN\n"
    ),
    "share/wrf_ext_write_field.F": (
        "    IF ( ( dryrun .AND. ( use_package(io_form) .EQ. IO_NETCDF .OR. &\n"
        "                          use_package(io_form) .EQ. IO_PNETCDF ) ) .OR. &\n"
    ),
    "share/module_io_domain.F": (
        "  ELSE IF ( use_package(io_form) .EQ. IO_NETCDF ) THEN\n     ext = '.nc '\n" * 2
    ),
    "Registry/Registry.EM_COMMON": (
        "package   io_yyy      io_form_restart==8     -  -\n"
        "package   io_adios2   io_form_restart==14    -  -\n"
        "package   io_other    io_form_restart==15    -  -\n"
    ),
    "CMakeLists.txt": (
        "if ( ${GRIB1} )\nendif()\ntarget_link_libraries( Core\n"
        "                            $<TARGET_NAME_IF_EXISTS:io_phdf5>\n)\n"
    ),
    "external/CMakeLists.txt": "add_subdirectory( io_int )\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "WRF"
    for name, text in MINIATURE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # Bytes that are no UTF-8 occur in WRF's comments, and lines that end as on Windows.
        path.write_bytes(text.encode() + b"! \xe9\r\n")
    return root


@pytest.fixture
def frazil(tmp_path: Path) -> Path:
    """What the script looks for in an installed frazil."""
    for name in ("include/frazil.h", "lib/libfrazil.so"):
        path = tmp_path / "frazil" / name
        path.parent.mkdir(parents=True)
        path.touch()
    return tmp_path / "frazil"


def installed(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [str(one) for one in (INSTALL, *arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def contents(tree: Path) -> dict[str, bytes]:
    files = (path for path in tree.rglob("*") if path.is_file())
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in files}


WAYS = [["--io-form", 4], ["--io-form", 8], ["--io-form", 2], ["--full"]]


@pytest.mark.parametrize("how", WAYS)
def test_installing_twice_is_installing_once_and_removing_leaves_nothing(
    tree: Path, frazil: Path, how: list
):
    before = contents(tree)
    done = installed(*how, "--frazil", frazil, tree)
    assert done.returncode == 0, done.stderr
    once = contents(tree)
    assert installed(*how, "--frazil", frazil, tree).returncode == 0
    assert contents(tree) == once
    edited = {name for name in before if before[name] != once[name]}
    rules = {"configure.wrf", "CMakeLists.txt", "external/CMakeLists.txt"}
    wanted = {2: {"configure.wrf"}, 4: rules, 8: rules, "--full": set(MINIATURE)}
    assert edited == wanted[how[-1]]
    assert ("external/io_frazil/package.c" in once) == (2 not in how)
    assert installed("--remove", tree).returncode == 0
    assert contents(tree) == before


def test_a_number_of_its_own_is_a_free_one_and_has_all_calls(tree: Path, frazil: Path):
    done = installed("--full", "--frazil", frazil, tree)
    assert "io_form 16 of" in done.stdout
    assert b"io_form_restart==16" in (tree / "Registry/Registry.EM_COMMON").read_bytes()
    calls = (tree / "frame/module_io.F").read_text("latin-1")
    assert "#ifdef FRAZIL_IO\n  CALL ext_frz_ioinit( SysDepInfo, ierr( 3) )" in calls
    assert "CASE ( IO_FRZ )\n          CALL ext_frz_iosync ( Hndl, Status )" in calls
    suffixes = (tree / "share/module_io_domain.F").read_text("latin-1")
    assert suffixes.count("IO_FRZ ) THEN\n     ext = '.nc '") == 2


def test_one_way_replaces_another(tree: Path, frazil: Path):
    assert installed("--full", "--frazil", frazil, tree).returncode == 0
    assert installed("--io-form", 4, "--frazil", frazil, tree).returncode == 0
    assert b"IO_FRZ" not in (tree / "frame/module_io.F").read_bytes()
    rules = (tree / "configure.wrf").read_text("latin-1")
    assert "-DPHDF5" in rules and "-DFRAZIL_IO" not in rules


@pytest.mark.parametrize("how, macro", [(4, "PHDF5"), (8, "YYY")])
def test_a_slot_of_a_tree_that_only_cmake_builds(tree: Path, frazil: Path, how: int, macro: str):
    (tree / "configure.wrf").unlink()
    before = contents(tree)
    done = installed("--io-form", how, "--frazil", frazil, tree)
    assert done.returncode == 0, done.stderr
    lists = (tree / "CMakeLists.txt").read_text("latin-1")
    assert f"DEFINITIONS_OPTIONS {macro} )" in lists
    assert lists.index(" io_frazil\n") < lists.index("io_phdf5>"), "WRF's own has the same entries"
    built = (tree / "external/io_frazil/CMakeLists.txt").read_text()
    assert f"FRZ_WRF_PREFIX=ext_{macro.lower()}_" in built
    assert ("FRZ_WRF_PARALLEL" in built) == (how == 4), "one task writes through slot 8"
    assert installed("--remove", tree).returncode == 0
    assert contents(tree) == before


def test_what_cannot_be_is_refused_and_changes_nothing(tree: Path, frazil: Path, tmp_path: Path):
    def refused(*arguments: object) -> str:
        before = contents(tree)
        done = installed(*arguments)
        assert done.returncode == 1 and contents(tree) == before
        return done.stderr

    assert "include/frazil.h is missing" in refused("--frazil", tmp_path / "no", tree)
    assert "the top of a WRF source tree" in refused("--frazil", frazil, tmp_path)
    (tree / "share/output_wrf.F").write_text("something else\n")
    assert "output_wrf.F has no place" in refused("--full", "--frazil", frazil, tree)
    (tree / "configure.wrf").write_text("ARCHFLAGS = -DPHDF5\n")
    assert "WRF's own PHDF5 package" in refused("--frazil", frazil, tree)
    (tree / "configure.wrf").unlink()
    assert "run WRF's ./configure first" in refused("--io-form", 2, "--frazil", frazil, tree)
    (tree / "CMakeLists.txt").unlink()
    assert "run WRF's ./configure first" in refused("--frazil", frazil, tree)


@pytest.mark.skipif(not WRF, reason="FRAZIL_TEST_WRF names no WRF source tree")
def test_a_whole_source_tree(frazil: Path, tmp_path: Path):
    tree = shutil.copytree(WRF, tmp_path / "WRF", symlinks=True)
    before = contents(tree)
    # What the preprocessor replaces must be the name of nothing else.
    assert not [name for name, text in before.items() if re.search(rb"\bFRAZIL_IO\b", text)]
    done = installed("--full", "--frazil", frazil, tree)
    assert done.returncode == 0, done.stderr
    assert b"ext_frz_write_field" in (tree / "frame/module_io.F").read_bytes()
    assert installed("--remove", tree).returncode == 0
    assert contents(tree) == before
