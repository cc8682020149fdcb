"""Variables of a file that grow, and for which the values added bring nothing.

They grow with their dimension, and hold fill values there. Readers must see that these are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from .errors import InvalidArgumentError
from .file import open as open_file
from .inherited import owner, parts, sharing
from .options import StrPath
from .stated_dimensions import Nodes


def missing_ones(
    given: xr.Dataset,
    existing: xr.Dataset,
    append_dim: str,
    file: StrPath,
    *,
    group: str | None = None,
) -> Iterator[str]:
    """Tells of variables that get fill values.

    Parameters
    ----------
    given, existing : Dataset
        What is added, and what the file has.
    append_dim : str
        The dimension along which values are added.
    file : path
        What errors name.
    group : str, optional
        The path of another group, ``/model``, if nothing is added to ``existing`` itself.

    Raises
    ------
    InvalidArgumentError
        If readers would take these fill values for values.
    """
    if not given.sizes.get(append_dim):
        return
    left_out = {
        str(name) if group is None else f"{group.rstrip('/')}/{name}": one
        for name, one in existing.variables.items()
        if append_dim in one.dims and (group is not None or name not in given.variables)
    }
    hidden = [name for name, one in left_out.items() if not _shows_missing(one)]
    if hidden:
        raise InvalidArgumentError(
            f"the values added leave out {', '.join(hidden)}, which would get fill values along "
            f"{append_dim!r}; readers would take these for values",
            file=file,
            variable=hidden[0],
            cure="give them values, or write these data to a file of their own",
        )
    if left_out:
        yield f"left out, with fill values where the others go on: {', '.join(left_out)}"


def missing_in_groups(nodes: Nodes, append_dim: str | None, file: StrPath) -> Iterator[str]:
    """Tells of variables of groups to which nothing is added, and whose dimension is the one that
    grows: a group has the dimensions of those above.

    Raises
    ------
    InvalidArgumentError
        As :func:`missing_ones`.
    """
    if append_dim is None or not Path(file).exists():
        return
    given = {parts(at): one for at, one in nodes}
    others: dict[str, xr.Dataset] = {}
    with open_file(file) as opened:
        for at, one in nodes:
            definer = owner(opened, at, append_dim)
            if definer is None or not one.sizes.get(append_dim):
                continue
            for group in sharing(definer, append_dim):
                if parts(group.path) not in given:
                    others[group.path] = one
    for path, one in others.items():
        with xr.open_dataset(file, engine="frazil", group=path) as existing:
            yield from missing_ones(one, existing, append_dim, file, group=path)


def _shows_missing(variable: xr.Variable) -> bool:
    """Whether readers tell fill values from values."""
    stored: Any = variable.encoding.get("dtype", variable.dtype)
    if variable.dtype == bool or str(stored) in ("bool", "<class 'bool'>"):
        return False
    if "_FillValue" in {*variable.attrs, *variable.encoding}:
        return True
    is_time = variable.dtype.kind in "mM" or "calendar" in variable.encoding
    return not is_time and (stored is str or np.dtype(stored).kind not in "iuf")
