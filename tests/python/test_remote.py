"""URLs, file objects and file systems opened like files."""

import io
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import frazil
import fsspec
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.command import SAMPLE
from support.far import KEY, SECRET, Far, serving


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FRAZIL_REMOTE_TIMEOUT", "2")
    with serving(files={"sample.nc": SAMPLE.read_bytes()}) as served:
        yield served


def contents(path: Path) -> dict[str, np.ndarray]:
    """Values as netCDF4-python reads them."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return {name: one[...] for name, one in file.variables.items()}


def assert_reads_like(opened: object, path: Path, **options: object) -> None:
    with frazil.open(opened, **options) as file:
        for name, values in contents(path).items():
            np.testing.assert_array_equal(file.variables[name][...], values)


def test_urls_read_like_files(far: Far):
    assert_reads_like(far.url("sample.nc"), SAMPLE)
    assert_reads_like(SAMPLE.as_uri(), SAMPLE)


def chunked(path: Path, steps: int = 64) -> np.ndarray:
    values = np.random.default_rng(1).random((steps, 128, 256), "f4")
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("time", None), ("y", 128), ("x", 256)):
            file.createDimension(name, length)
        made = file.createVariable(
            "v", "f4", ("time", "y", "x"), zlib=True, complevel=1, chunksizes=(1, 128, 256)
        )
        made[:] = values
        plain = file.createVariable("w", "f4", ("y", "x"), contiguous=True)
        plain[:] = values[0]
    return values


def test_chunks_of_one_read_go_out_together(far: Far, tmp_path: Path):
    values = chunked(tmp_path / "chunked.nc")
    far.files["chunked.nc"], far.delay = (tmp_path / "chunked.nc").read_bytes(), 0.05
    with frazil.open(far.url("chunked.nc")) as file:
        far.requests.clear()
        np.testing.assert_array_equal(file["v"][:, 5:9, 7], values[:, 5:9, 7])
        assert far.rounds() <= 2
        assert sum(one.sent for one in far.requests) < 1.2 * len(far.files["chunked.nc"])
        far.requests.clear()
        np.testing.assert_array_equal(file["v"][40], values[40])
        assert len(far.requests) <= 2


@pytest.mark.parametrize(
    "make",
    [
        lambda path: io.BytesIO(path.read_bytes()),
        lambda path: path.open("rb"),
        lambda path: fsspec.open(f"memory://{path.name}", "rb"),
        lambda path: fsspec.filesystem("memory").open(path.name, "rb"),
        lambda path: fsspec.filesystem("file").open(str(path), "rb"),
        lambda path: path,
        str,
    ],
    ids=["BytesIO", "file", "OpenFile", "fsspec", "fsspec local", "Path", "str"],
)
def test_objects_read_like_files(tmp_path: Path, make: object):
    path = tmp_path / "chunked.nc"
    chunked(path)
    fsspec.filesystem("memory").pipe_file(path.name, path.read_bytes())
    assert_reads_like(make(path), path)
    xr.testing.assert_identical(
        xr.open_dataset(make(path), engine="frazil").load(), xr.open_dataset(path).load()
    )


def test_file_systems_are_asked_for_many_ranges_at_once(tmp_path: Path):
    values = chunked(tmp_path / "chunked.nc")
    asked = []

    class Counting(fsspec.implementations.memory.MemoryFileSystem):
        protocol = "counting"

        def cat_ranges(self, paths: list, starts: list, ends: list, **options: object) -> list:
            asked.append(len(paths))
            return super().cat_ranges(paths, starts, ends, **options)

    system = Counting()
    system.pipe_file("/chunked.nc", (tmp_path / "chunked.nc").read_bytes())
    with frazil.open(fsspec.core.OpenFile(system, "/chunked.nc")) as file:
        asked.clear()
        np.testing.assert_array_equal(file["v"][:, 3, 4], values[:, 3, 4])
    assert sum(asked) > 3 and len(asked) <= 3


def test_a_file_object_keeps_its_place_and_its_errors_are_told():
    opened = io.BytesIO(SAMPLE.read_bytes())
    opened.seek(7)
    frazil.open(opened)
    assert opened.tell() == 7

    class Broken(io.BytesIO):
        def read(self, count: int = -1) -> bytes:
            if count > 8:
                raise OSError("the tape is torn")
            return super().read(count)

    with pytest.raises(frazil.Error, match="the tape is torn"):
        frazil.open(Broken(SAMPLE.read_bytes()))
    with pytest.raises(frazil.errors.InvalidArgumentError, match="binary mode"):
        frazil.open(io.StringIO("text"))
    with pytest.raises(frazil.errors.InvalidArgumentError, match="no binary file object"):
        frazil.open(42)


def test_xarray_opens_urls(far: Far, tmp_path: Path):
    parts = []
    for number in range(3):
        with xr.open_dataset(SAMPLE) as dataset:
            parts.append(dataset.expand_dims(member=[number]).load())
        parts[-1].to_netcdf(tmp_path / f"{number}.nc")
        far.files[f"{number}.nc"] = (tmp_path / f"{number}.nc").read_bytes()
    urls = [far.url(f"{number}.nc") for number in range(3)]
    with xr.open_mfdataset(urls, engine="frazil", combine="by_coords", parallel=True) as dataset:
        expected = xr.combine_by_coords(parts)
        xr.testing.assert_equal(dataset.load(), expected)
    engine = xr.backends.list_engines()["frazil"]
    assert engine.guess_can_open("s3://bucket/x.nc")
    assert engine.guess_can_open("https://host/x.h5?signed=1")
    assert not engine.guess_can_open("https://host/x.zarr")
    assert engine.guess_can_open(io.BytesIO(SAMPLE.read_bytes()))


def test_buckets_by_storage_options(far: Far, tmp_path: Path):
    far.files["bucket/sample.nc"], far.needs_key = SAMPLE.read_bytes(), True
    client = {"endpoint_url": far.url("").rstrip("/"), "region_name": "us-east-1"}
    options = {"key": KEY, "secret": SECRET, "client_kwargs": client}
    assert_reads_like("s3://bucket/sample.nc", SAMPLE, storage_options=options)
    with xr.open_dataset(
        "s3://bucket/sample.nc", engine="frazil", storage_options=options
    ) as dataset:
        expected = xr.open_dataset(SAMPLE)
        xr.testing.assert_identical(dataset.load(), expected.load())
        frazil.to_netcdf(dataset, "s3://bucket/out.nc", storage_options=options)
    (tmp_path / "out.nc").write_bytes(far.files["bucket/out.nc"])
    xr.testing.assert_equal(xr.open_dataset(tmp_path / "out.nc").load(), expected)
    with pytest.raises(frazil.Error, match="exists already"):
        frazil.to_netcdf(expected, "s3://bucket/out.nc", mode="x", storage_options=options)
    with pytest.raises(PermissionError, match="no credentials"):
        frazil.open("s3://bucket/sample.nc", storage_options={"client_kwargs": client})
    with pytest.raises(frazil.errors.InvalidArgumentError, match="colour"):
        frazil.open("s3://bucket/sample.nc", storage_options={"colour": "red"})
    with pytest.raises(frazil.errors.InvalidArgumentError, match="storage options are for others"):
        frazil.open(SAMPLE, storage_options=options)


def test_open_urls_go_to_other_processes(far: Far):
    with frazil.open(far.url("sample.nc")) as file:
        copy = pickle.loads(pickle.dumps(file))
    name = next(iter(contents(SAMPLE)))
    np.testing.assert_array_equal(copy[name][...], contents(SAMPLE)[name])
    child = os.fork()
    if child == 0:
        good = np.array_equal(copy[name][...], contents(SAMPLE)[name])
        opened = frazil.open(far.url("sample.nc"))
        os._exit(0 if good and name in opened else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_virtual_storage_elsewhere_is_refused_and_not_filled(far: Far, tmp_path: Path):
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((4,), "f4")
        layout[:] = h5py.VirtualSource("other.h5", "v", shape=(4,))
        file.create_virtual_dataset("v", layout)
        file["w"] = np.arange(3)
    far.files["virtual.h5"] = (tmp_path / "virtual.h5").read_bytes()
    with frazil.open(far.url("virtual.h5")) as file:
        np.testing.assert_array_equal(file["w"][...], np.arange(3))
        with pytest.raises(frazil.Error, match="copy all of the files here"):
            file["v"][...]
