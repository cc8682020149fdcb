//! How a [`Writer`](super::Writer) works, and what it did.

use serde::Serialize;

use crate::options::Resources;

/// How a [`Writer`](super::Writer) works.
#[derive(Debug, Clone, Default)]
pub struct WriterOptions {
    /// Threads and memory. The memory holds chunks being gathered, packed and placed; what does
    /// not fit goes to a scratch file beside the output.
    pub resources: Resources,
    /// Do all work in the calls themselves, on the calling thread: for debugging.
    pub synchronous: bool,
    /// Wait at every commit until the disk has it: commits then survive a power cut, not only the
    /// end of the process.
    pub durable: bool,
    /// Replace an existing file.
    pub overwrite: bool,
}

/// What a [`Writer`](super::Writer) did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WriterReport {
    /// Seconds that calls waited: for memory, for commits, for the end.
    pub stalled_seconds: f64,
    /// Seconds of packing and placing that ran behind the caller's back: the work of all threads
    /// together, less the seconds stalled.
    pub hidden_seconds: f64,
    /// Bytes handed to `put`.
    pub raw_bytes: u64,
    /// Bytes of all values in the file, as they are stored.
    pub stored_bytes: u64,
    /// Raw bytes by stored bytes; 1 where nothing is stored.
    pub ratio: f64,
    /// Bytes written to the scratch file because memory was short.
    pub spilled_bytes: u64,
    /// Chunks placed; a chunk that was packed anew counts again.
    pub chunks: u64,
    /// Of those, chunks that were equal to one packed before and took over its packed bytes.
    pub chunks_reused: u64,
    /// Chunks of nothing but fill values that need not be stored.
    pub chunks_omitted: u64,
    /// How each variable lies, in the order of the definition.
    pub variables: Vec<WriterVariable>,
}

/// How one variable lies in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriterVariable {
    /// Absolute path.
    pub path: String,
    /// Shape in elements at the end.
    pub shape: Vec<u64>,
    /// Chunk shape in elements; `None`: contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
}
