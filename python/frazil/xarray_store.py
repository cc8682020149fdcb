"""The store through which xarray writes: definitions and values go to a :class:`frazil.Writer`."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import uuid
import warnings
import weakref
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from xarray import Variable
from xarray.backends.common import WritableCFDataStore
from xarray.coding.strings import CharacterArrayCoder, EncodedStringCoder, is_unicode_dtype

from . import _frazil, appending, checks, packing_range
from .appending import Before
from .calendars import named_dates
from .crew import Crew
from .encoding_checks import ROUNDINGS, refused_rounding
from .encodings import Storage, round_to_places, storage
from .errors import (
    AlreadyExistsError,
    EncodingNotice,
    Error,
    InvalidArgumentError,
    IsFolderError,
    named,
    plain,
)
from .masks import given
from .operations import pack
from .options import filter_rules
from .progress import Progress
from .same_process import SameProcess
from .temporary import Temporary
from .types import instead_of, type_number
from .writer import VariableWriter, Writer


@contextlib.contextmanager
def _named(ours: tuple[Path | None, ...], name: str) -> Iterator[None]:
    """Errors name the file as it was asked for, not by names of ours."""
    try:
        yield
    except Error as error:
        if error.file in [str(one) for one in ours if one is not None]:
            error.file = name
            if isinstance(error, OSError):
                error.filename = name
        raise


class Output:
    """A file on its way: under a temporary name until it is complete, if it is a new one."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        mode: str,
        layout: str = "standard",
        *,
        is_shared: bool = False,
        **options: Any,
    ) -> None:
        #: As it was given: errors name it so.
        self.name = os.fspath(path)
        checks.folder_of(Path(path))
        # A link stays; what it points to is replaced, unless it is a stranger's.
        self.path = Path(_frazil.followed_output(Path(path)))
        if self.path.is_dir():
            raise IsFolderError("it is a folder", file=self.name, cure="name a file in it")
        is_new = mode in ("w", "w-", "x") or not self.path.exists()
        self.is_new = is_new
        self._must_be_absent = mode in ("w-", "x")
        self._check_absent("it exists already")
        self._temporary: Temporary | None = None
        if is_new:
            with self.named():
                self._temporary = Temporary(self.path)
        try:
            with self.named():
                self.writer = Writer(
                    self._temporary.path if self._temporary else self.path,
                    "w" if is_new else "a",
                    own_commits=False,
                    # Some values come before the last definition: names were looked for before.
                    precision_is_shared=True,
                    # What is stated for this file holds for it, whatever its name.
                    options=None if is_shared else {"restart_files": "none"},
                    **options,
                )
                # The writer has locked it: nobody else changes it.
                self.before = Before({}, {}) if is_new else Before.of(self.path)
        except BaseException:
            if hasattr(self, "writer"):
                self.writer.abandon()
            if self._temporary is not None:
                self._temporary.remove()
            raise
        self._layout, self._options = layout, options
        self.dropped: list[str] = []
        # Variables whose other values in the file stay.
        self.kept: list[str] = []
        self.notices: list[str] = []
        self._lock = threading.Lock()
        # Values are computed later, by whoever computes a delayed object.
        self.is_delayed = False
        self._failure: BaseException | None = None
        # Delayed values that nobody computes leave nothing behind, nor does the program's end.
        given_up = (self.writer, self._temporary, os.getpid())
        self._give_up = weakref.finalize(self, _give_up, *given_up)

    def _check_absent(self, cause: str) -> None:
        if self._must_be_absent and self.path.exists():
            raise AlreadyExistsError(cause, file=self.name, cure="state mode='w' to replace it")

    def named(self) -> contextlib.AbstractContextManager[None]:
        """Errors raised within name the file that was asked for."""
        temporary = self._temporary.path if self._temporary else None
        return _named((temporary, self.path), self.name)

    @property
    def written_path(self) -> Path:
        """Where the file is now."""
        return self.writer.path

    def finish(self) -> None:
        """Closes the file and gives it its name."""
        with self._lock:
            if self.writer.report is not None:
                return
            try:
                with self.named():
                    self.writer.close()
            except BaseException:
                self.abandon()
                raise
            self._give_up.detach()
            if self._temporary is not None:
                self._publish(self._temporary)
        self._tell_of_kept_ones()

    def _tell_of_kept_ones(self) -> None:
        """A notice about variables that shared rules leave exact in a restart file."""
        count = self.writer.report.kept_exact if self.writer.report is not None else 0
        if not count:
            return
        variables = "1 variable" if count == 1 else f"{count} variables"
        message = (
            f"{self.name}: {variables} that `precision` would round stayed exact: it looks like a "
            "restart file, and precision_is_shared says that the rules are not meant for this file "
            'alone; leave precision_is_shared out, or add "force": True'
        )
        warnings.warn(plain(message), EncodingNotice, stacklevel=_depth())

    def _publish(self, temporary: Temporary) -> None:
        """Gives the complete file its name."""
        try:
            with self.named():
                if self._layout != "standard":
                    self._lay_out(temporary.path)
                self._check_absent("it was made by others meanwhile")
                temporary.give_name()
        finally:
            temporary.remove()

    def _lay_out(self, temporary: Path) -> None:
        """Packs the complete file once more, now that all of it is known."""
        # Values are as precise as they are to be.
        rules = filter_rules(self._options.get("precision") or [])
        same = ("threads", "memory", "readable_by", "filters")
        same = {key: self._options[key] for key in same if self._options.get(key) is not None}
        pack(temporary, in_place=True, layout=self._layout, precision=rules, **same)

    def abandon(self) -> None:
        """Leaves everything as it was."""
        self._give_up()

    def fail(self, error: BaseException) -> None:
        """Gives a delayed write up: what failed first is raised by all that comes later."""
        with self._lock:
            if self._give_up.alive:
                self._failure = error
                self.abandon()

    def check_open(self) -> None:
        """Refuses values of a delayed write that is over."""
        if not self.is_delayed or self._give_up.alive:
            return
        with self._lock:
            # Whoever is told that it failed finds the file unlocked.
            pass
        if isinstance(self._failure, Error):
            raise self._failure
        ended = "was computed already" if self._failure is None else "failed and was given up"
        raise InvalidArgumentError(
            f"this delayed write {ended}",
            file=self.name,
            cure="call to_netcdf again for another one",
        ) from self._failure

    def tell(self) -> None:
        """All notices, one about all encodings that were dropped, one about values that stay."""
        if self.dropped:
            listed = ", ".join(self.dropped)
            self.notices.append(f"encodings that do not fit any more were dropped: {listed}")
        if self.kept:
            listed = ", ".join(self.kept)
            self.notices.append(f"values in the file differ from those given, and stay: {listed}")
        for message in self.notices:
            warnings.warn(plain(message), EncodingNotice, stacklevel=_depth())
        self.dropped.clear()
        self.kept.clear()
        self.notices.clear()


