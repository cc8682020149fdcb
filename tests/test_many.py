"""Many files at a time share memory and threads; many objects in a file take linear time."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.capi import PROGRAMS, compiled, install
from support.fortran import run

MIB = 1 << 20


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = install(tmp_path_factory.mktemp("prefix"))
    folder = tmp_path_factory.mktemp("many")
    return compiled(prefix, PROGRAMS / "many.c", folder / "many")


def counts(said: str) -> dict[str, float]:
    return {name: float(value) for name, value in (line.split() for line in said.splitlines())}


def test_ten_files_take_one_budget_and_one_set_of_threads(program: Path, tmp_path: Path) -> None:
    budget, files = 16, 10
    said = counts(run(program, "files", tmp_path, files, budget))
    peak = said["peak_kib"] / 1024
    print(f"peak {peak:.0f} MiB, {said['threads']:.0f} threads")
    assert peak <= budget + 64
    # Two that pack, one that places, and the program's own.
    assert said["threads"] == 4
    for number in range(files):
        with netCDF4.Dataset(tmp_path / f"many-{number}.nc") as data:
            assert np.array_equal(data["v"][:, 0], number * 5 + np.arange(5))


@pytest.mark.parametrize("kind", ["variables", "apart"])
def test_time_grows_as_the_number_of_variables(program: Path, tmp_path: Path, kind: str) -> None:
    def seconds(number: int) -> float:
        file = tmp_path / "many.nc"
        return min(counts(run(program, kind, file, number))["cpu"] for _ in range(2))

    few, many = seconds(1500), seconds(6000)
    print(f"{few:.2f} s for 1500, {many:.2f} s for 6000")
    # Four times as much; by the square it would be sixteen times.
    assert many < 9 * few


def test_scales_of_many_variables_are_as_libhdf5_attaches_them(
    program: Path, tmp_path: Path
) -> None:
    file, number = tmp_path / "many.nc", 300
    run(program, "variables", file, number)
    with h5py.File(file) as data:
        scale = data["x"]
        axes = scale.attrs["REFERENCE_LIST"]
        assert {data[reference].name for reference, _ in axes} == {f"/v{i}" for i in range(number)}
        assert all(axis == 0 for _, axis in axes)
        for i in range(number):
            assert data[f"v{i}"].dims[0][0] == scale
            assert h5py.h5ds.is_attached(data[f"v{i}"].id, scale.id, 0)
        assert h5py.h5ds.get_num_scales(data["v7"].id, 0) == 1
    with h5py.File(file, "r+") as data:
        h5py.h5ds.detach_scale(data["v7"].id, data["x"].id, 0)
        assert len(data["x"].attrs["REFERENCE_LIST"]) == number - 1
    with netCDF4.Dataset(file) as data:
        assert data["v9"].dimensions == ("x",)
        assert np.array_equal(data[f"v{number - 1}"][:], [1, 2, 3, 4])
