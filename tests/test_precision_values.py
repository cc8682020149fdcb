"""Rounded values: netCDF-C's bits for ordinary numbers, no change of special ones, kept bounds."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import pack
from support.precision import pack_by_rules, plain, statement, write_rules
from support.rounding import (
    COUNTS,
    NETCDF_FILL,
    NETCDF_MODES,
    QUANTIZER,
    allowed_errors,
    bitround,
    errors,
    is_normal,
    linear,
    netcdf_rounded,
    numbers_for,
    ordinary_values,
    words,
)

pytestmark = pytest.mark.sampled(one_in=3)

SEED = 20260718

needs_new_netcdf = pytest.mark.skipif(
    netCDF4.__netcdf4libversion__ < "4.10", reason="netCDF-C before 4.10 counts digits otherwise"
)
every_type = pytest.mark.parametrize("dtype", ["f4", "f8"])
every_algorithm = pytest.mark.parametrize("algorithm", NETCDF_MODES)


def write_hdf5(path: Path, **variables: np.ndarray) -> Path:
    with h5py.File(path, "w") as file:
        for name, values in variables.items():
            file.create_dataset(name, data=values)
    return path


def read(path: Path, name: str) -> np.ndarray:
    with h5py.File(path) as file:
        return file[name][...]


@needs_new_netcdf
@every_type
@every_algorithm
def test_ordinary_values_get_netcdfs_bits_at_every_number(
    tmp_path: Path, algorithm: str, dtype: str
):
    numbers = numbers_for(algorithm, dtype)
    count = 1 << (18 if dtype == "f4" else 16)
    inputs = {f"v{n}": ordinary_values(count, dtype, SEED + n) for n in numbers}
    source = write_hdf5(tmp_path / "source.h5", **inputs)
    options = [word for n in numbers for word in (COUNTS[algorithm], f"v{n}:{n}")]
    options += ["--quantizer", QUANTIZER[algorithm], "--level", 0]
    pack(source, tmp_path / "packed.h5", *options)
    for n in numbers:
        expected = netcdf_rounded(tmp_path / "netcdf.nc", inputs[f"v{n}"], algorithm, n)
        found = read(tmp_path / "packed.h5", f"v{n}")
        # What netCDF-C makes missing data of (a value rounded to the fill value) is left alone.
        becomes_fill = expected == np.dtype(dtype).type(NETCDF_FILL)
        expected[becomes_fill] = inputs[f"v{n}"][becomes_fill]
        different = np.flatnonzero(words(found) != words(expected))
        assert different.size == 0, (n, inputs[f"v{n}"][different[:3]], found[different[:3]])
        assert n >= MANY[dtype] or (words(found) != words(inputs[f"v{n}"])).any()


# From here on a rounding may leave all values as they are.
MANY = {"f4": 22, "f8": 51}


# Odd sizes, so that rows and chunks begin at odd and even indexes in turn.
SHAPES = [
    ((10_007,), (1_001,)),
    ((101, 103), (10, 103)),
    ((101, 103), (7, 11)),
    ((13, 17, 19), (13, 3, 5)),
    ((5, 7, 9, 11), (2, 3, 9, 5)),
    ((5, 7, 9, 11), (1, 1, 1, 11)),
]


@needs_new_netcdf
@pytest.mark.parametrize(("shape", "chunk"), SHAPES)
@pytest.mark.parametrize("threads", [1, 3])
def test_bitgroom_goes_by_the_index_in_the_whole_variable(
    tmp_path: Path, shape: tuple, chunk: tuple, threads: int
):
    values = ordinary_values(int(np.prod(shape)), "f4", SEED).reshape(shape)
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file.create_dataset("v", data=values, chunks=chunk)
    bitgroom = ("--quantizer", "bitgroom", "--digits", 3, "--threads", threads)
    expected = netcdf_rounded(tmp_path / "netcdf.nc", values, "bitgroom", 3)
    # Other chunks than the input's must not change a value.
    for name, option in {"kept": "--keep-chunks", "chosen": "--quiet"}.items():
        pack(tmp_path / "source.h5", tmp_path / f"{name}.h5", option, *bitgroom)
        assert (words(read(tmp_path / f"{name}.h5", "v")) == words(expected)).all()
    with h5py.File(tmp_path / "kept.h5") as file:
        assert file["v"].chunks == chunk


def test_bitgroom_in_records_of_a_classic_file(tmp_path: Path):
    values = ordinary_values(11 * 7 * 3, "f4", SEED).reshape(11, 7, 3)
    with netCDF4.Dataset(tmp_path / "source.nc", "w", format="NETCDF3_CLASSIC") as file:
        for name, size in {"time": None, "y": 7, "x": 3}.items():
            file.createDimension(name, size)
        file.createVariable("other", "i2", ("time", "x"))[:] = np.ones((11, 3))
        file.createVariable("v", "f4", ("time", "y", "x"))[:] = values
    pack(tmp_path / "source.nc", tmp_path / "packed.nc", "--quantizer", "bitgroom", "--digits", 2)
    expected = netcdf_rounded(tmp_path / "netcdf.nc", values, "bitgroom", 2)
    assert (words(read(tmp_path / "packed.nc", "v")) == words(expected)).all()


# Rounded values of pi as hexadecimal words, by digits (bits for BitRound): netCDF-C 4.10.1. The
# even elements of BitGroom are rows 1 to 6 of Zender's table (2016, doi:10.5194/gmd-9-3199-2016).
PI_4 = {
    "bitgroom even": "40480000 40490000 40490000 40490f00 40490fc0 40490fd8",
    "bitgroom odd": "404bffff 40497fff 40490fff 40490fff 40490fdf 40490fdb",
    "granular_bitround": "40400000 40480000 40490000 40491000 40491000 40490fe0",
    "bitround": "40400000 40400000 40500000 40480000 40480000 404a0000 40490000",
}
PI_8 = {
    "bitgroom even": "4009000000000000 4009200000000000 4009200000000000 400921e000000000"
    " 400921f800000000 400921fb00000000 400921fb50000000 400921fb54000000",
    "bitgroom odd": "40097fffffffffff 40092fffffffffff 400921ffffffffff 400921ffffffffff"
    " 400921fbffffffff 400921fb7fffffff 400921fb57ffffff 400921fb54ffffff",
    "granular_bitround": "4008000000000000 4009000000000000 4009200000000000 4009220000000000"
    " 4009220000000000 400921fc00000000 400921fb80000000 400921fb58000000",
}
ZENDER_DECIMALS = ["3.12500000", "3.14062500", "3.14062500", "3.14154053", "3.14158630"]


@pytest.mark.parametrize(("dtype", "table"), [("f4", PI_4), ("f8", PI_8)], ids=["f4", "f8"])
def test_the_published_table_of_pi(tmp_path: Path, dtype: str, table: dict[str, str]):
    for algorithm in NETCDF_MODES:
        rows = {key: row.split() for key, row in table.items() if key.startswith(algorithm)}
        if not rows:
            continue
        numbers = range(1, len(next(iter(rows.values()))) + 1)
        folder = tmp_path / algorithm
        folder.mkdir()
        pi = np.array([np.pi, np.pi, -np.pi, -np.pi], dtype)
        source = write_hdf5(folder / "pi.h5", **{f"n{n}": pi for n in numbers})
        options = [word for n in numbers for word in (COUNTS[algorithm], f"n{n}:{n}")]
        pack(source, folder / "packed.h5", "--quantizer", QUANTIZER[algorithm], *options)
        even, odd = (rows.get(f"{algorithm} {which}") for which in ("even", "odd"))
        even, odd = even or rows[algorithm], odd or rows[algorithm]
        sign = np.dtype(f"u{pi.itemsize}").type(1 << (8 * pi.itemsize - 1))
        for n in numbers:
            found = words(read(folder / "packed.h5", f"n{n}"))
            expected = [int(even[n - 1], 16), int(odd[n - 1], 16)]
            assert found[:2].tolist() == expected, (algorithm, n)
            assert (found[2:] ^ sign).tolist() == expected, (algorithm, n)


def test_zenders_decimals_are_those_words():
    for text, word in zip(ZENDER_DECIMALS, PI_4["bitgroom even"].split(), strict=False):
        value = np.array([int(word, 16)], "u4").view("f4")[0]
        assert f"{value:.8f}" == text


# Rules under which nothing special may change.
ROUNDINGS = {
    "bits": {"significant_bits": 5},
    "digits": {"significant_digits": 2},
    "bitgroom": {"significant_digits": 2, "algorithm": "bitgroom"},
    "absolute": {"absolute_tolerance": 0.75},
    "relative": {"relative_tolerance_percent": 3.0},
    "both": {"absolute_tolerance": 0.5, "relative_tolerance_percent": 1.0},
    "nbits": {"nbits": 7},
}
FILL, MISSING, LOW, HIGH, EXTRA = -9999.25, (-77.125, 1e20), -5000.0, 9000.0, 33.21


def special_words(dtype: str) -> np.ndarray:
    """NaN with payloads, infinities, zeros, subnormals; fill, missing values, outsiders."""
    size = np.dtype(dtype).itemsize
    word = np.dtype(f"u{size}").type
    mantissa = 23 if size == 4 else 52
    infinity = np.array(np.inf, dtype).view(word)
    sign = word(1 << (8 * size - 1))
    patterns = [infinity, infinity | word(1), infinity | word(0x1234), word(0)]
    patterns += [infinity | word(1 << (mantissa - 1)), infinity | word((3 << (mantissa - 2)) + 5)]
    patterns += [word(1), word(0x3671F7), word((1 << mantissa) - 1)]
    patterns += [pattern | sign for pattern in patterns]
    known = np.array([FILL, *MISSING, EXTRA, -5000.5, -1e6, 9000.7, 1e30], dtype)
    return np.concatenate([np.array(patterns, word), known.view(word)])


def values_among_specials(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Values with every special one at even and odd places; and which are special."""
    special = special_words(dtype)
    chance = np.random.default_rng(SEED)
    content = words((chance.normal(300, 90, 4001)).astype(dtype)).copy()
    places = np.arange(7, 7 + 13 * 2 * special.size, 13)
    content[places] = np.repeat(special, 2)
    mask = np.zeros(content.size, bool)
    mask[places] = True
    return content.view(dtype), mask


