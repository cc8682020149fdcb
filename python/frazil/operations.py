"""The operations on whole files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from . import _frazil
from .errors import InvalidArgumentError, MismatchError
from .progress import Progress, ProgressBar, listener
from .reports import AnalyzeReport, FileInfo, PackReport, RecoverReport, VerifyReport, WritePlan

StrPath = str | os.PathLike[str]
Precision = Mapping[str, Any] | StrPath
Speed = float | str


def _options(**options: Any) -> str:
    """Options as JSON; what is ``None`` is left to frazil."""
    return _json({key: value for key, value in options.items() if value is not None})


def _json(options: Any) -> str:
    try:
        return json.dumps(options, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"an option cannot be understood: {error}") from None


def _limits(threads: int | None, memory: int | None) -> dict[str, int]:
    limits = {"threads": threads, "memory_bytes": memory}
    return {key: value for key, value in limits.items() if value is not None}


# What rules state of filters; all else is about precision.
_ABOUT_FILTERS = ("comp_speed", "decomp_speed", "filters", "ratio_tolerance_percent")


def precision_rules(
    precision: Precision | list[dict[str, Any]] | None,
) -> list[dict[str, Any]]:
    """``precision=`` as rules: a mapping of patterns to what is stated, or a TOML file of rules.

    Rules stay as they are.
    """
    if precision is None:
        return []
    if isinstance(precision, list):
        return precision
    if isinstance(precision, Mapping):
        return [
            {"variables": [pattern], "wish": {"lossless": True} if wish is None else dict(wish)}
            for pattern, wish in precision.items()
        ]
    rules = json.loads(_frazil.read_precision(Path(precision)))
    return [{"variables": patterns, "wish": wish} for patterns, wish in rules]


def check_names(rules: list[dict[str, Any]], paths: Sequence[str], file: StrPath) -> None:
    """Refuses rules about precision that name a variable which a file to be does not get."""
    try:
        _frazil.check_names(_json(rules), list(paths))
    except InvalidArgumentError as error:
        error.file = os.fspath(file)
        raise


def names_are_checked(precision: Precision | None, inputs: Sequence[Path]) -> bool:
    """Whether all variables that rules about precision name are in some input.

    ``False``: no input can be read here.
    """
    return _frazil.check_names_in(_json(precision_rules(precision)), list(inputs))


def filter_rules(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What of rules is about filters."""
    parts = (
        {key: rule["wish"][key] for key in _ABOUT_FILTERS if key in rule["wish"]} for rule in rules
    )
    pairs = zip(rules, parts, strict=True)
    return [{"variables": rule["variables"], "wish": part} for rule, part in pairs if part]


Reads = str | Mapping[str, float] | Sequence[str]
Storage = Literal["local", "disk", "parallel-fs", "object-store"]


def chunk_goal(
    reads: Reads | None = None,
    storage: Storage | None = None,
    axes: Mapping[str, str] | None = None,
    expect: Mapping[str, int] | None = None,
    most_chunks: int | None = None,
    calibration: StrPath | None = None,
) -> dict[str, Any] | None:
    """What chunk shapes are to serve, in frazil's words; ``None`` where nothing is stated."""
    if isinstance(reads, Mapping):
        reads = [f"{read}={float(weight):g}" for read, weight in reads.items()]
    if reads is not None and not isinstance(reads, str):
        reads = ",".join(reads)
    goal = {
        "reads": reads,
        "storage": storage,
        "axes": ",".join(f"{dim}={role}" for dim, role in (axes or {}).items()) or None,
        "expected": ",".join(f"{dim}={int(n)}" for dim, n in (expect or {}).items()) or None,
        "most_chunks": most_chunks,
        "calibration": None if calibration is None else os.fspath(calibration),
    }
    return {key: value for key, value in goal.items() if value is not None} or None


def _plan_dict(plan: WritePlan | None) -> dict[str, Any] | None:
    return None if plan is None else {"variables": plan.variables}


def _overrides(chunks: Any) -> dict[str, Any]:
    """``chunks=``: a policy, extents by dimension, or extents by variable and dimension."""
    if chunks is None or isinstance(chunks, str):
        return {} if chunks is None else {"chunks": chunks}
    overrides = []
    for key, value in chunks.items():
        if isinstance(value, Mapping):
            extents = [(str(dim), int(n)) for dim, n in value.items()]
            overrides.append({"variable": str(key), "extents": extents})
        else:
            overrides.append({"variable": "*", "extents": [(str(key), int(value))]})
    return {"chunk_overrides": overrides}


