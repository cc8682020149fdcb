"""xarray's engine ``frazil``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.backends.common import AbstractDataStore
from xarray.backends.store import StoreBackendEntrypoint
from xarray.coding.strings import create_vlen_dtype
from xarray.core import indexing
from xarray.core.utils import FrozenDict, close_on_error

from . import checks, far
from .chunk_cache import ChunkCache
from .datatypes import element_axes
from .errors import InvalidArgumentError, MissingGroupError
from .file import File, Group, Variable
from .operations import about
from .options import Reads

# dask's blocks are about as large: whole file chunks.
_BLOCK_BYTES = 64 << 20
_SUFFIXES = {".nc", ".nc4", ".h5"}
_MAGIC = (b"\x89HDF\r\n\x1a\n", b"CDF\x01", b"CDF\x02", b"CDF\x05")


class FrazilArray(BackendArray):
    """A variable's values, read when they are wanted. It needs no lock.

    xarray knows no elements that are arrays: their axes are further ones. Nor does it know null
    dataspaces: they get an axis without elements.
    """

    __slots__ = ("dtype", "shape", "variable")

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        base, inner = element_axes(variable.dtype)
        self.shape = ((0,) if variable.shape is None else variable.shape) + inner
        self.dtype = create_vlen_dtype(str) if variable.is_string else base

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._chosen
        )

    def _chosen(self, key: tuple) -> np.ndarray:
        outer, inner = key[: self.variable.ndim], key[self.variable.ndim :]
        values = self.variable[outer]
        first = values.ndim - len(inner)
        # The last first, so that places of axes stay what they are.
        for axis in reversed(range(len(inner))):
            values = values[(slice(None),) * (first + axis) + (inner[axis],)]
        return values


def _block_bytes() -> int:
    """Bytes of a block: not more than dask's automatic ones, which would cut it otherwise."""
    if "dask" not in sys.modules:
        return _BLOCK_BYTES
    import dask.config
    from dask.utils import parse_bytes

    return min(_BLOCK_BYTES, parse_bytes(dask.config.get("array.chunk-size", _BLOCK_BYTES)))


