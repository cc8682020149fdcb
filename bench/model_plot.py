"""The figure's bars as SVG, in the article's order of columns."""

from html import escape

WIDTH, PANEL, LEFT, TOP, BOTTOM = 960, 230, 60, 40, 60
COLOURS = {"netcdf_fortran_s": "#b0643c", "frazil_s": "#2f6f8f"}
NAMES = {"netcdf_fortran_s": "netcdf-fortran", "frazil_s": "frazil, one line changed"}
TITLES = {"plain": "Plain", "openmp": "OpenMP sections, per step"}


def order(row: dict[str, object]) -> tuple[int, int, int]:
    """One by one first, then chunks only, slices only, both; cells without chunking call last."""
    chunk = 0 if row["chunk"] == "none" else int(row["chunk"])
    slice_ = int(row["slice"])
    if chunk == 0:
        group = 4
    elif chunk == 1 and slice_ == 1:
        group = 0
    elif slice_ == 1:
        group = 1
    else:
        group = 2 if chunk == 1 else 3
    return group, chunk, slice_


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def panel(rows: list[dict[str, object]], title: str, top: float) -> list[str]:
    most = max(float(row[key]) for row in rows for key in COLOURS)
    bottom = top + PANEL
    parts = [text(LEFT, top - 10, title, "start", 'font-weight="bold"')]

    def height(seconds: float) -> float:
        return PANEL * seconds / most

    step = 1 if most < 6 else 2 if most < 16 else 5
    for tick in range(0, int(most) + 1, step):
        y = bottom - height(tick)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        parts.append(text(LEFT - 6, y + 4, f"{tick} s", "end"))
    # The computation itself.
    y = bottom - height(1)
    parts.append(
        f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" '
        'stroke="#333" stroke-dasharray="4 3"/>'
    )
    room = (WIDTH - 10 - LEFT) / len(rows)
    for place, row in enumerate(rows):
        middle = LEFT + (place + 0.5) * room
        for side, key in enumerate(COLOURS):
            seconds = float(row[key])
            x = middle + (side - 1) * 0.38 * room
            tall = height(seconds)
            parts.append(
                f'<rect x="{x:.1f}" y="{bottom - tall:.1f}" width="{0.36 * room:.1f}" '
                f'height="{tall:.1f}" fill="{COLOURS[key]}"><title>{escape(NAMES[key])}: '
                f"{seconds:.3f} s</title></rect>"
            )
        parts.append(text(middle, bottom + 14, str(row["chunk"])))
        parts.append(text(middle, bottom + 28, str(row["slice"])))
    parts.append(text(LEFT - 6, bottom + 14, "chunk", "end"))
    parts.append(text(LEFT - 6, bottom + 28, "slice", "end"))
    return parts


def bars(rows: list[dict[str, object]]) -> str:
    """One panel for each build; the dashed line is the computation alone."""
    tall = TOP + len(TITLES) * (PANEL + BOTTOM) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{tall}" fill="white"/>',
    ]
    for place, (build, title) in enumerate(TITLES.items()):
        chosen = sorted((row for row in rows if row["build"] == build), key=order)
        parts += panel(chosen, title, TOP + place * (PANEL + BOTTOM))
    for place, (key, colour) in enumerate(COLOURS.items()):
        x, y = LEFT + 220 * place, tall - 22
        parts.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>')
        parts.append(text(x + 18, y + 10, NAMES[key], "start"))
    return "\n".join([*parts, "</svg>"]) + "\n"
