"""Several processes write one file: both MPI libraries, 1 to 6 ranks, filters, faults."""

import itertools
import os
import re
import sys
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401  (h5py reads all filters with it)
import netCDF4
import numpy as np
import pytest
from support.capi import compiled, needs
from support.dumps import ncdump
from support.fortran import install, needs_gfortran, run
from support.mpi import MPICH, OPEN_MPI, PROGRAMS, SOURCES, Mpi

RECORDS, NY, NX = 4, 30, 44

# Filters by number with their parameters, as nc_def_var_filter takes them; none: frazil chooses.
CODECS = {"ours": "", "deflate": "1,4", "fletcher32": "3", "zstd": "32015,3"}
# Codecs that netCDF4's own library reads without plugins.
BUILT_IN = {"ours", "deflate", "fletcher32"}
QUANTIZERS = {"exact": (0, 0), "bitgroom": (1, 3), "granular": (2, 3), "bitround": (3, 9)}
DECOMPOSITIONS = range(6)

pytestmark = [needs("pkg-config"), pytest.mark.sampled(one_in=3)]


@pytest.fixture(params=[MPICH, OPEN_MPI], ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    if not request.param.is_here():
        pytest.skip(f"{request.param.name} is not installed (scripts/setup test installs it)")
    return request.param


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("prefix"))


def expected() -> np.ndarray:
    """The values that fields.c computes."""
    record, y, x = np.ogrid[:RECORDS, :NY, :NX]
    field = np.float32(0.25) * ((record * 7919 + y * 131 + x * 17) % 1000).astype("f4")
    field = field + np.float32(1) / (1 + x).astype("f4")
    return np.where((y + x) % 11 == 0, np.float32(-999), field)


def write(mpi: Mpi, program: Path, ranks: int, folder: Path, cases: dict[str, str]) -> None:
    """Writes a file for each case: `decomposition shuffle mode digits [filter]`."""
    folder.mkdir()
    lines = [f"{folder / name}.nc {case}\n" for name, case in cases.items()]
    listed = folder / "list"
    listed.write_text("".join(lines))
    mpi.run(ranks, program, listed)
    listed.unlink()
    left = sorted(path.name for path in folder.iterdir())
    assert left == sorted(f"{name}.nc" for name in cases), "something is left beside the files"


def check_values(path: Path, is_built_in: bool, tolerance: float) -> None:
    field = expected()
    with h5py.File(path) as data:
        np.testing.assert_allclose(data["t"][:], field, rtol=tolerance)
        assert np.array_equal(data["t"][:] == -999, field == -999)
        assert np.array_equal(data["area"][:], field[0])
        assert [text.decode() for text in data["names"][:]] == [f"record {i}" for i in range(4)]
    with netCDF4.Dataset(path) as data:
        assert data.title == "fields"
        assert data["t"].units == "K"
        assert data.dimensions["time"].isunlimited()
        assert np.array_equal(data["time"][:], 0.5 * np.arange(RECORDS))
        if is_built_in:
            np.testing.assert_allclose(data["t"][:].filled(), field, rtol=tolerance)
    assert b"time = UNLIMITED ; // (4 currently)" in ncdump("-h", path)


def test_filters_and_quantizers_on_any_number_of_ranks(mpi: Mpi, prefix: Path, tmp_path: Path):
    program = mpi.compiled(prefix, PROGRAMS / "fields.c", tmp_path / "fields")
    plans = itertools.product(CODECS.items(), (0, 1), QUANTIZERS.items())
    cases, kinds = {}, {}
    for number, ((codec, filters), shuffle, (quantizer, (mode, digits))) in enumerate(plans):
        name = f"{codec}-{shuffle}-{quantizer}"
        cases[name] = f"{number % 6} {shuffle} {mode} {digits} {filters}"
        kinds[name] = (codec in BUILT_IN, 0.0 if mode == 0 else 0.005)
    for ranks in (1, 2, 4):
        write(mpi, program, ranks, tmp_path / str(ranks), cases)
    for name, (is_built_in, tolerance) in kinds.items():
        one = tmp_path / "1" / f"{name}.nc"
        check_values(one, is_built_in, tolerance)
        for ranks in (2, 4):
            other = tmp_path / str(ranks) / f"{name}.nc"
            assert other.read_bytes() == one.read_bytes(), f"{name} on {ranks} ranks"


def test_decompositions(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "fields.c", tmp_path / "fields")
    cases = {f"cut{number}": f"{number} 1 0 0 1,1" for number in DECOMPOSITIONS}
    for ranks in range(1, 7):
        write(mpi, program, ranks, tmp_path / str(ranks), cases)
    one = (tmp_path / "1/cut0.nc").read_bytes()
    check_values(tmp_path / "1/cut0.nc", True, 0.0)
    for ranks, name in itertools.product(range(1, 7), cases):
        found = (tmp_path / str(ranks) / f"{name}.nc").read_bytes()
        assert found == one, f"{name} on {ranks} ranks gives other bytes"


