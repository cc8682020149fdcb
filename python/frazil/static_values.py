"""Variables that do not grow where others do: are they the same as those of the file?

They are not written again. Values added at other coordinates would lie in the wrong places.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from .errors import InvalidArgumentError
from .options import StrPath


def differing(
    given: xr.Dataset,
    existing: xr.Dataset,
    encodings: Mapping[Hashable, Mapping[str, Any]],
    file: StrPath,
) -> list[str]:
    """Looks at variables that both have and that are in memory.

    Parameters
    ----------
    given, existing : Dataset
        The values added, and those of the file.
    encodings : mapping
        The encodings that the file has for the variables to look at.
    file : path
        What errors name.

    Returns
    -------
    list of str
        Variables that have other values.

    Raises
    ------
    InvalidArgumentError
        If the coordinate of a dimension is among them.
    """
    found = []
    for name, encoding in encodings.items():
        ours, theirs = existing.variables[name], given.variables[name]
        if not isinstance(theirs._data, np.ndarray) and theirs.dims != (name,):
            # Nothing is computed, or read from other files, for a comparison.
            continue
        what = _difference(ours, theirs, encoding, str(name))
        if what is None:
            continue
        if theirs.dims == (name,):
            raise InvalidArgumentError(
                f"this coordinate has other values in the file: {what}",
                file=file,
                variable=str(name),
                cure=f"select or interpolate to those of the file; ds.drop_vars({str(name)!r}) "
                "adds values without a look at them",
            )
        found.append(str(name))
    return found


def _difference(
    ours: xr.Variable, theirs: xr.Variable, encoding: Mapping[str, Any], name: str
) -> str | None:
    """In words; ``None``: values are the same, once they are encoded as those of the file."""
    if ours.dims != theirs.dims or ours.shape != theirs.shape:
        return f"{_axes(ours)} there, {_axes(theirs)} in the values added"
    theirs = as_read(_with_empty_texts(theirs), encoding, name)
    left, right = ours.values, theirs.values
    same = np.zeros(left.shape, bool)
    # Some types do not compare: they differ.
    with contextlib.suppress(TypeError):
        same |= (left == right) | ((left != left) & (right != right))
    if same.all():
        return None
    at = tuple(np.argwhere(~same)[0])
    return f"{left[at]} there, {right[at]} in the values added"


def _with_empty_texts(variable: xr.Variable) -> xr.Variable:
    """In a file, a missing text is an empty one."""
    if variable.dtype.kind != "O":
        return variable
    return variable.copy(deep=False, data=np.where(variable.isnull(), "", variable.values))


def _axes(variable: xr.Variable) -> str:
    return str(dict(variable.sizes))


def as_read(variable: xr.Variable, encoding: Mapping[str, Any], name: str) -> xr.Variable:
    """A variable as it would come back from the file."""
    variable = variable.copy(deep=False)
    variable.encoding = dict(encoding)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            encoded = xr.conventions.encode_cf_variable(variable, name=name)
            return xr.conventions.decode_cf_variable(name, encoded, concat_characters=False)
        except (ValueError, TypeError, OverflowError):
            return variable
