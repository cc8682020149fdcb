"""Dimensions that options of ``frazil.to_netcdf`` name: the data must have them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _frazil, checks
from .errors import InvalidArgumentError, UnknownNameError
from .options import StrPath, as_text

if TYPE_CHECKING:
    import xarray as xr

    from .appending import Before
    from .xarray_store import Output

# Groups and what goes into them.
Nodes = Sequence[tuple[str | None, "xr.Dataset"]]
_NAMING = ("reads", "axes", "expected")


def _dims_of(nodes: Nodes) -> set[str]:
    return {str(dim) for _, one in nodes for dim in one.dims}


def check_goal(options: Mapping[str, Any], nodes: Nodes, before: Before, path: StrPath) -> None:
    """Refuses reads, axes and expected lengths of dimensions that neither data nor file have."""
    known = _dims_of(nodes).union(*before.lengths.values())
    stated = [(key, as_text(options[key])) for key in _NAMING if options.get(key) is not None]
    try:
        _frazil.check_dimensions([one for one in stated if one[1]], sorted(known))
    except InvalidArgumentError as error:
        error.file = os.fspath(path)
        raise


def growing_in(nodes: Nodes, stated: Any, path: StrPath, *, is_tree: bool) -> dict[str | None, Any]:
    """The dimensions of each group that can grow, as ``unlimited_dims`` states it.

    Raises
    ------
    frazil.Error
        If no group has a dimension that is stated, or a group is not there.
    """
    if is_tree and isinstance(stated, Mapping):
        groups = {f"/{at or ''}": [(at, one)] for at, one in nodes}
        for group, names in stated.items():
            if group not in groups:
                raise UnknownNameError(
                    f"unlimited_dims names the group {group!r}, and the data have no such group",
                    file=path,
                    cure=checks.one_of(str(group), list(groups)),
                )
            _check_growing(names, groups[group], path)
        return {at: stated.get(f"/{at or ''}") for at, _ in nodes}
    _check_growing(stated, nodes, path)
    if not is_tree or stated is None:
        return {at: stated for at, _ in nodes}
    return {at: [name for name in _names(stated) if name in one.dims] for at, one in nodes}


def _check_growing(stated: Any, nodes: Nodes, path: StrPath) -> None:
    known = _dims_of(nodes)
    for name in _names(stated):
        if str(name) not in known:
            raise InvalidArgumentError(
                # In xarray's words.
                f"Unlimited dimension(s) {name!r} declared in 'unlimited_dims-kwarg', but not part "
                "of current dataset dimensions",
                file=path,
                cure=checks.one_of(str(name), sorted(known)),
            )


def _names(stated: Any) -> list[Any]:
    if stated is None or isinstance(stated, str):
        return [] if stated is None else [stated]
    if not isinstance(stated, Iterable):
        raise checks.refuse("unlimited_dims", stated, "names of dimensions")
    return list(stated)


def doubtful_lengths(
    options: Mapping[str, Any], nodes: Nodes, output: Output, append_dim: str | None
) -> Iterator[str]:
    """What a user should know of expected lengths, once the dimensions are defined."""
    text = as_text(options["expected"]) if options.get("expected") is not None else ""
    unlimited = output.writer._known.unlimited()
    for stated in filter(None, text.split(",")):
        name, _, length = (part.strip() for part in stated.partition("="))
        if name not in unlimited:
            yield f"expected={stated} has no effect: dimension {name!r} cannot grow"
            continue
        longest = max((one.sizes.get(name, 0) for _, one in nodes), default=0)
        if name == append_dim:
            longest += max((of.get(name, 0) for of in output.before.lengths.values()), default=0)
        if longest > int(length):
            yield f"expected={stated} is too short: dimension {name!r} gets {longest} elements"
