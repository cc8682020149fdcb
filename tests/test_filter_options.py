"""Speeds, filters and tolerances requested by variable, and on the command line."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import make
from support.command import DONE, FAILED, TROUBLE, frazil, pack
from support.precision import write_rules

pytestmark = pytest.mark.sampled(one_in=2)

DEFLATE, SHUFFLE, BZIP2, LZ4, ZSTD = 1, 2, 307, 32004, 32015
PLUGINS = ("--readable-by", "plugins")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("requests") / "source.h5"
    field = make.field(400, 300, dtype="f4")
    noise = np.random.default_rng(1).random((400, 300), dtype="f4")
    with h5py.File(path, "w") as file:
        file.create_dataset("smooth", data=field, chunks=(100, 300))
        file.create_dataset("steps", data=(field * 10).astype("i4"), chunks=(100, 300))
        file.create_dataset("noisy", data=field + noise, chunks=(100, 300))
    return path


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was measured on the machine of the tests is not theirs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def planned(path: Path, folder: Path, *options: str | Path) -> dict[str, dict]:
    """The plan's variables by path."""
    file = folder / "plan.json"
    outcome = frazil("plan", path, "--json", file, "--overwrite", *options)
    assert outcome.code == DONE, outcome.stderr
    return {variable["path"]: variable for variable in json.loads(file.read_text())["variables"]}


def filters(variable: dict) -> list[int]:
    return [stage["id"] for stage in variable["pipeline"]]


def requested(folder: Path, *rules: dict) -> tuple[str | Path, ...]:
    return ("--precision", write_rules(folder / "rules.toml", *rules))


def test_speeds_of_a_file_hold_for_the_variables_it_names(source: Path, tmp_path: Path):
    requests = requested(
        tmp_path,
        {"variables": "*", "min_write_speed": "2GB/s"},
        {"variables": "steps", "min_write_speed": 1},
    )
    archive = (*PLUGINS, "--goal", "archive")
    plan = planned(source, tmp_path, *archive, *requests)
    for name in ("/smooth", "/noisy"):
        assert "write floor of 2000 MB/s from rules" in plan[name]["reason"]
        for stage in plan[name]["pipeline"]:
            assert stage["id"] != BZIP2
            assert stage["id"] != ZSTD or stage["cd_values"][0] <= 3
    assert "write floor of 1 MB/s from rules" in plan["/steps"]["reason"]
    # So slow a floor is none.
    assert plan["/steps"]["pipeline"] == planned(source, tmp_path, *archive)["/steps"]["pipeline"]
    shown = frazil("plan", source, *archive, *requests).stdout
    assert "write floor of 2000 MB/s from rules" in " ".join(shown.split())


def test_words_stand_for_the_same_speed_unless_one_is_measured(source: Path, tmp_path: Path):
    requests = requested(
        tmp_path, {"variables": "*", "min_write_speed": "network", "min_read_speed": "0.5*shared"}
    )
    plan = planned(source, tmp_path, *requests)
    floors = "write floor of 1250 MB/s (network) from rules"
    floors += ", read floor of 400 MB/s (0.5*shared) from rules"
    assert all(floors in variable["reason"] for variable in plan.values())
    # No deflate is as fast.
    assert all(variable["pipeline"] == [] for variable in plan.values())
    # Not even a calibration of this machine changes that, unless it is named.
    calibration = tmp_path / "cache/frazil/calibration.json"
    calibration.parent.mkdir(parents=True)
    calibration.write_text(json.dumps({"network_bytes_per_second": 20e6}))
    assert planned(source, tmp_path, *requests) == plan
    slow = planned(source, tmp_path, *requests, "--calibration", calibration)
    assert "write floor of 20 MB/s (network) from rules" in slow["/smooth"]["reason"]
    assert DEFLATE in filters(slow["/smooth"])


