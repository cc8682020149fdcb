//! The information in the bits of a variable, after Klöwer et al. 2021
//! (doi:10.1038/s43588-021-00156-2), and how many of them to keep.
//!
//! The course of things: [`sample_boxes`] says where to look first. Pairs along every axis are
//! counted there ([`PairCounter`]), and the axis with the most information is the one to analyse
//! ([`total_information`]); [`integer_step`] recognises unpacked integers. Then all pairs of the variable along that axis are counted, box by box
//! and in any order, in [`Grouping`]s by level and sample. From the merged counts [`origin`] says
//! where the values seem to come from, and [`recommend`] how many bits to keep.
//!
//! Positional population counts are exact, so the result does not depend on how the variable was
//! cut.

mod boxes;
mod counter;
mod counts;
mod grid;
mod groups;
mod mask;
mod measure;
mod origin;
mod pairs;
mod recommend;
mod words;

pub use boxes::sample_boxes;
pub use counts::{BitUse, PairCounts, VariableCounts};
pub use grid::grid_step;
pub use groups::{Bands, Grouping, MOST_LEVELS, MOST_SAMPLES};
pub use measure::{
    are_copies, before_noise, bits_to_keep, decisive_information, free_entropy, mutual_information,
    real_information, share_kept, without_tail,
};
pub use origin::{integer_step, mantissa_bits, ordinary_values, origin, repeating_values};
pub use pairs::{PairCounter, working_bytes};
pub use recommend::{
    LEAST_GROUP_PAIRS, LEAST_PAIRS, Recommendation, preserved_information, recommend,
};

/// All information that counts in pairs along one axis, in bits per value.
#[must_use]
pub fn total_information(counts: &PairCounts, element_bytes: usize) -> f64 {
    let mantissa = mantissa_bits(element_bytes);
    decisive_information(counts, mantissa, mantissa)
        .iter()
        .sum()
}
