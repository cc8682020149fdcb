"""Scripts that use netCDF4: the table of the guide, and names that are not ours."""

import re
from pathlib import Path

import frazil
import netCDF4
import numpy as np
import pytest

GUIDE = Path(__file__).parents[2] / "docs/python.md"
# Neither half of a step nor near to it: ties are rounded otherwise.
VALUES = 280 + np.random.default_rng(3).random(100).astype("f4")
# How a rounding is stated.
STATED = ("least_significant_digit", "quantization")


def columns():
    """The lines of both columns of the table."""
    text = GUIDE.read_text().partition("### Scripts that use netCDF4\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| `(.*)` \| `(.*)` \|$", text, flags=re.MULTILINE)
    assert len(rows) > 25
    return (["\n".join(lines) for lines in zip(*rows, strict=True)], text)


def content(group, path=""):
    """All that a group and those below have, but for how values are stored."""
    found = {f"{path}@": {key: group.getncattr(key) for key in group.ncattrs()}}
    found[f"{path}|"] = {
        name: (len(one), one.isunlimited()) for name, one in group.dimensions.items()
    }
    for name, variable in group.variables.items():
        if name.startswith(STATED):
            continue
        variable.set_auto_mask(False)
        attrs = {
            key: variable.getncattr(key) for key in variable.ncattrs() if not key.startswith(STATED)
        }
        values = variable[:].tolist()
        found[f"{path}/{name}"] = (variable.dtype, variable.dimensions, attrs, values)
    for name, one in group.groups.items():
        found |= content(one, f"{path}/{name}")
    return found


def test_both_columns_of_the_table_make_the_same_file(tmp_path, monkeypatch):
    (theirs, ours), text = columns()
    found = {}
    for name, script in (("theirs", theirs), ("ours", ours)):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        exec(script, {"netCDF4": netCDF4, "frazil": frazil, "values": VALUES})
        with netCDF4.Dataset("run.nc") as file:
            found[name] = content(file)
            assert file["z"].filters()["zlib"] and file["z"].filters()["complevel"] == 4
            assert file["s"].chunking() == [50] and file["s"].filters()["fletcher32"]
            error = np.abs(file["d"][:] - VALUES).max()
            assert 0 < error <= 0.005
    assert found["ours"] == found["theirs"]
    for word in ("sync", "setncattr", "createGroup", "fill_value", "least_significant_digit"):
        assert word in text


def test_attributes_of_the_file_are_not_set_as_those_of_python(tmp_path):
    with frazil.Writer(tmp_path / "a.nc") as writer:
        writer.add_dimension("x", 2)
        variable = writer.add_variable("t", "f4", ["x"])
        for thing in (writer, variable):
            for name in ("units", "_Encoding"):
                with pytest.raises(AttributeError, match=rf"set_attribute\('{name}', value\)"):
                    setattr(thing, name, "K")
        with pytest.raises(AttributeError, match="netCDF4's setncattr is set_attribute here"):
            variable.setncattr("units", "K")
        variable[:] = [1, 2]


def test_a_class_of_ones_own_has_names_of_its_own(tmp_path):
    class Mine(frazil.Writer):
        def __init__(self, path):
            super().__init__(path)
            self.steps = 3

    with Mine(tmp_path / "a.nc") as writer:
        writer.steps += 1
        assert writer.steps == 4
