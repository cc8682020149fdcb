"""URLs, file objects and file systems opened like files."""

import io
import os
import pickle
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import frazil
import fsspec
import fsspec.implementations.memory
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.command import BINARY, ROOT, SAMPLE
from support.far import KEY, SECRET, Far, serving


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FRAZIL_REMOTE_TIMEOUT", "2")
    # Keys of whoever runs the tests are none of theirs.
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/nowhere")
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


def test_errors_name_urls_as_they_were_given():
    for call in (frazil.open, frazil.info, frazil.plan, frazil.refs):
        with pytest.raises(frazil.Error) as error:
            call("s3://nobucket")
        assert error.value.file == "s3://nobucket" and "s3://nobucket: " in str(error.value)


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


def many_chunks(path: Path, libver: str, maxshape: tuple[int | None, ...]) -> np.ndarray:
    """Chunks of one step, some never written, whose index lies behind a MiB of values."""
    values = np.zeros((3000, 16), "i4")
    with h5py.File(path, "w", libver=libver) as file:
        file["before"] = np.zeros(300_000)
        made = file.create_dataset("v", values.shape, "i4", chunks=(1, 8), maxshape=maxshape)
        for start, stop in ((0, 700), (900, 2600), (2990, 3000)):
            values[start:stop] = np.arange(start * 16, stop * 16).reshape(-1, 16)
            made[start:stop] = values[start:stop]
    return values


INDEXES = {
    "tree 1": ("earliest", (None, None)),
    "tree 2": ("latest", (None, None)),
    "extensible array": ("latest", (None, 16)),
    "fixed array": ("latest", (3000, 16)),
}


@pytest.mark.parametrize("index", INDEXES)
def test_small_reads_of_far_files_find_their_own_chunks(tmp_path: Path, index: str):
    values = many_chunks(tmp_path / "many.h5", *INDEXES[index])
    data = (tmp_path / "many.h5").read_bytes()
    numbers = np.random.default_rng(5)
    for _ in range(40):
        start = int(numbers.integers(0, 3000))
        stop = start + int(numbers.integers(1, 400))
        with frazil.open(io.BytesIO(data)) as file:
            found = file["v"]
            np.testing.assert_array_equal(found[start:stop], values[start:stop])
            np.testing.assert_array_equal(found[start:stop:7, 9:], values[start:stop:7, 9:])
            np.testing.assert_array_equal(found[:, 3], values[:, 3])


@pytest.mark.parametrize("index", ["tree 1", "tree 2"])
def test_a_map_takes_no_more_of_an_index_than_its_way_down(far: Far, tmp_path: Path, index: str):
    values = many_chunks(tmp_path / "many.h5", *INDEXES[index])
    far.files["many.h5"], far.delay = (tmp_path / "many.h5").read_bytes(), 0.05
    with frazil.open(far.url("many.h5")) as file:
        far.requests.clear()
        np.testing.assert_array_equal(file["v"][1234], values[1234])
        # Three levels at most, then the values.
        assert far.rounds() <= 4
        assert len(far.requests) <= 6


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
    with pytest.raises(frazil.errors.InvalidArgumentError, match="binary file object"):
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
    with pytest.raises(frazil.errors.InvalidArgumentError, match="storage options apply only"):
        frazil.open(SAMPLE, storage_options=options)