def _pack_options(
    *,
    chunks: Literal["auto", "keep"] | Mapping[str, Any] | None = None,
    reads: Reads | None = None,
    storage: Storage | None = None,
    axes: Mapping[str, str] | None = None,
    expect: Mapping[str, int] | None = None,
    most_chunks: int | None = None,
    calibration: StrPath | None = None,
    plan: WritePlan | None = None,
    precision: Precision | None = None,
    weights: Mapping[str, float] | None = None,
    tree: StrPath | None = None,
    threads: int | None = None,
    memory: int | None = None,
    **others: Any,
) -> str:
    """The options of :func:`pack`; those that have one name everywhere are `others`."""
    return _options(
        **_overrides(chunks),
        chunk_goal=chunk_goal(reads, storage, axes, expect, most_chunks, calibration),
        plan=_plan_dict(plan),
        precision=precision_rules(precision),
        weights=None if weights is None else dict(weights),
        tree=None if tree is None else str(tree),
        limits=_limits(threads, memory),
        **others,
    )


def _finish(bar: Progress | None) -> None:
    if isinstance(bar, ProgressBar):
        bar.close()


def pack(
    input: StrPath,
    output: StrPath | None = None,
    *,
    chunks: Literal["auto", "keep"] | Mapping[str, Any] | None = None,
    reads: Reads | None = None,
    storage: Storage | None = None,
    axes: Mapping[str, str] | None = None,
    expect: Mapping[str, int] | None = None,
    most_chunks: int | None = None,
    calibration: StrPath | None = None,
    plan: WritePlan | None = None,
    level: int | None = None,
    shuffle: bool | None = None,
    checksum: bool = False,
    precision: Precision | None = None,
    netcdf_attribute: bool = False,
    readable_by: Literal["any", "plugins", "frazil"] = "any",
    goal: Literal["balanced", "size", "speed", "archive", "energy"] | None = None,
    weights: Mapping[str, float] | None = None,
    min_write_speed: Speed | None = None,
    min_read_speed: Speed | None = None,
    ratio_tolerance: float | None = None,
    tree: StrPath | None = None,
    filters: str | None = None,
    layout: Literal["standard", "cmip7"] = "standard",
    dry_run: bool = False,
    overwrite: bool = False,
    allow_larger: bool = False,
    verify: bool = False,
    carbon_intensity: float | None = None,
    break_hard_links: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: bool | Progress | None = None,
) -> PackReport:
    """Pack a file: a netCDF classic, netCDF-4 or HDF5 file into a small netCDF-4/HDF5 file.

    Parameters
    ----------
    input : path
        The file.
    output : path, optional
        The new file, or a folder for it. Left out: the input is replaced, once the new file is
        verified.
    chunks : "auto", "keep" or mapping, optional
        Chunk shapes: by frazil's rule, as they are, or ``{"time": 12}`` (elements by dimension), or
        ``{"t2m": {"time": 12}}`` (by variable and dimension).
    reads : str, mapping or sequence of str, optional
        Reads to come, which chunk shapes are to serve: ``"map,series=2"`` or
        ``{"map": 1, "series": 2}``. Each is ``map``, ``series``, ``profile``, ``volume`` or a
        hyperslab (``"time:200/lat:40/lon:60"``); a number is its weight. See
        docs/chunk_shapes.md.
    storage : "local", "disk", "parallel-fs" or "object-store", optional
        Where the file will lie while it is read.
    axes : mapping, optional
        What dimensions are, where it is not to be found out: ``{"t": "time", "z": "level"}``.
    expect : mapping, optional
        Lengths that unlimited dimensions will get: ``{"time": 1000}``.
    most_chunks : int, optional
        Most chunks of a variable; 65 536 if left out and reads or storage are stated.
    calibration : "default" or path, optional
        Constants of what reading costs: frazil's own, or a file of ``frazil calibrate``; if left
        out, what that measured on this machine, if it did.
    plan : WritePlan, optional
        Chunk shapes, filters and rounding of variables as decided before.
    level : int, optional
        Level of compression, 0 (none) to 9; by trial if left out.
    shuffle : bool, optional
        Whether bytes are shuffled; by trial if left out.
    checksum : bool
        Add Fletcher-32 checksums.
    precision : mapping or path, optional
        How exactly values are kept, ``{"t2m": {"significant_digits": 4}}``, and what filters of
        variables must be like, ``{"*": {"decomp_speed": "network"}}``: names or patterns, and keys
        as in docs/precision.md; or a TOML file of such rules. Left out: every bit, any filters.
    netcdf_attribute : bool
        Also write netCDF-C's own attribute on rounded variables.
    readable_by : "any", "plugins" or "frazil"
        Who must be able to read the file: every reader, or those with filter plugins (Zstandard).
    goal : "balanced", "size", "speed", "archive" or "energy", optional
        What filters are chosen for.
    weights : mapping, optional
        How much ``size``, ``write``, ``read`` and ``energy`` count, in place of a goal:
        ``{"size": 1, "write": 0.5}``.
    min_write_speed : float or str, optional
        How fast one core must at least encode: MB/s, ``"1.5GB/s"``, or what a ``"network"`` or
        ``"local"`` or ``"shared"`` storage gives (docs/filters.md).
    min_read_speed : float or str, optional
        How fast one core must at least decode.
    ratio_tolerance : float, optional
        Filters whose ratio is lower by no more than this share (0.03) count as equal, and the
        fastest of them are taken; for the goal "energy" those with no more joules by it.
    tree : path, optional
        Decision tree that names the filters to try, as ``frazil train`` writes it.
    filters : str, optional
        These filters instead of a choice, ``"shuffle+zstd(3)"``; see docs/filters.md.
    layout : "standard" or "cmip7"
        Layout of the file.
    dry_run : bool
        Predict only.
    overwrite : bool
        Replace an existing output.
    allow_larger : bool
        Also write a packed file that is not smaller than its input, which is kept as it is
        otherwise; an output that is named gets the bytes of an HDF5 input only if it would be
        larger (docs/format.md).
    verify : bool
        Compare the output with the input value by value before it gets its name.
    carbon_intensity : float, optional
        Grams of CO2 a kilowatt-hour, for the report's energy; 480 if left out (docs/energy.md).
    break_hard_links : bool
        In place: replace a file that has other names, which keep the old content.
    threads : int, optional
        Threads; one per core if left out.
    memory : int, optional
        Bytes for chunks; 256 MiB if left out.
    progress : bool or Progress, optional
        ``True`` shows a bar.

    Returns
    -------
    PackReport

    Raises
    ------
    frazil.Error
        With code, file, variable, cause and cure. The input is untouched and no output is left.
    """
    bar = listener(progress)
    options = _pack_options(
        chunks=chunks,
        reads=reads,
        storage=storage,
        axes=axes,
        expect=expect,
        most_chunks=most_chunks,
        calibration=calibration,
        plan=plan,
        level=level,
        shuffle=shuffle,
        checksum=checksum,
        precision=precision,
        netcdf_attribute=netcdf_attribute,
        readable_by=readable_by,
        goal=goal,
        weights=weights,
        min_write_speed=min_write_speed,
        min_read_speed=min_read_speed,
        ratio_tolerance=ratio_tolerance,
        tree=tree,
        filters=filters,
        layout=layout,
        dry_run=dry_run,
        overwrite=overwrite,
        allow_larger=allow_larger or None,
        verify=verify,
        carbon_intensity=carbon_intensity,
        break_hard_links=break_hard_links,
        threads=threads,
        memory=memory,
    )
    target = None if output is None else Path(output)
    try:
        return PackReport._of(json.loads(_frazil.pack(Path(input), target, options, bar)))
    finally:
        _finish(bar)


