"""Real files, rounded: every stated bound holds, every special value is as it was.

Each file is packed with one of two requests, chosen by its name; with FRAZIL_FULL=1 with both.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, frazil
from support.data import CORPUS, CORPUS_ABSENT, corpus_files, corpus_name, kind
from support.precision import STATEMENT
from support.rounding import NETCDF_FILL, allowed_errors, errors, is_normal, words
from support.sampling import FULL

Record = Callable[[str, object], None]

REQUESTS = {
    "information": ("--keep-information", 0.99),
    "relative": ("--rel-error", 1e-3),
}

pytestmark = [
    pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT),
    pytest.mark.sampled(one_in=3),
]


def runs() -> list[tuple[Path, str]]:
    """Files and requests."""
    chosen = []
    for path in corpus_files():
        names = sorted(REQUESTS)
        one = names[zlib.crc32(corpus_name(path).encode()) % len(names)]
        chosen += [(path, name) for name in names if FULL or name == one]
    return chosen


def run_name(value: Path | str) -> str:
    return value if isinstance(value, str) else corpus_name(value)


@pytest.mark.parametrize(("source", "requested"), runs(), ids=run_name)
def test_rounded_files_hold_what_they_state(
    source: Path, requested: str, tmp_path: Path, record_property: Record
):
    packed = tmp_path / "packed.nc"
    outcome = frazil("pack", source, "-o", packed, *REQUESTS[requested], "--json")
    if outcome.code != DONE:
        # Then it cannot be packed without precision either: another test knows why.
        assert frazil("pack", source, "-o", tmp_path / "exact.nc").code == outcome.code
        record_property("corpus", "cannot be packed")
        return
    report = outcome.report["reports"][0]
    touched = {one["path"] for one in report["variables"] if one["precision"]}
    outcome = frazil("verify", source, packed, "--json")
    assert outcome.code == DONE, outcome.stdout[:3000]
    judged = outcome.report["reports"][0]["precision"]
    for one in judged:
        assert one["passed"] and not one["beyond_bound"] and not one["special_changed"], one
        if one["path"] in touched and requested == "information":
            assert one["preserved_information"] >= 0.99, one
    assert touched <= {one["path"] for one in judged}
    unread = [path for path in sorted(touched) if not check_variable(source, packed, path)]
    for _ in unread:
        record_property("corpus", "variable not judged by numpy, h5py lacks its filter")
    what = "rounded" if touched else "without a variable to round"
    record_property("corpus", f"{what} ({requested})")


def check_variable(source: Path, packed: Path, path: str) -> bool:
    """Compares with the original by numpy alone; False if h5py cannot read the original."""
    with h5py.File(packed) as file, opened(source) as original:
        said = file[path].attrs
        bounds = {
            "absolute": said.get("quantization_maximum_absolute_error"),
            "relative": said.get("quantization_maximum_relative_error"),
            "finest": said.get("quantization_finest_absolute_error", 0.0),
        }
        assert bounds["relative"] is not None and set(said) & set(STATEMENT[1:3])
        known = protected(file[path])
        before = original[path if kind(source) == "hdf5" else path.lstrip("/")]
        try:
            for a, b in pieces(before, file[path]):
                check_piece(a, b, known, bounds)
        except OSError as error:
            if "plugin" in str(error):
                return False
            raise
    return True


def check_piece(a: np.ndarray, b: np.ndarray, known: np.ndarray, bounds: dict) -> None:
    special = ~is_normal(a) | np.isin(a, known)
    assert (words(a)[special] == words(b)[special]).all()
    a, b = a[~special], b[~special]
    assert (errors(a, b) <= allowed_errors(a, **bounds)).all()
    assert not np.isin(b, known).any()


def pieces(
    before: h5py.Dataset | netCDF4.Variable, after: h5py.Dataset
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Original and rounded values, some rows at a time."""
    rows = max(1, (1 << 20) // max(1, int(np.prod(after.shape[1:]))))
    for row in range(0, after.shape[0] if after.shape else 1, rows):
        part = slice(row, row + rows) if after.shape else ()
        yield native(before[part]), native(after[part])


def native(values: np.ndarray) -> np.ndarray:
    """At least one dimension, the machine's byte order."""
    values = np.atleast_1d(values)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def opened(source: Path) -> h5py.File | netCDF4.Dataset:
    if kind(source) == "hdf5":
        return h5py.File(source)
    file = netCDF4.Dataset(source)
    file.set_auto_maskandscale(False)
    return file


def protected(dataset: h5py.Dataset) -> np.ndarray:
    """Fill and missing values as the variable's own type sees them."""
    values = [np.ravel(dataset.attrs.get(name, [])) for name in ("_FillValue", "missing_value")]
    numbers = [one.astype(dataset.dtype) for one in values if one.dtype.kind in "fiu"]
    if "_FillValue" not in dataset.attrs:
        numbers.append(np.array([NETCDF_FILL], dataset.dtype))
    return np.concatenate(numbers) if numbers else np.zeros(0, dataset.dtype)