def test_a_profile_is_for_the_files_beside_a_file_too(far: Far, tmp_path: Path, monkeypatch):
    values = virtual(tmp_path / "virtual.h5", ["part.h5"])
    content = (tmp_path / "virtual.h5").read_bytes()
    far.files |= {"bucket/virtual.h5": content, "bucket/part.h5": source(values[0])}
    far.needs_key = True
    keys = f"[lab]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n"
    (tmp_path / "keys").write_text(f"{keys}region=eu-1\nendpoint_url={far.url('')[:-1]}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    with frazil.open("s3://bucket/virtual.h5", storage_options={"profile": "lab"}) as file:
        np.testing.assert_array_equal(file["v"][...], values)
    with pytest.raises(PermissionError, match="`shop` has no keys"):
        frazil.open("s3://bucket/virtual.h5", storage_options={"profile": "shop"})


@pytest.fixture
def of_page(far: Far, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[xr.Dataset]:
    """What the examples of docs/remote.md read, where they look for it."""
    for name, text in far.s3.items():
        if "KEY" not in name:
            monkeypatch.setenv(name, text)
    monkeypatch.setenv("HOME", str(tmp_path))
    values = np.random.default_rng(2).random((8760, 2, 3), "f4")
    dataset = xr.Dataset({"t2m": (("time", "y", "x"), values)}, {"time": np.arange(8760.0)})
    parts = {"t2m": dataset, "0": dataset[{"time": slice(5000)}]}
    parts["1"] = dataset[{"time": slice(5000, None)}]
    for name, part in parts.items():
        part.to_netcdf(tmp_path / f"{name}.nc", engine="h5netcdf")
        content = (tmp_path / f"{name}.nc").read_bytes()
        far.files |= {f"bucket/{name}.nc": content, f"bucket/raw/{name}.nc": content}
        far.files[f"{name}.nc"] = content
    yield dataset


def examples(far: Far, language: str) -> list[str]:
    text = (ROOT / "docs/remote.md").read_text().replace("https://data.example.org/", far.url(""))
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_the_examples_in_python_run(far: Far, of_page: xr.Dataset, tmp_path: Path):
    [block] = examples(far, "python")
    for call in ("open_mfdataset(urls", 'to_netcdf("s3://', "storage_options="):
        assert call in block
    names = {"urls": ["s3://bucket/0.nc", "s3://bucket/1.nc"]}
    exec(compile(block, "docs/remote.md", "exec"), names)
    np.testing.assert_array_equal(names["july"], of_page["t2m"][4344:5088])
    (tmp_path / "mean.nc").write_bytes(far.files["bucket/mean.nc"])
    with xr.open_dataset(tmp_path / "mean.nc", engine="h5netcdf") as written:
        xr.testing.assert_equal(written.load(), of_page)
    options = {"anon": True}
    with xr.open_dataset("s3://bucket/t2m.nc", engine="frazil", storage_options=options) as opened:
        xr.testing.assert_equal(opened.load(), of_page)


def test_the_examples_for_the_shell_run(far: Far, of_page: xr.Dataset, tmp_path: Path):
    blocks = examples(far, "sh")
    assert len(blocks) == 2
    folder = tmp_path / "shell"
    folder.mkdir()
    path = f"{BINARY.parent}:{os.environ['PATH']}"
    for block in blocks:
        words = ["bash", "-ec", block]
        environment = os.environ | {"PATH": path}
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
    (folder / "packed.nc").write_bytes(far.files["bucket/packed/t2m.nc"])
    for name in ("t2m", "packed"):
        with xr.open_dataset(folder / f"{name}.nc", engine="h5netcdf") as written:
            xr.testing.assert_equal(written.load(), of_page)
    assert list((tmp_path / ".cache/frazil").iterdir())


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


def virtual(path: Path, sources: list[str]) -> np.ndarray:
    """Rows of which each is in another file; sources that are not there are fill values."""
    values = np.arange(len(sources) * 4.0, dtype="f4").reshape(-1, 4)
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout(values.shape, "f4")
        for row, source in enumerate(sources):
            layout[row] = h5py.VirtualSource(source, "v", shape=(4,))
        file.create_virtual_dataset("v", layout, fillvalue=-1)
        file["w"] = np.arange(3)
    return values


def source(values: np.ndarray) -> bytes:
    with h5py.File("source", "w", driver="core", backing_store=False) as file:
        file["v"] = values
        file.flush()
        return file.id.get_file_image()


def test_values_in_files_beside_a_far_file_are_read(far: Far, tmp_path: Path):
    path = tmp_path / "virtual.h5"
    names = ["b c.h5", "deep/d.h5", "/elsewhere/e.h5", "nowhere.h5", far.url("data/f.h5")]
    values = virtual(path, names)
    far.files["data/virtual.h5"] = path.read_bytes()
    for name, row in zip(["b c.h5", "deep/d.h5", "e.h5", None, "f.h5"], values, strict=True):
        if name:
            far.files[f"data/{name}"] = source(row)
    values[3] = -1
    with frazil.open(far.url("data/virtual.h5")) as file:
        np.testing.assert_array_equal(file["v"][...], values)
        asked = len(far.requests)
        np.testing.assert_array_equal(file["v"][2:4, 1:3], values[2:4, 1:3])
        # Neither opened again, nor asked for again.
        assert not any("nowhere" in one.path for one in far.requests[asked:])
    far.files["bucket/virtual.h5"], far.needs_key = path.read_bytes(), True
    for name in ("b c.h5", "deep/d.h5", "e.h5"):
        far.files[f"bucket/{name}"] = far.files[f"data/{name}"]
    client = {"endpoint_url": far.url("").rstrip("/"), "region_name": "us-east-1"}
    options = {"key": KEY, "secret": SECRET, "client_kwargs": client}
    with frazil.open("s3://bucket/virtual.h5", storage_options=options) as file:
        np.testing.assert_array_equal(file["v"][:3], values[:3])
        with pytest.raises(PermissionError, match="in another place"):
            file["v"][4]


def test_series_of_far_files_are_as_long_as_there_are_files(far: Far, tmp_path: Path):
    with h5py.File(tmp_path / "series.h5", "w", libver="latest") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_fill_value(np.array(-1, "i4"))
        unlimited = h5py.h5s.UNLIMITED
        space = h5py.h5s.create_simple((0, 3), (unlimited, 3))
        space.select_hyperslab((0, 0), (unlimited, 1), (1, 1), (1, 3))
        part = h5py.h5s.create_simple((1, 3))
        plist.set_virtual(space, b"part%b.h5", b"v", part)
        whole = h5py.h5s.create_simple((0, 3), (unlimited, 3))
        h5py.h5d.create(file.id, b"v", h5py.h5t.STD_I32LE, whole, plist)
    values = np.arange(12, dtype="i4").reshape(4, 3)
    for number in range(4):
        content = source(values[number : number + 1])
        far.files[f"part{number}.h5"] = content
        (tmp_path / f"part{number}.h5").write_bytes(content)
    far.files["series.h5"] = (tmp_path / "series.h5").read_bytes()
    with h5py.File(tmp_path / "series.h5") as file:
        np.testing.assert_array_equal(file["v"][...], values)
    with frazil.open(far.url("series.h5")) as file:
        np.testing.assert_array_equal(file["v"][...], values)


def test_external_values_of_far_files_are_beside_them(far: Far, tmp_path: Path):
    values = np.arange(10, dtype="<i4")
    with h5py.File(tmp_path / "external.h5", "w") as file:
        parts = [("one.bin", 8, 16), ("two.bin", 0, 24)]
        file.create_dataset("v", (10,), "<i4", external=parts)
    content = (tmp_path / "external.h5").read_bytes()
    far.files |= {"a/external.h5": content, "a/one.bin": bytes(8) + values[:4].tobytes()}
    with frazil.open(far.url("a/external.h5")) as file:
        with pytest.raises(frazil.Error, match=r"no file `two\.bin`"):
            file["v"][...]
        # Zeros stand for what the file is too short for.
        far.files["a/two.bin"] = values[4:9].tobytes()
        np.testing.assert_array_equal(file["v"][...], [*values[:9], 0])
        np.testing.assert_array_equal(file["v"][2:6], values[2:6])


def test_file_objects_have_nothing_beside_them(tmp_path: Path):
    path = tmp_path / "virtual.h5"
    virtual(path, ["other.h5"])
    with frazil.open(io.BytesIO(path.read_bytes())) as file:
        np.testing.assert_array_equal(file["w"][...], np.arange(3))
        with pytest.raises(frazil.Error, match="cannot look beside a file object"):
            file["v"][...]
    # But they have themselves.
    with h5py.File(path, "w") as file:
        file["v"] = np.arange(4.0)
        layout = h5py.VirtualLayout((4,), "f8")
        own = h5py.VirtualSource(".", "v", shape=(4,))
        layout[:2], layout[2:] = own[2:], own[:2]
        file.create_virtual_dataset("turned", layout)
    with frazil.open(io.BytesIO(path.read_bytes())) as file:
        np.testing.assert_array_equal(file["turned"][...], [2, 3, 0, 1])


def test_a_file_that_is_opened_again_comes_without_a_byte(far: Far, tmp_path: Path):
    values = chunked(tmp_path / "chunked.nc")
    far.files["chunked.nc"] = (tmp_path / "chunked.nc").read_bytes()
    url = far.url("chunked.nc")
    with frazil.open(url) as file:
        np.testing.assert_array_equal(file["v"][40], values[40])
    far.requests.clear()
    with frazil.open(url) as file:
        assert [one.sent for one in far.requests] == [0]
        np.testing.assert_array_equal(file["v"][40], values[40])
        # One chunk, found where it was found before.
        assert len(far.requests) == 2
    values = values[:32] + 1
    with h5py.File(tmp_path / "chunked.nc", "w") as file:
        file["v"] = values
    far.files["chunked.nc"] = (tmp_path / "chunked.nc").read_bytes()
    with frazil.open(url) as file:
        np.testing.assert_array_equal(file["v"][...], values)
