"""Reading: ``frazil.open`` and what it gives."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType, TracebackType
from typing import Any, Literal, NoReturn, Self

import numpy as np

from . import _frazil, checks, far
from .chunk_cache import ChunkCache, stated_chunk_cache
from .datatypes import (
    attributes,
    decode,
    element_axes,
    enum_members,
    native,
    raw_dtype,
    read_dtype,
    text,
)
from .errors import (
    BadIndexError,
    FileNotice,
    InvalidArgumentError,
    NotFoundError,
    UnknownNameError,
    named,
    plain,
)
from .options import Reads, StrPath, explained
from .pictures import chunk_grid_html, escape, folded, folded_list, largest_first
from .types import whole_count, whole_number

# Filters that netCDF4-python names otherwise.
_IN_NETCDF4 = {"deflate": "zlib"}
# Where a filter keeps its level.
_LEVELS = {1: 0, 307: 0, 32015: 0, 32001: 4}

Selection = tuple[int, int, int] | np.ndarray


@explained()
def open(
    path: StrPath | Any,
    *,
    threads: int | None = None,
    verify: Literal["always", "never"] = "always",
    chunk_cache: ChunkCache | None = None,
    reads: Reads | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> File:
    """Open a netCDF-4, HDF5 or classic netCDF file for reading.

    Parameters
    ----------
    path : path, URL or file object
        A path, a URL (``https://``, ``s3://``, ``gs://``, ``az://``, ``file://``), or a binary
        object: a file of fsspec, ``BytesIO``, any object that can read and seek.
    threads : int, optional
        Threads that may work on one read; by default one per core.
    verify : "always" or "never"
        Whether to compare the checksums of chunks with the data.
    chunk_cache : WritePlan, path or mapping, optional
        Memory for decoded chunks of each variable, which other reads leave alone: from a plan (its
        ``cache``), from a plan in a JSON file, or bytes by variable, ``{"t2m": 64 << 20}``. All of
        it is within :func:`set_read_budget`. By default, from the plan that the file keeps, if it
        keeps one.
    reads : str, mapping or sequence of str, optional
        Instead of ``chunk_cache``: the reads that you expect, ``"map,series"`` as for :func:`pack`.
        Each variable gets room for the chunks that one of these reads touches.
    storage_options : mapping, optional
        For access to a URL: credentials, endpoint, region, headers. docs/remote.md lists them.

    Returns
    -------
    File
        The root group. Any number of threads may read from it at the same time.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    frazil.Error
        If frazil cannot read the format, or the file is damaged.

    Examples
    --------
    >>> with frazil.open("run.nc") as file:
    ...     values = file.variables["t2m"][0, 10:20, ::2]
    """
    return File(
        path,
        threads=threads,
        verify=verify,
        chunk_cache=chunk_cache,
        reads=reads,
        storage_options=storage_options,
    )


def read_stats() -> dict[str, int | float | None]:
    """Return statistics of the reads of this process, and of the chunks it keeps.

    ``hits`` and ``misses`` count reads of a part of a chunk that found it decoded, or did not;
    ``hit_rate`` is the share of hits; ``kept_bytes`` of ``budget_bytes`` are kept for later reads.
    """
    return _frazil.read_stats()


def set_read_budget(count: int) -> None:
    """Set how many bytes of decoded chunks this process may keep for later reads (256 MiB)."""
    _frazil.set_read_budget(whole_count(count, "count"))


def _plain_value(value: Any) -> str:
    """An attribute's value without numpy's types around each number."""
    return repr(value.tolist() if isinstance(value, np.generic | np.ndarray) else value)


class _ByName(dict[str, Any]):
    """Groups or variables by name; one that is not there is no bare :class:`KeyError`."""

    def __init__(self, kind: str, file: str, named: Iterable[tuple[str, Any]] = ()) -> None:
        super().__init__(named)
        self._kind, self._file = kind, file

    def __missing__(self, name: str) -> NoReturn:
        raise UnknownNameError(
            f"there is no such {self._kind}",
            file=self._file,
            variable=str(name),
            cure=checks.one_of(str(name), list(self)),
        )


class Group:
    """A group: dimensions, variables, groups and attributes by name."""

    def __init__(self, file: File, number: int, description: Mapping[str, Any]) -> None:
        self._file, self._number = file, number
        #: Absolute path, ``/`` or ``/model/ocean``.
        self.path: str = description["path"]
        #: Its name; of the root group: ``/``.
        self.name: str = description["name"]
        self._parent = description["parent"]
        self._attributes = description["attributes"]

    @cached_property
    def attrs(self) -> Mapping[str, Any]:
        """Attributes, as netCDF4-python gives them."""
        return attributes(self._attributes)

    @property
    def parent(self) -> Group | None:
        """The group that it is in; of the root group: ``None``."""
        return None if self._parent is None else self._file._groups[self._parent]

    @property
    def dims(self) -> Mapping[str, int]:
        """Lengths of the dimensions that are defined here."""
        found = (one for one in self._file._dimensions if one["group"] == self._number)
        return MappingProxyType({one["name"]: one["length"] for one in found})

    @property
    def unlimited_dims(self) -> frozenset[str]:
        """Those of them that can grow."""
        return frozenset(
            one["name"]
            for one in self._file._dimensions
            if one["group"] == self._number and one["is_unlimited"]
        )

    @property
    def groups(self) -> Mapping[str, Group]:
        """Groups in this one."""
        found = (one for one in self._file._groups if one._parent == self._number)
        named = ((one.name, one) for one in found)
        return MappingProxyType(_ByName("group", self._file.filename, named))

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Variables in this group."""
        return MappingProxyType(self._file._variables[self._number])

    def __getitem__(self, path: str) -> Group | Variable:
        """The group or variable behind a path, from here or, with a slash, from the root."""
        at: Group = self._file if path.startswith("/") else self
        names = [name for name in path.split("/") if name]
        for i, name in enumerate(names):
            if name in at.groups:
                at = at.groups[name]
            elif i == len(names) - 1 and name in at.variables:
                return at.variables[name]
            else:
                there = [*at.groups, *at.variables]
                raise NotFoundError(
                    "there is no such group or variable",
                    file=self._file.filename,
                    variable=path,
                    cure=checks.one_of(name, there),
                )
        return at

    def __iter__(self) -> Iterator[str]:
        yield from self.groups
        yield from self.variables

    def __contains__(self, path: str) -> bool:
        try:
            self[path]
        except NotFoundError:
            return False
        return True

    def __repr__(self) -> str:
        lines = [f"<frazil.{type(self).__name__} {self.path!r} of {self._file.filename!r}>"]
        dims = (f"{n}: {size}" for n, size in self.dims.items())
        lines.append(f"dims: {', '.join(dims)}")
        lines += [f"  {variable._line()}" for variable in self.variables.values()]
        lines += [f"  {group.path}/" for group in self.groups.values()]
        lines += [f"  :{name} = {_plain_value(value)}" for name, value in self.attrs.items()]
        return "\n".join(plain(line) for line in lines)

    def _repr_html_(self) -> str:
        variables = list(self.variables.values())
        rows = [
            [one._line(), chunk_grid_html(one.shape or (), one.chunks, one.dims)]
            for one in variables
        ]
        sizes = [math.prod(one.shape or (0,)) * one.dtype.itemsize for one in variables]
        table = folded(["variable", "chunk grid"], largest_first(rows, sizes), raw=1)
        attrs = [f"<li>{escape(f'{name}: {value}')}</li>" for name, value in self.attrs.items()]
        title = escape(f"{self._file.filename} {self.path}")
        return f"<b>{title}</b>{table}{folded_list(attrs, 'attributes')}"


class File(Group):
    """An open file: its root group. See :func:`frazil.open`."""

    def __init__(
        self,
        path: StrPath | Any,
        *,
        threads: int | None = None,
        verify: str = "always",
        reopens: bool = False,
        chunk_cache: ChunkCache | None = None,
        reads: Reads | None = None,
        storage_options: Mapping[str, Any] | None = None,
        _stated_cache: str | None = None,
    ) -> None:
        if verify not in ("always", "never"):
            raise InvalidArgumentError(f"verify is {verify!r}; it must be 'always' or 'never'")
        #: The path or URL that it was opened by; of a file object, what it is called.
        self.filename = far.name_of(path)
        self._opened, self._storage = path, storage_options
        stated = _stated_cache or stated_chunk_cache(chunk_cache, reads)
        self._options = (threads, verify, reopens, stated)
        self._lock = threading.Lock()
        self._open: _frazil.Reader | None = self._reader_of_file()
        model = self._open.model()
        self._dimensions = model["dimensions"]
        self._types = model["types"]
        self._groups: list[Group] = [self]
        for number, one in enumerate(model["groups"]):
            if number:
                self._groups.append(Group(self, number, one))
        self._variables = [_ByName("variable", self.filename) for _ in self._groups]
        for number, one in enumerate(model["variables"]):
            self._variables[one["group"]][one["name"]] = Variable(self, number, one)
        super().__init__(self, 0, model["groups"][0])

    def _reader_of_file(self) -> _frazil.Reader:
        threads, verify, _, stated = self._options
        reader = _frazil.Reader.open(
            self.filename,
            checks.threads(threads),
            verify == "never",
            stated,
            (far.plain_options(self._storage), far.ranged(self._opened)),
        )
        for notice in reader.notices:
            # Of the program, not of this package.
            warnings.warn(notice, FileNotice, stacklevel=4)
        return reader

    @property
    def _reader(self) -> _frazil.Reader:
        reader = self._open
        if reader is not None:
            return reader
        if not self._options[2]:
            raise InvalidArgumentError("the file is closed", file=self.filename)
        with self._lock:
            if self._open is None:
                self._open = self._reader_of_file()
            return self._open

    @property
    def format(self) -> str:
        """``netCDF-4``, ``netCDF-4 classic model``, ``HDF5``, or that of a classic format."""
        return self._reader.format

    @property
    def _is_classic(self) -> bool:
        return not self.format.startswith(("netCDF-4", "HDF5"))

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._open is None

    def close(self) -> None:
        """Close the file."""
        self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def cache_stats(self) -> dict[str, dict[str, int | float | None]]:
        """Return statistics of reads of parts of chunks, by path of the variables read so far.

        Each has ``hits`` and ``misses`` (the chunk was decoded already, or not) since the file was
        opened or changed, their ``hit_rate``, ``kept_bytes``, and ``share_bytes``, the memory that
        other reads leave alone.
        """
        all_ = [one for group in self._variables for one in group.values()]
        found = ((one.path, self._reader.cache_stats(one._number)) for one in all_)
        return {path: stats for path, stats in found if stats is not None}

    def __reduce__(self) -> tuple:
        opened = self.filename if far.is_name(self._opened) else self._opened
        return _reopen, (opened, self._options, self._storage)


def _reopen(opened: Any, options: tuple, storage: Mapping[str, Any] | None) -> File:
    threads, verify, reopens, stated = options
    return File(
        opened,
        threads=threads,
        verify=verify,
        reopens=reopens,
        storage_options=storage,
        _stated_cache=stated,
    )


class Variable:
    """A variable: ``variable[0, 10:20, ::2]`` reads values as they are stored.

    Indices are integers, slices, and lists or arrays of integers or booleans; arrays along several
    axes select all combinations. Nothing is masked, scaled or decoded. If elements are arrays,
    their axes come behind those of the variable. A null dataspace has no shape; ``[...]`` and
    ``[()]`` give an empty array.
    """

    def __init__(self, file: File, number: int, description: Mapping[str, Any]) -> None:
        self._file, self._number = file, number
        self._type = description["type"]
        #: Its name.
        self.name: str = description["name"]
        self._group = description["group"]
        #: Names of the dimensions, the slowest first.
        self.dims = tuple(file._dimensions[i]["name"] for i in description["dimensions"])
        #: Elements along each axis; ``None``: there is no value at all (a null dataspace).
        self.shape: tuple[int, ...] | None = tuple(description["shape"])
        if description["is_null"]:
            self.shape = None
        #: Type of what is read; ``object`` for texts of any length and variable-length data.
        self.dtype = read_dtype(self._type, description["element"])
        self._raw_dtype = raw_dtype(self._type, description["element"])
        #: Elements of one chunk along each axis; ``None``: not chunked.
        self.chunks = None if description["chunk"] is None else tuple(description["chunk"])
        self._pipeline: list[tuple[int, list[int]]] = description["filters"]
        self._has_fill_value: bool = description["has_fill_value"]
        self._attributes = description["attributes"]

    @cached_property
    def attrs(self) -> Mapping[str, Any]:
        """Attributes, as netCDF4-python gives them."""
        return attributes(self._attributes)

    @property
    def file(self) -> File:
        """The file that it is in."""
        return self._file

    @property
    def path(self) -> str:
        """Absolute path."""
        return f"{self._file._groups[self._group].path.rstrip('/')}/{self.name}"

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape or ())

    @property
    def size(self) -> int:
        """Number of elements."""
        return 0 if self.shape is None else int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Bytes of all elements once they are read."""
        return self.size * self.dtype.itemsize

    @property
    def is_string(self) -> bool:
        """Whether elements are texts of any length."""
        return self._type["kind"] == "string"

    @property
    def enum(self) -> tuple[str, dict[str, int]] | None:
        """Name, and names and values, of an enumeration."""
        members = enum_members(self._type)
        if members is None:
            return None
        # As in netCDF-C: the first named type that is the same.
        same = (one for one in self._file._types if enum_members(one) == members)
        path = next((one["committed"] for one in same if one["committed"]), self.name)
        return path.rpartition("/")[2], members

    @property
    def is_big_endian(self) -> bool:
        """Whether numbers are stored big-endian."""
        of = self._type.get("base", self._type)
        return bool(of["is_big"]) and of["size"] > 1

    def filters(self) -> dict[str, Any]:
        """Compression, as netCDF4-python's ``Variable.filters`` reports it."""
        found: dict[str, Any] = {
            name: False for name in ("zlib", "szip", "zstd", "bzip2", "blosc", "shuffle")
        }
        found |= {"complevel": 0, "fletcher32": False}
        for identifier, values in self._pipeline:
            name = _frazil.filter_name(identifier)
            name = _IN_NETCDF4.get(name, name)
            if name not in found:
                continue
            found[name] = True
            at = _LEVELS.get(identifier)
            if at is not None and at < len(values):
                found["complevel"] = values[at]
            if name == "szip" and len(values) > 1:
                found[name] = {
                    "coding": "nn" if values[0] & 32 else "ec",
                    "pixels_per_block": values[1],
                }
            elif name == "blosc" and len(values) > 6:
                found[name] = {"compressor": _blosc(values[6]), "shuffle": values[5]}
        return found

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a variable without axes has no length")
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[...] if dtype is None else self[...].astype(dtype)

    def __getitem__(self, key: Any) -> np.ndarray:
        with named(self._file.filename, self.name):
            axes, shape, flips = _selections(key, self.shape or ())
        if self.shape is None:
            # As of an attribute without a value.
            return np.empty(0, self.dtype)
        counts = [one[1] if isinstance(one, tuple) else len(one) for one in axes]
        values = self._read(axes, counts)
        for axis in flips:
            values = np.flip(values, axis)
        return values.reshape(shape + values.shape[len(counts) :])

    def _read(self, axes: list[Selection], counts: list[int]) -> np.ndarray:
        reader = self._file._reader
        base, inner = element_axes(self.dtype)
        if base.kind != "O":
            values = np.empty(counts, self._raw_dtype)
            if values.size:
                reader.read(self._number, axes, values.reshape(-1).view(np.uint8))
            return native(values)
        count = int(np.prod(counts, dtype=np.int64))
        found = np.empty((count, *inner), dtype=object)
        if count and self.is_string:
            found[:] = [text(one) for one in reader.read_texts(self._number, axes)]
        elif count:
            data = reader.read_expanded(self._number, axes)
            for i, one in enumerate(decode(self._type, data, count)):
                found[i] = one
        return found.reshape((*counts, *inner))

    def __repr__(self) -> str:
        return f"<frazil.Variable {plain(self._line())}>"

    def _line(self) -> str:
        axes = ", ".join(f"{d}: {n}" for d, n in zip(self.dims, self.shape or (), strict=True))
        kind = "string" if self.is_string else str(self.dtype)
        return f"{self.path} {kind} " + ("without a value" if self.shape is None else f"({axes})")

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>"
            for name, value in self.attrs.items()
        )
        picture = chunk_grid_html(self.shape or (), self.chunks, self.dims)
        return f"<b>{escape(self._line())}</b><table>{rows}</table>{picture}"

    def __reduce__(self) -> tuple:
        return _variable, (self._file, self._group, self.name)


