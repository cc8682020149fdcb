//! Compressors: one file per stream format.

pub(crate) mod bitshuffle;
pub(crate) mod blosc;
pub(crate) mod blosclz;
pub(crate) mod bzip2;
pub(crate) mod deflate;
pub(crate) mod excerpt;
pub(crate) mod lz4;
pub(crate) mod lzf;
pub(crate) mod mafisc;
pub(crate) mod pcodec;
mod quick;
pub(crate) mod szip;
pub(crate) mod zstd;
