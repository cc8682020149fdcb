"""`frazil verify` judges rounded files by what they state, and catches what breaks it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import make
from support.command import DONE, FAILED, SAMPLE, frazil, pack
from support.precision import statement, verify_json
from support.rounding import netcdf_rounded

pytestmark = pytest.mark.sampled(one_in=3)

FILL, MISSING = -9999.0, 1e20
SHAPE = (6, 20, 30)
FILLED, MISSED, NOT_A_NUMBER, INFINITE = ((0, 0, n) for n in range(4))
ORDINARY = (3, 3, 3)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field with every kind of special value, an exact one, and a coordinate."""
    path = tmp_path_factory.mktemp("source") / "source.nc"
    values = make.field(*SHAPE)
    values[FILLED], values[MISSED], values[NOT_A_NUMBER], values[INFINITE] = (
        FILL,
        MISSING,
        np.nan,
        np.inf,
    )
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_mask(False)
        for name, size in zip(("time", "y", "x"), SHAPE, strict=True):
            file.createDimension(name, size)
        file.createVariable("y", "f8", ("y",))[:] = np.linspace(0, 1, SHAPE[1]) ** 2
        for name in ("tas", "exact"):
            variable = file.createVariable(name, "f4", ("time", "y", "x"), fill_value=FILL)
            variable.missing_value = np.float32(MISSING)
            variable[:] = values
    return path


ROUNDINGS = {
    "bits": ("--bits", 9),
    "digits": ("--digits", 3),
    "bitgroom": ("--digits", 3, "--quantizer", "bitgroom"),
    "absolute": ("--abs-error", 0.25),
    "relative": ("--rel-error", 1e-3),
    "both": ("--rel-error", 1e-3, "--abs-error", 0.2),
    "nbits": ("--nbits", 10),
}


@pytest.fixture(params=ROUNDINGS)
def rounding(request: pytest.FixtureRequest) -> str:
    return request.param


def rounded(source: Path, folder: Path, rounding: str) -> Path:
    packed = folder / "packed.nc"
    pack(source, packed, *ROUNDINGS[rounding], "--lossless", "exact")
    return packed


def judged(report: dict, path: str = "/tas") -> dict:
    (found,) = [one for one in report["precision"] if one["path"] == path]
    return found


def test_what_was_packed_holds_what_it_states(source: Path, tmp_path: Path, rounding: str):
    packed = rounded(source, tmp_path, rounding)
    code, report = verify_json(source, packed)
    assert (code, report["difference_count"]) == (DONE, 0), report["differences"]
    found = judged(report)
    assert [one["path"] for one in report["precision"]] == ["/tas"]
    assert found["passed"] and found["failures"] == []
    assert (found["beyond_bound"], found["special"], found["special_changed"]) == (0, 4, 0)
    assert found["values"] == np.prod(SHAPE) - 4
    check_figures(source, packed, found)


def check_figures(source: Path, packed: Path, found: dict) -> None:
    """Compares what is reported with numpy's own sums."""
    with h5py.File(source) as before, h5py.File(packed) as after:
        a, b = (file["tas"][...].reshape(-1)[4:].astype("f8") for file in (before, after))
    error = b - a
    assert found["changed"] == np.count_nonzero(error)
    assert found["max_absolute_error"] == np.abs(error).max()
    assert found["max_relative_error"] == pytest.approx(np.abs(error / a).max(), rel=1e-12)
    assert found["rmse"] == pytest.approx(np.sqrt((error**2).mean()), rel=1e-9)
    assert found["bias"] == pytest.approx(error.mean(), rel=1e-6, abs=1e-12)
    assert found["correlation"] == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-9)


Plant = Callable[[h5py.Dataset, float], None]


def beyond_the_bound(values: h5py.Dataset, bound: float) -> None:
    values[ORDINARY] = original_value(values) + np.float32(1.01 * bound)


def below_the_bound(values: h5py.Dataset, bound: float) -> None:
    values[ORDINARY] = original_value(values) - np.float32(1.01 * bound)


def changed_fill(values: h5py.Dataset, bound: float) -> None:
    values[FILLED] = FILL + 0.5 * bound


def changed_missing(values: h5py.Dataset, bound: float) -> None:
    values[MISSED] = np.nextafter(np.float32(MISSING), np.float32(0))


def data_become_fill(values: h5py.Dataset, bound: float) -> None:
    values[ORDINARY] = FILL


def data_become_nan(values: h5py.Dataset, bound: float) -> None:
    values[ORDINARY] = np.nan


def nan_become_data(values: h5py.Dataset, bound: float) -> None:
    values[NOT_A_NUMBER] = 285.0


def other_nan(values: h5py.Dataset, bound: float) -> None:
    values[NOT_A_NUMBER] = np.array([0x7FC00001], "u4").view("f4")[0]


def infinity_turns(values: h5py.Dataset, bound: float) -> None:
    values[INFINITE] = -np.inf


