"""The same calls of netCDF's C interface on two files: one in frazil's hands, one in netCDF-C's.

Every call is plain data, so that a sequence can be repeated, also without some of its calls.
"""

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy

from support.netcdf_calls import KINDS, Calls, File
from support.typed_values import Elements, elements_in

# Bytes for whatever a call writes; what it does not write stays.
ROOM = 8192
# Files that frazil reads are at least as large.
LARGE = 1 << 20
UNTOUCHED = b"\x5a" * ROOM
ARRAYS = {
    **KINDS,
    "ubyte": ctypes.c_uint8,
    "long": ctypes.c_long,
    "size": ctypes.c_size_t,
    "step": ctypes.c_ssize_t,
}
# netCDF-C fails inside of HDF5, on calls that it has let pass: `NC_EHDFERR` and its like.
FAULTS = {-101, -102, -103, -104, -105, -106, -108, -109, -110, -115}


# `NC_ERANGE`
OUT_OF_RANGE = -60
# `NC_EINVAL`, `NC_EBADTYPE`, `NC_EBADTYPID`.
BAD_TYPES = (-36, -45, -117)


class FaultOfNetcdf(Exception):
    """netCDF-C has a fault of its own; nothing that comes after it can be compared."""


class Different(AssertionError):
    """Frazil has done something else than netCDF-C."""


@dataclass(frozen=True)
class Size:
    """A `size_t`."""

    value: int


@dataclass(frozen=True)
class Real:
    """A `float`."""

    value: float


@dataclass(frozen=True)
class Array:
    """Values in memory, of a type in `ARRAYS`."""

    kind: str
    values: tuple


@dataclass(frozen=True)
class Texts:
    """An array of strings."""

    values: tuple


@dataclass(frozen=True)
class Group:
    """The number of a group of the file."""

    number: int


@dataclass(frozen=True)
class Out:
    """A place for what a call gives: values, a name, or so many texts, groups or elements."""

    kind: str = "values"
    count: int = 0
    nc_type: int = 0


@dataclass(frozen=True)
class Call:
    """A call: its name without `nc_`, the group, and what follows the file's number."""

    name: str
    group: int
    arguments: tuple
    # Whether C says what comes out where a number has no place in its type.
    is_defined: bool = False

    def __str__(self) -> str:
        return f"nc_{self.name}({', '.join(map(str, (Group(self.group), *self.arguments)))})"


class Side:
    """One file, in the hands of one library."""

    def __init__(self, calls: Calls, path: Path) -> None:
        self.calls, self.path = calls, path
        self.ncid = self.first = -1

    def begin(self, name: str, mode: int) -> int:
        ncid = ctypes.c_int(-1)
        status = self.calls(name, bytes(self.path), mode, ctypes.byref(ncid))
        self.ncid = ncid.value
        if name == "create":
            self.first = self.ncid
        return status

    def make(self, call: Call) -> tuple[int, list[object]]:
        """Status and outputs."""
        outputs: list[tuple[Out, ctypes.Array]] = []
        given = [self._given(argument, outputs) for argument in call.arguments]
        status = self.calls(call.name, ctypes.c_int(self.ncid + call.group), *given)
        return status, [self._told(out, buffer, status) for out, buffer in outputs]

    def _given(self, argument: object, outputs: list) -> object:
        match argument:
            case Size(value):
                return ctypes.c_size_t(value)
            case Real(value):
                return ctypes.c_float(value)
            case Array(kind, values):
                return (ARRAYS[kind] * max(len(values), 1))(*values)
            case Texts(values):
                return (ctypes.c_char_p * max(len(values), 1))(*values)
            case Elements():
                return argument.in_memory()
            case Group(number):
                return ctypes.c_int(self.ncid + number)
            case Out():
                buffer = ctypes.create_string_buffer(UNTOUCHED, ROOM)
                outputs.append((argument, buffer))
                return buffer
        return argument

    def _told(self, out: Out, buffer: ctypes.Array, status: int) -> object:
        if status == 0 and out.kind == "texts":
            pointers = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char_p))
            return [pointers[i] for i in range(out.count)]
        if status == 0 and out.kind == "elements":
            return elements_in(out.nc_type, out.count, buffer)
        if out.kind == "name":
            return buffer.value
        if status == 0 and out.kind == "groups":
            # The file's part of the number differs.
            ids = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_int))
            return [ids[i] & 0xFFFF for i in range(out.count)]
        return buffer.raw


