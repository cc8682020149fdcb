//! What the numbers mean, in words.

use crate::markup::Element;

/// Names of the measures and what they are.
const MEASURES: [(&str, &str); 11] = [
    (
        "Stated bound",
        "No value may differ from its original by more than this: abs is in the variable's own \
         units, rel is a share of the value. The rounded file states this bound.",
    ),
    (
        "Max. error",
        "The largest error of any value, absolute and relative to the original value.",
    ),
    (
        "Error / std",
        "Root of the mean squared error, in standard deviations of the original values.",
    ),
    ("RMSE", "Root of the mean squared error."),
    ("Bias", "Mean error, rounded minus original."),
    ("Correlation", "Pearson's, of rounded with original values."),
    (
        "KS",
        "Kolmogorov-Smirnov distance: the largest gap between the two cumulative distributions.",
    ),
    (
        "Gradient",
        "Root mean squared error of horizontal gradients, relative to their root mean square.",
    ),
    (
        "Spectrum",
        "Root mean squared relative error of the power spectrum along the last axis.",
    ),
    (
        "SSIM",
        "Structural similarity of horizontal slices: the mean, and the worst slice.",
    ),
    (
        "Information",
        "Share of the bitwise real information that the values keep (Klöwer et al. 2021).",
    ),
];

/// A section that explains the measures.
pub(super) fn glossary() -> Element {
    let entries = MEASURES.iter().flat_map(|(name, meaning)| {
        [
            Element::new("dt").text(name),
            Element::new("dd").text(meaning),
        ]
    });
    Element::new("section")
        .with("class", "keep")
        .child(Element::new("h2").text("What the measures mean"))
        .child(Element::new("dl").with("class", "note").children(entries))
        .child(Element::new("p").with("class", "note").text(
            "Special values (fill, missing, outside the valid range, not finite) must be \
             unchanged to the last bit and take no part in the measures.",
        ))
}