SPECIAL_ATTRIBUTES = {"missing_value": MISSING, "valid_range": (LOW, HIGH)}


def write_specials(path: Path, form: str) -> Path:
    if form.startswith("NETCDF"):
        with netCDF4.Dataset(path, "w", format=form) as file:
            file.set_auto_maskandscale(False)
            for dtype in ("f4", "f8"):
                values, _ = values_among_specials(dtype)
                if "x" not in file.dimensions:
                    file.createDimension("x", values.size)
                one = file.createVariable(dtype, dtype, ("x",), fill_value=FILL)
                for name, value in SPECIAL_ATTRIBUTES.items():
                    one.setncattr(name, np.array(value, dtype))
                one[:] = values
        return path
    order = ">" if form == "big" else "<"
    with h5py.File(path, "w") as file:
        for dtype in ("f4", "f8"):
            values, _ = values_among_specials(dtype)
            stored = words(values).astype(f"{order}u{values.itemsize}").view(order + dtype)
            one = file.create_dataset(dtype, data=stored, fillvalue=FILL, chunks=(501,))
            assert one.dtype == np.dtype(order + dtype)
            for name, value in SPECIAL_ATTRIBUTES.items():
                one.attrs[name] = np.array(value, stored.dtype)
    return path


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF4", "big", "little"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_special_values_keep_every_bit(tmp_path: Path, form: str, rounding: str):
    source = write_specials(tmp_path / "source.nc", form)
    rule = {"variables": "*", "special_values": [EXTRA], **ROUNDINGS[rounding]}
    pack_by_rules(source, tmp_path / "packed.nc", rule)
    for dtype in ("f4", "f8"):
        values, special = values_among_specials(dtype)
        found = read(tmp_path / "packed.nc", dtype)
        assert (words(found)[special] == words(values)[special]).all()
        changed = words(found) != words(values)
        assert changed.sum() > 3000
        assert np.isfinite(found[~special]).all()
        assert (errors(values, found)[~special] <= 8).all()


