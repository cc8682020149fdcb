//! Rounding: golden vectors of netCDF-C, a port of its formula, properties over millions of
//! random bit patterns, and the check that has to catch every violation.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod bounded;
mod check;
mod golden;
mod granular;
mod linear;
mod places;
mod plans;
mod properties;
mod random;
mod refusals;
mod rounding;
mod steps;
