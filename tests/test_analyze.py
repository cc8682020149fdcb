"""`frazil analyze` measures the information in bits as xbitinfo does, and is not fooled."""

import json
import xml.etree.ElementTree as xml
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import make
from support.command import DONE, FAILED, SAMPLE, TROUBLE, frazil, pack
from support.information import analysed_fields
from support.precision import statement
from support.rounding import bitround

GOLDEN = json.loads((Path(__file__).parent / "golden/xbitinfo.json").read_text())
KEYS = {
    "path",
    "element",
    "shape",
    "axis",
    "pairs",
    "masked",
    "information",
    "origin",
    "keep_information",
    "significant_bits",
    "preserved_information",
    "relative_bound",
    "reason",
}


def analyze(path: Path, *options: object) -> dict[str, dict]:
    """What `--json` says, by the variables' names."""
    outcome = frazil("analyze", path, "--json", *options)
    assert outcome.code == DONE, outcome.stderr
    (report,) = outcome.report["reports"]
    return {one["path"].lstrip("/"): one for one in report["variables"]}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clean") / "clean.h5"
    with h5py.File(path, "w") as file:
        for name, values in analysed_fields().items():
            file.create_dataset(name, data=values, chunks=True)
    return path


def test_information_is_xbitinfos(clean: Path):
    found = analyze(clean)
    assert set(found) == set(GOLDEN["information"])
    for name, one in found.items():
        axis, _ = one["axis"]
        expected = np.array(GOLDEN["information"][name][axis])
        totals = [sum(bits) for bits in GOLDEN["information"][name]]
        assert totals[axis] > 0.98 * max(totals), name
        assert np.allclose(one["information"], expected, rtol=1e-3, atol=2e-3), name
        assert one["origin"]["kind"] == "continuous", name


def test_the_recommended_bits_keep_what_was_asked_for(clean: Path):
    for name, one in analyze(clean).items():
        axis, _ = one["axis"]
        # As many as xbitinfo keeps, or more: no level and no sample may lose more than the whole.
        assert one["significant_bits"] >= GOLDEN["keepbits_99"][name][axis], name
        assert one["preserved_information"] >= 0.99
        assert one["relative_bound"] == 2.0 ** -(one["significant_bits"] + 1)


def test_less_is_kept_where_less_is_asked_for(clean: Path):
    shares = (0.7, 0.9, 0.99, 0.999)
    found = [analyze(clean, "--keep-information", share) for share in shares]
    for name in found[0]:
        bits = [one[name]["significant_bits"] for one in found]
        assert bits == sorted(bits) and bits[0] < bits[-1], (name, bits)
        for share, one in zip(shares, found, strict=True):
            assert one[name]["preserved_information"] >= share
            assert one[name]["keep_information"] == share


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_chunks_change_no_number(clean: Path, tmp_path: Path, threads: int):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        for name, values in analysed_fields().items():
            file.create_dataset(name, data=values)
    expected, found = analyze(clean), analyze(tmp_path / "other.h5", "--threads", threads)
    for name, one in found.items():
        assert one["significant_bits"] == expected[name]["significant_bits"]
        assert one["axis"] == expected[name]["axis"]
        assert np.allclose(one["information"], expected[name]["information"], atol=1e-9)


def test_every_variable_of_the_sample_has_a_sane_answer():
    found = analyze(SAMPLE)
    assert len(found) > 20 and "ITIMESTEP" not in found
    for name, one in found.items():
        assert set(one) == KEYS, name
        width = 32 if one["element"] == "float32" else 64
        assert len(one["information"]) == width
        assert all(0 <= bit <= 1 for bit in one["information"])
        assert one["reason"] and "\n" not in one["reason"]
        if one["significant_bits"] is not None:
            assert 1 <= one["significant_bits"] <= (23 if width == 32 else 52)
            assert one["preserved_information"] >= 0.99


def test_only_the_named_variables(clean: Path):
    assert set(analyze(clean, "--variables", "walk*,temp*")) == {"walk", "walk_down", "temperature"}


def test_the_table_shows_bits_and_origin(clean: Path):
    outcome = frazil("analyze", clean)
    assert outcome.code == DONE, outcome.stderr
    for name in analysed_fields():
        assert name in outcome.stdout
    assert "continuous" in outcome.stdout and " bits" in outcome.stdout