def test_a_floor_for_reading_is_an_option_too(source: Path, tmp_path: Path):
    archive = (*PLUGINS, "--goal", "archive")
    plan = planned(source, tmp_path, *archive, "--min-read-speed", "3GB/s")
    for variable in plan.values():
        assert "read floor of 3000 MB/s as asked" in variable["reason"]
        assert not {BZIP2, DEFLATE} & set(filters(variable))
    # The command line goes before a file.
    requests = requested(tmp_path, {"variables": "*", "min_read_speed": "4GB/s"})
    both = planned(source, tmp_path, *archive, *requests, "--min-read-speed", "local")
    assert all("2000 MB/s (local) as asked" in one["reason"] for one in both.values())


def test_what_is_read_too_slowly_is_not_kept(source: Path, tmp_path: Path):
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    pack(source, first, *PLUGINS, "--filters", "bzip2")
    with h5py.File(first) as file:
        assert str(BZIP2) in file["smooth"]._filters
    archive = (*PLUGINS, "--goal", "archive", "--keep-chunks")
    pack(first, second, *archive, "--min-read-speed", "1GB/s")
    with h5py.File(second) as file:
        assert all(str(BZIP2) not in file[name]._filters for name in file)
    assert frazil("verify", source, second).code == DONE


def test_filters_can_be_requested_by_variable(source: Path, tmp_path: Path):
    requests = requested(
        tmp_path,
        {"variables": "*", "min_write_speed": 400, "ratio_tolerance_percent": 2},
        {"variables": "steps", "filters": "shuffle+lz4"},
    )
    plan = planned(source, tmp_path, *PLUGINS, *requests)
    assert filters(plan["/steps"]) == [SHUFFLE, LZ4]
    assert "shuffle+lz4: from rules, " in plan["/steps"]["reason"]
    assert "write floor of 400 MB/s from rules" in plan["/smooth"]["reason"]
    # A plan keeps them without the requests; a rule goes before a plan.
    packed, again = tmp_path / "packed.h5", tmp_path / "again.h5"
    pack(source, packed, *PLUGINS, "--plan", tmp_path / "plan.json")
    rule = requested(tmp_path, {"variables": "steps", "filters": "none"})
    pack(source, again, *PLUGINS, "--plan", tmp_path / "plan.json", *rule)
    for path, wanted in ((packed, {"shuffle", str(LZ4)}), (again, set())):
        with h5py.File(path) as file:
            assert set(file["steps"]._filters) == wanted
        assert frazil("verify", source, path).code == DONE
    # What the command line states goes before the file.
    requests = requested(tmp_path, {"variables": "steps", "filters": "shuffle+lz4"})
    plan = planned(source, tmp_path, *requests, "--filters", "shuffle+deflate(1)")
    assert filters(plan["/steps"]) == [SHUFFLE, DEFLATE]


def test_filters_that_readers_lack_are_refused(source: Path, tmp_path: Path):
    requests = requested(tmp_path, {"variables": "steps", "filters": "shuffle+lz4"})
    target = tmp_path / "out.h5"
    outcome = frazil("pack", source, "-o", target, "--json", *requests)
    assert outcome.code == FAILED and not target.exists()
    (error,) = outcome.errors
    assert error["variable"] == "/steps" and error["file"] == str(source)
    assert "shuffle+lz4" in error["cause"] and "plugins" in error["cure"]
    assert "options" in error["cure"]


