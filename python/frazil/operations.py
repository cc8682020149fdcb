"""The operations on whole files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Literal, Unpack

from . import _frazil, checks, history
from .errors import MismatchError, named
from .keywords import PackKeywords, PlanKeywords, UnpackKeywords
from .options import StrPath, as_json, documented, pack_options, stated
from .progress import Progress, ProgressBar, listener
from .reports import AnalyzeReport, FileInfo, PackReport, RecoverReport, VerifyReport, WritePlan


def _finish(bar: Progress | None) -> None:
    if isinstance(bar, ProgressBar):
        bar.close()


@documented(PackKeywords)
def pack(
    input: StrPath,
    output: StrPath | None = None,
    *,
    in_place: bool = False,
    progress: bool | Progress | None = None,
    **options: Unpack[PackKeywords],
) -> PackReport:
    """Pack a file: a netCDF classic, netCDF-4 or HDF5 file into a small netCDF-4/HDF5 file.

    Parameters
    ----------
    input : path
        The file.
    output : path, optional
        The new file, or a folder for it. You can leave it out only in a dry run and with
        ``in_place``.
    in_place : bool
        Replace the input, once the new file is verified. Rounded values are then lost for good.
    progress : bool or Progress, optional
        ``True`` shows a bar.
    **options
        Options of ``frazil pack``, by the same names: docs/options.md lists them.

    Returns
    -------
    PackReport

    Raises
    ------
    frazil.Error
        With code, file, variable, cause and cure. The input is untouched and no output is left.
    """
    bar = listener(progress)
    asked = stated(pack, PackKeywords, options)
    asked["history"] = history.call("pack", asked, input, output)
    # Left out, it has a meaning of its own.
    asked["allow_larger"] = asked.get("allow_larger") or None
    target = checks.target(output, in_place=in_place, is_dry_run=asked.get("dry_run") is True)
    try:
        with named(input):
            described = pack_options(asked)
        report = _frazil.pack(os.fspath(input), target, described, bar)
        return PackReport._of(json.loads(report))
    finally:
        _finish(bar)


@documented(PlanKeywords)
def plan(input: StrPath, **options: Unpack[PlanKeywords]) -> WritePlan:
    """Decide as :func:`pack` would, and write nothing.

    Parameters
    ----------
    input : path
        The file.
    **options
        Options of :func:`pack` that concern decisions: docs/options.md lists them.
    """
    with named(input):
        asked = pack_options(stated(plan, PlanKeywords, options))
    return WritePlan._of(json.loads(_frazil.plan(os.fspath(input), asked)))


@documented(UnpackKeywords)
def unpack(
    input: StrPath,
    output: StrPath | None = None,
    *,
    in_place: bool = False,
    progress: bool | Progress | None = None,
    **options: Unpack[UnpackKeywords],
) -> PackReport:
    """Undo :func:`pack`: remove filters, and store variables without unlimited dimensions
    contiguously.

    It returns and raises the same as :func:`pack`.

    Parameters
    ----------
    input, output, in_place, progress
        As for :func:`pack`.
    **options
        Options of ``frazil unpack``, by the same names: docs/options.md lists them.
    """
    bar = listener(progress)
    asked = stated(unpack, UnpackKeywords, options)
    described = as_json(**{**asked, "history": history.call("unpack", asked, input, output)})
    target = checks.target(output, in_place=in_place)
    try:
        return PackReport._of(json.loads(_frazil.unpack(os.fspath(input), target, described, bar)))
    finally:
        _finish(bar)


def info(
    path: StrPath,
    *,
    fill_fraction: bool = False,
    cloud: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
) -> FileInfo:
    """Inspect a file: its contents, how they are stored, and who can read it.

    Parameters
    ----------
    fill_fraction : bool
        Also read all values, and count those equal to the fill value.
    cloud : bool
        Also count the requests, rounds and bytes that reads would need in a bucket: ``info.cloud``.
    """
    limits = as_json(threads=threads, memory=memory)
    name = os.fspath(path)
    found = json.loads(_frazil.info(name, fill_fraction, limits))
    if cloud:
        found["cloud"] = json.loads(_frazil.cloud_cost(name))
    return FileInfo._of(found)


def verify(
    a: StrPath,
    b: StrPath,
    *,
    thresholds: Literal["ldcpy"] | None = None,
    values_only: bool = False,
    check: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Progress | None = None,
) -> VerifyReport:
    """Compare two files, value by value. The report is true if they hold the same.

    Parameters
    ----------
    a, b : path
        The original, and its result. If ``b`` states a bound for a rounded variable, values must
        keep that bound.
    thresholds : "ldcpy", optional
        Tests that rounded variables must pass in addition to their bounds.
    values_only : bool
        Compare only variables, with their types, shapes and values, and the attributes that values
        are unpacked by (``scale_factor``, ``add_offset``, ``_Unsigned``).
    check : bool
        Raise :class:`frazil.errors.MismatchError` at a difference.
    """
    bar = listener(progress)
    options = as_json(
        thresholds=thresholds, values_only=values_only, threads=threads, memory=memory
    )
    try:
        report = VerifyReport._of(
            json.loads(_frazil.verify(os.fspath(a), os.fspath(b), options, bar))
        )
    finally:
        _finish(bar)
    if check and not report:
        first = report._rows()[0]
        raise MismatchError(first[1], file=os.fspath(b), variable=first[0])
    return report


def analyze(
    path: StrPath,
    *,
    keep_information: float = 0.99,
    variables: Sequence[str] = (),
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | Progress | None = None,
) -> AnalyzeReport:
    """Measure the information in the bits of floating-point variables, and how many to keep.

    Parameters
    ----------
    keep_information : float
        The share of information that the recommended bits keep, above 0 and at most 1.
    variables : sequence of str
        Names or patterns; empty: all.
    """
    bar = listener(progress)
    options = as_json(
        keep_information=keep_information,
        variables=[variables] if isinstance(variables, str) else list(variables),
        threads=threads,
        memory=memory,
    )
    try:
        return AnalyzeReport._of(json.loads(_frazil.analyze(os.fspath(path), options, bar)))
    finally:
        _finish(bar)


def recover(path: StrPath) -> RecoverReport:
    """Bring a file back to its last commit after its writer was killed.

    If there is nothing to recover, the file does not change and the outcome is ``"clean"``.
    Otherwise it is ``"discarded"``, ``"completed"`` or ``"taken_back"``.
    Bytes that a killed writer of frazil left behind the last commit, which no reader sees, are
    removed (``removed_bytes``). Others stay (``remaining_bytes``), and all do if another program
    has the file open or may be writing it.
    A file that cannot be read raises the error that ``info`` raises.
    """
    return RecoverReport._of(json.loads(_frazil.recover(os.fspath(path))))


def about() -> dict[str, Any]:
    """What this build is made of: version, libraries, filters."""
    return json.loads(_frazil.about())
