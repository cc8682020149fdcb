"""Filters that a variable asks for: by the words of netCDF4-python, as numbers and client data."""

from .errors import InvalidArgumentError, UnsupportedError
from .types import STRING, numpy_dtype

_DEFLATE, _SHUFFLE, _FLETCHER32, _ZSTD = 1, 2, 3, 32015
_COMPRESSORS = {"zlib": _DEFLATE, "deflate": _DEFLATE, "gzip": _DEFLATE, "zstd": _ZSTD}
_LEVELS = {_DEFLATE: 4, _ZSTD: 3}
HIGHEST_LEVELS = {"zlib": 9, "deflate": 9, "gzip": 9, "zstd": 22}


def is_filtered(compression: str | None, level: int | None, checksum: bool) -> bool:
    """Whether filters are asked for."""
    is_compressed = compression != "none" and level != 0
    return checksum or (is_compressed and not (compression is None and level is None))


def filters_of(
    number: int, compression: str | None, level: int | None, shuffle: bool, checksum: bool
) -> list[tuple[int, list[int]]] | None:
    """Identifier and client data of each filter of a variable of the type ``number``; ``None``:
    they are left to a choice.

    Raises
    ------
    UnsupportedError
        For a compressor that frazil does not write.
    InvalidArgumentError
        For a level that the compressor does not have.
    """
    if number == STRING or (compression is None and level is None and not checksum):
        return None
    filters: list[tuple[int, list[int]]] = []
    if compression != "none" and level != 0:
        compressor = _COMPRESSORS.get(compression or "zlib")
        if compressor is None:
            raise UnsupportedError(
                f"frazil does not write {compression!r}",
                cure="'zlib' is read everywhere, 'zstd' by readers with plugins",
            )
        highest = HIGHEST_LEVELS[compression or "zlib"]
        if level is not None and level > highest:
            raise InvalidArgumentError(
                f"the level is {level}; {compression or 'zlib'} has levels up to {highest}"
            )
        size = numpy_dtype(number).itemsize
        if shuffle and size > 1:
            filters.append((_SHUFFLE, [size]))
        filters.append((compressor, [_LEVELS[compressor] if level is None else level]))
    if checksum:
        filters.append((_FLETCHER32, []))
    return filters
