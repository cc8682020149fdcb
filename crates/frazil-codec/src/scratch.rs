//! Memory and compressor state that one worker thread keeps between chunks.

use crate::compress::deflate::Deflate;
use crate::compress::lz4::Lz4;
use crate::compress::zstd::Zstd;

/// Reusable buffers and compressor state of one worker thread.
///
/// Grows to about twice the largest chunk it has seen (intermediate results of a pipeline) plus what
/// the compressors need; drop it to give that back. It never influences results.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Holds the current intermediate result.
    pub(crate) front: Vec<u8>,
    /// Receives the next one.
    pub(crate) back: Vec<u8>,
    /// State of the codecs.
    pub(crate) codecs: Codecs,
}

/// State of the codecs that have any.
#[derive(Debug, Default)]
pub(crate) struct Codecs {
    pub(crate) deflate: Deflate,
    pub(crate) zstd: Zstd,
    pub(crate) lz4: Lz4,
    /// One block, decompressed and not yet unshuffled.
    pub(crate) block: Vec<u8>,
    /// One stream of a format that holds many.
    pub(crate) stream: Vec<u8>,
    /// Memory for the bit transpose.
    pub(crate) work: Vec<u8>,
    /// What filters inside a chunk of another filter work with.
    pub(crate) inner: Option<Box<Scratch>>,
}
