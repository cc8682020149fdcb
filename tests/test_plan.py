"""`frazil plan` and chunk shapes for stated reads: printed, replayed, said to others."""

import ast
import json
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support import make
from support.command import DONE, FAILED, SAMPLE, TROUBLE, frazil, pack, tool

pytestmark = pytest.mark.sampled(one_in=2)

SHAPE = (200, 96, 144)


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was measured on the machine of the tests is not theirs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A variable whose axes only the attributes of their coordinates tell, and a small one."""
    path = tmp_path_factory.mktemp("plan") / "field.nc"
    steps = 1 + 0.01 * np.arange(SHAPE[0])[:, None, None]
    waves = np.sin(np.linspace(0, 9, SHAPE[2])) + np.linspace(0, 1, SHAPE[1])[:, None]
    noise = np.random.default_rng(3).normal(0, 0.01, SHAPE)
    values = (waves * steps + noise).astype("f4")
    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip("abc", SHAPE, strict=True):
            file.createDimension(name, None if name == "a" else size)
            coordinate = file.createVariable(name, "f8", (name,))
            coordinate[:] = np.arange(size)
        file["a"].units = "degrees_north"
        file["a"].axis = "Y"
        file["b"].axis = "X"
        file["c"].units = "days since 2000-01-01"
        file.createVariable("v", "f4", tuple("abc"), chunksizes=(1, 96, 144))[:] = values
        file.createVariable("few", "i2", ("b",))[:] = np.arange(96)
    return path


def chunks_of(path: Path, name: str = "v") -> tuple[int, ...]:
    with h5py.File(path) as file:
        return file[name].chunks


def test_compared_ways_are_written(tmp_path: Path):
    source, rows = tmp_path / "small.nc", tmp_path / "rows.json"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 9000)
        file.createVariable("v", "f4", ("x",))[:] = np.arange(9000) % 71
    words = ("plan", source, "--compare", "--digits", 3, "--json", rows)
    shown = frazil(*words)
    assert shown.code == DONE, shown.stderr
    found = json.loads(rows.read_text())
    assert found["errors"] == [] and len(found["reports"]) == 12
    table = [line.split() for line in shown.stdout.splitlines() if line.startswith("as asked")]
    assert [line[2:4] for line in table] == [
        [one["readable_by"], one["goal"]] for one in found["reports"]
    ]
    assert all(one["file_bytes"] > 0 and one["seconds"] > 0 for one in found["reports"])
    assert frazil(*words).code != DONE and frazil(*words, "--overwrite").code == DONE


def test_reads_shape_the_chunks(field: Path, tmp_path: Path):
    shapes = {}
    for reads in ("map", "series", "map,series"):
        target = tmp_path / "packed.nc"
        pack(field, target, "--reads", reads, "--overwrite", "--verify")
        shapes[reads] = chunks_of(target)
    # Axis c is time by its units, a and b are the map by their axis attribute.
    assert shapes["series"][2] == SHAPE[2]
    assert shapes["map"][2] < 10 and shapes["map"][0] > 100
    balanced = shapes["map,series"]
    assert shapes["map"][2] < balanced[2] < SHAPE[2]


def test_stated_chunks_hold_without_filters(tmp_path: Path):
    source, chunk = tmp_path / "fixed.nc", (20, 48, 144)
    with netCDF4.Dataset(source, "w") as file:
        for name, size in zip("abc", SHAPE, strict=True):
            file.createDimension(name, size)
        file.createVariable("v", "f4", tuple("abc"))[:] = np.arange(SHAPE[0])[:, None, None]
    stated = ("--level", 0, "--chunks", "v:a=20,b=48,c=144")
    pack(source, tmp_path / "stated.nc", *stated, "--verify")
    assert chunks_of(tmp_path / "stated.nc") == chunk
    pack(tmp_path / "stated.nc", tmp_path / "kept.nc", "--level", 0, "--keep-chunks")
    assert chunks_of(tmp_path / "kept.nc") == chunk
    plan = tmp_path / "plan.json"
    assert frazil("plan", source, *stated, "--json", plan).code == DONE
    pack(source, tmp_path / "planned.nc", "--plan", plan)
    assert chunks_of(tmp_path / "planned.nc") == chunk
    pack(source, tmp_path / "free.nc", "--level", 0)
    assert chunks_of(tmp_path / "free.nc") is None
    pack(source, tmp_path / "reads.nc", "--level", 0, "--reads", "map,series", "--verify")
    assert chunks_of(tmp_path / "reads.nc") not in (None, SHAPE)
    frazil("unpack", tmp_path / "stated.nc", "-o", tmp_path / "unpacked.nc")
    assert chunks_of(tmp_path / "unpacked.nc") is None


def test_the_user_may_say_what_axes_are(field: Path, tmp_path: Path):
    target = tmp_path / "packed.nc"
    pack(field, target, "--reads", "series", "--axes", "a=time,c=lat")
    assert chunks_of(target)[0] >= SHAPE[0] and chunks_of(target)[2] < SHAPE[2]


def test_far_storage_gets_larger_chunks(field: Path, tmp_path: Path):
    target = tmp_path / "packed.nc"
    sizes = []
    for storage in ("local", "disk", "parallel-fs", "object-store"):
        pack(field, target, "--storage", storage, "--overwrite")
        sizes.append(4 * int(np.prod(chunks_of(target))))
    assert sizes == sorted(sizes) and sizes[0] < 1 << 18 and sizes[-1] >= 4 << 20


def test_without_reads_shapes_are_the_standard_ones(field: Path, tmp_path: Path):
    plain, axes = tmp_path / "plain.nc", tmp_path / "axes.nc"
    pack(field, plain)
    pack(field, axes, "--axes", "a=time", "--expected", "a=5000")
    assert plain.read_bytes() == axes.read_bytes()


def test_planning_is_told_as_a_part_of_packing(field: Path, tmp_path: Path):
    answer = frazil("pack", field, "-o", tmp_path / "out.nc", "--goal", "size", "--json")
    report = json.loads(answer.stdout)["reports"][0]
    assert 0 < report["planning_cpu_seconds"] < report["cpu_seconds"]
    assert 0 < report["planning_seconds"] < report["seconds"]


def test_a_plan_is_replayed_to_the_byte(field: Path, tmp_path: Path):
    plan, direct, replayed = (tmp_path / name for name in ("plan.json", "a.nc", "b.nc"))
    outcome = frazil("plan", field, "--reads", "map,series", "--json", plan)
    assert outcome.code == DONE, outcome.stderr
    pack(field, direct, "--reads", "map,series")
    pack(field, replayed, "--plan", plan, "--verify")
    assert direct.read_bytes() == replayed.read_bytes()


@pytest.mark.parametrize(
    "filters",
    [
        "shuffle+deflate(4)",
        "szip(8)",
        "bitshuffle",
        "blosc(zstd)",
        "delta+zstd(3)",
        "pcodec",
        "mafisc",
    ],
)
def test_a_plan_is_for_variables_of_other_types(tmp_path: Path, filters: str):
    values = np.random.default_rng(7).integers(0, 999, (60, 80))
    plan, level = tmp_path / "plan.json", ("--readable-by", "frazil")
    written = {}
    for name, dtype in ("a", "f4"), ("b", "f8"), ("c", "i2"):
        written[name] = values.astype(dtype)
        with netCDF4.Dataset(tmp_path / f"{name}.nc", "w") as file:
            for axis, extent in zip("yx", values.shape, strict=True):
                file.createDimension(axis, extent)
            file.createVariable("v", dtype, ("y", "x"))[:] = written[name]
    options = ("--filters", filters, *level, "--chunks", "y=30,x=40")
    outcome = frazil("plan", tmp_path / "a.nc", *options, "--json", plan)
    assert outcome.code == DONE, outcome.stderr
    for name in "bc":
        packed, plain = tmp_path / f"{name}_packed.nc", tmp_path / f"{name}_plain.nc"
        outcome = frazil("pack", tmp_path / f"{name}.nc", "-o", packed, "--plan", plan, *level)
        if outcome.code != DONE:
            assert "filters of the plan" in outcome.stderr, outcome.stderr
            continue
        assert frazil("unpack", packed, "-o", plain).code == DONE
        with netCDF4.Dataset(plain) as file:
            assert np.array_equal(file["v"][:], written[name]), name
        if filters.startswith(("shuffle", "szip")):
            with netCDF4.Dataset(packed) as file:
                assert np.array_equal(file["v"][:], written[name]), name


def test_a_forced_plan_is_replayed_to_the_byte(tmp_path: Path):
    source, plan = tmp_path / "a.nc", tmp_path / "plan.json"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("lat", 4000)
        variable = file.createVariable("v", "f4", ("lat",))
        variable.units = "degrees_north"
        variable[:] = np.random.default_rng(3).normal(20, 9, 4000)
    words = ("--digits", "3", "--force-precision")
    assert frazil("plan", source, *words, "--json", plan).code == DONE
    direct, replayed = tmp_path / "direct.nc", tmp_path / "replayed.nc"
    pack(source, direct, *words)
    pack(source, replayed, "--plan", plan)
    assert direct.read_bytes() == replayed.read_bytes()
    with netCDF4.Dataset(source) as a, netCDF4.Dataset(replayed) as b:
        assert not np.array_equal(a["v"][:], b["v"][:])


def test_a_plan_of_more_bits_than_a_type_has_keeps_it_exact(tmp_path: Path):
    values = np.random.default_rng(3).normal(280, 9, 4000)
    for name, dtype in ("a", "f8"), ("b", "f4"):
        with netCDF4.Dataset(tmp_path / f"{name}.nc", "w") as file:
            file.createDimension("x", values.size)
            file.createVariable("v", dtype, ("x",))[:] = values
    plan = tmp_path / "plan.json"
    for words in ("--bits", "v:40"), ("--digits", "v:12"):
        words = (*words, "--json", plan, "--overwrite")
        assert frazil("plan", tmp_path / "a.nc", *words).code == DONE
        outcome = pack(tmp_path / "b.nc", tmp_path / "c.nc", "--plan", plan, "--overwrite")
        assert "kept exact" in outcome.stderr
        with netCDF4.Dataset(tmp_path / "c.nc") as file:
            assert np.array_equal(file["v"][:], values.astype("f4"))


def test_a_planned_linear_grid_is_over_the_range_of_now(tmp_path: Path):
    plan = tmp_path / "plan.json"
    for name, scale in ("a", 1), ("b", 100):
        with netCDF4.Dataset(tmp_path / f"{name}.nc", "w") as file:
            file.createDimension("x", 4000)
            file.createVariable("v", "f4", ("x",))[:] = scale * np.linspace(1, 2, 4000)
    assert frazil("plan", tmp_path / "a.nc", "--nbits", "v:8", "--json", plan).code == DONE
    pack(tmp_path / "b.nc", tmp_path / "packed.nc", "--plan", plan, "--verify")
    with netCDF4.Dataset(tmp_path / "packed.nc") as file:
        assert np.abs(file["v"][:] - 100 * np.linspace(1, 2, 4000)).max() <= 100 / 255 / 2 * 1.0001


@pytest.mark.parametrize("word", ["--plan", "--precision", "--tree", "--calibration"])
def test_what_is_no_text_is_said_to_be_none(tmp_path: Path, word: str):
    target = tmp_path / "out.nc"
    outcome = frazil("pack", SAMPLE, "-o", target, word, SAMPLE)
    assert outcome.code == TROUBLE, outcome
    assert f"{SAMPLE}: is not UTF-8 text" in outcome.stderr, outcome.stderr
    assert not target.exists()


PLANNED = {
    "bits": ("--bits", "v:5"),
    "steps": ("--abs-error", "v:0.5"),
    "grid": ("--nbits", "v:8"),
    "integers": ("--pack-integers", "v:0.5"),
}


@pytest.mark.parametrize("precision", PLANNED)
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("v", {"_FillValue": np.float32(-999.9)}),
        ("v", {"missing_value": np.float32(-999.9)}),
        ("v", {"valid_min": np.float32(0)}),
        ("v", {"scale_factor": np.float32(10)}),
        ("v", {"units": "degrees_north"}),
        ("v", {"flag_values": np.float32([250, 300])}),
    ],
)
def test_a_plan_for_other_values_touches_none_that_must_stay(
    tmp_path: Path, precision: str, name: str, attributes: dict
):
    values = np.linspace(250, 310, 600, dtype="f4")
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("x", 600)
        file.createVariable(name, "f4", ("x",))[:] = values
    attributes = dict(attributes)
    fill = attributes.pop("_FillValue", None)
    with netCDF4.Dataset(tmp_path / "b.nc", "w") as file:
        file.createDimension("x", 600)
        variable = file.createVariable(name, "f4", ("x",), fill_value=fill)
        variable.setncatts(attributes)
        variable.set_auto_maskandscale(False)
        special = {**attributes, "_FillValue": fill}
        if special["_FillValue"] is not None or "missing_value" in special:
            values[::3] = -999.9
        if "valid_min" in special:
            values[::3] = -1
        variable[:] = values
    plan = tmp_path / "plan.json"
    outcome = frazil("plan", tmp_path / "a.nc", *PLANNED[precision], "--json", plan)
    assert outcome.code == DONE, outcome.stderr
    pack(tmp_path / "b.nc", tmp_path / "c.nc", "--plan", plan, "--allow-larger", "--verify")
    with netCDF4.Dataset(tmp_path / "b.nc") as a, netCDF4.Dataset(tmp_path / "c.nc") as b:
        before, after = a[name][:], b[name][:]
    assert np.array_equal(np.ma.getmaskarray(before), np.ma.getmaskarray(after))
    bound = {"bits": 310 / 64, "steps": 0.5, "grid": 0.2, "integers": 0.5}[precision]
    if not set(attributes) <= {"missing_value", "valid_min"}:
        bound = 0
    assert np.ma.max(np.abs(before - after)) <= bound


def test_decisions_are_shown_with_their_grounds(field: Path):
    outcome = frazil("plan", field, "--reads", "map,series")
    assert outcome.code == DONE
    for part in (
        "a (lat) 200 x b (lon) 96 x c (time) 144",
        "chosen",
        "existing",
        "best for map",
        "best for series",
        "filters tried",
        "shuffle+deflate(4)",
    ):
        assert part in outcome.stdout, outcome.stdout
    assert "/few" in outcome.stdout and "contiguous" in outcome.stdout


def test_every_variable_of_the_sample_has_a_decision():
    outcome = frazil("plan", SAMPLE, "--all-variables")
    assert outcome.code == DONE
    for name in ("/P ", "/QVAPOR ", "/XTIME "):
        assert name in outcome.stdout


def test_others_read_the_plan_in_their_words(field: Path, tmp_path: Path):
    plan = tmp_path / "plan.json"
    words = {
        style: frazil("plan", field, "--reads", "map,series", "--encoding", style).stdout
        for style in ("xarray", "nco", "nccopy", "nf90")
    }
    assert frazil("plan", field, "--reads", "map,series", "--json", plan).code == DONE
    document = json.loads(plan.read_text())
    chunk = next(one for one in document["variables"] if one["path"] == "/v")["layout"]["chunk"]
    encoding = ast.literal_eval(words["xarray"].removeprefix("encoding = "))
    assert encoding["v"]["chunksizes"] == tuple(chunk)
    assert f"chunksizes=[{','.join(map(str, reversed(chunk)))}]" in words["nf90"]
    for name, extent in zip("abc", chunk, strict=True):
        assert f"--cnk_dmn {name},{extent}" in words["nco"]
    target = tmp_path / "out.nc"
    command = words["nccopy"].replace("out.nc", str(target))
    outcome = tool("bash", "-c", command)
    assert outcome.returncode == 0, outcome.stderr
    assert chunks_of(target) == tuple(chunk)


@pytest.mark.parametrize("stated", [("--digits", "3"), ("--bits", "7")])
def test_others_round_as_planned(field: Path, tmp_path: Path, stated: tuple[str, str]):
    outcome = frazil("plan", field, *stated, "--encoding", "xarray")
    assert outcome.code == DONE and "no such rounding" not in outcome.stderr
    encoding = ast.literal_eval(outcome.stdout.removeprefix("encoding = "))
    with xr.open_dataset(field, engine="netcdf4", decode_cf=False) as data:
        data.load().to_netcdf(tmp_path / "theirs.nc", engine="netcdf4", encoding=encoding)
    assert frazil("pack", field, "-o", tmp_path / "ours.nc", *stated).code == DONE
    with (
        netCDF4.Dataset(field) as exact,
        netCDF4.Dataset(tmp_path / "theirs.nc") as theirs,
        netCDF4.Dataset(tmp_path / "ours.nc") as ours,
    ):
        assert not np.array_equal(theirs["v"][:], exact["v"][:])
        np.testing.assert_array_equal(theirs["v"][:], ours["v"][:])


@pytest.mark.parametrize(
    ("style", "stated"), [("xarray", ("--rel-error", "1e-3")), ("nccopy", ("--digits", "3"))]
)
def test_rounding_that_others_lack_is_named(field: Path, style: str, stated: tuple[str, str]):
    outcome = frazil("plan", field, *stated, "--encoding", style)
    assert outcome.code == DONE
    assert "has no such rounding; exact would stay: v" in outcome.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--reads", "maps"), "maps"),
        (("--reads", "map=0"), "weight"),
        (("--storage", "tape"), "tape"),
        (("--axes", "a=clock"), "clock"),
        (("--expected", "a=0"), "not a length"),
        (("--most-chunks", "0"), "most-chunks"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage(field: Path, words: tuple[str, ...], part: str):
    outcome = frazil("plan", field, *words)
    assert outcome.code == TROUBLE and part in outcome.stderr


def test_variables_that_others_cannot_name_are_told(tmp_path: Path):
    source = tmp_path / "groups.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("n", 50_000)
        for where in (file, file.createGroup("g")):
            where.createVariable("T", "f4", ("n",), zlib=True)[:] = np.arange(50_000) // 7
    outcome = frazil("plan", source, "--encoding", "xarray")
    assert outcome.code == DONE and '"T"' in outcome.stdout and "g/T" not in outcome.stdout
    assert "xarray cannot name here, left out: g/T" in outcome.stderr


def test_each_row_of_tried_filters_is_named_for_itself(field: Path):
    outcome = frazil("plan", field, "--goal", "archive")
    table = outcome.stdout.split("filters tried", 1)[1].split("\n\n", 1)[0]
    names = [line.strip().split("  ")[0] for line in table.splitlines()[2:]]
    assert len(set(names)) == len(names) > 8, names
    assert {"deflate(9)", "deflate(9) by libdeflate 11"} <= set(names)


def test_a_plan_is_written_to_a_device(field: Path):
    outcome = frazil("plan", field, "--json", "/dev/null")
    assert outcome.code == DONE, outcome.stderr
    assert Path("/dev/null").is_char_device()


def test_a_plan_does_not_replace_a_file_unasked(field: Path, tmp_path: Path):
    plan = tmp_path / "plan.json"
    plan.write_text("mine")
    assert frazil("plan", field, "--json", plan).code == TROUBLE
    assert plan.read_text() == "mine"
    assert frazil("plan", field, "--json", plan, "--overwrite").code == DONE
    assert frazil("plan", field, "--json", field, "--overwrite").code == TROUBLE


def test_a_calibration_is_kept_and_used(field: Path, tmp_path: Path):
    kept = tmp_path / "cache/frazil/calibration.json"
    outcome = frazil("calibrate")
    assert outcome.code == DONE and str(kept) in outcome.stdout, outcome.stderr
    assert "shuffle+deflate(1)" in outcome.stdout
    constants = json.loads(kept.read_text())
    assert constants["chunk_seconds"] > 0 and constants["decode_bytes_per_second"] > 1e6

    def planned(*words: object) -> str:
        outcome = frazil("plan", field, "--reads", "map,series", *words)
        assert outcome.code == DONE, outcome.stderr
        return outcome.stdout.rsplit("planned in", 1)[0]

    # A reader for whom chunks are dear wants fewer of them.
    kept.write_text(json.dumps(constants | {"chunk_seconds": 0.01}))
    assert planned() != planned("--calibration", "default")
    assert planned() == planned("--calibration", kept)
    kept.write_text("nonsense")
    outcome = frazil("plan", field)
    assert outcome.code == FAILED and "frazil calibrate" in outcome.stderr
    assert frazil("plan", field, "--calibration", "default").code == DONE


def test_storage_and_network_are_measured_or_stated(field: Path, tmp_path: Path):
    shared = tmp_path / "shared"
    shared.mkdir()
    kept = tmp_path / "measured.json"
    words = ("--shared", shared, "--network", "25Gbit/s", "-o", kept)
    outcome = frazil("calibrate", *words, "--json")
    assert outcome.code == DONE, outcome.stderr
    (found,) = outcome.report["reports"]
    assert found == json.loads(kept.read_text())
    assert found["network_bytes_per_second"] == 3.125e9
    sources = {"local": "page_cache", "parallel_fs": {"measured": str(shared)}}
    defaults = {"disk": "default", "object_store": "default"}
    assert found["sources"] == sources | defaults | {"network": "stated"}
    speed = found["parallel_fs"]
    assert speed["store_bytes_per_second"] > 1e5 and speed["fetch_bytes_per_second"] > 1e5
    assert list(shared.iterdir()) == []

    # Where the file is named, a word stands for the speed of writing, or that of reading.
    found["parallel_fs"] |= {"store_bytes_per_second": 30e6, "fetch_bytes_per_second": 90e6}
    kept.write_text(json.dumps(found))
    floors = ("--goal", "archive", "--min-write-speed", "shared", "--min-read-speed", "shared")
    plan = frazil("plan", field, *floors, "--calibration", kept)
    assert plan.code == DONE, plan.stderr
    said = " ".join(plan.stdout.split())
    assert "write floor of 30 MB/s (shared)" in said and "read floor of 90 MB/s (shared)" in said


def test_a_calibration_says_what_nobody_measured(tmp_path: Path):
    outcome = frazil("calibrate", "-o", tmp_path / "kept.json", "--local", tmp_path)
    assert outcome.code == DONE, outcome.stderr
    rows = {line.split("  ")[0]: line for line in outcome.stdout.splitlines()}
    assert "measured in" in rows["local"]
    assert "default, not measured" in rows["shared (parallel-fs)"]
    # As the machine of the tests has it.
    assert any(words in rows["network"] for words in ("link speed of", "default, not measured"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--network", "network"), "not a speed in numbers"),
        (("--network", "25"), "not a speed"),
        (("--network", "-1Gbit/s"), "not a speed"),
        (("--shared", "no/such/folder"), "in which you may write"),
        (("--local", "no/such/folder"), "in which you may write"),
    ],
)
def test_what_cannot_be_measured_is_refused(tmp_path: Path, words: tuple[str, ...], said: str):
    kept = tmp_path / "kept.json"
    outcome = frazil("calibrate", "-o", kept, *words)
    assert outcome.code != DONE and said in outcome.stderr
    assert not kept.exists()


@pytest.mark.parametrize("name", ["plan.svg", "plan.html"])
def test_what_was_compared_is_drawn(field: Path, tmp_path: Path, name: str):
    target = tmp_path / name
    result = frazil("plan", field, "--reads", "map,series", "--plot", target)
    assert result.code == DONE, result.stderr
    text = target.read_text()
    assert text.startswith("<!DOCTYPE html>" if name.endswith("html") else "<svg")
    assert "reads by chunk shape" in text and "shuffle+deflate" in text
    refused = frazil("plan", field, "--plot", tmp_path / "plan.nc")
    assert refused.code == TROUBLE and ".svg or .html" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--lossless", "t"],
        ["--lossless", "t", "--abs-error", "0.5"],
        ["--lossless-range", "0..5"],
        ["--special", "1.2345"],
        ["--abs-error", "t:1e-30"],
    ],
)
def test_what_stays_exact_stays_so_beside_a_plan_that_rounds(tmp_path: Path, words: list[str]):
    source, plan, output = tmp_path / "in.nc", tmp_path / "plan.json", tmp_path / "out.nc"
    values = np.random.default_rng(5).normal(3, 2, (60, 80)).astype("f4")
    values[::7, ::5] = 1.2345
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("y", 60)
        file.createDimension("x", 80)
        file.createVariable("t", "f4", ("y", "x"))[:] = values
    assert frazil("plan", source, "--abs-error", "0.01", "--json", plan, "-q").code == DONE
    outcome = frazil("pack", source, "-o", output, "--plan", plan, *words)
    assert outcome.code == DONE, outcome.stderr
    with netCDF4.Dataset(output) as file:
        found = np.asarray(file["t"][:])
    stays = {
        "--lossless-range": (values >= 0) & (values <= 5),
        "--special": values == np.float32(1.2345),
    }.get(words[0], np.ones(values.shape, bool))
    assert (found[stays] == values[stays]).all()
    # The plan rounds what is left.
    assert (found != values).any() == (not stays.all())
    assert np.abs(found - values).max() <= 0.01


def test_a_plan_carries_the_layout_of_the_file(tmp_path: Path):
    source, plan, output = tmp_path / "in.nc", tmp_path / "plan.json", tmp_path / "out.nc"
    make.cmip_like(source)
    assert frazil("plan", source, "--layout", "cmip7", "--json", plan, "-q").code == DONE
    assert json.loads(plan.read_text())["layout"] == "cmip7"
    pack(source, tmp_path / "stated.nc", "--layout", "cmip7")
    pack(source, output, "--plan", plan)
    assert output.read_bytes() == (tmp_path / "stated.nc").read_bytes()
    pack(source, output, "--plan", plan, "--layout", "standard", "--overwrite")
    assert output.read_bytes() != (tmp_path / "stated.nc").read_bytes()


def test_a_plan_is_refused_that_stated_readers_cannot_read(field: Path, tmp_path: Path):
    plan, output = tmp_path / "plan.json", tmp_path / "out.nc"
    words = ("--readable-by", "plugins", "--filters", "zstd", "--json", plan, "-q")
    assert frazil("plan", field, *words).code == DONE
    refused = frazil("pack", field, "-o", output, "--plan", plan, "--readable-by", "any")
    assert refused.code == FAILED and not output.exists()
    assert "the plan stores /v with zstd" in refused.stderr and "or make a plan" in refused.stderr
    # What a plan stores is allowed where nothing else is stated.
    pack(field, output, "--plan", plan)
    pack(field, output, "--plan", plan, "--readable-by", "plugins", "--overwrite")
