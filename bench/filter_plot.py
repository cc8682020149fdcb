"""The figures of SCIL's paper for our rows, and the WRF report's two charts, as SVG."""

import math
from collections.abc import Callable
from html import escape
from itertools import combinations
from pathlib import Path

Row = dict[str, object]

WIDTH, MARGIN, NAMES = 1120, 16, 190
LINE, HEAD = 16, 58
# Ours by reader level, and the others.
COLOURS = {"any": "#2f6f8f", "plugins": "#3f8f4f", "frazil": "#7f5fa8", "": "#b0643c"}
METRICS = {
    "ratio": "ratio",
    "joules": "energy, J",
    "cpu_percent": "CPU, %",
    "write_s": "time, s",
}
# Of the pairs' axes; bars are linear but for these.
LOGARITHMIC = ("joules", "write_s")
# Which figure of the paper shows it.
FIGURES = {"ratio": 4, "joules": 4, "cpu_percent": "5, 6", "write_s": 7}
SCATTER, SCATTER_LEFT, SCATTER_BOTTOM = 240, 52, 44
# The WRF report's compressions, by our names.
WRF = {
    "off": "none",
    "gzip-6": "gzip",
    "shuffle+gzip-6": "shuffle+gzip",
    "szip": "szip",
    "shuffle+szip": "shuffle+szip",
}
WRF_FAMILY = "squall line"


def text(x: float, y: float, words: object, anchor: str = "start", more: str = "") -> str:
    shown = escape(str(words))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{shown}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#ddd") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def colour(row: Row) -> str:
    return COLOURS[str(row["readers"]) if row["goal"] else ""]


def value(row: Row, metric: str) -> float:
    return float(row[metric] or 0)


def page(parts: list[str], tall: float, title: str) -> str:
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall:.0f}" '
                'font-family="sans-serif" font-size="11">',
                f'<rect width="{WIDTH}" height="{tall:.0f}" fill="white"/>',
                text(MARGIN, 22, title, more='font-weight="bold" font-size="14"'),
                *parts,
                "</svg>",
            ]
        )
        + "\n"
    )


def share(number: float, low: float, high: float, logarithmic: bool) -> float:
    """The place of a number on an axis, 0 to 1."""
    if logarithmic:
        number, low, high = (math.log(max(one, 1e-9)) for one in (number, low, high))
    return 0.5 if high <= low else min(1.0, max(0.0, (number - low) / (high - low)))


def bars(rows: list[Row], top: float) -> list[str]:
    """All metrics side by side, one line a filter: the paper's figures 4 to 7."""
    parts = []
    room = (WIDTH - 2 * MARGIN - NAMES) / len(METRICS)
    for place, (metric, title) in enumerate(METRICS.items()):
        left = MARGIN + NAMES + place * room
        log = metric in LOGARITHMIC
        words = f"{title} (figure {FIGURES[metric]}{', logarithmic' if log else ''})"
        parts.append(text(left, top - 8, words, more='font-weight="bold"'))
        numbers = [value(row, metric) for row in rows]
        low = min(number for number in numbers if number > 0) / 1.5 if log else 0.0
        for number, row in enumerate(rows):
            y = top + LINE * number
            wide = (room - 60) * share(value(row, metric), low, max(numbers), log)
            parts.append(
                f'<rect x="{left:.1f}" y="{y + 2:.1f}" width="{wide:.1f}" height="{LINE - 4}" '
                f'fill="{colour(row)}"/>'
            )
            parts.append(text(left + wide + 4, y + 12, row[metric]))
    names = [
        text(MARGIN + NAMES - 8, top + LINE * number + 12, row["filter"], "end")
        for number, row in enumerate(rows)
    ]
    return names + parts


def ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    if logarithmic:
        first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
        powers = [10.0**power for power in range(first, last + 1)]
        return powers if len(powers) >= 2 else [low, high]
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = step if (high - low) / step >= 3 else step / 4
    first = math.ceil(low / step)
    return [step * number for number in range(first, math.floor(high / step) + 1)]


def axis(rows: list[Row], metric: str) -> tuple[Callable[[float], float], list[float]]:
    """Where values stand between 0 and 1, and some round ones."""
    log = metric in LOGARITHMIC
    numbers = [value(row, metric) for row in rows if value(row, metric) > 0 or not log]
    low, high = min(numbers), max(numbers)
    low, high = (low / 1.2, high * 1.2) if log else (low - 0.05 * (high - low), high * 1.03)
    return lambda number: share(number, low, high, log), ticks(low, high, log)


