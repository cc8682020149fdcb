"""The commands of docs/test_fields.md run as they stand."""

import os
import re
import subprocess
from pathlib import Path

import netCDF4
from support.command import BINARY, ROOT

BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)


def test_the_commands_in_the_document_run(tmp_path: Path):
    blocks = BLOCK.findall((ROOT / "docs/test_fields.md").read_text())
    assert len(blocks) == 2
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/frazil").symlink_to(BINARY)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    for block in blocks:
        subprocess.run(
            ["bash", "-e", "-c", block], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True
        )
    with netCDF4.Dataset(tmp_path / "stations.nc") as file:
        assert file["air_temp"].units == "K" and file["count"][:].tolist() == [1, 2, None]
    with netCDF4.Dataset(tmp_path / "classic.nc") as file:
        assert file["elevation"][:].tolist() == [[1, 2, 3], [4, 5, 6.5]]
    with netCDF4.Dataset(tmp_path / "two.nc") as file:
        assert file["simplex206"].dimensions == ("time", "lev", "lat", "lon")
