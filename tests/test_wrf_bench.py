"""What bench/wrf.py makes of the model's namelist and of what it prints."""

import sys

import netCDF4
import pytest
from support.command import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from wrf_check import differences
from wrf_model import WRITTEN, Way, clock, with_settings

NAMELIST = """ &time_control
 run_days                            = 0,
 io_form_history                     = 2
 io_form_history_note                = 7
 /

 &domains
 e_we                                = 42,    43,    43,
 /
"""


def test_settings_replace_what_the_namelist_has_and_add_the_rest():
    made = with_settings(NAMELIST, {"e_we": 81, "io_form_history": 15, "history_interval_s": 24})
    assert made.count("io_form_history ") == 1 and "= 15," in made
    assert "io_form_history_note                = 7" in made
    assert "= 81,\n" in made and "43" not in made
    times, domains = made.split("&domains")
    assert "history_interval_s" in times and "history_interval_s" not in domains


def test_the_model_says_how_long_each_frame_took():
    log = (
        " mediation_integrate: something\n"
        "Timing for Writing wrfout_d01_0001-01-01_00:02:00 for domain        1:    0.12345 elapsed"
        " seconds\nTiming for Writing restart for domain        1:    0.5 elapsed seconds\n"
    )
    assert WRITTEN.findall(log) == [
        ("wrfout_d01_0001-01-01_00:02:00", "0.12345"),
        ("restart", "0.5"),
    ]


def test_starts_and_ways():
    assert clock(3725) == {"start_hour": 1, "start_minute": 2, "start_second": 5}
    assert Way("own", 2, is_classic=True).settings() == {
        "io_form_history": 2,
        "use_netcdf_classic": ".true.",
    }
    assert Way("frazil", 15, "goal=size").environment() == {"FRAZIL_OPTIONS": "goal=size"}


@pytest.mark.parametrize(
    "change, said",
    [
        ({}, []),
        ({"value": 2.0}, ["values of 1 variables: T"]),
        ({"units": "C"}, ["attribute units of 1 variables"]),
        ({"title": "other"}, ["1 global attributes: TITLE"]),
    ],
)
def test_differences_are_named(tmp_path, change: dict, said: list):
    def write(name: str, value: float = 1.0, units: str = "K", title: str = "a title"):
        with netCDF4.Dataset(tmp_path / name, "w") as data:
            data.TITLE = title
            data.createDimension("Time", None)
            data.createVariable("T", "f4", ("Time",)).units = units
            data["T"][0] = value
        return tmp_path / name

    assert differences(write("ours.nc", **change), write("theirs.nc")) == said
