"""What would not become smaller stays as it is, unless its form is asked for."""

import json
from pathlib import Path

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pytest
from support.command import DONE, frazil

FORMATS = {
    "classic": {"format": "NETCDF3_CLASSIC"},
    "cdf5": {"format": "NETCDF3_64BIT_DATA"},
    "netcdf4": {"format": "NETCDF4"},
}


def noise(path: Path, kind: str) -> Path:
    """A small file of numbers that nothing makes smaller."""
    values = np.random.default_rng(7).integers(0, 1 << 32, 700, dtype="u4")
    if kind == "hdf5":
        with h5py.File(path, "w", libver="latest") as file:
            file["v"] = values
        return path
    with netCDF4.Dataset(path, "w", **FORMATS[kind]) as file:
        file.createDimension("n", values.size)
        variable = file.createVariable("v", "f8", ("n",))
        variable[:] = np.random.default_rng(7).normal(size=values.size)
    return path


def smooth(path: Path) -> Path:
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("n", 100_000)
        file.createVariable("v", "f4", ("n",))[:] = np.arange(100_000) // 50
    return path


KINDS = [*FORMATS, "hdf5"]


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return noise(tmp_path / "noise.nc", request.param)


def test_in_place_a_file_that_would_not_shrink_is_untouched(source: Path):
    before, bytes_before = source.stat(), source.read_bytes()
    outcome = frazil("pack", source, "--in-place", "--json")
    assert outcome.code == DONE, outcome.stderr
    (report,) = outcome.report["reports"]
    assert report["kept_input"]
    assert report["output_file_bytes"] == report["input_file_bytes"] == before.st_size
    assert [line for line in report["notices"] if "--allow-larger" in line]
    after = source.stat()
    assert source.read_bytes() == bytes_before
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list(source.parent.iterdir()) == [source]


def test_a_folder_gets_the_bytes_of_what_would_not_shrink(source: Path, tmp_path: Path):
    shrinks, out = smooth(tmp_path / "smooth.nc"), tmp_path / "out"
    outcome = frazil("pack", source, shrinks, "--out-dir", out, "--verify")
    assert outcome.code == DONE, outcome.stderr
    (said,) = [line for line in outcome.stderr.splitlines() if "kept as it is" in line]
    assert "--allow-larger" in said
    assert "2 files, 1 kept as it is" in outcome.stdout
    assert (out / source.name).read_bytes() == source.read_bytes()
    assert (out / shrinks.name).stat().st_size < shrinks.stat().st_size
    assert sorted(out.iterdir()) == sorted([out / source.name, out / shrinks.name])


def test_what_is_larger_is_written_where_that_is_allowed_or_named(source: Path, tmp_path: Path):
    out = tmp_path / "out"
    named = ["-o", tmp_path / "named.nc"]
    for words in (["--out-dir", out, "--allow-larger"], named, ["--in-place", "--allow-larger"]):
        outcome = frazil("pack", source, *words, "--json")
        assert outcome.code == DONE, outcome.stderr
        (report,) = outcome.report["reports"]
        assert not report["kept_input"]
        assert h5py.is_hdf5(report["output"])
        assert report["output_file_bytes"] >= report["input_file_bytes"]


def test_a_named_output_is_not_larger_than_an_hdf5_input(tmp_path: Path):
    """Objects of many attributes take more space in the form that netCDF readers show in order."""
    source, out = tmp_path / "attributes.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as file:
        for i in range(1000):
            file.attrs[f"attribute {i}"] = np.arange(8)
    outcome = frazil("pack", source, "-o", out, "--json")
    assert outcome.code == DONE, outcome.stderr
    assert out.stat().st_size <= 1.005 * source.stat().st_size + 4096
    (report,) = outcome.report["reports"]
    assert report["output_file_bytes"] == out.stat().st_size
    assert report["kept_input"] == (out.read_bytes() == source.read_bytes())
    dry = frazil("pack", source, "-o", out, "--dry-run", "--json", "--overwrite")
    assert dry.report["reports"][0]["output_file_bytes"] == out.stat().st_size
    packed = frazil("pack", source, "-o", out, "--overwrite", "--allow-larger", "--json")
    assert not packed.report["reports"][0]["kept_input"]
    with h5py.File(out) as file:
        assert len(file.attrs) == 1000


