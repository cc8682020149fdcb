"""What users state about precision, what is refused, and that decisions can be replayed."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import make
from support.command import DONE, FAILED, SAMPLE, TROUBLE, frazil, pack
from support.precision import notices, pack_by_rules, precision_of, statement, write_rules

COORDINATES = ("time", "lat", "lon", "lev", "lat2d", "forecast_time", "north")
BOUNDS = ("lat_bnds", "climatology_bnds")
TERMS = ("ap", "b", "ps")
MEASURES = ("areacella",)
MAPPINGS = ("crs",)
FIELDS = ("tas", "ta")
INTEGERS = ("mask", "packed")

REFUSED = {
    "coordinates": COORDINATES,
    "bounds of coordinates": BOUNDS,
    "terms of a vertical coordinate's formula": TERMS,
    "cell measures": MEASURES,
    "grid mappings": MAPPINGS,
    "integers": INTEGERS,
}


def model_output(path: Path, **attributes: str) -> Path:
    """Fields, and everything by which CF lets other variables be understood; all but integers
    hold numbers with many digits."""
    sizes = {"time": 4, "lev": 5, "lat": 12, "lon": 16, "bnds": 2}
    shapes = {
        "time": ("time",),
        "lev": ("lev",),
        "lat": ("lat",),
        "lon": ("lon",),
        "lat_bnds": ("lat", "bnds"),
        "climatology_bnds": ("time", "bnds"),
        "ap": ("lev",),
        "b": ("lev",),
        "ps": ("time", "lat", "lon"),
        "areacella": ("lat", "lon"),
        "lat2d": ("lat", "lon"),
        "forecast_time": (),
        "north": ("lat",),
        "crs": (),
        "tas": ("time", "lat", "lon"),
        "ta": ("time", "lev", "lat", "lon"),
        "mask": ("lat", "lon"),
        "packed": ("lat", "lon"),
    }
    texts = {
        "time": {"units": "days since 2000-01-01", "climatology": "climatology_bnds"},
        "lat": {"bounds": "lat_bnds"},
        "lev": {"axis": "Z", "formula_terms": "ap: ap b: b ps: ps"},
        "north": {"units": "degrees_north"},
        "tas": {
            "coordinates": "lat2d forecast_time",
            "cell_measures": "area: areacella",
            "grid_mapping": "crs",
        },
    }
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(attributes)
        for name, size in sizes.items():
            file.createDimension(name, size)
        for name, dimensions in shapes.items():
            dtype = "i2" if name in INTEGERS else "f8"
            variable = file.createVariable(name, dtype, dimensions)
            variable.setncatts(texts.get(name, {}))
            variable[...] = make.field(*variable.shape or (1,), dtype=dtype).reshape(variable.shape)
        file["packed"].scale_factor = 0.01
    return path


def contents(path: Path) -> dict[str, np.ndarray]:
    with h5py.File(path) as file:
        return {name: file[name][...] for name in file if file[name].dtype.kind in "fiu"}


def changed(source: Path, packed: Path) -> set[str]:
    before, after = contents(source), contents(packed)
    return {name for name in before if (before[name] != after[name]).any()}


def test_what_others_are_understood_by_is_refused_in_one_line_each(tmp_path: Path):
    source = model_output(tmp_path / "source.nc")
    outcome = pack(source, tmp_path / "packed.nc", "--digits", 3)
    assert changed(source, tmp_path / "packed.nc") == set(FIELDS)
    for name in set().union(*REFUSED.values()):
        assert statement(tmp_path / "packed.nc", name) == {}
    told = {}
    for line in notices(outcome):
        if line.startswith("kept exact: "):
            reason, names = line.removeprefix("kept exact: ").rsplit(": ", 1)
            told[reason] = set(names.split(", "))
    assert told == {reason: set(names) for reason, names in REFUSED.items()}


def test_force_rounds_all_but_integers(tmp_path: Path):
    source = model_output(tmp_path / "source.nc")
    outcome = pack(source, tmp_path / "packed.nc", "--digits", 2, "--force-precision")
    forced = set(FIELDS).union(*REFUSED.values()) - set(INTEGERS)
    assert changed(source, tmp_path / "packed.nc") == forced
    lines = [line for line in notices(outcome) if "kept exact" in line]
    assert len(lines) == 1 and "integers: mask, packed" in lines[0]


def test_one_refused_variable_can_be_forced_by_a_rule(tmp_path: Path):
    source = model_output(tmp_path / "source.nc")
    rules = [
        {"variables": "*", "significant_digits": 2},
        {"variables": "lat2d", "force": True},
    ]
    pack_by_rules(source, tmp_path / "packed.nc", *rules)
    assert changed(source, tmp_path / "packed.nc") == {*FIELDS, "lat2d"}


RESTARTS = [
    ("ocean.res.nc", {}),
    ("wrfrst_d01_2000-01-24_12:00:00", {}),
    ("case.cam.r.2000-01-01-00000.nc", {}),
    ("MODEL_RESTART.nc", {}),
    ("icon_rst.nc", {}),
    ("any.nc", {"title": "A restart file of the ocean"}),
]


@pytest.mark.parametrize(("name", "attributes"), RESTARTS, ids=[name for name, _ in RESTARTS])
def test_files_that_look_like_restarts_stay_exact(
    tmp_path: Path, name: str, attributes: dict[str, str]
):
    source = model_output(tmp_path / name, **attributes)
    outcome = pack(source, tmp_path / "packed.out", "--digits", 3)
    assert changed(source, tmp_path / "packed.out") == set()
    (line,) = [line for line in notices(outcome) if "restart" in line]
    assert "tas" in line
    pack(source, tmp_path / "forced.out", "--digits", 3, "--force-precision")
    assert set(FIELDS) <= changed(source, tmp_path / "forced.out")


@pytest.mark.parametrize("name", ["results.nc", "prestige.nc", "pr_r1i1p1f1.nc", "first.nc"])
def test_other_files_do_not_look_like_restarts(tmp_path: Path, name: str):
    source = model_output(tmp_path / name)
    pack(source, tmp_path / "packed.out", "--digits", 3)
    assert changed(source, tmp_path / "packed.out") == set(FIELDS)


# The words of the command line.


def several(path: Path) -> Path:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 400)
        for name in ("tas", "tasmin", "pr"):
            file.createVariable(name, "f4", ("x",))[:] = make.field(400)
        inner = file.createGroup("inner")
        for name in ("tas", "ua"):
            inner.createVariable(name, "f8", ("x",))[:] = make.field(400, dtype="f8")
    return path


def roundings(source: Path, target: Path, *options: object) -> dict[str, str | None]:
    """The rounding of each variable as `--json` reports it, without the leading slash."""
    outcome = pack(source, target, "--json", *options)
    paths = [one["path"] for one in outcome.report["reports"][0]["variables"]]
    found = {path: precision_of(outcome, path) for path in paths}
    return {path[1:]: one and one["rounding"] for path, one in found.items()}


def test_words_mean_all_variables_or_named_ones(tmp_path: Path):
    source = several(tmp_path / "source.nc")
    options = ("--digits", 3, "--bits", "inner/ua:30", "--lossless", "pr,tasmin")
    assert roundings(source, tmp_path / "packed.nc", *options) == {
        "tas": "granular_bitround(3)",
        "tasmin": None,
        "pr": None,
        "inner/tas": "granular_bitround(3)",
        # Both hold: three digits need 10 bits, 30 are finer.
        "inner/ua": "bitround(30)",
    }
    options = ("--nbits", "/tas*:12", "--rel-error", "/inner/*:0.1%", "--abs-error", "pr:2.5")
    assert roundings(source, tmp_path / "other.nc", *options) == {
        "tas": "linear(12)",
        "tasmin": "linear(12)",
        "pr": "bitround(by value)",
        "inner/tas": "bitround(by chunk)",
        "inner/ua": "bitround(by chunk)",
    }


def test_the_words_of_rules_on_the_command_line(tmp_path: Path):
    chance = np.random.default_rng(3)
    values = chance.uniform(-50, 50, 3000)
    values[::7] = 12.345678
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["v"] = values
    words = ("--rel-error", "1%", "--finest-abs-error", 0.125, "--lossless-range", "-5..5")
    words += ("--lossless-range", "40..", "--special", "12.345678,-999")
    pack(tmp_path / "source.h5", tmp_path / "packed.h5", *words)
    found = contents(tmp_path / "packed.h5")["v"]
    exact = (np.abs(values) <= 5) | (values >= 40) | (values == 12.345678)
    assert (found[exact] == values[exact]).all()
    assert (np.abs(found - values) <= np.maximum(0.01 * np.abs(values), 0.125)).all()
    assert (found != values)[~exact].mean() > 0.9
    stated = statement(tmp_path / "packed.h5", "v")
    assert stated["quantization_maximum_relative_error"] == 0.01
    assert stated["quantization_finest_absolute_error"] == 0.125


def test_a_dry_run_tells_the_rounding_and_writes_nothing(tmp_path: Path):
    source = several(tmp_path / "source.nc")
    outcome = frazil("pack", source, "--dry-run", "--digits", 3, "--json")
    assert outcome.code == DONE, outcome.stderr
    assert precision_of(outcome, "/tas")["rounding"] == "granular_bitround(3)"
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]


def test_the_table_shows_roundings_and_errors(tmp_path: Path):
    outcome = pack(SAMPLE, tmp_path / "packed.nc", "--bits", 9)
    lines = [line for line in outcome.stdout.splitlines() if line.startswith("/T ")]
    assert any("bitround(9)" in line for line in lines), outcome.stdout


BAD_WORDS = [
    ("--digits", "0"),
    ("--digits", "-1"),
    ("--digits", "2.5"),
    ("--digits", "tas:"),
    ("--digits", "18"),
    ("--bits", "0"),
    ("--bits", "53"),
    ("--bits", "many"),
    ("--nbits", "32"),
    ("--nbits", "0"),
    ("--abs-error", "-0.1"),
    ("--abs-error", "0"),
    ("--abs-error", "nan"),
    ("--abs-error", "inf"),
    ("--rel-error", "-1%"),
    ("--rel-error", "nan"),
    ("--keep-information", "1.01"),
    ("--keep-information", "0"),
    ("--keep-information", "nan"),
    ("--quantizer", "zfp"),
    ("--lossless-range", "5..1"),
    ("--digits", "a[:3"),
]


@pytest.mark.parametrize(("option", "value"), BAD_WORDS)
def test_words_without_sense_are_named_and_nothing_is_written(
    tmp_path: Path, option: str, value: str
):
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "packed.nc", option, value)
    assert outcome.code in (FAILED, TROUBLE)
    assert "error" in outcome.stderr and "panic" not in outcome.stderr
    assert value.split(":")[0] in outcome.stderr or option[2:] in outcome.stderr
    assert list(tmp_path.iterdir()) == []


CONTRADICTIONS = [
    ("--nbits", 8, "--digits", 3),
    ("--quantizer", "bitgroom", "--abs-error", 1),
    ("--quantizer", "linear", "--digits", 3),
    ("--quantizer", "granular-bitround", "--bits", 3),
    ("--abs-error", 1, "--finest-abs-error", 0.5),
    ("--digits", 3, "--digits", 4),
]


@pytest.mark.parametrize("options", CONTRADICTIONS, ids=lambda options: " ".join(map(str, options)))
def test_contradictions_are_refused(tmp_path: Path, options: tuple):
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "packed.nc", *options)
    assert outcome.code in (FAILED, TROUBLE)
    assert "error" in outcome.stderr
    assert list(tmp_path.iterdir()) == []


# Rules in files.


def test_rules_hold_key_by_key_and_later_ones_win(tmp_path: Path):
    source = several(tmp_path / "source.nc")
    rules = [
        {"variables": ["**"], "significant_digits": 3},
        {"variables": ["tas*", "nothing*"], "algorithm": "bitgroom"},
        {"variables": "tasmin", "significant_digits": 5},
        {"variables": "/inner/*", "lossless": True},
        {"variables": "inner/ua", "significant_bits": 20},
    ]
    outcome = pack_by_rules(source, tmp_path / "packed.nc", *rules, options=("--json",))
    rounding = {
        path: one and one["rounding"]
        for path in ("/tas", "/tasmin", "/pr", "/inner/tas", "/inner/ua")
        for one in [precision_of(outcome, path)]
    }
    assert rounding == {
        "/tas": "bitgroom(3)",
        "/tasmin": "bitgroom(5)",
        "/pr": "granular_bitround(3)",
        "/inner/tas": None,
        "/inner/ua": "bitround(20)",
    }
    told = outcome.report["reports"][0]["notices"]
    assert [line for line in told if "nothing*" in line], told


def test_tables_of_names_override_patterns_wherever_they_stand(tmp_path: Path):
    source = several(tmp_path / "source.nc")
    file = tmp_path / "rules.toml"
    file.write_text(
        "[variables.tasmin]\nsignificant_digits = 5\n"
        '[variables."tas*"]\nlossless = true\n[variables."*"]\nsignificant_digits = 2\n'
    )
    found = roundings(source, tmp_path / "packed.nc", "--precision", file)
    assert found["tasmin"] == "granular_bitround(5)" and found["pr"] == "granular_bitround(2)"
    assert not found.get("tas")
    options = ("--digits", "tas:4", "--digits", "tas*:3")
    found = roundings(source, tmp_path / "again.nc", *options)
    assert (found["tas"], found["tasmin"]) == ("granular_bitround(4)", "granular_bitround(3)")


def test_the_command_line_comes_after_the_file(tmp_path: Path):
    source = several(tmp_path / "source.nc")
    file = write_rules(tmp_path / "rules.toml", {"variables": "*", "significant_digits": 2})
    options = ("--precision", file, "--digits", "tas:4")
    found = roundings(source, tmp_path / "packed.nc", *options)
    assert (found["tas"], found["pr"]) == ("granular_bitround(4)", "granular_bitround(2)")


def test_an_unmatched_pattern_is_told(tmp_path: Path):
    source = several(tmp_path / "source.nc")
    outcome = pack(source, tmp_path / "packed.nc", "--digits", "tsa*:3")
    assert [line for line in notices(outcome) if "tsa" in line]
    assert not [line for line in notices(outcome) if "kept exact" in line]


MISTAKES = {
    "unknown key": ('[[rule]]\nvariables = ["*"]\ndigits = 3', "digits"),
    "no variables": ("[[rule]]\nsignificant_digits = 3", "variables"),
    "not a list": ('[[rule]]\nvariables = "tas"\nsignificant_digits = 3', "variables"),
    "a bad glob": ('[[rule]]\nvariables = ["ta["]\nsignificant_digits = 3', "ta["),
    "a text": ('[[rule]]\nvariables = ["*"]\nsignificant_digits = "three"', "rule 1"),
    "not positive": ('[[rule]]\nvariables = ["*"]\nabsolute_tolerance = -1.0', "absolute"),
    "another table": ('[[rules]]\nvariables = ["*"]', "rules"),
    "no TOML": ("significant digits: 3", "TOML"),
    "an algorithm": ('[[rule]]\nvariables = ["*"]\nalgorithm = "zfp"', "zfp"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_file_are_named(tmp_path: Path, mistake: str):
    text, word = MISTAKES[mistake]
    (tmp_path / "rules.toml").write_text(text)
    options = ("--precision", tmp_path / "rules.toml")
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "packed.nc", *options)
    assert outcome.code in (FAILED, TROUBLE)
    assert word in outcome.stderr, outcome.stderr
    assert not (tmp_path / "packed.nc").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    options = ("--precision", tmp_path / "nowhere.toml")
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "packed.nc", *options)
    assert outcome.code in (FAILED, TROUBLE) and "nowhere.toml" in outcome.stderr


STATED = {
    "digits": ("--digits", 3),
    "bits and lossless": ("--bits", 7, "--lossless", "Q*"),
    "bounds": ("--rel-error", 1e-3, "--abs-error", "T:0.01", "--special", "T:0.5"),
    "nbits": ("--nbits", 10, "--lossless-range", "0..1e-3"),
    "bitgroom": ("--digits", 4, "--quantizer", "bitgroom"),
    "floor": ("--rel-error", 1e-3, "--finest-abs-error", 1e-6),
    "forced": ("--digits", 3, "--force-precision"),
}


@pytest.mark.parametrize("stated", STATED)
def test_written_decisions_give_the_same_file_again(tmp_path: Path, stated: str):
    written = tmp_path / "decided.toml"
    first, second = tmp_path / "first.nc", tmp_path / "second.nc"
    pack(SAMPLE, first, *STATED[stated], "--write-precision", written)
    pack(SAMPLE, second, "--precision", written)
    assert second.read_bytes() == first.read_bytes()
    assert first.read_bytes() != pack_exact(tmp_path).read_bytes()


def pack_exact(folder: Path) -> Path:
    pack(SAMPLE, folder / "exact.nc")
    return folder / "exact.nc"
