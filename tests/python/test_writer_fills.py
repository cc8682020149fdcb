"""Fill values and masked values, as netCDF4 and h5py read them."""

import frazil
import h5py
import netCDF4
import numpy as np
import pytest

NOT_OF_THE_TYPE = [
    ("i2", 2**31),
    ("i2", 1.5),
    ("i2", float("nan")),
    ("i2", "5"),
    ("u1", -1),
    ("u8", 2**64),
    ("u8", 2.0**64),
    ("f4", 1e300),
    ("f4", 1e-300),
    ("f8", 10**400),
    ("f4", "5"),
    ("f4", 1j),
    ("f4", [1, 2]),
    ("f4", []),
    ("f4", np.ma.masked),
    ("f4", np.datetime64("2000-01-01")),
    ("S1", 3),
    ("S1", 2**62),
    ("S1", "abc"),
    ("S1", b"ab"),
    ("S1", "ä"),
    (str, "abc"),
    (str, ""),
]


@pytest.mark.parametrize(("dtype", "value"), NOT_OF_THE_TYPE)
def test_a_fill_value_that_the_type_cannot_hold_is_refused(tmp_path, dtype, value):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        with pytest.raises(frazil.errors.InvalidArgumentError, match="fill value") as caught:
            writer.add_variable("v", dtype, ["x"], fill_value=value)
        assert caught.value.file == str(path) and caught.value.variable == "v"
    with netCDF4.Dataset(path) as file:
        assert not file.variables


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("i2", -5.0, -5),
        ("i8", 2**63 - 1, 2**63 - 1),
        ("u8", 2**64 - 1, 2**64 - 1),
        ("u1", np.array([7]), 7),
        ("f4", 0.1, np.float32(0.1)),
        ("f4", -np.inf, -np.inf),
        ("f8", np.float32(1e20), np.float64(np.float32(1e20))),
        ("f4", 0, 0),
        ("S1", "x", b"x"),
        ("S1", np.bytes_(b"x"), b"x"),
        ("S1", np.array(b"x"), b"x"),
    ],
)
def test_a_fill_value_is_what_the_file_says(tmp_path, dtype, value, expected):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("v", dtype, ["x"], fill_value=value)
    with h5py.File(path) as file:
        assert file["v"].fillvalue == expected
        assert np.asarray(file["v"].attrs["_FillValue"]).reshape(-1)[0] == expected
        assert file["v"].dtype == np.dtype(dtype) and (file["v"][:] == expected).all()


