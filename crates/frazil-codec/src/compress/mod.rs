//! Compressors: one file per stream format.

pub(crate) mod blosc;
pub(crate) mod blosclz;
pub(crate) mod by_chunk;
pub(crate) mod bzip2;
pub(crate) mod cursor;
pub(crate) mod deflate;
pub(crate) mod excerpt;
pub(crate) mod frame;
pub(crate) mod lz4;
pub(crate) mod lzf;
pub(crate) mod mafisc;
pub(crate) mod pcodec;
mod quick;
pub(crate) mod szip;
pub(crate) mod zstd;