def _give_up(writer: Writer, temporary: Temporary | None, process: int) -> None:
    """Leaves everything as it was. To a fork of the process the file does not belong."""
    if os.getpid() != process:
        return
    writer.abandon()
    if temporary is not None:
        temporary.remove()


class Target(SameProcess):
    """Where xarray and dask put the values of one variable."""

    def __init__(
        self,
        output: Output,
        variable: VariableWriter,
        offset: tuple[int, ...],
        progress: Progress | None,
        places: float | None = None,
    ) -> None:
        self._output = output
        self._variable, self._offset, self._progress = variable, offset, progress
        self._belongs_to = output.name, variable.name
        self._places = places
        # Whose number of working threads follows the puts.
        self.crew: Crew | None = None

    @property
    def name(self) -> str:
        """The variable's."""
        return self._variable.name

    def leave_memory(self, bytes_: int) -> None:
        """Has the writer leave memory to those who make the values."""
        self._variable._leave_memory(bytes_)

    def __dask_tokenize__(self) -> str:
        return uuid.uuid4().hex

    def __setitem__(self, key: Any, values: Any) -> None:
        self._output.check_open()
        try:
            with self._output.named():
                self._put(key, values)
        except BaseException as error:
            if self._output.is_delayed:
                self._output.fail(error)
                self._output.check_open()
            raise

    def _put(self, key: Any, values: Any) -> None:
        values = given(values, self._variable.dtype)
        start = list(self._offset)
        if key is not Ellipsis:
            key = key if isinstance(key, tuple) else (key,)
            start = [first + (one.start or 0) for first, one in zip(start, key, strict=True)]
        if values.size:
            if self._places is not None:
                values = round_to_places(values, self._places)
            under_way, stalled = self._variable._put(values, start)
            if self.crew is not None:
                self.crew.follow(under_way, stalled, values.nbytes)
        if self._progress is not None:
            self._progress.advance(values.nbytes)


