"""Chunk shapes for stated reads, from Python; plans are the command's."""

import json

import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.command import DONE
from support.command import frazil as command

SHAPE = (400, 64, 96)


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch, tmp_path_factory):
    """What was measured on the machine of the tests is not theirs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def dataset():
    steps = 1 + 0.01 * np.arange(SHAPE[0])[:, None, None]
    noise = np.random.default_rng(7).normal(0, 0.01, SHAPE)
    waves = np.sin(np.linspace(0, 9, SHAPE[2])) + np.linspace(0, 1, SHAPE[1])[:, None]
    dimensions = ("time", "lat", "lon")
    variables = {"v": (dimensions, (waves * steps + noise).astype("f4"))}
    coordinates = {name: np.arange(size) for name, size in zip(dimensions, SHAPE, strict=True)}
    return xr.Dataset(variables, coordinates)


@pytest.fixture(scope="module")
def source(dataset, tmp_path_factory):
    path = tmp_path_factory.mktemp("goals") / "source.nc"
    dataset.to_netcdf(path, engine="netcdf4")
    return path


def chunks_of(path):
    with netCDF4.Dataset(path) as file:
        return tuple(file["v"].chunking())


def test_pack_and_plan_agree_with_the_command(source, tmp_path):
    target, plan_file = tmp_path / "packed.nc", tmp_path / "plan.json"
    plan = frazil.plan(source, reads={"map": 1, "series": 2}, storage="local")
    outcome = command("plan", source, "--reads", "map,series=2", "--json", plan_file)
    assert outcome.code == DONE, outcome.stderr
    chunk = {one["path"]: one["layout"] for one in plan.variables}["/v"]["chunk"]
    by_command = {one["path"]: one for one in json.loads(plan_file.read_text())["variables"]}
    assert by_command["/v"]["layout"]["chunk"] == chunk
    report = frazil.pack(source, target, reads="map,series=2", storage="local")
    assert list(report["/v"].chunk) == chunk == list(chunks_of(target))


def test_a_plan_is_replayed(source, tmp_path):
    plan = frazil.plan(source, reads=["series"])
    frazil.pack(source, tmp_path / "packed.nc", plan=plan, verify=True)
    assert chunks_of(tmp_path / "packed.nc")[0] == SHAPE[0]


def test_axes_and_expected_lengths_count(source):
    def chunk(**options):
        plan = frazil.plan(source, reads="map,series", **options)
        return {one["path"]: one["layout"] for one in plan.variables}["/v"]["chunk"]

    assert chunk(axes={"time": "lat", "lat": "time"}) != chunk()
    assert chunk(most_chunks=20) != chunk()


def test_to_netcdf_and_the_writer_serve_reads(dataset, tmp_path):
    shapes = {}
    for reads in ("map", "series"):
        path = tmp_path / f"{reads}.nc"
        frazil.to_netcdf(dataset, path, reads=reads, storage="local")
        shapes[reads] = chunks_of(path)
        xr.testing.assert_identical(xr.open_dataset(path, engine="frazil").load(), dataset)
    assert shapes["map"] == (1, *SHAPE[1:])
    assert shapes["series"][0] == SHAPE[0] and shapes["series"][1] < SHAPE[1]
    with frazil.Writer(tmp_path / "writer.nc", reads="map") as writer:
        for name, size in zip(("time", "lat", "lon"), SHAPE, strict=True):
            writer.add_dimension(name, size)
        writer.add_variable("v", "f4", ["time", "lat", "lon"])[:] = dataset["v"].values
    assert chunks_of(tmp_path / "writer.nc") == shapes["map"]


def test_a_file_states_chunk_shapes_and_defaults(source, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[defaults]\nreads = "map"\nstorage = "local"\nfilters = "shuffle+deflate(1)"\n'
        "[variables.v]\nchunks = { lat = 5 }\n"
    )
    by_file, stated = (
        frazil.plan(source, **options).variables
        for options in (
            {"precision": policy},
            {"reads": "map", "storage": "local", "filters": "shuffle+deflate(1)"},
        )
    )
    chunk, other = (chunk_of(plan, "/v") for plan in (by_file, stated))
    assert chunk == [other[0], 5, other[2]]
    # What is stated beside the file overrides it.
    series = frazil.plan(source, precision=policy, reads="series").variables
    assert chunk_of(series, "/v")[0] > chunk[0]
    mapping = frazil.plan(source, precision={"v": {"chunks": {"time": 3}}}).variables
    assert chunk_of(mapping, "/v")[0] == 3
    written = tmp_path / "written.nc"
    frazil.to_netcdf(xr.open_dataset(source, engine="frazil"), written, precision=policy)
    assert chunks_of(written)[1] == 5


def chunk_of(variables, path):
    """The chunk shape that a plan has."""
    (found,) = (one["layout"] for one in variables if one["path"] == path)
    return found["chunk"]


def test_what_is_not_understood_is_refused(source, tmp_path):
    for options in ({"reads": "maps"}, {"storage": "tape"}, {"axes": {"time": "clock"}}):
        with pytest.raises(frazil.errors.InvalidArgumentError):
            frazil.plan(source, **options)
    with pytest.raises(frazil.errors.InvalidArgumentError):
        frazil.Writer(tmp_path / "no.nc", reads="maps")