def scatter(rows: list[Row], x: str, y: str, left: float, top: float) -> list[str]:
    """One pair of metrics."""
    (at_x, x_ticks), (at_y, y_ticks) = axis(rows, x), axis(rows, y)
    bottom = top + SCATTER
    right = left + SCATTER * 1.2

    def place(row: Row) -> tuple[float, float]:
        return (
            left + at_x(value(row, x)) * (right - left),
            bottom - at_y(value(row, y)) * SCATTER,
        )

    figure = " (figure 8)" if {x, y} == {"joules", "write_s"} else ""
    words = f"{METRICS[y]} against {METRICS[x]}{figure}"
    parts = [text(left, top - 8, words, more='font-weight="bold"')]
    for tick in x_ticks:
        at = left + at_x(tick) * (right - left)
        parts += [line(at, top, at, bottom), text(at, bottom + 14, f"{tick:.3g}", "middle")]
    for tick in y_ticks:
        at = bottom - at_y(tick) * SCATTER
        parts += [line(left, at, right, at), text(left - 5, at + 4, f"{tick:.3g}", "end")]
    parts += [line(left, bottom, right, bottom, "#333"), line(left, top, left, bottom, "#333")]
    for row in rows:
        at = place(row)
        parts.append(
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="4" fill="{colour(row)}" '
            f'fill-opacity="0.8"><title>{escape(str(row["filter"]))}</title></circle>'
        )
        if not row["goal"]:
            parts.append(text(at[0] + 6, at[1] - 3, row["filter"], more='font-size="8"'))
    return parts


def legend(top: float) -> list[str]:
    parts = []
    for place, (level, shade) in enumerate(COLOURS.items()):
        x = MARGIN + 200 * place
        words = f"frazil, readable by {level}" if level else "other filters"
        parts.append(f'<rect x="{x}" y="{top:.1f}" width="12" height="12" fill="{shade}"/>')
        parts.append(text(x + 18, top + 10, words))
    return parts


def family_figure(family: str, rows: list[Row]) -> str:
    """Bars of all metrics, then every pair of them."""
    top = float(HEAD)
    parts = bars(rows, top)
    top += LINE * len(rows) + 40
    wide = (WIDTH - 2 * MARGIN) / 3
    pairs = list(combinations(METRICS, 2))
    for number, (y, x) in enumerate(pairs):
        left = MARGIN + SCATTER_LEFT + wide * (number % 3)
        parts += scatter(rows, x, y, left, top + (number // 3) * (SCATTER + SCATTER_BOTTOM + 20))
    top += (len(pairs) + 2) // 3 * (SCATTER + SCATTER_BOTTOM + 20)
    return page(parts + legend(top), top + 28, f"Filters: {family}")


def wrf_figure(rows: list[Row]) -> str:
    """The WRF report's charts: size and seconds by compression; ours beside. Of no row: nothing."""
    shown = [(words, row) for name, words in WRF.items() for row in rows if row["filter"] == name]
    ours = [(str(row["filter"]), row) for row in rows if row["goal"] == "balanced"]
    shown += ours
    if not shown:
        return ""
    parts, room, tall = [], (WIDTH - 2 * MARGIN) / 2 - 30, 260.0
    for place, (metric, title) in enumerate((("file_mb", "size, MB"), ("write_s", "write, s"))):
        left, bottom = MARGIN + place * (room + 60), HEAD + tall
        most = max(value(row, metric) for _, row in shown)
        wide = room / len(shown)
        parts.append(text(left, HEAD - 8, title, more='font-weight="bold"'))
        parts.append(line(left, bottom, left + room, bottom, "#333"))
        for number, (words, row) in enumerate(shown):
            high = (tall - 20) * value(row, metric) / most
            x, middle = left + wide * number, left + wide * (number + 0.5)
            parts.append(
                f'<rect x="{x + 4:.1f}" y="{bottom - high:.1f}" width="{wide - 8:.1f}" '
                f'height="{high:.1f}" fill="{colour(row)}"/>'
            )
            parts.append(text(middle, bottom - high - 4, row[metric], "middle"))
            turned = f'transform="rotate(-35 {middle:.1f} {bottom + 14:.1f})"'
            parts.append(text(middle, bottom + 14, words, "end", turned))
    top = HEAD + tall + 110
    return page(parts + legend(top), top + 28, "WRF squall line: size and time by compression")


def file_name(family: str) -> str:
    return f"filters_{family.replace(' ', '_')}.svg"


def draw_all(rows: list[Row], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for family in dict.fromkeys(str(row["family"]) for row in rows):
        some = [row for row in rows if row["family"] == family]
        (folder / file_name(family)).write_text(family_figure(family, some))
        if family == WRF_FAMILY and (charts := wrf_figure(some)):
            (folder / "filters_wrf_charts.svg").write_text(charts)
    print(f"drawn: {folder}")
