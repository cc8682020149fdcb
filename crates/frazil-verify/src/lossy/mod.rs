//! Variables that the second file states to be rounded: how closely they follow their originals.
//!
//! # Measures
//! Values that are special in the original take no part: they are compared bit by bit, and any
//! change is a failure. So is a change of a zero ([`elements`]). Of all others, with errors taken as rounded minus original:
//! - errors of single values against the stated bound ([`errors`]), their mean and mean square,
//! - Pearson's correlation, from means and deviations merged block by block ([`moments`]),
//! - the Kolmogorov-Smirnov distance ([`distribution`]),
//! - errors of gradients: differences of neighbours along the last two axes ([`gradients`]),
//! - errors of power spectra along the last axis ([`spectrum`]),
//! - structural similarity of slices along the last two axes ([`ssim`](frazil_precision::ssim)).
//!
//! Where one slice does not fit into the memory allowed ([`tiling`]), the last three are taken over
//! parts of slices, and a notice says so.
//!
//! # Memory
//! A variable is read twice: a sample of it for the edges of the Kolmogorov-Smirnov distance, and
//! all of it, tile by tile, in parallel. Results of tiles are merged in the order of the tiles, so
//! that they do not depend on threads.

mod agreement;
mod all;
mod comparison;
mod distribution;
mod elements;
mod errors;
mod figures;
mod gradients;
mod judge;
mod moments;
mod spectrum;
mod thresholds;
mod tile;
mod tiling;

pub(super) use agreement::{Promise, is_container, promise};
pub(super) use all::{Rounded, compare};
pub(super) use comparison::Comparison;
pub(super) use tile::Measurement;
pub(super) use tiling::{SliceTile, tile_shape};