PLANTED = [
    beyond_the_bound,
    below_the_bound,
    changed_fill,
    changed_missing,
    data_become_fill,
    data_become_nan,
    nan_become_data,
    other_nan,
    infinity_turns,
]


def original_value(values: h5py.Dataset) -> np.float32:
    return values.file.attrs["original"]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_violation_is_found_and_named(
    source: Path, tmp_path: Path, rounding: str, plant: Plant
):
    packed = rounded(source, tmp_path, rounding)
    plant_in(source, packed, plant)
    outcome = frazil("verify", source, packed)
    assert outcome.code == FAILED, outcome.stdout
    assert "tas" in outcome.stdout + outcome.stderr
    code, report = verify_json(source, packed)
    found = judged(report)
    assert code == FAILED and not found["passed"] and found["failures"]
    assert (found["beyond_bound"] > 0) or (found["special_changed"] > 0)


def plant_in(source: Path, packed: Path, plant: Plant) -> None:
    with h5py.File(source) as file:
        original = file["tas"][ORDINARY]
    said = statement(packed, "tas")
    relative = said.get("quantization_maximum_relative_error", np.inf) * abs(float(original))
    bound = min(relative, said.get("quantization_maximum_absolute_error", np.inf))
    with h5py.File(packed, "r+") as file:
        file.attrs["original"] = original
        plant(file["tas"], bound)
        del file.attrs["original"]


def test_a_change_within_the_bound_is_none(source: Path, tmp_path: Path, rounding: str):
    packed = rounded(source, tmp_path, rounding)

    def within(values: h5py.Dataset, bound: float) -> None:
        values[ORDINARY] = original_value(values) + np.float32(0.9 * bound)

    plant_in(source, packed, within)
    code, report = verify_json(source, packed)
    assert code == DONE, report


@pytest.mark.parametrize("name", ["exact", "y"])
def test_what_is_not_stated_to_be_rounded_must_be_equal(source: Path, tmp_path: Path, name: str):
    packed = rounded(source, tmp_path, "digits")
    with h5py.File(packed, "r+") as file:
        place = (3,) * file[name].ndim
        file[name][place] = np.nextafter(file[name][place], file[name].dtype.type(0))
    code, report = verify_json(source, packed)
    assert code == FAILED
    assert [one["path"] for one in report["differences"]] == [f"/{name}"]


def test_other_attributes_count_as_ever(source: Path, tmp_path: Path):
    packed = rounded(source, tmp_path, "digits")
    with netCDF4.Dataset(packed, "a") as file:
        file["tas"].units = "K"
    outcome = frazil("verify", source, packed)
    assert outcome.code == FAILED and "units" in outcome.stdout


def test_an_unpacked_file_is_not_rounded(source: Path, tmp_path: Path):
    packed = rounded(source, tmp_path, "digits")
    # The other way round the "rounded" file states nothing: the values differ.
    assert frazil("verify", packed, source).code == FAILED
    pack(packed, tmp_path / "again.nc")
    code, report = verify_json(packed, tmp_path / "again.nc")
    assert (code, report["difference_count"]) == (DONE, 0)


@pytest.mark.parametrize(
    ("algorithm", "number"), [("bitround", 9), ("granular_bitround", 3), ("bitgroom", 3)]
)
def test_what_netcdf_states_is_understood(tmp_path: Path, algorithm: str, number: int):
    values = make.field(40, 50)
    with netCDF4.Dataset(tmp_path / "source.nc", "w") as file:
        for name, size in {"d0": 40, "d1": 50}.items():
            file.createDimension(name, size)
        file.createVariable("v", "f4", ("d0", "d1"))[:] = values
    netcdf_rounded(tmp_path / "netcdf.nc", values, algorithm, number)
    code, report = verify_json(tmp_path / "source.nc", tmp_path / "netcdf.nc")
    assert code == DONE, report["differences"]
    assert judged(report, "/v")["stated"]["bound"]["relative"] > 0
    with h5py.File(tmp_path / "netcdf.nc", "r+") as file:
        file["v"][3, 4] *= np.float32(1.006)
    code, report = verify_json(tmp_path / "source.nc", tmp_path / "netcdf.nc")
    assert code == FAILED and judged(report, "/v")["beyond_bound"] == 1


def test_thresholds_decide_only_on_request(source: Path, tmp_path: Path):
    coarse = tmp_path / "coarse.nc"
    pack(source, coarse, "--bits", 2, "--lossless", "exact")
    code, report = verify_json(source, coarse)
    tests = judged(report)["thresholds"]
    assert code == DONE and tests and not all(one["passed"] for one in tests)
    code, report = verify_json(source, coarse, "--thresholds", "ldcpy")
    assert code == FAILED and judged(report)["failures"]
    fine = tmp_path / "fine.nc"
    pack(source, fine, "--bits", 22, "--lossless", "exact")
    assert verify_json(source, fine, "--thresholds", "ldcpy")[0] == DONE