def check_records(path: Path, records: int) -> None:
    with h5py.File(path) as data:
        assert data["v"].shape == (records, 20000)
        record, x = np.ogrid[:records, :20000]
        assert np.array_equal(data["v"][:], ((record * 31 + x) % 977).astype("f4"))


def messages(said: str, call: str) -> dict[int, str]:
    """What each rank printed about a call."""
    return {int(rank): text for rank, text in re.findall(rf"rank (\d): {call}: (.*)", said)}


def test_puts_wait_for_nobody(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "faults.c", tmp_path / "faults")
    mpi.run(2, program, tmp_path / "out.nc", "barrier")
    check_records(tmp_path / "out.nc", 2 + 10 * (2 << 20) // 20000 // 4)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("define", "rank 1 has the dimension `odd`, which rank 0 lacks"),
        ("leave", "rank 1 gave its writer up"),
        ("late", "for rank 1 (last heard of"),
    ],
)
def test_faults_are_everybodys_error(
    mpi: Mpi, prefix: Path, tmp_path: Path, what: str, words: str
) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "faults.c", tmp_path / "faults")
    said = messages(mpi.run(3, program, tmp_path / "out.nc", what), "close")
    for rank in {0, 2}:
        assert words in said[rank], said
    if what == "late":
        assert "put of `/v`" in said[0], said
        assert not said[1].startswith("0 "), said
    check_records(tmp_path / "out.nc", 3)


@pytest.mark.parametrize("follow", [(), ("follow",)], ids=["held", "leased"])
def test_a_full_disk_of_one_rank(
    mpi: Mpi, prefix: Path, tmp_path: Path, follow: tuple[str, ...]
) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "faults.c", tmp_path / "faults")
    said = messages(mpi.run(3, program, tmp_path / "out.nc", "full", *follow), "close")
    for rank in range(3):
        assert "rank 1: " in said[rank], said
        assert "/v: " in said[rank], said
    check_records(tmp_path / "out.nc", 3 * 40 if follow else 3)


def test_a_killed_rank_leaves_the_last_commit(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "faults.c", tmp_path / "faults")
    mpi.started(3, program, tmp_path / "out.nc", "kill")
    check_records(tmp_path / "out.nc", 3)


