"""Pictures and tables for notebooks: plain SVG and HTML, every name escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TypeVar

from .errors import plain

_Row = TypeVar("_Row")

# The longest and the shortest side of a face in pixels.
_LONGEST = 150.0
_SHORTEST = 12.0
# More lines than this on a side are drawn as a tint.
_MOST_LINES = 40
# Rows of a table that are seen at once; the rest is folded.
MOST_ROWS = 30
# Attributes of a file that are listed without being asked for.
_FEW = 10
# Cells of no more characters are not broken.
_ONE_LINE = 28
_STYLE = "stroke:currentColor;stroke-width:{};stroke-opacity:{}"


def bytes_text(count: float) -> str:
    """A number of bytes in a few characters, ``1.5 MiB``."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError


def _sides(lengths: Sequence[int]) -> list[float]:
    """Pixels of each side: in proportion, but none invisible."""
    longest = max([*lengths, 1])
    return [max(_SHORTEST, _LONGEST * (max(n, 1) / longest) ** 0.5) for n in lengths]


def _edges(length: int, chunk: int) -> list[float]:
    """Where chunks meet, as shares of the side; none where there would be too many."""
    if chunk <= 0 or length <= chunk or length / chunk > _MOST_LINES:
        return []
    return [edge / length for edge in range(chunk, length, chunk)]


def _is_dense(length: int, chunk: int) -> bool:
    return chunk > 0 and length / chunk > _MOST_LINES


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 0.5) -> str:
    style = _STYLE.format(width, 0.45 if width < 1 else 0.9)
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" style="{style}"/>'


def _face(corner: tuple, u: tuple, v: tuple, us: list[float], vs: list[float]) -> list[str]:
    """A parallelogram from ``corner`` along ``u`` and ``v`` with lines across both."""
    x, y = corner

    def at(a: float, b: float) -> tuple[float, float]:
        return x + a * u[0] + b * v[0], y + a * u[1] + b * v[1]

    outline = [((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0))]
    lines = [_line(*at(*start), *at(*end), 1.2) for start, end in outline]
    lines += [_line(*at(a, 0), *at(a, 1)) for a in us]
    lines += [_line(*at(0, b), *at(1, b)) for b in vs]
    return lines


def _tint(corner: tuple, u: tuple, v: tuple, is_dense: bool) -> list[str]:
    """A parallelogram that stands for more lines than can be told apart."""
    if not is_dense:
        return []
    (x, y), (a, b), (c, d) = corner, u, v
    corners = [(x, y), (x + a, y + b), (x + a + c, y + b + d), (x + c, y + d)]
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in corners)
    return [f'<polygon points="{points}" style="fill:currentColor;fill-opacity:0.12"/>']


def chunk_grid_svg(
    shape: Sequence[int], chunk: Sequence[int] | None, dims: Sequence[str] = ()
) -> str:
    """The chunks of an array as an inline SVG picture: up to three axes, the last ones.

    Parameters
    ----------
    shape : sequence of int
        Elements along each axis.
    chunk : sequence of int or None
        Elements of one chunk along each axis; ``None``: contiguous, drawn undivided.
    dims : sequence of str
        Names of the axes, if they have any.
    """
    if not shape:
        return ""
    chunk = list(shape) if chunk is None else list(chunk)
    shown = min(3, len(shape))
    lengths, extents = list(shape)[-shown:], chunk[-shown:]
    while len(lengths) < 2:
        lengths.insert(0, 1)
        extents.insert(0, 1)
    sides = _sides(lengths)
    depth = sides[0] * 0.5 if len(lengths) == 3 else 0.0
    height, width = sides[-2], sides[-1]
    edges = [_edges(n, c) for n, c in zip(lengths, extents, strict=True)]
    dense = [_is_dense(n, c) for n, c in zip(lengths, extents, strict=True)]
    front = (depth + 4, depth + 4)
    parts = _face(front, (width, 0), (0, height), edges[-1], edges[-2])
    parts += _tint(front, (width, 0), (0, height), dense[-1] or dense[-2])
    if depth:
        # The third-last axis runs into the page, to the upper left.
        back = [1 - edge for edge in edges[0]]
        parts += _face((4, 4), (width, 0), (depth, depth), edges[-1], back)
        parts += _tint((4, 4), (width, 0), (depth, depth), dense[-1] or dense[0])
        parts += _face((4, 4), (0, height), (depth, depth), edges[-2], back)
        parts += _tint((4, 4), (0, height), (depth, depth), dense[-2] or dense[0])
    label = _label(shape, chunk, dims)
    total_width, total_height = depth + width + 8, depth + height + 8
    return (
        f'<svg width="{total_width:.0f}" height="{total_height:.0f}" role="img" '
        f'aria-label="{escape(label)}"><title>{escape(label)}</title>{"".join(parts)}</svg>'
    )


def chunk_grid_html(
    shape: Sequence[int], chunk: Sequence[int] | None, dims: Sequence[str] = ()
) -> str:
    """The picture of :func:`chunk_grid_svg`, and the elements of one chunk in words."""
    if not shape:
        return ""
    words = "contiguous" if chunk is None else " x ".join(map(str, chunk))
    label = f'<div style="font-size:85%">{words}</div>'
    return chunk_grid_svg(shape, chunk, dims) + label


def folded_list(items: Sequence[str], what: str) -> str:
    """Items that are HTML already; more than a few are folded."""
    listed = f"<ul>{''.join(items)}</ul>" if items else ""
    if len(items) <= _FEW:
        return listed
    return f"<details><summary>{len(items)} {what}</summary>{listed}</details>"


def escape(text: object) -> str:
    """Text as HTML shows it, without anything that a reader would not see."""
    return html.escape(plain(str(text)))


def _label(shape: Sequence[int], chunk: Sequence[int], dims: Sequence[str]) -> str:
    names = list(dims) if len(dims) == len(shape) else [f"axis {i}" for i in range(len(shape))]
    axes = [f"{name} {n} by {c}" for name, n, c in zip(names, shape, chunk, strict=True)]
    return "chunk grid: " + ", ".join(axes)


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], raw: int | None = None) -> str:
    """A table. Cells of the column number ``raw`` are HTML already, all others are escaped."""
    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in header)
    body = []
    for row in rows:
        cells = "".join(_cell(str(cell), column == raw) for column, cell in enumerate(row))
        body.append(f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _cell(text: str, is_raw: bool) -> str:
    """A cell; sizes and shapes stay in one line."""
    nowrap = ";white-space:nowrap" if not is_raw and len(text) <= _ONE_LINE else ""
    shown = text if is_raw else escape(text)
    return f'<td style="text-align:left{nowrap}">{shown}</td>'


def largest_first(rows: Sequence[_Row], sizes: Sequence[int] | None) -> list[_Row]:
    """The rows by their sizes, if these are known."""
    if sizes is None:
        return list(rows)
    order = sorted(range(len(rows)), key=lambda place: -sizes[place])
    return [rows[place] for place in order]


def folded(header: Sequence[str], rows: Sequence[Sequence[str]], raw: int | None = None) -> str:
    """A table whose rows after the first thirty are folded."""
    table = html_table(header, rows[:MOST_ROWS], raw)
    if len(rows) <= MOST_ROWS:
        return table
    rest = html_table(header, rows[MOST_ROWS:], raw)
    return f"{table}<details><summary>{len(rows) - MOST_ROWS} more</summary>{rest}</details>"


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same for a terminal."""
    table = [[plain(str(cell)) for cell in row] for row in [list(header), *rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
    return "\n".join(lines)