@pytest.mark.parametrize("rounding", [name for name in ROUNDINGS if name != "nbits"])
@every_type
def test_the_largest_values_stay_finite_and_the_smallest_normal(
    tmp_path: Path, rounding: str, dtype: str
):
    limits = np.finfo(dtype)
    steps = np.arange(40, dtype=f"u{limits.dtype.itemsize}")
    largest = (words(np.full(40, limits.max, dtype)) - steps).view(dtype)
    smallest = (words(np.full(40, limits.tiny, dtype)) + steps).view(dtype)
    values = np.concatenate([largest, -largest, smallest, -smallest, np.ones(3, dtype)])
    source = write_hdf5(tmp_path / "source.h5", v=values)
    pack_by_rules(source, tmp_path / "packed.h5", {"variables": "v", **ROUNDINGS[rounding]})
    found = read(tmp_path / "packed.h5", "v")
    # Multiples of a step may be zero.
    is_zero = (found == 0) & (rounding in ("absolute", "both"))
    assert (is_normal(found) | is_zero).all()
    bound = 0.125 * np.abs(values.astype(np.longdouble))
    if rounding not in ("absolute", "both"):
        assert (errors(values, found) <= bound).all()


def test_a_linear_grid_wider_than_its_type_is_no_failure(tmp_path: Path):
    limits = np.finfo("f8")
    source = write_hdf5(tmp_path / "source.h5", v=np.array([limits.max, -limits.max, 1.0, 2.5]))
    pack(source, tmp_path / "packed.h5", "--nbits", 8)
    assert np.isfinite(read(tmp_path / "packed.h5", "v")).all()


