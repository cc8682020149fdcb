"""What goals, reader levels and fixed levels promise of each other's sizes."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SLACK_SHARE = 1.005
SLACK_BYTES = 4096

LEVELS = (1, 4, 6, 9)
GOALS = ("balanced", "size", "speed", "archive", "energy")
READERS = ("any", "plugins", "frazil")

# The options of each way to pack a file, by its name.
WAYS: dict[str, list[str]] = {
    "default": [],
    **{f"any {goal}": ["--goal", goal] for goal in GOALS},
    **{f"level {level}": ["--level", str(level)] for level in LEVELS},
    **{
        f"{readers} {goal}": ["--readable-by", readers, "--goal", goal]
        for readers in READERS[1:]
        for goal in GOALS
    },
    "zstd 19": ["--readable-by", "plugins", "--filters", "shuffle+zstd(19)"],
}


@dataclass
class Broken:
    """A promise that was not kept: `way` made more of a file than `beside`."""

    file: Path
    way: str
    beside: str
    bytes: int
    most: int

    def __str__(self) -> str:
        more = 100 * (self.bytes / max(self.most, 1) - 1)
        sizes = f"{self.way} {self.bytes} > {self.beside} {self.most}"
        return f"{self.file.name}: {sizes} ({more:+.1f} %)"


def promises() -> Iterator[tuple[str, str]]:
    """Pairs of ways: the first makes no more bytes than the second."""
    for readers in READERS:
        yield f"{readers} archive", f"{readers} size"
    for level in LEVELS[:3]:
        yield "any size", f"level {level}"
    yield "any archive", "level 9"
    yield "plugins archive", "zstd 19"
    for goal in ("size", "archive"):
        yield f"plugins {goal}", f"any {goal}"
        yield f"frazil {goal}", f"plugins {goal}"
    yield "any balanced", "default"
    yield "default", "any balanced"


def is_more(size: int, most: int) -> bool:
    return size > most * SLACK_SHARE + SLACK_BYTES


def broken(file: Path, sizes: dict[str, int], is_for_any: bool) -> Iterator[Broken]:
    """The promises that sizes of one file, by way, break.

    Where not everybody can read the file, that everybody can is a demand, and may take more bytes.
    """
    before = file.stat().st_size
    for way, size in sizes.items():
        may_grow = way == "zstd 19" or (not is_for_any and not way.startswith(READERS[1:]))
        if not may_grow and is_more(size, before):
            yield Broken(file, way, "input", size, before)
    for way, beside in promises():
        if {way, beside} <= sizes.keys() and is_more(sizes[way], sizes[beside]):
            yield Broken(file, way, beside, sizes[way], sizes[beside])


def packed_size(command: Path, file: Path, output: Path, way: str) -> int | None:
    """Bytes of the packed file; `None` if it is refused."""
    output.unlink(missing_ok=True)
    words = [command, "pack", file, "-o", output, *WAYS[way]]
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
    return output.stat().st_size if done.returncode == 0 and output.exists() else None


def is_readable_by_any(command: Path, file: Path) -> bool:
    """Whether everybody can read all variables of a file."""
    words = [str(command), "info", "--json", str(file)]
    answer = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    (report,) = json.loads(answer)["reports"]
    return all(variable["readable_by"] == READERS[0] for variable in report["variables"])


def judge(command: Path, file: Path, folder: Path, ways: list[str] | None = None) -> list[Broken]:
    """Packs a file in all ways, and says which promises that breaks."""
    output = folder / f"packed-{file.name}"
    sizes = {way: packed_size(command, file, output, way) for way in ways or list(WAYS)}
    output.unlink(missing_ok=True)
    known = {way: size for way, size in sizes.items() if size is not None}
    return list(broken(file, known, is_readable_by_any(command, file)))
