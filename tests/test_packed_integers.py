"""Integers with scale_factor and add_offset: other readers unpack them, numpy judges the bound."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from support.command import DONE, FAILED, SAMPLE, frazil, pack
from support.precision import pack_by_rules, verify_json

pytestmark = pytest.mark.sampled(one_in=3)

SEED = 20261126


def write(path: Path, values: np.ndarray, *, kind: str = "NETCDF4", fill=None, **attributes):
    """A file of one variable `v` beside its dimensions."""
    with netCDF4.Dataset(path, "w", format=kind) as file:
        names = [f"d{axis}" for axis in range(values.ndim)]
        for name, extent in zip(names, values.shape, strict=True):
            file.createDimension(name, extent)
        variable = file.createVariable("v", values.dtype, names, fill_value=fill)
        variable.setncatts(attributes)
        variable[:] = values


def raw(path: Path) -> np.ndarray:
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return file["v"][:]


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """What different readers make of the integers; missing ones are NaN."""
    with netCDF4.Dataset(path) as file:
        found = {"netCDF4": np.ma.filled(file["v"][:].astype("f8"), np.nan)}
    with xarray.open_dataset(path, decode_times=False) as file:
        found["xarray"] = file["v"].values.astype("f8")
    with h5py.File(path) as file:
        variable = file["v"]
        codes = variable[:]
        attributes = {name: value.ravel()[0] for name, value in variable.attrs.items()}
        fill = attributes["_FillValue"]
        missing = (codes == fill) | (codes == attributes.get("missing_value", fill))
    for kind in "f4", "f8":
        scale, offset = (attributes[name].astype(kind) for name in ("scale_factor", "add_offset"))
        if kind == "f4" and attributes["scale_factor"].dtype == np.float64:
            continue
        values = (codes.astype(kind) * scale + offset).astype("f8")
        found[f"numpy {kind}"] = np.where(missing, np.nan, values)
    return found


def check(source: np.ndarray, packed: Path, bound: float) -> None:
    """`source` has NaN where values are missing."""
    for reader, values in unpacked(packed).items():
        assert np.array_equal(np.isnan(values), np.isnan(source)), reader
        error = np.nanmax(np.abs(values - source.astype("f8")), initial=0)
        assert error <= bound, (reader, error)


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4", ">f8"])
@pytest.mark.parametrize("case", range(8))
def test_every_reader_unpacks_within_the_bound(tmp_path: Path, dtype: str, case: int):
    chance = np.random.default_rng([SEED, case])
    spread = 10.0 ** chance.uniform(-3, 4)
    centre = spread * chance.choice([0, 1, -30, 300])
    values = (centre + spread * chance.standard_normal((5, 33, 17))).astype(dtype)
    bound = spread * 10.0 ** chance.uniform(-4, -1)
    source, target = tmp_path / "a.nc", tmp_path / "b.nc"
    with netCDF4.Dataset(source, "w") as file:
        for name, extent in zip("tyx", values.shape, strict=True):
            file.createDimension(name, extent)
        endian = "big" if dtype.startswith(">") else "little"
        file.createVariable("v", dtype.lstrip(">"), ("t", "y", "x"), endian=endian)[:] = values
    chunks = "t=2,y=16,x=17"
    pack(source, target, "--pack-integers", f"v:{bound}", "--chunks", chunks, "--verify")
    check(values, target, bound)
    assert verify_json(source, target)[0] == DONE
    with h5py.File(target) as file:
        scale = file["v"].attrs["scale_factor"].item()
    assert np.frexp(scale)[0] == 0.5, "a power of two"
    assert raw(target).dtype in (np.int16, np.int32)


def test_sixteen_bits_where_they_are_enough(tmp_path: Path):
    values = np.linspace(0, 1000, 4096, dtype="f4").reshape(64, 64)
    write(tmp_path / "a.nc", values)
    for bound, expected in (0.5, np.int16), (0.001, np.int32):
        target = tmp_path / f"{bound}.nc"
        pack(tmp_path / "a.nc", target, "--pack-integers", bound)
        assert raw(target).dtype == expected
        check(values, target, bound)


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA"])
@pytest.mark.parametrize("fill", [-9999.0, 1e20, np.nan])
@pytest.mark.parametrize("missing", [None, "the same", 1e35])
def test_values_that_are_no_data_have_codes_of_their_own(tmp_path: Path, kind, fill, missing):
    values = np.linspace(5, 25, 400, dtype="f4").reshape(20, 20)
    fill = np.float32(fill)
    attributes = {}
    if missing is not None:
        missing = fill if missing == "the same" else np.float32(missing)
        attributes["missing_value"] = missing
    write(tmp_path / "a.nc", values, kind=kind, fill=fill, **attributes)
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as file:
        file.set_auto_mask(False)
        file["v"][3, 4:9] = fill
        if missing is not None:
            file["v"][5, 5] = missing
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    expected = values.copy()
    expected[3, 4:9] = np.nan
    if missing is not None:
        expected[5, 5] = np.nan
    check(expected, tmp_path / "b.nc", 0.01)
    codes = raw(tmp_path / "b.nc")
    assert (codes[3, 4:9] == codes[3, 4]).all()
    least = codes[~np.isnan(expected)].min()
    assert (codes[np.isnan(expected)] < least).all()
    if missing is not None and not (missing == fill or np.isnan([missing, fill]).all()):
        assert codes[5, 5] != codes[3, 4], "each keeps its meaning"


def test_nan_without_a_fill_value_become_fill_values(tmp_path: Path):
    values = np.linspace(5, 25, 400, dtype="f8").reshape(20, 20)
    values[2, 2] = np.nan
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file["v"] = values
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    check(values, tmp_path / "b.nc", 0.01)


def test_nan_beside_a_fill_value_have_another_code(tmp_path: Path):
    values = np.linspace(5, 25, 400, dtype="f4").reshape(20, 20)
    values[2, 2], values[3, 3] = np.nan, -5
    write(tmp_path / "a.nc", values, fill=np.float32(-5))
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    codes = raw(tmp_path / "b.nc")
    assert codes[2, 2] != codes[3, 3]
    assert max(codes[2, 2], codes[3, 3]) < np.delete(codes.ravel(), [42, 63]).min()


def test_what_was_never_written_is_fill_value(tmp_path: Path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 100)
        variable = file.createVariable("v", "f4", ("t", "x"), chunksizes=(1, 100))
        variable[0] = np.arange(100)
        variable[3] = np.arange(100)
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.1", "--verify")
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        assert file["v"][:].mask.tolist() == [[row in (1, 2)] * 100 for row in range(4)]


REFUSED = {
    "a valid range": ({"valid_min": np.float32(0)}, None, "valid_min"),
    "unsigned": ({"_Unsigned": "true"}, None, "_Unsigned"),
    "missing values in words": ({"missing_value": "-999"}, None, "text"),
    "too fine a bound": ({}, 1e-9, "bits|as closely as"),
    "infinities": ({}, None, "infinite"),
    "three values that are no data": (
        {"missing_value": np.array([-1, -2, -3], "f4")},
        None,
        "no data",
    ),
}


REFUSED["NaN beside two others"] = ({"missing_value": np.float32(-1)}, None, "no data")


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_packed_is_refused_by_name_and_rounded_by_pattern(tmp_path: Path, why: str):
    attributes, bound, message = REFUSED[why]
    values = np.linspace(5, 25, 400, dtype="f4").reshape(20, 20)
    if why == "infinities":
        values[0, 0] = np.inf
    fill = None
    if why == "NaN beside two others":
        values[0, 0], fill = np.nan, -2.0
    write(tmp_path / "a.nc", values, fill=fill, **attributes)
    bound = bound or 0.01
    target = tmp_path / "b.nc"
    outcome = frazil("pack", tmp_path / "a.nc", "-o", target, "--pack-integers", f"v:{bound}")
    assert outcome.code == FAILED, outcome
    assert any(word in outcome.stderr for word in message.split("|")), outcome.stderr
    assert not target.exists()
    outcome = pack(tmp_path / "a.nc", target, "--pack-integers", bound)
    assert "rounded, not packed into integers" in outcome.stderr
    decided = tmp_path / "decided.toml"
    options = ("--overwrite", "--pack-integers", bound, "--write-precision", decided)
    pack(tmp_path / "a.nc", target, *options)
    pack(tmp_path / "a.nc", tmp_path / "again.nc", "--precision", decided)
    assert np.array_equal(raw(target), raw(tmp_path / "again.nc"), equal_nan=True)
    found = raw(target)
    finite = np.isfinite(values)
    assert found.dtype == np.float32
    assert np.abs(found - values)[finite].max() <= bound


def test_coordinates_and_packed_variables_stay(tmp_path: Path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("lat", 90)
        lat = file.createVariable("lat", "f4", ("lat",))
        lat.units = "degrees_north"
        lat[:] = np.linspace(-90, 90, 90)
        scaled = file.createVariable("scaled", "f4", ("lat",))
        scaled.scale_factor = 2.0
        scaled.set_auto_scale(False)
        scaled[:] = np.linspace(0, 1, 90)
        count = file.createVariable("count", "i4", ("lat",))
        count[:] = np.arange(90)
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", 0.01)
    with h5py.File(tmp_path / "b.nc") as file:
        types = {name: file[name].dtype for name in ("lat", "scaled", "count")}
    assert types == {"lat": np.float32, "scaled": np.float32, "count": np.int32}


def test_rules_plans_and_python_ask_for_it_as_well(tmp_path: Path):
    values = np.linspace(5, 25, 40_000, dtype="f4").reshape(200, 200)
    source = tmp_path / "a.nc"
    write(source, values)
    rule = {"variables": "v", "absolute_tolerance": 0.01, "pack_integers": True}
    decided = tmp_path / "decided.toml"
    pack_by_rules(source, tmp_path / "rule.nc", rule, options=("--write-precision", decided))
    pack(source, tmp_path / "again.nc", "--precision", decided)
    plan = tmp_path / "plan.json"
    assert frazil("plan", source, "--pack-integers", "v:0.01", "--json", plan).code == DONE
    pack(source, tmp_path / "planned.nc", "--plan", plan)
    for name in "rule", "again", "planned":
        check(values, tmp_path / f"{name}.nc", 0.01)
    # A plan is for other values, too.
    write(tmp_path / "other.nc", values * 100)
    pack(tmp_path / "other.nc", tmp_path / "other_packed.nc", "--plan", plan)
    check(values * 100, tmp_path / "other_packed.nc", 0.01)


def test_other_precision_beside_it_is_refused(tmp_path: Path):
    for words in ("--digits", "3"), ("--special", "1"), ("--quantizer", "bitround"):
        outcome = frazil(
            "pack", SAMPLE, "-o", tmp_path / "b.nc", "--pack-integers", "T:0.1", *words
        )
        assert outcome.code == FAILED, outcome
        assert "pack_integers" in outcome.stderr, outcome.stderr


def change(name: str, value: object):
    return lambda variable: variable.attrs.modify(name, value)


CHANGES = {
    "a code": lambda variable: variable.__setitem__((7, 7), variable[7, 7] + 1),
    "the scale": lambda variable: change("scale_factor", variable.attrs["scale_factor"] * 2)(
        variable
    ),
    "the scale's type": lambda variable: variable.attrs.create(
        "scale_factor", variable.attrs["scale_factor"].astype("f8")
    ),
    "the offset": lambda variable: change("add_offset", variable.attrs["add_offset"] + 1)(variable),
    "the fill value": change("_FillValue", np.int16(-5)),
    "its type": lambda variable: variable.attrs.create("_FillValue", np.array([-32768], "i4")),
    "no fill value": lambda variable: variable.attrs.pop("_FillValue"),
    "a missing value": lambda variable: variable.attrs.create("missing_value", np.int16([7])),
}


@pytest.mark.parametrize("what", CHANGES)
def test_verify_finds_what_was_changed(tmp_path: Path, what: str):
    values = np.linspace(5, 25, 400, dtype="f4").reshape(20, 20)
    values[1, 1] = -9
    write(tmp_path / "a.nc", values, fill=np.float32(-9))
    target = tmp_path / "b.nc"
    pack(tmp_path / "a.nc", target, "--pack-integers", "v:0.01", "--verify")
    assert verify_json(tmp_path / "a.nc", target)[0] == DONE
    with h5py.File(target, "a") as file:
        CHANGES[what](file["v"])
    assert verify_json(tmp_path / "a.nc", target)[0] == FAILED


@pytest.mark.parametrize("fill", [0.0, 7.5, None])
def test_data_next_to_a_fill_value_in_their_midst_stay_data(tmp_path: Path, fill):
    values = np.linspace(-10, 10, 4000, dtype="f4").reshape(40, 100)
    write(tmp_path / "a.nc", values, fill=fill, actual_range=np.float32([-10, 10]))
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    check(np.where(values == fill, np.nan, values), tmp_path / "b.nc", 0.01)


@pytest.mark.parametrize("name", ["_FillValue", "missing_value"])
def test_zeros_of_both_signs_are_missing_where_zero_is(tmp_path: Path, name: str):
    values = np.array([-0.0, 0.0, 1, 2, np.nan], "f4")
    fill, attributes = (0.0, {}) if name == "_FillValue" else (None, {name: np.float32(0)})
    write(tmp_path / "a.nc", values, fill=fill, **attributes)
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    check(np.where(values == 0, np.nan, values), tmp_path / "b.nc", 0.01)


def test_checksums_of_the_input_stay(tmp_path: Path):
    values = np.linspace(5, 25, 4000, dtype="f4").reshape(40, 100)
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file.create_dataset("v", data=values, chunks=(40, 100), compression=4, fletcher32=True)
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    with h5py.File(tmp_path / "b.nc") as file:
        assert file["v"].fletcher32
    check(values, tmp_path / "b.nc", 0.01)


def test_unwritten_and_missing_values_of_old_files(tmp_path: Path):
    values = np.linspace(5, 25, 400, dtype="f4").reshape(20, 20)
    values[0, 0], values[1, 1] = 9.969209968386869e36, -999
    write(tmp_path / "a.nc", values, kind="NETCDF3_CLASSIC", missing_value=np.float32(-999))
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    values[0, 0] = values[1, 1] = np.nan
    check(values, tmp_path / "b.nc", 0.01)


def test_the_sample_becomes_smaller_and_its_other_variables_stay(tmp_path: Path):
    target = tmp_path / "b.nc"
    pack(SAMPLE, target, "--pack-integers", "T:0.01", "--verify")
    assert frazil("verify", SAMPLE, target).code == DONE
    with netCDF4.Dataset(SAMPLE) as a, netCDF4.Dataset(target) as b:
        assert np.abs(a["T"][:].astype("f8") - b["T"][:].astype("f8")).max() <= 0.01
        assert b["T"].units == a["T"].units
        for name in a.variables:
            if name != "T":
                assert np.array_equal(a[name][:], b[name][:])
        size = {name: b[name].dtype for name in b.variables}
    assert size["T"] == np.int16


def test_a_file_is_packed_in_place(tmp_path: Path):
    values = np.linspace(5, 25, 40_000, dtype="f4").reshape(200, 200)
    write(tmp_path / "a.nc", values)
    outcome = frazil("pack", "--in-place", tmp_path / "a.nc", "--pack-integers", "v:0.01")
    assert outcome.code == DONE, outcome
    check(values, tmp_path / "a.nc", 0.01)


def test_filters_of_the_input_are_not_those_of_the_integers(tmp_path: Path):
    values = np.round(np.random.default_rng(SEED).normal(280, 9, (40, 100, 50)), 1).astype("f8")
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file.create_dataset("v", data=values, chunks=(40, 100, 50), shuffle=True, compression=4)
    for goal in "balanced", "size", "archive":
        target = tmp_path / f"{goal}.nc"
        pack(tmp_path / "a.nc", target, "--pack-integers", "v:0.01", "--goal", goal, "--verify")
        check(values, target, 0.01)


def test_nans_that_signal_are_fill_values(tmp_path: Path):
    values = np.linspace(0, 1, 2000, dtype="f4")
    # As gfortran's -finit-real=snan leaves what no program sets.
    values.view("u4")[::50] = 0x7FA00000
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("x", 2000)
        file.createVariable("v", "f4", ("x",))[:] = values
    pack(tmp_path / "a.nc", tmp_path / "b.nc", "--pack-integers", "v:0.01", "--verify")
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        found = file["v"][:]
    assert np.array_equal(np.ma.getmaskarray(found), np.isnan(values))
    assert frazil("verify", tmp_path / "a.nc", tmp_path / "b.nc").code == DONE
