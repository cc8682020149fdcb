"""How a variable of a writer is to be stored, as its keywords say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import checks
from .asked_filters import filters_of, is_filtered
from .errors import InvalidArgumentError
from .fills import fill_bytes
from .options import precision_request
from .types import whole_count


def settings_of(
    number: int,
    fill: np.ndarray | None,
    *,
    no_fill: bool,
    endian: str,
    chunks: Sequence[int] | None,
    contiguous: bool,
    compression: str | None,
    level: int | None,
    shuffle: bool,
    checksum: bool,
    precision: Mapping[str, Any] | None,
    netcdf_statement: bool,
) -> dict[str, Any]:
    """The settings of a variable of netCDF's type ``number``, in the compiled writer's words.

    Raises
    ------
    InvalidArgumentError, UnsupportedError
        Without file and variable: the caller knows them.
    """
    flags = {
        "no_fill": no_fill,
        "contiguous": contiguous,
        "shuffle": shuffle,
        "checksum": checksum,
        "netcdf_statement": netcdf_statement,
    }
    stated = {key: checks.flag(key, value) for key, value in flags.items()}
    if chunks is not None:
        chunks = _chunk(chunks)
    if level is not None:
        level = whole_count(level, "the level")
    if stated["contiguous"] and (chunks is not None or is_filtered(compression, level, checksum)):
        raise InvalidArgumentError("a contiguous variable has neither chunks nor filters")
    if stated["no_fill"] and fill is not None:
        raise InvalidArgumentError("no_fill and a fill value contradict each other")
    shuffle, checksum = stated.pop("shuffle"), stated.pop("checksum")
    return {
        **stated,
        "fill": fill_bytes(fill),
        "big_endian": _is_big(endian),
        "chunk": chunks,
        "filters": filters_of(number, compression, level, shuffle, checksum),
        "precision": None if precision is None else precision_request("precision", precision),
    }


def _chunk(chunks: Any) -> list[int]:
    if not isinstance(chunks, Sequence | np.ndarray) or isinstance(chunks, str | bytes):
        raise checks.refuse("chunks", chunks, "a length for each dimension, [24, 100]")
    return [whole_count(n, "an edge of chunks") for n in chunks]


def _is_big(endian: str) -> bool:
    if endian not in ("native", "little", "big"):
        raise checks.refuse("endian", endian, "'native', 'little' or 'big'")
    return endian == "big" or (endian == "native" and not np.little_endian)
