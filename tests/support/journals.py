"""Journals as a writer that is killed in the middle of a commit leaves them."""

import zlib
from collections.abc import Sequence
from pathlib import Path


def journal_of(path: Path) -> Path:
    """Where a file's journal lies."""
    return path.with_name(f"{path.name}.frazil-journal")


def journal(
    path: Path, changes: Sequence[tuple[int, bytes, bytes]], end: int | None = None
) -> bytes:
    """The bytes of a commit to a file as it is: where, what is there before, and what after it."""
    found = path.stat()
    old_end = new_end = found.st_size
    if end is not None:
        new_end = end
    header = [1, found.st_dev, found.st_ino, old_end, new_end, max(old_end, new_end), len(changes)]
    body = b"FRZJRNL1" + b"".join(number.to_bytes(8, "little") for number in header)
    for address, old, new in changes:
        body += address.to_bytes(8, "little") + len(old).to_bytes(8, "little") + old + new
    return body + zlib.crc32(body).to_bytes(4, "little")


def leave(path: Path, *places: tuple[int, bytes], applied: int = 0) -> Path:
    """Leaves the journal of a commit that puts bytes at places; so many are in the file already."""
    content = path.read_bytes()
    changes = [(at, content[at : at + len(new)], new) for at, new in places]
    sealed = journal(path, changes)
    with path.open("r+b") as file:
        for at, new in places[:applied]:
            file.seek(at)
            file.write(new)
    journal_of(path).write_bytes(sealed)
    journal_of(path).chmod(0o644)
    return journal_of(path)