def test_a_named_output_is_for_the_readers_that_were_asked_for(tmp_path: Path):
    source, out = tmp_path / "zstd.h5", tmp_path / "out.h5"
    values = np.cumsum(np.random.default_rng(7).integers(0, 3, 400_000)).astype("i4")
    with h5py.File(source, "w") as file:
        file.create_dataset("v", data=values, shuffle=True, **hdf5plugin.Zstd(clevel=19))
    outcome = frazil("pack", source, "-o", out, "--json", "--level", 1)
    assert outcome.code == DONE, outcome.stderr
    assert not outcome.report["reports"][0]["kept_input"]
    assert out.stat().st_size > 1.005 * source.stat().st_size + 4096
    with h5py.File(out) as file:
        assert file["v"].compression == "gzip"


def test_a_named_output_is_rounded_whatever_its_size(tmp_path: Path):
    source, out = tmp_path / "small.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 4)
        file.createVariable("v", "f4", ("x",))[:] = [1 / 3, 2 / 3, 4 / 3, 8 / 3]
    outcome = frazil("pack", source, "-o", out, "--digits", 2, "--json")
    assert outcome.code == DONE, outcome.stderr
    with netCDF4.Dataset(source) as before, netCDF4.Dataset(out) as after:
        assert (before["v"][:] != after["v"][:]).all()
        assert "quantization" in after["v"].ncattrs()


FORMS = {
    "chunks": ["--chunks", "v:0=100"],
    "reads": ["--reads", "map"],
    "level 0": ["--level", "0"],
    "filters": ["--filters", "shuffle+deflate(1)"],
    "checksum": ["--checksum"],
    "layout": ["--layout", "cmip7"],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_is_asked_for_is_written_whatever_its_size(form: str, tmp_path: Path):
    source = noise(tmp_path / "noise.nc", "classic")
    outcome = frazil("pack", source, "--in-place", "--json", *FORMS[form])
    assert outcome.code == DONE, outcome.stderr
    assert not outcome.report["reports"][0]["kept_input"]
    assert h5py.is_hdf5(source)


REQUESTS = {
    "goal": ["--goal", "archive"],
    "level": ["--level", "9"],
    "precision": ["--abs-error", "v:1e-300"],
    "chunks kept": ["--keep-chunks"],
}


@pytest.mark.parametrize("requested", REQUESTS)
def test_requests_for_less_bytes_do_not_make_a_file_larger(requested: str, tmp_path: Path):
    source = noise(tmp_path / "noise.nc", "classic")
    before = source.read_bytes()
    outcome = frazil("pack", source, "--in-place", "--json", *REQUESTS[requested])
    assert outcome.code == DONE, outcome.stderr
    assert outcome.report["reports"][0]["kept_input"]
    assert source.read_bytes() == before


def test_the_report_of_a_kept_file_tells_how_it_is_stored(tmp_path: Path):
    source = tmp_path / "packed.h5"
    with h5py.File(source, "w") as file:
        values = np.random.default_rng(7).integers(0, 1 << 32, 4000, dtype="u4")
        file.create_dataset("v", data=values, chunks=(1000,), compression="gzip", shuffle=True)
    outcome = frazil("pack", source, "--out-dir", tmp_path / "out", "--json")
    (report,) = outcome.report["reports"]
    (variable,) = report["variables"]
    if report["kept_input"]:
        assert (variable["chunk"], variable["filters"]) == ([1000], "shuffle+deflate(4)")
        assert variable["stored_bytes"] == variable["input_bytes"]
    assert report["output_file_bytes"] <= report["input_file_bytes"]


def test_values_in_other_files_are_brought_in(tmp_path: Path):
    """The bytes of the file alone would be a file without its values."""
    values = np.random.default_rng(7).integers(0, 1 << 32, 5000, dtype="u4")
    (tmp_path / "values.raw").write_bytes(values.tobytes())
    source = tmp_path / "outside.h5"
    with h5py.File(source, "w") as file:
        external = [("values.raw", 0, h5py.h5f.UNLIMITED)]
        file.create_dataset("v", values.shape, "u4", external=external)
    outcome = frazil("pack", source, "--out-dir", tmp_path / "out", "--json")
    if outcome.code == DONE:
        with h5py.File(tmp_path / "out" / source.name) as file:
            assert np.array_equal(file["v"], values)


def test_a_dry_run_says_what_would_be_kept(tmp_path: Path):
    source = noise(tmp_path / "noise.nc", "classic")
    outcome = frazil("pack", source, "--dry-run", "--in-place", "--json")
    (report,) = outcome.report["reports"]
    predicted = report["output_file_bytes"] >= report["input_file_bytes"]
    assert predicted == any("would keep it" in line for line in report["notices"])
    assert predicted == report["kept_input"]


def packed_twice(tmp_path: Path) -> Path:
    """A file of some variables that packing once more does not make smaller."""
    source, once, twice = (tmp_path / name for name in ("in.nc", "once.nc", "twice.nc"))
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 200_000)
        file.createVariable("v", "i4", ("x",))[:] = np.arange(200_000) // 50
        file.createVariable("w", "i4", ("x",))[:] = np.arange(200_000) // 70
    for before, after in ((source, once), (once, twice)):
        assert frazil("pack", before, "-o", after).code == DONE
    return twice


