"""``frazil.to_netcdf``: what it does beyond what xarray's own tests ask for."""

import contextlib
import json
import subprocess
import sys
import threading
import warnings

import dask
import dask.array as da
import frazil
import h5py
import netCDF4
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from xarray.testing import assert_identical

pytestmark = pytest.mark.sampled(one_in=2)


def sample(steps=6, blocks=(2, 50, 120)):
    values = da.random.default_rng(1).normal(size=(steps, 100, 120), chunks=blocks)
    return xr.Dataset(
        {
            "t2m": (("time", "y", "x"), values.astype("f4"), {"units": "K"}),
            "mask": (("y", "x"), np.eye(100, 120, dtype="i1")),
        },
        coords={"time": pd.date_range("2000-01-01", periods=steps), "x": np.arange(120.0)},
        attrs={"title": "sample"},
    )


@contextlib.contextmanager
def opened(path, **options):
    with xr.open_dataset(path, engine="netcdf4", **options) as dataset:
        yield dataset


def test_the_accessor_says_what_it_offers():
    data = xr.Dataset({"a": ("x", [1.0])})
    for one in (data, data.a, xr.DataTree(data)):
        shown = repr(one.frazil)
        assert type(one).__name__ in shown and ".to_netcdf(path)" in shown and "0x" not in shown


def test_the_accessor_and_the_function_are_the_same(tmp_path):
    dataset = sample().compute()
    frazil.to_netcdf(dataset, tmp_path / "a.nc")
    dataset.frazil.to_netcdf(tmp_path / "b.nc")
    dataset["t2m"].frazil.to_netcdf(tmp_path / "c.nc")
    assert frazil.verify(tmp_path / "a.nc", tmp_path / "b.nc")
    with opened(tmp_path / "c.nc") as found:
        assert_identical(found["t2m"], dataset["t2m"])


