"""What a file holds, as far as random calls need it."""

from dataclasses import dataclass, field


@dataclass
class Variable:
    name: bytes
    kind: int
    dims: list[int]
    # Elements that were never written are undefined.
    is_unsure: bool = False
    # netCDF-C rounds what it reads, too, and writes beyond memory of another type; frazil rounds
    # when it packs.
    is_rounded: bool = False
    # It has the name of a dimension, and another one in the file, which netCDF-C forgets at times.
    is_secret: bool = False
    is_deflated: bool = False

    @property
    def is_undefined(self) -> bool:
        """Whether what is read says nothing."""
        return self.is_unsure or self.is_rounded


@dataclass
class Known:
    """What a file holds, as far as calls need it."""

    # By number: length, or 0 of unlimited ones; group; name.
    dims: dict[int, tuple[int, int, bytes]] = field(default_factory=dict)
    variables: dict[int, list[Variable]] = field(default_factory=lambda: {0: []})
    parents: dict[int, int | None] = field(default_factory=lambda: {0: None})
