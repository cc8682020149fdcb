"""A share of information says nothing of how large errors are: where it is coarse, a line says."""

import re
from pathlib import Path

import frazil as python
import h5py
import numpy as np
from support.command import DONE, frazil


def fields(path: Path) -> Path:
    """A field far from zero that varies by little, and one of numbers of all sizes."""
    chance = np.random.default_rng(7)
    y, x = np.mgrid[0:120, 0:160]
    waves = np.sin(y / 9.0) * np.cos(x / 11.0)
    with h5py.File(path, "w") as file:
        file["narrow"] = (250.5 + 0.5 * waves + chance.normal(0, 0.01, waves.shape)).astype("f4")
        wide = np.exp(4 * waves + chance.normal(0, 0.3, waves.shape))
        file["wide"] = wide.astype(">f8")
        file["smooth"] = (5 + waves).astype("f4")
    return path


def warned(source: Path, *words: object) -> dict[str, str]:
    """What is said of coarse rounding, by variable."""
    target = source.with_name("packed.h5")
    outcome = frazil("pack", source, "-o", target, "--overwrite", "--json", *words)
    assert outcome.code == DONE, outcome.stderr
    notices = outcome.report["reports"][0]["notices"]
    lines = [line for line in notices if "--keep-information is coarse" in line]
    return {line.split(":")[0]: line for line in lines}


def test_few_bits_and_low_similarity_are_told(tmp_path: Path):
    source = fields(tmp_path / "source.h5")
    found = warned(source, "--keep-information", 0.3)
    assert {"narrow", "wide"} <= set(found)
    assert "the mantissa keeps only 1 bit" in found["wide"]
    assert "structural similarity" in found["narrow"]
    assert all("--abs-error" in line for line in found.values())
    # What is proposed helps.
    bounds = [re.search("--abs-error '(.*)'", line)[1] for line in found.values()]
    words = [word for bound in bounds for word in ("--abs-error", bound)]
    left = warned(source, "--keep-information", 0.3, *words)
    assert not any("similarity" in line for line in left.values()), left


def test_a_bound_is_proposed_for_lines_of_values(tmp_path: Path):
    path = tmp_path / "line.h5"
    with h5py.File(path, "w") as file:
        file["station"] = np.exp(4 * np.sin(np.arange(4000) / 300)).astype("f4")
    line = warned(path, "--keep-information", 0.3)["station"]
    (bound,) = re.findall("--abs-error 'station:([0-9.e-]+)'", line)
    assert 0.001 < float(bound) < 1


def test_what_is_fine_enough_is_not_told(tmp_path: Path):
    source = fields(tmp_path / "source.h5")
    assert warned(source, "--keep-information", "smooth:0.999") == {}
    assert warned(source, "--digits", 2) == {}


def test_an_absolute_cap_helps(tmp_path: Path):
    source = fields(tmp_path / "source.h5")
    words = ("--keep-information", "narrow:0.3")
    assert "narrow" in warned(source, *words)
    assert "narrow" not in warned(source, *words, "--abs-error", "narrow:0.002")


def test_a_small_bound_is_written_with_an_exponent(tmp_path: Path):
    source = fields(tmp_path / "source.h5")
    words = ("--keep-information", "wide:0.3", "--abs-error", "wide:1e20")
    assert "1e20" in warned(source, *words)["wide"]


def test_python_says_so_in_its_words(tmp_path: Path):
    source = fields(tmp_path / "source.h5")
    request = {"narrow": {"keep_information": 0.3}}
    plan = python.plan(source, precision=request)
    report = python.pack(source, tmp_path / "packed.h5", precision=request)
    for notices in (plan.notices, report.notices):
        (line,) = (line for line in notices if "keep_information is coarse" in line)
        assert re.search(r'precision={"narrow": {"absolute_tolerance": [0-9.e-]+}}', line), line
        assert "--" not in line
    assert "keep_information is coarse" in repr(plan)


def test_many_coarse_variables_share_a_line(tmp_path: Path):
    path, chance = tmp_path / "many.h5", np.random.default_rng(7)
    with h5py.File(path, "w") as file:
        for number in range(12):
            waves = np.sin(np.mgrid[0:60, 0:80][0] / 9.0)
            values = 250.5 + 0.5 * waves + chance.normal(0, 0.01, waves.shape)
            file[f"v{number:02}"] = values.astype("f4")
    outcome = frazil("pack", path, "-o", tmp_path / "out.h5", "--keep-information", 0.3)
    lines = [line for line in outcome.stderr.splitlines() if "--keep-information is" in line]
    assert len(lines) == 4 and "9 more variables: v03, v04" in lines[-1], lines
