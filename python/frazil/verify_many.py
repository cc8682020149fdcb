"""Many files compared with what was made of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from . import checks
from .errors import Error, InvalidArgumentError, MismatchError
from .operations import verify
from .options import StrPath
from .reports import VerifyReport
from .types import whole_count

# What data files are called, where a folder is given.
_ENDINGS = frozenset((".nc", ".nc3", ".nc4", ".cdf", ".h5", ".hdf5", ".he5", ".netcdf"))
# What the command and the package have if nobody states it.
_MEMORY = 256 << 20


def verify_files(
    inputs: StrPath | Sequence[StrPath],
    out_dir: StrPath,
    *,
    recursive: bool = False,
    thresholds: Literal["ldcpy"] | None = None,
    values_only: bool = False,
    check: bool = False,
    jobs: int = 1,
    threads: int | None = None,
    memory: int | str | None = None,
) -> list[VerifyReport]:
    """Compare files with their results in another folder, as ``frazil verify --out-dir`` does.

    Parameters
    ----------
    inputs : path or sequence of path
        The originals: files, or folders of data files.
    out_dir : path
        The folder of results: each has the name of its original, or its path below the folder.
    recursive : bool
        Also take the files in nested folders.
    thresholds : "ldcpy", optional
        Tests that rounded variables must pass in addition to their bounds.
    values_only : bool
        As in :func:`verify`.
    check : bool
        Raise :class:`frazil.errors.MismatchError` at the first result that differs.
    jobs : int
        Files at a time, which share threads and memory.

    Returns
    -------
    list of VerifyReport
        In the order of the inputs; those of a folder in the order of their names.

    Raises
    ------
    frazil.Error
        If one file could not be compared; all others are.
    ExceptionGroup
        If several could not be compared, with one :class:`frazil.Error` for each.
    """
    pairs = _pairs(inputs, checks.path("out_dir", out_dir, "a path"), recursive)
    lanes = whole_count(jobs, "jobs", least=1)
    share = (_MEMORY if memory is None else memory) // lanes
    each = (checks.threads(threads) or os.cpu_count() or 1) // lanes

    def compare(pair: tuple[Path, Path]) -> VerifyReport | Error:
        options = {
            "thresholds": thresholds,
            "values_only": values_only,
            "threads": max(1, each),
            "memory": share,
        }
        try:
            return verify(*pair, **options)
        except InvalidArgumentError:
            raise
        except Error as error:
            return error

    with ThreadPoolExecutor(lanes) as pool:
        found = list(pool.map(compare, pairs))
    errors = [one for one in found if isinstance(one, Error)]
    if len(errors) > 1:
        cause = f"{len(errors)} of {len(found)} files could not be compared"
        raise ExceptionGroup(cause, errors)
    if errors:
        raise errors[0]
    reports = [one for one in found if isinstance(one, VerifyReport)]
    if check:
        for report in reports:
            if not report:
                path, what = report._rows()[0]
                raise MismatchError(what, file=os.fspath(report.b), variable=path)
    return reports


def _pairs(
    inputs: StrPath | Sequence[StrPath], out_dir: Path, recursive: bool
) -> list[tuple[Path, Path]]:
    """Originals and where their results are."""
    pairs = []
    for given in [inputs] if isinstance(inputs, str | os.PathLike) else inputs:
        path = checks.path("inputs", given, "a path, or a sequence of paths")
        if not path.is_dir():
            pairs.append((path, out_dir / path.name))
            continue
        found = sorted(path.rglob("*") if recursive else path.iterdir())
        below = [one.relative_to(path) for one in found if _is_data(one, path, out_dir)]
        pairs += [(path / one, out_dir / one) for one in below]
    if not pairs:
        raise InvalidArgumentError(
            "there are no files to compare", cure="name data files, or state recursive=True"
        )
    return pairs


def _is_data(path: Path, root: Path, out_dir: Path) -> bool:
    """Whether a file of a folder is data; hidden ones and results are not."""
    is_hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    is_result = out_dir.resolve() in path.resolve().parents and out_dir.resolve() != root.resolve()
    return path.is_file() and path.suffix.lower() in _ENDINGS and not (is_hidden or is_result)
