"""``frazil.to_netcdf`` where another user may write, too."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import frazil
import pytest
import xarray as xr


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can act as two other users")
@pytest.mark.parametrize("dangling", [False, True])
def test_a_strangers_link_in_a_folder_open_to_all_is_not_followed(dangling):
    victim, stranger = 61001, 61002
    program = """
import os, sys, frazil, xarray
data = xarray.Dataset({"a": ("x", [1.0, 2.0])})
os.setegid(VICTIM), os.seteuid(VICTIM)
try:
    frazil.to_netcdf(data, sys.argv[1])
except OSError as error:
    assert "another user" in str(error), error
else:
    sys.exit("it was followed")
""".replace("VICTIM", str(victim))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        shared, precious = folder / "shared", folder / "home" / "precious"
        for one, owner, mode in ((shared, 0, 0o1777), (precious.parent, victim, 0o755)):
            one.mkdir()
            one.chmod(mode)
            os.chown(one, owner, owner)
        if not dangling:
            precious.write_bytes(b"precious")
            os.chown(precious, victim, victim)
        (shared / "out.nc").symlink_to(precious)
        os.chown(shared / "out.nc", stranger, stranger, follow_symlinks=False)
        ended = subprocess.run([sys.executable, "-c", program, shared / "out.nc"], check=False)
        assert ended.returncode == 0
        assert dangling != precious.exists()
        assert dangling or precious.read_bytes() == b"precious"
        assert [one.name for one in shared.iterdir()] == ["out.nc"]


@pytest.mark.parametrize("kind", ["pipe", "socket"])
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_no_file_is_not_replaced(tmp_path, kind, linked):
    path = tmp_path / "out.nc"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        socket.socket(socket.AF_UNIX).bind(os.path.relpath(path))
    named = tmp_path / "link.nc" if linked else path
    if linked:
        named.symlink_to(path)
    before = path.lstat()
    with pytest.raises(frazil.errors.InvalidArgumentError, match="which no file can replace"):
        frazil.to_netcdf(xr.Dataset({"a": ("x", [1.0, 2.0])}), named)
    assert path.lstat() == before and named.is_symlink() == linked