def test_a_rank_killed_while_it_writes_leaves_the_last_commit(
    mpi: Mpi, prefix: Path, tmp_path: Path
) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "faults.c", tmp_path / "faults")
    mpi.started(3, program, tmp_path / "out.nc", "kill", "follow")
    check_records(tmp_path / "out.nc", 3 * 40)
    mpi.run(2, program, tmp_path / "whole.nc", "barrier", "follow")
    check_records(tmp_path / "whole.nc", 2 * 40 + 10 * (2 << 20) // 20000 // 4)


def test_files_that_follow_the_ranks(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "fields.c", tmp_path / "fields")
    cases = {f"cut{number}": f"{number} 1 0 0 1,1" for number in DECOMPOSITIONS}
    write(mpi, program, 1, tmp_path / "one", {"cut0": cases["cut0"]})
    bytes_of_one = (tmp_path / "one/cut0.nc").stat().st_size
    for ranks in (1, 2, 3, 4, 6):
        write(mpi.following_ranks(), program, ranks, tmp_path / str(ranks), cases)
        for name in cases:
            path = tmp_path / str(ranks) / f"{name}.nc"
            check_values(path, True, 0.0)
            # Most of so small a file are metadata.
            assert path.stat().st_size <= 1.05 * bytes_of_one


def test_ranks_that_write_for_others(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "fields.c", tmp_path / "fields")
    cases = {f"cut{number}": f"{number} 1 0 0 1,1" for number in DECOMPOSITIONS}
    write(mpi, program, 1, tmp_path / "one", {"cut0": cases["cut0"]})
    one = (tmp_path / "one/cut0.nc").read_bytes()
    for ranks, io_ranks in ((2, 1), (4, 1), (4, 2)):
        folder = tmp_path / f"{io_ranks}-of-{ranks}"
        write(mpi.with_io_ranks(io_ranks), program, ranks, folder, cases)
        for name in cases:
            assert (folder / f"{name}.nc").read_bytes() == one, f"{name}, {io_ranks} of {ranks}"


def test_io_ranks_serve_in_their_close(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "io_ranks.c", tmp_path / "io_ranks")

    def check(path: Path, records: int) -> None:
        record, y, x = np.ogrid[:records, :24, :2000]
        with h5py.File(path) as data:
            assert np.array_equal(data["v"][:], ((record * 31 + y * 7 + x) % 977).astype("f4"))

    files = []
    for ranks, io_ranks in ((1, 0), (2, 1), (4, 2)):
        path = tmp_path / f"{io_ranks}-of-{ranks}.nc"
        mpi.run(ranks, program, path, io_ranks)
        check(path, 7)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]
    mpi.run(3, program, tmp_path / "puts.nc", 1, "puts")
    check(tmp_path / "puts.nc", 10 * (2 << 20) // (24 * 2000 * 4))


def test_chunks_that_all_ranks_share(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled(prefix, PROGRAMS / "layers.c", tmp_path / "layers")
    layer, y, x = np.ogrid[:6, :401, :509]
    expected = ((layer * 7919 + y * 131 + x * 17) % 1000).astype("f4")
    files = []
    for ranks in (1, 2, 3, 4):
        path = tmp_path / f"{ranks}.nc"
        said = mpi.run(ranks, program, path)
        if sys.platform == "linux":
            assert f"{ranks if ranks > 1 else 0} ranks share memory" in said
        with h5py.File(path) as data:
            assert np.array_equal(data["v"][:], expected)
        files.append(path.read_bytes())
    assert len(set(files)) == 1


@needs_gfortran
def test_fortran(mpi: Mpi, prefix: Path, tmp_path: Path) -> None:
    program = mpi.compiled_fortran(prefix, PROGRAMS / "fields.f90", tmp_path / "fields")
    record, y, x = np.ogrid[1:4, 1:25, 1:41]
    field = (x + 100 * y + 10000 * record).astype("f4")
    for ranks in (1, 3):
        faces = ("netcdf", "writer", "following", "served")
        files = [tmp_path / f"{face}{ranks}.nc" for face in faces]
        mpi.run(ranks, program, *files)
        for file in files:
            with netCDF4.Dataset(file) as data:
                assert data.dimensions["time"].isunlimited()
                assert np.array_equal(data["t"][:], field)
    assert (tmp_path / "served3.nc").read_bytes() == (tmp_path / "writer1.nc").read_bytes()
    for face in ("netcdf", "writer"):
        one, three = (tmp_path / f"{face}{ranks}.nc" for ranks in (1, 3))
        assert one.read_bytes() == three.read_bytes()


@needs_gfortran
@pytest.mark.parametrize("flag", ["--as-needed", "--no-as-needed"])
def test_the_documented_link_line(mpi: Mpi, prefix: Path, tmp_path: Path, flag: str) -> None:
    """A linker that leaves out libraries of which no symbol is named leaves libfrazil_mpi out."""
    where = {"PREFIX": str(prefix), "LIBDIR": f"{prefix}/lib", "DESTDIR": ""}
    build = f"BUILD={tmp_path / 'mpi'}"
    environment = {**os.environ, **where}
    run("make", "-C", SOURCES, "install", f"CC={mpi.compiler}", build, env=environment)
    lib = prefix / "lib"
    link = (f"-Wl,{flag}", f"-L{lib}", "-lfrazil_fortran", "-lfrazil_mpi", "-lfrazil")
    program = tmp_path / "fields"
    source = PROGRAMS / "fields.f90"
    run(
        *(mpi.fortran, f"-I{prefix / 'include'}", source, "-o", program, *link),
        *(f"-Wl,-rpath,{lib}",),
        cwd=tmp_path,
    )
    files = [tmp_path / f"{face}.nc" for face in ("netcdf", "writer", "following", "served")]
    mpi.run(2, program, *files)
    for file in files:
        with netCDF4.Dataset(file) as data:
            assert data["t"].shape == (3, 24, 40)
    # What belongs to another MPI, or to none, is no part of the other tests' prefix.
    for left in lib.glob("libfrazil_mpi.*"):
        left.unlink()


def test_without_mpi_a_parallel_create_is_refused(prefix: Path, tmp_path: Path) -> None:
    source = tmp_path / "alone.c"
    source.write_text(
        "#include <stdio.h>\n#include <frazil.h>\n"
        "int main(void) {\n"
        "    int ncid;\n"
        '    printf("%d\\n", frz_netcdf_create_parallel("never.nc", 0x1000, 0, &ncid));\n'
        '    printf("%s\\n", frz_last_message());\n'
        "    return 0;\n}\n"
    )
    program = compiled(prefix, source, tmp_path / "alone")
    status, message = run(program, cwd=tmp_path).splitlines()
    assert status == "-114" and "-lfrazil_mpi" in message and "no-as-needed" in message
