"""xarray's own backend tests with engine ``frazil``, of files written by netCDF4, by h5netcdf and
by ``frazil.to_netcdf``.
"""

import contextlib

import dask
import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from frazil.xarray_engine import ReadStore
from frazil.xarray_store import FrazilStore, Output
from xarray.tests import test_backends as backends

pytestmark = pytest.mark.sampled(one_in=4)

BLOCKS = (
    "preferred_chunks are whole multiples of file chunks of about 64 MiB, so that small file "
    "chunks do not become hundreds of thousands of tasks; see test_blocks_are_whole_file_chunks"
)
MEMORY = "engine frazil opens files by their names"


class Read(backends.NetCDF4Base):
    """Reads with engine frazil; subclasses say who writes."""

    engine = "frazil"
    writer = "netcdf4"

    def save(self, dataset, path, **kwargs):
        return dataset.to_netcdf(path, engine=self.writer, **kwargs)

    @contextlib.contextmanager
    def create_store(self):
        with backends.create_tmp_file() as path:
            output = Output(path, "w")
            with FrazilStore(output) as store:
                yield store

    @pytest.mark.parametrize("create_default_indexes", [True, False])
    def test_create_default_indexes(self, tmp_path, create_default_indexes) -> None:
        """As in xarray, where the engine that reads also writes."""
        path = tmp_path / "tmp.nc"
        original = xr.Dataset({"data": ("x", np.arange(3))}, coords={"x": [-1, 0, 1]})
        self.save(original, path)
        with xr.open_dataset(
            path, engine="frazil", create_default_indexes=create_default_indexes
        ) as loaded:
            assert list(loaded.xindexes) == (["x"] if create_default_indexes else [])

    @pytest.mark.skip(reason=BLOCKS)
    def test_preferred_chunks_is_present(self) -> None:
        """Skipped."""

    @pytest.mark.skip(reason=BLOCKS)
    def test_preferred_chunks_are_disk_chunk_sizes(self) -> None:
        """Skipped."""

    @pytest.mark.skip(reason=BLOCKS)
    def test_base_chunking_uses_disk_chunk_sizes(self) -> None:
        """Skipped."""

    def test_auto_chunking_is_based_on_disk_chunk_sizes(self) -> None:
        """As in xarray: dask's automatic blocks do not cut the file's chunks."""
        with (
            dask.config.set({"array.chunk-size": "100KiB"}),
            self.chunked_roundtrip((1, 1000, 1000), (1, 1000, 10), {"chunks": "auto"}) as dataset,
        ):
            _, y, x = dataset["image"].data.chunks
            assert y == (1000,) and all(one % 10 == 0 for one in x)

    def test_blocks_are_whole_file_chunks(self) -> None:
        with self.chunked_roundtrip((40, 1000, 1000), (1, 1000, 10), {"chunks": {}}) as dataset:
            encoding = dataset["image"].encoding
            block = encoding["preferred_chunks"]
            assert encoding["chunksizes"] == (1, 1000, 10)
            assert dataset["image"].data.chunksize == tuple(block.values())
            assert block == {"t": 33, "y": 1000, "x": 1000}
            assert dataset["image"].data.npartitions == 2


class TestWrittenByNetCDF4(Read):
    """Written by netCDF4."""

    @pytest.mark.skip(reason="netCDF4 refuses to write big-endian; see TestWrittenByFrazil")
    def test_roundtrip_endian(self) -> None:
        """Skipped."""


class TestWrittenByH5netcdf(Read):
    """Written by h5netcdf."""

    writer = "h5netcdf"

    @pytest.mark.skip(reason="h5netcdf refuses to write such attributes")
    def test_byte_attrs(self, byte_attrs_dataset) -> None:
        """Skipped."""

    @pytest.mark.filterwarnings("ignore")
    def test_encoding_enum__no_fill_value(self, recwarn):
        """As in xarray; h5netcdf warns when it writes such a variable."""
        with pytest.warns(UserWarning, match="default fill_value 0 which IS defined"):
            super().test_encoding_enum__no_fill_value(recwarn)


class TestWrittenByFrazil(Read):
    """Written by frazil."""

    def save(self, dataset, path, **kwargs):
        return frazil.to_netcdf(dataset, path, **kwargs)

    @pytest.mark.skip(reason="the Writer has no enumerations: see test_xarray_write.py")
    def test_encoding_enum__no_fill_value(self, recwarn):
        """Skipped."""

    @pytest.mark.skip(reason="the Writer has no enumerations: see test_xarray_write.py")
    def test_encoding_enum__multiple_variable_with_enum(self):
        """Skipped."""


class TestDaskArrays(TestWrittenByFrazil):
    """Everything once more as dask's arrays."""

    @contextlib.contextmanager
    def roundtrip(self, data, save_kwargs=None, open_kwargs=None, allow_cleanup_failure=False):
        open_kwargs = open_kwargs or {}
        open_kwargs.setdefault("chunks", -1)
        with super().roundtrip(
            data, save_kwargs or {}, open_kwargs, allow_cleanup_failure
        ) as dataset:
            yield dataset

    def test_unsorted_index_raises(self) -> None:
        """dask asks block by block (as in xarray)."""

    @pytest.mark.skip(reason="dask arrays are not kept when they were computed (as in xarray)")
    def test_dataset_caching(self) -> None:
        """Skipped."""


