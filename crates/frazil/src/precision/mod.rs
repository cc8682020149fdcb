//! Precision: what a user states, what is refused, what is decided, what the file says about it.

mod coordinates;
mod decide;
mod field_range;
pub(crate) mod integers;
mod likeness;
pub(crate) mod metadata;
pub(crate) mod named;
pub(crate) mod names;
pub(crate) mod protected;
pub(crate) mod refusals;
pub(crate) mod roundable;
mod rounding;
pub(crate) mod rule_file;
pub(crate) mod rules;
mod scil_hints;
pub(crate) mod stated;

pub(crate) use decide::{PrecisionDecisions, ReachableValues, decide_precision, no_place};
pub(crate) use metadata::{additions, final_attributes};
pub(crate) use rounding::{RoundingStats, VariableRounding, rounding_text, stored_form};
