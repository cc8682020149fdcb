"""Predicted seconds over ranks as SVG: one panel a workload, both axes logarithmic."""

import math

from model_plot import text

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 960, 260, 70, 230, 40, 60
COLOURS = ("#2f6f8f", "#b0643c", "#5b8f3c", "#7a5ba6", "#999999", "#c2a13c")

Row = dict[str, object]


def series(rows: list[Row]) -> dict[str, list[tuple[int, float]]]:
    """By what a line stands for: ranks and seconds."""
    found: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        is_one = row["way"] == "one file"
        name = f"{row['way']}, written {row['writes']}" if is_one else str(row["way"])
        found.setdefault(name, []).append((int(row["ranks"]), float(row["seconds"])))
        if is_one and row["writes"] == "while packing":
            busy = (int(row["ranks"]), float(row["placer_s"]))
            found.setdefault("of that, the placer", []).append(busy)
    return found


class Panel:
    """Where seconds and ranks lie."""

    def __init__(self, rows: list[Row], top: float) -> None:
        self.lines = series(rows)
        points = [point for line in self.lines.values() for point in line]
        self.ranks = sorted({ranks for ranks, _ in points})
        seconds = [value for _, value in points if value > 0]
        self.low, self.high = (
            math.floor(math.log10(min(seconds))),
            math.ceil(math.log10(max(seconds))),
        )
        self.top, self.bottom = top, top + PANEL

    def x(self, ranks: int) -> float:
        first, last = math.log2(self.ranks[0]), math.log2(self.ranks[-1])
        share = (math.log2(ranks) - first) / max(last - first, 1)
        return LEFT + share * (WIDTH - RIGHT - LEFT)

    def y(self, seconds: float) -> float:
        share = (math.log10(seconds) - self.low) / max(self.high - self.low, 1)
        return self.bottom - share * PANEL

    def grid(self) -> list[str]:
        parts = []
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            parts.append(
                f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
            )
            parts.append(text(LEFT - 6, y + 4, f"{10.0**power:g} s", "end"))
        parts += [text(self.x(ranks), self.bottom + 16, str(ranks)) for ranks in self.ranks]
        parts.append(text((LEFT + WIDTH - RIGHT) / 2, self.bottom + 32, "ranks"))
        return parts

    def line(self, place: int, name: str) -> list[str]:
        points = [(self.x(ranks), self.y(value)) for ranks, value in self.lines[name] if value > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        colour = COLOURS[place % len(COLOURS)]
        dashes = ' stroke-dasharray="5 4"' if name.startswith("of that") else ""
        style = f'fill="none" stroke="{colour}" stroke-width="2"{dashes}'
        x, y = WIDTH - RIGHT + 12, self.top + 14 + 18 * place
        return [
            f'<polyline points="{path}" {style}/>',
            f'<line x1="{x}" x2="{x + 18}" y1="{y}" y2="{y}" {style}/>',
            text(x + 24, y + 4, name, "start"),
        ]


def lines(rows: list[Row]) -> str:
    workloads = list(dict.fromkeys(str(row["workload"]) for row in rows))
    tall = TOP + len(workloads) * (PANEL + BOTTOM + 20)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{tall}" fill="white"/>',
    ]
    for place, workload in enumerate(workloads):
        top = TOP + place * (PANEL + BOTTOM + 20)
        panel = Panel([row for row in rows if row["workload"] == workload], top)
        parts.append(text(LEFT, top - 10, workload, "start", 'font-weight="bold"'))
        parts += panel.grid()
        for number, name in enumerate(panel.lines):
            parts += panel.line(number, name)
    return "\n".join([*parts, "</svg>"]) + "\n"
