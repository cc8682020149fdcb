"""What is read: regions of one variable, and how threads share them. Standard library only."""

import random

VARIABLE = "pr"
CHUNK = (64, 64, 128)
# Latitudes and longitudes; the number of time steps is the caller's.
GRID = (128, 256)
BOX = (200, 40, 60)
BOXES = 40
SEED = 5

# Start and end along each axis.
Region = tuple[tuple[int, int], ...]


def full(steps: int) -> list[Region]:
    return [((0, steps), (0, GRID[0]), (0, GRID[1]))]


def boxes(steps: int) -> list[Region]:
    generator = random.Random(SEED)
    found = []
    for _ in range(BOXES):
        sides = zip((steps, *GRID), BOX, strict=True)
        starts = [(generator.randint(0, whole - side), side) for whole, side in sides]
        found.append(tuple((start, start + side) for start, side in starts))
    return found


def one_map(steps: int) -> list[Region]:
    step = steps * 45 // 100
    return [((step, step + 1), (0, GRID[0]), (0, GRID[1]))]


def series(steps: int) -> list[Region]:
    return [((0, steps), (60, 61), (100, 101))]


PATTERNS = {"full": full, "boxes": boxes, "map": one_map, "series": series}


def halves(region: Region) -> list[Region]:
    """Cut between chunks, along the axis with most of them; not at all within one chunk."""
    chunks = [
        (start // chunk, -(-end // chunk))
        for (start, end), chunk in zip(region, CHUNK, strict=True)
    ]
    axis = max(range(len(region)), key=lambda one: chunks[one][1] - chunks[one][0])
    first, last = chunks[axis]
    if last - first < 2:
        return [region]
    middle = -(-(first + last) // 2) * CHUNK[axis]
    start, end = region[axis]
    return [
        (*region[:axis], (start, middle), *region[axis + 1 :]),
        (*region[:axis], (middle, end), *region[axis + 1 :]),
    ]


def parts(region: Region, count: int) -> list[Region]:
    """At most `count` parts (a power of two) that share no chunk."""
    found = [region]
    while len(found) < count:
        finer = [half for part in found for half in halves(part)]
        if len(finer) == len(found):
            break
        found = finer
    return found


def shares(pattern: str, steps: int, threads: int) -> list[Region]:
    """The regions that a pool of threads reads, where one call uses one thread only."""
    regions = PATTERNS[pattern](steps)
    return parts(regions[0], threads) if len(regions) == 1 else regions


def key(region: Region) -> str:
    """As text: start and end along each axis."""
    return " ".join(f"{start} {end}" for start, end in region)


def region_of(text: str) -> Region:
    numbers = [int(word) for word in text.split()]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def values_in(region: Region) -> int:
    count = 1
    for start, end in region:
        count *= end - start
    return count
