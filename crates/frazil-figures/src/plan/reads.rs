//! Read times by chunk shape: a line for each shape, a dot for each read.

use frazil::ChunkCandidate;

use super::tradeoff::panel;
use super::{COLOURS, PANEL, extents};
use crate::chart::{Axis, Scale};
use crate::drawing::{INK, QUIET, centred, line, text};
use crate::markup::{Element, px, shorten};
use crate::number;

/// Where the axis of times begins and ends, and the first line.
const LEFT: f64 = 150.0;
const RIGHT: f64 = PANEL - 12.0;
const TOP: f64 = 24.0;
const LINE_HEIGHT: f64 = 28.0;
/// Shapes that are drawn.
const MOST: usize = 8;
/// Entries of the legend in a line.
const IN_A_LINE: usize = 3;
const GRID: &str = "#e3e5e8";

/// Height of a chart with its legend.
pub(super) fn height(candidates: &[ChunkCandidate]) -> f64 {
    let reads = candidates.first().map_or(0, |first| first.reads.len());
    let lines = candidates.len().min(MOST) as f64;
    TOP + LINE_HEIGHT * lines + 30.0 + 16.0 * reads.div_ceil(IN_A_LINE) as f64
}

/// A chart with its left upper corner at `at`; the first candidate is the chosen one.
pub(super) fn draw(at: (f64, f64), candidates: &[ChunkCandidate]) -> Element {
    let candidates = &candidates[..candidates.len().min(MOST)];
    let times = candidates.iter().flat_map(|one| &one.reads);
    let axis = Axis::over("ms", Scale::Log, times.map(|read| read.seconds * 1e3));
    let bottom = TOP + LINE_HEIGHT * candidates.len() as f64;
    let place = |milliseconds: f64| LEFT + axis.place(milliseconds) * (RIGHT - LEFT);
    let mut group = panel(at).child(text(0.0, 10.0, "reads by chunk shape, ms", INK, 12.0));
    for tick in axis.ticks(4) {
        group = group
            .child(line(
                (place(tick), TOP - 6.0),
                (place(tick), bottom),
                GRID,
                1.0,
            ))
            .child(centred(place(tick), bottom + 15.0, number::short(tick)));
    }
    for (row, candidate) in candidates.iter().enumerate() {
        let middle = TOP + LINE_HEIGHT * (row as f64 + 0.5);
        let ink = if row == 0 { INK } else { QUIET };
        let shape = shorten(&extents(&candidate.chunk), 24);
        group = group
            .child(text(
                0.0,
                middle - 2.0,
                shorten(&candidate.name, 26),
                ink,
                11.0,
            ))
            .child(text(0.0, middle + 10.0, shape, QUIET, 10.0))
            .child(line((LEFT, middle), (RIGHT, middle), GRID, 1.0));
        for (number, read) in candidate.reads.iter().enumerate() {
            let milliseconds = read.seconds * 1e3;
            let title = format!(
                "{}, {}: {} ms, {} times its best",
                candidate.name,
                read.read,
                number::short(milliseconds),
                number::short(read.times_best)
            );
            let dot = Element::new("circle")
                .with("cx", px(place(milliseconds)))
                .with("cy", px(middle + offset(number, candidate.reads.len())))
                .with("r", 4)
                .with("fill", COLOURS[number % COLOURS.len()])
                .child(Element::new("title").text(title));
            group = group.child(dot);
        }
    }
    group.children(legend(candidates, bottom + 38.0))
}

/// Dots of one time stand below each other, not over each other.
fn offset(number: usize, reads: usize) -> f64 {
    let step = 18.0 / reads.max(3) as f64;
    step * (number as f64 - (reads as f64 - 1.0) / 2.0)
}

fn legend(candidates: &[ChunkCandidate], top: f64) -> Vec<Element> {
    let reads = candidates.first().map_or(&[][..], |first| &first.reads);
    let entry = |(number, read): (usize, &frazil::ReadCandidate)| {
        let left = 5.0 + 120.0 * (number % IN_A_LINE) as f64;
        let top = top + 16.0 * (number / IN_A_LINE) as f64;
        let dot = Element::new("circle")
            .with("cx", px(left))
            .with("cy", px(top - 4.0))
            .with("r", 4)
            .with("fill", COLOURS[number % COLOURS.len()]);
        [
            dot,
            text(left + 9.0, top, shorten(&read.read, 18), QUIET, 11.0),
        ]
    };
    reads.iter().enumerate().flat_map(entry).collect()
}
