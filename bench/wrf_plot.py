"""WRF's history as charts: size and time by compression, wall time by size, reads by chunk shape.

python bench/wrf_plot.py      draws docs/figures/wrf_*.svg from the newest rows
"""

from collections.abc import Callable

from filter_plot import HEAD, MARGIN, WIDTH, line, page, text, ticks
from record import ROOT, newest, read

Row = dict[str, str]
Bar = tuple[str, float]

OURS, OTHERS = "#2f6f8f", "#b0643c"
FIGURES = ROOT / "docs/figures"
TALL, BELOW = 240.0, 120.0
# Names stand below their bars and to the left of them.
NAMES = 80.0
# One line of a chart of wall times: its way, and its colour.
LINES = {
    "no output": "#888888",
    "io_form 1, binary": "#3f8f4f",
    "io_form 2, deflate 2": OTHERS,
    "frazil, balanced": OURS,
}


def colour(way: str) -> str:
    return OURS if way.startswith("frazil") else OTHERS


def bars(bars_of: list[Bar], title: str, left: float, room: float) -> list[str]:
    """One chart of upright bars, with their numbers above and names below."""
    bottom, most = HEAD + TALL, max(number for _, number in bars_of)
    wide = room / len(bars_of)
    parts = [
        text(left, HEAD - 8, title, more='font-weight="bold"'),
        line(left, bottom, left + room, bottom, "#333"),
    ]
    for place, (way, number) in enumerate(bars_of):
        high, x = (TALL - 20) * number / most, left + wide * place
        middle = x + wide / 2
        turned = f'transform="rotate(-35 {middle:.1f} {bottom + 14:.1f})"'
        parts += [
            f'<rect x="{x + 4:.1f}" y="{bottom - high:.1f}" width="{wide - 8:.1f}" '
            f'height="{high:.1f}" fill="{colour(way)}"/>',
            text(middle, bottom - high - 4, f"{number:.3g}", "middle"),
            text(middle, bottom + 14, way.removeprefix("frazil, "), "end", turned),
        ]
    return parts


def bar_charts(rows: list[Row], metrics: dict[str, Callable[[Row], float]], title: str) -> str:
    """Charts of the same ways beside each other, one for each metric."""
    room = (WIDTH - 2 * MARGIN) / len(metrics) - NAMES
    parts = []
    for place, (name, number) in enumerate(metrics.items()):
        left = MARGIN + NAMES + place * (room + NAMES)
        parts += bars([(row["way"], number(row)) for row in rows], name, left, room)
    words = "blue: frazil; brown: WRF's own packages"
    parts.append(text(MARGIN, HEAD + TALL + BELOW, words))
    return page(parts, HEAD + TALL + BELOW + 16, title)


def wall_times(rows: list[Row], title: str) -> str:
    """Wall seconds of a run by the number of its frames, a line for each way."""
    left, right, bottom = MARGIN + 40, WIDTH - MARGIN - 200, HEAD + TALL
    frames = sorted({int(row["frames"]) for row in rows})
    most = 1.1 * max(float(row["wall_s"]) for row in rows)

    def at(count: int, seconds: float) -> tuple[float, float]:
        share = (count - frames[0]) / max(1, frames[-1] - frames[0])
        return left + share * (right - left), bottom - seconds / most * TALL

    parts = [text(left, HEAD - 8, "seconds of the run", more='font-weight="bold"')]
    for tick in ticks(0.0, most, False):
        _, y = at(frames[0], tick)
        parts += [line(left, y, right, y), text(left - 5, y + 4, f"{tick:.3g}", "end")]
    for count in frames:
        x, _ = at(count, 0.0)
        raw = next(
            row["output_mb"]
            for row in rows
            if int(row["frames"]) == count and row["way"] == "io_form 1, binary"
        )
        parts.append(text(x, bottom + 16, f"{count} frames", "middle"))
        parts.append(text(x, bottom + 30, f"{float(raw):.0f} MB raw", "middle"))
    for place, (way, shade) in enumerate(LINES.items()):
        points = [at(int(row["frames"]), float(row["wall_s"])) for row in rows if row["way"] == way]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{shade}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{shade}"/>' for x, y in points]
        y = HEAD + 16 + 18 * place
        parts += [line(right + 20, y - 4, right + 44, y - 4, shade), text(right + 50, y, way)]
    return page(parts, bottom + 46, title)


def draw_all() -> None:
    """Draws every chart whose rows there are."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    charts: dict[str, Callable[[list[Row]], str]] = {
        "filters": lambda rows: bar_charts(
            rows,
            {
                "size of the output, MB": lambda row: float(row["output_mb"]),
                "a frame, ms": lambda row: 1e3 * float(row["later_s"]),
            },
            "WRF, one task: size and time by compression",
        ),
        "frames": lambda rows: bar_charts(
            [row for row in rows if row["tasks"] == max(row["tasks"] for row in rows)],
            {"a frame, ms": lambda row: 1e3 * float(row["later_s"])},
            f"WRF, {max(row['tasks'] for row in rows)} tasks: time of a frame by I/O package",
        ),
        "sizes": lambda rows: wall_times(rows, "WRF, one task: wall time by size of the output"),
        "chunks": lambda rows: bar_charts(
            rows,
            {
                "size, MB": lambda row: float(row["output_mb"]),
                "a map, ms": lambda row: float(row["map_ms"]),
                "a series, ms": lambda row: float(row["series_ms"]),
            },
            "WRF: size and reads by chunk shape",
        ),
    }
    for part, draw in charts.items():
        if path := newest(f"wrf-{part}"):
            (FIGURES / f"wrf_{part}.svg").write_text(draw(read(path)))
    print(f"drawn: {FIGURES.relative_to(ROOT)}")


if __name__ == "__main__":
    draw_all()
