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

use frazil_codec::ErrorStats;
use frazil_types::{DeflateEncoder, ElementType, FilterPipeline, QuantizePlan};
use serde::{Deserialize, Serialize};

use frazil_options::filter_wishes::ChoiceWishes;
use frazil_precision::RoundingStats;

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
    wishes: ChoiceWishes,
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
    Chosen(FilterChoice),
}

/// Filters that were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilterChoice {
    /// In writing order.
    pub pipeline: FilterPipeline,
    /// The encoder behind a deflate stage.
    pub deflate: Option<DeflateEncoder>,
    /// Why, in one line.
    pub reason: String,
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
    pub filters: FilterChoice,
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

/// What rounding did to values of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct RoundingSummary {
    least_kept: Option<u32>,
    changed: u64,
    /// By its bits: JSON has no words for NaN and infinities.
    max_absolute_error: u64,
    max_relative_error: u64,
}

impl From<RoundingStats> for RoundingSummary {
    fn from(stats: RoundingStats) -> Self {
        Self {
            least_kept: stats.least_kept,
            changed: stats.errors.changed,
            max_absolute_error: stats.errors.max_absolute_error.to_bits(),
            max_relative_error: stats.errors.max_relative_error.to_bits(),
        }
    }
}

impl From<RoundingSummary> for RoundingStats {
    fn from(summary: RoundingSummary) -> Self {
        Self {
            least_kept: summary.least_kept,
            errors: ErrorStats {
                changed: summary.changed,
                max_absolute_error: f64::from_bits(summary.max_absolute_error),
                max_relative_error: f64::from_bits(summary.max_relative_error),
            },
        }
    }
}
