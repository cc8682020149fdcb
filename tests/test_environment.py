"""Environment variables: misspelled ones are named, values that cannot be are refused."""

import os
import subprocess
from pathlib import Path

import pytest
from support.capi import PLAIN, compiled, install, needs
from support.command import BINARY

PROGRAM = r"""
#define FRAZIL_NETCDF_NAMES
#include <frazil_netcdf.h>
#include <stdio.h>
int main(void) {
    for (int file = 0; file < 2; file++) {
        int nc, status = nc_create("out.nc", NC_NETCDF4, &nc);
        printf("%d %s\n", status, nc_strerror(status));
        if (status == NC_NOERR) nc_close(nc);
    }
    return 0;
}
"""


def test_the_command_names_a_misspelled_variable():
    done = subprocess.run(
        [BINARY, "--version"],
        env={**os.environ, "FRAZIL_MEMROY": "1G"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "FRAZIL_MEMROY has no meaning: do you mean FRAZIL_MEMORY?" in done.stderr


def test_nonsense_for_other_programs_is_said():
    done = subprocess.run(
        [BINARY, "--version"],
        env={**os.environ, "FRAZIL_OPTIONS": "gaol=size"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "FRAZIL_OPTIONS: there is no option `gaol` (is `goal` meant?)" in done.stderr
    assert "it is not read here" in done.stderr and done.returncode == 0


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    source = folder / "create.c"
    source.write_text(PROGRAM)
    return compiled(install(folder / "prefix"), source, folder / "create")


def created(program: Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**PLAIN, **variables}
    return subprocess.run(
        [program], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )


@needs("pkg-config")
def test_the_library_names_a_misspelled_variable_once(program: Path, tmp_path: Path):
    done = created(program, tmp_path, FRAZIL_COLOUR="red")
    assert done.stdout == "0 No error\n" * 2
    assert done.stderr.count("FRAZIL_COLOUR has no meaning") == 1


@needs("pkg-config")
@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("FRAZIL_THREADS", "100000", "4096"),
        ("FRAZIL_MEMORY", "1", "1M"),
        ("FRAZIL_MODE", "fast", "async or sync"),
        ("FRAZIL_FORMAT", "netcdf5", "netcdf4"),
    ],
)
def test_a_value_that_cannot_be_is_told_with_what_can(
    program: Path, tmp_path: Path, name: str, value: str, allowed: str
):
    first, second = created(program, tmp_path, **{name: value}).stdout.splitlines()
    assert first == second and first.startswith("-36 ")
    assert name in first and f'"{value}"' in first and allowed in first
    assert list(tmp_path.iterdir()) == []
