"""The writer: files that grow under a running program."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, Unpack

import numpy as np

from . import _frazil, checks, masks
from .definitions import Definition, Definitions, Dimension
from .encoding_checks import refused_rounding
from .ending import Ended, check_not_ending, close_in_the_end
from .errors import AlreadyExistsError, Error, InvalidArgumentError, NotFoundError, named
from .fills import default_fill, fill_of, learn_fills
from .indices import Index, box_of
from .keywords import WriterKeywords
from .netcdf4_names import OtherNames
from .options import (
    StrPath,
    as_json,
    as_text,
    documented,
    explained,
    plan_dict,
    precision_rules,
    stated,
    without_contradiction,
)
from .reports import WritePlan, WriterReport
from .types import (
    STRING,
    attribute_value,
    little_bytes,
    numpy_dtype,
    type_number,
    whole_count,
)
from .variable_settings import settings_of

# Copies of values that must be made are made in pieces of about this many bytes.
_PIECE_BYTES = 64 << 20


@documented(WriterKeywords)
class Writer(OtherNames):
    """A netCDF-4 file being written: slices of any size in any order, packed in the background.

    Parameters
    ----------
    path : path
        The file.
    mode : "w", "x" or "a"
        Replace an existing file, refuse to, or continue it. With ``"w"``, the old file is gone at
        once, also if the new one is abandoned: to keep it until then, write to another name and
        rename that, as :func:`frazil.to_netcdf` does.
    own_commits : bool
        Also commit from time to time while records are written. If false, only :meth:`sync` and
        :meth:`close` commit.
    options : mapping, optional
        Options of docs/options.md by name, ``{"expected": "time=8760"}``, including those that are
        not keywords. If an option is also stated by a keyword, both must be the same.
    **keywords
        Options of a writer: docs/options.md lists them.

    Notes
    -----
    An open writer commits and closes when the program ends, when a child process of
    ``multiprocessing`` ends, or when nothing refers to it any more (with a
    :class:`ResourceWarning`). If the program is killed or ends by ``os._exit``, the file is at its
    last commit. A child process after a fork leaves its parent's files alone. Any thread may use a
    writer.

    In a ``with`` statement, an exception discards what was put since the last commit.
    """

    _SETTABLE = frozenset({"path", "report"})

    def __init__(
        self,
        path: StrPath,
        mode: Literal["w", "x", "a"] = "w",
        *,
        own_commits: bool = True,
        options: Mapping[str, str | int] | None = None,
        **keywords: Unpack[WriterKeywords],
    ) -> None:
        if mode not in ("w", "x", "a"):
            raise InvalidArgumentError(f"mode is {mode!r}; it must be 'w', 'x' or 'a'")
        check_not_ending(path)
        asked = stated(Writer, WriterKeywords, keywords)
        plan, precision = asked.pop("plan", None), asked.pop("precision", None)
        with named(path):
            asked |= without_contradiction(options, keywords)
            described = as_json(
                own_commits=checks.flag("own_commits", own_commits),
                overwrite=mode == "w",
                precision=precision_rules(precision),
                plan=plan_dict(plan),
                declared=[(key, as_text(value)) for key, value in asked.items()],
            )
        self.path = Path(path)
        checks.folder_of(self.path)
        if mode == "a":
            checks.can_be_continued(self.path)
            self._writer = _frazil.Writer.append(self.path, described)
        else:
            self._writer = _created(self.path, described)
        self._known = Definitions(self._writer)
        self.report: WriterReport | None = None
        close_in_the_end(self)

    def __del__(self) -> None:
        writer = getattr(self, "_writer", None)
        if writer is not None and not writer.is_closed:
            warnings.warn(f"unclosed file {self.path}", ResourceWarning, stacklevel=2, source=self)
            self._close_left_open()

    def _close_left_open(self) -> None:
        """Commits and closes where nobody is there to be told that it failed."""
        if self._writer.is_closed:
            return
        try:
            self.close()
        except Error as error:
            print(f"frazil: {error}", file=sys.stderr)

    def _end(self) -> None:
        """As the program ends."""
        self._close_left_open()
        if self._writer.is_closed:
            self._writer = self._known._writer = Ended()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A copy would close the file of the original when it goes.
        cause = "a Writer cannot be copied or pickled: it is one open file"
        raise TypeError(f"{cause}; hand on its path, or the writer itself to threads")

    def __repr__(self) -> str:
        state = "closed" if self._writer.is_closed else "open"
        return f"<frazil.Writer {os.fspath(self.path)!r} ({state})>"

    # --- what is there ---

    def _requests(self, path: str) -> dict[str, Any]:
        """What ``precision=`` states for a variable: ``precision`` and ``filters``."""
        return json.loads(self._writer.requests(path))

    def _group(self, path: str | None) -> int:
        if not isinstance(path, str | None):
            raise InvalidArgumentError(f"{path!r} is not a path of a group", file=self.path)
        group = self._known.group(path or "")
        if group is None:
            raise NotFoundError("there is no such group", file=self.path, variable=path)
        return group

    def dimensions(self, group: str | None = None, *, inherited: bool = False) -> dict[str, int]:
        """Lengths of a group's dimensions by name; ``inherited``: also those of groups above."""
        return self._known.dimensions(self._group(group), inherited=inherited)

    def variables(self, group: str | None = None) -> dict[str, VariableWriter]:
        """A group's variables by name."""
        found = self._known.variables(self._group(group))
        return {one.name: VariableWriter(self, one) for one in found}

    def __getitem__(self, path: str) -> VariableWriter:
        self._check_name(path)
        group, _, name = path.rpartition("/")
        found = self._known.variable(self._group(group), name)
        if found is None:
            raise NotFoundError("there is no such variable", file=self.path, variable=path)
        return VariableWriter(self, found)

    # --- definitions ---

    def add_group(self, path: str) -> None:
        """Add a group, and missing groups above it. An existing one does not change."""
        if not isinstance(path, str):
            raise InvalidArgumentError(f"{path!r} is not a path of a group", file=self.path)
        at, done = 0, ""
        for name in path.strip("/").split("/"):
            done = f"{done}/{name}"
            found = self._known.group(done)
            at = self._known.add_group(at, name) if found is None else found

    def add_dimension(
        self,
        name: str,
        length: int | None,
        group: str | None = None,
        *,
        expected: int | None = None,
    ) -> None:
        """Add a dimension. ``length`` ``None`` means unlimited, with ``expected`` as the length
        that it will reach.
        """
        number, is_unlimited = self._group(group), length is None
        self._check_name(name)
        length = expected if is_unlimited else length
        if length is not None:
            length = whole_count(length, "its length", file=self.path, variable=name)
        self._known.add_dimension(number, name, length, is_unlimited=is_unlimited)

    @explained(
        dimensions="dims=['time']",
        datatype="dtype='f4'",
        chunksizes="chunks=[24]",
        zlib="compression='zlib'",
        complevel="level=4",
        fletcher32="checksum=True",
        significant_digits="precision={'significant_digits': 4}",
        least_significant_digit="precision={'absolute_tolerance': 0.5 * 10.0**-digits}",
    )
    def add_variable(
        self,
        name: str,
        dtype: Any,
        dims: Sequence[str] | str = (),
        group: str | None = None,
        *,
        fill_value: Any = None,
        no_fill: bool = False,
        endian: Literal["native", "little", "big"] = "native",
        chunks: Sequence[int] | None = None,
        contiguous: bool = False,
        compression: str | None = None,
        level: int | None = None,
        shuffle: bool = True,
        checksum: bool = False,
        precision: Mapping[str, Any] | None = None,
        netcdf_statement: bool = False,
        attrs: Mapping[str, Any] | None = None,
    ) -> VariableWriter:
        """Add a variable. frazil decides what you do not state when the first values come.

        Parameters
        ----------
        dtype : numpy type or str
            Integers and floats of 1 to 8 bytes, ``"S1"`` (characters), ``str``.
        dims : sequence of str, or str for one
            Dimensions of the group, or of groups above it; the slowest first.
        fill_value : scalar, optional
            Value of elements that are never written, and of the attribute ``_FillValue``, in the
            variable's type. Strings that are never written are empty.
        no_fill : bool
            Leave elements that are never written undefined.
        endian : "native", "little" or "big"
            Byte order in the file.
        chunks : sequence of int, optional
            Elements of one chunk along each dimension.
        contiguous : bool
            One run of bytes, no filters.
        compression : "zlib", "zstd" or "none", optional
            The compressor; by default chosen by trial.
        level : int, optional
            Its level; by default 4 for zlib and 3 for zstd.
        shuffle, checksum : bool
            Byte shuffle before the compressor, Fletcher-32 checksum after it.
        precision : mapping, optional
            Precision of the values, ``{"significant_digits": 4}``, and limits for the choice of
            filters, ``{"min_write_speed": 400}``, with the keys of docs/precision.md. It overrides
            the writer's own ``precision``.
        netcdf_statement : bool
            State rounding in netCDF-C's attribute instead of those of the CF conventions.
        """
        self._check_name(name)
        at = self._group(group)
        with named(self.path, name):
            number = type_number(dtype)
            fill = fill_of(number, fill_value, file=self.path, variable=name)
            settings = settings_of(
                number,
                fill,
                no_fill=no_fill,
                endian=endian,
                chunks=chunks,
                contiguous=contiguous,
                compression=compression,
                level=level,
                shuffle=shuffle,
                checksum=checksum,
                precision=precision,
                netcdf_statement=netcdf_statement,
            )
            if not isinstance(dims, Iterable):
                raise checks.refuse("dims", dims, "names of dimensions, ['time', 'x']")
            if not isinstance(attrs, Mapping | None):
                raise checks.refuse("attrs", attrs, "a mapping of names to values")
        # One name, or single letters as names.
        if isinstance(dims, str) and self._known.dimension(at, dims) is not None:
            dims = (dims,)
        axes = [self._dimension(at, dim) for dim in dims]
        defined = self._known.add_variable(at, name, number, axes, as_json(**settings))
        defined.fill = default_fill(number) if fill is None else fill.item()
        defined.no_fill = no_fill
        added = VariableWriter(self, defined)
        for key, value in (attrs or {}).items():
            added.set_attribute(key, value)
        return added

    def _check_name(self, name: Any) -> None:
        if not isinstance(name, str):
            raise InvalidArgumentError(f"{name!r} is no name", file=self.path)

    def _dimension(self, group: int, name: str) -> Dimension:
        self._check_name(name)
        found = self._known.dimension(group, name)
        if found is None:
            raise NotFoundError(
                "there is no such dimension",
                file=self.path,
                variable=name,
                cure=checks.one_of(name, list(self._known.dimensions(group, inherited=True))),
            )
        return found

    def set_attribute(self, name: str, value: Any, group: str | None = None) -> None:
        """Set an attribute of a group. An attribute of the root group is a global one."""
        at = self._group(group)
        self._writer.put_attribute(at, None, name, self._attribute(name, value))

    def _attribute(self, name: str, value: Any) -> list[str] | tuple[int, np.ndarray]:
        self._check_name(name)
        if masks.is_masked(value):
            raise InvalidArgumentError(
                "some of the attribute's values are masked, and attributes have no fill value",
                file=self.path,
                variable=name,
            )
        with named(self.path, name):
            return attribute_value(value)

    # --- the end ---

    def sync(self) -> None:
        """Commit: readers see everything put so far, and it survives the end of the program."""
        self._writer.sync()

    def plan(self) -> WritePlan:
        """What was decided so far, to be replayed."""
        return WritePlan(**json.loads(self._writer.plan()))

    def close(self) -> WriterReport | None:
        """Commit and close; :attr:`report` keeps the report."""
        text = self._writer.close()
        if text is not None:
            self.report = WriterReport._of(json.loads(text))
        return self.report

    def abandon(self) -> None:
        """Close without a commit. A new file that never had one is removed."""
        self._writer.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