def preferred_chunks(
    shape: Sequence[int], chunks: Sequence[int] | None, itemsize: int
) -> tuple[int, ...] | None:
    """Blocks of about 64 MiB for dask: whole multiples of the file's chunks, the last axes first.

    ``None``: the variable is not chunked and fits into one block.
    """
    most = _block_bytes()
    bytes_of_all = int(np.prod(shape, dtype=np.int64)) * itemsize
    if chunks is None:
        if bytes_of_all <= most:
            return None
        chunks = [1] * len(shape)
    block = [max(1, min(chunk, length)) for chunk, length in zip(chunks, shape, strict=True)]
    room = most // max(1, int(np.prod(block, dtype=np.int64)) * itemsize)
    for axis in reversed(range(len(shape))):
        if room < 2:
            break
        needed = -(-shape[axis] // chunks[axis])
        times = min(room, max(1, needed))
        block[axis] = min(shape[axis], times * chunks[axis]) or 1
        room //= times
        if times < needed:
            break
    return tuple(block)


class ReadStore(AbstractDataStore):
    """A group of a file, as xarray reads it."""

    def __init__(self, group: Group) -> None:
        self._group = group

    @classmethod
    def open(
        cls,
        path: Any,
        group: str | None = None,
        **options: Any,
    ) -> ReadStore:
        """Opens a file, with options of :func:`frazil.open`, and finds a group in it."""
        if group is not None and not isinstance(group, str):
            raise InvalidArgumentError("group must be a string or None", file=path)
        file = File(path, reopens=True, **options)
        at: Group = file
        for name in (group or "").split("/"):
            if name and name not in at.groups:
                file.close()
                raise MissingGroupError(
                    f"group not found: {name}",
                    file=file.filename,
                    variable=group,
                    cure=checks.one_of(name, list(at.groups)),
                )
            at = at.groups[name] if name else at
        return cls(at)

    def get_variables(self) -> FrozenDict:
        return FrozenDict(
            (name, self.open_variable(one)) for name, one in self._group.variables.items()
        )

    def open_variable(self, variable: Variable) -> xr.Variable:
        """A variable with the encoding that the engine netcdf4 reports."""
        attributes = dict(variable.attrs)
        array = FrazilArray(variable)
        inner = array.shape[variable.ndim :]
        dims = variable.dims + tuple(f"{variable.name}_array_{i}" for i in range(len(inner)))
        chunks = None if variable.chunks is None else variable.chunks + inner
        encoding = {"dtype": _encoded_dtype(variable)}
        if not variable.file._is_classic:
            encoding |= variable.filters()
            encoding |= {"contiguous": chunks is None, "chunksizes": chunks}
        block = preferred_chunks(array.shape, chunks, array.dtype.itemsize)
        if block is not None and len(set(dims)) == len(dims):
            encoding["preferred_chunks"] = dict(zip(dims, block, strict=True))
        if "least_significant_digit" in attributes:
            encoding["least_significant_digit"] = attributes.pop("least_significant_digit")
        if variable.dtype.kind == "S" and "_FillValue" in attributes:
            fill = attributes["_FillValue"]
            attributes["_FillValue"] = np.bytes_(fill.encode() if isinstance(fill, str) else fill)
        encoding["source"] = variable.file.filename
        encoding["original_shape"] = array.shape
        return xr.Variable(dims, indexing.LazilyIndexedArray(array), attributes, encoding)

    def get_attrs(self) -> FrozenDict:
        return FrozenDict(self._group.attrs)

    def get_dimensions(self) -> FrozenDict:
        return FrozenDict(self._group.dims)

    def get_parent_dimensions(self) -> FrozenDict:
        above: dict[str, int] = {}
        at = self._group.parent
        while at is not None:
            above = {**at.dims, **above}
            at = at.parent
        return FrozenDict(above)

    def get_encoding(self) -> dict[str, Any]:
        return {"unlimited_dims": set(self._group.unlimited_dims)}

    def close(self, **kwargs: Any) -> None:
        self._group._file.close()


def _encoded_dtype(variable: Variable) -> Any:
    if variable.is_string:
        return str
    dtype, _ = element_axes(variable.dtype)
    enum = variable.enum
    if enum is not None:
        name, members = enum
        return np.dtype(dtype, metadata={"enum": members, "enum_name": name})
    # Classic files are big-endian one and all: that says nothing about a variable.
    is_choice = not variable.file._is_classic
    if is_choice and variable.is_big_endian and dtype.kind in "iuf":
        return dtype.newbyteorder(">")
    return dtype


class FrazilBackendEntrypoint(BackendEntrypoint):
    """Opens netCDF-4, HDF5 and classic netCDF files with frazil: in parallel and without a lock."""

    description = "Open netCDF and HDF5 files (.nc, .nc4, .h5) with all cores, using frazil"
    url = "https://github.com/frazil-io/frazil"
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        if not far.is_name(filename_or_obj):
            return _has_magic(filename_or_obj)
        name = os.fspath(filename_or_obj)
        if far.is_url(name):
            # Looking costs a request: the name has to do.
            path = name.partition("?")[0]
            return Path(path).suffix.lower() in _SUFFIXES and about()["network"]
        if Path(name).suffix.lower() not in _SUFFIXES:
            return False
        try:
            with Path(name).open("rb") as file:
                return file.read(8).startswith(_MAGIC)
        except OSError:
            return False

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        threads: int | None = None,
        verify: str = "always",
        chunk_cache: ChunkCache | None = None,
        reads: Reads | None = None,
        storage_options: Mapping[str, Any] | None = None,
        lock: Any = None,
    ) -> xr.Dataset:
        """Open one group as a dataset.

        Parameters
        ----------
        group : str, optional
            The group.
        threads : int, optional
            Threads that may work on one read.
        verify : "always" or "never"
            Whether to compare checksums of chunks with the data.
        chunk_cache, reads : optional
            Memory for decoded chunks, as for :func:`frazil.open`.
        storage_options : mapping, optional
            For access to a URL, as for :func:`frazil.open`.
        lock
            Accepted for compatibility and not used: reading needs no lock.
        """
        store = ReadStore.open(
            far.absolute(filename_or_obj),
            group,
            threads=threads,
            verify=verify,
            chunk_cache=chunk_cache,
            reads=reads,
            storage_options=storage_options,
        )
        with close_on_error(store):
            return StoreBackendEntrypoint().open_dataset(
                store,
                mask_and_scale=mask_and_scale,
                decode_times=decode_times,
                concat_characters=concat_characters,
                decode_coords=decode_coords,
                drop_variables=drop_variables,
                use_cftime=use_cftime,
                decode_timedelta=decode_timedelta,
            )

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        group: str | None = None,
        threads: int | None = None,
        verify: str = "always",
        chunk_cache: ChunkCache | None = None,
        reads: Reads | None = None,
        storage_options: Mapping[str, Any] | None = None,
        lock: Any = None,
        **decoding: Any,
    ) -> dict[str, xr.Dataset]:
        """Open a group and all groups below it."""
        store = ReadStore.open(
            far.absolute(filename_or_obj),
            group,
            threads=threads,
            verify=verify,
            chunk_cache=chunk_cache,
            reads=reads,
            storage_options=storage_options,
        )
        base = store._group.path.rstrip("/")
        found: dict[str, xr.Dataset] = {}
        with close_on_error(store):
            for at in _below(store._group):
                # The first path is that of the group itself.
                relative = at.path.rstrip("/").removeprefix(base).lstrip("/")
                name = (relative or ".") if base else f"/{relative}"
                opened = StoreBackendEntrypoint().open_dataset(ReadStore(at), **decoding)
                found[name] = opened
        return found

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xr.DataTree:
        """Open a group and all groups below it as a tree."""
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        tree = xr.DataTree.from_dict(groups)
        for path, dataset in groups.items():
            tree[path].set_close(dataset._close)
        return tree


def _below(group: Group) -> Iterable[Group]:
    yield group
    for child in group.groups.values():
        yield from _below(child)


def _has_magic(opened: Any) -> bool:
    """Whether a file object begins as these files do."""
    if not all(callable(getattr(opened, one, None)) for one in ("read", "seek", "tell")):
        return False
    before = opened.tell()
    try:
        opened.seek(0)
        begin = opened.read(8)
    finally:
        opened.seek(before)
    return isinstance(begin, bytes) and begin.startswith(_MAGIC)
