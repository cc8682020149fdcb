//! Precision: what a user states, what is refused, what is decided, what the file says about it.

pub(crate) mod names;
pub(crate) mod protected;
pub(crate) mod rules;
