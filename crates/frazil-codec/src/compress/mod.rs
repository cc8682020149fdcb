//! Compressors: one file per stream format.

pub(crate) mod deflate;
pub(crate) mod zstd;