def test_the_engine_registers_itself(tmp_path):
    assert "frazil" in xr.backends.list_engines()
    entry = xr.backends.list_engines()["frazil"]
    assert entry.supports_groups
    path = tmp_path / "a.nc"
    dataset = xr.Dataset({"v": ("x", [1, 2, 3])})
    frazil.to_netcdf(dataset, path)
    assert entry.guess_can_open(path) and entry.guess_can_open(str(path))
    other = path.rename(tmp_path / "a.grib")
    assert not entry.guess_can_open(other)
    text = tmp_path / "text.nc"
    text.write_text("no file of ours")
    for no in (text, tmp_path / "absent.nc", "ftp://example.org/a.nc", b"\x89HDF", 7):
        assert not entry.guess_can_open(no)
    assert entry.guess_can_open("http://example.org/a.nc")


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises((TypeError, ValueError), match="neither a file name"):
        xr.open_dataset(b"\x89HDF", engine="frazil")
    with pytest.raises(FileNotFoundError):
        xr.open_dataset(tmp_path / "absent.nc", engine="frazil")


def test_trees_and_groups(tmp_path):
    path = tmp_path / "tree.nc"
    tree = xr.DataTree.from_dict(
        {
            "/": xr.Dataset({"root": ("x", [1, 2])}, coords={"x": [10, 20]}),
            "/child": xr.Dataset({"leaf": (("y", "x"), [[1.0, 2.0]])}),
            "/child/deep": xr.Dataset(attrs={"empty": 1}),
        }
    )
    tree.to_netcdf(path, engine="netcdf4")
    with xr.open_datatree(path, engine="frazil") as found:
        xr.testing.assert_identical(found, tree)
    with (
        xr.open_datatree(path, engine="frazil", group="child") as found,
        xr.open_datatree(path, engine="netcdf4", group="child") as expected,
    ):
        xr.testing.assert_identical(found, expected)
    found = xr.open_groups(path, engine="frazil")
    expected = xr.open_groups(path, engine="netcdf4")
    assert list(found) == list(expected)
    for name, dataset in expected.items():
        xr.testing.assert_identical(found[name], dataset)
        dataset.close()


def test_open_mfdataset_in_parallel(tmp_path):
    paths = []
    for i in range(12):
        paths.append(tmp_path / f"{i:02}.nc")
        values = np.full((2, 30, 40), i, dtype="f4")
        dataset = xr.Dataset({"v": (("t", "y", "x"), values)}, coords={"t": [2 * i, 2 * i + 1]})
        frazil.to_netcdf(dataset, paths[-1], unlimited_dims="t")
    with xr.open_mfdataset(paths, engine="frazil", parallel=True, chunks={}) as found:
        assert found.sizes["t"] == 24
        np.testing.assert_array_equal(found.v.mean(("y", "x")), np.repeat(np.arange(12), 2))


def test_values_can_be_read_after_the_dataset_was_closed_or_pickled(tmp_path):
    import pickle

    path = tmp_path / "a.nc"
    frazil.to_netcdf(xr.Dataset({"v": ("x", [1, 2, 3])}), path)
    dataset = xr.open_dataset(path, engine="frazil", cache=False)
    again = pickle.loads(pickle.dumps(dataset))
    dataset.close()
    assert list(dataset.v.values) == list(again.v.values) == [1, 2, 3]


def test_the_store_alone(tmp_path):
    path = tmp_path / "a.nc"
    frazil.to_netcdf(xr.Dataset({"v": ("x", [1, 2, 3])}, attrs={"a": 1}), path)
    with ReadStore.open(path) as store:
        assert store.get_dimensions() == {"x": 3} and store.get_attrs() == {"a": 1}
        with xr.decode_cf(store) as dataset:
            assert list(dataset.v) == [1, 2, 3]


@pytest.mark.parametrize(
    "format",
    [
        "NETCDF3_CLASSIC",
        "NETCDF3_64BIT_OFFSET",
        "NETCDF3_64BIT_DATA",
        "NETCDF4_CLASSIC",
        "NETCDF4",
    ],
)
def test_encodings_are_those_of_engine_netcdf4(tmp_path, format):
    path = tmp_path / "encodings.nc"
    with netCDF4.Dataset(path, "w", format=format) as file:
        for name, length in {"t": None, "x": 3, "n": 4}.items():
            file.createDimension(name, length)
        plain = file.createVariable("plain", "f4", ("x",))
        plain[:] = [1, 2, 3]
        plain.least_significant_digit = 2
        file.createVariable("records", "i2", ("t", "x"))[:2] = 1
        file.createVariable("chars", "S1", ("x", "n"))
        file.createVariable("scalar", "f8", ())[...] = 2
        if format.startswith("NETCDF4"):
            file.createVariable("packed", "f4", ("x",), zlib=True, fletcher32=True)[:] = 3
            file.createVariable("big", ">f4", ("x",), endian="big")[:] = 3
    for options in ({}, {"decode_cf": False}):
        with (
            xr.open_dataset(path, engine="frazil", **options) as ours,
            xr.open_dataset(path, engine="netcdf4", **options) as theirs,
        ):
            assert ours.encoding == theirs.encoding
            for name, variable in theirs.variables.items():
                found, wanted = (dict(one.encoding) for one in (ours[name], variable))
                found.pop("preferred_chunks", None)
                wanted.pop("preferred_chunks", None)
                assert found == wanted
                assert list(found) == list(wanted)
