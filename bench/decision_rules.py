"""What goals, reader levels and fixed levels promise of each other's sizes."""

import json
import subprocess
import tempfile
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
    "series": ["--reads", "series"],
    "map": ["--reads", "map"],
    "map 3 digits": ["--reads", "map", "--digits", "3"],
    "series plugins": ["--reads", "series", "--readable-by", "plugins"],
}
# What is stated there goes before the file's size.
MAY_GROW = ("zstd 19", "series", "map", "map 3 digits", "series plugins")


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
        may_grow = way in MAY_GROW or (not is_for_any and not way.startswith(READERS[1:]))
        if not may_grow and is_more(size, before):
            yield Broken(file, way, "input", size, before)
    for way, beside in promises():
        if {way, beside} <= sizes.keys() and is_more(sizes[way], sizes[beside]):
            yield Broken(file, way, beside, sizes[way], sizes[beside])


@dataclass
class Foretold:
    """What a dry run said of a file, beside what came."""

    file: Path
    way: str
    bytes: int
    predicted: int
    least: int
    most: int
    times: float
    """Predicted seconds by real ones."""

    @property
    def is_within(self) -> bool:
        return self.least <= self.bytes <= self.most

    @property
    def error(self) -> float:
        """By how much the size is off, as a share of what came."""
        return abs(self.predicted / self.bytes - 1)

    def __str__(self) -> str:
        said = f"{self.predicted} ({self.least} to {self.most})"
        return f"{self.file.name}: {self.way} {self.bytes}, predicted {said}"


def report_of(command: Path, file: Path, output: Path, way: str, *more: str) -> dict | None:
    """What packing says of itself; `None` if the file is refused.

    Classic files are kept where their netCDF-4 form would be larger: metadata take more there.
    """
    output.unlink(missing_ok=True)
    is_classic = file.open("rb").read(3) == b"CDF"
    place = ["--out-dir", output.parent] if is_classic else ["-o", output]
    words = [command, "pack", file, *place, *WAYS[way], "--json", *more]
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
    return json.loads(done.stdout)["reports"][0] if done.returncode == 0 else None


def foretold(command: Path, file: Path, output: Path, way: str) -> Foretold | None:
    """Packs a file, and foretells what comes before; `None` if it is refused."""
    said = report_of(command, file, output, way, "--dry-run")
    came = report_of(command, file, output, way)
    if said is None or came is None:
        return None
    least, most = said["range"]["file_bytes"]
    times = said["seconds"] / max(came["seconds"], 1e-6)
    return Foretold(file, way, output.stat().st_size, said["output_file_bytes"], least, most, times)


def is_readable_by_any(command: Path, file: Path) -> bool:
    """Whether everybody can read all variables of a file."""
    words = [str(command), "info", "--json", str(file)]
    answer = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    (report,) = json.loads(answer)["reports"]
    return all(variable["readable_by"] == READERS[0] for variable in report["variables"])


def judge(
    command: Path, file: Path, folder: Path, ways: list[str] | None = None
) -> tuple[list[Broken], list[Foretold]]:
    """Packs a file in all ways; which promises that breaks, and what was foretold."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        output = Path(own) / file.name
        tried = [foretold(command, file, output, way) for way in ways or list(WAYS)]
    known = [one for one in tried if one is not None]
    sizes = {one.way: one.bytes for one in known}
    return list(broken(file, sizes, is_readable_by_any(command, file))), known