def test_the_report_is_one_page_that_needs_nothing_else(source: Path, tmp_path: Path):
    packed = rounded(source, tmp_path, "digits")
    page = tmp_path / "report.html"
    assert frazil("verify", source, packed, "--report", page).code == DONE
    text = page.read_text()
    assert text.lstrip().lower().startswith("<!doctype html>")
    assert "tas" in text and "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text.replace("https://doi.org", "") and "<script src" not in text


def test_the_sample_holds_its_statement_with_information_kept(tmp_path: Path):
    packed = tmp_path / "packed.nc"
    pack(SAMPLE, packed, "--keep-information", 0.99)
    code, report = verify_json(SAMPLE, packed)
    assert code == DONE, report["differences"]
    assert len(report["precision"]) >= 5
    for one in report["precision"]:
        assert one["preserved_information"] >= 0.99, one


def test_less_information_than_promised_fails(tmp_path: Path):
    packed = Path(shutil.copy(SAMPLE, tmp_path / "packed.nc"))
    pack(SAMPLE, packed, "--bits", "T:1", "--overwrite")
    with h5py.File(packed, "r+") as file:
        file["T"].attrs["quantization_keep_information"] = 0.99
    code, report = verify_json(SAMPLE, packed)
    found = judged(report, "/T")
    assert found["preserved_information"] < 0.99 and not found["passed"]
    assert code == FAILED


def test_swapped_files_are_told(source: Path, tmp_path: Path) -> None:
    rounded = tmp_path / "rounded.nc"
    pack(source, rounded, "--digits", "tas:3")
    assert frazil("verify", source, rounded).code == DONE
    swapped = frazil("verify", rounded, source)
    assert swapped.code == FAILED
    assert "are the two files swapped?" in swapped.stderr
    assert "swapped" not in frazil("verify", source, rounded).stderr


def zeros(path: Path) -> Path:
    """A field of numbers, and of both zeros."""
    values = np.random.default_rng(1).normal(0, 10, 5000).astype("f4")
    values[10:20], values[20:30] = -0.0, 0.0
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", values.size)
        file.createVariable("r", "f4", ("x",))[:] = values
    return path


@pytest.mark.parametrize("changed", [0.0, 0.05, -0.05, 1e-40])
def test_a_zero_that_is_another_value_fails(tmp_path: Path, changed: float):
    """Also where the value keeps the bound."""
    source = zeros(tmp_path / "z.nc")
    packed = tmp_path / "packed.nc"
    pack(source, packed, "--abs-error", "r:0.1")
    assert verify_json(source, packed)[0] == DONE
    with h5py.File(packed, "r+") as file:
        file["r"][10:20] = np.float32(changed)
    code, report = verify_json(source, packed)
    found = judged(report, "/r")
    assert (code, found["special_changed"], found["beyond_bound"]) == (FAILED, 10, 0)
    assert found["failures"] == ["changed zeros: 10; the first, at [10]"]


@pytest.mark.parametrize(
    "options",
    [*ROUNDINGS.values(), ("--pack-integers", 0.01)],
    ids=[*ROUNDINGS, "packed integers"],
)
def test_zeros_of_packed_files_pass(tmp_path: Path, options: tuple[object, ...]):
    source = zeros(tmp_path / "z.nc")
    pack(source, tmp_path / "packed.nc", *options)
    code, report = verify_json(source, tmp_path / "packed.nc")
    assert (code, judged(report, "/r")["special_changed"]) == (DONE, 0)


@pytest.mark.parametrize("mode", ["BitRound", "GranularBitRound", "BitGroom"])
def test_zeros_that_netcdf_rounded_pass(tmp_path: Path, mode: str):
    source = zeros(tmp_path / "z.nc")
    rounded = tmp_path / "rounded.nc"
    with netCDF4.Dataset(source) as before, netCDF4.Dataset(rounded, "w") as file:
        file.createDimension("x", len(before.dimensions["x"]))
        options = {"significant_digits": 3, "quantize_mode": mode, "compression": "zlib"}
        file.createVariable("r", "f4", ("x",), **options)[:] = before["r"][:]
    _, report = verify_json(source, rounded)
    assert judged(report, "/r")["special_changed"] == 0, judged(report, "/r")["failures"]


@pytest.mark.parametrize("share", ["0.07", "0.999", "1e-3", "0.1%", "57%"])
def test_the_very_share_that_was_asked_for_is_stated(tmp_path: Path, share: str):
    packed = tmp_path / "packed.nc"
    pack(zeros(tmp_path / "z.nc"), packed, "--rel-error", share)
    asked = float(share.rstrip("%") + ("e-2" if "%" in share else ""))
    with h5py.File(packed) as file:
        assert file["r"].attrs["quantization_maximum_relative_error"] == asked
