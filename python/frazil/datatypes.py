"""Types as files describe them: numpy's types for them, and values out of expanded bytes.

Expanded values are little-endian and without padding; texts, variable-length data and references
come behind their length (8 bytes).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from .errors import CorruptError

Type = Mapping[str, Any]

_LENGTH = np.dtype("<u8")
# What C's `long double` can be, by the bits that numpy counts (x87's 80 bits, and binary128): its
# bits and the lowest of them; where the sign is; the exponent, its bits and bias; the mantissa and
# its bits; whether its first bit is implied (0) or stored (2).
_LONG_FORMS = {
    63: (80, 0, 79, 64, 15, 16383, 0, 64, 2),
    112: (128, 0, 127, 112, 15, 16383, 0, 112, 0),
}


def file_dtype(described: Type) -> np.dtype | None:
    """The numpy type of elements as they lie in the file; ``None``: of no fixed size."""
    kind, size = described["kind"], described["size"]
    order = ">" if described["is_big"] else "<"
    if described.get("is_partial"):
        # Bytes rather than other numbers.
        return np.dtype(f"V{size}")
    if kind in ("integer", "bitfield", "time") and size in (1, 2, 4, 8):
        letter = "i" if described.get("signed") else "u"
        return np.dtype(f"{order}{letter}{size}")
    if kind == "float":
        return _float(described).newbyteorder(order)
    if kind == "text":
        return np.dtype(f"S{size}")
    if kind == "enumeration":
        return file_dtype(described["base"])
    if kind == "complex":
        return _complex(file_dtype(described["base"]))
    if kind == "array":
        base = file_dtype(described["base"])
        return None if base is None else np.dtype((base, tuple(described["shape"])))
    if kind == "compound":
        return _compound(described)
    if kind in ("string", "vlen", "reference"):
        return None
    return np.dtype(f"V{size}")


def _float(described: Type) -> np.dtype:
    if described["number"] is not None:
        return np.dtype(described["number"])
    size, form = described["size"], tuple(described["form"])
    long = np.dtype(np.longdouble)
    if size == long.itemsize and form == _LONG_FORMS.get(np.finfo(long).nmant):
        return long
    # Bytes rather than other numbers.
    return np.dtype(f"V{size}")


def _complex(part: np.dtype | None) -> np.dtype | None:
    if part is None or part.kind != "f" or part.itemsize < 4:
        return None
    return np.dtype(f"{part.byteorder}c{2 * part.itemsize}")


def _compound(described: Type) -> np.dtype | None:
    names, formats, offsets = [], [], []
    for name, offset, member in described["members"]:
        dtype = file_dtype(member)
        if dtype is None:
            return None
        names.append(name)
        formats.append(dtype)
        offsets.append(offset)
    if names == ["r", "i"] and formats[0] == formats[1]:
        # Complex numbers, as Python's libraries store them.
        found = _complex(formats[0])
        if found is not None and found.itemsize == described["size"]:
            return found
    layout = {
        "names": names,
        "formats": formats,
        "offsets": offsets,
        "itemsize": described["size"],
    }
    return np.dtype(layout)  # type: ignore[call-overload]


def read_dtype(described: Type, element: str) -> np.dtype:
    """The numpy type of elements as users get them: numbers in this machine's byte order, also
    those in compounds, as in netCDF4-python. Elements that are arrays have numpy's type of an
    array, as in h5py."""
    return raw_dtype(described, element).newbyteorder("=")


def element_axes(dtype: np.dtype) -> tuple[np.dtype, tuple[int, ...]]:
    """The type of single values, and the axes that elements add where they are arrays."""
    axes: tuple[int, ...] = ()
    while dtype.subdtype is not None:
        dtype, inner = dtype.subdtype
        axes += inner
    return dtype, axes


def native(values: np.ndarray) -> np.ndarray:
    """Values in this machine's byte order."""
    # By the type that the array has: it has taken the axes of elements that are arrays out of
    # theirs, and would be given them once more.
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def raw_dtype(described: Type, element: str) -> np.dtype:
    """The numpy type of elements as the reader hands them over: what is no single number has the
    bytes of the file."""
    if element == "O":
        return _indirect_dtype(described)
    if element[0] == "e":
        return np.dtype(f"{'i' if described['base'].get('signed') else 'u'}{described['size']}")
    if element[0] in "iuf":
        return np.dtype(element)
    stored = file_dtype(described)
    if stored is None or stored.itemsize != int(element[1:]):
        return np.dtype(f"V{element[1:]}")
    return stored


