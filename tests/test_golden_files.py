"""What earlier versions wrote is read to the same values: files, texts, indexes, journals.

`scripts/make_golden_files.py` makes a folder for each release. Files written by netCDF-C and numpy
lie beside those of frazil, and say what must be read.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tomllib
import zlib
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from crash.readers import check
from support import golden, nc_compare
from support.command import DONE, FAILED, ROOT, frazil, pack

PLUGINS = os.environ.get("FRAZIL_PLUGIN_PATH", str(ROOT / ".build/plugins"))
# With frazil's plugins and no others, which h5py looks for when it is loaded.
BY_H5PY = """
import sys, h5py, numpy
with h5py.File(sys.argv[1]) as file:
    numpy.savez(sys.argv[2], **{name: one[...] for name, one in file.items()})
"""
# Ways to round that are defined to the bit.
DEFINED = ("bits", "digits", "groom", "grid")
BOUNDS = {"bound": 0.01, "integers": 0.05}


@pytest.fixture(params=golden.folders(), ids=lambda path: path.name)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a release's folder."""
    return Path(shutil.copytree(request.param, tmp_path / "release"))


def manifest(release: Path) -> dict:
    return json.loads((release / golden.MANIFEST).read_text())


def stored(path: Path) -> dict[str, np.ndarray]:
    """The numbers of a file as netCDF-C reads them."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return {name: np.asarray(one[...]) for name, one in file.variables.items()}


def assert_exact(release: Path, found: dict[str, np.ndarray]) -> None:
    """Compares values with those of the source: a name begins with that of its source."""
    wanted = stored(release / "source.nc")
    names = [name for name in found if name not in ("time", "y", "x")]
    assert len(names) >= len(wanted)
    for name in names:
        source = wanted[name.split("_")[0]]
        assert np.array_equal(found[name], source), name


def test_this_version_has_golden_files() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    assert golden.GOLDEN / workspace["package"]["version"] in golden.folders()


def test_every_filter_is_read_by_the_command(release: Path) -> None:
    plain = release / "plain.nc"
    outcome = frazil("unpack", release / "exact.nc", "-o", plain)
    assert outcome.code == DONE, outcome.stderr
    assert_exact(release, stored(plain))


def test_every_filter_is_read_by_stock_readers_with_the_plugins(release: Path) -> None:
    values = release / "values.npz"
    words = [sys.executable, "-c", BY_H5PY, release / "exact.nc", values]
    environment = os.environ | {"HDF5_PLUGIN_PATH": PLUGINS}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with np.load(values) as found:
        assert_exact(release, dict(found))


def test_rounded_values_stay_and_keep_what_is_said_of_them(release: Path) -> None:
    plain = release / "plain.nc"
    outcome = frazil("unpack", release / "rounded.nc", "-o", plain)
    assert outcome.code == DONE, outcome.stderr
    found = stored(plain)
    with np.load(release / "rounded.npz") as wanted:
        assert set(wanted) <= set(found)
        for name in wanted:
            assert np.array_equal(found[name], wanted[name]), name
    # By the bounds that the file's attributes state.
    outcome = frazil("verify", release / "unrounded.nc", release / "rounded.nc", "--json")
    assert outcome.code == DONE, outcome.stdout


def test_objects_of_every_kind_stay(release: Path) -> None:
    source, plain = release / "objects_source.nc", release / "plain.nc"
    outcome = frazil("unpack", release / "objects.nc", "-o", plain)
    assert outcome.code == DONE, outcome.stderr
    assert nc_compare.compare(source, plain, set()) == []
    outcome = frazil("verify", source, release / "objects.nc")
    assert outcome.code == DONE, outcome.stdout


def test_rules_mean_what_they_meant(release: Path) -> None:
    output = release / "again.nc"
    pack(release / "unrounded.nc", output, "--precision", release / "rounding.toml", "--level", 6)
    again, exact = stored(output), stored(release / "unrounded.nc")
    with np.load(release / "rounded.npz") as wanted:
        for name in DEFINED:
            assert np.array_equal(again[name], wanted[name]), name
    with netCDF4.Dataset(output) as file:
        for name, bound in BOUNDS.items():
            worst = np.abs(file[name][...].astype("f8") - exact[name]).max()
            assert 0 < worst <= bound, name


def test_rules_that_were_written_are_read(release: Path) -> None:
    output = release / "again.nc"
    pack(release / "unrounded.nc", output, "--precision", release / "decided.toml")
    found = stored(output)
    for name, values in stored(release / "unrounded.nc").items():
        if name in (*DEFINED, *BOUNDS):
            # 9 of 23 bits.
            assert not np.any(found[name].view("u4") & 0x3FFF), name
            assert np.allclose(found[name], values, rtol=2**-10, atol=0), name


def test_plans_are_carried_out(release: Path) -> None:
    output, plan = release / "again.nc", release / "plan.json"
    pack(release / "unrounded.nc", output, "--plan", plan, "--readable-by", "plugins")
    planned = json.loads(plan.read_text())["variables"]
    with h5py.File(output) as file:
        for variable in planned:
            one = file[variable["path"]]
            chunk = variable["layout"].get("chunk")
            assert one.chunks == (tuple(chunk) if chunk else None)
            filters = one.id.get_create_plist()
            numbers = [filters.get_filter(at)[0] for at in range(filters.get_nfilters())]
            assert numbers == [stage["id"] for stage in variable["pipeline"]]


def test_calibrations_and_trees_are_read(release: Path) -> None:
    plan = release / "again.json"
    known = ("--calibration", release / "calibration.json", "--tree", release / "tree.json")
    limits = ("--readable-by", "plugins", "--min-read-speed", "network")
    outcome = frazil("plan", release / "unrounded.nc", *known, *limits, "--json", plan)
    assert outcome.code == DONE, outcome.stderr
    reasons = [variable["reason"] for variable in json.loads(plan.read_text())["variables"]]
    assert any("777 MB/s (network)" in reason for reason in reasons)
    assert any("->" in reason for reason in reasons), "no leaf of the tree was asked"


def test_references_stay(release: Path) -> None:
    output = release / "again.json"
    prefix = ("--url-prefix", "https://example.org/data/")
    outcome = frazil("refs", release / "rounded.nc", "-o", output, *prefix)
    assert outcome.code == DONE, outcome.stderr
    wanted = json.loads((release / "references.json").read_text())["refs"]
    found = json.loads(output.read_text())["refs"]
    assert {key: found.get(key) for key in wanted} == wanted


def test_a_run_goes_on_by_the_index_of_finished_inputs(release: Path) -> None:
    for name, time in manifest(release)["times"].items():
        os.utime(release / name, ns=(time, time))
    inputs, results = release / golden.BATCH / "in", release / golden.BATCH / "out"
    before = {path.name: path.stat().st_ino for path in results.iterdir()}
    again = ("pack", inputs, "--out-dir", results, "--skip-existing", "--allow-larger")
    outcome = frazil(*again)
    assert outcome.code == DONE, outcome.stderr
    assert {path.name: path.stat().st_ino for path in results.iterdir()} == before
    # Newer than its input, but not as the index knows it.
    os.utime(results / "a.nc")
    outcome = frazil(*again)
    assert outcome.code == FAILED and "1 done before" in outcome.stdout
    assert f"{results / 'a.nc'}: exists already" in outcome.stderr


def test_commits_of_killed_writers_are_completed(release: Path) -> None:
    path, journal = release / golden.KILLED, release / golden.JOURNAL
    # A journal is for one file of one disk.
    body = bytearray(journal.read_bytes()[:-4])
    found = path.stat()
    struct.pack_into("<QQ", body, golden.JOURNAL_HEADER, found.st_dev, found.st_ino)
    journal.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    journal.chmod(0o644)
    outcome = frazil("recover", path, "--json")
    assert outcome.code == DONE, outcome.stdout
    assert outcome.report["reports"][0]["outcome"] == "completed"
    assert not journal.exists()
    orders = manifest(release)["killed"]
    check(path, orders, orders["records"], orders["records"])


@pytest.mark.parametrize("report", golden.REPORTS)
def test_keys_of_reports_stay(release: Path, report: str) -> None:
    found = golden.shape(golden.REPORTS[report](release, release / "rounded.nc"))
    for key, kinds in manifest(release)["reports"][report].items():
        assert key in found, key
        assert set(kinds.split()) & set(found[key].split()), key