def _variable(file: File, group: int, name: str) -> Variable:
    return file._variables[group][name]


def _blosc(number: int) -> str:
    names = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
    name = names[number] if number < len(names) else str(number)
    return f"blosc_{name.removeprefix('blosc')}"


def _selections(
    key: Any, shape: tuple[int, ...]
) -> tuple[list[Selection], tuple[int, ...], list[int]]:
    """Selections along all axes, the shape of the result, and the axes to be turned round."""
    keys = key if isinstance(key, tuple) else (key,)
    if any(one is Ellipsis for one in keys):
        at = next(i for i, one in enumerate(keys) if one is Ellipsis)
        missing = len(shape) - (len(keys) - 1)
        keys = (*keys[:at], *[slice(None)] * missing, *keys[at + 1 :])
    keys = (*keys, *[slice(None)] * (len(shape) - len(keys)))
    if len(keys) != len(shape):
        raise BadIndexError(f"{len(keys)} indices for {len(shape)} axes")
    axes: list[Selection] = []
    result: list[int] = []
    flips: list[int] = []
    for axis, (one, length) in enumerate(zip(keys, shape, strict=True)):
        if isinstance(one, slice):
            indices = range(*one.indices(length))
            if indices.step < 0:
                flips.append(axis)
                indices = indices[::-1]
            axes.append((indices.start if indices else 0, len(indices), indices.step))
            result.append(len(indices))
        elif np.ndim(one) == 0 and not isinstance(one, (bool, np.bool_)):
            axes.append((_position(one, length), 1, 1))
        else:
            chosen = _chosen(one, length)
            axes.append(chosen)
            result.append(len(chosen))
    return axes, tuple(result), flips


def _position(index: Any, length: int) -> int:
    at = whole_number(index)
    if not -length <= at < length:
        raise BadIndexError(f"index {at} is out of bounds for an axis of {length} elements")
    return at % length if length else 0


def _chosen(index: Any, length: int) -> np.ndarray:
    chosen = np.asarray(index)
    if chosen.ndim != 1:
        raise BadIndexError("an axis is indexed by an integer, a slice or a list")
    if chosen.dtype == bool:
        if len(chosen) != length:
            raise BadIndexError(f"{len(chosen)} booleans for an axis of {length} elements")
        chosen = np.flatnonzero(chosen)
    if not chosen.size:
        return np.empty(0, dtype=np.uint64)
    if chosen.dtype.kind not in "iu":
        raise BadIndexError(f"an axis is not indexed by {chosen.dtype}")
    wrapped = np.where(chosen < 0, chosen + length, chosen) if chosen.dtype.kind == "i" else chosen
    if wrapped.min() < 0 or wrapped.max() >= length:
        raise BadIndexError(f"an index is out of bounds for an axis of {length} elements")
    return np.ascontiguousarray(wrapped, dtype=np.uint64)