def plan(
    input: StrPath,
    *,
    chunks: Literal["auto", "keep"] | Mapping[str, Any] | None = None,
    reads: Reads | None = None,
    storage: Storage | None = None,
    axes: Mapping[str, str] | None = None,
    expect: Mapping[str, int] | None = None,
    most_chunks: int | None = None,
    calibration: StrPath | None = None,
    level: int | None = None,
    shuffle: bool | None = None,
    checksum: bool = False,
    precision: Precision | None = None,
    readable_by: Literal["any", "plugins", "frazil"] = "any",
    goal: Literal["balanced", "size", "speed", "archive", "energy"] | None = None,
    weights: Mapping[str, float] | None = None,
    min_write_speed: Speed | None = None,
    min_read_speed: Speed | None = None,
    ratio_tolerance: float | None = None,
    tree: StrPath | None = None,
    filters: str | None = None,
    layout: Literal["standard", "cmip7"] = "standard",
    threads: int | None = None,
    memory: int | None = None,
) -> WritePlan:
    """Decide as :func:`pack` would, and write nothing. The parameters are those of :func:`pack`."""
    options = _pack_options(
        chunks=chunks,
        reads=reads,
        storage=storage,
        axes=axes,
        expect=expect,
        most_chunks=most_chunks,
        calibration=calibration,
        level=level,
        shuffle=shuffle,
        checksum=checksum,
        precision=precision,
        readable_by=readable_by,
        goal=goal,
        weights=weights,
        min_write_speed=min_write_speed,
        min_read_speed=min_read_speed,
        ratio_tolerance=ratio_tolerance,
        tree=tree,
        filters=filters,
        layout=layout,
        threads=threads,
        memory=memory,
    )
    return WritePlan(**json.loads(_frazil.plan(Path(input), options)))


