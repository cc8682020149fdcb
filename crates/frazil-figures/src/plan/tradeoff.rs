//! Ratio against speed: one colour for each kind of filters, its levels joined by a line.

use frazil::FilterCandidate;

use super::{COLOURS, PANEL};
use crate::chart::{Axis, Scale};
use crate::drawing::{INK, QUIET, centred, line, rectangle, text};
use crate::markup::{Element, px, shorten};
use crate::number;

/// The plotting area within a panel: left, top, right, bottom.
const AREA: [f64; 4] = [44.0, 22.0, PANEL - 10.0, 210.0];
const GRID: &str = "#e3e5e8";
/// Entries of the legend in a line.
const IN_A_LINE: usize = 2;
/// Bars where no speeds are known.
const MOST_BARS: usize = 14;

/// Filters that were compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) filters: &'a str,
    pub(super) megabytes_per_second: f64,
    pub(super) ratio: f64,
    pub(super) is_chosen: bool,
}

/// Filters without their level, and the level: `shuffle+deflate`, `4`.
fn parts(filters: &str) -> (&str, &str) {
    match filters.rsplit_once('(') {
        Some((kind, level)) => (kind, level.trim_end_matches(')')),
        None => (filters, ""),
    }
}

/// The kinds among some filters, in their order.
fn kinds<'a>(spots: &[Spot<'a>]) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for spot in spots {
        let kind = parts(spot.filters).0;
        if !found.contains(&kind) {
            found.push(kind);
        }
    }
    found
}

/// Height of a chart with its legend.
pub(super) fn height(spots: &[Spot<'_>]) -> f64 {
    AREA[3] + 40.0 + 16.0 * kinds(spots).len().div_ceil(IN_A_LINE) as f64
}

/// Height of [`ratios`].
pub(super) fn bars_height(count: usize) -> f64 {
    24.0 + 20.0 * count.min(MOST_BARS) as f64
}

/// A chart with its left upper corner at `at`.
pub(super) fn draw(at: (f64, f64), speed: &'static str, spots: &[Spot<'_>]) -> Element {
    let x = Axis::over(
        speed,
        Scale::Log,
        spots.iter().map(|s| s.megabytes_per_second),
    );
    let ratios = spots.iter().map(|spot| spot.ratio);
    let y = Axis::over("ratio", Scale::Linear, ratios.chain([1.0]));
    let place = |spot: &Spot<'_>| at_of(&x, &y, spot.megabytes_per_second, spot.ratio);
    let mut group = panel(at)
        .child(text(0.0, 10.0, format!("ratio against {speed}"), INK, 12.0))
        .children(frame(&x, &y));
    for (number, kind) in kinds(spots).into_iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let mut levels: Vec<&Spot<'_>> = spots.iter().collect();
        levels.retain(|spot| parts(spot.filters).0 == kind);
        levels.sort_by(|a, b| a.megabytes_per_second.total_cmp(&b.megabytes_per_second));
        for pair in levels.windows(2) {
            group = group.child(line(place(pair[0]), place(pair[1]), colour, 1.0));
        }
        for spot in levels {
            group = group.children(dot(place(spot), spot, colour));
        }
        let (row, column) = (number / IN_A_LINE, number % IN_A_LINE);
        let left = AREA[0] + 165.0 * column as f64;
        let top = AREA[3] + 48.0 + 16.0 * row as f64;
        group = group
            .child(circle((left, top - 4.0), 4.0).with("fill", colour))
            .child(text(left + 9.0, top, shorten(kind, 24), QUIET, 11.0));
    }
    group
}

/// A point, its level beside it, a ring around the chosen one, and a title to point at.
fn dot(at: (f64, f64), spot: &Spot<'_>, colour: &str) -> Vec<Element> {
    let title = format!(
        "{}: ratio {}, {} MB/s",
        spot.filters,
        number::short(spot.ratio),
        number::short(spot.megabytes_per_second)
    );
    let mut found = vec![
        circle(at, 4.0)
            .with("fill", colour)
            .child(Element::new("title").text(title)),
        text(at.0 + 6.0, at.1 - 4.0, parts(spot.filters).1, QUIET, 9.0),
    ];
    if spot.is_chosen {
        found.push(
            circle(at, 8.0)
                .with("fill", "none")
                .with("stroke", INK)
                .with("stroke-width", 1.5),
        );
    }
    found
}

fn circle(at: (f64, f64), radius: f64) -> Element {
    Element::new("circle")
        .with("cx", px(at.0))
        .with("cy", px(at.1))
        .with("r", px(radius))
}

/// A group that is moved to a panel's place.
pub(super) fn panel(at: (f64, f64)) -> Element {
    let moved = format!("translate({} {})", px(at.0), px(at.1));
    Element::new("g").with("transform", moved)
}

fn at_of(x: &Axis, y: &Axis, speed: f64, ratio: f64) -> (f64, f64) {
    let [left, top, right, bottom] = AREA;
    (
        left + x.place(speed) * (right - left),
        bottom - y.place(ratio) * (bottom - top),
    )
}

fn frame(x: &Axis, y: &Axis) -> Vec<Element> {
    let [left, top, right, bottom] = AREA;
    let mut found = Vec::new();
    for tick in x.ticks(4) {
        let at = left + x.place(tick) * (right - left);
        found.push(line((at, top), (at, bottom), GRID, 1.0));
        found.push(centred(at, bottom + 15.0, number::short(tick)));
    }
    for tick in y.ticks(5) {
        let at = bottom - y.place(tick) * (bottom - top);
        found.push(line((left, at), (right, at), GRID, 1.0));
        let label = text(left - 6.0, at + 3.5, number::short(tick), QUIET, 11.0);
        found.push(label.with("text-anchor", "end"));
    }
    found.push(line((left, bottom), (right, bottom), INK, 1.0));
    found.push(line((left, top), (left, bottom), INK, 1.0));
    found.push(centred(
        (left + right) / 2.0,
        bottom + 30.0,
        "MB/s of one core",
    ));
    found
}

/// Ratios as bars, where no speed is known.
pub(super) fn ratios(at: (f64, f64), candidates: &[FilterCandidate]) -> Element {
    let note = "orange: chosen. For speeds, run `frazil calibrate` first";
    let most = candidates.iter().map(|one| one.ratio).fold(1.0, f64::max);
    let mut group = panel(at)
        .child(text(0.0, 10.0, "ratio", INK, 12.0))
        .child(text(40.0, 10.0, note, QUIET, 11.0));
    for (number, candidate) in candidates.iter().take(MOST_BARS).enumerate() {
        let top = 24.0 + 20.0 * number as f64;
        let width = (PANEL - 190.0) * (candidate.ratio / most).clamp(0.0, 1.0);
        let colour = if number == 0 { COLOURS[1] } else { COLOURS[0] };
        let name = shorten(&candidate.filters, 24);
        let value = number::short(candidate.ratio);
        group = group
            .child(text(0.0, top + 11.0, name, QUIET, 11.0))
            .child(rectangle((150.0, top), (width, 14.0), colour))
            .child(text(154.0 + width, top + 11.0, value, INK, 11.0));
    }
    group
}
