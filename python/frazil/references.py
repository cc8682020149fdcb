"""References: where the chunks of a file lie, for readers of Zarr.

The format is kerchunk's, version 1: fsspec's ``reference`` file system, xarray's engine
``kerchunk`` and VirtualiZarr read it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import _frazil
from .errors import AlreadyExistsError
from .options import StrPath

# Chunks of fewer stored bytes are put into the references, as kerchunk does it.
INLINE_THRESHOLD = 500
# Values that are not in chunks are cut into pieces of so many bytes at most.
SPLIT_BYTES = 16 << 20
# References of one Parquet file.
_RECORD = 10_000


def refs(
    path: StrPath,
    *,
    url: str | None = None,
    inline_threshold: int = INLINE_THRESHOLD,
    split: int = SPLIT_BYTES,
) -> dict[str, Any]:
    """Make references to the chunks of a file, as kerchunk does: ``{"version": 1, "refs": {...}}``.

    Variables that readers of Zarr cannot read are left out, each with a warning that gives the
    reason.

    Parameters
    ----------
    path : path
        A netCDF-4, HDF5 or classic netCDF file.
    url : str, optional
        URL under which readers will find the file; by default its present place.
    inline_threshold : int
        Copy chunks of fewer stored bytes into the references.
    split : int
        Cut contiguous values into pieces of at most this many bytes; 0: do not cut.
    """
    references, left_out = _frazil.references(path, url, inline_threshold, split)
    for one in json.loads(left_out):
        cure = f"; {one['cure']}" if one["cure"] else ""
        warnings.warn(f"{one['path']} is left out: {one['cause']}{cure}", stacklevel=2)
    return references


def write_refs(references: Mapping[str, Any], output: StrPath, *, overwrite: bool = False) -> None:
    """Write references to a file of JSON, or to a folder named ``*.parquet`` or ``*.parq``.

    The folder is kerchunk's layout of Parquet files, and needs ``pyarrow`` or ``fastparquet``. It
    appears complete, or not at all.

    Parameters
    ----------
    references : dict
        The result of :func:`refs`.
    output : path
        The new file or folder.
    overwrite : bool
        Replace an existing file or folder.
    """
    output = Path(output)
    if output.exists() and not overwrite:
        raise AlreadyExistsError("exists already", file=os.fspath(output), cure="overwrite=True")
    folder = Path(tempfile.mkdtemp(prefix=".frazil-", dir=output.parent))
    try:
        if output.suffix in (".parquet", ".parq"):
            made = folder / "refs"
            made.mkdir()
            _write_parquet(references["refs"], made)
            if output.is_dir():
                output.rename(folder / "old")
        else:
            made = folder / "refs.json"
            made.write_text(json.dumps(references))
        made.replace(output)
    finally:
        shutil.rmtree(folder)


def _fields(references: Mapping[str, Any]) -> Iterator[tuple[str, list[int], dict[str, Any]]]:
    """Each array with its numbers of chunks along each axis, and its chunks by their keys."""
    chunks: dict[str, dict[str, Any]] = {}
    for key, value in references.items():
        field, _, name = key.rpartition("/")
        if not name.startswith(".z"):
            chunks.setdefault(field, {})[name] = value
    for field, named in chunks.items():
        array = json.loads(references[f"{field}/.zarray"])
        extents = zip(array["shape"], array["chunks"], strict=True)
        yield field, [-(-length // chunk) for length, chunk in extents], named


def _write_parquet(references: Mapping[str, Any], folder: Path) -> None:
    metadata = {
        key: json.loads(value)
        for key, value in references.items()
        if key.rpartition("/")[2].startswith(".z")
    }
    for field, counts, named in _fields(references):
        numbered: dict[int, dict[int, Any]] = {}
        for key, value in named.items():
            number = 0
            for index, count in zip(key.split("."), counts or [1], strict=True):
                number = number * count + int(index)
            numbered.setdefault(number // _RECORD, {})[number % _RECORD] = value
        (folder / field).mkdir(parents=True)
        for record, rows in numbered.items():
            _write_record(rows, folder / field / f"refs.{record}.parq")
    described = {"metadata": metadata, "record_size": _RECORD}
    (folder / ".zmetadata").write_text(json.dumps(described))


def _write_record(rows: Mapping[int, Any], path: Path) -> None:
    import base64

    paths: list[str | None] = [None] * _RECORD
    raws: list[bytes | None] = [None] * _RECORD
    offsets, sizes = [0] * _RECORD, [0] * _RECORD
    for row, value in rows.items():
        if isinstance(value, str):
            raws[row] = base64.b64decode(value.removeprefix("base64:"))
        else:
            paths[row], offsets[row], sizes[row] = value
    columns = {"path": paths, "offset": offsets, "size": sizes, "raw": raws}
    if find_spec("pyarrow") is not None:
        _by_pyarrow(columns, path)
    elif find_spec("fastparquet") is not None:
        _by_fastparquet(columns, path)
    else:
        raise ImportError("Parquet needs pyarrow or fastparquet: pip install pyarrow")


def _by_pyarrow(columns: Mapping[str, list[Any]], path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    kinds = {"path": pyarrow.string(), "raw": pyarrow.binary()}
    arrays = {
        name: pyarrow.array(values, kinds.get(name, pyarrow.int64()))
        for name, values in columns.items()
    }
    arrays["path"] = arrays["path"].dictionary_encode()
    pyarrow.parquet.write_table(pyarrow.table(arrays), path, compression="zstd")


def _by_fastparquet(columns: Mapping[str, list[Any]], path: Path) -> None:
    import fastparquet
    import pandas

    frame = pandas.DataFrame({name: pandas.Series(values) for name, values in columns.items()})
    for name in ("path", "raw"):
        frame[name] = pandas.Series(columns[name], dtype=object)
    fastparquet.write(
        os.fspath(path),
        frame,
        compression="ZSTD",
        write_index=False,
        stats=False,
        object_encoding={"path": "utf8", "raw": "bytes"},
        has_nulls=["path", "raw"],
    )
