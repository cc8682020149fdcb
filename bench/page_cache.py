"""Takes files out of the page cache and looks whether they are."""

import ctypes
import mmap
import os
from pathlib import Path

# Of a file's pages; some are read again as soon as they are gone.
STAYS = 0.01


def resident_share(descriptor: int) -> float:
    """The part of a file that is in memory."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return 0.0
    pages = -(-size // mmap.PAGESIZE)
    found = (ctypes.c_ubyte * pages)()
    # Private and writable, because ctypes gives no address of what is read-only.
    with mmap.mmap(descriptor, size, access=mmap.ACCESS_COPY) as view:
        first = ctypes.c_char.from_buffer(view)
        libc = ctypes.CDLL(None, use_errno=True)
        address = ctypes.c_void_p(ctypes.addressof(first))
        status = libc.mincore(address, ctypes.c_size_t(size), found)
        del first
    if status != 0:
        return 1.0
    return sum(page & 1 for page in found) / pages


def drop(path: Path) -> bool:
    """Takes a file out of the page cache; whether that worked."""
    if not hasattr(os, "posix_fadvise"):
        return False
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # What is not on the disk yet stays in memory.
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return resident_share(descriptor) <= STAYS
    finally:
        os.close(descriptor)
