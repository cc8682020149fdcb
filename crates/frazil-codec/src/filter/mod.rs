//! Filters that rearrange, pack or check bytes.

pub(crate) mod bit_transpose;
pub(crate) mod delta;
pub(crate) mod fletcher32;
pub(crate) mod nbit;
pub(crate) mod scaleoffset;
pub(crate) mod shuffle;
