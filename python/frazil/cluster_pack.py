"""Many files packed by the workers of a ``dask.distributed`` cluster, one task for each."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from . import _frazil, checks, history
from .cluster_results import Outcome, Results, error_of
from .errors import AlreadyExistsError, Error, InvalidArgumentError
from .keywords import PackKeywords
from .operations import _finish
from .options import StrPath, documented, names_are_checked, pack_options, stated
from .progress import Progress, listener
from .reports import PackReport

if TYPE_CHECKING:
    from distributed import Client


@documented(PackKeywords)
def pack_files(
    inputs: Sequence[StrPath],
    out_dir: StrPath | None = None,
    *,
    client: Client,
    in_place: bool = False,
    progress: bool | Progress | None = None,
    **options: Unpack[PackKeywords],
) -> list[PackReport]:
    """Pack many files on a cluster, one task for each file.

    Workers read and write the files themselves, under the same names as here. If a worker is lost,
    another one packs its file. If a file fails, the others go on. A worker that hangs does not stop
    the run, and changes no file when it comes back. A worker packs as many files at once as it has
    dask threads: each on one thread, or on ``threads``.

    Parameters
    ----------
    inputs : sequence of path
        The files.
    out_dir : path, optional
        The folder for the new files, which get the names of their inputs. Left out in a dry run and
        with ``in_place`` only.
    client : distributed.Client
        The cluster.
    in_place : bool
        Replace each input, once its new file is verified. Rounded values are then lost for good.
    progress : bool or Progress, optional
        ``True`` shows a bar.
    **options
        Options of :func:`pack`: docs/options.md lists them.

    Returns
    -------
    list of PackReport
        In the order of the inputs.

    Raises
    ------
    frazil.Error
        If one file failed; all others are packed.
    ExceptionGroup
        If several files failed, with one :class:`frazil.Error` for each.
    """
    if isinstance(inputs, str | os.PathLike):
        raise checks.refuse("inputs", inputs, "a sequence of paths", "for one file: [path]")
    asked = {"threads": 1} | stated(pack_files, PackKeywords, options)
    asked["history"] = history.call("pack_files", asked, out_dir)
    may_replace, dry_run = asked.pop("overwrite", False), asked.get("dry_run", False)
    out_dir = checks.target(out_dir, in_place=in_place, is_dry_run=dry_run is True)
    checked = names_are_checked(asked, [Path(one) for one in inputs])
    described = pack_options(
        asked,
        names_are_checked=checked,
        # Not left out: workers are given an output by its name, even in a folder.
        allow_larger=asked.get("allow_larger", False),
        # A task may be done twice: see `_refusal`.
        overwrite=True,
    )
    bar = listener(progress)
    found: dict[int, PackReport] = {}
    errors = []
    try:
        whether = {"may_replace": may_replace, "dry_run": dry_run}
        for number, outcome in packed(inputs, out_dir, client, described, **whether, bar=bar):
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
    *,
    may_replace: bool,
    dry_run: bool,
    bar: Progress | None = None,
) -> Iterator[tuple[int, PackReport | Exception]]:
    """Packs files, and says what came of each as it is known: its number, and report or error."""
    from .cluster import check_client

    check_client(client)
    paths = [Path(one).absolute() for one in inputs]
    targets = [None if out_dir is None else Path(out_dir).absolute() / one.name for one in paths]
    if out_dir is not None and len(set(targets)) < len(targets):
        raise InvalidArgumentError("two inputs would be written to the same file", file=out_dir)
    if bar is not None:
        bar.stage("pack", sum(one.stat().st_size for one in paths if one.exists()))
    files = []
    if out_dir is not None and not dry_run:
        Path(out_dir).mkdir(parents=True, exist_ok=True)
    for number, (path, target) in enumerate(zip(paths, targets, strict=True)):
        refusal = _refusal(target, may_replace or dry_run)
        if refusal is None:
            files.append(_File(number, path, target, path.stat().st_size if path.exists() else 0))
        else:
            yield number, refusal
    folders = set() if dry_run else {file.folder for file in files}
    for file, outcome in _packed(client, files, folders, options):
        if bar is not None:
            bar.advance(file.bytes_before)
        yield file.number, outcome


@dataclass
class _File:
    """A file on its way."""

    number: int
    path: Path
    # None: in place.
    target: Path | None
    bytes_before: int

    @property
    def folder(self) -> Path:
        """Where it is written."""
        return (self.target or self.path.resolve()).parent


def _packed(
    client: Client, files: Sequence[_File], folders: set[Path], options: str
) -> Iterator[tuple[_File, PackReport | Exception]]:
    with _permits(folders) as token:
        results: Results[_File] = Results(client)
        try:
            for file in files:
                names = (str(file.path), None if file.target is None else str(file.target))
                permit = str(file.folder / token)
                results.add(client.submit(_pack, *names, permit, options, pure=False), file)
            for file, outcome in results:
                yield file, _report(outcome, file.path)
        finally:
            results.drop()


@contextlib.contextmanager
def _permits(folders: Iterable[Path]) -> Iterator[str]:
    """Gives each folder a file whose name is yielded: as long as it is there, workers may write.

    Then removes what workers left there that were lost, or that hang: should these come back, they
    find nothing that they could give a name to.
    """
    token = f".frazil-{uuid.uuid4().hex}"
    for folder in folders:
        # Where nothing can be written, workers say so.
        with contextlib.suppress(OSError):
            (folder / token).touch()
    try:
        yield token
    finally:
        for folder in folders:
            (folder / token).unlink(missing_ok=True)
            for left in folder.glob(f".*{token}-*"):
                left.unlink(missing_ok=True)


def _refusal(target: Path | None, may_replace: bool) -> Error | None:
    """Why a file must not be written. That is asked once, and here: a task that was done is done
    again if its worker was lost before it said so, and finds its own file."""
    if target is None or may_replace or not target.exists():
        return None
    return AlreadyExistsError("the file already exists", file=target, cure="allow to overwrite it")


def _report(outcome: Outcome, path: Path) -> PackReport | Exception:
    """What came of a file."""
    error = error_of(outcome)
    if error is None:
        return PackReport._of(json.loads(outcome.value))
    if isinstance(error, Error):
        error.file = error.file or str(path)
    else:
        error.add_note(f"while {path} was packed")
    return error


def _pack(path: str, target: str | None, permit: str, options: str) -> str:
    """What a worker does: one attempt, whatever became of others at the same file."""
    output = None if target is None else Path(target)
    word = f"{Path(permit).name[1:]}-{uuid.uuid4().hex[:8]}"
    asked = json.loads(options) | {"attempt": {"word": word, "permit": permit}}
    return _frazil.pack(Path(path), output, json.dumps(asked), None)
