"""Where the real data are, and what kind of file each is."""

import os
import random
import re
from pathlib import Path

from support.command import ROOT

# Chunk indexes that HDF5 1.8 does not know: extensible and fixed arrays, and version-2 B-trees of
# chunks (types 10 and 11; attributes may be in such trees since 1.8).
NEW_CHUNK_INDEX = re.compile(rb"EAHD|FAHD|BTHD\0[\x0a\x0b]")

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"

CORPUS = Path(os.environ.get("FRAZIL_CORPUS") or ROOT.parent / "shared/corpus")
CORPUS_ABSENT = f"the corpus is not at {CORPUS} (set FRAZIL_CORPUS)"


def kind(path: Path) -> str | None:
    """`classic`, `hdf5`, or None for other files."""
    with path.open("rb") as file:
        head = file.read(8)
        if head[:3] == b"CDF":
            return "classic"
        # A user block moves the signature to 512, 1024, 2048...
        position = 512
        while head != HDF5_SIGNATURE and head:
            file.seek(position)
            head = file.read(8)
            position *= 2
    return "hdf5" if head == HDF5_SIGNATURE else None


def corpus_files() -> list[Path]:
    """Every netCDF and HDF5 file of the corpus, largest first (the slow ones start early)."""
    if not CORPUS.is_dir():
        return []
    files = [path for path in CORPUS.glob("*/**/*") if path.is_file() and kind(path)]
    return sorted(files, key=lambda path: (-path.stat().st_size, str(path)))


def corpus_name(path: Path) -> str:
    """The file's name in reports and lists."""
    return path.relative_to(CORPUS).as_posix()


def flip_bits(content: bytes, seed: int, count: int, area: range) -> bytes:
    """`content` with `count` bits inverted at seeded places inside `area`."""
    chance = random.Random(seed)
    damaged = bytearray(content)
    for _ in range(count):
        damaged[chance.randrange(area.start, area.stop)] ^= 1 << chance.randrange(8)
    return bytes(damaged)
