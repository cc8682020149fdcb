"""`frazil verify` proves equality and says where the first difference is."""

import shutil
from collections.abc import Callable
from pathlib import Path

import frazil as library
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support import make
from support.command import DONE, FAILED, SAMPLE, TROUBLE, frazil, pack, tool


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make.every_netcdf4_type(tmp_path / "source.nc")


def change_value(file: netCDF4.Dataset) -> None:
    file["v_f8"][4, 2, 3] = 99.5


def change_sign_of_zero(file: netCDF4.Dataset) -> None:
    file["checked"][0] = np.float32(-0.0)


def change_word(file: netCDF4.Dataset) -> None:
    file["words"][3] = "another word"


def change_attribute(file: netCDF4.Dataset) -> None:
    file.title = "another title"


def change_type_of_attribute(file: netCDF4.Dataset) -> None:
    file.number = np.int16(-3)


def add_variable(file: netCDF4.Dataset) -> None:
    file.createVariable("extra", "f4", ("x",))


def add_group(file: netCDF4.Dataset) -> None:
    file.createGroup("extra")


def add_record(file: netCDF4.Dataset) -> None:
    file["time"][11] = 11


def rename_dimension(file: netCDF4.Dataset) -> None:
    file.renameDimension("unused", "renamed")


CHANGES = {
    change_value: "v_f8",
    change_sign_of_zero: "checked",
    change_word: "words",
    change_attribute: "title",
    change_type_of_attribute: "number",
    add_variable: "extra",
    add_group: "extra",
    add_record: "time",
    rename_dimension: "unused",
}


def test_a_packed_file_is_equal(source: Path, tmp_path: Path):
    pack(source, tmp_path / "packed.nc")
    outcome = frazil("verify", source, tmp_path / "packed.nc", "--json")
    assert outcome.code == DONE, outcome.stdout + outcome.stderr
    (report,) = outcome.report["reports"]
    assert report["difference_count"] == 0 and report["values"] > 4000
    assert report["attributes"] > 10


def test_files_of_other_tools_are_equal_too(tmp_path: Path):
    assert tool("h5repack", "-f", "GZIP=1", SAMPLE, tmp_path / "repacked.nc").returncode == 0
    outcome = frazil("verify", SAMPLE, tmp_path / "repacked.nc")
    # h5repack loses the order of the root group's attributes, and verify may say so.
    assert outcome.code in (DONE, FAILED)
    assert "value" not in outcome.stdout.lower() or outcome.code == DONE


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_is_found_and_named(
    source: Path, tmp_path: Path, change: Callable[[netCDF4.Dataset], None]
):
    other = Path(shutil.copy(source, tmp_path / "other.nc"))
    with netCDF4.Dataset(other, "a") as file:
        change(file)
    outcome = frazil("verify", source, other)
    assert outcome.code == FAILED, outcome.stdout
    assert CHANGES[change] in outcome.stdout + outcome.stderr


def test_the_place_of_the_first_difference_is_told(source: Path, tmp_path: Path):
    other = Path(shutil.copy(source, tmp_path / "other.nc"))
    with netCDF4.Dataset(other, "a") as file:
        change_value(file)
    (report,) = frazil("verify", source, other, "--json").report["reports"]
    (difference,) = report["differences"]
    assert difference["path"] == "/v_f8"
    assert "99.5" in difference["what"] and "4" in difference["what"]


@pytest.mark.parametrize("threads", [1, 4])
def test_classic_and_netcdf4_forms_are_equal(tmp_path: Path, threads: int):
    source = make.classic(tmp_path / "source.nc", "NETCDF3_64BIT_DATA")
    pack(source, tmp_path / "packed.nc")
    outcome = frazil("verify", source, tmp_path / "packed.nc", "--threads", threads)
    assert outcome.code == DONE, outcome.stdout + outcome.stderr


def test_what_cannot_be_compared_is_code_2(source: Path, tmp_path: Path):
    (tmp_path / "text.nc").write_text("no data")
    assert frazil("verify", source, tmp_path / "text.nc").code == TROUBLE
    assert frazil("verify", source, tmp_path / "nowhere.nc").code == TROUBLE


def test_equal_values_of_files_with_other_metadata_are_told(source: Path, tmp_path: Path):
    told = "all compared values are equal"
    for change in (change_attribute, change_value, add_variable):
        changed = Path(shutil.copy(source, tmp_path / "changed.nc"))
        with netCDF4.Dataset(changed, "a") as file:
            change(file)
        outcome = frazil("verify", source, changed)
        assert outcome.code == FAILED
        assert (told in outcome.stderr) == (change is change_attribute), change


def test_a_copy_by_nccopy_has_the_same_lists_of_references(tmp_path: Path):
    """Whatever sign the numbers in them have by its version of HDF5."""
    source, copy = tmp_path / "a.nc", tmp_path / "copy.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 50)
        file.createVariable("x", "f8", ("x",))[:] = np.arange(50)
        file.createVariable("v", "f4", ("x",))[:] = np.arange(50)
    assert tool("nccopy", "-d1", "-s", source, copy).returncode == 0
    outcome = frazil("verify", source, copy)
    assert "REFERENCE_LIST" not in outcome.stdout
    if outcome.code == FAILED:
        assert "all compared values are equal" in outcome.stderr


def test_values_only_takes_what_xarray_wrote_again(tmp_path: Path):
    source, again = tmp_path / "source.nc", tmp_path / "again.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.title = "a field"
        file.createDimension("x", 60)
        file.createVariable("x", "f8", "x")[:] = np.arange(60)
        packed = file.createVariable("v", "i2", "x", fill_value=-9)
        packed.set_auto_maskandscale(False)
        packed.scale_factor = 0.5
        packed[:] = np.arange(60) % 7
    with xr.open_dataset(source) as data:
        data.assign_attrs(title="written again").to_netcdf(again, engine="netcdf4")
    assert frazil("verify", source, again).code == FAILED
    outcome = frazil("verify", source, again, "--values-only")
    assert outcome.code == DONE and "only values count" in outcome.stderr, outcome.stderr
    assert library.verify(source, again, values_only=True)
    for change, what in (("scale_factor", "attribute `scale_factor`"), ("value", "[3]")):
        with netCDF4.Dataset(again, "a") as file:
            file.set_auto_maskandscale(False)
            if change == "value":
                file["v"].scale_factor = 0.5
                file["v"][3] += 1
            else:
                file["v"].scale_factor = 0.25
        differs = frazil("verify", source, again, "--values-only")
        assert differs.code == FAILED and what in differs.stdout, differs.stdout
