"""What a file that is being written has: groups, dimensions, variables.

The compiled writer tells it as JSON, which is as long as the file has definitions. It is asked
once; what is defined and put later is kept here, so that each call costs the same however many
there were.
"""

from __future__ import annotations

import json
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import _frazil

_T = TypeVar("_T")


@dataclass
class Dimension:
    """A dimension; an unlimited one grows as values are put."""

    number: int
    name: str
    is_unlimited: bool
    length: int


@dataclass
class Definition:
    """A variable.

    Attributes
    ----------
    fill : scalar or None
        What masked values become; ``None``: the file says.
    no_fill : bool
        There is no such value.
    is_old : bool
        The file had it before it was opened, and nobody looked yet whether rounding is asked for.
    """

    number: int
    name: str
    group: int
    type: int
    axes: tuple[Dimension, ...]
    fill: Any = None
    no_fill: bool = False
    is_old: bool = False


@dataclass
class _Group:
    name: str
    parent: int | None
    groups: dict[str, int] = field(default_factory=dict)
    dimensions: dict[str, Dimension] = field(default_factory=dict)
    variables: dict[str, Definition] = field(default_factory=dict)


class Definitions:
    """The groups, dimensions and variables of a compiled writer's file, by name."""

    def __init__(self, writer: _frazil.Writer) -> None:
        self._writer = writer
        self._groups: dict[int, _Group] = {}
        self._dimensions: dict[int, Dimension] = {}
        # Of the lengths of dimensions: any thread may put values.
        self._lock = threading.Lock()
        self._are_lengths_known = True
        schema = self._schema()
        for number, group in enumerate(schema["groups"]):
            self._enter_group(number, group["parent"], group["name"])
        for number, one in enumerate(schema["dimensions"]):
            self._enter_dimension(number, one["group"], one["name"], one["is_unlimited"])
            self._dimensions[number].length = one["length"]
        for number, one in enumerate(schema["variables"]):
            axes = [self._dimensions[axis] for axis in one["dimensions"]]
            variable = self._enter_variable(number, one["group"], one["name"], one["type"], axes)
            variable.is_old = True

    def _schema(self) -> dict[str, Any]:
        return json.loads(self._writer.schema())

    # --- what is there ---

    def group(self, path: str) -> int | None:
        """The number of a group; ``None``: there is none."""
        at: int | None = 0
        for name in path.strip("/").split("/"):
            if name and at is not None:
                at = _sought(self._groups[at].groups, name)
        return at

    def dimension(self, group: int, name: str) -> Dimension | None:
        """A dimension of a group, or of the nearest group above that has one of this name."""
        found = (_sought(self._groups[at].dimensions, name) for at in self._upwards(group))
        return next((one for one in found if one is not None), None)

    def dimensions(self, group: int, *, inherited: bool) -> dict[str, int]:
        """Lengths by name of a group's dimensions, and of those above."""
        self._know_lengths()
        lengths: dict[str, int] = {}
        for at in self._upwards(group) if inherited else [group]:
            for name, one in list(self._groups[at].dimensions.items()):
                lengths.setdefault(name, one.length)
        return lengths

    def unlimited(self) -> set[str]:
        """Names of the dimensions that grow, in any group."""
        return {one.name for one in list(self._dimensions.values()) if one.is_unlimited}

    def variable(self, group: int, name: str) -> Definition | None:
        """A variable of a group."""
        return _sought(self._groups[group].variables, name)

    def path(self, variable: Definition) -> str:
        """The path of a variable."""
        groups = [self._groups[at].name for at in self._upwards(variable.group)]
        # The root group is the last.
        return "/".join(["", *reversed(groups[:-1]), variable.name])

    def all_variables(self) -> list[Definition]:
        """The variables of all groups."""
        return [one for group in list(self._groups.values()) for one in group.variables.values()]

    def variables(self, group: int) -> list[Definition]:
        """All variables of a group."""
        return list(self._groups[group].variables.values())

    def shape(self, variable: Definition) -> tuple[int, ...]:
        """Elements of a variable along each axis as of the last put."""
        self._know_lengths()
        return tuple(axis.length for axis in variable.axes)

    def _upwards(self, group: int) -> Iterator[int]:
        at: int | None = group
        while at is not None:
            yield at
            at = self._groups[at].parent

    # --- what comes ---

    def add_group(self, parent: int, name: str) -> int:
        """Defines a group in another one; its number."""
        number = self._writer.add_group(parent, name)
        self._enter_group(number, parent, _written(name))
        return number

    def add_dimension(
        self, group: int, name: str, length: int | None, *, is_unlimited: bool
    ) -> None:
        """Defines a dimension of a group; ``length`` of an unlimited one: as expected."""
        number = self._writer.add_dimension(group, name, length, is_unlimited)
        self._enter_dimension(number, group, _written(name), is_unlimited)
        if length is not None and not is_unlimited:
            self._dimensions[number].length = length

    def add_variable(
        self, group: int, name: str, type_number: int, axes: Sequence[Dimension], settings: str
    ) -> Definition:
        """Defines a variable of a group."""
        ids = [axis.number for axis in axes]
        number = self._writer.add_variable(group, name, type_number, ids, settings)
        return self._enter_variable(number, group, _written(name), type_number, axes)

    def _enter_group(self, number: int, parent: int | None, name: str) -> None:
        self._groups[number] = _Group(name, parent)
        if parent is not None:
            self._groups[parent].groups[name] = number

    def _enter_dimension(self, number: int, group: int, name: str, is_unlimited: bool) -> None:
        self._dimensions[number] = Dimension(number, name, is_unlimited, 0)
        self._groups[group].dimensions[name] = self._dimensions[number]

    def _enter_variable(
        self, number: int, group: int, name: str, type_number: int, axes: Sequence[Dimension]
    ) -> Definition:
        variable = Definition(number, name, group, type_number, tuple(axes))
        self._groups[group].variables[name] = variable
        return variable

    # --- lengths ---

    def grow(
        self,
        variable: Definition,
        start: Sequence[int],
        count: Sequence[int],
        stride: Sequence[int] | None,
    ) -> None:
        """Notes that values were put: unlimited dimensions are as long as was written."""
        if not any(axis.is_unlimited for axis in variable.axes) or 0 in count:
            return
        steps = stride or [1] * len(count)
        with self._lock:
            for axis, first, n, step in zip(variable.axes, start, count, steps, strict=True):
                if axis.is_unlimited:
                    axis.length = max(axis.length, first + (n - 1) * step + 1)

    def forget_lengths(self) -> None:
        """Notes that values came in another way, or that nobody knows how far they came."""
        self._are_lengths_known = False

    def _know_lengths(self) -> None:
        if self._are_lengths_known:
            return
        # Before: what comes meanwhile is asked for the next time.
        self._are_lengths_known = True
        try:
            dimensions = self._schema()["dimensions"]
        except BaseException:
            self._are_lengths_known = False
            raise
        with self._lock:
            for number, one in list(self._dimensions.items()):
                one.length = max(one.length, dimensions[number]["length"])


def _written(name: str) -> str:
    """A name in the form in which netCDF writes it."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _sought(table: dict[str, _T], name: str) -> _T | None:
    """What has a name, as it is given or in the form in which names are written."""
    found = table.get(name)
    return table.get(_written(name)) if found is None else found