def test_frazil_decides_what_nobody_asked_for(tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(sample(), path)
    info = frazil.info(path)
    assert info["t2m"].filters.startswith("shuffle+deflate")
    assert info["t2m"].readable_by == "any"
    with netCDF4.Dataset(path) as file:
        assert file["t2m"].dimensions == ("time", "y", "x") and file.title == "sample"


def test_blocks_are_regrouped_and_each_chunk_is_written_once(tmp_path):
    path = tmp_path / "out.nc"
    dataset = sample(blocks=(1, 33, 47))
    # Progress counts what was put.
    frazil.to_netcdf(dataset, path, encoding={"t2m": {"chunksizes": (4, 40, 40)}})
    info = frazil.info(path)["t2m"]
    assert info.chunk == [4, 40, 40] and info.chunk_count == 2 * 3 * 3
    # A chunk that was packed again would have left its first place empty.
    assert info.stored_bytes > 0.9 * path.stat().st_size - 20_000
    with opened(path) as found:
        assert_identical(found.drop_encoding(), dataset.compute())


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.nc"
    path.write_bytes(b"old")

    def fail(block):
        raise ZeroDivisionError

    dataset = xr.Dataset({"v": ("x", da.ones(10, chunks=5).map_blocks(fail, dtype="f8"))})
    with pytest.raises(ZeroDivisionError):
        frazil.to_netcdf(dataset, path)
    with pytest.raises(ValueError, match="unexpected encoding"):
        frazil.to_netcdf(sample(), path, encoding={"t2m": {"nonsense": 1}})
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["out.nc"]


def test_a_file_may_be_replaced_by_what_is_read_from_it(tmp_path):
    path = tmp_path / "self.nc"
    expected = sample().compute()
    frazil.to_netcdf(expected, path)
    with opened(path, chunks={"time": 1}) as dataset:
        frazil.to_netcdf(dataset + 1, path)
    with opened(path) as found:
        np.testing.assert_array_equal(found.t2m, expected.t2m + 1)


def test_links_and_permissions_stay(tmp_path):
    real, link = tmp_path / "real.nc", tmp_path / "link.nc"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    frazil.to_netcdf(sample(), link)
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o600
    assert frazil.info(real).format == "netCDF-4"


def test_modes(tmp_path):
    path = tmp_path / "out.nc"
    first = xr.Dataset({"a": ("x", [1, 2])})
    frazil.to_netcdf(first, path, mode="x")
    with pytest.raises(FileExistsError):
        frazil.to_netcdf(first, path, mode="x")
    frazil.to_netcdf(xr.Dataset({"b": ("x", [3, 4])}), path, mode="a")
    frazil.to_netcdf(xr.Dataset({"c": ("y", [5])}), path, mode="a", group="g/h")
    frazil.to_netcdf(xr.Dataset({"a": ("x", [7, 8])}), path, mode="a")
    with netCDF4.Dataset(path) as file:
        assert list(file["a"][:]) == [7, 8] and list(file["b"][:]) == [3, 4]
        assert list(file["g/h/c"][:]) == [5]
    with pytest.raises(ValueError):
        frazil.to_netcdf(first, path, mode="r+")
    with pytest.raises(ValueError):
        frazil.to_netcdf(xr.Dataset({"a": ("x", [1, 2, 3])}), path, mode="a")


def test_stale_encodings_are_dropped_with_one_notice(tmp_path):
    source, path = tmp_path / "in.nc", tmp_path / "out.nc"
    encoding = {
        "t2m": {"chunksizes": (6, 50, 60), "zlib": True, "complevel": 7},
        "mask": {"chunksizes": (100, 120), "zlib": True},
    }
    sample().to_netcdf(source, engine="netcdf4", encoding=encoding)
    with opened(source) as dataset:
        part = dataset.isel(time=slice(0, 3), y=slice(0, 60))
        # Nobody asks for the chunks of another shape.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            frazil.to_netcdf(part, tmp_path / "part.nc")
        for variable in part.variables.values():
            variable.encoding.pop("original_shape", None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            frazil.to_netcdf(part, path)
        notices = [one for one in caught if one.category is frazil.errors.EncodingNotice]
        assert len(notices) == 1
        assert "t2m: chunksizes" in str(notices[0].message)
        assert "mask: chunksizes" in str(notices[0].message)
        assert notices[0].filename == __file__
        # What still fits is kept, without a word.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            frazil.to_netcdf(dataset, tmp_path / "whole.nc")
    assert frazil.info(path)["t2m"].filters == "shuffle+deflate(7)"
    assert frazil.info(tmp_path / "whole.nc")["t2m"].chunk == [6, 50, 60]


def test_encodings_of_uncompressed_files_do_not_forbid_compression(tmp_path):
    sample().to_netcdf(tmp_path / "plain.nc", engine="netcdf4")
    with opened(tmp_path / "plain.nc") as dataset:
        frazil.to_netcdf(dataset, tmp_path / "small.nc")
        frazil.to_netcdf(
            dataset, tmp_path / "asked.nc", encoding={"t2m": {"contiguous": True, "zlib": False}}
        )
    assert "deflate" in frazil.info(tmp_path / "small.nc")["t2m"].filters
    assert frazil.info(tmp_path / "asked.nc")["t2m"].layout == "contiguous"


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ({"zlib": True}, "shuffle+deflate(4)"),
        ({"zlib": True, "complevel": 1, "shuffle": False}, "deflate(1)"),
        ({"compression": "zlib", "complevel": 9}, "shuffle+deflate(9)"),
        ({"compression": "gzip", "compression_opts": 3}, "shuffle+deflate(3)"),
        ({"compression": "zstd", "complevel": 5}, "shuffle+zstd(5)"),
        ({"zstd": True}, "shuffle+zstd(3)"),
        ({"zlib": False}, "none"),
        ({"compression": None}, "none"),
        ({"fletcher32": True}, "fletcher32"),
        ({"zlib": True, "fletcher32": True}, "shuffle+deflate(4)+fletcher32"),
    ],
)
def test_compressions_that_are_asked_for(encoding, expected, tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(sample(), path, encoding={"t2m": encoding})
    assert frazil.info(path)["t2m"].filters == expected


def test_compressions_that_frazil_does_not_write(tmp_path):
    with pytest.raises(NotImplementedError, match="blosc"):
        frazil.to_netcdf(
            sample(), tmp_path / "no.nc", encoding={"t2m": {"compression": "blosc_lz4"}}
        )


@pytest.mark.parametrize("mode", ["BitGroom", "GranularBitRound", "BitRound"])
def test_quantization_by_encoding_is_that_of_netcdf_c(mode, tmp_path):
    dataset = sample().compute()
    encoding = {"t2m": {"significant_digits": 4, "quantize_mode": mode, "zlib": True}}
    dataset.to_netcdf(tmp_path / "theirs.nc", engine="netcdf4", encoding=encoding)
    frazil.to_netcdf(dataset, tmp_path / "ours.nc", encoding=encoding)
    with netCDF4.Dataset(tmp_path / "theirs.nc") as a, netCDF4.Dataset(tmp_path / "ours.nc") as b:
        assert a["t2m"].quantization() == b["t2m"].quantization() == (4, mode)
        if mode != "BitGroom":
            assert (a["t2m"][:] == b["t2m"][:]).all()


@pytest.mark.parametrize("places", [2, 0, -1, 0.1, 1.5])
def test_decimal_places_are_kept_as_netcdf4_keeps_them(places, tmp_path):
    dataset = sample().compute() * 20
    encoding = {"t2m": {"least_significant_digit": places, "zlib": True}}
    dataset.to_netcdf(tmp_path / "theirs.nc", engine="netcdf4", encoding=encoding)
    frazil.to_netcdf(dataset, tmp_path / "ours.nc", encoding=encoding)
    with netCDF4.Dataset(tmp_path / "theirs.nc") as a, netCDF4.Dataset(tmp_path / "ours.nc") as b:
        assert (a["t2m"][:] == b["t2m"][:]).all()
        assert a["t2m"].least_significant_digit == b["t2m"].least_significant_digit == places


def test_precision_by_rules(tmp_path):
    dataset = sample().compute()
    path = tmp_path / "out.nc"
    frazil.to_netcdf(
        dataset, path, precision={"*": {"significant_bits": 3}, "t2m": {"absolute_tolerance": 0.01}}
    )
    with opened(path) as found:
        error = np.abs(found.t2m.values - dataset.t2m.values)
        assert 0 < error.max() <= 0.01
        assert found.t2m.attrs["quantization"] == "quantization_info"
        np.testing.assert_array_equal(found.x, dataset.x)
    exact = tmp_path / "exact.nc"
    frazil.to_netcdf(dataset, exact, precision={"*": {"significant_bits": 3}, "t2m": None})
    with opened(exact) as found:
        np.testing.assert_array_equal(found.t2m, dataset.t2m)
    # As in a file that is packed, a star does not cross a slash.
    grouped = {"/a/*": {"significant_bits": 3}, "b/**": {"significant_bits": 3}}
    for group, is_rounded in (("a", True), ("a/c", False), ("b/c/d", True)):
        frazil.to_netcdf(dataset, exact, group=group, precision=grouped)
        with opened(exact, group=group) as found:
            assert (found.t2m.values != dataset.t2m.values).any() == is_rounded, group


SHUFFLE, DEFLATE, LZ4, ZSTD = 2, 1, 32004, 32015


def filters_of(path, name):
    """Numbers of a variable's filters, as h5py sees them."""
    with h5py.File(path) as file:
        created = file[name].id.get_create_plist()
        return [created.get_filter(i)[0] for i in range(created.get_nfilters())]


def smooth(steps=8):
    at = np.linspace(0, 30, steps * 100 * 120).reshape(steps, 100, 120)
    noise = np.random.default_rng(1).normal(scale=1e-3, size=at.shape)
    names = ("t2m", "rain", "snow")
    values = {name: (("time", "y", "x"), (np.sin(at) + noise).astype("f4")) for name in names}
    return xr.Dataset(values)


@pytest.mark.parametrize("layout", ["standard", "cmip7"])
def test_requests_for_filters(tmp_path, layout):
    dataset, path = smooth(), tmp_path / "out.nc"
    requests = tmp_path / "rules.toml"
    requests.write_text(
        '[[rule]]\nvariables = ["*"]\nmin_write_speed = "2GB/s"\n'
        '[[rule]]\nvariables = ["rain"]\nfilters = "shuffle+lz4"\n'
        '[[rule]]\nvariables = ["snow"]\nfilters = "shuffle+deflate(2)"\nsignificant_bits = 7\n'
    )
    options = {"readable_by": "plugins", "goal": "archive", "keep_plan": True}
    frazil.to_netcdf(dataset, path, precision=requests, layout=layout, **options)
    assert filters_of(path, "rain") == [SHUFFLE, LZ4]
    assert filters_of(path, "snow") == [SHUFFLE, DEFLATE]
    with netCDF4.Dataset(path) as file:
        assert file["snow"].filters()["complevel"] == 2
        bound = 2.0**-8 * np.abs(dataset.snow)
        assert (np.abs(file["snow"][:] - dataset.snow) <= bound).all()
        if layout == "standard":
            reasons = {
                one["path"]: one["reason"] for one in json.loads(file.frazil_plan)["variables"]
            }
            assert "write floor of 2000 MB/s from rules" in reasons["/t2m"]
            assert reasons["/rain"] == reasons["/snow"] == "from rules"
    with frazil.open(path) as file:
        assert (file.variables["rain"][:] == dataset.rain.values).all()


def test_what_requests_for_filters_give_way_to(tmp_path):
    dataset, path = smooth(), tmp_path / "out.nc"
    dataset.to_netcdf(tmp_path / "in.nc", encoding={"t2m": {"zlib": True, "fletcher32": True}})
    requests = {"*": {"filters": "shuffle+deflate(7)"}}

    def level(**options):
        with opened(tmp_path / "in.nc") as source, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            frazil.to_netcdf(source, path, precision=requests, **options)
        with netCDF4.Dataset(path) as file:
            return file["t2m"].filters()["complevel"], [str(one.message) for one in caught]

    # Not to how the data lay somewhere; a checksum does not go unnoticed.
    found, notices = level()
    assert found == 7 and any("fletcher32" in notice for notice in notices)
    assert level(encoding={"t2m": {"zlib": True, "complevel": 3}})[0] == 3
    assert level(filters="shuffle+deflate(2)")[0] == 2


@pytest.mark.parametrize(
    ("requests", "cause", "cure"),
    [
        ({"t2m": {"filters": "shuffle+lz4"}}, "readers with filter plugins", "rule 1 (t2m)"),
        ({"t2m": {"filters": "none", "min_write_speed": 3}}, "t2m: .*nothing to choose", "keys"),
        ({"t2m": {"min_write_speed": "soon"}}, "t2m: min_write_speed: .*is not a speed", "keys"),
        ({"t2m": {"comp_sped": 3}}, "comp_sped", "keys"),
    ],
)
def test_requests_that_cannot_be_name_file_rule_cause_and_cure(tmp_path, requests, cause, cure):
    path = tmp_path / "no.nc"
    with pytest.raises(frazil.errors.InvalidArgumentError, match=cause) as caught:
        frazil.to_netcdf(smooth(), path, precision=requests)
    assert caught.value.file == str(path) and cure in caught.value.cure
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_requests_that_contradicts_itself_is_named(tmp_path):
    requests = tmp_path / "rules.toml"
    requests.write_text('[[rule]]\nvariables = ["a"]\nfilters = "none"\nmin_write_speed = 3\n')
    with pytest.raises(
        frazil.errors.InvalidArgumentError, match=r"rule 1: .*nothing to choose"
    ) as caught:
        frazil.to_netcdf(smooth(), tmp_path / "no.nc", precision=requests)
    assert caught.value.file == str(requests) and not (tmp_path / "no.nc").exists()


def test_plans_layouts_and_readers(tmp_path):
    dataset = sample(steps=40)
    frazil.to_netcdf(dataset, tmp_path / "first.nc", keep_plan=True)
    plan = frazil.plan(tmp_path / "first.nc", chunks={"t2m": {"time": 5, "y": 10, "x": 10}})
    frazil.to_netcdf(dataset, tmp_path / "planned.nc", plan=plan)
    assert frazil.info(tmp_path / "planned.nc")["t2m"].chunk == [5, 10, 10]
    frazil.to_netcdf(dataset, tmp_path / "zstd.nc", readable_by="plugins")
    assert frazil.info(tmp_path / "zstd.nc")["t2m"].readable_by in ("any", "plugins")
    frazil.to_netcdf(dataset, tmp_path / "cmip7.nc", layout="cmip7", unlimited_dims=["time"])
    with opened(tmp_path / "cmip7.nc") as found:
        np.testing.assert_array_equal(found.t2m, dataset.t2m)
    assert frazil.info(tmp_path / "cmip7.nc")["time"].chunk_count == 1
    # The call that makes the file may be one that would append.
    frazil.to_netcdf(dataset, tmp_path / "grows.nc", layout="cmip7", append_dim="time")
    with pytest.raises(ValueError, match="a layout is for new files"):
        frazil.to_netcdf(dataset, tmp_path / "grows.nc", layout="cmip7", append_dim="time")
    (tmp_path / "grows.nc").unlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "cmip7.nc",
        "first.nc",
        "planned.nc",
        "zstd.nc",
    ]