def test_a_fill_value_may_be_no_number(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("v", "f4", ["x"], fill_value=np.nan)
    with h5py.File(tmp_path / "out.nc") as file:
        assert np.isnan(file["v"][:]).all()


# --- masked values ---

KINDS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def masked(values, mask, dtype=None):
    return np.ma.masked_array(np.array(values, dtype=dtype), mask)


def write_both(tmp_path, dtype, fill, put):
    """What this package and netCDF4-python make of the same puts."""
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    with frazil.Writer(ours) as writer:
        writer.add_dimension("y", 2)
        writer.add_dimension("x", 3)
        put(writer.add_variable("v", dtype, ["y", "x"], fill_value=fill))
    with netCDF4.Dataset(theirs, "w") as file:
        file.createDimension("y", 2)
        file.createDimension("x", 3)
        put(file.createVariable("v", dtype, ["y", "x"], fill_value=fill))
    with h5py.File(ours) as one, h5py.File(theirs) as other:
        assert one["v"].dtype == other["v"].dtype
        assert (one["v"][:] == other["v"][:]).all()
    with netCDF4.Dataset(ours) as one, netCDF4.Dataset(theirs) as other:
        found, expected = one["v"][:], other["v"][:]
        assert (np.ma.getmaskarray(found) == np.ma.getmaskarray(expected)).all()
        return found


@pytest.mark.parametrize("fill", [None, 99])
@pytest.mark.parametrize("dtype", KINDS)
def test_masked_values_become_the_fill_value(tmp_path, dtype, fill):
    values = masked([[1, 77, 3], [4, 5, 77]], [[0, 1, 0], [0, 0, 1]], dtype)

    def put(variable):
        variable[:] = values

    found = write_both(tmp_path, dtype, fill, put)
    # netCDF takes no fill value of bytes for granted.
    if fill is not None or np.dtype(dtype).itemsize > 1:
        assert found.mask.tolist() == values.mask.tolist()
    assert (found.data != 77).all()


@pytest.mark.parametrize(
    "put",
    [
        lambda v: v.__setitem__((slice(None), 1), np.ma.masked),
        lambda v: v.__setitem__((0, 2), np.ma.masked),
        lambda v: v.__setitem__(0, masked([1, 777, 3], [0, 1, 0])),
        lambda v: v.__setitem__((slice(None), 1), masked([1, 777], [0, 1], "i2")),
        lambda v: v.__setitem__(0, masked([1, 777, 3], [1, 1, 1], "f8")),
        lambda v: v.__setitem__(Ellipsis, masked(777, True)),
        lambda v: v.__setitem__(1, masked([1, 777, 3], False)),
    ],
)
def test_masked_values_of_every_shape_and_type(tmp_path, put):
    write_both(tmp_path, "i4", -9, put)


@pytest.mark.parametrize(
    "values",
    [
        [[1, np.ma.masked, 3]],
        [masked([1, 777, 3], [0, 1, 0])],
        (np.array([1, 2, 3], "u1"), masked([1, 777, 3], [0, 1, 0]))[1:],
        masked([[1], [777], [3]], [[0], [1], [0]]).T,
        masked([[1, 777, 3]], [[0, 1, 0]], ">i4"),
    ],
)
def test_masked_values_within_sequences_and_in_other_orders(tmp_path, values):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("y", 1)
        writer.add_dimension("x", 3)
        for name, dtype in (("i", "i4"), ("l", "i8"), ("f", "f4")):
            writer.add_variable(name, dtype, ["y", "x"], fill_value=9).put(values, [0, 0])
            writer.add_variable(f"{name}_item", dtype, ["y", "x"])[:] = values
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        for variable in file.variables.values():
            assert variable[:].tolist() == [[1, None, 3]]


def test_masks_are_repeated_with_their_values(tmp_path):
    """netCDF4-python itself forgets the mask there."""
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("y", 2)
        writer.add_dimension("x", 3)
        writer.add_variable("v", "i4", ["y", "x"])[:] = masked([1, 777, 3], [0, 1, 0])
        writer.add_variable("w", "f4", ["y", "x"])[:] = np.ma.masked
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["v"][:].tolist() == [[1, None, 3]] * 2
        assert file["w"][:].mask.all()


def test_masked_characters_and_texts(tmp_path):
    mask = [0, 1, 0]
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("c", "S1", ["x"], fill_value="-")[:] = masked([b"a", b"b", b"c"], mask)
        writer.add_variable("d", "S1", ["x"])[:] = masked([b"a", b"b", b"c"], mask)
        for name, attrs in (("s", {}), ("t", {"_FillValue": ["gone"]})):
            variable = writer.add_variable(name, str, ["x"], attrs=attrs)
            variable[:] = masked(["a", "b", "c"], mask, object)
            variable[2:] = ["c"]
            variable[0] = np.ma.masked
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        file.set_auto_mask(False)
        assert file["c"][:].tolist() == [b"a", b"-", b"c"]
        assert file["d"][:].tolist() == [b"a", b"", b"c"]
        assert file["s"][:].tolist() == ["", "", "c"]
        assert file["t"][:].tolist() == ["gone", "gone", "c"]


def test_masked_values_are_refused_where_nothing_stands_for_them(tmp_path):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        variable = writer.add_variable("v", "f4", ["x"], no_fill=True)
        variable[:] = masked([1, 2, 3], False)
        for put in (
            lambda: variable.__setitem__(slice(None), masked([1, 777, 3], [0, 1, 0])),
            lambda: variable.__setitem__(0, np.ma.masked),
            lambda: variable.put(masked([777], [1]), [0]),
        ):
            with pytest.raises(frazil.errors.InvalidArgumentError, match="masked") as caught:
                put()
            assert caught.value.variable == "v"
        # Types are as strict as without a mask.
        with pytest.raises(frazil.errors.InvalidArgumentError, match="same_kind"):
            writer.add_variable("i", "i4", ["x"])[:] = masked([1.5, 777, 3], [0, 1, 0])
        for value in (np.ma.masked, masked([1, 777], [0, 1]), [1, np.ma.masked]):
            for owner in (writer, variable):
                with pytest.raises(frazil.errors.InvalidArgumentError, match="masked"):
                    owner.set_attribute("a", value)
        writer.set_attribute("b", masked([1, 2], False))
    with netCDF4.Dataset(path) as file:
        assert file["v"][:].tolist() == [1, 2, 3]
        assert file.ncattrs() == ["b"] and file.b.tolist() == [1, 2]


def test_masked_values_of_variables_that_a_file_has_already(tmp_path):
    path = tmp_path / "goes_on.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        group = file.createGroup("g/h")
        for at, fill in ((file, -9), (group, None)):
            for dtype in ("i2", "f4", "S1"):
                stated = b"-" if fill and dtype == "S1" else fill
                variable = at.createVariable(dtype, dtype, ["t"], fill_value=stated)
                variable[0:1] = np.array([b"1" if dtype == "S1" else 1], dtype)
        group.createVariable("text", str, ["t"])[0] = "a"
    with frazil.Writer(path, "a") as writer:
        for group in ("", "g/h/"):
            for dtype in ("i2", "f4"):
                writer[f"{group}{dtype}"][1:3] = masked([2, 777], [0, 1])
            writer[f"{group}S1"][1:3] = masked([b"2", b"x"], [0, 1])
        writer["g/h/text"][1] = np.ma.masked
    with netCDF4.Dataset(path) as file:
        for at in (file, file["g/h"]):
            for dtype in ("i2", "f4"):
                assert at[dtype][:].tolist() == [1, 2, None]
            assert at["S1"][:].tolist()[:2] == [b"1", b"2"]
        file.set_auto_mask(False)
        assert file["i2"][2] == -9 and file["g/h/i2"][2] == netCDF4.default_fillvals["i2"]
        assert file["S1"][2] == b"-" and file["g/h/S1"][2] == b""
        assert file["g/h/text"][:].tolist() == ["a", "", ""]


@pytest.mark.parametrize("dtype", ["f4", "i2"])
def test_masked_values_are_refused_by_variables_of_a_file_without_fill_values(tmp_path, dtype):
    """Readers take the default fill value for a value there."""
    path = tmp_path / "goes_on.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createVariable("v", dtype, ["t"], fill_value=False)[0:1] = 1
        stated = file.createVariable("w", dtype, ["t"], fill_value=False)
        stated[0:1] = 1
    with h5py.File(path, "a") as file:
        file["w"].attrs["_FillValue"] = np.array([-3], dtype)
    with frazil.Writer(path, "a") as writer:
        with pytest.raises(frazil.errors.InvalidArgumentError, match="masked") as caught:
            writer["v"][1:3] = masked([2, 777], [0, 1])
        assert caught.value.variable == "v"
        writer["v"][1:3] = np.array([2, 3], dtype)
        writer["w"][1:3] = masked([2, 777], [0, 1])
    with netCDF4.Dataset(path) as file:
        assert file["v"][:].tolist() == [1, 2, 3]
        assert file["w"][:].tolist() == [1, 2, None]


def test_masked_values_put_in_pieces(tmp_path):
    """Copies of more than 64 MiB are made piece by piece."""
    values = masked(np.arange(12_000_000.0).reshape(120, -1) % 100, False)
    values[values == 7] = np.ma.masked
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("y", 120)
        writer.add_dimension("x", 100_000)
        writer.add_variable("v", "f4", ["y", "x"], fill_value=-1)[:] = values
    with h5py.File(tmp_path / "out.nc") as file:
        assert (file["v"][:] == values.filled(-1)).all()


def test_rounding_keeps_what_masked_values_became(tmp_path):
    values = np.linspace(1, 2, 3000).reshape(3, 1000)
    values = np.ma.masked_less(values, 1.2)
    for name in ("f4", "f8"):
        with frazil.Writer(tmp_path / f"{name}.nc") as writer:
            writer.add_dimension("y", 3)
            writer.add_dimension("x", 1000)
            precision = {"significant_bits": 3}
            for fill in (None, 1e20):
                writer.add_variable(
                    f"v{fill}", name, ["y", "x"], fill_value=fill, precision=precision
                )[:] = values
        with netCDF4.Dataset(tmp_path / f"{name}.nc") as file:
            for variable in (file["vNone"], file["v1e+20"]):
                assert (variable[:].mask == values.mask).all()
                assert (variable[:] != values).any()


def test_datasets_of_masked_blocks(tmp_path):
    dask = pytest.importorskip("dask.array")
    xarray = pytest.importorskip("xarray")
    values = masked(np.arange(12.0).reshape(4, 3), np.arange(12).reshape(4, 3) % 5 == 2)
    lazy = dask.from_array(values, chunks=(2, 3), asarray=False)
    dataset = xarray.Dataset({"v": (("y", "x"), lazy)})
    frazil.to_netcdf(dataset, tmp_path / "out.nc")
    with frazil.Writer(tmp_path / "put.nc") as writer:
        writer.add_dimension("y", 4)
        writer.add_dimension("x", 3)
        writer.add_variable("v", "f8", ["y", "x"])[:] = lazy
    for name in ("out", "put"):
        with netCDF4.Dataset(tmp_path / f"{name}.nc") as file:
            found = file["v"][:]
            assert ((found.mask | np.isnan(found.data)) == values.mask).all()
            assert (found[~values.mask] == values[~values.mask]).all()


def test_workers_fill_masked_values():
    from frazil.cluster_tasks import Recipe

    recipe = Recipe("{}", "<f4", None, -9)
    found = recipe._bytes(masked([1, 777, 3], [0, 1, 0], "f8"), ([0], [3])).view("<f4")
    assert found.tolist() == [1, -9, 3]
