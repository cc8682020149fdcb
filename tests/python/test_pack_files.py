"""``frazil.pack_files`` and ``frazil pack --scheduler`` on a cluster."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import dask
import frazil
import netCDF4
import numpy as np
import pytest
from support.cluster import bare_workers, cluster_of, sample, wait_for
from support.command import BINARY

pytestmark = pytest.mark.sampled(one_in=4)


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as client:
        yield client


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    paths = [folder / f"{i}.nc" for i in range(4)]
    for path in paths:
        sample(steps=2).compute().to_netcdf(path, engine="netcdf4")
    return paths


def test_many_files_are_packed_on_a_cluster(client, files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    reports = frazil.pack_files(files, out, client=client, verify=True, level=4)
    assert [report.input for report in reports] == files
    for path in files:
        assert frazil.verify(path, out / path.name, check=True)
    with pytest.raises(ExceptionGroup, match="4 of 4") as refused:
        frazil.pack_files(files, out, client=client)
    kinds = {type(error) for error in refused.value.exceptions}
    assert kinds == {frazil.errors.AlreadyExistsError}
    frazil.pack_files(files, out, client=client, overwrite=True)
    files[1].write_bytes(b"no netCDF")
    with pytest.raises(frazil.Error) as failed:
        frazil.pack_files(files, out, client=client, overwrite=True)
    assert failed.value.file == str(files[1])
    with pytest.raises(frazil.errors.InvalidArgumentError, match="in_place=True"):
        frazil.pack_files(files[:1], client=client)
    (report,) = frazil.pack_files(files[:1], client=client, in_place=True)
    assert report.output == files[0]
    assert "deflate" in frazil.info(files[0])["t2m"].filters


def test_what_would_not_shrink_is_copied(client, tmp_path):
    path, out = tmp_path / "noise.nc", tmp_path / "out"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("n", 500)
        file.createVariable("v", "f8", ("n",))[:] = np.random.default_rng(7).normal(size=500)
    before = path.read_bytes()
    (report,) = frazil.pack_files([path], out, client=client)
    assert report.kept_input and (out / path.name).read_bytes() == before
    (report,) = frazil.pack_files([path], client=client, in_place=True)
    assert report.kept_input and path.read_bytes() == before
    words = ["--scheduler", client.scheduler.address, "--out-dir", tmp_path / "command", path]
    assert command(*words).returncode == 0
    assert (tmp_path / "command" / path.name).read_bytes() == before
    (report,) = frazil.pack_files([path], out, client=client, overwrite=True, allow_larger=True)
    assert not report.kept_input


def command(*words, python=sys.executable):
    """``frazil pack``, with the interpreter that is to speak with the cluster."""
    environment = os.environ | {"FRAZIL_PYTHON": str(python)}
    words = [BINARY, "pack", *map(str, words)]
    return subprocess.run(words, env=environment, capture_output=True, text=True)


def test_the_command_packs_on_a_cluster(client, files, tmp_path):
    out = tmp_path / "out"
    words = ["--scheduler", client.scheduler.address, "--out-dir", out]
    done = command(*files, *words, "--json", "--level", 3, "--shuffle", "on", "--memory", "64MiB")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert len(document["reports"]) == 4 and document["errors"] == []
    assert frazil.info(out / "0.nc")["t2m"].filters == "shuffle+deflate(3)"
    for path in files:
        assert frazil.verify(path, out / path.name, check=True)
    again = command(*files, *words)
    assert again.returncode == 1 and "the file already exists" in again.stderr
    assert command(*files, *words[:2]).returncode == 2
    nowhere = command(*files, "--scheduler", "tcp://127.0.0.1:1", "--out-dir", out)
    assert nowhere.returncode == 1 and "127.0.0.1:1" in nowhere.stderr
    planned = command(*files, *words[:2], "--dry-run")
    assert planned.returncode == 0 and "/t2m" in planned.stdout
    assert sorted(one.name for one in files[0].parent.iterdir()) == [one.name for one in files]


def test_all_options_of_the_command_reach_the_workers(client, files, tmp_path):
    out, plan, rules = tmp_path / "out", tmp_path / "plan.json", tmp_path / "rules.toml"
    plan.write_text(frazil.plan(files[0], chunks={"time": 1}).to_json())
    rules.write_text('[[rule]]\nvariables = ["t2m"]\nabsolute_tolerance = 0.25\n')
    words = ["--scheduler", client.scheduler.address, "--out-dir", out, "--overwrite", files[0]]
    result = out / files[0].name

    def packed(*options):
        done = command(*words, *options)
        assert done.returncode == 0, done.stderr
        return frazil.info(result)["t2m"]

    assert packed("--plan", plan).chunk[0] == 1
    assert packed("--filters", "lz4", "--readable-by", "plugins").filters == "lz4"
    reads = ("--reads", "series=2,time:2/x:40", "--storage", "disk", "--axes", "x=lon")
    assert packed(*reads, "--chunks", "y=25", "--expected", "time=100").chunk[1] == 25
    packed("--digits", "t2m:3", "--special", "t2m:280")
    with netCDF4.Dataset(result) as file:
        assert file["t2m"].quantization_nsd == 3
    packed("--precision", rules)
    with netCDF4.Dataset(result) as file, netCDF4.Dataset(files[0]) as before:
        assert 0 < np.abs(file["t2m"][:] - before["t2m"][:]).max() <= 0.25
    plan.write_text("{}")
    assert command(*words, "--plan", plan).returncode == 2
    for more in (("--write-precision", rules), ("-o", result)):
        assert command(*words[:2], files[0], *more).returncode == 2


def test_the_command_needs_an_interpreter_that_has_the_package(client, files, tmp_path):
    bare, out = tmp_path / "python", tmp_path / "out"
    bare.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'frazil'\" >&2\nexit 1\n"
    )
    bare.chmod(0o755)
    words = [*files, "--out-dir", out, "--scheduler", client.scheduler.address]
    for python, cause in ((bare, "No module named 'frazil'"), (tmp_path / "no", "cannot run")):
        refused = command(*words, python=python)
        assert refused.returncode == 2
        assert cause in refused.stderr and "frazil[distributed]" in refused.stderr
        assert not out.exists()


def test_a_worker_that_hangs_keeps_no_file_from_being_packed(files, tmp_path):
    """It stops while it has the beginning of its file, is given up, and comes back at the end."""
    out, note = tmp_path / "out", tmp_path / "note"
    out.mkdir()

    def patch():
        from frazil import _frazil

        class Compiled:
            def __getattr__(self, name):
                return getattr(_frazil, name)

            def pack(self, path, output, options, listener):
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(note, os.O_CREAT | os.O_EXCL))
                    word = json.loads(options)["attempt"]["word"]
                    (output.parent / f".{output.name}.{word}.frazil-part").touch()
                    note.write_text(str(os.getpid()))
                    os.kill(os.getpid(), signal.SIGSTOP)
                    time.sleep(0.5)
                try:
                    return _frazil.pack(path, output, options, listener)
                except Exception as error:
                    note.with_suffix(".error").write_text(repr(error))
                    raise

        from frazil import cluster_pack

        cluster_pack._frazil = Compiled()

    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "2 s"}),
        cluster_of(0) as client,
        bare_workers(client.scheduler.address, tmp_path, 2),
    ):
        client.wait_for_workers(2, timeout=60)
        client.run(patch)
        frazil.pack_files(files, out, client=client)
        assert sorted(one.name for one in out.iterdir()) == [one.name for one in files]
        os.kill(int(note.read_text()), signal.SIGCONT)
        wait_for(note.with_suffix(".error").exists)
    assert "given up" in note.with_suffix(".error").read_text()
    assert sorted(one.name for one in out.iterdir()) == [one.name for one in files]
    for path in files:
        assert frazil.verify(path, out / path.name, check=True)
