"""Files for VirtualiZarr: their chunks where they lie, as virtual arrays of xarray.

:class:`Parser` is a parser of VirtualiZarr 2, for ``open_virtual_dataset`` and
``open_virtual_mfdataset``; Icechunk takes what these give. It finds a file's chunks without
libhdf5.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from . import _frazil, checks
from .errors import UnknownNameError
from .references import SPLIT_BYTES

if TYPE_CHECKING:
    import xarray
    from virtualizarr.manifests import ManifestArray, ManifestGroup, ManifestStore


class Parser:
    """A parser of VirtualiZarr: ``open_virtual_dataset(url, registry, frazil.virtual.Parser())``.

    Variables that cannot be virtual are left out, each with a warning: strings, values in the
    metadata or in other files, and chunks with filters that readers of Zarr lack.

    Parameters
    ----------
    group : str, optional
        The group to open; by default the root with all groups below it.
    drop_variables : iterable of str
        Names of variables to leave out.
    split : int
        Cut contiguous values into pieces of at most this many bytes; 0: do not cut.
    """

    def __init__(
        self,
        group: str | None = None,
        drop_variables: Iterable[str] = (),
        split: int = SPLIT_BYTES,
    ) -> None:
        self.group = (group or "").strip("/")
        self.drop_variables = frozenset(drop_variables)
        self.split = split

    def __call__(self, url: str, registry: Any) -> ManifestStore:
        """The file at a URL as a store; ``registry`` says how its bytes are read."""
        from virtualizarr.manifests import ManifestStore

        references, left_out = _frazil.references(_local(url), url, 0, self.split)
        for one in json.loads(left_out):
            cure = f"; {one['cure']}" if one["cure"] else ""
            warnings.warn(f"{one['path']} is left out: {one['cause']}{cure}", stacklevel=2)
        tree = _Tree(references["refs"], self.drop_variables)
        if self.group not in tree.groups:
            raise UnknownNameError(
                "there is no such group",
                file=url,
                variable=self.group,
                cure=checks.one_of(self.group, list(tree.groups)),
            )
        return ManifestStore(registry=registry, group=tree.group(self.group))


def virtual_dataset(
    path: str | Path,
    registry: Any = None,
    *,
    group: str | None = None,
    split: int = SPLIT_BYTES,
    **options: Any,
) -> xarray.Dataset:
    """Open a file as a dataset of virtual arrays, by VirtualiZarr.

    Parameters
    ----------
    path : path or URL
        The file.
    registry : ObjectStoreRegistry, optional
        Where bytes are read from, as for VirtualiZarr; by default local files.
    group : str, optional
        The group to open; by default the root.
    split : int
        As for :class:`frazil.virtual.Parser`.
    **options
        Options of ``virtualizarr.open_virtual_dataset``: ``loadable_variables``, ``decode_times``,
        ``drop_variables``.
    """
    from virtualizarr import open_virtual_dataset

    url = str(path)
    if "://" not in url:
        url = f"file://{Path(path).absolute()}"
    if registry is None:
        from obspec_utils.registry import ObjectStoreRegistry
        from obstore.store import LocalStore

        registry = ObjectStoreRegistry({"file://": LocalStore()})
    return open_virtual_dataset(url, registry, Parser(group, split=split), **options)


def _local(url: str) -> Path | str:
    """What the engine opens: a path of this machine for its URLs."""
    return Path(unquote(url.removeprefix("file://"))) if url.startswith("file://") else url


class _Tree:
    """References by group and array."""

    def __init__(self, references: Mapping[str, Any], without: frozenset[str]) -> None:
        self.groups: dict[str, dict[str, Any]] = {}
        self.arrays: dict[str, dict[str, Any]] = {}
        for key, value in references.items():
            field, _, name = key.rpartition("/")
            if name == ".zgroup":
                self.groups.setdefault(field, {})
            elif name == ".zarray":
                self.arrays.setdefault(field, {})[name] = json.loads(value)
            elif name == ".zattrs":
                known = self.arrays if field in self.arrays else self.groups
                known[field][name] = json.loads(value)
            else:
                self.arrays[field].setdefault("chunks", {})[name] = value
        for field in [field for field in self.arrays if field.rpartition("/")[2] in without]:
            del self.arrays[field]

    def group(self, path: str) -> ManifestGroup:
        from virtualizarr.manifests import ManifestGroup

        def within(fields: Iterable[str]) -> Iterator[tuple[str, str]]:
            for field in fields:
                above, _, name = field.rpartition("/")
                if field and above == path:
                    yield name, field

        arrays = {name: _array(field, self.arrays[field]) for name, field in within(self.arrays)}
        return ManifestGroup(
            arrays={name: array for name, array in arrays.items() if array is not None},
            groups={name: self.group(field) for name, field in within(self.groups)},
            attributes=self.groups[path].get(".zattrs", {}),
        )


def _array(field: str, parts: Mapping[str, Any]) -> ManifestArray | None:
    """An array, unless its values are in the references themselves."""
    from virtualizarr.codecs import zarr_codec_config_to_v3
    from virtualizarr.manifests import ManifestArray
    from virtualizarr.manifests.utils import create_v3_array_metadata
    from virtualizarr.parsers.utils import encode_cf_fill_value

    array, chunks = parts[".zarray"], parts.get("chunks", {})
    if any(isinstance(value, str) for value in chunks.values()):
        warnings.warn(
            f"/{field} is left out: its values have no place of their own in the file", stacklevel=2
        )
        return None
    attributes = dict(parts.get(".zattrs", {}))
    dimensions = attributes.pop("_ARRAY_DIMENSIONS")
    dtype = np.dtype(_named(array["dtype"]))
    fill = _fill(array["fill_value"], dtype)
    if fill is not None and dtype.kind in "iuf":
        # Of Zarr's version 3, xarray takes this for missing values, and not the fill value.
        attributes.setdefault("_FillValue", encode_cf_fill_value(dtype.type(fill), dtype))
    metadata = create_v3_array_metadata(
        shape=tuple(array["shape"]),
        data_type=dtype,
        chunk_shape=tuple(array["chunks"]),
        fill_value=fill,
        codecs=[zarr_codec_config_to_v3(codec) for codec in array["filters"] or []],
        attributes=attributes,
        dimension_names=dimensions,
    )
    return ManifestArray(metadata=metadata, chunkmanifest=_manifest(array, chunks))


def _named(dtype: Any) -> Any:
    """A type as numpy takes it: members of compounds are tuples."""
    if isinstance(dtype, list):
        return [(name, _named(of), *map(tuple, shape)) for name, of, *shape in dtype]
    return dtype


def _fill(fill: Any, dtype: np.dtype) -> Any:
    return float(fill) if dtype.kind == "f" and isinstance(fill, str) else fill


def _manifest(array: Mapping[str, Any], chunks: Mapping[str, list]) -> Any:
    from virtualizarr.manifests import ChunkManifest

    extents = zip(array["shape"], array["chunks"], strict=True)
    counts = tuple(-(-length // chunk) for length, chunk in extents)
    paths = np.full(counts, "", dtype=np.dtypes.StringDType())
    offsets, lengths = np.zeros(counts, "u8"), np.zeros(counts, "u8")
    for key, (url, offset, length) in chunks.items():
        at = tuple(map(int, key.split("."))) if counts else ()
        paths[at], offsets[at], lengths[at] = url, offset, length
    return ChunkManifest.from_arrays(paths=paths, offsets=offsets, lengths=lengths)