class Pair:
    """A file that frazil writes or reads, and one of netCDF-C's, by the same calls."""

    def __init__(self, ours: Calls, stock: Calls, folder: Path) -> None:
        self.ours, self.stock = ours, stock
        folder.mkdir(parents=True, exist_ok=True)
        self.sides = [Side(ours, folder / "frazil.nc"), Side(stock, folder / "netcdf-c.nc")]
        self.log: list[Call] = []
        self.is_open = False

    def begin(self, name: str, mode: int) -> int:
        """`create` or `open`."""
        self.log.append(Call(name, 0, (mode,)))
        for side in self.sides if name == "open" else ():
            # Frazil reads no small files; what follows the end of an HDF5 file is nobody's.
            os.truncate(side.path, max(side.path.stat().st_size, LARGE))
        status = [side.begin(name, mode) for side in self.sides]
        self.compare_status(*status)
        self.is_open = status[0] == 0
        return status[0]

    def call(self, call: Call) -> tuple[int, list[object]]:
        """What both give."""
        self.log.append(call)
        ours, theirs = [side.make(call) for side in self.sides]
        self.compare_status(ours[0], theirs[0])
        is_put = call.name.startswith(("put_att", "copy_att"))
        is_fill = b"_FillValue" in call.arguments and ours[0] not in (0, OUT_OF_RANGE)
        if is_put and (ours[0] in BAD_TYPES or is_fill):
            raise FaultOfNetcdf("an attribute that was refused stays behind")
        # What a call that fails has left in memory is nobody's.
        if ours[0] != 0 and not (ours[0] == OUT_OF_RANGE and call.is_defined):
            return ours
        for place, (one, other) in enumerate(zip(ours[1], theirs[1], strict=True)):
            if one != other:
                raise Different(f"output {place}: {difference(one, other)}")
        return ours

    def close(self) -> None:
        self.log.append(Call("close", 0, ()))
        self.is_open = False
        ours, theirs = [side.calls("close", side.ncid) for side in self.sides]
        self.compare_status(ours, theirs)
        if theirs != 0:
            raise FaultOfNetcdf("the file does not close")

    def leave(self) -> None:
        """Lets go of both, whatever became of them."""
        if self.is_open:
            for side in self.sides:
                side.calls("close", side.ncid)

    def compare_status(self, ours: int, theirs: int) -> None:
        if theirs in FAULTS:
            raise FaultOfNetcdf(theirs)
        if ours != theirs:
            raise Different(f"netCDF-C says {theirs}, frazil {ours}")

    def compare_files(self, unsure: frozenset, is_ordered: bool = True) -> None:
        """What netCDF-C and h5py find in both; the values of some variables are not compared."""
        self.log.append(Call("compare", 0, (unsure, is_ordered)))
        found = [told(self.stock, side.path, unsure) for side in self.sides]
        found = [[without_order(entry, is_ordered) for entry in each] for each in found]
        if not is_ordered:
            found = [sorted(each, key=place_of) for each in found]
        for one, other in zip(*found, strict=False):
            if not is_same(one, other):
                raise Different(f"the file: {one} for {other}")
        if len(found[0]) != len(found[1]):
            raise Different("the file: one has more")

    def repeat(self, calls: list[Call]) -> None:
        """Makes calls of another pair."""
        for call in calls:
            if call.name in ("create", "open"):
                self.begin(call.name, *call.arguments)
            elif call.name == "close":
                self.close()
            elif call.name == "compare":
                self.compare_files(*call.arguments)
            else:
                assert self.fits(call), "values of another type"
                self.call(call)

    def fits(self, call: Call) -> bool:
        """Whether a variable has the type of the values: without some calls it may not."""
        for one in call.arguments:
            kind = getattr(one, "nc_type", 0) or getattr(one, "kind", 0)
            if isinstance(kind, int) and kind > 0:
                calls, id_ = self.stock, self.sides[1].ncid + call.group
                if "att" in call.name:
                    found = calls.ints("inq_atttype", 1, id_, *call.arguments[:2])
                    return call.name.startswith("put") or found == (0, kind)
                return calls.ints("inq_vartype", 1, id_, call.arguments[0]) == (0, kind)
        return True


