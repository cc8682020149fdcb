"""``frazil.to_netcdf``: xarray's datasets into files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

import xarray as xr

from . import _frazil, checks, far
from .appending import fitted
from .block_shapes import as_declared, check_known
from .crew import crew
from .errors import InvalidArgumentError, UnknownNameError, named
from .growing_times import with_fine_units
from .keywords import WriterKeywords
from .left_out import missing_in_groups
from .lost_roundings import without_lost_roundings
from .options import StrPath, check_names, documented, precision_rules, stated
from .progress import Progress, ProgressBar, listener
from .stated_dimensions import Nodes, check_goal, doubtful_lengths, growing_in
from .xarray_store import FrazilStore, Output, Target

if TYPE_CHECKING:
    from dask.delayed import Delayed
    from distributed import Client

try:
    from xarray.backends.writers import (
        _sanitize_unlimited_dims,
        _validate_attrs,
        _validate_dataset_names,
        dump_to_store,
    )
except ImportError:  # before it had a module of its own
    from xarray.backends.api import (
        _sanitize_unlimited_dims,
        _validate_attrs,
        _validate_dataset_names,
        dump_to_store,
    )

_ENCODINGS = 'a mapping of variables to their encodings, {"t2m": {"zlib": True}}'
# Blocks that are computed at once where dask computes in other processes.
_WINDOW = 8


class _Values:
    """Values on their way: numpy's are put at once, dask's when everything is defined."""

    def __init__(self, path: StrPath) -> None:
        self._path = os.fspath(path)
        self.sources: list[Any] = []
        self.targets: list[Target] = []

    def add(self, source: Any, target: Target, region: Any = None) -> None:
        if hasattr(source, "dask") or hasattr(source, "__dask_graph__"):
            self.sources.append(source)
            self.targets.append(target)
        else:
            target[...] = source

    def put(self, compute: bool, client: Client | None, output: Output) -> Any:
        """Computes and puts dask's values; or says how, as a delayed object."""
        if not self.sources:
            return None
        if client is not None:
            from . import cluster

            return cluster.put(client, output, self.sources, self.targets)
        import dask.array as da

        self.sources = [
            as_declared(source, target.name, self._path)
            for source, target in zip(self.sources, self.targets, strict=True)
        ]

        if not compute:
            output.is_delayed = True
            return da.store(self.sources, self.targets, lock=False, compute=False)
        from .delayed import computes_elsewhere

        if computes_elsewhere():
            return self.stream()
        with crew(self.targets[0].leave_memory) as pool:
            for target in self.targets:
                target.crew = pool
            options = {} if pool is None else {"scheduler": "threads", "pool": pool}
            da.store(self.sources, self.targets, lock=False, **options)
        return None

    def stream(self) -> None:
        """The writer lives in this process: blocks come to it, a few at a time."""
        import dask
        from dask.array.core import slices_from_chunks

        for source, target in zip(self.sources, self.targets, strict=True):
            blocks = source.to_delayed().reshape(-1)
            places = list(slices_from_chunks(source.chunks))
            for first in range(0, len(blocks), _WINDOW):
                window = slice(first, first + _WINDOW)
                found = dask.compute(*blocks[window])
                for place, values in zip(places[window], found, strict=True):
                    target[place] = values


