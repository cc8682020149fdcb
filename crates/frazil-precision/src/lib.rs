//! Which values may be rounded, by how much, and what the file says about it.
//!
//! In: an open input ([`frazil_file::input::Input`]) and what the user states: digits, bounds, an
//! information target, rules for single variables ([`rules`], [`rule_file`]).
//! Out: [`PrecisionDecisions`], one rounding or the reason for none for each variable, and the
//! attributes that state it ([`metadata`]). [`stated`] reads such attributes back, so that `verify`
//! can judge a file by what it promises.
//!
//! - A statement that names no variable of any input is an error ([`named`]).
//! - Coordinates, bounds and grid mappings are protected ([`protected`]).
//! - A relative bound, an absolute bound and their combinations become the number of bits to keep,
//!   or a step, in `decide`.
//! - [`information`] counts the bits that carry information, [`ssim`] how alike two fields look, and
//!   [`analyze`] reports both.

#![forbid(unsafe_code)]

pub mod analyze;
mod coordinates;
mod decide;
mod earlier;
mod erased;
mod field_range;
pub mod information;
pub mod integers;
mod likeness;
pub mod metadata;
pub mod named;
pub mod names;
pub mod protected;
mod reachable;
pub mod refusals;
pub mod restart;
pub mod roundable;
mod rounding;
pub mod rule_file;
pub mod rules;
mod scil_hints;
mod slices;
pub mod ssim;
pub mod stated;

pub use decide::{PrecisionDecisions, decide_precision, no_place};
pub use erased::MOST_ERROR_SHARE;
pub use metadata::{additions, earlier_roundings, final_attributes};
pub use reachable::ReachableValues;
pub use rounding::{RoundingStats, VariableRounding, rounding_text, stored_form};
