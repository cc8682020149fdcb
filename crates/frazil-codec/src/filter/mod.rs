//! Filters that rearrange, pack or check bytes.

pub(crate) mod fletcher32;
pub(crate) mod shuffle;