def test_values_are_added_along_a_dimension(tmp_path):
    path = tmp_path / "grows.nc"
    whole = sample(steps=10).compute()
    encoding = {"t2m": {"dtype": "i2", "scale_factor": 1e-3, "_FillValue": -32768}}
    for first in range(0, 10, 4):
        part = whole.isel(time=slice(first, first + 4))
        frazil.to_netcdf(
            part,
            path,
            append_dim="time",
            unlimited_dims=["time"],
            encoding=encoding if first == 0 else None,
        )
    with opened(path) as found:
        assert found.sizes["time"] == 10
        np.testing.assert_array_equal(found.time, whole.time)
        np.testing.assert_allclose(found.t2m, whole.t2m, atol=6e-4)
        np.testing.assert_array_equal(found.mask, whole.mask)
    with pytest.raises(ValueError, match="cannot grow"):
        frazil.to_netcdf(whole, path, append_dim="x")
    with pytest.raises(ValueError, match="not a dimension"):
        frazil.to_netcdf(whole, path, append_dim="nothing")


def test_delayed_writes_happen_when_they_are_computed(tmp_path):
    path = tmp_path / "late.nc"
    dataset = sample()
    delayed = frazil.to_netcdf(dataset, path, compute=False)
    assert not path.exists()
    dask.compute(delayed)
    with opened(path) as found:
        assert_identical(found.drop_encoding(), dataset.compute())


