"""Steps that the file has already are added as asked, and a notice says so."""

import warnings

import cftime
import frazil
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from frazil.errors import EncodingNotice


def steps(values, dim="time"):
    return xr.Dataset({"v": (dim, np.arange(float(len(values))))}, {dim: values})


def hours(first, count):
    return pd.date_range("2020-01-01", periods=24, freq="h")[first : first + count]


def days(first, count):
    return [cftime.DatetimeNoLeap(2001, 2, day) for day in range(first, first + count)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "grows.nc"


def add(path, values, dim="time", **options):
    frazil.to_netcdf(steps(values, dim), path, append_dim=dim, **options)


def lengthened(path, values, match, dim="time", group=None):
    """All values are added, and one notice says what and what to do."""
    with xr.open_dataset(path, group=group) as found:
        before = found.sizes[dim]
    data = steps(values, dim)
    with pytest.warns(EncodingNotice, match=match) as told:
        frazil.to_netcdf(data, path, append_dim=dim, group=group)
    assert len(told) == 1
    with xr.open_dataset(path, group=group) as found:
        assert found.sizes[dim] == before + len(values)
    return str(told[0].message)


def selected(message, data):
    """What the cure of a notice keeps of the data."""
    first, second = message.partition("what does: ")[2].split("; ")
    names = {"xr": xr, "ds": data}
    exec(first, names)
    found = eval(second, names)
    names["there"].close()
    return found


def test_dates_of_a_loop_that_began_again(path):
    add(path, hours(0, 6))
    message = lengthened(
        path, hours(4, 3), "the first 'time' .* is 2020-01-01T04:00, .* is 2020-01-01T05:00: "
    )
    assert str(path) in message
    add(path.with_name("b.nc"), hours(0, 6))
    message = message.replace(str(path), str(path.with_name("b.nc")))
    assert (selected(message, steps(hours(4, 3))).time == hours(6, 1)).all()


def test_the_same_step_again(path):
    add(path, hours(3, 1))
    lengthened(path, hours(3, 1), "is 2020-01-01T03:00, .* is 2020-01-01T03:00: ")


def test_dates_of_other_calendars_and_numbers(path):
    add(path, days(1, 3))
    lengthened(path, days(2, 2), "is 2001-02-02 00:00:00, .* is 2001-02-03 00:00:00")
    other = path.with_name("numbers.nc")
    add(other, [1.5, 2.5], group="a", dim="x")
    message = lengthened(other, [2.0, 3.0], "'x' .* is 2.0, .* is 2.5", dim="x", group="a")
    assert "group='a'" in message


def test_numbers_are_compared_as_the_file_has_them(path):
    add(path, [1, 2], encoding={"time": {"dtype": "f4"}})
    lengthened(path, [2.0 + 1e-12], "is 2.0, .* is 2.0")


def test_falling_values_go_on_downwards(path):
    add(path, [3.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        add(path, [1.0])
    message = lengthened(path, [1.5, 0.5], "is 1.5, .* is 1.0")
    assert "ds['time'] < there" in message


@pytest.mark.filterwarnings("error")
def test_what_goes_on_or_has_no_order_is_not_told(path):
    add(path, hours(0, 2))
    add(path, hours(2, 2))
    add(path, hours(4, 0))
    for name, first, second in (
        ("no order", [1, 3, 2], [2]),
        ("texts", ["b", "c"], ["a"]),
        ("missing", [1.0, np.nan], [1.0]),
    ):
        other = path.with_name(f"{name}.nc")
        add(other, first)
        add(other, second)
    bare = xr.Dataset({"v": ("time", [1.0])})
    for _ in range(2):
        frazil.to_netcdf(bare, path.with_name("bare.nc"), append_dim="time")