def test_lossless_ranges_and_the_users_special_values_stay_exact(tmp_path: Path):
    chance = np.random.default_rng(SEED)
    values = chance.uniform(-100, 100, 20_000)
    values[::50] = 12.3456789
    source = write_hdf5(tmp_path / "source.h5", v=values)
    rule = {
        "variables": "v",
        "significant_digits": 2,
        "lossless_data_range_up_to": -80.5,
        "lossless_data_range_from": 90.25,
        "lossless_data_ranges": [[-1.0, 1.0], [40.0, 50.0]],
        "fill_value": 12.3456789,
    }
    pack_by_rules(source, tmp_path / "packed.h5", rule)
    found = read(tmp_path / "packed.h5", "v")
    exact = (values <= -80.5) | (values >= 90.25) | (np.abs(values) <= 1) | (values == 12.3456789)
    exact |= (values >= 40) & (values <= 50)
    assert (found[exact] == values[exact]).all()
    # Nothing may become what is protected, either.
    inside = (found <= -80.5) | (found >= 90.25) | (np.abs(found) <= 1) | (found == 12.3456789)
    assert not (inside & ~exact).any()
    assert (found != values)[~exact].mean() > 0.99


BOUNDS = {
    "absolute": {"absolute": 0.013},
    "tiny absolute": {"absolute": 1e-7},
    "relative": {"relative": 0.001},
    "coarse relative": {"relative": 0.3},
    "both": {"absolute": 0.02, "relative": 0.001},
    "with a floor": {"relative": 0.001, "finest": 0.01},
    "all three": {"absolute": 0.03, "relative": 0.001, "finest": 0.01},
}


def bound_rule(bound: dict[str, float]) -> dict[str, float]:
    names = {
        "absolute": ("absolute_tolerance", 1),
        "relative": ("relative_tolerance_percent", 100),
        "finest": ("relative_err_finest_abs_tolerance", 1),
    }
    return {names[key][0]: value * names[key][1] for key, value in bound.items()}


def wide_field(dtype: str) -> np.ndarray:
    """Slabs of very different sizes, so that chunks need different numbers of bits."""
    chance = np.random.default_rng(SEED)
    values = chance.normal(1, 3, (24, 40, 50)) * 10.0 ** np.linspace(-6, 5, 24)[:, None, None]
    values[3, 4:9] = np.nan
    values[5, ::3] = 0
    values[8] = NETCDF_FILL
    return values.astype(dtype)


