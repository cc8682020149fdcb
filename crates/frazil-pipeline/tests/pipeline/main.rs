//! Tasks and values through the crate's public functions: one executable.

mod endings;
mod filters;
mod support;
mod values;