def test_the_picture_is_well_formed(clean: Path, tmp_path: Path):
    picture = tmp_path / "bits.svg"
    outcome = frazil("analyze", clean, "--figure", picture)
    assert outcome.code == DONE, outcome.stderr
    root = xml.fromstring(picture.read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") or (root.get("width") and root.get("height"))
    text = " ".join("".join(one.itertext()) for one in root.iter() if one.tag.endswith("text"))
    assert all(name in text for name in analysed_fields())
    assert not [one for one in root.iter() if one.tag.endswith(("script", "image"))]


def test_names_cannot_break_the_picture(tmp_path: Path):
    with h5py.File(tmp_path / "odd.h5", "w") as file:
        file["a <b> & 'c' \"d\""] = analysed_fields()["walk"]
    picture = tmp_path / "odd.svg"
    assert frazil("analyze", tmp_path / "odd.h5", "--figure", picture).code == DONE
    xml.fromstring(picture.read_text())


def one_variable(path: Path, values: np.ndarray, **attributes: object) -> Path:
    with netCDF4.Dataset(path, "w") as file:
        names = [f"d{axis}" for axis in range(values.ndim)]
        for name, size in zip(names, values.shape, strict=True):
            file.createDimension(name, size)
        fill = attributes.pop("_FillValue", None)
        variable = file.createVariable("v", values.dtype.str[1:], names, fill_value=fill)
        variable.setncatts(attributes)
        file.set_auto_mask(False)
        variable[...] = values
    return path


def test_missing_values_take_no_part(tmp_path: Path):
    values = analysed_fields()["temperature"]
    land = np.zeros(values.shape, bool)
    land[:, 10:40, 30:70] = True
    marked = values.copy()
    marked[land] = -1e30
    marked[:, 50] = np.nan
    attributes = {"missing_value": np.float32(-1e30)}
    source = one_variable(tmp_path / "masked.nc", marked, **attributes)
    found = analyze(source)["v"]
    assert found["masked"] == np.count_nonzero(land) + marked[:, 50].size
    whole = analyze(one_variable(tmp_path / "whole.nc", values))["v"]
    # The information of the rest is about that of the whole; a mask taken for data would add to
    # the exponent's bits and take from the mantissa's.
    assert abs(found["significant_bits"] - whole["significant_bits"]) <= 1
    assert found["information"][1] == pytest.approx(0, abs=1e-6)


def test_integers_that_were_unpacked_are_recognised(tmp_path: Path):
    packed = np.round((analysed_fields()["temperature"] - 250) / 0.002)
    values = (packed.astype("i2") * 0.002 + 250).astype("f4")
    found = analyze(one_variable(tmp_path / "unpacked.nc", values))["v"]
    assert found["origin"]["kind"] == "unpacked_integers"
    assert found["origin"]["step"] == pytest.approx(0.002, rel=0.02)
    outcome = pack(tmp_path / "unpacked.nc", tmp_path / "out.nc", "--keep-information", 0.99)
    if statement(tmp_path / "out.nc", "v") == {}:
        assert "v" in outcome.stderr and "kept exact" in outcome.stderr


@pytest.mark.parametrize("bits", [5, 9, 13])
def test_rounded_values_are_recognised(tmp_path: Path, bits: int):
    values = bitround(analysed_fields()["precipitation"], bits)
    found = analyze(one_variable(tmp_path / "rounded.nc", values))["v"]
    assert found["origin"] == {"kind": "rounded", "significant_bits": bits}
    assert found["significant_bits"] is None or found["significant_bits"] <= bits


def test_groomed_values_are_recognised(tmp_path: Path):
    source = one_variable(tmp_path / "source.nc", analysed_fields()["temperature"])
    pack(source, tmp_path / "groomed.nc", "--digits", 3, "--quantizer", "bitgroom")
    found = analyze(tmp_path / "groomed.nc")["v"]
    assert found["origin"] == {"kind": "groomed", "significant_bits": 11}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.full((40, 50), 3.25, "f4"), "constant"),
        (np.full((40, 50), np.nan, "f4"), "constant"),
        (np.array([1.1, 2.3, 2.2], "f4"), "too_few"),
    ],
    ids=["constant", "nothing", "too few"],
)
def test_what_cannot_be_analysed_is_said(tmp_path: Path, values: np.ndarray, kind: str):
    source = one_variable(tmp_path / "source.nc", values)
    found = analyze(source)["v"]
    assert found["origin"]["kind"] == kind
    assert found["significant_bits"] is None and found["relative_bound"] is None
    pack(source, tmp_path / "packed.nc", "--keep-information", 0.99)
    assert statement(tmp_path / "packed.nc", "v") == {}


def test_noise_has_no_real_information_to_speak_of(tmp_path: Path):
    noise = np.random.default_rng(1).uniform(1, 2, (200, 300)).astype("f4")
    found = analyze(one_variable(tmp_path / "noise.nc", noise))["v"]
    assert sum(found["information"]) < 0.01


def test_information_decides_what_pack_keeps(clean: Path, tmp_path: Path):
    outcome = pack(clean, tmp_path / "packed.h5", "--keep-information", "99%")
    assert outcome.stderr.count("kept exact") == 0
    for name, one in analyze(clean).items():
        said = statement(tmp_path / "packed.h5", name)
        assert said["quantization_nsb"] == one["significant_bits"]
        assert said["quantization_keep_information"] == 0.99
        assert said["quantization_maximum_relative_error"] == one["relative_bound"]


def test_decisions_by_information_are_replayed_without_analysis(clean: Path, tmp_path: Path):
    rules = tmp_path / "rules.toml"
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    pack(clean, first, "--keep-information", 0.99, "--write-precision", rules)
    text = rules.read_text()
    assert "significant_bits" in text and "\nkeep_information" not in text
    # Each rule says why, as a comment.
    assert sum(line.startswith("# ") for line in text.splitlines()) > len(analysed_fields())
    pack(clean, second, "--precision", rules)
    with h5py.File(first) as one, h5py.File(second) as other:
        for name in analysed_fields():
            assert (one[name][...] == other[name][...]).all()


def test_bad_words_and_files(clean: Path, tmp_path: Path):
    assert frazil("analyze", clean, "--keep-information", "1.5").code == TROUBLE
    assert frazil("analyze", clean, "--keep-information", "0").code == TROUBLE
    assert frazil("analyze", tmp_path / "nowhere.nc").code in (FAILED, TROUBLE)
    (tmp_path / "text.nc").write_text("no data")
    assert frazil("analyze", tmp_path / "text.nc").code in (FAILED, TROUBLE)
    assert frazil("analyze", clean, "--figure", tmp_path / "bits.xyz").code == TROUBLE


def test_a_file_without_floats_is_no_failure(tmp_path: Path):
    source = make.hdf5_zoo(tmp_path / "zoo.h5")
    found = analyze(source)
    assert set(found) <= {"group/data"}