@documented(WriterKeywords)
def to_netcdf(
    dataset: xr.Dataset | xr.DataArray | xr.DataTree,
    path: StrPath,
    mode: Literal["w", "w-", "x", "a"] = "w",
    *,
    group: str | None = None,
    encoding: Mapping[Hashable, Mapping[str, Any]] | None = None,
    unlimited_dims: Iterable[Hashable] | Mapping[str, Iterable[Hashable]] | str | None = None,
    append_dim: str | None = None,
    compute: bool = True,
    client: Client | None = None,
    layout: Literal["standard", "cmip7"] = "standard",
    progress: bool | Progress | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Unpack[WriterKeywords],
) -> Delayed | None:
    """Write a dataset to a netCDF-4 file, on all cores and in little memory.

    frazil takes blocks of dask arrays as they are computed, regroups them into whole file chunks,
    and packs these in the background. A new file gets its name when it is complete. An existing
    file changes by one commit at the end. If anything fails, its content is as before.

    Parameters
    ----------
    dataset : Dataset, DataArray or DataTree
        The data to write.
    path : path or URL
        The file. For ``s3://``, ``gs://`` and ``az://``, frazil writes a local temporary file and
        then sends it: the object appears complete, or not at all.
    mode : "w", "x" or "a"
        Replace an existing file (``"w"``), refuse to (``"x"``), or add to it (``"a"``).
    group : str, optional
        The group to write to, ``"forecast/mean"``.
    encoding : mapping, optional
        Per variable, as for xarray's engine ``netcdf4``: ``zlib``, ``complevel``, ``shuffle``,
        ``fletcher32``, ``chunksizes``, ``contiguous``, ``compression`` (``"zlib"``, ``"zstd"``),
        ``significant_digits``, ``quantize_mode``, ``least_significant_digit``, ``endian``,
        ``dtype``, ``_FillValue`` and those of time and packing. frazil decides what you do not
        state. It keeps encodings that came with data from another file if they still fit, and drops
        the others with one :class:`frazil.errors.EncodingNotice`.
    unlimited_dims : iterable of str, optional
        Dimensions that can grow. Of a tree, they are those of all groups that have them, or stated
        as a mapping of groups to them.
    append_dim : str, optional
        The unlimited dimension along which to add values to the variables of an existing file;
        ``mode`` is then ``"a"``. Variables without this dimension do not change; other coordinates
        than those of the file are refused. If there is no such file yet, this call makes it. Values
        are encoded as the file has them. What would change the meaning of old values is refused:
        another encoding, another ``units``, times that the file's units cannot hold. Rounding is
        refused, too.
    compute : bool
        If false, return a delayed object that computes and writes dask's values. It can be
        computed once. Its ``compute()`` also works on a cluster: blocks come to this process.
    client : distributed.Client, optional
        The cluster whose workers compute, pack and write dask's blocks into one new file on a
        shared file system. If a worker is lost, only its own work is repeated. By default, blocks
        come to this process.
    layout : "standard" or "cmip7"
        ``"cmip7"``: the layout that ``check_cmip7_packing`` requires.
    progress : bool or Progress, optional
        ``True`` shows a bar.
    storage_options : mapping, optional
        For access to a URL: credentials, endpoint, region. docs/remote.md lists them.
    **options
        Options of :class:`frazil.Writer`: docs/options.md lists them.

    Notes
    -----
    ``precision`` overrides encodings that came with the data. Compression in ``encoding``, and
    ``filters``, override ``precision``. Variables with ``chunksizes`` keep them. While packing is
    the slower part, two of dask's threads compute blocks, otherwise all of them. Two blocks come on
    top of ``memory``. More blocks take part of ``memory``, at most half of it.

    Returns
    -------
    dask.delayed.Delayed or None

    Raises
    ------
    frazil.Error
        With code, file, variable, cause and cure.
    ValueError
        For invalid encodings, names and attributes, as xarray raises it.
    """
    checks.path("path", path, "a path or a URL, as text or os.PathLike: frazil writes files")
    if far.is_url(path):
        _check_new_and_from_here(path, mode, compute, append_dim, client)
        with _sent(os.fspath(path), storage_options, overwrite=mode == "w") as here:
            to_netcdf(
                dataset,
                here,
                group=group,
                encoding=encoding,
                unlimited_dims=unlimited_dims,
                layout=layout,
                progress=progress,
                **options,
            )
        return None
    if client is not None:
        _check_client(client, path, mode if append_dim is None else "a", compute)
    with named(path):
        compute = checks.flag("compute", compute)
    nodes, mode = _checked(dataset, path, mode, group, append_dim)
    _check_encoding(dataset, group, encoding, path)
    is_tree = isinstance(dataset, xr.DataTree)
    can_grow = growing_in(nodes, unlimited_dims, path, is_tree=is_tree)
    if layout != "standard" and mode == "a" and Path(path).exists():
        raise InvalidArgumentError("a layout is for new files", file=path)
    asked = stated(to_netcdf, WriterKeywords, options)
    with named(path):
        asked["precision"] = precision_rules(asked.get("precision"))
    is_shared = asked.pop("precision_is_shared", False)
    with (
        _showing(progress) as bar,
        _new_or_unchanged(path, mode, layout, is_shared, asked) as output,
    ):
        if not is_shared:
            _check_names(asked, nodes, output)
        nodes, output.notices = without_lost_roundings(nodes, output.before.attrs)
        store = FrazilStore(output, append_dim=append_dim, progress=bar)
        values = _Values(path)
        if bar is not None:
            bar.stage("write", sum(one.nbytes for _, one in nodes))
        output.notices += missing_in_groups(nodes, append_dim, path)
        for at, one in nodes:
            wanted = (_of_group(encoding, at) if is_tree else encoding) or {}
            growing = can_grow[at]
            if append_dim is not None:
                fit = fitted(one, path, at, append_dim, wanted)
                one, wanted = fit.dataset, fit.encoding
                output.dropped += fit.dropped
                output.kept += fit.differing
                output.notices += fit.notices
                if growing is None and append_dim in one.dims:
                    growing = [append_dim]
            one, wanted = with_fine_units(
                one,
                wanted,
                growing=growing,
                append_dim=append_dim,
                there=output.before.variables_of(at),
                is_later=store.is_continued(at),
            )
            with named(path):
                _dump(one, store, at, values, wanted, growing)
        output.notices += doubtful_lengths(asked, nodes, output, append_dim)
        output.tell()
        delayed = values.put(compute, client, output)
        if compute:
            output.finish()
            return None
    from .delayed import DelayedWrite

    return DelayedWrite(delayed, values, output)


