"""Many files packed by the workers of a ``dask.distributed`` cluster, one task for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _frazil
from .errors import AlreadyExistsError, Error, InputOutputError, InvalidArgumentError
from .operations import Precision, Reads, Storage, StrPath, _finish, _pack_options
from .progress import Progress, listener
from .reports import PackReport, WritePlan

if TYPE_CHECKING:
    from distributed import Client


def pack_files(
    inputs: Sequence[StrPath],
    out_dir: StrPath | None = None,
    *,
    client: Client,
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
    min_write_speed: float | None = None,
    tree: StrPath | None = None,
    filters: str | None = None,
    layout: Literal["standard", "cmip7"] = "standard",
    dry_run: bool = False,
    overwrite: bool = False,
    verify: bool = False,
    carbon_intensity: float | None = None,
    break_hard_links: bool = False,
    threads: int = 1,
    memory: int | None = None,
    progress: bool | Progress | None = None,
) -> list[PackReport]:
    """Pack many files on a cluster, one task for each file.

    Workers read and write the files themselves, under the names that they have here. A file whose
    worker is lost is packed again by another one; one that fails does not stop the others.

    Parameters
    ----------
    inputs : sequence of path
        The files.
    out_dir : path, optional
        The folder for the new files, which get the names of their inputs. Left out: each input is
        replaced, once its new file is verified.
    client : distributed.Client
        The cluster.
    threads : int
        Threads for each file; a worker packs as many files at once as it has threads of dask's.
    memory : int, optional
        Bytes for chunks of each file; 256 MiB if left out.
    progress : bool or Progress, optional
        ``True`` shows a bar.

    The other parameters are those of :func:`pack`.

    Returns
    -------
    list of PackReport
        In the order of the inputs.

    Raises
    ------
    frazil.Error
        Of the only file that failed; all others are packed.
    ExceptionGroup
        If several files failed, with one :class:`frazil.Error` for each.
    """
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
        tree=tree,
        filters=filters,
        layout=layout,
        dry_run=dry_run,
        verify=verify,
        carbon_intensity=carbon_intensity,
        break_hard_links=break_hard_links,
        threads=threads,
        memory=memory,
        # A task may be done twice: see `_refusal`.
        overwrite=True,
    )
    may_replace = overwrite or dry_run
    bar = listener(progress)
    found: dict[int, PackReport] = {}
    errors = []
    try:
        for number, outcome in packed(inputs, out_dir, client, options, may_replace, bar):
            if isinstance(outcome, PackReport):
                found[number] = outcome
            else:
                errors.append(outcome)
    finally:
        _finish(bar)
    if len(errors) > 1:
        raise ExceptionGroup(f"{len(errors)} of {len(inputs)} files could not be packed", errors)
    if errors:
        raise errors[0]
    return [found[number] for number in sorted(found)]


def packed(
    inputs: Sequence[StrPath],
    out_dir: StrPath | None,
    client: Client,
    options: str,
    may_replace: bool,
    bar: Progress | None = None,
) -> Iterator[tuple[int, PackReport | Exception]]:
    """Packs files, and says what came of each as it is known: its number, and report or error."""
    from distributed import as_completed

    from .cluster import check_client

    check_client(client)
    paths = [Path(one).absolute() for one in inputs]
    targets = [None if out_dir is None else Path(out_dir).absolute() / one.name for one in paths]
    if out_dir is not None and len(set(targets)) < len(targets):
        raise InvalidArgumentError("two inputs would be written to the same file", file=out_dir)
    if bar is not None:
        bar.stage("pack", sum(one.stat().st_size for one in paths if one.exists()))
    numbers = {}
    for number, (path, target) in enumerate(zip(paths, targets, strict=True)):
        refusal = _refusal(target, may_replace)
        if refusal is not None:
            yield number, refusal
            continue
        bytes_before = path.stat().st_size if path.exists() else 0
        future = client.submit(_pack, str(path), None if target is None else str(target), options)
        numbers[future] = (number, bytes_before)
    waiting = as_completed(list(numbers), loop=client.loop, with_results=True, raise_errors=False)
    try:
        for future, result in waiting:
            number, bytes_before = numbers.pop(future)
            if bar is not None:
                bar.advance(bytes_before)
            yield number, _outcome(future, result, paths[number])
    finally:
        client.cancel(list(numbers))


def _refusal(target: Path | None, may_replace: bool) -> Error | None:
    """Why a file must not be written. That is asked once, and here: a task that was done is done
    again if its worker was lost before it said so, and finds its own file."""
    if target is None or may_replace or not target.exists():
        return None
    return AlreadyExistsError("there is such a file", file=target, cure="allow to overwrite it")


def _outcome(future: Any, result: Any, path: Path) -> PackReport | Exception:
    if future.status == "finished":
        return PackReport._of(json.loads(result))
    if future.status != "error":
        return InputOutputError("the cluster has dropped the work", file=path, cure="see its logs")
    error = future.exception()
    if not isinstance(error, Error):
        error.add_note(f"while {path} was packed")
    return error


def _pack(path: str, target: str | None, options: str) -> str:
    """What a worker does."""
    output = None if target is None else Path(target)
    return _frazil.pack(Path(path), output, options, None)