WAYS = {
    "in place": ["--in-place"],
    "folder": ["--out-dir", "out"],
    "dry": ["--dry-run"],
    "dry in place": ["--dry-run", "--in-place"],
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_says_that_a_file_is_kept(way: str, tmp_path: Path):
    source = noise(tmp_path / "noise.nc", "classic")
    size = f"{source.stat().st_size / 1024:.1f} KiB"
    outcome = frazil("pack", source, *WAYS[way], cwd=tmp_path)
    assert outcome.code == DONE, outcome.stderr
    predicted = "predicted: " if "dry" in way else ""
    assert f"{predicted}file {size}, kept as it is" in outcome.stdout.splitlines()
    assert len([line for line in outcome.stderr.splitlines() if "as it is: its" in line]) == 1


@pytest.mark.parametrize("way", WAYS)
def test_every_report_says_that_a_file_is_kept(way: str, tmp_path: Path):
    source = noise(tmp_path / "noise.nc", "classic")
    outcome = frazil("pack", source, *WAYS[way], "--json", cwd=tmp_path)
    (report,) = outcome.report["reports"]
    assert report["kept_input"] and len(report["notices"]) == 1
    assert report["output_file_bytes"] == report["input_file_bytes"]
    (variable,) = report["variables"]
    assert variable["kept"] and variable["filters"] == "none"


def test_lines_and_sums_of_many_say_that_a_file_is_kept(tmp_path: Path):
    source, shrinks = noise(tmp_path / "noise.nc", "classic"), smooth(tmp_path / "smooth.nc")
    size = f"{source.stat().st_size / 1024:.1f} KiB"
    for words in (["--out-dir", "out"], ["--dry-run"]):
        outcome = frazil("pack", source, shrinks, *words, "--jobs", 2, cwd=tmp_path)
        assert f"{source}: {size}, kept as it is" in outcome.stdout
        assert "\n2 files, 1 kept as it is: " in outcome.stdout
    outcome = frazil("pack", source, "--in-place", "--json-lines")
    line = json.loads(outcome.stdout)
    assert (line["outcome"], line["report"]["kept_input"]) == ("kept", True)


def test_what_was_packed_already_stays_as_it_is(tmp_path: Path):
    source = packed_twice(tmp_path)
    size = f"{source.stat().st_size / 1024:.1f} KiB"
    for words in (["--out-dir", tmp_path / "out"], ["--in-place"]):
        lines = frazil("pack", source, *words).stdout.splitlines()
        assert f"file {size}, kept as it is" in lines
    named = ("pack", source, "-o", tmp_path / "named.nc")
    lines = frazil(*named).stdout.splitlines()
    assert f"file {size} -> {size} (as small as before)" in lines
    assert "all variables kept as they are" in lines
    dry = frazil(*named, "--dry-run", "--overwrite")
    assert "all variables kept as they are" in dry.stdout.splitlines()
    (report,) = frazil(*named, "--overwrite", "--json").report["reports"]
    assert [one["kept"] for one in report["variables"]] == [True, True]
    assert not report["kept_input"]


def test_variables_that_stay_are_named(tmp_path: Path):
    source = packed_twice(tmp_path)
    with netCDF4.Dataset(source, "a") as file:
        file.createVariable("u", "i4", ("x",))[:] = np.arange(200_000) // 30
    outcome = frazil("pack", source, "-o", tmp_path / "out.nc")
    assert "2 of 3 variables kept as they are: v, w" in outcome.stdout.splitlines()


def test_what_rounding_makes_larger_stays_exact(tmp_path: Path):
    """A pattern that comes again and again: rounding and a fast level do not shorten it."""
    source, packed = tmp_path / "in.nc", tmp_path / "out.nc"
    pattern = np.random.default_rng(1).normal(size=(40, 11, 9)).astype("f4")
    values = np.tile(pattern, (90, 1, 1))
    with netCDF4.Dataset(source, "w") as file:
        for name, extent in zip("tyx", values.shape, strict=True):
            file.createDimension(name, extent)
        kept = {"zlib": True, "complevel": 9, "chunksizes": values.shape}
        file.createVariable("v", "f4", tuple("tyx"), **kept)[:] = values
        file.createVariable("w", "f4", ("y", "x"))[:] = pattern[0]
    outcome = frazil("pack", source, "-o", packed, "--rel-error", "1e-3", "--json")
    assert outcome.code == DONE, outcome.stderr
    (report,) = outcome.report["reports"]
    by_path = {one["path"]: one for one in report["variables"]}
    assert by_path["/v"]["stored_bytes"] == by_path["/v"]["input_bytes"]
    assert by_path["/v"]["precision"] is None and by_path["/w"]["precision"] is not None
    assert "would become larger if rounded: v" in " ".join(report["notices"])
    with netCDF4.Dataset(packed) as file:
        np.testing.assert_array_equal(file["v"][:], values)
        assert "quantization" not in file["v"].ncattrs()
        assert "quantization" in file["w"].ncattrs()
    assert frazil("verify", source, packed).code == DONE


def test_statements_of_rounding_make_no_file_larger(tmp_path: Path):
    """Attributes that state the rounding of many scalars take more than all that it saves."""
    source, packed = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as file:
        for number in range(400):
            file[f"s{number}"] = number * 0.1
    words = ("--rel-error", "1e-6", "--finest-abs-error", "1e-4")
    outcome = frazil("pack", source, "-o", packed, *words, "--json")
    assert outcome.code == DONE, outcome.stderr
    assert packed.read_bytes() == source.read_bytes()
    assert outcome.report["reports"][0]["kept_input"]
    forced = frazil("pack", source, "-o", packed, *words, "--allow-larger", "--overwrite")
    assert forced.code == DONE and packed.stat().st_size > source.stat().st_size


def test_what_stated_chunks_cost_is_told(tmp_path: Path):
    source = tmp_path / "in.nc"
    values = np.random.default_rng(7).normal(size=(40, 100, 100)).astype("f4")
    with netCDF4.Dataset(source, "w") as file:
        for axis, extent in zip("tyx", values.shape, strict=True):
            file.createDimension(axis, extent)
        file.createVariable("v", "f4", tuple("tyx"), zlib=True, chunksizes=(10, 100, 100))[:] = (
            values
        )

    def notes(chunks: str) -> str:
        words = ("-o", tmp_path / "out.nc", "--overwrite", "--chunks", chunks)
        outcome = frazil("pack", source, *words)
        assert outcome.code == DONE, outcome.stderr
        return outcome.stderr

    assert "(with --chunks, frazil" in notes("t=1,y=4,x=4")
    assert "with --chunks" not in notes("t=10,y=100,x=100")


def test_what_stated_forms_cost_is_told_where_they_cost_it(tmp_path: Path):
    """The note names all forms that are stated."""
    source = tmp_path / "in.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("t", 4000)
        file.createDimension("x", 100)
        settings = {"zlib": True, "chunksizes": (4, 100), "complevel": 9}
        numbers = np.arange(400_000).reshape(4000, 100)
        file.createVariable("v", "i4", ("t", "x"), **settings)[:] = numbers * numbers // 7
    classic = tmp_path / "classic.nc"
    with netCDF4.Dataset(classic, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", None)
        for number in range(200):
            file.createVariable(f"v{number}", "i4", ("x",))[:] = np.arange(3) + number

    def notes(path: Path, *options: str) -> str:
        outcome = frazil("pack", path, "-o", tmp_path / "out.nc", "--overwrite", *options)
        assert outcome.code == DONE, outcome.stderr
        return outcome.stderr

    told = notes(source, "--checksum", "--keep-chunks")
    assert "(with --checksum, frazil" in told and "/v takes" in told, told
    assert "the file grew" not in notes(source, "--keep-chunks")
    # It grows by metadata, whatever is stated.
    assert "most of it is metadata" in notes(classic, "--layout", "cmip7")
    assert (tmp_path / "out.nc").stat().st_size > classic.stat().st_size + 4096
