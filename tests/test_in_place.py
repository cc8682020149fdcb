"""--in-place: the file is replaced, what hangs on its name stays."""

import hashlib
import os
import stat
from pathlib import Path

import pytest
from support import h5_compare, make
from support.command import DONE, FAILED, frazil


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make.plain_netcdf4(tmp_path / "source.nc", steps=60)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_file_is_replaced_by_its_packed_form(source: Path, tmp_path: Path):
    twin = make.plain_netcdf4(tmp_path / "twin.nc", steps=60)
    outcome = frazil("pack", source, "--in-place", "--json")
    assert outcome.code == DONE, outcome.stderr
    assert outcome.report["reports"][0]["verified"]
    assert source.stat().st_size < twin.stat().st_size
    assert h5_compare.compare(twin, source).differences == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source.nc", "twin.nc"]


def test_mode_owner_and_extended_attributes_stay(source: Path):
    source.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(source, 12345, 54321)
    os.setxattr(source, "user.origin", b"station 7")
    before = source.stat()
    assert frazil("pack", source, "--in-place").code == DONE
    after = source.stat()
    assert stat.S_IMODE(after.st_mode) == 0o640
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert os.getxattr(source, "user.origin") == b"station 7"


def test_symbolic_links_are_followed(source: Path, tmp_path: Path):
    link = tmp_path / "link.nc"
    link.symlink_to(source.name)
    before = digest(source)
    assert frazil("pack", link, "--in-place").code == DONE
    assert link.is_symlink() and digest(source) != before


def test_an_output_that_is_a_link_is_written_through(source: Path, tmp_path: Path):
    target, link = tmp_path / "target.nc", tmp_path / "link.nc"
    target.write_bytes(b"old")
    link.symlink_to(target.name)
    assert frazil("pack", source, "-o", link).code == FAILED
    assert frazil("pack", source, "-o", link, "--overwrite").code == DONE
    assert link.is_symlink() and frazil("verify", source, target).code == DONE
    target.unlink()
    dangling = frazil("pack", source, "-o", link, "--overwrite", "--json")
    assert dangling.code == FAILED and "does not exist" in dangling.errors[0]["cause"]
    assert not target.exists()


def test_hard_links_are_refused_unless_forced(source: Path, tmp_path: Path):
    other = tmp_path / "other.nc"
    other.hardlink_to(source)
    before = digest(source)
    outcome = frazil("pack", source, "--in-place", "--json")
    assert outcome.code == FAILED
    assert "--break-hard-links" in outcome.errors[0]["cure"]
    assert digest(source) == digest(other) == before
    assert frazil("pack", source, "--in-place", "--break-hard-links").code == DONE
    assert digest(other) == before != digest(source)


def test_a_failure_leaves_the_file_as_it_was(source: Path, tmp_path: Path):
    before = digest(source)
    outcome = frazil("pack", source, "--in-place", "--json", file_bytes=4096)
    assert outcome.code == FAILED
    assert digest(source) == before
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]


def test_reports_name_the_file_as_its_user_does(source: Path, tmp_path: Path):
    outcome = frazil("pack", source.name, "--in-place", cwd=tmp_path)
    assert outcome.code == DONE, outcome.stderr
    assert str(tmp_path) not in outcome.stdout + outcome.stderr
    assert outcome.stdout.startswith(f"{source.name} -> {source.name}")
