"""Dimensions that groups have from those above."""

from __future__ import annotations

from collections.abc import Iterator

from .file import Group


def parts(path: str | None) -> tuple[str, ...]:
    """The names in the path of a group; none for the root."""
    return tuple(filter(None, (path or "").split("/")))


def owner(root: Group, group: str | None, dim: str) -> Group | None:
    """The group that defines a dimension as another one, or one that is not there yet, sees it."""
    at, found = root, root if dim in root.dims else None
    for name in parts(group):
        if name not in at.groups:
            break
        at = at.groups[name]
        found = at if dim in at.dims else found
    return found


def sharing(definer: Group, dim: str) -> Iterator[Group]:
    """The group itself, and those below that define no other dimension of the name."""
    yield definer
    for below in definer.groups.values():
        if dim not in below.dims:
            yield from sharing(below, dim)
