"""All values of a file as `frazil.open` and as h5py give them."""

import warnings
from pathlib import Path

import frazil
import h5py
import hdf5plugin  # noqa: F401  (registers the filters that files use)
import numpy as np

# Larger arrays are read in part.
MOST_ELEMENTS = 1 << 20
LONG = (np.longdouble, np.clongdouble)


def wrong_values(path: Path) -> list[str]:
    """What is wrong with which datasets."""
    found: list[str] = []
    with h5py.File(path) as stock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with frazil.open(path) as ours:
            variables = _variables(ours)

            def visit(name: str, item: object) -> None:
                variable = variables.get(f"/{name}")
                # netCDF does not show dimensions without values, nor arrays without dataspace.
                if (
                    isinstance(item, h5py.Dataset)
                    and item.shape is not None
                    and variable is not None
                ):
                    found.extend(f"{name}: {what}" for what in _wrong(item, variable))

            stock.visititems(visit)
    return found


def _variables(group: object) -> dict:
    all_of = {variable.path: variable for variable in group.variables.values()}
    for below in group.groups.values():
        all_of |= _variables(below)
    return all_of


def _wrong(dataset: h5py.Dataset, variable: object) -> list[str]:
    if tuple(variable.shape[: dataset.ndim]) != dataset.shape:
        # As long as an unlimited dimension of netCDF.
        return []
    part = () if dataset.size <= MOST_ELEMENTS else tuple(slice(0, 5) for _ in dataset.shape)
    theirs, ours = _attempt(dataset, part), _attempt(variable, part)
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        is_same = isinstance(theirs, Exception) == isinstance(ours, Exception)
        words = f"h5py {_words(theirs)}, frazil {_words(ours)}"
        return [] if is_same or _is_beyond_h5py(theirs) else [words]
    return [] if _same(ours, theirs) else [f"{_start(ours)} instead of {_start(theirs)}"]


def _attempt(array: object, part: tuple) -> object:
    try:
        return np.asarray(array[part])
    except Exception as error:
        return error


def _is_beyond_h5py(outcome: object) -> bool:
    """What has no numpy type, or opaque data of two tags, is none of libhdf5's refusals."""
    is_other = isinstance(outcome, TypeError | ValueError | NotImplementedError | LookupError)
    return is_other or "no appropriate function for conversion path" in str(outcome)


def _words(outcome: object) -> str:
    return f"refuses: {outcome}" if isinstance(outcome, Exception) else "reads it"


def _start(values: np.ndarray) -> str:
    return f"{values.dtype} {values.shape} {values.ravel()[:3]!r}"


def _same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    if h5py.check_ref_dtype(theirs.dtype) is not None or theirs.dtype in LONG:
        # References, and what is handed out as it lies in the file.
        return True
    if ours.shape == () and ours.dtype.kind == "O":
        ours = np.asarray(ours.item())
    if theirs.dtype.names is not None:
        names = [
            name for name in theirs.dtype.names if ours.dtype.names and name in ours.dtype.names
        ]
        return all(_same(ours[name], theirs[name]) for name in names)
    if theirs.dtype.kind == "O" or ours.dtype.kind == "O":
        base = h5py.check_vlen_dtype(theirs.dtype)
        objects = list(theirs.ravel())
        if isinstance(base, np.dtype) and base.byteorder == ">":
            # h5py says of sequences in the other byte order that they are in the machine's.
            objects = [one.view(base) for one in objects]
        pairs = zip(ours.ravel(), objects, strict=False)
        return ours.size == theirs.size and all(_same_object(*pair) for pair in pairs)
    if ours.dtype.kind == "V" or theirs.dtype.kind == "V":
        return ours.tobytes() == theirs.tobytes()
    theirs = theirs.astype(ours.dtype)
    return ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()


def _same_object(ours: object, theirs: object) -> bool:
    if isinstance(theirs, h5py.Reference | h5py.RegionReference):
        return True
    if isinstance(theirs, np.ndarray):
        return _same(np.asarray(ours), theirs)
    text = [
        one.decode(errors="surrogateescape") if isinstance(one, bytes) else one
        for one in (ours, theirs)
    ]
    return text[0] == text[1]