@pytest.mark.parametrize("scheduler", ["threads", "synchronous", "processes"])
def test_every_scheduler_of_dask(scheduler, tmp_path):
    path = tmp_path / "out.nc"
    dataset = sample()
    with dask.config.set(scheduler=scheduler):
        frazil.to_netcdf(dataset, path)
    with opened(path) as found:
        np.testing.assert_array_equal(found.t2m, dataset.t2m)


def test_what_blocks_share_is_computed_once(tmp_path):
    counted, lock = [], threading.Lock()

    def note(block):
        with lock:
            counted.append(1)
        return block

    base = da.ones((8, 100), chunks=(2, 100)).map_blocks(note, dtype="f8", meta=np.empty((0, 0)))
    anomaly = base - base.mean(axis=0)
    frazil.to_netcdf(
        xr.Dataset({"a": (("t", "x"), base), "b": (("t", "x"), anomaly)}), tmp_path / "out.nc"
    )
    assert len(counted) == 4


def test_trees(tmp_path):
    path = tmp_path / "tree.nc"
    tree = xr.DataTree.from_dict(
        {
            "/": xr.Dataset({"root": ("x", [1, 2])}, coords={"x": [10, 20]}),
            "/child": xr.Dataset({"leaf": (("y", "x"), [[1.0, 2.0]])}),
            "/child/deep": xr.Dataset(attrs={"empty": 1}),
        }
    )
    tree.frazil.to_netcdf(path, encoding={"/child": {"leaf": {"dtype": "f4"}}})
    with xr.open_datatree(path, engine="netcdf4") as found:
        xr.testing.assert_equal(found, tree)
        assert found["child/leaf"].encoding["dtype"] == "f4"
        assert found["child/deep"].attrs == {"empty": 1}