class FrazilStore(WritableCFDataStore):
    """A group of a netCDF-4 file being written.

    Parameters
    ----------
    output : Output
        The file.
    group : str, optional
        The group; it is added if it is not there.
    append_dim : str, optional
        The dimension along which values of existing variables go on.
    progress : Progress, optional
        Told of bytes written.
    """

    __slots__ = (
        "_appended",
        "_existing",
        "_output",
        "append_dim",
        "asked",
        "group",
        "progress",
    )

    def __init__(
        self,
        output: Output,
        group: str | None = None,
        *,
        append_dim: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        if group is not None and not isinstance(group, str):
            raise InvalidArgumentError("group must be a string or None", file=output.name)
        self._output = output
        self.group = None if group is None or not group.strip("/") else group.strip("/")
        self.append_dim = append_dim
        #: Variables whose encoding the user states.
        self.asked: frozenset[Hashable] = frozenset()
        self.progress = progress
        if self.group is not None:
            output.writer.add_group(self.group)
        at = f"/{self.group}" if self.group else ""
        # Another group's values may have made the dimension longer since.
        self._appended = output.before.lengths.get(at, {}).get(append_dim or "", 0)
        known = output.writer.variables(self.group)
        self._existing = {
            name: (variable, output.before.attrs[f"{at}/{name}"])
            for name, variable in known.items()
            if f"{at}/{name}" in output.before.attrs
        }

    @property
    def writer(self) -> Writer:
        """The writer behind it."""
        return self._output.writer

    def is_continued(self, group: str | None) -> bool:
        """Whether a group of the file had the dimension along which values go on."""
        return self.append_dim is not None and self._output.before.has(group, self.append_dim)

    def get_child_store(self, group: str) -> FrazilStore:
        """The store of a group below."""
        path = group if self.group is None else f"{self.group}/{group.strip('/')}"
        return FrazilStore(
            self._output,
            path,
            append_dim=self.append_dim,
            progress=self.progress,
        )

    # --- what is there ---

    def get_dimensions(self) -> dict[str, int]:
        dims = self.writer.dimensions(self.group)
        return {name: length for name, length in dims.items() if name != self.append_dim}

    def get_parent_dimensions(self) -> dict[str, int]:
        own = self.writer.dimensions(self.group)
        above = self.writer.dimensions(self.group, inherited=True)
        return {name: length for name, length in above.items() if name not in own}

    # --- definitions ---

    def set_dimensions(self, variables: Any, unlimited_dims: Any = None) -> None:
        there = self.writer.dimensions(self.group, inherited=True)
        if self.append_dim is not None and self.append_dim in there:
            variables = {
                name: _without(variable, self.append_dim) for name, variable in variables.items()
            }
            # It is there, in this group or one above.
            unlimited_dims = {*(unlimited_dims or ())} - {self.append_dim}
        super().set_dimensions(variables, unlimited_dims=unlimited_dims)

    def set_dimension(self, name: str, length: int, is_unlimited: bool = False) -> None:
        _check_name(name)
        # As in netCDF, what has no length yet can grow.
        grows = is_unlimited or length == 0 or length is None
        self.writer.add_dimension(name, None if grows else length, self.group, expected=length)

    def set_attribute(self, key: str, value: Any) -> None:
        if key == "coordinates" and self._appended:
            # It names those that are not written again, too.
            return
        self.writer.set_attribute(key, value, self.group)

    def encode(self, variables: Mapping[Any, Any], attributes: Any) -> Any:
        file = self._output.name
        variables = {
            name: packing_range.checked(
                variable,
                str(name),
                file,
                is_asked=name in self.asked,
                is_continued=name in self._existing,
            )
            for name, variable in variables.items()
        }
        with named_dates(variables, file):
            return super().encode(variables, attributes)

    def encode_variable(self, variable: Any, name: Any = None) -> Any:
        for coder in (EncodedStringCoder(allows_unicode=True), CharacterArrayCoder()):
            variable = coder.encode(variable, name=name)
        return variable

    def set_variables(self, variables: Mapping[Any, Any], *args: Any, **options: Any) -> None:
        # The writer looks for what describes a rounding at the first values that it rounds.
        in_order = sorted(variables.items(), key=lambda item: "algorithm" not in item[1].attrs)
        super().set_variables(dict(in_order), *args, **options)

    def prepare_variable(
        self, name: str, variable: Any, check_encoding: bool = False, unlimited_dims: Any = None
    ) -> tuple[Target, Any]:
        _check_name(name)
        existing = self._existing.get(name)
        if existing is not None:
            target = self._go_on(*existing, variable, is_asked=check_encoding)
            return target, variable.data
        attrs = dict(variable.attrs)
        with named(self._output.name, name):
            dtype = _dtype(variable)
        growing = {*(unlimited_dims or ()), *self.writer._known.unlimited()}
        with named(self._output.name, name):
            found = storage(variable, is_asked=check_encoding, unlimited=growing)
        if variable.dtype.metadata and "enum" in variable.dtype.metadata:
            found.dropped.append("enumeration")
        self._give_way(found, name, is_asked=check_encoding)
        self._output.dropped += [f"{name}: {what}" for what in found.dropped]
        settings = found.settings
        if found.places is not None:
            attrs["least_significant_digit"] = found.places
        fill = attrs.pop("_FillValue", None)
        if dtype is not str:
            settings["fill_value"] = fill
        elif fill is not None:
            # A string, even if it is plain text.
            attrs["_FillValue"] = [fill]
        added = self.writer.add_variable(
            name, dtype, variable.dims, self.group, attrs=attrs, **settings
        )
        return Target(
            self._output, added, self._offset(added), self.progress, found.places
        ), variable.data

    def _offset(self, variable: VariableWriter) -> tuple[int, ...]:
        """Where values go on."""
        return tuple(self._appended if dim == self.append_dim else 0 for dim in variable.dims)

    def _go_on(
        self, existing: VariableWriter, before: dict[str, Any], variable: Any, *, is_asked: bool
    ) -> Target:
        """Values for a variable of the file: after those that it has, or in their place."""
        where = {"file": self._output.name, "variable": existing.name}
        if existing.dims != tuple(variable.dims):
            cause = f"has dimensions {existing.dims}, not {tuple(variable.dims)}"
            raise InvalidArgumentError(cause, **where)
        existing._check_not_rounded()
        for key in ROUNDINGS:
            if is_asked and variable.encoding.get(key) is not None:
                raise refused_rounding(f"encoding {key}", **where)
        attrs, places = dict(variable.attrs), None
        if self.append_dim in existing.dims:
            appending.check_meaning(before, attrs, existing.dtype, where)
            attrs = appending.others(before, attrs)
            if existing.dtype.kind == "f":
                places = before.get("least_significant_digit")
        else:
            appending.check_fill(before, attrs, where)
            for key in appending.outdated(before, attrs):
                existing._delete_attribute(key)
            attrs.pop("_FillValue", None)
        for key, value in attrs.items():
            existing.set_attribute(key, value)
        return Target(self._output, existing, self._offset(existing), self.progress, places)

    def _give_way(self, found: Storage, name: str, *, is_asked: bool) -> None:
        """Rules go before a variable's encoding, but for compression that is asked for."""
        stated = self.writer._requests(f"/{self.group}/{name}" if self.group else f"/{name}")
        rounds = "precision" in found.settings or found.places is not None
        if stated["precision"] and rounds and is_asked:
            raise InvalidArgumentError(
                "the encoding and `precision` both say how it is rounded",
                file=self._output.name,
                variable=name,
                cure="state one of them",
            )
        if stated["precision"]:
            found.settings.pop("precision", None)
            found.settings.pop("netcdf_statement", None)
            found.places = None
        if stated["filters"] and not is_asked:
            if found.settings.pop("checksum", False):
                found.dropped.append("fletcher32")
            for key in ("compression", "level", "shuffle"):
                found.settings.pop(key, None)

    # --- the end ---

    def load(self) -> Any:
        """What is in the file so far."""
        from .xarray_engine import ReadStore

        self.writer.sync()
        return ReadStore.open(self._output.written_path, group=self.group).load()

    def sync(self) -> None:
        """Values may still come: nothing is committed."""

    def close(self, **kwargs: Any) -> None:
        """Closes the file, and gives it its name."""
        self._output.finish()


def _depth() -> int:
    """How far above the caller the code is that is not of this package."""
    here = Path(__file__).parent
    depth, frame = 1, sys._getframe(1)
    while frame is not None and here in Path(frame.f_code.co_filename).parents:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    return depth


def _without(variable: Any, dim: str) -> Variable:
    """A variable with the other dimensions of this one."""
    sizes = {name: size for name, size in variable.sizes.items() if name != dim}
    return Variable(tuple(sizes), np.broadcast_to(np.int8(0), tuple(sizes.values())))


def _check_name(name: str) -> None:
    if "/" in name:
        raise InvalidArgumentError(
            "Forward slashes '/' are not allowed in variable and dimension names "
            f"(got {name!r}). They separate groups."
        )


def _dtype(variable: Any) -> Any:
    """The type that a variable gets in the file."""
    asked = variable.encoding.get("dtype")
    if asked is str or is_unicode_dtype(variable.dtype):
        return str
    if variable.dtype.kind == "O" and (variable.dtype.metadata or {}).get("element_type") is bytes:
        return str
    if variable.dtype.kind not in "iufS":
        raise InvalidArgumentError(
            f"unsupported dtype for netCDF4 variable: {variable.dtype}",
            cure=instead_of(variable.dtype),
        )
    type_number(variable.dtype)
    return variable.dtype
