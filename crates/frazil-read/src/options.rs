//! What a reader may be told.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil_file::remote::StorageOptions;

use super::cache::ChunkCachePolicy;

/// Whether Fletcher-32 checksums are compared with the data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Checksums {
    /// Of every chunk that is decoded.
    #[default]
    Verify,
    /// Never: faster, and damage may go unnoticed.
    Skip,
}

/// How to read.
///
/// How much is kept in memory for later reads is a matter of the whole process:
/// [`set_read_budget`](frazil_pipeline::set_read_budget). `chunk_cache` says what of it.
#[derive(Debug, Clone, Default)]
pub struct ReaderOptions {
    /// Threads that may work on one read, the calling one included; 0 means one per available core.
    /// They are shared by all reads of the process.
    pub threads: usize,
    /// What to do with checksums.
    pub checksums: Checksums,
    /// What is kept of each variable, whatever else is read.
    pub chunk_cache: ChunkCachePolicy,
    /// For access to a file on another machine, which a URL names.
    pub storage: StorageOptions,
    /// Set to stop: reads end at the next chunk with `ErrorCode::Interrupted`.
    pub cancel: Arc<AtomicBool>,
}