@every_type
@pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS)
def test_bounds_hold_with_the_fewest_bits(tmp_path: Path, bound: dict[str, float], dtype: str):
    values = wide_field(dtype)
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file.create_dataset("v", data=values, chunks=(1, 20, 25))
    rule = {"variables": "v", **bound_rule(bound)}
    options = ("--keep-chunks",)
    pack_by_rules(tmp_path / "source.h5", tmp_path / "packed.h5", rule, options=options)
    found = read(tmp_path / "packed.h5", "v")
    # What the file states is what was asked for, but for the rounding of percents.
    stated = statement(tmp_path / "packed.h5", "v")
    exact = {
        "absolute": stated.get("quantization_maximum_absolute_error"),
        "relative": stated.get("quantization_maximum_relative_error"),
        "finest": stated.get("quantization_finest_absolute_error", 0.0),
    }
    assert {key: exact[key] for key in bound} == pytest.approx(bound, rel=1e-15)
    ordinary = is_normal(values) & (values != np.dtype(dtype).type(NETCDF_FILL))
    assert (words(found)[~ordinary] == words(values)[~ordinary]).all()
    limit = allowed_errors(values, **exact)
    assert (errors(values, found)[ordinary] <= limit[ordinary]).all()

    kept = []
    if set(bound) != {"relative"}:
        expected, bits = nearest(values[ordinary], exact)
        assert (words(found[ordinary]) == words(expected)).all()
        assert stated["quantization_nsb"] == bits
        return
    for chunk in chunks_of(values.shape, (1, 20, 25)):
        if not ordinary[chunk].any():
            continue
        fewest = fewest_bits(values[chunk], ordinary[chunk], limit[chunk])
        expected = np.where(ordinary[chunk], bitround(values[chunk], fewest), values[chunk])
        assert (words(found[chunk]) == words(expected))[ordinary[chunk]].all(), (chunk, fewest)
        kept.append(fewest)
    assert stated["quantization_nsb"] == min(kept)


def nearest(values: np.ndarray, exact: dict[str, float]) -> tuple[np.ndarray, int]:
    """The nearest multiples of the largest powers of two that keep a bound for all values up to the
    next power of two; and the fewest mantissa bits, at least one, that any value then has."""
    exponents = np.floor(np.log2(np.abs(values).astype("f8")))
    steps = np.floor(np.log2(2 * allowed_errors(2.0**exponents, **exact)))
    numbers = np.abs(values).astype("f8") / 2.0**steps
    whole = np.where(numbers < 2.0**52, np.floor(numbers + 0.5), numbers) * 2.0**steps
    # Nothing is left of the sign of zero.
    expected = (np.sign(values) * whole + 0.0).astype(values.dtype)
    most = np.finfo(values.dtype).nmant
    return expected, int(np.clip(exponents - steps, 1, most).min())


def chunks_of(shape: tuple, chunk: tuple):
    steps = [range(0, size, step) for size, step in zip(shape, chunk, strict=True)]
    for start in np.stack(np.meshgrid(*steps, indexing="ij"), -1).reshape(-1, len(shape)):
        yield tuple(slice(a, a + n) for a, n in zip(start, chunk, strict=True))


def fewest_bits(values: np.ndarray, ordinary: np.ndarray, limit: np.ndarray) -> int:
    """The smallest number of mantissa bits that keeps every error within its limit."""
    most = 23 if values.dtype.itemsize == 4 else 52
    for bits in range(1, most):
        if (errors(values, bitround(values, bits))[ordinary] <= limit[ordinary]).all():
            return bits
    return most