def _indirect_dtype(described: Type) -> np.dtype:
    if described["kind"] != "array":
        return np.dtype(object)
    return np.dtype((_indirect_dtype(described["base"]), tuple(described["shape"])))


def enum_members(described: Type) -> dict[str, int] | None:
    """Names and values of an enumeration; ``None``: it is none."""
    if described["kind"] != "enumeration":
        return None
    is_signed = bool(described["base"].get("signed"))
    return {
        name: int.from_bytes(value, "little", signed=is_signed)
        for name, value in described["members"].items()
    }


def decode(described: Type, data: bytes, count: int) -> list[Any] | np.ndarray:
    """``count`` expanded elements."""
    found, end = _decode(described, data, 0, count)
    if end != len(data):
        raise CorruptError("values do not fit their type")
    return found


def _decode(
    described: Type, data: bytes, at: int, count: int
) -> tuple[list[Any] | np.ndarray, int]:
    plain = _packed_dtype(described)
    if plain is not None:
        end = at + count * plain.itemsize
        if end > len(data):
            raise CorruptError("values do not fit their type")
        values = np.frombuffer(data, plain, count, at) if count else np.empty(0, plain)
        return native(values), end
    if described["kind"] == "array":
        shape = described["shape"]
        values, at = _decode(described["base"], data, at, count * int(np.prod(shape)))
        return _array(values).reshape(count, *shape), at
    values_list: list[Any] = []
    for _ in range(count):
        value, at = _one(described, data, at)
        values_list.append(value)
    return values_list, at


def _packed_dtype(described: Type) -> np.dtype | None:
    """The type of expanded elements where that is of a fixed size."""
    if described["number"] is not None:
        return np.dtype(described["number"])
    kind = described["kind"]
    if kind == "enumeration":
        return _packed_dtype(described["base"])
    if kind == "compound":
        members = [(name, _packed_dtype(member)) for name, _, member in described["members"]]
        if any(dtype is None for _, dtype in members):
            return None
        stored = file_dtype(described)
        if stored is not None and stored.kind == "c":
            return stored.newbyteorder("<")
        return np.dtype(members)
    if kind == "array":
        base = _packed_dtype(described["base"])
        return None if base is None else np.dtype((base, tuple(described["shape"])))
    dtype = file_dtype(described)
    return None if dtype is None else dtype.newbyteorder("<")


def _one(described: Type, data: bytes, at: int) -> tuple[Any, int]:
    kind = described["kind"]
    if kind in ("string", "reference"):
        length, at = _length(data, at)
        return text(data[at : at + length]), at + length
    if kind == "vlen":
        length, at = _length(data, at)
        values, at = _decode(described["base"], data, at, length)
        return _array(values), at
    if kind == "compound":
        record = {}
        for name, _, member in described["members"]:
            values, at = _decode(member, data, at, 1)
            record[name] = values[0]
        return record, at
    raise CorruptError(f"values of the type {kind} cannot be shown")


def _length(data: bytes, at: int) -> tuple[int, int]:
    if at + 8 > len(data):
        raise CorruptError("values do not fit their type")
    length = int(np.frombuffer(data, _LENGTH, 1, at)[0])
    if length > len(data) - at - 8:
        raise CorruptError("values do not fit their type")
    return length, at + 8


def _array(values: list[Any] | np.ndarray) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def text(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 becomes replacement characters, as in netCDF4-python."""
    return data.decode("utf-8", errors="replace")


def attributes(described: Iterable[tuple[str, Type, Any, bytes | None]]) -> Mapping[str, Any]:
    """Attributes by name."""
    return MappingProxyType({name: attribute(*rest) for name, *rest in described})


def attribute(described: Type, shape: Sequence[int] | None, data: bytes | None) -> Any:
    """An attribute's value as netCDF4-python gives it.

    Text is ``str``, several texts are a list; one number is a numpy scalar, several are an array.
    No value at all is an empty text, list or array of the attribute's type.
    """
    if shape is None:
        if described["kind"] == "text":
            return ""
        shape, data = (0,), b""
    if data is None:
        return None
    count = math.prod(shape)
    if described["kind"] == "text":
        if count == 1:
            return text(data).replace("\0", "")
        size = described["size"]
        texts = [text(data[i * size : (i + 1) * size]).replace("\0", "") for i in range(count)]
        return texts
    values = decode(described, data, count)
    if described["kind"] == "string":
        return values[0] if count == 1 else list(values)
    array = _array(values)
    return array[0] if count == 1 else array.reshape(tuple(shape) + array.shape[1:])
