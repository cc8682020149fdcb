"""What a killed ``to_netcdf`` leaves goes with whatever writes or recovers the file next."""

import subprocess
import sys
import time

import dask.array as da
import frazil
import numpy as np
import pytest
import xarray as xr

DATA = xr.Dataset({"v": ("x", np.arange(6.0))})
KILLED = """
import os, signal, sys
import dask.array as da, frazil, numpy as np, xarray as xr

def end(block):
    os.kill(os.getpid(), signal.{signal})
    return block

values = da.ones(6, chunks=3).map_blocks(end, dtype="f8", meta=np.empty(0))
frazil.to_netcdf(xr.Dataset({{"v": ("x", values)}}), sys.argv[1])
"""


def write_anew(path):
    frazil.to_netcdf(DATA, path)


def open_writer(path):
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("v", "f8", "x").put(np.ones(3), [0])


def pack_to(path):
    source = path.parent.parent / "source.nc"
    frazil.to_netcdf(DATA, source)
    frazil.pack(source, path, overwrite=True, allow_larger=True)


@pytest.mark.parametrize("had_file", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("go_on", [write_anew, open_writer, pack_to, frazil.recover])
def test_what_a_killed_process_left_is_removed(go_on, had_file, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "out.nc"
    if had_file:
        write_anew(path)
    words = [sys.executable, "-c", KILLED.format(signal="SIGKILL"), path]
    assert subprocess.run(words, check=False).returncode == -9
    # The temporary file, its lock, and the target's.
    assert len(list(folder.iterdir())) == 3 + had_file
    go_on(path)
    is_there = had_file or go_on is not frazil.recover
    assert list(folder.iterdir()) == [path] * is_there


def test_what_a_living_process_writes_stays(tmp_path):
    path = tmp_path / "out.nc"
    words = [sys.executable, "-c", KILLED.format(signal="SIGSTOP"), path]
    living = subprocess.Popen(words)
    try:
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < until:
            time.sleep(0.05)
        before = sorted(tmp_path.iterdir())
        assert len(before) == 3
        for go_on in (write_anew, open_writer):
            with pytest.raises(frazil.Error, match="another frazil process is writing"):
                go_on(path)
        assert sorted(tmp_path.iterdir()) == before
    finally:
        living.kill()
        living.wait()


def test_files_of_one_process_on_their_way_to_one_name(tmp_path):
    path = tmp_path / "out.nc"
    late = xr.Dataset({"v": ("x", da.ones(6, chunks=3))})
    first, second = (frazil.to_netcdf(late * n, path, compute=False) for n in (1, 2))
    second.compute()
    first.compute()
    assert list(tmp_path.iterdir()) == [path]
    with xr.open_dataset(path, engine="frazil") as found:
        assert (found.v == 1).all()
    # Nobody holds the name any more.
    open_writer(path)