@every_type
@pytest.mark.parametrize("bound", [{"absolute": 0.1}, {"relative": 1e-3}], ids=["abs", "rel"])
def test_bounds_hold_for_millions_of_bit_patterns(tmp_path: Path, bound: dict, dtype: str):
    chance = np.random.default_rng(SEED)
    size = np.dtype(dtype).itemsize
    patterns = chance.integers(0, 1 << 32, 1 << 22, "u4").view(f"u{size}")
    values = patterns.view(dtype)
    if "absolute" in bound:
        # The largest value of a chunk decides: here all have the same few exponents.
        with np.errstate(invalid="ignore"):
            values = np.fmod(values, np.dtype(dtype).type(1000))
    source = write_hdf5(tmp_path / "source.h5", v=values)
    pack_by_rules(
        source, tmp_path / "packed.h5", {"variables": "v", **bound_rule(bound)}, options=FAST
    )
    found = read(tmp_path / "packed.h5", "v")
    normal = is_normal(values)
    assert (words(found)[~normal] == words(values)[~normal]).all()
    key = "quantization_maximum_relative_error" if "relative" in bound else None
    exact = {"relative": statement(tmp_path / "packed.h5", "v")[key]} if key else bound
    assert (errors(values, found) <= allowed_errors(values, **exact))[normal].all()
    assert (words(found) != words(values)).any()


FAST = ("--level", 0)


@every_type
@pytest.mark.parametrize("nbits", [1, 8, 14, 20])
def test_nbits_is_the_gfs_formula(tmp_path: Path, dtype: str, nbits: int):
    chance = np.random.default_rng(SEED)
    values = (chance.normal(285, 20, (30, 40, 50))).astype(dtype)
    missing = chance.random(values.shape) < 0.1
    values[missing] = 9.99e20
    with h5py.File(tmp_path / "source.h5", "w") as file:
        one = file.create_dataset("v", data=values, chunks=(7, 11, 13))
        one.attrs["missing_value"] = np.array([9.99e20], dtype)
    pack(tmp_path / "source.h5", tmp_path / "packed.h5", "--nbits", nbits)
    found = read(tmp_path / "packed.h5", "v")
    assert (found[missing] == values[missing]).all()
    assert (found[~missing] == linear(values[~missing], nbits)).all()
    stated = statement(tmp_path / "packed.h5", "v")
    assert stated["nbits"] == nbits
    worst = float(errors(values, found)[~missing].max())
    assert stated["max_abs_compression_error"] == pytest.approx(worst, rel=1e-12)
    assert worst <= stated["quantization_maximum_absolute_error"]
    with h5py.File(tmp_path / "packed.h5") as file:
        assert file["v"].attrs["nbits"].dtype.kind == "i"
        assert np.unique(file["v"][...]).size <= 2**nbits + 1


@every_type
@pytest.mark.parametrize("rounding", ["bits", "bitgroom"])
def test_rounding_twice_changes_nothing_more(tmp_path: Path, rounding: str, dtype: str):
    values = ordinary_values(1 << 18, dtype, SEED)
    source = write_hdf5(tmp_path / "source.h5", v=values)
    rule = {"variables": "v", **ROUNDINGS[rounding]}
    pack_by_rules(source, tmp_path / "once.h5", rule, options=FAST)
    once = read(tmp_path / "once.h5", "v")
    # Without the statement of the first rounding, so that the second one is done.
    again = write_hdf5(tmp_path / "again.h5", v=once)
    pack_by_rules(again, tmp_path / "twice.h5", rule, options=FAST)
    assert (words(once) != words(values)).any()
    assert (words(read(tmp_path / "twice.h5", "v")) == words(once)).all()
    assert "quantization" in statement(tmp_path / "twice.h5", "v")


def test_the_number_of_threads_changes_no_byte(tmp_path: Path):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        for name in ("a", "b", "c"):
            file.create_dataset(name, data=wide_field("f4"), chunks=(1, 20, 25))
    rules = write_rules(
        tmp_path / "rules.toml",
        {"variables": "a", "absolute_tolerance": 0.01},
        {"variables": "b", "significant_digits": 3, "algorithm": "bitgroom"},
        {"variables": "c", "nbits": 12},
    )
    for threads in (1, 2, 5):
        options = ("--precision", rules, "--threads", threads)
        pack(tmp_path / "source.h5", tmp_path / f"{threads}.h5", *options)
    first, *others = [(tmp_path / f"{threads}.h5").read_bytes() for threads in (1, 2, 5)]
    assert all(other == first for other in others)
    with h5py.File(tmp_path / "1.h5") as file:
        assert plain(file["c"].attrs["nbits"]) == 12