def _check_new_and_from_here(
    path: StrPath, mode: str, compute: bool, append_dim: Any, client: Any
) -> None:
    """Refuses what cannot be done to a file on another machine."""
    if mode == "a" or append_dim is not None or client is not None or not compute:
        raise InvalidArgumentError(
            "a file on another machine is written at once and from here: mode 'w' or 'x', "
            "no append_dim, no client, compute=True",
            file=os.fspath(path),
        )


@contextlib.contextmanager
def _sent(url: str, storage: Mapping[str, Any] | None, *, overwrite: bool) -> Iterator[Path]:
    """A temporary file that is sent to a URL when it is complete."""
    stated = far.plain_options(storage) or {}
    _frazil.check_url(url, stated, overwrite)
    with tempfile.TemporaryDirectory(prefix="frazil-") as folder:
        here = Path(folder) / (url.rpartition("/")[2] or "output.nc")
        yield here
        _frazil.upload(here, url, stated)


def _check_client(client: Any, path: StrPath, mode: str, compute: bool) -> None:
    """Refuses what workers cannot do."""
    from . import cluster

    cluster.check_client(client)
    if not compute:
        raise InvalidArgumentError("with a client, values are computed now", file=path)
    if mode == "a" and Path(path).exists():
        raise InvalidArgumentError(
            "the workers of a client write new files only",
            file=path,
            cure="leave the client out: blocks come to this process then",
        )


@contextlib.contextmanager
def _showing(progress: bool | Progress | None) -> Iterator[Progress | None]:
    bar = listener(progress)
    try:
        yield bar
    finally:
        if isinstance(bar, ProgressBar):
            bar.close()


@contextlib.contextmanager
def _new_or_unchanged(
    path: StrPath, mode: str, layout: str, is_shared: bool, options: dict[str, Any]
) -> Iterator[Output]:
    """An output that is given up if anything fails."""
    output = Output(path, mode, layout, is_shared=is_shared, **options)
    try:
        with output.named():
            yield output
    except BaseException:
        output.abandon()
        raise


def _checked(
    dataset: Any, path: StrPath, mode: str, group: Any, append_dim: str | None
) -> tuple[list[tuple[str | None, xr.Dataset]], str]:
    """Groups and what goes into them, and the mode, if all of that can be."""
    if group is not None and not isinstance(group, str):
        raise InvalidArgumentError("group must be a string or None", file=path)
    if mode not in ("w", "w-", "x", "a"):
        raise InvalidArgumentError(f"mode is {mode!r}; it must be 'w', 'x' or 'a'")
    if append_dim is not None and mode in ("w-", "x"):
        cause = f"mode {mode!r} refuses an existing file, and append_dim adds to it"
        raise InvalidArgumentError(cause, file=path, cure="leave one of them out")
    nodes = _nodes(dataset, group)
    for _, one in nodes:
        _validate_dataset_names(one)
        _validate_attrs(one, "netcdf4")
        for name, variable in one.variables.items():
            check_known(str(name), variable.shape, os.fspath(path))
    if append_dim is None:
        return nodes, mode
    if not any(append_dim in one.dims for _, one in nodes):
        raise InvalidArgumentError(
            f"append_dim {append_dim!r} is not a dimension of the data",
            file=path,
            cure=checks.one_of(
                str(append_dim), sorted({str(d) for _, one in nodes for d in one.dims})
            ),
        )
    return nodes, "a"


def _check_names(asked: dict[str, Any], nodes: Nodes, output: Output) -> None:
    """Refuses options about variables and dimensions that the file does not get."""
    if output.is_new:
        paths = [
            f"/{at}/{name}" if at else f"/{name}" for at, one in nodes for name in one.variables
        ]
        check_names(asked["precision"], paths, output.name)
    check_goal(asked, nodes, output.before, output.name)


def _of_group(stated: Any, at: str | None) -> Any:
    """What is stated of one group of a tree."""
    return stated.get(f"/{at or ''}") if isinstance(stated, Mapping) else stated


