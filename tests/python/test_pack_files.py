"""``frazil.pack_files``, ``python -m frazil pack`` and ``frazil pack --scheduler`` on a cluster."""

import json
import os
import re
import subprocess
import sys

import frazil
import pytest
from frazil.__main__ import parser
from support.cluster import cluster_of, sample
from support.command import BINARY

ROUNDING = """
    --bits --digits --abs-error --rel-error --finest-abs-error --keep-information --nbits
    --quantizer --lossless-range --special --lossless --write-precision --force-precision
"""


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
    (report,) = frazil.pack_files(files[:1], client=client)
    assert report.output == files[0]
    assert "deflate" in frazil.info(files[0])["t2m"].filters


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "frazil", "pack", *map(str, words)], capture_output=True, text=True
    )


def test_the_module_is_a_command(client, files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    words = ["--scheduler", client.scheduler.address, "--out-dir", out]
    done = command(*files, *words, "--json", "--level", 3, "--shuffle", "on", "--memory", "64MiB")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert len(document["reports"]) == 4 and document["errors"] == []
    assert frazil.info(out / "0.nc")["t2m"].filters == "shuffle+deflate(3)"
    again = command(*files, *words)
    assert again.returncode == 1 and "there is such a file" in again.stderr
    assert command(*files, *words[:2]).returncode == 2
    nowhere = command(*files, "--scheduler", "tcp://127.0.0.1:1", "--out-dir", out)
    assert nowhere.returncode == 1 and "127.0.0.1:1" in nowhere.stderr


def test_the_module_knows_the_options_of_the_command():
    """All but the output's name, and the flags of rounding, for which it takes a file of rules."""
    asked = subprocess.run([BINARY, "pack", "--help"], capture_output=True, text=True, check=True)
    known = {option for action in module_parser() for option in action.option_strings}
    named = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", asked.stdout, flags=re.MULTILINE))
    rounding = set(ROUNDING.split())
    assert named - known - rounding == {"--output"}
    assert len(named) > 20


def module_parser():
    (commands,) = parser()._subparsers._group_actions
    return commands.choices["pack"]._actions


def test_goals_and_plans_reach_the_workers(client, files, tmp_path):
    out, plan = tmp_path / "out", tmp_path / "plan.json"
    out.mkdir()
    plan.write_text(frazil.plan(files[0], chunks={"time": 1}).to_json())
    words = ["--scheduler", client.scheduler.address, "--out-dir", out, "--overwrite", files[0]]
    for options, filters in (
        (("--plan", plan), None),
        (("--filters", "lz4", "--readable-by", "plugins"), "lz4"),
    ):
        done = command(*words, *options)
        assert done.returncode == 0, done.stderr
        found = frazil.info(out / files[0].name)["t2m"]
        assert filters is None or found.filters == filters
        assert filters is not None or found.chunk[0] == 1
    plan.write_text("{}")
    refused = command(*words, "--plan", plan)
    assert refused.returncode == 1 and "this is no plan" in refused.stderr
    (report,) = frazil.pack_files(
        files[:1], out, client=client, overwrite=True, reads="series", storage="local"
    )
    assert report.output == out / files[0].name


def test_the_command_hands_over_to_the_module(client, files, tmp_path):
    """With the interpreter that the environment names, if that has what is needed."""
    out = tmp_path / "out"
    out.mkdir()
    words = [BINARY, "pack", *files, "--out-dir", out, "--scheduler", client.scheduler.address]

    def run(python):
        environment = os.environ | {"FRAZIL_PYTHON": str(python)}
        command = [str(word) for word in words]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    bare = tmp_path / "python"
    bare.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'frazil'\" >&2\nexit 1\n"
    )
    bare.chmod(0o755)
    for python, cause in ((bare, "No module named 'frazil'"), (tmp_path / "no", "cannot run")):
        refused = run(python)
        assert refused.returncode == 2
        assert cause in refused.stderr and "frazil[distributed]" in refused.stderr
        assert list(out.iterdir()) == []
    done = run(sys.executable)
    assert done.returncode == 0, done.stderr
    assert "/t2m" in done.stdout
    for path in files:
        assert frazil.verify(path, out / path.name, check=True)
