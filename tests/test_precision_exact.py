"""What no rounding touches: floats of other bits than IEEE 754's, coordinates in all spellings,
flags, packed numbers, and attributes of other tools."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from h5py import h5d, h5s, h5t
from support.command import DONE, frazil, pack
from support.precision import notices, plain, statement, verify_json

DIGITS = ("--digits", 2)


def raw(path: Path, name: str) -> bytes:
    """The stored bytes of a dataset, in its own type."""
    with h5py.File(path) as file:
        dataset = file[name]
        size = dataset.id.get_type().get_size()
        buffer = np.zeros(dataset.size, f"V{size}")
        dataset.id.read(h5s.ALL, h5s.ALL, buffer, mtype=dataset.id.get_type())
        return buffer.tobytes()


def changed(source: Path, packed: Path, name: str) -> bool:
    return raw(source, name) != raw(packed, name)


# Floats.


def other_bias() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F32LE.copy()
    kind.set_ebias(63)
    return kind


def wide_exponent() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F32LE.copy()
    kind.set_fields(31, 20, 11, 0, 20)
    kind.set_ebias(1023)
    return kind


def padded_single() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F32LE.copy()
    kind.set_fields(28, 20, 8, 0, 20)
    kind.set_precision(29)
    return kind


def padded_double() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F64LE.copy()
    kind.set_fields(47, 36, 11, 0, 36)
    kind.set_precision(48)
    return kind


def narrow_exponent() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F64LE.copy()
    kind.set_fields(63, 55, 8, 0, 55)
    kind.set_ebias(127)
    return kind


def stored_first_bit() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F64BE.copy()
    kind.set_norm(h5t.NORM_MSBSET)
    return kind


def bfloat16() -> h5t.TypeFloatID:
    kind = h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_precision(16)
    kind.set_size(2)
    return kind


OTHER_FLOATS = {
    "other_bias": other_bias,
    "wide_exponent": wide_exponent,
    "padded_single": padded_single,
    "padded_double": padded_double,
    "narrow_exponent": narrow_exponent,
    "stored_first_bit": stored_first_bit,
    "bfloat16": bfloat16,
    "half": lambda: h5t.IEEE_F16BE,
    "long_double": lambda: h5t.NATIVE_LDOUBLE,
}


def with_float(path: Path, kind: h5t.TypeFloatID) -> Path:
    chance = np.random.default_rng(3)
    values = 20 + np.cumsum(chance.normal(0, 0.1, (60, 100)), 1)
    with h5py.File(path, "w") as file:
        for name, datatype in (("v", kind), ("f4be", h5t.IEEE_F32BE), ("f8le", h5t.IEEE_F64LE)):
            dataset = h5d.create(file.id, name.encode(), datatype, h5s.create_simple(values.shape))
            dataset.write(h5s.ALL, h5s.ALL, values)
    return path


@pytest.mark.parametrize("name", OTHER_FLOATS)
@pytest.mark.parametrize("precision", [("--abs-error", 0.01), DIGITS, ("--nbits", 8)])
def test_only_floats_of_ieee_754_are_rounded(tmp_path: Path, name: str, precision: tuple):
    source = with_float(tmp_path / "source.h5", OTHER_FLOATS[name]())
    outcome = pack(source, tmp_path / "packed.h5", *precision, "--verify")
    assert not changed(source, tmp_path / "packed.h5", "v")
    assert statement(tmp_path / "packed.h5", "v") == {}
    (line,) = [line for line in notices(outcome) if "kept exact: floating point" in line]
    assert line.endswith(": v"), line
    # The others are, whatever their byte order.
    assert changed(source, tmp_path / "packed.h5", "f4be")
    assert changed(source, tmp_path / "packed.h5", "f8le")
    code, _ = verify_json(source, tmp_path / "packed.h5")
    assert code == DONE


def test_a_statement_on_another_float_promises_nothing(tmp_path: Path):
    source = with_float(tmp_path / "source.h5", other_bias())
    pack(source, tmp_path / "packed.h5", "--level", 1)
    with h5py.File(tmp_path / "packed.h5", "r+") as file:
        file["v"].attrs["quantization_maximum_absolute_error"] = 1e6
        file["v"][0, 0] = 77.0
    code, _ = verify_json(source, tmp_path / "packed.h5")
    assert code != DONE


@pytest.mark.parametrize(
    ("dtype", "reason"),
    [
        ("i2", "integers"),
        (np.dtype([("a", "f4"), ("b", "f8")]), "compounds"),
        (np.dtype(("f4", (3,))), "arrays inside elements"),
        ("c8", "compounds"),
        ("S4", "text"),
        ("f2", "floating point of 16 bits"),
    ],
)
def test_a_variable_that_is_named_and_cannot_be_rounded_is_refused(
    tmp_path: Path, dtype: object, reason: str
):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file.create_dataset("v", shape=(40,), dtype=dtype)
        file["t"] = np.linspace(0, 1, 40, dtype="f4")
    outcome = frazil("pack", tmp_path / "source.h5", "-o", tmp_path / "no.h5", "--digits", "v:3")
    assert outcome.code != DONE and reason in outcome.stderr and "/v" in outcome.stderr
    assert not (tmp_path / "no.h5").exists()
    # Whoever asks for all gets what can be had.
    pack(tmp_path / "source.h5", tmp_path / "packed.h5", *DIGITS)
    assert not changed(tmp_path / "source.h5", tmp_path / "packed.h5", "v")
    assert changed(tmp_path / "source.h5", tmp_path / "packed.h5", "t")


# Coordinates.

FIELD = 50 + np.cumsum(np.random.default_rng(0).normal(0, 0.01, (40, 60)), 1)


def with_variables(path: Path, variables: dict[str, dict], dtype: str = "f8") -> Path:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", 40)
        file.createDimension("x", 60)
        for name, attributes in variables.items():
            variable = file.createVariable(name, dtype, ("y", "x"))
            variable.set_auto_maskandscale(False)
            for key, value in attributes.items():
                variable.setncattr(key, value)
            variable[:] = FIELD
    return path


POSITIONS = [
    f"{degree}{direction}{end}"
    for degree in ("degrees", "degree", "Degrees", "DEGREES")
    for direction in ("_north", "_N", "N", "_east", "_E", "E", " north", "_NORTH")
    for end in ("", "  ", "\0")
]
TIMES = [
    "days since 0000-00-00",
    "days since 1-1-1",
    "months since 1950-01",
    "year since 0001-01-01",
    "hours since 1900-1-1 0:0:0 +6:30",
    "hrs since 1900-01-01",
    "day as %Y%m%d.%f",
    "common_years since 2000-01-01",
    "Days Since 1970-01-01",
    "ms since 1970-01-01",
    "s @ 1990-01-01",
    "sec@1990-01-01",
    "days after 1990-01-01",
    "day ref 1990-01-01",
    "min from 19900101T0000",
    "julian days",
    "d since 1990-01-01\0",
]
SIGNS = [
    {"standard_name": "latitude "},
    {"standard_name": "projection_x_coordinate"},
    {"standard_name": "projection_y_angular_coordinate"},
    {"standard_name": "atmosphere_hybrid_sigma_pressure_coordinate"},
    {"standard_name": "ocean_s_coordinate_g2"},
    {"standard_name": "forecast_reference_time"},
    {"units": "hPa", "positive": "down"},
    {"units": "millibar", "positive": "Down", "standard_name": "air_pressure"},
    {"positive": "up"},
    {"units": "atm", "positive": "down"},
    {"units": "kilometre", "positive": "up"},
    {"units": "100 Pa", "positive": "down"},
    {"units": "fathom", "positive": "down"},
    {"axis": "Z"},
    {"axis": "t "},
    {"_CoordinateAxisType": "Lat"},
    {"calendar": "noleap"},
]
DATA = [
    {"units": "degrees"},
    {"units": "degrees_true"},
    {"units": "degree_Celsius"},
    {"units": "K @ 273.15"},
    {"units": "days"},
    {"units": "Pa"},
    {"units": "W m-2", "positive": "up"},
    {"standard_name": "air_temperature"},
]


def test_coordinates_stay_exact_in_all_spellings(tmp_path: Path):
    signs = [{"units": units} for units in POSITIONS + TIMES] + SIGNS
    variables = {f"c{i}": sign for i, sign in enumerate(signs)}
    variables |= {f"d{i}": attributes for i, attributes in enumerate(DATA)}
    source = with_variables(tmp_path / "source.nc", variables)
    pack(source, tmp_path / "packed.nc", *DIGITS)
    wrong = {
        name: attributes
        for name, attributes in variables.items()
        if changed(source, tmp_path / "packed.nc", name) != name.startswith("d")
    }
    assert wrong == {}
    pack(source, tmp_path / "forced.nc", *DIGITS, "--force-precision")
    assert all(changed(source, tmp_path / "forced.nc", name) for name in variables)


def test_what_attributes_name_stays_exact_however_they_are_written(tmp_path: Path):
    naming = {
        "coordinates": np.array(["a1", "a2"], object),
        "node_coordinates": "b1 b2 ",
        "edge_face_connectivity": "c1",
        "face_node_connectivity": "/c2",
        "_CoordinateAxes": "d1 d2",
        "formula_terms": "a: e1 ps:e2",
        "cell_measures": "area: f1 volume: f2",
        "bounds": "g1",
        "grid_mapping": "crs: h1",
        "nodes": "i1",
        "tie_point_mapping": "x: j1 tp sub",
        "interpolation_parameters": "ce: j2",
        "ancillary_variables": "t_qc t_error",
    }
    named = [f"{letter}{i}" for letter in "abcdef" for i in (1, 2)] + ["g1", "h1", "i1", "t_qc"]
    named += ["j1", "j2"]
    data = ["t", "t_error", "area", "ps"]
    source = with_variables(tmp_path / "source.nc", {name: {} for name in named + data})
    with netCDF4.Dataset(source, "r+") as file:
        for key, value in naming.items():
            if isinstance(value, str):
                file["t"].setncattr(key, value)
            else:
                file["t"].setncattr_string(key, list(value))
        file["e1"].setncattr_string("long_name", "a string")
    pack(source, tmp_path / "packed.nc", *DIGITS)
    found = {name for name in named + data if changed(source, tmp_path / "packed.nc", name)}
    assert found == set(data)


def test_flags_bounds_without_a_name_and_packed_numbers_stay_exact(tmp_path: Path):
    exact = {
        "flags": {"flag_values": np.array([1, 2.5])},
        "masks": {"flag_masks": np.array([1.0, 2.0]), "flag_meanings": "a b"},
        "quality": {"standard_name": "air_temperature status_flag"},
        "lat2d": {"units": "degrees_north"},
        "y_bnds": {},
        "scaled": {"scale_factor": 0.1},
        "shifted": {"add_offset": np.float32(273.15)},
        "text_scale": {"scale_factor": "0.1"},
    }
    data = {"neutral": {"scale_factor": 1.0, "add_offset": np.int32(0)}, "t": {}}
    source = with_variables(tmp_path / "source.nc", exact | data)
    outcome = pack(source, tmp_path / "packed.nc", *DIGITS)
    found = {name for name in exact | data if changed(source, tmp_path / "packed.nc", name)}
    assert found == set(data)
    assert any("flags: flags, masks, quality" in line for line in notices(outcome))
    assert any("scale_factor" in line and "scaled, shifted" in line for line in notices(outcome))


def test_dimension_scales_of_plain_hdf5_stay_exact(tmp_path: Path):
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["depths"] = FIELD[0]
        file["t"] = FIELD
        file["depths"].make_scale("z")
        file["t"].dims[1].attach_scale(file["depths"])
    pack(tmp_path / "source.h5", tmp_path / "packed.h5", *DIGITS)
    assert not changed(tmp_path / "source.h5", tmp_path / "packed.h5", "depths")
    assert changed(tmp_path / "source.h5", tmp_path / "packed.h5", "t")


# Special values.


@pytest.mark.parametrize(
    ("attribute", "value", "numbers"),
    [
        ("missing_value", "-999.9", [-999.9]),
        ("missing_value", "-999.9f, 1.e+20", [-999.9, 1e20]),
        ("missing_value", np.array([-999.9, 55.03]), [-999.9, 55.03]),
        ("missing_value", np.int16(-999), [-999]),
        ("_FillValue", None, [-999.9]),
        ("valid_range", "50 50.1", [-999.9, 49.9037, 1e20]),
        ("valid_range", np.array([50, 50.1]), [-999.9, 49.9037]),
        ("valid_min", np.float64(50), [-999.9, 49.9037]),
        ("actual_range", np.array([49.9037, 50.0123], "f4"), [49.9037, 50.0123]),
    ],
)
def test_special_values_in_all_spellings_are_never_changed(
    tmp_path: Path, attribute: str, value: object, numbers: list[float]
):
    source = tmp_path / "source.nc"
    values = FIELD.astype("f4")
    values[0, : len(numbers)] = np.array(numbers, "f4")
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("y", 40)
        file.createDimension("x", 60)
        fill = np.float32(numbers[0]) if value is None else None
        variable = file.createVariable("t", "f4", ("y", "x"), fill_value=fill)
        variable.set_auto_maskandscale(False)
        if value is not None:
            variable.setncattr(attribute, value)
        variable[:] = values
    outcome = pack(source, tmp_path / "packed.nc", *DIGITS, "--verify")
    with h5py.File(tmp_path / "packed.nc") as file:
        packed = file["t"][...]
        assert type(file["t"].attrs[attribute]) is type(h5py.File(source)["t"].attrs[attribute])
    assert (packed[0, : len(numbers)] == values[0, : len(numbers)]).all()
    assert (packed != values).any()
    assert ("is text" in outcome.stderr) == isinstance(value, str)


def test_the_actual_range_is_still_the_actual_range(tmp_path: Path):
    source = with_variables(tmp_path / "source.nc", {"t": {}}, "f4")
    with netCDF4.Dataset(source, "r+") as file:
        stored = file["t"][:]
        file["t"].actual_range = np.array([stored.min(), stored.max()], "f4")
    pack(source, tmp_path / "packed.nc", "--digits", 3)
    with netCDF4.Dataset(tmp_path / "packed.nc") as file:
        packed = file["t"][:]
        assert (packed != stored).any()
        assert [packed.min(), packed.max()] == list(file["t"].actual_range)


# Attributes of others.

FOREIGN = [
    ("quantization", "8 bit ADC"),
    ("quantization", np.int32(8)),
    ("quantization", "info"),
    ("quantization_nsb", "many"),
    ("quantization_nsd", np.array([3, 4])),
    ("quantization_maximum_relative_error", "unknown"),
]


@pytest.mark.parametrize(("name", "value"), FOREIGN)
def test_an_attribute_of_another_meaning_is_never_overwritten(
    tmp_path: Path, name: str, value: object
):
    source = with_variables(tmp_path / "source.nc", {"t": {name: value}, "u": {}}, "f4")
    outcome = pack(source, tmp_path / "packed.nc", *DIGITS, "--verify")
    assert not changed(source, tmp_path / "packed.nc", "t")
    assert changed(source, tmp_path / "packed.nc", "u")
    (line,) = [line for line in notices(outcome) if "another meaning" in line]
    assert f"`{name}`" in line and line.endswith(": t")
    with h5py.File(source) as before, h5py.File(tmp_path / "packed.nc") as after:
        found, expected = after["t"].attrs[name], before["t"].attrs[name]
        assert np.array_equal(found, expected)
    assert verify_json(source, tmp_path / "packed.nc")[0] == DONE


def test_attributes_that_rounding_does_not_write_stay(tmp_path: Path):
    others = {
        "nbits": np.int32(16),
        "least_significant_digit": np.int64(2),
        "lossy_compression": "zfp",
        "_QuantizeBitGroomNumberOfSignificantDigits": "three",
    }
    source = with_variables(tmp_path / "source.nc", {"t": others}, "f4")
    pack(source, tmp_path / "packed.nc", *DIGITS, "--verify")
    assert changed(source, tmp_path / "packed.nc", "t")
    with h5py.File(tmp_path / "packed.nc") as file:
        assert {name: plain(file["t"].attrs[name]) for name in others} == {
            name: plain(value) for name, value in others.items()
        }
    with h5py.File(tmp_path / "packed.nc", "r+") as file:
        file["t"].attrs["nbits"] = np.int32(17)
    assert verify_json(source, tmp_path / "packed.nc")[0] != DONE
    # A linear grid would write `nbits`.
    outcome = pack(source, tmp_path / "grid.nc", "--nbits", 12)
    assert not changed(source, tmp_path / "grid.nc", "t")
    assert any("`nbits` has another meaning" in line for line in notices(outcome))


def test_a_statement_without_a_bound_allows_nothing(tmp_path: Path):
    source = with_variables(tmp_path / "source.nc", {"t": {}}, "f4")
    pack(source, tmp_path / "packed.nc", "--level", 1)
    with h5py.File(tmp_path / "packed.nc", "r+") as file:
        file["t"].attrs["quantization_nsd"] = np.int32(3)
        file["t"][3, 4] += 0.001
    code, report = verify_json(source, tmp_path / "packed.nc")
    assert code != DONE
    assert any("no bound" in line for line in report["notices"])
