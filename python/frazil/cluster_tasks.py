"""What workers of a cluster do with blocks: pack them, and write them where they are told."""

from __future__ import annotations

import errno
import functools
import mmap
import os
import pickle
import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _frazil
from .block_shapes import check_box
from .encodings import round_to_places
from .errors import from_parts
from .masks import converted, filled, given
from .types import little_bytes

# Tells this process from every other one, on any machine.
PROCESS = uuid.uuid4().hex

Region = tuple[list[int], list[int]]


# Few: each keeps chunks of its variable, in case that equal ones come, and buffers.
@functools.lru_cache(maxsize=4)
def _packer(plan: str, choice: str | None) -> _frazil.Packer:
    return _frazil.Packer.create(plan, choice)


@dataclass(frozen=True)
class Recipe:
    """How blocks of one variable become packed chunks.

    Attributes
    ----------
    plan : str
        What :class:`frazil.Writer` says about its chunks, as JSON.
    dtype : str
        Type of the variable in the file, as numpy names it.
    places : number or None
        Decimal places that are kept.
    fill : scalar or None
        What masked values become.
    """

    plan: str
    dtype: str
    places: float | None
    fill: Any = None

    def _bytes(self, block: Any, region: Region) -> np.ndarray:
        check_box(block, *region)
        values = given(block, np.dtype(self.dtype))
        if self.places is not None:
            values = round_to_places(values, self.places)
        values = filled(values, np.dtype(self.dtype), self.fill)
        return little_bytes(converted(values, np.dtype(self.dtype)))

    def samples(self, block: Any, region: Region) -> list[bytes] | None:
        """Values to try filters on, if the block has a chunk that tells anything."""
        return _packer(self.plan, None).samples(region, self._bytes(block, region))

    def choose(self, *samples: list[bytes] | None) -> str:
        """Filters by the first samples there are, as JSON."""
        found = next((one for one in samples if one is not None), [])
        return _frazil.choose_filters(self.plan, found)

    def pack(self, block: Any, choice: str | None, region: Region) -> Packed:
        """The chunks of a block."""
        payload, summary = packed_bytes(
            _packer(self.plan, choice), region, self._bytes(block, region)
        )
        return Packed(payload, summary, uuid.uuid4().hex)


def packed_bytes(packer: _frazil.Packer, region: Region, values: np.ndarray) -> tuple[Any, str]:
    """The packed chunks of a box, and what the coordinator must know of them.

    They lie in pages of their own, which go back to the system as soon as nobody needs them;
    allocators keep some of what threads free. Room that nothing is written into takes no memory.
    """
    # None of an empty box.
    room = max(packer.expected_room(region[1]), mmap.PAGESIZE)
    while True:
        pages = mmap.mmap(-1, room, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        done = packer.pack(region, values, np.frombuffer(pages, np.uint8))
        if done is not None:
            size, summary = done
            return memoryview(pages)[:size], summary
        room *= 2


class Packed:
    """Packed chunks, which stay with the worker until it is told where to write them."""

    def __init__(self, payload: bytes | memoryview, summary: str, token: str) -> None:
        self.payload, self.summary = payload, summary
        # Of this time that they were packed: what is packed again may differ.
        self.token = token

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self.payload) + len(self.summary)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """To other workers, or to a disk; without a copy where pickle hands buffers on."""
        payload = pickle.PickleBuffer(self.payload) if protocol >= 5 else bytes(self.payload)
        return Packed, (payload, self.summary, self.token)


@dataclass(frozen=True)
class Description:
    """What the coordinator must know of packed chunks, and who has them."""

    summary: str
    size: int
    token: str
    worker: str
    process: str


@dataclass(frozen=True)
class Attempt:
    """One attempt to write packed chunks, in space of its own.

    It is begun at most once, by one process: the scheduler may start a task again when it has lost
    sight of a worker, which may go on all the same.
    """

    number: str
    path: str
    address: int
    token: str
    process: str


def describe(packed: Packed) -> Description:
    """Tell of chunks that this process has."""
    from distributed import get_worker

    address = get_worker().address
    return Description(packed.summary, len(packed.payload), packed.token, address, PROCESS)


_begun: set[str] = set()
_lock = threading.Lock()


def write(packed: Packed, attempt: Attempt) -> Description | None:
    """Write packed chunks.

    Returns
    -------
    Description or None
        ``None``: they are in the file. Else the attempt was not this process's, or not for these
        chunks, and nothing was written: another one may be made here.
    """
    with _lock:
        is_first = attempt.number not in _begun
        _begun.add(attempt.number)
    is_ours = attempt.process == PROCESS and attempt.token == packed.token
    if not (is_first and is_ours):
        return describe(packed)
    try:
        write_at(attempt.path, packed.payload, attempt.address)
    except OSError as error:
        raise _named(error, attempt.path) from None
    return None


def write_at(path: str, payload: bytes | memoryview, address: int) -> None:
    """Write bytes into a file that is there."""
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        left = memoryview(payload)
        while left:
            done = os.pwrite(file, left, address)
            left, address = left[done:], address + done
    finally:
        # Some file systems say only now that the disk is full.
        os.close(file)


_CODES = {
    errno.ENOENT: 2,
    errno.EACCES: 3,
    errno.EPERM: 3,
    errno.EROFS: 3,
    errno.ENOSPC: 6,
    errno.EDQUOT: 6,
}


def _named(error: OSError, path: str) -> Exception:
    code = _CODES.get(error.errno or 0, 5)
    cure = None
    if code == 2:
        cure = "workers must see the file under the name that it has for the client"
    cause = f"worker on {os.uname().nodename} cannot write: {os.strerror(error.errno or 0)}"
    return from_parts(code, path, None, cause, cure)


def sample_places(count: int) -> Sequence[int]:
    """Blocks, of so many, that filters are tried on: models often begin with a field of zeros."""
    return sorted({0, count // 2})
