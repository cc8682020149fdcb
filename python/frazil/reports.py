"""Reports as plain objects, which show themselves as tables and pictures."""

from __future__ import annotations

import dataclasses
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from . import _frazil, checks
from .errors import InvalidArgumentError, UnknownNameError, plain
from .pictures import (
    bytes_text,
    chunk_grid_svg,
    escape,
    folded,
    html_table,
    largest_first,
    text_table,
)
from .spellings import in_python


def _numbers(values: Sequence[int] | None) -> str:
    return "-" if values is None else " x ".join(str(n) for n in values) or "scalar"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _html(title: str, lines: Sequence[str], table: str, notices: Sequence[str]) -> str:
    parts = [f"<div><b>{escape(title)}</b>"]
    parts += [f"<div>{escape(line)}</div>" for line in lines]
    parts.append(table)
    if notices:
        items = "".join(f"<li>{escape(notice)}</li>" for notice in notices)
        parts.append(f"<ul>{items}</ul>")
    return "".join(parts) + "</div>"


class _Report:
    """What all reports share: made of plain data, turned back into plain data."""

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Self:
        names = {one.name for one in dataclasses.fields(cls)}  # type: ignore[arg-type]
        known = {key: value for key, value in data.items() if key in names}
        if "notices" in known:
            known["notices"] = [in_python(notice) for notice in known["notices"]]
        return cls(**known)

    def to_dict(self) -> dict[str, Any]:
        """The report as nested dictionaries and lists."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]


class _Table(_Report, ABC):
    """A report with a title, a few lines, a table and notices."""

    def _notices(self) -> Sequence[str]:
        return getattr(self, "notices", ())

    @abstractmethod
    def _title(self) -> str: ...

    def _lines(self) -> list[str]:
        return []

    @abstractmethod
    def _header(self) -> list[str]: ...

    @abstractmethod
    def _rows(self) -> list[list[str]]: ...

    def _pictures(self) -> list[str] | None:
        """One picture for each row."""
        return None

    def _sizes(self) -> list[int] | None:
        """Bytes for each row, by which notebooks order them."""
        return None

    def __repr__(self) -> str:
        head = [f"<frazil.{type(self).__name__}> {self._title()}", *self._lines()]
        head = [plain(line) for line in head]
        rows = self._rows()
        table = [text_table(self._header(), rows)] if rows else []
        return "\n".join([*head, *table, *(f"note: {plain(notice)}" for notice in self._notices())])

    def _repr_html_(self) -> str:
        header, rows = self._header(), self._rows()
        pictures = self._pictures()
        raw = None
        if pictures is not None:
            raw = len(header)
            header = [*header, "chunk grid"]
            rows = [[*row, picture] for row, picture in zip(rows, pictures, strict=True)]
        table = folded(header, largest_first(rows, self._sizes()), raw)
        return _html(self._title(), self._lines(), table, self._notices())


@dataclass(repr=False)
class VariableInfo(_Report):
    """One variable as it lies in a file."""

    path: str
    element: str
    dimensions: list[str]
    shape: list[int]
    unlimited: list[bool]
    layout: str
    chunk: list[int] | None
    chunk_count: int | None
    filters: str
    raw_bytes: int
    stored_bytes: int
    fill_fraction: float | None = None
    missing_filters: list[tuple[int, str]] = field(default_factory=list)
    readable_by: str | None = None
    precision: dict[str, Any] | None = None

    @property
    def ratio(self) -> float:
        """Raw bytes by stored bytes; 1 where nothing is stored."""
        return self.raw_bytes / self.stored_bytes if self.stored_bytes else 1.0

    def __repr__(self) -> str:
        return plain(
            f"<frazil.VariableInfo {self.path} {self.element} {_numbers(self.shape)}, "
            f"chunks {_numbers(self.chunk)}, {self.filters}, {bytes_text(self.stored_bytes)}>"
        )

    def _repr_html_(self) -> str:
        rows = [
            ["type", self.element],
            ["shape", _numbers(self.shape)],
            ["chunks", _numbers(self.chunk)],
            ["filters", self.filters],
            ["stored", f"{bytes_text(self.stored_bytes)} ({self.ratio:.2f} times smaller)"],
        ]
        picture = chunk_grid_svg(self.shape, self.chunk, self.dimensions)
        return f"{_html(self.path, [], html_table(['', ''], rows), [])}{picture}"


class _ByPath:
    """Variables by path; the leading slash may be left out."""

    variables: list[Any]

    def __getitem__(self, path: str) -> Any:
        for variable in self.variables:
            if variable.path == path or variable.path == f"/{path}":
                return variable
        raise UnknownNameError(
            "the report has no such variable",
            variable=path,
            cure=checks.one_of(path, [variable.path for variable in self.variables]),
        )

    def __iter__(self) -> Iterator[str]:
        return iter(variable.path for variable in self.variables)

    def __len__(self) -> int:
        return len(self.variables)


@dataclass(repr=False)
class FileInfo(_ByPath, _Table):
    """A file at a glance; ``info[path]`` is one variable of it."""

    path: Path
    format: str
    file_bytes: int
    superblock: int | None
    variables: list[VariableInfo]
    readable_by: str
    notices: list[str]
    cloud: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.path = Path(self.path)
        self.variables = [VariableInfo._of(one) for one in self.variables]  # type: ignore[arg-type]

    def _title(self) -> str:
        return f"{self.path}: {self.format}, {bytes_text(self.file_bytes)}"

    def _lines(self) -> list[str]:
        return [self.readable_by]

    def _header(self) -> list[str]:
        return ["variable", "type", "shape", "chunks", "filters", "raw", "stored", "ratio"]

    def _rows(self) -> list[list[str]]:
        return [
            [
                one.path,
                one.element,
                _numbers(one.shape),
                _numbers(one.chunk) if one.chunk else one.layout,
                one.filters,
                bytes_text(one.raw_bytes),
                bytes_text(one.stored_bytes),
                f"{one.ratio:.2f}",
            ]
            for one in self.variables
        ]

    def _pictures(self) -> list[str]:
        return [chunk_grid_svg(one.shape, one.chunk, one.dimensions) for one in self.variables]

    def _sizes(self) -> list[int]:
        return [one.raw_bytes for one in self.variables]


@dataclass(repr=False)
class VariableReport(_Report):
    """One variable of a packed or planned file."""

    path: str
    element: str
    shape: list[int]
    chunk: list[int] | None
    filters: str
    raw_bytes: int
    input_bytes: int
    stored_bytes: int
    reason: str
    precision: dict[str, Any] | None = None
    joules: float = 0.0
    #: Its chunks are those of the input, byte by byte.
    kept: bool = False

    def __repr__(self) -> str:
        return plain(
            f"<frazil.VariableReport {self.path}: {bytes_text(self.input_bytes)} to "
            f"{bytes_text(self.stored_bytes)}, {self.filters}: {self.reason}>"
        )


@dataclass(repr=False)
class PackReport(_ByPath, _Table):
    """The result of packing or unpacking one file; ``report[path]`` is one variable of it."""

    input: Path
    output: Path | None
    variables: list[VariableReport]
    input_file_bytes: int
    output_file_bytes: int
    raw_bytes: int
    seconds: float
    cpu_seconds: float
    #: Of choosing chunk shapes, filters and precision; part of the above, but in a dry run.
    planning_seconds: float
    planning_cpu_seconds: float
    threads: int
    memory_bytes: int
    verified: bool
    dry_run: bool
    precision: list[dict[str, Any]]
    notices: list[str]
    #: Joules, kilowatt-hours, CO2, whether measured (``"rapl"``) or by a ``"model"``, and what a
    #: year of storage saves: docs/energy.md.
    energy: dict[str, Any] = field(default_factory=dict)
    #: The output is the input as it was, since packing would not make it smaller.
    kept_input: bool = False
    #: Of ``raw_bytes`` those that were ever written; the others take no time.
    written_bytes: int = 0
    #: In a dry run: what nine of ten predictions come to lie within, ``file_bytes`` and
    #: ``seconds``, each from the least to the most.
    range: dict[str, list[float]] | None = None

    def __post_init__(self) -> None:
        self.input = Path(self.input)
        self.output = None if self.output is None else Path(self.output)
        self.variables = [VariableReport._of(one) for one in self.variables]  # type: ignore[arg-type]

    @property
    def saved_bytes(self) -> int:
        """How much smaller the output is than the input."""
        return self.input_file_bytes - self.output_file_bytes

    def _title(self) -> str:
        target = self.output if self.output is not None else "(dry run)"
        return f"{self.input} to {target}"

    def _lines(self) -> list[str]:
        sizes = f"{bytes_text(self.input_file_bytes)} to {bytes_text(self.output_file_bytes)}"
        proof = ", verified" if self.verified else ""
        if self.kept_input:
            sizes = f"{bytes_text(self.input_file_bytes)}, kept as it is"
        return [f"{sizes} in {self.seconds:.2f} s with {self.threads} threads{proof}"]

    def _header(self) -> list[str]:
        return ["variable", "type", "shape", "chunks", "filters", "before", "after", "why"]

    def _rows(self) -> list[list[str]]:
        return [
            [
                one.path,
                one.element,
                _numbers(one.shape),
                _numbers(one.chunk),
                one.filters,
                bytes_text(one.input_bytes),
                bytes_text(one.stored_bytes),
                one.reason,
            ]
            for one in self.variables
        ]

    def _pictures(self) -> list[str]:
        return [chunk_grid_svg(one.shape, one.chunk) for one in self.variables]

    def _sizes(self) -> list[int]:
        return [one.raw_bytes for one in self.variables]


@dataclass(repr=False)
class WritePlan(_Table):
    """The plan for each variable, which you can look at, store and use again.

    ``frazil.to_netcdf(..., plan=plan)`` and :class:`frazil.Writer` take it.
    """

    variables: list[dict[str, Any]]
    #: What you should know before you pack so; no part of the plan that is stored.
    notices: list[str] = field(default_factory=list, compare=False)
    #: The layout of the whole file, such as "cmip7"; None: no special one.
    layout: str | None = None

    def _title(self) -> str:
        return f"{len(self.variables)} variables"

    def _header(self) -> list[str]:
        return ["variable", "layout", "filters", "rounding", "predicted", "why"]

    def _rows(self) -> list[list[str]]:
        return [
            [
                one["path"],
                _numbers(one["layout"]["chunk"]) if "chunk" in one["layout"] else "contiguous",
                "+".join(_filter_name(spec) for spec in one["pipeline"]) or "none",
                one["quantize"]["rounding"]["algorithm"] if one.get("quantize") else "none",
                "-" if one.get("predicted_bytes") is None else bytes_text(one["predicted_bytes"]),
                one.get("reason", ""),
            ]
            for one in self.variables
        ]

    def _sizes(self) -> list[int]:
        return [one.get("predicted_bytes") or 0 for one in self.variables]

    def to_json(self) -> str:
        """The plan as JSON text."""
        return json.dumps(self._stored(), indent=1)

    def _stored(self) -> dict[str, Any]:
        layout = {} if self.layout is None else {"layout": self.layout}
        return {**layout, "variables": self.variables}

    @classmethod
    def from_json(cls, text: str) -> WritePlan:
        """A plan from :meth:`to_json`, or from ``frazil plan --json``."""
        try:
            stored = json.loads(text)
            return cls(variables=stored["variables"], layout=stored.get("layout"))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidArgumentError(
                f"this is not a plan in JSON: {error!r}", cure="make one: frazil plan --json FILE"
            ) from None


def _filter_name(spec: Mapping[str, Any]) -> str:
    name = _frazil.filter_name(spec["id"]) or spec.get("name") or f"filter {spec['id']}"
    level = f"({spec['cd_values'][0]})" if spec["id"] in (1, 32015) and spec["cd_values"] else ""
    return name + level


@dataclass(repr=False)
class VerifyReport(_Table):
    """The result of comparing two files; true if they hold the same."""

    a: Path
    b: Path
    objects: int
    attributes: int
    values: int
    value_bytes: int
    differences: list[dict[str, str]]
    difference_count: int
    precision: list[dict[str, Any]]
    notices: list[str]
    seconds: float

    def __post_init__(self) -> None:
        self.a, self.b = Path(self.a), Path(self.b)

    @property
    def is_equal(self) -> bool:
        """Whether the files are equal, except for rounded values within their bounds."""
        return self.difference_count == 0 and all(one["passed"] for one in self.precision)

    def __bool__(self) -> bool:
        return self.is_equal

    def _title(self) -> str:
        return f"{self.a} and {self.b}: {self._verdict()}"

    def _verdict(self) -> str:
        """In the words of ``frazil verify``."""
        rounded = len(self.precision)
        failed = sum(not one["passed"] for one in self.precision)
        if self.difference_count:
            return f"different: {_count(self.difference_count, 'difference')}"
        if failed:
            return f"failed: {failed} of {rounded} rounded variables"
        if rounded:
            bounds = _count(rounded, "variable")
            return f"equal, except for rounding within the stated bounds of {bounds}"
        return "equal"

    def _lines(self) -> list[str]:
        return [
            f"{self.objects} objects, {self.attributes} attributes, {self.values} values "
            f"({bytes_text(self.value_bytes)}) in {self.seconds:.2f} s, "
            f"{self.difference_count} differences"
        ]

    def _header(self) -> list[str]:
        return ["object", "finding"]

    def _rows(self) -> list[list[str]]:
        rows = [[one["path"], one["what"]] for one in self.differences]
        for one in self.precision:
            verdict = "kept" if one["passed"] else "; ".join(one["failures"])
            rows.append(
                [one["path"], f"rounded, largest error {one['max_absolute_error']}: {verdict}"]
            )
        return rows


@dataclass(repr=False)
class AnalyzeReport(_Table):
    """The information in the bits of a file's variables."""

    path: Path
    variables: list[dict[str, Any]]
    notices: list[str]
    seconds: float

    def __post_init__(self) -> None:
        self.path = Path(self.path)

    def _title(self) -> str:
        return f"{self.path}: information in bits, {self.seconds:.2f} s"

    def _header(self) -> list[str]:
        return ["variable", "type", "bits to keep", "information kept", "relative error", "why"]

    def _rows(self) -> list[list[str]]:
        return [
            [
                one["path"],
                one["element"],
                "all" if one["significant_bits"] is None else str(one["significant_bits"]),
                _share(one["preserved_information"]),
                "-" if one["relative_bound"] is None else f"{one['relative_bound']:.2e}",
                one["reason"],
            ]
            for one in self.variables
        ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"


@dataclass(repr=False)
class RecoverReport(_Report):
    """What recovering a file found and did."""

    path: Path
    outcome: str
    removed_bytes: int
    remaining_bytes: int

    def __post_init__(self) -> None:
        self.path = Path(self.path)

    def __repr__(self) -> str:
        return plain(f"<frazil.RecoverReport {self.path}: {self.outcome}>")


@dataclass(repr=False)
class WriterReport(_Table):
    """What a :class:`frazil.Writer` did."""

    stalled_seconds: float
    hidden_seconds: float
    raw_bytes: int
    stored_bytes: int
    ratio: float
    written_bytes: int
    spilled_bytes: int
    commits: int
    chunks: int
    chunks_reused: int
    chunks_omitted: int
    kept_exact: int
    variables: list[dict[str, Any]]

    def _title(self) -> str:
        return f"{bytes_text(self.raw_bytes)} to {bytes_text(self.stored_bytes)}"

    def _lines(self) -> list[str]:
        chunks = "1 chunk" if self.chunks == 1 else f"{self.chunks} chunks"
        return [
            f"{chunks}; {self.hidden_seconds:.2f} s of packing in the "
            f"background, {self.stalled_seconds:.2f} s waited for"
        ]

    def _header(self) -> list[str]:
        return ["variable", "shape", "chunks", "filters"]

    def _rows(self) -> list[list[str]]:
        return [
            [one["path"], _numbers(one["shape"]), _numbers(one["chunk"]), one["filters"]]
            for one in self.variables
        ]

    def _pictures(self) -> list[str]:
        return [chunk_grid_svg(one["shape"], one["chunk"]) for one in self.variables]

    def _sizes(self) -> list[int]:
        return [math.prod(one["shape"]) for one in self.variables]
