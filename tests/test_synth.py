"""Test fields: what other readers find in them, and that nothing but the options changes a byte."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, FAILED, TROUBLE, Outcome, frazil, tool

SHAPES = ["40", "20x30", "4x12x18", "3x4x9x11"]
NAMES = ["time", "lev", "lat", "lon"]


def synth(target: Path, *options: object, **limits: object) -> Outcome:
    outcome = frazil("synth", "-o", target, *options, **limits)
    assert outcome.code == DONE, outcome.stderr
    return outcome


def library() -> list[dict]:
    outcome = frazil("synth", "--list", "--json")
    assert outcome.code == DONE
    return outcome.report


@pytest.mark.parametrize("shape", SHAPES)
def test_every_reader_opens_every_pattern(tmp_path: Path, shape: str):
    target = tmp_path / "fields.nc"
    synth(target, "--shape", shape)
    extents = tuple(map(int, shape.split("x")))
    dimensions = tuple(NAMES[-len(extents) :])
    assert tool("ncdump", "-h", target).returncode == 0
    with netCDF4.Dataset(target) as nc, h5py.File(target) as h5:
        assert nc.Conventions.startswith("CF-")
        for pattern in library():
            variable = nc[pattern["name"]]
            assert variable.dimensions == dimensions and variable.shape == extents
            values = variable[:]
            np.testing.assert_array_equal(values, h5[pattern["name"]][:])
            assert not np.ma.is_masked(values)
            edge = 1e-6 * max(abs(pattern["min"]), abs(pattern["max"]))
            assert values.min() >= pattern["min"] - edge, pattern["name"]
            assert values.max() <= pattern["max"] + edge, pattern["name"]
            assert variable.pattern_definition == pattern["definition"]
            assert list(variable.pattern_range) == [pattern["min"], pattern["max"]]
        if len(extents) > 1:
            assert nc["lat"].units == "degrees_north" and nc["lon"].shape == (extents[-1],)


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "float32", "float64"])
def test_values_have_the_type_asked_for(tmp_path: Path, kind: str):
    target = tmp_path / "fields.nc"
    synth(target, "-p", "sin35", "-s", "30x40", "--type", kind)
    with netCDF4.Dataset(target) as file:
        assert file["sin35"].dtype == np.dtype(kind)
        assert (file["sin35"][:].min(), file["sin35"][:].max()) == (0, 100)


def test_the_sine_is_the_sum_of_its_waves(tmp_path: Path):
    target = tmp_path / "fields.nc"
    synth(target, "-p", "sin23", "-s", "24x36", "--type", "float64")
    raw = np.zeros((24, 36))
    for axis, length in enumerate(raw.shape):
        place = (np.arange(length) + 1) / length * 2 * 2 * np.pi
        wave = sum(np.sin(place * f) / 2 ** (f - 1) for f in (1, 2, 3))
        raw += np.expand_dims(wave, 1 - axis)
    expected = 1 + (raw - raw.min()) / (raw.max() - raw.min()) * 99
    with netCDF4.Dataset(target) as file:
        np.testing.assert_allclose(file["sin23"][:], expected, rtol=1e-12)


def test_the_same_bytes_at_any_thread_count(tmp_path: Path):
    options = ["-p", "simplex206,randomIpol10-100,poly4-234-3", "-s", "5x300x400"]
    options += ["--noise", "0.5", "--noise-kind", "gaussian", "--seed", "7"]
    contents = []
    for threads, memory in [(1, "256MiB"), (2, "32MiB"), (4, "256MiB")]:
        target = tmp_path / f"{threads}.nc"
        synth(target, *options, "--threads", threads, "--memory", memory)
        contents.append(target.read_bytes())
    assert contents[0] == contents[1] == contents[2]
    other = tmp_path / "other.nc"
    synth(other, *options[:-1], "8")
    assert other.read_bytes() != contents[0]


@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_noise_has_the_amplitude_asked_for(tmp_path: Path, kind: str):
    plain, noisy = tmp_path / "plain.nc", tmp_path / "noisy.nc"
    options = ["-p", "simplex102", "-s", "200x300", "--type", "float64"]
    synth(plain, *options)
    synth(noisy, *options, "--noise", "2.5", "--noise-kind", kind)
    with netCDF4.Dataset(plain) as a, netCDF4.Dataset(noisy) as b:
        noise = b["simplex102"][:] - a["simplex102"][:]
        assert b["simplex102"].noise_amplitude == 2.5
        assert b["simplex102"].noise_distribution == kind
    assert abs(noise.mean()) < 0.05
    if kind == "uniform":
        assert 2.49 < np.abs(noise).max() <= 2.5 + 1e-9
    else:
        assert noise.std() == pytest.approx(2.5, rel=0.02)


def test_large_fields_need_little_memory(tmp_path: Path):
    target = tmp_path / "large.nc"
    # 480 MB of values, more than the process may hold.
    options = ["-p", "random/repeater:8", "-s", "60x1000x2000", "--memory", "64MiB"]
    synth(target, *options, "--threads", 2, memory_bytes=400 << 20)
    with netCDF4.Dataset(target) as file:
        values = file["random-repeater-8"][16, 800:808, 1992:2000]
        assert np.unique(values).size == 1


def test_packed_and_verified_like_any_file(tmp_path: Path):
    target, packed = tmp_path / "fields.nc", tmp_path / "packed.nc"
    synth(target, "-p", "sin35,simplex206", "-s", "90x180")
    outcome = frazil("pack", target, "-o", packed, "--verify")
    assert outcome.code == DONE, outcome.stderr
    assert frazil("verify", target, packed).code == DONE


def test_what_cannot_be_is_refused_and_leaves_nothing(tmp_path: Path):
    target = tmp_path / "out.nc"
    wrong = [
        (["-p", "sin99"], "sin99"),
        (["-p", "sin35,sin35"], "twice"),
        (["-p", "sin35", "--type", "int8", "--range", "0,1000"], "int8"),
        (["-p", "sin35", "--noise", "nan"], "noise"),
        (["-s", "1x2x3x4x5"], "extents"),
        (["--range", "2,1"], "range"),
    ]
    for options, said in wrong:
        outcome = frazil("synth", "-o", target, *options)
        assert outcome.code == TROUBLE and said in outcome.stderr, outcome.stderr
        assert list(tmp_path.iterdir()) == []
    missing = frazil("synth", "-o", tmp_path / "no" / "out.nc", "-s", "4")
    assert missing.code == FAILED and "hint: make it first: mkdir -p" in missing.stderr


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path):
    target = tmp_path / "out.nc"
    target.write_bytes(b"precious")
    outcome = frazil("synth", "-o", target, "-s", "4")
    assert outcome.code == FAILED and "already_exists" in outcome.stderr
    assert target.read_bytes() == b"precious"
    synth(target, "-s", "4", "-p", "sin11", "--overwrite")
    assert target.read_bytes() != b"precious"


def test_what_the_disk_has_no_room_for_is_refused(tmp_path: Path):
    outcome = frazil("synth", "-o", tmp_path / "out.nc", "-p", "steps2", "-s", "9999x9999x9999x99")
    assert outcome.code == FAILED and "[no_space]" in outcome.stderr
    assert "are free there" in outcome.stderr and not list(tmp_path.iterdir())
