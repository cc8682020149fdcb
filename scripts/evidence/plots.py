"""The pictures of the page of evidence that no benchmark draws itself, as SVG."""

import math
from collections.abc import Callable
from html import escape

from evidence import tables
from evidence.results import Row, newest, published

WIDTH, MARGIN = 960, 16
DOCUMENT, PEER, OURS = "#8a8a8a", "#b0643c", "#2f6f8f"
BAR, GAP = 12, 18


def text(x: float, y: float, words: object, anchor: str = "start", more: str = "") -> str:
    shown = escape(str(words))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{shown}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#ddd") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def box(x: float, y: float, wide: float, tall: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="{colour}"/>'


def dot(x: float, y: float, colour: str, size: float, name: str) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}" fill-opacity="0.75">'
        f"<title>{escape(name)}</title></circle>"
    )


def page(title: str, parts: list[str], tall: float, legend: dict[str, str]) -> str:
    top = tall - 24
    words = []
    for place, (name, colour) in enumerate(legend.items()):
        x = MARGIN + 220 * place
        words += [box(x, top, 12, 12, colour), text(x + 18, top + 10, name)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall:.0f}" '
            'font-family="sans-serif" font-size="11">',
            f'<rect width="{WIDTH}" height="{tall:.0f}" fill="white"/>',
            text(MARGIN, 22, title, more='font-weight="bold" font-size="14"'),
            *parts,
            *words,
            "</svg>\n",
        ]
    )


def ufs() -> str:
    """Seconds of each output, as shares of serial netCDF's with 14 bits."""
    found = published("ufs_table").rows
    today = newest("mpi-ufs")
    base = float(published("ufs_table").row({"file_gb": "6.3", "write_s": "400"})["write_s"])
    base_now = float(today.row({"what": "netCDF, nbits 14"})["wall_s"])
    left, top = 430.0, 44.0
    lines = []
    for row, (peer, ours) in zip(found, tables.UFS, strict=True):
        shares = [(DOCUMENT, float(row["write_s"]) / base)]
        for colour, where in ((PEER, peer), (OURS, ours)):
            if where:
                shares.append((colour, float(today.row(where)["wall_s"]) / base_now))
        lines.append((row["output"], shares))
    most = max(share for _, shares in lines for _, share in shares)
    parts = []
    for name, shares in lines:
        parts.append(text(left - 8, top + BAR, name[:76], "end", 'font-size="10"'))
        for place, (colour, share) in enumerate(shares):
            y = top + place * BAR
            wide = (WIDTH - left - 60) * share / most
            parts += [box(left, y, wide, BAR - 2, colour)]
            parts.append(text(left + wide + 4, y + 9, f"{share:.2f}", more='font-size="9"'))
        top += 3 * BAR + GAP
    legend = {"document": DOCUMENT, "netCDF today": PEER, "frazil": OURS}
    return page("UFS: seconds over those of serial netCDF, 14 bits", parts, top + 40, legend)


def log_axis(values: list[float]) -> Callable[[float], float]:
    low, high = math.log10(min(values) / 1.2), math.log10(max(values) * 1.2)
    return lambda value: (math.log10(value) - low) / (high - low)


Points = list[tuple[str, float, float, str, float]]


def scatter(points: Points, title: str, left: float, top: float, wide: float, tall: float):
    """Maps against series, both logarithmic; a point is name, x, y, colour and size."""
    at_x, at_y = log_axis([one[1] for one in points]), log_axis([one[2] for one in points])
    bottom = top + tall
    parts = [text(left, top - 8, title, more='font-weight="bold"')]
    for power in range(-2, 4):
        value = 10.0**power
        if 0 <= at_x(value) <= 1:
            x = left + wide * at_x(value)
            parts += [line(x, top, x, bottom), text(x, bottom + 13, f"{value:g}", "middle")]
        if 0 <= at_y(value) <= 1:
            y = bottom - tall * at_y(value)
            parts += [line(left, y, left + wide, y), text(left - 4, y + 4, f"{value:g}", "end")]
    parts += [
        line(left, bottom, left + wide, bottom, "#333"),
        line(left, top, left, bottom, "#333"),
    ]
    parts.append(text(left + wide, bottom + 26, "ms a map", "end"))
    parts.append(text(left + 4, top + 10, "ms a series"))
    for name, x, y, colour, size in points:
        parts.append(dot(left + wide * at_x(x), bottom - tall * at_y(y), colour, size, name))
    return parts