def test_progress(tmp_path, capsys):
    frazil.to_netcdf(sample(), tmp_path / "out.nc", progress=True)
    shown = capsys.readouterr().err
    assert "write" in shown and "100 %" in shown


# Blocks of 16 and of 6 MiB: an allocator keeps some of the smaller ones.
MEMORY = """
import sys
from pathlib import Path
import dask, dask.array as da, frazil, numpy as np, xarray as xr

path, steps, compression, workers = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
base = np.random.default_rng(0).normal(size=(64, 256, 256)).astype("f4")


class Field:
    shape, ndim, dtype = (steps, 256, 256), 3, base.dtype

    def __getitem__(self, where):
        first, end, _ = where[0].indices(steps)
        return (base[: end - first] + np.float32(first))[(slice(None), *where[1:])]


def memory(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def dataset(steps):
    values = {
        name: da.from_array(Field(), (rows, 256, 256), name=name, meta=base[:0, :0, :0])[:steps]
        for name, rows in {"large": 64, "small": 24}.items()
    }
    return xr.Dataset({name: (("t", "y", "x"), one) for name, one in values.items()})


def write(dataset):
    chunk = (min(16, dataset.sizes["t"]), 64, 256)
    request = {"compression": compression, "complevel": 1, "chunksizes": chunk}
    options = {"readable_by": "plugins", "threads": 4, "memory": 64 << 20}
    frazil.to_netcdf(dataset, path, encoding={"large": request, "small": request}, **options)


with dask.config.set(scheduler="threads", num_workers=workers):
    # What is imported late is none of it.
    write(dataset(2))
    before = memory("VmRSS")
    write(dataset(steps))
    print(memory("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process knows its peak from /proc")
@pytest.mark.parametrize(
    ("compression", "workers", "most"),
    [
        ("zlib", 2, 64 + 2 * 16),
        ("zstd", 2, 64 + 2 * 16),
        # Where packing waits for blocks, all threads compute some. Of each further one its block
        # comes from the writer's memory; what the allocator keeps of it, twice as much, does not.
        ("zstd", 4, 64 + 2 * 16 + 2 * 2 * 16),
    ],
)
def test_memory_is_that_of_the_writer_and_two_blocks_however_long_the_data(
    tmp_path, compression, workers, most
):
    def peak(steps):
        path = tmp_path / f"{steps}.nc"
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, path, str(steps), compression, str(workers)],
            capture_output=True,
            text=True,
            check=True,
        )
        path.unlink()
        return int(done.stdout)

    # 512 MiB and 1 GiB.
    half, whole = peak(1024), peak(2048)
    assert max(half, whole) < most << 20
    # A block more or less for each thread, by chance.
    assert whole < half + (workers * 16 << 20)


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / "out.nc"
    dataset = sample().compute()
    with pytest.raises(frazil.errors.InvalidArgumentError) as wrong:
        frazil.to_netcdf(dataset, path, encoding={"t2m": {"zlib": True, "complevel": 99}})
    assert wrong.value.file == str(path) and wrong.value.variable == "t2m"
    with pytest.raises(FileNotFoundError) as missing:
        frazil.to_netcdf(dataset, tmp_path / "nowhere" / "out.nc")
    assert missing.value.filename == str(tmp_path / "nowhere" / "out.nc")
    with pytest.raises(IsADirectoryError):
        frazil.to_netcdf(dataset, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_not_written_on(tmp_path):
    path = tmp_path / "out.nc"
    frazil.to_netcdf(sample().compute(), path)
    damaged = path.read_bytes()[:-2000]
    path.write_bytes(damaged)
    with pytest.raises(frazil.errors.CorruptError, match="damaged or incomplete"):
        frazil.to_netcdf(sample().compute(), path, mode="a")
    assert path.read_bytes() == damaged
