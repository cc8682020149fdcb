"""WRF's I/O package: a program that makes the model's calls, beside files that the model wrote."""

import os
import resource
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import SAMPLE, tool
from support.data import CORPUS
from support.fortran import GFORTRAN, needs_gfortran, run
from support.mpi import MPICH, OPEN_MPI, Mpi
from support.wrf import PROGRAMS, Package, assert_same_file, package, write_list

pytestmark = [needs_gfortran, pytest.mark.sampled(one_in=3)]

WHOLE = CORPUS / "wrf/squall_line.nc"
# A whole WRF source tree, if there is one.
WRF = os.environ.get("FRAZIL_TEST_WRF")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wrf")


@pytest.fixture(scope="session")
def sequential(built: Path) -> Package:
    return package(built / "yyy", "ext_yyy_")


@pytest.fixture(scope="session")
def standin(built: Path, sequential: Package) -> Path:
    return sequential.program(PROGRAMS / "standin.F90", built / "standin")


def test_all_routines_that_the_model_calls_are_there(sequential: Package):
    symbols = run("nm", "-g", sequential.library).split("\n")
    entries = {line.split()[2] for line in symbols if " T " in line}
    kinds = ("real", "double", "integer", "logical", "char")
    metadata = {
        f"{verb}_{what}_{when}_{kind}"
        for verb in ("get", "put")
        for what in ("dom", "var")
        for when in ("ti", "td")
        for kind in kinds
    }
    calls = (
        "ioinit ioexit ioclose iosync open_for_write_begin open_for_write_commit open_for_read "
        "open_for_read_begin open_for_read_commit inquire_opened inquire_filename set_time "
        "get_next_time get_previous_time get_next_var get_var_info write_field read_field"
    )
    wanted = metadata | set(calls.split())
    assert len(wanted) == 58
    assert entries == {f"ext_yyy_{name}_" for name in wanted}, "nothing else is visible"


@pytest.mark.parametrize("kind", ["history", "restart"])
def test_the_models_calls_give_the_models_file(standin: Path, tmp_path: Path, kind: str):
    listed = write_list(SAMPLE, tmp_path / "list")
    said = run(standin, listed, SAMPLE, tmp_path / "wrfout", kind)
    assert said.strip() == "equal: 33 fields of 4 frames"
    assert_same_file(tmp_path / "wrfout", SAMPLE)


@pytest.mark.parametrize("form", ["-3", "-6", "-4"])
def test_input_in_all_formats_of_the_model(standin: Path, tmp_path: Path, form: str):
    source = tmp_path / "wrfinput"
    assert tool("nccopy", form, SAMPLE, source).returncode == 0
    run(standin, write_list(SAMPLE, tmp_path / "list"), source, tmp_path / "wrfout", "history")
    assert_same_file(tmp_path / "wrfout", SAMPLE)


@pytest.mark.skipif(not WHOLE.exists(), reason=f"{WHOLE} is not there")
def test_all_fields_and_frames_of_the_squall_line(standin: Path, tmp_path: Path):
    run(standin, write_list(WHOLE, tmp_path / "list"), WHOLE, tmp_path / "wrfout", "history")
    assert_same_file(tmp_path / "wrfout", WHOLE)


def test_strips_orders_metadata_and_status_codes(sequential: Package, tmp_path: Path):
    program = sequential.program(PROGRAMS / "calls.F90", tmp_path / "calls")
    assert run(program, tmp_path).splitlines()[-1] == "done"
    record, z, y, x = np.ogrid[1:3, 1:4, 1:5, 1:6]
    told = (1000 * record + 100 * z + 10 * y + x).astype("f4")
    with netCDF4.Dataset(tmp_path / "calls.nc") as data:
        data.set_auto_mask(False)
        for name in ("XZY", "ZYX", "XYZ"):
            assert data[name].dimensions == ("Time", "bt", "sn", "we")
            assert data[name].MemoryOrder == "XYZ"
            assert np.array_equal(data[name][:], told)
        assert data["STRIP"].dimensions == ("Time", "bw", "bt", "sn")
        assert data["STRIP"].MemoryOrder == "XSZ"
        assert np.array_equal(data["STRIP"][:], told[..., :2].transpose(0, 3, 1, 2))
        assert data["LINE"].dimensions == ("Time", "bw", "we")
        assert np.array_equal(data["LINE"][:], told[:, 0, :2] - 100)
        assert data["NAMELESS"].dimensions == ("Time", "bt"), "any dimension of this length"
        assert np.array_equal(data["NAMELESS"][:], told[:, :, 0, 0] - 11)
        assert data["ONE"].dimensions == ("Time",)
        assert data["WIDE"].dtype == "f8" and data["WIDE"].FieldType == 105
        assert np.array_equal(data["WIDE"][:], told[:, 0].astype("f8") - 100 + 1e-9)
        assert np.array_equal(data["WHOLE"][:], told[:, 0].astype("i4") - 100)
        whole_file = "e_x_t_d_o_m_a_i_n_m_e_t_a_data_"
        times = data[f"md___thisbdytime{whole_file}"]
        assert times.dimensions == ("Time", "DateStrLen")
        assert netCDF4.chartostring(times[:])[0] == "2000-01-01_06:00:00"
        assert data[f"md___l{whole_file}"][:].tolist() == [[1, 1], [0, 1]]
        assert data["md___rxzy"][:].tolist() == [[-1.5], [-3.0]]
        assert data.I == 7 and data.L.tolist() == [1, 0] and data.T == "a title"
        assert data["XZY"].I == 7 and data["XZY"].EMPTY == ""
    with netCDF4.Dataset(tmp_path / "misuse.nc") as data:
        assert data.dimensions["Time"].size == 0, "calls that were refused left no record"


