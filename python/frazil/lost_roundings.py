"""Statements of an earlier rounding that a dataset does not bear out any more.

xarray keeps a variable's attributes through arithmetic, and a subset drops the variable that
describes the rounding. A bound without that description may be false, and its reference dangles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import xarray as xr

from .stated_dimensions import Nodes

_REFERENCE = "quantization"
_STATEMENTS = "quantization_"


def without_lost_roundings(nodes: Nodes, in_file: Collection[str]) -> tuple[Nodes, list[str]]:
    """Leaves out what states a rounding whose container variable is not there.

    Parameters
    ----------
    nodes : list
        Groups and what goes into them. They do not change.
    in_file : collection of str
        Paths of the variables that the file has already.

    Returns
    -------
    nodes : list
        Those to write.
    notices : list of str
        At most one, about all such variables.
    """
    there = {_path(at, str(name)) for at, one in nodes for name in one.variables}
    there.update(in_file)
    written, lost, containers = [], [], set()
    for at, one in nodes:
        names = [name for name, var in one.variables.items() if _is_lost(var.attrs, at, there)]
        for name in names:
            lost.append(_path(at, str(name)) if at else str(name))
            containers.add(one.variables[name].attrs[_REFERENCE])
        written.append((at, _without_statements(one, names) if names else one))
    if not lost:
        return nodes, []
    listed = ", ".join(repr(one) for one in sorted(containers))
    notice = (
        f"attributes that state an earlier rounding were left out of {', '.join(lost)}: its "
        f"container {listed} is not in the dataset, so nobody knows whether the values are those "
        "that were rounded; where they are unchanged, keep the container variable in the dataset"
    )
    return written, [notice]


def _is_lost(attrs: Mapping[Any, Any], at: str | None, there: set[str]) -> bool:
    """Whether attributes state a rounding that nothing in the dataset describes."""
    container = attrs.get(_REFERENCE)
    if not isinstance(container, str) or not any(str(key).startswith(_STATEMENTS) for key in attrs):
        # Others use the word for other things.
        return False
    return not any(path in there for path in _places(container.strip(), at))


def _places(container: str, at: str | None) -> Iterator[str]:
    """Where a container may be: at its path, or in the variable's group and those above."""
    if container.startswith("/"):
        yield container
        return
    groups = [part for part in (at or "").split("/") if part]
    for count in range(len(groups), -1, -1):
        yield _path("/".join(groups[:count]), container)


def _path(at: str | None, name: str) -> str:
    at = (at or "").strip("/")
    return f"/{at}/{name}" if at else f"/{name}"


def _without_statements(dataset: xr.Dataset, names: list[Any]) -> xr.Dataset:
    dataset = dataset.copy()
    for name in names:
        attrs = dataset[name].attrs
        dataset[name].attrs = {
            key: value
            for key, value in attrs.items()
            if key != _REFERENCE and not str(key).startswith(_STATEMENTS)
        }
    return dataset
