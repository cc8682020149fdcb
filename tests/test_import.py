"""CSV files become netCDF-4 files that every reader opens, or are refused with line and column."""

import csv
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, FAILED, TROUBLE, Outcome, frazil, tool

pytestmark = pytest.mark.sampled(one_in=2)

STATIONS = """\
time [days since 2000-01-01],air temperature (K),count,id
0,280.5,1,a17
0.5,,2,a18
1,281.25,-,a19
"""


def import_text(folder: Path, text: str | bytes, *options: object) -> Path:
    """Imports a text and expects that to work."""
    outcome = attempt(folder, text, *options)
    assert outcome.code == DONE, outcome.stderr
    return folder / "out.nc"


def attempt(folder: Path, text: str | bytes, *options: object, **limits: object) -> Outcome:
    source = folder / "in.csv"
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    return frazil("import", source, "-o", folder / "out.nc", *options, **limits)


def test_columns_become_variables_that_every_reader_opens(tmp_path: Path):
    target = import_text(
        tmp_path, STATIONS, "--coordinate", "time", "--missing", "-", "--skip", "id"
    )
    dump = tool("ncdump", target)
    assert dump.returncode == 0 and b"air_temperature = 280.5, _, 281.25 ;" in dump.stdout
    with netCDF4.Dataset(target) as file:
        assert set(file.dimensions) == {"time"} and set(file.variables) == {
            "time",
            "air_temperature",
            "count",
        }
        assert file["time"].units == "days since 2000-01-01"
        assert list(file["time"][:]) == [0, 0.5, 1]
        temperature = file["air_temperature"]
        assert temperature.units == "K" and temperature.long_name == "air temperature"
        assert list(temperature[:].mask) == [False, True, False]
        assert file["count"].dtype == np.int32
        assert file["count"][:].tolist() == [1, 2, None]
    with h5py.File(target) as file:
        assert file["count"].dims[0].keys() == ["time"]
        assert file["count"].fillvalue == file["count"][2]


def test_a_matrix_becomes_one_variable(tmp_path: Path):
    chance = np.random.default_rng(5)
    values = chance.normal(0, 1, (300, 700))
    text = "# a comment\n" + "\n".join(",".join(map(repr, map(float, row))) for row in values)
    target = import_text(tmp_path, text, "--grid", "300x700", "--name", "field")
    assert tool("ncdump", "-h", target).returncode == 0
    with netCDF4.Dataset(target) as nc, h5py.File(target) as h5:
        np.testing.assert_array_equal(nc["field"][:], values)
        np.testing.assert_array_equal(h5["field"][:], values)
        assert nc["field"].chunking() != "contiguous"
    refused = attempt(tmp_path, text, "--grid", "700x300", "--overwrite")
    assert refused.code == FAILED and "300 rows of 700 cells" in refused.stderr


def test_matrices_and_tables_larger_than_the_memory(tmp_path: Path):
    rows, columns = 40_000, 150
    chance = np.random.default_rng(6)
    values = chance.integers(-999, 999, (rows, columns)) / 8
    source = tmp_path / "in.csv"
    names = ",".join(f"c{number}" for number in range(columns))
    np.savetxt(source, values, fmt="%.3f", delimiter=",", header=names, comments="")
    target, matrix = tmp_path / "out.nc", tmp_path / "matrix.nc"
    limits = ["--memory", "16MiB", "--threads", 2]
    outcome = frazil("import", source, "-o", target, *limits, memory_bytes=220 << 20)
    assert outcome.code == DONE, outcome.stderr
    with netCDF4.Dataset(target) as file:
        for number in (0, 77, columns - 1):
            np.testing.assert_array_equal(file[f"c{number}"][:], values[:, number])
    bare = tmp_path / "bare.csv"
    np.savetxt(bare, values, fmt="%.3f", delimiter=",")
    outcome = frazil("import", bare, "-o", matrix, "--matrix", *limits, memory_bytes=220 << 20)
    assert outcome.code == DONE, outcome.stderr
    with netCDF4.Dataset(matrix) as file:
        np.testing.assert_array_equal(file["data"][:], values)


def test_the_same_bytes_at_any_thread_count(tmp_path: Path):
    source = tmp_path / "in.csv"
    lines = [f"{i % 91},{i / 7!r},{i * 31}" for i in range(150_000)]
    source.write_text("a,b,c\n" + "\n".join(lines))
    contents = set()
    for threads in (1, 3):
        target = tmp_path / f"{threads}.nc"
        assert frazil("import", source, "-o", target, "--threads", threads).code == DONE
        contents.add(target.read_bytes())
    assert len(contents) == 1


