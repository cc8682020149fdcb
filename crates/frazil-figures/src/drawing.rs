//! Texts, lines and rectangles of drawings.

use crate::markup::{Element, px};

/// Ink of texts and frames.
pub(crate) const INK: &str = "#1a1a1a";
/// Ink of texts that say less.
pub(crate) const QUIET: &str = "#5f6368";

pub(crate) fn text(
    x: f64,
    y: f64,
    words: impl std::fmt::Display,
    colour: &str,
    size: f64,
) -> Element {
    Element::new("text")
        .with("x", px(x))
        .with("y", px(y))
        .with("fill", colour)
        .with("font-size", px(size))
        .text(words)
}

pub(crate) fn centred(x: f64, y: f64, words: impl std::fmt::Display) -> Element {
    text(x, y, words, QUIET, 11.0).with("text-anchor", "middle")
}

pub(crate) fn rectangle(at: (f64, f64), size: (f64, f64), fill: &str) -> Element {
    Element::new("rect")
        .with("x", px(at.0))
        .with("y", px(at.1))
        .with("width", px(size.0))
        .with("height", px(size.1))
        .with("fill", fill)
}

pub(crate) fn line(from: (f64, f64), to: (f64, f64), colour: &str, width: f64) -> Element {
    Element::new("line")
        .with("x1", px(from.0))
        .with("y1", px(from.1))
        .with("x2", px(to.0))
        .with("y2", px(to.1))
        .with("stroke", colour)
        .with("stroke-width", px(width))
}