class VariableWriter(OtherNames):
    """A variable of a :class:`Writer`: ``variable[10:20, :] = values`` puts values."""

    _SETTABLE = frozenset({"name", "dims", "dtype"})

    def __init__(self, writer: Writer, definition: Definition) -> None:
        self._file, self._definition = writer, definition
        self._number, self.name = definition.number, definition.name
        self._type = definition.type
        self.dims = tuple(axis.name for axis in definition.axes)
        self._limits = tuple(None if axis.is_unlimited else axis.length for axis in definition.axes)
        self.dtype = numpy_dtype(definition.type)

    def __repr__(self) -> str:
        axes = zip(self.dims, self._limits, strict=True)
        text = ", ".join(f"{dim}: {'unlimited' if n is None else n}" for dim, n in axes)
        return f"<frazil.VariableWriter {self.name} {self.dtype} ({text})>"

    @property
    def _writer(self) -> _frazil.Writer:
        return self._file._writer

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis as of the last put."""
        return self._file._known.shape(self._definition)

    def set_attribute(self, name: str, value: Any) -> None:
        """Set an attribute."""
        given = self._file._attribute(name, value)
        self._writer.put_attribute(0, self._number, name, given)
        if name == "_FillValue" and isinstance(given, list):
            # Of strings: the only one that goes by an attribute.
            self._definition.fill = given[0]

    def put(self, values: Any, start: Sequence[int], stride: Sequence[int] | None = None) -> None:
        """Put values at ``start``; their shape gives the number of elements along each axis.

        Values are converted to the variable's type as far as numpy's rule ``same_kind`` allows;
        numbers beyond its range are refused.
        Masked values become the variable's fill value, or its type's if it states none.

        Raises
        ------
        InvalidArgumentError
            If the values do not fit, or if some are masked and the variable has no fill value. Any
            call may also raise the first error of the background work.
        """
        self._put(values, start, stride)

    def _delete_attribute(self, name: str) -> None:
        self._writer.delete_attribute(0, self._number, name)

    def _check_not_rounded(self) -> None:
        """Refuses a stated rounding of a variable that the file had: its values stay as put."""
        if not self._definition.is_old:
            return
        path = self._file._known.path(self._definition)
        asked = self._file._requests(path)["precision"]
        if asked and not asked.get("lossless"):
            raise refused_rounding("precision", file=self._file.path, variable=self.name)
        self._definition.is_old = False

    def _leave_memory(self, bytes_: int) -> None:
        """Has the file's writer do with so much less memory, with half of it at least."""
        self._writer.leave_memory(bytes_)

    def _put(
        self, values: Any, start: Sequence[int], stride: Sequence[int] | None = None
    ) -> tuple[int, float]:
        """Also says how many chunks were being packed before, and how long it had to wait."""
        self._check_not_rounded()
        values = masks.given(values, self.dtype)
        if values.ndim != self.ndim:
            raise InvalidArgumentError(
                f"values have {values.ndim} axes, not {self.ndim}",
                file=self._file.path,
                variable=self.name,
            )
        start, steps = self._counts(start, "a start"), None
        if stride is not None:
            steps = self._counts(stride, "a stride")
        if isinstance(values, np.ma.MaskedArray):
            # Refused before a piece of them is written.
            self._masked_fill()
            if self._type != STRING and not values.mask.all():
                self._little(np.empty(0, values.dtype))
        if self._type == STRING:
            texts = [self._text(text) for text in self._filled(values).reshape(-1)]
            slab = (start, list(values.shape), steps)
            with self._growing(slab):
                self._writer.put_strings(self._number, slab, texts)
            return 0, 0.0
        before, waited = 0, 0.0
        for first, piece in _pieces(values, self.dtype):
            at = start if first == 0 else [start[0] + first * (steps or [1])[0], *start[1:]]
            slab = (at, list(piece.shape), steps)
            little = self._little(piece)
            with self._growing(slab):
                under_way, stalled = self._writer.put(self._number, slab, little)
            before = before if first else under_way
            waited += stalled
        return before, waited

    def _text(self, value: Any) -> str:
        """A value of strings; nothing else becomes text by itself."""
        if isinstance(value, bytes):
            return value.decode("utf-8")
        if isinstance(value, str):
            return str(value)
        raise InvalidArgumentError(
            f"{value!r} is no text, and the variable's values are strings",
            file=self._file.path,
            variable=self.name,
            cure='put "" or a masked value where there is none, and str(value) for others',
        )

    def _counts(self, numbers: Sequence[int], what: str) -> list[int]:
        """One number for each axis."""
        where = {"file": self._file.path, "variable": self.name}
        found = [whole_count(n, what, **where) for n in numbers]
        if len(found) != self.ndim:
            raise InvalidArgumentError(
                f"{what} has {len(found)} numbers for {self.ndim} axes", **where
            )
        return found

    @contextlib.contextmanager
    def _growing(self, slab: tuple[list[int], list[int], list[int] | None]) -> Iterator[None]:
        """Follows how unlimited dimensions grow by a put."""
        known = self._file._known
        try:
            yield
            known.grow(self._definition, *slab)
        except BaseException:
            known.forget_lengths()
            raise

    def _masked_fill(self) -> Any:
        """What masked values become, as a Python scalar."""
        definition = self._definition
        if definition.fill is None:
            learn_fills(self._file._known, self._file.path)
        if definition.no_fill:
            raise InvalidArgumentError(
                "some values are masked, and the variable has no fill value",
                file=self._file.path,
                variable=self.name,
                cure="add it without no_fill, or put values of your own in their places",
            )
        return definition.fill

    def _filled(self, values: np.ndarray) -> np.ndarray:
        """Values with the fill value in place of masked ones."""
        if not isinstance(values, np.ma.MaskedArray):
            return values
        return masks.filled(values, self.dtype, self._masked_fill())

    def _little(self, values: np.ndarray) -> np.ndarray:
        if values.dtype != self.dtype or isinstance(values, np.ma.MaskedArray):
            try:
                values = masks.converted(self._filled(values), self.dtype)
            except (TypeError, ValueError) as error:
                raise InvalidArgumentError(
                    str(error), file=self._file.path, variable=self.name
                ) from None
        return little_bytes(values)

    def __setitem__(self, key: Index, values: Any) -> None:
        values = masks.given(values, self.dtype)
        with named(self._file.path, self.name):
            start, count, stride, kept = box_of(key, self._limits, values.shape, self.shape)
        box = tuple(n for n, k in zip(count, kept, strict=True) if k)
        if values.ndim and values.shape != box:
            try:
                values = masks.broadcast(values, box)
            except ValueError:
                cause = f"values of shape {values.shape} do not fit into the shape {box}"
                raise InvalidArgumentError(
                    cause, file=self._file.path, variable=self.name
                ) from None
        if values.ndim == 0:
            values = masks.broadcast(values, count)
        self.put(values.reshape(count), start, stride)

    def __getitem__(self, key: Index) -> np.ndarray:
        """Read values back, those included that no commit has yet."""
        shape = self.shape
        with named(self._file.path, self.name):
            start, count, stride, kept = box_of(key, shape, shape, shape)
        squeezed = [n for n, k in zip(count, kept, strict=True) if k]
        if self._type == STRING:
            texts = self._writer.read_strings(self._number, (start, count, stride))
            return np.array(texts, dtype=object).reshape(squeezed)
        raw = self._writer.read(self._number, (start, count, stride))
        little = raw.view(self.dtype.newbyteorder("<"))
        return little.astype(self.dtype, copy=False).reshape(squeezed)


def _created(path: Path, described: str) -> _frazil.Writer:
    try:
        return _frazil.Writer.create(path, described)
    except AlreadyExistsError as error:
        error.cure = "state mode='w' to replace it"
        raise


def _pieces(values: np.ndarray, dtype: np.dtype) -> Iterable[tuple[int, np.ndarray]]:
    """The values, cut along the first axis where a copy of all of them would be large."""
    is_plain = values.flags.c_contiguous and values.dtype == dtype.newbyteorder("<")
    is_plain = is_plain and not isinstance(values, np.ma.MaskedArray)
    if is_plain or values.nbytes <= _PIECE_BYTES or values.ndim == 0:
        yield 0, values
        return
    rows = max(1, _PIECE_BYTES * len(values) // values.nbytes)
    for first in range(0, len(values), rows):
        yield first, values[first : first + rows]