def test_numbers_survive_to_the_last_bit(tmp_path: Path):
    chance = np.random.default_rng(7)
    floats = chance.integers(0, 1 << 64, 5000, dtype="u8").view("f8")
    floats = floats[np.isfinite(floats)]
    integers = chance.integers(-(1 << 63), 1 << 63, floats.size)
    source = tmp_path / "in.csv"
    with source.open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["float", "integer"])
        writer.writerows(zip(map(repr, map(float, floats)), map(int, integers), strict=True))
    target = tmp_path / "out.nc"
    outcome = frazil("import", source, "-o", target, "--delimiter", "tab")
    assert outcome.code == DONE, outcome.stderr
    with h5py.File(target) as file:
        np.testing.assert_array_equal(file["float"][:].view("u8"), floats.view("u8"))
        np.testing.assert_array_equal(file["integer"][:], integers)


@pytest.mark.parametrize(
    ("text", "options", "code", "said"),
    [
        ("a,b\n1,2\n\n3\n", [], "corrupt", "line 4: 1 cell where 2 are expected"),
        ("a,b\r\n1,2\r\n3,x\r\n", [], "invalid_argument", "line 3, column 2: `x` is not a number"),
        ("a,b\n1,1e999\n", [], "invalid_argument", "range of float64"),
        ("a\n1e39\n", ["--float32"], "invalid_argument", "range of float32"),
        ("a,a\n1,2\n", [], "invalid_argument", "columns 1 and 2 are both named `a`"),
        ("1,2\n3,4\n", [], "invalid_argument", "--no-header"),
        ("", [], "invalid_argument", "no rows"),
        ("a,b\n", [], "invalid_argument", "no rows"),
        (b"a,b\n1,\xe9\n", [], "corrupt", "line 2, column 2: the text is not UTF-8"),
        ('a,b\n1,"2\n3,4\n', [], "invalid_argument", "line 2, column 2"),
        ("t,v\n1,2\n", ["--coordinate", "time"], "invalid_argument", "its columns are: t, v"),
        ("t,v\n1,2\n,3\n", ["--coordinate", "t"], "invalid_argument", "coordinate"),
    ],
)
def test_faults_are_named_with_their_place(
    tmp_path: Path, text: str | bytes, options: list[str], code: str, said: str
):
    outcome = attempt(tmp_path, text, *options)
    assert outcome.code == FAILED, outcome.stdout
    assert f"[{code}]" in outcome.stderr and said in outcome.stderr, outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_errors_are_json_too(tmp_path: Path):
    outcome = attempt(tmp_path, "a,b\n1,none\n", "--json")
    (error,) = outcome.errors
    assert error["code"] == "invalid_argument" and error["variable"] == "b"
    assert error["cause"].startswith("line 2, column 2") and error["file"].endswith("in.csv")


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path):
    (tmp_path / "out.nc").write_bytes(b"precious")
    refused = attempt(tmp_path, "a\n1\n")
    assert refused.code == FAILED and "already_exists" in refused.stderr
    broken = attempt(tmp_path, "a\nx\n", "--overwrite")
    assert broken.code == FAILED and (tmp_path / "out.nc").read_bytes() == b"precious"
    import_text(tmp_path, "a\n1\n", "--overwrite")
    source = tmp_path / "in.csv"
    assert frazil("import", source, "-o", source, "--overwrite").code == FAILED
    assert source.read_text() == "a\n1\n"


def test_wrong_usage_is_told_apart(tmp_path: Path):
    assert attempt(tmp_path, "a\n1\n", "--matrix", "--no-header").code == TROUBLE
    assert attempt(tmp_path, "a\n1\n", "--delimiter", "::").code == TROUBLE
    missing = frazil("import", tmp_path / "none.csv", "-o", tmp_path / "out.nc")
    assert missing.code == FAILED and "not_found" in missing.stderr


def test_imported_files_pack_into_classic_ones(tmp_path: Path):
    target = import_text(tmp_path, "a,b\n1,2.5\n3,4.5\n")
    packed, classic = tmp_path / "packed.nc", tmp_path / "classic.nc"
    assert frazil("pack", target, "-o", packed, "--verify").code == DONE
    outcome = frazil("unpack", packed, "-o", classic, "--format", "classic", "--verify")
    assert outcome.code == DONE, outcome.stderr
    assert classic.read_bytes().startswith(b"CDF")
    with netCDF4.Dataset(classic) as file:
        assert file["b"][:].tolist() == [2.5, 4.5]


def test_packing_text_names_the_command_that_imports_it(tmp_path: Path):
    source = tmp_path / "in.csv"
    source.write_text("a\n1\n")
    refused = frazil("pack", source, "-o", tmp_path / "out.nc")
    assert refused.code == FAILED and "`frazil import`" in refused.stderr
    other = source.rename(tmp_path / "in.nc")
    assert "import" not in frazil("pack", other, "-o", tmp_path / "out.nc").stderr