def _check_encoding(dataset: Any, group: str | None, encoding: Any, path: StrPath) -> None:
    """Refuses encodings of groups and variables that are not written."""
    stated = {} if encoding is None else checks.mapping("encoding", encoding, _ENCODINGS)
    of_nodes = {f"/{at or ''}": one for at, one in _nodes(dataset, group)}
    if not isinstance(dataset, xr.DataTree):
        of_nodes, stated = {"": next(iter(of_nodes.values()))}, {"": stated}
    for node, of_group in stated.items():
        if node not in of_nodes:
            raise InvalidArgumentError(
                f"unexpected encoding group name(s) provided: {node!r}",
                file=path,
                cure=checks.one_of(node, list(of_nodes)),
            )
        names = [str(name) for name in of_nodes[node].variables]
        for name, of_variable in checks.mapping("encoding", of_group, _ENCODINGS).items():
            if name not in names:
                raise UnknownNameError(
                    "an encoding is stated for it, and the data have no such variable",
                    file=path,
                    variable=f"{node}/{name}".replace("//", "/") if node else name,
                    cure=checks.one_of(name, names),
                )
            with named(path, name):
                # In xarray's words.
                checks.mapping("encoding", of_variable, 'castable to a dict, {"zlib": True}')


def _nodes(dataset: Any, group: str | None) -> list[tuple[str | None, xr.Dataset]]:
    """Groups and what goes into them."""
    if not isinstance(dataset, xr.Dataset | xr.DataArray | xr.DataTree):
        raise InvalidArgumentError(
            f"the data are {type(dataset).__name__}; they must be a Dataset, a DataArray or a "
            "DataTree of xarray",
            cure='for an array: xr.Dataset({"name": (("y", "x"), values)})',
        )
    if isinstance(dataset, xr.DataTree):
        base = "" if group is None else group.strip("/")
        return [
            (f"{base}/{node.path.strip('/')}".strip("/") or None, node.to_dataset(inherit=False))
            for node in dataset.subtree
        ]
    if isinstance(dataset, xr.DataArray):
        name = dataset.name
        if name is None or name in dataset.coords or name in dataset.dims:
            dataset = dataset.to_dataset(name="__xarray_dataarray_variable__")
        else:
            dataset = dataset.to_dataset()
    return [(group, dataset)]


def _dump(
    dataset: xr.Dataset,
    root: FrazilStore,
    group: str | None,
    values: _Values,
    encoding: Mapping[Any, Any],
    unlimited_dims: Any,
) -> None:
    if dataset.sizes.get(root.append_dim) == 0 and root.is_continued(group):
        # Nothing goes on.
        return
    dataset, encoding = _with_coordinates(dataset, encoding)
    store = root if group is None else root.get_child_store(group)
    store.asked = frozenset(encoding)
    dump_to_store(
        dataset,
        store,
        values,
        encoding=encoding,
        unlimited_dims=_sanitize_unlimited_dims(dataset, unlimited_dims),
    )


def _with_coordinates(
    dataset: xr.Dataset, encoding: Mapping[Any, Any]
) -> tuple[xr.Dataset, Mapping[Any, Any]]:
    """Hands ``coordinates`` on: xarray reads it where a dataset has it, not from what is stated."""
    stated = {name: one["coordinates"] for name, one in encoding.items() if "coordinates" in one}
    if not stated:
        return dataset, encoding
    dataset = dataset.copy()
    for name, text in stated.items():
        if not isinstance(text, str | None):
            cause = f"encoding coordinates is {text!r}; it must be names in a text, or None"
            raise InvalidArgumentError(cause, variable=str(name))
        dataset[name].encoding = {**dataset[name].encoding, "coordinates": text}
    others = {
        name: {key: value for key, value in one.items() if key != "coordinates"}
        for name, one in encoding.items()
    }
    # Where nothing else is stated, encodings that came with the data stay.
    return dataset, {name: one for name, one in others.items() if one}


class FrazilAccessor:
    """``ds.frazil``: what frazil does with a dataset."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def __repr__(self) -> str:
        kind = type(self._dataset).__name__
        return (
            f"<frazil for this {kind}: .to_netcdf(path) writes it, with frazil.to_netcdf's options>"
        )

    def to_netcdf(self, path: StrPath, mode: Any = "w", **options: Any) -> Delayed | None:
        """Write to a netCDF-4 file: :func:`frazil.to_netcdf` with this dataset."""
        return to_netcdf(self._dataset, path, mode, **options)


xr.register_dataset_accessor("frazil")(FrazilAccessor)
xr.register_dataarray_accessor("frazil")(FrazilAccessor)
xr.register_datatree_accessor("frazil")(FrazilAccessor)