def told(stock: Calls, path: Path, unsure: frozenset) -> list[tuple]:
    """All that is in a file."""
    file = File(stock, path)
    try:
        found = list(file.inventory())
        names = [(group, name) for group, name in variables_of(file) if (group, name) not in unsure]
        paths = {
            group: file.text("inq_grpname_full", file.root | group, None)[1]
            for group in file.groups()
        }
    finally:
        file.close()
    # To be written, or HDF5 refuses strings in chunks that are not there.
    with h5py.File(path, "r+") as opened:
        for group, name in names:
            found.append(("values", group, name, *values_of(opened[paths[group]], name)))
    return found


def variables_of(file: File) -> Iterator[tuple[int, bytes]]:
    for group in file.groups():
        id_ = file.root | group
        for varid in file.calls.numbers("inq_varids", id_):
            yield group, file.text("inq_varname", id_, varid)[1]


def values_of(group: h5py.Group, name: bytes) -> tuple:
    """Type, fill value and values as they lie in the file."""
    text = name.decode()
    own = "_nc4_non_coord_" + text
    dataset = group[own if own in group else text]
    return dataset.dtype.str, fill_of(dataset), numpy.asarray(dataset[()])


def fill_of(dataset: h5py.Dataset) -> object:
    """A fill value. h5py frees twice what those of sequences point to: so the attribute tells."""
    if dataset.dtype.hasobject and h5py.check_string_dtype(dataset.dtype) is None:
        told = dataset.attrs.get("_FillValue")
        return numpy.zeros((), dataset.dtype)[()] if told is None else told[0]
    return dataset.fillvalue


def is_same(one: tuple, other: tuple) -> bool:
    """Whether both say the same; where a variable is shorter in a file, it holds fill values."""
    if one[0] != "values" or other[0] != "values":
        return one == other
    ours, theirs = one[-1], other[-1]
    shape = tuple(map(max, ours.shape, theirs.shape))
    # As text: what is not a number is not equal to itself.
    if repr(one[1:-1]) != repr(other[1:-1]) or ours.ndim != theirs.ndim:
        return False
    if ours.dtype.hasobject and shape == ours.shape == theirs.shape:
        return repr(ours.tolist()) == repr(theirs.tolist())
    long = [lengthened(each, shape, told[-2]) for each, told in ((ours, one), (theirs, other))]
    if ours.dtype == object:
        return long[0].tolist() == long[1].tolist()
    return long[0].tobytes() == long[1].tobytes()


def lengthened(values: numpy.ndarray, shape: tuple, fill: object) -> numpy.ndarray:
    """The values, and fill values around them."""
    if values.shape == shape:
        return values
    whole = numpy.full(shape, b"" if values.dtype == object else fill, values.dtype)
    whole[tuple(map(slice, values.shape))] = values
    return whole


def without_order(entry: tuple, is_ordered: bool) -> tuple:
    """What does not depend on an order: of dimensions, and if asked for, of all else."""
    match entry:
        # Frazil puts dimensions with a variable before the others.
        case ("group", number, (status, *counts, _), name):
            return "group", number, status, *counts, name
        case ("unlimited", numbers):
            return "unlimited", sorted(numbers)
        case ("attribute" | "variable", _, *others) if not is_ordered:
            return entry[0], *others
    return entry


def place_of(entry: tuple) -> str:
    """Where an entry comes among those without an order."""
    return repr(entry[:3] if entry[0] == "values" else entry)


def difference(one: object, other: object) -> str:
    if not isinstance(one, bytes) or not isinstance(other, bytes):
        return f"frazil {one}, netCDF-C {other}"
    at = next(i for i in range(len(one)) if one[i] != other[i])
    return f"from byte {at} on frazil {one[at : at + 24]}, netCDF-C {other[at : at + 24]}"
