//! What the user asks of the filters.

use frazil_types::{FilterChain, ReaderLevel};

use crate::error::PlanError;
use crate::goal::Goal;
use crate::weighing::Weighing;

const DEFLATE_HIGHEST: u32 = 9;
const ZSTD_HIGHEST: u32 = 22;

/// Use of the byte shuffle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShuffleWish {
    /// With or without, whichever is smaller.
    #[default]
    Auto,
    /// Always, for elements of 2 bytes and more.
    On,
    /// Never.
    Off,
}

/// What the user asks of the filters.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterWishes {
    /// Deflate (or zstd) level; `None`: chosen by trial. 0: no compression.
    pub level: Option<u32>,
    /// Use of the byte shuffle.
    pub shuffle: ShuffleWish,
    /// Who must be able to read the result.
    pub reader_level: ReaderLevel,
    /// Add a Fletcher-32 checksum.
    pub checksum: bool,
    /// What filters are chosen for, where nobody states them.
    pub goal: Goal,
    /// What is stated beside the goal.
    pub weighing: Weighing,
    /// These filters and no others; level, shuffle, readers and goal then mean nothing.
    pub chain: Option<FilterChain>,
    /// Who wants the chain, as a reason says it: `as asked`, `from wishes`.
    pub chain_origin: &'static str,
    /// Of candidates only those whose filters all have these identifiers; `None`: all.
    pub only: Option<&'static [i32]>,
    /// Shape of the output's chunks in elements; empty if it is not known. Filters that look at
    /// neighbours need it.
    pub chunk: Vec<u64>,
    /// Uncompressed bytes of a chunk, where the variable is chunked in any case: it can then carry
    /// a checksum without compression. `None`: contiguous unless filtered, and trials assume
    /// chunks of the default size.
    pub chunk_bytes: Option<u64>,
    /// Uncompressed bytes of the variable; `None`: not known.
    pub raw_bytes: Option<u64>,
    /// Bytes of the samples by those of them that lie inside the array, at least 1: chunks at its edges
    /// stick out.
    pub padding: f64,
    /// What no filters keep of the raw bytes: more than all of them where chunks must stay that stick out.
    pub share_of_none: f64,
    /// What an index of chunks takes that there is none of without filters.
    pub index_bytes: u64,
}

impl Default for FilterWishes {
    fn default() -> Self {
        Self {
            level: None,
            shuffle: ShuffleWish::Auto,
            reader_level: ReaderLevel::Any,
            checksum: false,
            goal: Goal::default(),
            weighing: Weighing::default(),
            chain: None,
            chain_origin: "as asked",
            only: None,
            chunk: Vec::new(),
            chunk_bytes: None,
            raw_bytes: None,
            padding: 1.0,
            share_of_none: 1.0,
            index_bytes: 0,
        }
    }
}

impl FilterWishes {
    /// Fails for a level that the compressor does not have.
    pub(super) fn check_level(&self) -> Result<(), PlanError> {
        let (filter, highest) = match self.reader_level {
            ReaderLevel::Any => ("deflate", DEFLATE_HIGHEST),
            ReaderLevel::Plugins | ReaderLevel::Frazil => ("zstd", ZSTD_HIGHEST),
        };
        match self.level {
            Some(level) if level > highest => Err(PlanError::Level {
                filter,
                level,
                highest,
            }),
            _ => Ok(()),
        }
    }
}
