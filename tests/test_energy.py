"""Energy in reports: joules, carbon, what storage costs less; the benchmark's meter beside them."""

import json
import sys
from pathlib import Path

import pytest
from support.command import DONE, ROOT, SAMPLE, TROUBLE, frazil

sys.path.insert(0, str(ROOT / "bench"))
import energy


def packed(target: Path, *words: str) -> dict:
    result = frazil("pack", SAMPLE, "-o", target, "--overwrite", "--json", *words)
    assert result.code == DONE, result.stderr
    return json.loads(result.stdout)["reports"][0]


def test_a_report_has_joules_carbon_and_savings(tmp_path: Path):
    report = packed(tmp_path / "out.nc")
    found = report["energy"]
    assert found["source"] in ("rapl", "model")
    assert found["joules"] > 0 and found["basis"]
    assert found["kwh"] == pytest.approx(found["joules"] / 3.6e6)
    assert found["co2_grams"] == pytest.approx(found["kwh"] * 480)
    parts = sum(variable["joules"] for variable in report["variables"])
    assert parts == pytest.approx(found["joules"])
    saved = report["input_file_bytes"] - report["output_file_bytes"]
    saving = found["saving"]
    assert saving["bytes"] == saved
    assert saving["electricity_euros_per_year"] == pytest.approx(saved / 1e15 * 3679.2)
    assert saving["maintenance_euros_per_year"] == pytest.approx(saved / 1e15 * 15_000)
    assert found["saved_euros_per_year"] == pytest.approx(saved / 1e15 * 38_679.2)


def test_the_model_is_the_one_that_is_documented_and_the_benchmarks_use(tmp_path: Path):
    """Also with counters: a prediction is always by the model."""
    report = packed(tmp_path / "out.nc", "--dry-run")
    found = report["energy"]
    assert found["source"] == "model" and "prediction" in found["basis"]
    moved = report["input_file_bytes"] + report["output_file_bytes"]
    expected = energy.by_model(report["cpu_seconds"], report["seconds"], moved)
    assert found["joules"] == pytest.approx(expected)


def test_carbon_intensity_can_be_stated(tmp_path: Path):
    found = packed(tmp_path / "out.nc", "--carbon-intensity", "41.5")["energy"]
    assert found["carbon_g_per_kwh"] == 41.5
    assert found["co2_grams"] == pytest.approx(found["kwh"] * 41.5)
    result = frazil("pack", SAMPLE, "-o", tmp_path / "x.nc", "--carbon-intensity", "-3")
    assert result.code == TROUBLE and "0 or more" in result.stderr


def test_energy_is_printed_on_request(tmp_path: Path):
    short = frazil("pack", SAMPLE, "-o", tmp_path / "a.nc").stdout
    long = frazil("pack", SAMPLE, "-o", tmp_path / "b.nc", "--energy").stdout
    assert " CO2" not in short and " J by " not in short and "a year of storage" not in short
    assert "a year of storage saves" in long and "  energy\n" in long


def test_the_benchmarks_meter_follows_counters_that_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    counters = {"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:0:1": "dram"}
    for folder, name in counters.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "name").write_text(name)
        (tmp_path / folder / "energy_uj").write_text("900000")
        (tmp_path / folder / "max_energy_range_uj").write_text("1000000")
    found = energy.counters(tmp_path)
    assert len(found) == 2
    monkeypatch.setattr(energy, "counters", lambda: found)
    meter = energy.Meter()
    (tmp_path / "intel-rapl:0/energy_uj").write_text("400000")
    (tmp_path / "intel-rapl:0:1/energy_uj").write_text("950000")
    spent = meter.spent(0)
    assert spent.energy_by == "rapl"
    assert spent.joules == pytest.approx(0.5 + 0.05)
