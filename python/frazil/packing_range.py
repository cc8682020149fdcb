"""Values that the type in the file must have a place for.

xarray casts what it has scaled, and numpy says nothing then: integers wrap around, a NaN becomes
some integer, and 1e300 infinity. A value that is packed as the fill value would be missing.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr

from . import packing_times
from .errors import EncodingNotice, InvalidArgumentError

_LARGER = "choose a larger dtype, or another scale_factor and add_offset"


def checked(
    variable: xr.Variable, name: str, file: str, *, is_asked: bool, is_continued: bool
) -> xr.Variable:
    """A variable that is refused, at the latest when its values are computed, if the type that its
    encoding asks for has no place for some of them.

    Parameters
    ----------
    variable : xarray.Variable
        Not encoded yet.
    name, file : str
        What errors name.
    is_asked : bool
        Whether the encoding is the user's for this file: a stated ``dtype`` rounds.
    is_continued : bool
        Whether the values go on after those of the file.

    Raises
    ------
    InvalidArgumentError
        With ``file`` and ``variable``; of dask's arrays in the task of the block.
    """
    numbers = packing_times.as_numbers(variable, name)
    if numbers is not None:
        packing = _packing(numbers, name, file, "rounded")
        if packing is not None:
            packing.checked(numbers.values)
        if is_continued:
            packing_times.check_exact(variable, numbers, name, file)
        return variable
    fractions: _Fractions = "refused" if is_continued else "rounded" if is_asked else "told"
    packing = _truths(variable, name, file) or _packing(variable, name, file, fractions)
    if packing is None:
        return variable
    data = variable._data
    if hasattr(data, "__dask_graph__"):
        blocks = data.map_blocks(packing.checked, dtype=data.dtype, meta=data._meta)
        return variable.copy(deep=False, data=blocks)
    packing.checked(variable.values)
    return variable


_Fractions = Literal["refused", "told", "rounded"]


@dataclass(frozen=True)
class _Truths:
    """Numbers that are stored as true and false."""

    name: str
    file: str

    def checked(self, values: Any) -> Any:
        """Values as they are, if all are 0 or 1."""
        wrong = (values != 0) & (values != 1)
        if np.any(wrong):
            raise InvalidArgumentError(
                f"{values[wrong].flat[0]} is neither 0 nor 1, and the variable is stored as bool",
                file=self.file,
                variable=self.name,
                cure="state another dtype in encoding, or fill what is missing",
            )
        return values


def _truths(variable: xr.Variable, name: str, file: str) -> _Truths | None:
    is_stored_so = str(variable.encoding.get("dtype")) in ("bool", "<class 'bool'>")
    return _Truths(name, file) if is_stored_so and variable.dtype.kind in "fiu" else None


def _packing(variable: xr.Variable, name: str, file: str, fractions: _Fractions) -> _Packing | None:
    """How values become those in the file; ``None``: they stay as they are."""
    encoding = variable.encoding
    try:
        dtype = np.dtype(encoding.get("dtype"))
    except TypeError:
        return None
    if encoding.get("dtype") is None or dtype.kind not in "iuf" or variable.dtype == dtype:
        return None
    if variable.dtype.kind not in ("f" if dtype.kind == "f" else "fiu"):
        return None
    unsigned = str(encoding.get("_Unsigned", variable.attrs.get("_Unsigned", ""))).lower()
    if dtype.kind in "iu" and unsigned in ("true", "false"):
        dtype = np.dtype(f"{'u' if unsigned == 'true' else 'i'}{dtype.itemsize}")
    scale, offset = (_number(encoding.get(key)) for key in ("scale_factor", "add_offset"))
    missing = [_missing(encoding.get(key), dtype) for key in ("_FillValue", "missing_value")]
    return _Packing(
        name=name,
        file=file,
        dtype=dtype,
        scale=scale,
        offset=offset,
        missing=tuple({one for one in missing if one is not None}),
        fractions=fractions,
    )


def _number(stated: Any) -> float | None:
    # Integers would wrap around in the small types of values.
    return None if stated is None else float(np.asarray(stated).item())


def _missing(stated: Any, dtype: np.dtype) -> int | None:
    """A value of integers that stands for a missing one; ``None``: there is none."""
    found = np.asarray(stated)
    if dtype.kind == "f" or found.dtype.kind not in "iuf" or found.size != 1:
        return None
    if not np.isfinite(found).all():
        return None
    # 255 and -1 are the same byte, which _Unsigned gives its meaning.
    whole = found.astype("i8") if found.dtype.kind == "f" else found
    return whole.astype(dtype).item()


@dataclass(frozen=True)
class _Packing:
    """How the values of a variable become those in the file."""

    name: str
    file: str
    dtype: np.dtype
    scale: float | None
    offset: float | None
    missing: tuple[int, ...]
    fractions: _Fractions

    def checked(self, values: Any) -> Any:
        """Values as they are, if all of them have a place."""
        if not np.size(values):
            return values
        least, most = self._extremes(values)
        for extreme in (least, most):
            self._check_range(values, extreme)
        if self.dtype.kind in "iu":
            self._check_missing(values, *sorted((self._packed(least), self._packed(most))))
            if values.dtype.kind == "f" and self.scale is None and self.offset is None:
                self._check_whole(values)
        return values

    def _packed(self, values: Any) -> Any:
        if self.offset is not None:
            values = values - self.offset
        return values if self.scale is None else values / self.scale

    def _extremes(self, values: Any) -> tuple[Any, Any]:
        """The least and the largest value; NaN only if there is nothing else."""
        least = np.minimum.reduce(values, axis=None)
        if least == least:
            return least, np.maximum.reduce(values, axis=None)
        if self.dtype.kind in "iu" and not self.missing:
            raise self._refused(
                f"some values are NaN, and {self.dtype.name} has no place for them",
                "state a _FillValue in encoding, or fill the missing values",
            )
        return np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)

    def _check_range(self, values: Any, extreme: Any) -> None:
        number = self._packed(extreme)
        if self.dtype.kind == "f":
            self._check_finite(values, number)
            return
        if number != number:
            # Nothing is known of NaN.
            return
        limits = np.iinfo(self.dtype)
        # Python's integers are exact: floats do not tell 2^63 from the largest int64.
        packed = _rounded(number)
        if not limits.min <= packed <= limits.max:
            raise self._refused(
                f"{extreme} is packed as {packed}, and {self.dtype.name} holds {limits.min} to "
                f"{limits.max}",
                _LARGER,
            )

    def _check_finite(self, values: Any, number: Any) -> None:
        """Refuses numbers that become infinite, if the extremes say that there may be some."""
        if not _overflows(number, self.dtype):
            return
        lost = _overflows(self._packed(values), self.dtype) & np.isfinite(values)
        if lost.any():
            cause = f"{values[lost].flat[0]} is beyond what {self.dtype.name} holds"
            raise self._refused(cause, _LARGER)

    def _check_missing(self, values: Any, least: Any, most: Any) -> None:
        """Refuses values that would be read as missing ones."""
        is_packed = self.scale is not None or self.offset is not None
        for missing in self.missing:
            if not least - 0.5 <= missing <= most + 0.5:
                continue
            same = np.rint(self._packed(values)) == missing
            if not is_packed:
                # As it is, it stands for a missing value already.
                same &= values != missing
            if same.any():
                raise self._refused(
                    f"{values[same].flat[0]} is packed as {missing}, which stands for missing "
                    "values",
                    "choose another _FillValue, or put NaN where values are missing",
                )

    def _check_whole(self, values: Any) -> None:
        if self.fractions == "rounded":
            return
        changed = (np.rint(values) != values) & (values == values)
        if not changed.any():
            return
        what = f"is no integer, and the variable is stored as {self.dtype.name}"
        if self.fractions == "refused":
            raise self._refused(
                f"{values[changed].flat[0]} {what} in the file",
                "round the values before, or write the file with a dtype of floats",
            )
        # The same text for every block: Python shows it once.
        warnings.warn(
            f"{self.name}: values are rounded to {self.dtype.name}, the dtype that came with the "
            "data; encoding={name: {'dtype': 'f8'}} keeps them",
            EncodingNotice,
            stacklevel=2,
        )

    def _refused(self, cause: str, cure: str) -> InvalidArgumentError:
        return InvalidArgumentError(cause, file=self.file, variable=self.name, cure=cure)


def _rounded(number: Any) -> Any:
    """The nearest of Python's integers; infinite numbers as they are."""
    if np.asarray(number).dtype.kind in "iu":
        return int(number)
    return int(np.rint(number)) if np.isfinite(number) else number


def _overflows(numbers: Any, dtype: np.dtype) -> Any:
    with np.errstate(over="ignore"):
        return np.isinf(np.asarray(numbers).astype(dtype))
