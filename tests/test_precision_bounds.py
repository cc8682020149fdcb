"""Stated bounds against hard values, judged by numpy on the files as netCDF4 reads them; and what
judging costs, whatever the shape."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, ROOT, SAMPLE, frazil, pack
from support.precision import verify_json

SEED = 20261125
MIB = 1 << 20


def hard_values(chance: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    """Powers of two, neighbours of them, subnormals, huge ranges, few digits, NaN with payloads,
    both infinities and zeros, in any order."""
    info = np.finfo(dtype)
    exponents = chance.integers(info.minexp, info.maxexp, count)
    powers = np.ldexp(np.ones(count, dtype), exponents).astype(dtype)
    uniform = chance.uniform(0.5, 1, count).astype(dtype)
    payloads = np.full(count, np.nan, dtype)
    payloads.view(f"u{payloads.itemsize}")[:] += chance.integers(0, 99, count).astype("u1")
    kinds = [
        powers,
        np.nextafter(powers, np.zeros(1, dtype)),
        np.nextafter(powers, np.full(1, info.max, dtype)),
        uniform * powers,
        uniform * info.smallest_normal,
        np.round(uniform, 2),
        280 + np.cumsum(chance.normal(0, 0.01, count)).astype(dtype),
        info.max * uniform,
        payloads,
        np.resize(np.array([0, -0.0, np.inf, -np.inf, info.max, -info.max], dtype), count),
    ]
    chosen = chance.integers(0, len(kinds), count)
    values = np.choose(chosen, kinds).astype(dtype)
    return values * chance.choice(np.array([-1, 1], dtype), count)


BOUNDS = {
    "absolute": (("--abs-error", 0.01), lambda x: np.full_like(x, 0.01)),
    "huge absolute": (("--abs-error", 1e30), lambda x: np.full_like(x, 1e30)),
    "relative": (("--rel-error", 1e-3), lambda x: 1e-3 * np.abs(x)),
    "floor": (
        ("--rel-error", 1e-4, "--finest-abs-error", 1e-6),
        lambda x: np.maximum(1e-4 * np.abs(x), 1e-6),
    ),
    "digits": (("--digits", 3), lambda x: 5e-3 * np.abs(x)),
    "bits": (("--bits", 5), lambda x: 2.0**-6 * np.abs(x)),
}


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
def test_bounds_hold_for_hard_values_by_numpys_arithmetic(tmp_path: Path, dtype: str, bound: str):
    chance = np.random.default_rng([SEED, *dtype.encode(), *bound.encode()])
    native = dtype[1:]
    values = {f"v{i}": hard_values(chance, native, 4000) for i in range(3)}
    special = {"v1": values["v1"][17], "v2": values["v2"][23]}
    source = tmp_path / "source.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("n", 4000)
        for name, array in values.items():
            endian = {"<": "little", ">": "big"}[dtype[0]]
            variable = file.createVariable(name, dtype, ("n",), endian=endian, chunksizes=(700,))
            variable.set_auto_maskandscale(False)
            if name == "v1":
                variable.missing_value = np.array([special["v1"], 7], native)
            if name == "v2" and np.isfinite(special["v2"]):
                variable.valid_max = special["v2"]
            variable[:] = array
    options, allowed = BOUNDS[bound]
    packed = tmp_path / "packed.nc"
    pack(source, packed, *options, "--verify")
    with netCDF4.Dataset(packed) as file:
        file.set_auto_mask(False)
        for name, x in values.items():
            y = np.asarray(file[name][:]).astype(native)
            check_bound(x, y, allowed)
    assert verify_json(source, packed)[0] == DONE


def check_bound(x: np.ndarray, y: np.ndarray, allowed: object) -> None:
    word = f"u{x.itemsize}"
    same = x.view(word) == y.view(word)
    normal = np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).smallest_normal)
    assert same[~normal].all()
    assert np.isfinite(y[normal]).all()
    wide = [side[normal].astype("f8") for side in (x, y)]
    assert (np.abs(wide[1] - wide[0]) <= allowed(wide[0])).all()
    # As a program sees it that computes in single precision.
    narrow = np.abs(y[normal] - x[normal])
    assert (narrow <= allowed(wide[0]) * (1 + 2 * np.finfo(x.dtype).eps)).all()
    assert ((np.signbit(x[normal]) == np.signbit(y[normal])) | (y[normal] == 0)).all()


@pytest.mark.parametrize("bound", [0.01, 0.25, 3.0, 1e-7, 1e30])
@pytest.mark.parametrize("dtype", ["<f4", ">f8"])
def test_absolute_bounds_give_the_nearest_multiple_of_a_power_of_two(
    tmp_path: Path, dtype: str, bound: float
):
    chance = np.random.default_rng(SEED)
    values = hard_values(chance, dtype[1:], 9000)
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file.create_dataset("v", data=values.astype(dtype), chunks=(800,))
    pack(tmp_path / "source.h5", tmp_path / "packed.h5", "--abs-error", bound, "--verify")
    with h5py.File(tmp_path / "packed.h5") as file:
        found = file["v"][...].astype(dtype[1:])
    normal = np.isfinite(values) & (np.abs(values) >= np.finfo(values.dtype).smallest_normal)
    x, y = values[normal].astype("f8"), found[normal].astype("f8")
    step = 2.0 ** np.floor(np.log2(2 * bound))
    assert step <= 2 * bound < 2 * step
    # Whole numbers below 2^52 and their halves are exact; what is larger is a multiple already.
    small = np.abs(x) < 2.0**52 * step
    steps = np.abs(x[small]) / step
    expected = x.copy()
    expected[small] = np.sign(x[small]) * np.floor(steps + 0.5) * step
    finite = np.abs(expected) <= np.finfo(values.dtype).max
    assert np.array_equal(y, np.where(finite, expected, x))
    assert np.abs(y - x).max() <= bound


def test_bits_and_an_absolute_bound_hold_together(tmp_path: Path):
    chance = np.random.default_rng(SEED)
    values = (chance.normal(size=20_000) * 10.0 ** chance.integers(-5, 5, 20_000)).astype("f4")
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["v"] = values
    pack(
        tmp_path / "source.h5", tmp_path / "packed.h5", "--abs-error", 0.1, "--bits", 6, "--verify"
    )
    with h5py.File(tmp_path / "packed.h5") as file:
        x, y = values.astype("f8"), file["v"][...].astype("f8")
        assert file["v"].attrs["quantization_nsb"] == 6
    error = np.abs(x - y)
    assert (error <= np.minimum(0.1, np.abs(x) * 2.0**-7)).all()
    assert (y != 0).all()


KINDS = ("absolute", "relative")


@pytest.mark.parametrize("beside", [("--keep-information", "T:0.99"), ("--bits", "T:6")])
def test_bits_beside_a_bound_do_what_the_sentence_for_papers_says(beside: tuple, tmp_path: Path):
    path = tmp_path / "out.nc"
    pack(SAMPLE, path, *beside, "--abs-error", "T:0.01")
    with netCDF4.Dataset(path) as file, netCDF4.Dataset(SAMPLE) as original:
        bits = int(file["T"].quantization_nsb)
        x, y = original["T"][:].astype("f8"), file["T"][:].astype("f8")
    x, y = x[x != 0], y[x != 0]
    finer = np.exp2(np.floor(np.log2(np.abs(x))) - bits)
    assert (finer < 2.0**-6).any() and (finer > 2.0**-6).any()
    step = np.minimum(2.0**-6, finer)
    assert np.array_equal(y, np.sign(x) * np.floor(np.abs(x) / step + 0.5) * step)
    text = " ".join((ROOT / "docs/precision.md").read_text().replace("\n> ", " ").split())
    assert f"nearest multiple of 2^-6 K or, where that is finer, to {bits} bits" in text
    assert f"bitround, {bits} bits, errors up to 1.0e-2: /T" in text
    assert f"bitround, {bits} bits, errors up to 1.0e-2: /T" in frazil("info", path).stdout


def test_the_sample_keeps_what_its_file_states_by_numpy_alone(tmp_path: Path):
    packed = tmp_path / "packed.nc"
    pack(SAMPLE, packed, "--digits", "T:3", "--abs-error", "W:0.01", "--rel-error", "U:1e-4")
    with netCDF4.Dataset(SAMPLE) as before, netCDF4.Dataset(packed) as after:
        stated = 0
        for name, variable in after.variables.items():
            if "quantization" not in variable.ncattrs():
                continue
            x, y = (np.asarray(file[name][...], "f8") for file in (before, after))
            error = np.abs(y - x)
            attributes = variable.__dict__
            most = [attributes.get(f"quantization_maximum_{kind}_error") for kind in KINDS]
            allowed = [most[0], most[1] and most[1] * np.abs(x)]
            assert all((error <= limit).all() for limit in allowed if limit is not None), name
            assert (error > 0).any()
            stated += 1
    assert stated == 3


# What judging costs.

RUN = """
import json, resource, subprocess, sys
outcome = subprocess.run(sys.argv[1:], capture_output=True, text=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([outcome.returncode, outcome.stdout, outcome.stderr, peak]))
"""


def measured(*words: object) -> tuple[dict, int]:
    """The report of `frazil verify`, and the most memory that it had, in bytes."""
    command = [os.environ["FRAZIL_BIN"], "verify", *map(str, words), "--json"]
    run = subprocess.run([sys.executable, "-c", RUN, *command], capture_output=True, check=True)
    code, output, errors, peak = json.loads(run.stdout)
    assert code == DONE, errors
    (report,) = json.loads(output)["reports"]
    (variable,) = report["precision"]
    return variable, peak * 1024


SHAPES = [
    (2, 300_000),
    (1, 3_000_000),
    (500_000, 2),
    (3, 1, 500_000),
    (12, 70_000),
    (40_000,),
    (30, 40_000),
    (1, 1),
]


def long_rows(path: Path, shape: tuple[int, ...]) -> Path:
    chance = np.random.default_rng(SEED)
    values = 280 + np.cumsum(chance.normal(0, 0.01, int(np.prod(shape))))
    with h5py.File(path, "w") as file:
        chunk = tuple(min(n, 50_000) for n in shape)
        file.create_dataset("v", data=values.reshape(shape).astype("f4"), chunks=chunk)
    return path


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_judging_rounded_values_keeps_to_its_memory_whatever_the_shape(
    tmp_path: Path, shape: tuple[int, ...]
):
    source = long_rows(tmp_path / "source.h5", shape)
    pack(source, tmp_path / "packed.h5", "--rel-error", 1e-3, "--memory", "64MiB")
    files = (source, tmp_path / "packed.h5")
    small, peak = measured(*files, "--memory", "48MiB", "--threads", 2)
    # The program itself and its libraries take about 40 MiB.
    assert peak < (48 + 64) * MIB, peak / MIB
    large, _ = measured(*files, "--memory", "1GiB", "--threads", 1)
    exact = ("values", "changed", "max_absolute_error", "max_relative_error", "beyond_bound")
    assert {key: small[key] for key in exact} == {key: large[key] for key in exact}
    assert small["rmse"] == pytest.approx(large["rmse"], rel=1e-9, abs=1e-300)
    if int(np.prod(shape)) * 4 <= 6 * MIB:
        # Slices are whole in both.
        for key in ("gradient_error", "spectral_error", "ssim"):
            assert small[key] == (large[key] and pytest.approx(large[key], rel=1e-6)), key


def test_a_rounded_variable_may_be_empty_or_a_scalar(tmp_path: Path):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["empty"] = np.zeros((0, 7), "f4")
        file["one"] = np.float32(1 / 3)
    pack(tmp_path / "source.h5", tmp_path / "packed.h5", "--rel-error", 0.01, "--verify")
    assert frazil("verify", tmp_path / "source.h5", tmp_path / "packed.h5").code == DONE


def test_figures_of_long_rows_are_those_of_their_definitions(tmp_path: Path):
    """Rows of more than one strip: what lies at the border of two counts as everything else."""
    source = long_rows(tmp_path / "source.h5", (12, 40_000))
    pack(source, tmp_path / "packed.h5", "--rel-error", 1e-3)
    found, _ = measured(source, tmp_path / "packed.h5")
    x, y = (h5py.File(path)["v"][...].astype("f8") for path in (source, tmp_path / "packed.h5"))
    differences = [
        np.concatenate([np.diff(v, axis=axis).ravel() for axis in (0, 1)]) for v in (x, y)
    ]
    error = differences[1] - differences[0]
    expected = np.sqrt((error**2).sum() / (differences[0] ** 2).sum())
    assert found["gradient_error"] == pytest.approx(expected, rel=1e-9)
    powers = [np.abs(np.fft.rfft(v[:, :32768], axis=1))[:, 1:] ** 2 for v in (x, y)]
    original, rounded = (power.sum(axis=0) for power in powers)
    expected = np.sqrt((((rounded - original) / original) ** 2).mean())
    assert found["spectral_error"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("words", [("--nbits", "v:8"), ("--pack-integers", "v:0.1")])
def test_ranges_of_what_was_hardly_written_are_found_at_once(tmp_path: Path, words: tuple):
    source, target = tmp_path / "in.h5", tmp_path / "out.h5"
    values = np.linspace(5, 68, 64, dtype="f4")
    with h5py.File(source, "w") as file:
        variable = file.create_dataset("v", (1 << 38,), "f4", chunks=(64,), fillvalue=-9)
        variable.attrs["_FillValue"] = np.float32(-9)
        variable[640:704] = values
    foretold = frazil("pack", source, "-o", target, *words, "--dry-run", "--json", timeout=60)
    assert foretold.report["reports"][0]["seconds"] < 60, "what is not there takes no time"
    outcome = frazil("pack", source, "-o", target, *words, "--verify", timeout=60)
    assert outcome.code == DONE, outcome.stderr
    with h5py.File(target) as file:
        found = file["v"]
        scale, offset = (found.attrs.get(name, [kind])[0] for name, kind in UNPACKED.items())
        assert np.abs(found[640:704] * scale + offset - values).max() <= 0.25
        assert found[7] == found.fillvalue


# What CF's attributes are where there are none.
UNPACKED = {"scale_factor": np.float32(1), "add_offset": np.float32(0)}


def test_bounds_that_erase_a_field_are_told(tmp_path: Path):
    """One bound for all variables is wide for those of small values."""
    source = tmp_path / "in.nc"
    row, column = np.mgrid[0:60, 0:80]
    waves = np.sin(row / 9) * np.cos(column / 7)
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("y", 60)
        file.createDimension("x", 80)
        fields = {"T": 280 + 10 * waves, "q": 1e-3 * (1 + waves), "level": np.full((60, 80), 1e-3)}
        for name, values in fields.items():
            file.createVariable(name, "f4", ("y", "x"), fill_value=-999)[:] = values

    def notes(*options: str) -> str:
        outcome = frazil("pack", source, "-o", tmp_path / "out.nc", "--overwrite", *options)
        assert outcome.code == DONE, outcome.stderr
        return outcome.stderr

    told = notes("--abs-error", "0.01")
    assert "loses much of q, level:" in told and "--abs-error 'q:X'" in told, told
    verified = frazil("verify", source, tmp_path / "out.nc")
    assert verified.code == DONE and "rounding lost much of q, whatever" in verified.stderr
    assert "loses much of level:" in notes("--abs-error", "0.01", "--abs-error", "q:1e-5")
    assert "loses much" not in notes("--abs-error", "T:0.01")
    assert "lost much" not in frazil("verify", source, tmp_path / "out.nc").stderr
    assert "loses much" not in notes("--rel-error", "0.01")
    assert "loses much of T, q:" in notes("--digits", "1")
    for words in (["--pack-integers", "T:50"], ["--nbits", "1", "--lossless", "level,q"]):
        assert "loses much of T:" in notes(*words), words