def unpack(
    input: StrPath,
    output: StrPath | None = None,
    *,
    format: Literal["hdf5", "classic"] = "hdf5",
    overwrite: bool = False,
    verify: bool = False,
    break_hard_links: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: bool | Progress | None = None,
) -> PackReport:
    """Undo :func:`pack`: no filters, contiguous where no dimension is unlimited.

    Parameters
    ----------
    format : "hdf5" or "classic"
        netCDF-4/HDF5, or the smallest classic format that holds the data.

    The other parameters, what is returned and raised are those of :func:`pack`.
    """
    bar = listener(progress)
    options = _options(
        format=format,
        overwrite=overwrite,
        verify=verify,
        break_hard_links=break_hard_links,
        limits=_limits(threads, memory),
    )
    target = None if output is None else Path(output)
    try:
        return PackReport._of(json.loads(_frazil.unpack(Path(input), target, options, bar)))
    finally:
        _finish(bar)


def info(
    path: StrPath,
    *,
    fill_fraction: bool = False,
    threads: int | None = None,
    memory: int | None = None,
) -> FileInfo:
    """Look at a file: what is in it, how it is stored, who can read it.

    Parameters
    ----------
    fill_fraction : bool
        Also read all values, and count those equal to the fill value.
    """
    limits = _options(**_limits(threads, memory))
    return FileInfo._of(json.loads(_frazil.info(Path(path), fill_fraction, limits)))


def verify(
    a: StrPath,
    b: StrPath,
    *,
    thresholds: Literal["ldcpy"] | None = None,
    check: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: bool | Progress | None = None,
) -> VerifyReport:
    """Compare two files, value by value. The report is true if they hold the same.

    Parameters
    ----------
    a, b : path
        The original, and what was made of it. Variables of ``b`` that state how they were rounded
        are judged by that.
    thresholds : "ldcpy", optional
        Tests that rounded variables must pass beside what the file states.
    check : bool
        Raise :class:`frazil.errors.MismatchError` at a difference.
    """
    bar = listener(progress)
    options = _options(thresholds=thresholds, limits=_limits(threads, memory))
    try:
        report = VerifyReport._of(json.loads(_frazil.verify(Path(a), Path(b), options, bar)))
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
    memory: int | None = None,
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
    options = _options(
        keep_information=keep_information,
        variables=[variables] if isinstance(variables, str) else list(variables),
        limits=_limits(threads, memory),
    )
    try:
        return AnalyzeReport._of(json.loads(_frazil.analyze(Path(path), options, bar)))
    finally:
        _finish(bar)


def recover(path: StrPath) -> RecoverReport:
    """Bring a file back to its last commit after its writer was killed.

    A file that needs nothing is left as it is: the outcome is ``"clean"``; else ``"discarded"``,
    ``"completed"`` or ``"taken_back"``.
    """
    return RecoverReport._of(json.loads(_frazil.recover(Path(path))))


def about() -> dict[str, Any]:
    """What this build is made of: version, libraries, filters."""
    return json.loads(_frazil.about())
