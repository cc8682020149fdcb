"""How the benchmark of filters judges its rows, cuts its data and draws."""

import sys
from xml.dom import minidom

import numpy as np
from support.command import ROOT

sys.path.insert(0, str(ROOT / "bench"))
from filter_data import chunk_of, cut
from filter_plot import family_figure, wrf_figure
from filters import Row, judged, missed

RAW = 1_000_000


def row(name: str, level: str, ratio: float, cpu_s: float, goal: str = "") -> Row:
    found = Row(name, level, goal, energy_by="model")
    found.turns = [{"wall_s": 1.25 * cpu_s, "cpu_s": cpu_s, "joules": 20 * cpu_s}]
    found.sizes, found.reads = [round(RAW / ratio)], [0.1]
    return found


PEERS = [
    row("off", "any", 1.0, 0.01),
    row("gzip-9", "any", 3.0, 2.0),
    row("lz4", "plugins", 1.5, 0.1),
    row("bitshuffle+lz4", "plugins", 1.1, 0.05),
    row("MAFISC", "frazil", 5.0, 8.0),
]


def test_archive_is_judged_among_the_filters_of_its_level():
    ours = row("frazil archive, any", "any", 3.1, 9.5, "archive")
    assert missed(ours, PEERS, RAW) == ["slower than MAFISC"]
    ours = row("frazil archive, frazil", "frazil", 4.0, 3.0, "archive")
    assert missed(ours, PEERS, RAW) == ["smaller: MAFISC"]
    ours = row("frazil archive, frazil", "frazil", 4.99, 3.0, "archive")
    assert missed(ours, PEERS, RAW) == []
    size = row("frazil size, plugins", "plugins", 5.2, 3.0, "size")
    assert missed(ours, [*PEERS, size], RAW) == ["smaller: frazil size, plugins"]


def test_balanced_is_beaten_by_what_is_as_fast_and_smaller():
    ours = row("frazil balanced, plugins", "plugins", 1.3, 0.2, "balanced")
    assert missed(ours, PEERS, RAW) == ["as fast and smaller: lz4"]
    # Readers of the level `any` do not know it; a tenth counts as equal.
    for found in (("any", 1.3), ("plugins", 1.4)):
        ours = row("frazil balanced", *found, 0.2, "balanced")
        assert missed(ours, PEERS, RAW) == []


def test_speed_is_compared_with_what_shrinks():
    ours = row("frazil speed, plugins", "plugins", 1.6, 0.12, "speed")
    assert missed(ours, PEERS, RAW) == ["faster: lz4"]
    ours = row("frazil speed, plugins", "plugins", 1.15, 0.05, "speed")
    assert missed(ours, PEERS, RAW) == ["does not shrink to 1/1.2"]
    ours = row("frazil speed, plugins", "plugins", 1.5, 0.109, "speed")
    assert missed(ours, PEERS, RAW) == []


def test_rows_are_drawn():
    others = [row("szip", "plugins", 1.4, 0.3), row("gzip-6", "any", 2.9, 1.0)]
    ours = row("frazil balanced, any", "any", 3.0, 0.2, "balanced")
    rows = judged("squall line", RAW, [*PEERS, *others, ours])
    assert rows[-1]["cpu_percent"] == 80 and rows[-1]["ratio"] == "3.000"
    for figure in (family_figure("a & b", rows), wrf_figure(rows)):
        assert minidom.parseString(figure).documentElement.tagName == "svg"
        assert "frazil balanced, any" in figure and "nan" not in figure


def test_data_are_cut_from_their_slow_axes():
    middle = cut((100, 10, 10), 4, 4000)
    assert [part.stop - part.start for part in middle] == [10, 10, 10]
    assert middle[0].start == 45
    assert [part.stop - part.start for part in cut((4, 1000), 4, 8000)] == [2, 1000]
    # Equal parts: no chunk is nearly empty.
    assert chunk_of(np.zeros((300, 1024), "f4")) == (150, 1024)
