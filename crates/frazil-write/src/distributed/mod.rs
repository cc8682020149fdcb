//! One file, whose chunks are packed by other processes.
//!
//! The [`Writer`](super::Writer) stays in one process, which is the *coordinator*: it alone has the
//! file open in libhdf5. Other processes get a [`ChunkPlan`] of each variable, pack boxes of whole
//! chunks with a [`ChunkPacker`], and write the packed bytes into space that the coordinator set
//! aside for this one attempt ([`Writer::set_aside`](super::Writer::set_aside)). What they
//! acknowledge, it enters into the index ([`Writer::enter_chunks`](super::Writer::enter_chunks)).
//! Space is never given twice: whoever comes late writes into a gap.
//!
//! A packed chunk has the bytes that the writer itself would have made of it.

mod coordinator;
mod packer;
#[cfg(test)]
mod tests;

use frazil_types::{ElementType, FilterPipeline, QuantizePlan};
use serde::{Deserialize, Serialize};

use super::summary::RoundingSummary;
use super::variable::ChosenFilters;
use frazil_options::filter_options::ChoiceOptions;

pub use packer::ChunkPacker;

/// What another process must know to pack chunks of a variable; made by
/// [`Writer::chunk_plan`](super::Writer::chunk_plan).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkPlan {
    /// Absolute path.
    pub path: String,
    /// Chunk shape in elements.
    pub chunk: Vec<u64>,
    /// Filters.
    pub filters: FilterPlan,
    element: ElementType,
    fill: Vec<u8>,
    has_fill: bool,
    limits: Vec<Option<u64>>,
    quantize: Option<QuantizePlan>,
    requests: ChoiceOptions,
}

/// How far the filters of a variable are decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterPlan {
    /// They are to be chosen by trial.
    Open,
    /// These; which encoder serves them best is to be found by trial.
    OpenEncoder(FilterPipeline),
    /// Nothing is open.
    Chosen(ChosenFilters),
}

/// A box of packed chunks.
#[derive(Debug, Clone)]
pub struct PackedBox {
    /// All packed chunks, one behind the other.
    pub bytes: Vec<u8>,
    /// What they are.
    pub summary: PackedSummary,
}

/// What the coordinator must know of a box of packed chunks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackedSummary {
    /// How they were filtered.
    pub filters: ChosenFilters,
    /// In the order of their bytes.
    chunks: Vec<PackedEntry>,
    rounding: RoundingSummary,
}

impl PackedSummary {
    /// Bytes of all packed chunks.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.bytes).sum()
    }
}

/// One packed chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PackedEntry {
    /// Its first element.
    offset: Vec<u64>,
    /// None: it need not be stored.
    bytes: u64,
    is_reused: bool,
}