def test_what_differs_less_than_a_tolerance_is_taken_fast(source: Path, tmp_path: Path):
    archive = (*PLUGINS, "--goal", "archive")
    exact = planned(source, tmp_path, *archive)
    near = planned(source, tmp_path, *archive, "--ratio-tolerance", "60%")
    for name, variable in near.items():
        assert "within 60 % of the" in variable["reason"], variable["reason"]
        assert variable["predicted_bytes"] >= exact[name]["predicted_bytes"]
        assert 0.4 * variable["predicted_bytes"] <= 1.01 * exact[name]["predicted_bytes"]
    assert any(near[name]["pipeline"] != exact[name]["pipeline"] for name in near)
    requests = requested(tmp_path, {"variables": "*", "ratio_tolerance_percent": 60})
    by_file = planned(source, tmp_path, *archive, *requests)
    assert by_file == near
    energy = planned(source, tmp_path, *PLUGINS, "--goal", "energy", "--ratio-tolerance", "5%")
    assert any("of the joules" in one["reason"] for one in energy.values())
    # Noise that hardly shrinks is not worth it.
    none = planned(source, tmp_path, *archive, "--ratio-tolerance", "0.9")
    assert none["/noisy"]["pipeline"] == [] and "within 90 %" in none["/noisy"]["reason"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"min_write_speed": "soon"}, "is not a speed"),
        ({"min_write_speed": 0}, "above 0 MB/s"),
        ({"min_read_speed": -3.5}, "above 0 MB/s"),
        ({"min_read_speed": "0MB/s"}, "is not a speed"),
        ({"min_read_speed": "-1*network"}, "is not a speed"),
        ({"min_write_speed": True}, "a number of MB/s"),
        ({"ratio_tolerance_percent": 100}, "from 0 to below 100"),
        ({"ratio_tolerance_percent": -1}, "from 0 to below 100"),
        ({"filters": "zip"}, "zip"),
        ({"filters": "shuffle+deflate(1)", "min_write_speed": 3}, "leaves nothing to choose"),
        ({"compression_speed": 3}, "`min_write_speed`"),
    ],
)
def test_requests_that_cannot_be_are_named(source: Path, tmp_path: Path, rule: dict, words: str):
    requests = requested(
        tmp_path, {"variables": "*", "significant_digits": 5}, {"variables": "a"} | rule
    )
    outcome = frazil("pack", source, "-o", tmp_path / "out.h5", "--json", *requests)
    assert outcome.code == TROUBLE
    (error,) = outcome.errors
    assert error["file"] == str(tmp_path / "rules.toml")
    assert "rule 2" in error["cause"] and words in error["cause"]


@pytest.mark.parametrize(
    "words",
    [
        ("--min-read-speed", "fast"),
        ("--min-read-speed", "0MB/s"),
        ("--min-write-speed", "-400MB/s"),
        ("--ratio-tolerance", "100%"),
        ("--ratio-tolerance", "-0.1"),
        ("--ratio-tolerance", "some"),
        ("--ratio-tolerance", "3%", "--level", "4"),
        ("--min-read-speed", "1GB/s", "--filters", "deflate(1)"),
    ],
)
def test_words_that_cannot_be_are_refused(source: Path, tmp_path: Path, words: tuple[str, ...]):
    outcome = frazil("pack", source, "-o", tmp_path / "out.h5", *words)
    assert outcome.code == TROUBLE and words[0] in outcome.stderr


def test_variables_that_are_not_there_are_told(source: Path, tmp_path: Path):
    requests = requested(tmp_path, {"variables": ["smooth", "rough"], "min_write_speed": "local"})
    outcome = pack(source, tmp_path / "out.h5", *requests)
    assert "no variable is named `rough`" in outcome.stderr + outcome.stdout


def test_decisions_are_written_as_requests_that_decide_so_again(source: Path, tmp_path: Path):
    requests = requested(
        tmp_path,
        {"variables": "s*", "significant_digits": 3, "min_write_speed": "0.5*local"},
        {"variables": "noisy", "filters": "shuffle+deflate(2)"},
    )
    first = planned(source, tmp_path, *requests, "--write-precision", tmp_path / "decided.toml")
    text = (tmp_path / "decided.toml").read_text()
    assert 'min_write_speed = "0.5*local"' in text and 'filters = "shuffle+deflate(2)"' in text
    assert planned(source, tmp_path, "--precision", tmp_path / "decided.toml") == first
    refused = frazil("plan", source, *requests, "--write-precision", tmp_path / "decided.toml")
    assert refused.code == TROUBLE