def blog_points(name: str) -> Points:
    return [
        (
            f"document: {row['chunk']}, cache {row['cache_mb']} MB",
            float(row["map_us"]) / 1000,
            float(row["series_us"]) / 1000,
            DOCUMENT,
            3,
        )
        for row in published(name).rows
    ]


def today_points(map_key: str, series: Callable[[Row], float]) -> Points:
    rows = newest("chunks").some(tables.AR5)
    return [
        (
            f"{row['origin']}: {row['chunk']}",
            float(row[map_key]),
            series(row),
            OURS if row["origin"] in tables.OURS else PEER,
            6 if row["origin"] in tables.OURS else 3,
        )
        for row in rows
    ]


def ar5() -> str:
    """The four tables of chunk shapes."""

    def fifth(row: Row) -> float:
        return float(row["five_series_ms"]) / tables.SERIES_OF_FIVE

    panels = (
        ("Chunks, cache 1 MB", "ar5_chunks", "sweep_1_ms", fifth),
        ("Caches of 4, 32 and 128 MB (today: 32)", "ar5_caches", "sweep_32_ms", fifth),
        (
            "One series after maps",
            "ar5_one_series",
            "map_ms",
            lambda row: float(row["series_after_map_ms"]),
        ),
        (
            "Series first",
            "ar5_series_first",
            "map_after_series_ms",
            lambda row: float(row["series_ms"]),
        ),
    )
    parts, wide, tall = [], 390.0, 220.0
    for place, (title, name, map_key, series) in enumerate(panels):
        left = 50 + (place % 2) * (wide + 70)
        top = 54 + (place // 2) * (tall + 66)
        points = blog_points(name) + today_points(map_key, series)
        parts += scatter(points, title, left, top, wide, tall)
    legend = {
        "document": DOCUMENT,
        "the same chunks and peers' today": PEER,
        "frazil's chunks": OURS,
    }
    return page("Reading maps and series by chunk shape", parts, 54 + 2 * (tall + 66) + 30, legend)


WRF_WAYS = {
    "no output": "#8a8a8a",
    "io_form 1, binary": "#c9a227",
    "io_form 2, deflate 2": PEER,
    "frazil, balanced": OURS,
}


def wrf_sizes() -> str:
    """Seconds of the whole run over the number of frames."""
    rows = newest("wrf-sizes").rows
    frames = sorted({int(row["frames"]) for row in rows})
    most = max(float(row["wall_s"]) for row in rows)
    left, top, wide, tall = 60.0, 44.0, WIDTH - 120.0, 260.0
    bottom = top + tall
    parts = [line(left, bottom, left + wide, bottom, "#333"), line(left, top, left, bottom, "#333")]

    def place(row: Row) -> tuple[float, float]:
        x = left + wide * int(row["frames"]) / frames[-1] * 0.95
        return x, bottom - tall * float(row["wall_s"]) / most

    for count in frames:
        x = left + wide * count / frames[-1] * 0.95
        parts += [line(x, top, x, bottom), text(x, bottom + 14, f"{count} frames", "middle")]
    for tick in range(0, int(most) + 1, 5):
        y = bottom - tall * tick / most
        parts += [line(left, y, left + wide, y), text(left - 5, y + 4, f"{tick} s", "end")]
    for way, colour in WRF_WAYS.items():
        some = [place(row) for row in rows if row["way"] == way]
        shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in some)
        parts.append(f'<polyline points="{shown}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [dot(x, y, colour, 4, way) for x, y in some]
    return page("WRF: seconds of the whole run by output size", parts, bottom + 62, WRF_WAYS)


PICTURES: dict[str, Callable[[], str]] = {
    "evidence_ufs.svg": ufs,
    "evidence_ar5.svg": ar5,
    "evidence_wrf_sizes.svg": wrf_sizes,
}