@pytest.fixture(params=[MPICH, OPEN_MPI], ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    if not request.param.is_here():
        pytest.skip(f"{request.param.name} is not installed (scripts/setup test installs it)")
    return request.param


@pytest.fixture
def parallel(built: Path, mpi: Mpi) -> Package:
    made = package(built / mpi.name, "ext_phdf5_", PARALLEL="1", CC=mpi.compiler)
    return replace(made, fortran=mpi.fortran)


def program_of(package: Package, source: str, name: str, *options: str) -> Path:
    """A program of this source and package, compiled once."""
    target = package.library.parent / name
    if not target.exists():
        package.program(PROGRAMS / source, target, *options)
    return target


DECOMPOSITIONS = [(1, 1), (4, 1), (1, 2), (2, 2), (3, 1)]


@pytest.mark.parametrize("columns, rows", DECOMPOSITIONS)
def test_tasks_write_their_patches(
    parallel: Package, mpi: Mpi, tmp_path: Path, columns: int, rows: int
):
    program = program_of(parallel, "standin.F90", "standin", "-DPARALLEL")
    arguments = [write_list(SAMPLE, tmp_path / "list"), SAMPLE, tmp_path / "wrfout", "history"]
    said = mpi.run(columns * rows, program, *arguments, columns, rows)
    assert "equal: 33 fields of 4 frames" in said
    assert_same_file(tmp_path / "wrfout", SAMPLE)


def test_files_that_follow_the_tasks_and_writers_for_others(
    parallel: Package, mpi: Mpi, tmp_path: Path
):
    program = program_of(parallel, "standin.F90", "standin", "-DPARALLEL")
    listed = write_list(SAMPLE, tmp_path / "list")
    filtered = "reproducible=0,filters=shuffle+deflate(1)"
    # The last one goes on with the file of the one before it.
    for options in ("reproducible=0", "io_ranks=1", filtered, "append=1"):
        chosen = replace(mpi, environment={**mpi.environment, "FRAZIL_OPTIONS": options})
        chosen.run(4, program, listed, SAMPLE, tmp_path / "wrfout", "history", 2, 2)
        assert_same_file(tmp_path / "wrfout", SAMPLE)


@pytest.mark.parametrize("how", ["asked", "EMPTY"])
@pytest.mark.parametrize("columns, rows", [(1, 1), (2, 2), (3, 1), (1, 3)])
def test_boundary_strips_come_from_the_tasks_at_the_edge(
    parallel: Package, mpi: Mpi, tmp_path: Path, how: str, columns: int, rows: int
):
    program = program_of(parallel, "strips.F90", f"strips-{how}", f"-D{how}")
    mpi.run(columns * rows, program, tmp_path / "wrfbdy", columns, rows)
    record, width, level = np.ogrid[1:3, 1:4, 1:5]
    with netCDF4.Dataset(tmp_path / "wrfbdy") as data:
        data.set_auto_mask(False)
        for edge, length in (("XS", 17), ("XE", 17), ("YS", 23), ("YE", 23)):
            along = np.arange(1, length + 1)
            deep = data[f"U_B{edge}"]
            assert deep.dimensions == ("Time", "width", "levels", f"along{edge[0]}")
            wanted = (10000 * record + 10 * level + width)[..., None] + 100 * along
            assert np.array_equal(deep[:], wanted), edge
            flat = (10000 * record + width)[:, :, :1] + 100 * along
            assert np.array_equal(data[f"MU_B{edge}"][:], flat), edge
        times = netCDF4.chartostring(data.variables["Times"][:])
        assert list(times) == ["2000-01-01_00:00:00", "2000-01-01_06:00:00"]


def started(
    program: Path, *arguments: object, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program with variables of the environment; what it printed, and its exit status."""
    return subprocess.run(
        [str(part) for part in (program, *arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )


ROUNDING = '[[rule]]\nvariables = ["*"]\nsignificant_digits = 3\n'


@pytest.mark.parametrize("variable", ["FRAZIL_PRECISION", "FRAZIL_OPTIONS"])
def test_history_is_rounded_on_request_and_restart_files_never(
    standin: Path, tmp_path: Path, variable: str
):
    requests = tmp_path / "rules.toml"
    requests.write_text(ROUNDING)
    value = str(requests) if variable == "FRAZIL_PRECISION" else f"precision={requests},goal=speed"
    listed = write_list(SAMPLE, tmp_path / "list")
    # The program compares each bit with the source.
    done = started(standin, listed, SAMPLE, tmp_path / "out", "history", **{variable: value})
    assert done.returncode != 0 and "status 96" in done.stdout, done.stdout
    with netCDF4.Dataset(tmp_path / "out") as data, netCDF4.Dataset(SAMPLE) as source:
        exact, rounded = source["QVAPOR"][:], data["QVAPOR"][:]
        assert not np.array_equal(exact, rounded)
        np.testing.assert_allclose(rounded, exact, rtol=0.005)
    done = started(standin, listed, SAMPLE, tmp_path / "restart", "restart", **{variable: value})
    assert done.returncode == 0, done.stdout
    assert_same_file(tmp_path / "restart", SAMPLE)


def test_options_reach_the_file(standin: Path, tmp_path: Path):
    listed = write_list(SAMPLE, tmp_path / "list")
    options = "filters=shuffle+deflate(6);reads=map,series=2;threads=1;memory=64MiB;commit=wait"
    done = started(standin, listed, SAMPLE, tmp_path / "out", "history", FRAZIL_OPTIONS=options)
    assert done.returncode == 0, done.stdout
    with netCDF4.Dataset(tmp_path / "out") as data:
        filters = data["W"].filters()
        assert filters["complevel"] == 6 and filters["shuffle"]


@pytest.mark.parametrize(
    "options, said",
    [
        ("goal=smallest", '"smallest"; it must be balanced, size, speed'),
        ("colour=red", "there are goal, filters, readable_by"),
        ("commit=later", '"later"; it must be background or wait'),
        ("threads=many", '"many"; it must be a number of threads from 0'),
        ("precision=/nowhere/rules.toml", "/nowhere/rules.toml"),
        ("goal", "option=value"),
    ],
)
def test_a_wrong_option_is_named_and_no_file_is_made(
    standin: Path, tmp_path: Path, options: str, said: str
):
    listed = write_list(SAMPLE, tmp_path / "list")
    done = started(standin, listed, SAMPLE, tmp_path / "out", "history", FRAZIL_OPTIONS=options)
    assert done.returncode != 0
    assert said in done.stdout
    assert not (tmp_path / "out").exists()


def test_a_killed_run_leaves_every_committed_frame(sequential: Package, tmp_path: Path):
    program = sequential.program(PROGRAMS / "frames.F90", tmp_path / "frames")
    for after in (1, 2, 5):
        output = tmp_path / f"killed{after}"
        done = started(program, output, 8, after, FRAZIL_OPTIONS="commit=wait")
        assert done.returncode == -signal.SIGKILL
        with netCDF4.Dataset(output) as data:
            data.set_auto_mask(False)
            assert data.dimensions["Time"].size == after
            frames = np.arange(1, after + 1, dtype="f4")
            values = data["FIELD"][:]
            assert np.array_equal(values[:, 0, 0], frames)
            assert np.array_equal(values[:, -1, -1], frames + 999)


def test_a_restart_file_is_there_only_behind_the_frames_before_it(
    sequential: Package, tmp_path: Path
):
    # A frame takes longer to pack, behind the model's back, than the restart file.
    program = sequential.program(
        PROGRAMS / "frames.F90", tmp_path / "frames", "-DNX=1000", "-DNY=500"
    )
    output, restart = tmp_path / "out", tmp_path / "restart"
    options = "filters=shuffle+deflate(9);threads=1"
    done = started(program, output, 8, 3, 1, restart, FRAZIL_OPTIONS=options)
    assert done.returncode == -signal.SIGKILL, done.stdout
    with netCDF4.Dataset(restart) as data:
        assert data.dimensions["Time"].size == 1
    # The run that begins again writes none of these.
    with netCDF4.Dataset(output) as data:
        assert data.dimensions["Time"].size == 3
        assert data["FIELD"][-1, 0, 0] == 3


def test_a_killed_run_that_began_again_goes_on_with_the_file(sequential: Package, tmp_path: Path):
    program = sequential.program(PROGRAMS / "frames.F90", tmp_path / "frames")
    output = tmp_path / "out"
    assert started(program, output, 9, 5, FRAZIL_OPTIONS="commit=wait").returncode < 0
    # The run begins again at frame 4: frames 4 and 5 are there already.
    done = started(program, output, 9, 0, 4, FRAZIL_OPTIONS="append=1")
    assert done.returncode == 0, done.stdout
    with netCDF4.Dataset(output) as data:
        data.set_auto_mask(False)
        assert data.FIRST_FRAME == 1 and data["FIELD"].units == "K"
        times = netCDF4.chartostring(data["Times"][:])
        assert list(times) == [f"2000-01-01_00:{frame:02}:00" for frame in range(1, 10)]
        assert np.array_equal(data["FIELD"][:, 0, 0], np.arange(1, 10, dtype="f4"))
        assert np.array_equal(data["FIELD"][:, -1, -1], np.arange(1000, 1009, dtype="f4"))
    # Without the option the file is replaced, as WRF's own package does.
    run(program, output, 9, 0, 8)
    with netCDF4.Dataset(output) as data:
        assert data.dimensions["Time"].size == 2 and data.FIRST_FRAME == 8


def test_a_file_of_other_fields_is_not_gone_on_with(
    standin: Path, sequential: Package, tmp_path: Path
):
    program = sequential.program(PROGRAMS / "frames.F90", tmp_path / "frames")
    run(program, tmp_path / "out", 2, 0)
    before = (tmp_path / "out").read_bytes()
    listed = write_list(SAMPLE, tmp_path / "list")
    # Another field of the name that it writes: the sample has PSFC of other dimensions.
    listed.write_text(listed.read_text().replace("\nPSFC|", "\nFIELD|"))
    done = started(standin, listed, SAMPLE, tmp_path / "out", "history", FRAZIL_OPTIONS="append=1")
    assert done.returncode != 0
    assert "variable FIELD has another type or shape" in done.stdout
    assert (tmp_path / "out").read_bytes() == before


def test_fields_of_one_value_cost_little_more_than_an_index_entry(
    sequential: Package, tmp_path: Path
):
    program = sequential.program(PROGRAMS / "frames.F90", tmp_path / "frames")
    run(program, tmp_path / "out", 60, 0)
    with h5py.File(tmp_path / "out") as data:
        assert not data["ZERO"][:].any()
        assert (data["REPEATED"][:] == data["REPEATED"][0]).all()
        sizes = {name: data[name].id.get_storage_size() for name in ("ZERO", "REPEATED", "FIELD")}
    assert sizes["ZERO"] < 60 * 16, "raw: 4800 bytes a frame"
    assert sizes["REPEATED"] < sizes["FIELD"] / 2, "several records of a small field share a chunk"


def with_little_disk(program: Path, output: Path) -> subprocess.CompletedProcess[str]:
    """Writes 200 frames where files may have 300 kB."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    return subprocess.run(
        [program, output, "200", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        preexec_fn=small_files,
    )


# Without gfortran's handler of the signal, which ends the program; with the model's way of going on
# after errors in history.
@pytest.mark.parametrize("how", [(), ("-DGOES_ON",)], ids=["stops", "goes on"])
def test_a_full_disk_is_named_and_leaves_whole_frames(
    sequential: Package, tmp_path: Path, how: tuple[str, ...]
):
    program = sequential.program(
        PROGRAMS / "frames.F90", tmp_path / "frames", "-fno-backtrace", *how
    )
    output = tmp_path / "out"
    done = with_little_disk(program, output)
    assert done.returncode == (0 if how else 1), done.stdout
    assert str(output) in done.stdout and "status -1021" in done.stdout
    assert done.stdout.count("frazil: ") < 5, "not for every field of every frame"
    with netCDF4.Dataset(output) as data:
        data.set_auto_mask(False)
        count = data.dimensions["Time"].size
        assert 0 < count < 200
        assert np.array_equal(data["FIELD"][:, 0, 0], np.arange(1, count + 1, dtype="f4"))


@pytest.mark.parametrize("errors", ["stop", "report"])
def test_the_model_ends_when_output_cannot_be_written(
    sequential: Package, tmp_path: Path, errors: str, monkeypatch: pytest.MonkeyPatch
):
    program = sequential.program(
        PROGRAMS / "frames.F90", tmp_path / "frames", "-fno-backtrace", "-DGOES_ON", "-DWRF_ENDS"
    )
    output = tmp_path / "out"
    monkeypatch.setenv("FRAZIL_OPTIONS", f"errors={errors}")
    done = with_little_disk(program, output)
    assert str(output) in done.stdout
    assert ("FATAL: frazil: " in done.stdout) == (errors == "stop"), done.stdout
    assert done.returncode == (3 if errors == "stop" else 0)
    with netCDF4.Dataset(output) as data:
        data.set_auto_mask(False)
        count = data.dimensions["Time"].size
        assert 0 < count < 200
        assert np.array_equal(data["FIELD"][:, 0, 0], np.arange(1, count + 1, dtype="f4"))


def own_package(wrf: Path, folder: Path) -> Path:
    """WRF's own netCDF package, of a source tree of WRF, with what it needs of WRF."""
    package_folder, shared = wrf / "external/io_netcdf", f"-I{wrf}/external/ioapi_share"
    features = ("-DUSE_NETCDF4_FEATURES", shared, f"-I{package_folder}")
    include = f"-I{run('nf-config', '--includedir').strip()}"
    # The names of the files are in their lines, and these get long.
    flags = ("-w", "-ffree-line-length-none", "-fallow-argument-mismatch", include, shared)
    for name in ("wrf_io", "field_routines"):
        source = package_folder / f"{name}.F90"
        cpp = run("cpp", "-P", "-nostdinc", "-traditional-cpp", *features, source)
        (folder / f"{name}.cpp").write_text(cpp)
        expanded = run("m4", "-Uinclude", "-Uindex", "-Ulen", folder / f"{name}.cpp")
        (folder / f"{name}.f90").write_text(expanded)
        run(GFORTRAN, *flags, "-c", f"{name}.f90", cwd=folder)
    (folder / "debug.c").write_text("void wrf_debug_(void) {}\n")
    run("cc", "-c", "debug.c", cwd=folder)
    objects = ("wrf_io.o", "field_routines.o", "debug.o")
    run("ar", "rcs", "libwrfio_nf.a", *objects, cwd=folder)
    return folder / "libwrfio_nf.a"


@pytest.mark.skipif(not WRF, reason="FRAZIL_TEST_WRF names no WRF source tree")
def test_beside_the_models_own_package(standin: Path, tmp_path: Path):
    library = own_package(Path(WRF), tmp_path)
    theirs = Package("ext_ncd_", library).program(
        PROGRAMS / "standin.F90", tmp_path / "own", *run("nf-config", "--flibs").split()
    )
    listed = write_list(SAMPLE, tmp_path / "list")
    run(standin, listed, SAMPLE, tmp_path / "ours", "history")
    run(theirs, listed, SAMPLE, tmp_path / "theirs", "history")
    assert_same_file(tmp_path / "ours", tmp_path / "theirs")
    with netCDF4.Dataset(tmp_path / "ours") as a, netCDF4.Dataset(tmp_path / "theirs") as b:
        assert list(a.variables) == list(b.variables)
        assert list(a.dimensions) == list(b.dimensions)
        assert a.ncattrs() == b.ncattrs()
        assert all(a[name].ncattrs() == b[name].ncattrs() for name in a.variables)
    # WRF's own package with libfrazil in place of netcdf-fortran.
    linked = Package("ext_ncd_", library).program(PROGRAMS / "standin.F90", tmp_path / "linked")
    run(linked, listed, SAMPLE, tmp_path / "by-frazil", "history")
    assert_same_file(tmp_path / "by-frazil", tmp_path / "theirs")
    # WRF's own package reads what this one writes, and the other way round.
    run(theirs, listed, tmp_path / "ours", tmp_path / "again", "restart")
    assert_same_file(tmp_path / "again", SAMPLE)
    run(standin, listed, tmp_path / "theirs", tmp_path / "once", "restart")
    assert_same_file(tmp_path / "once", SAMPLE)
