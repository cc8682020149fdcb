//! What a variable is to be like, before its first values are written.

use frazil_types::{FilterConstraints, FilterPipeline, PrecisionRequest};

use frazil_container::schema::Fill;

/// How a variable is stored: what is not asked for is decided by frazil.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariableSettings {
    /// What elements hold that were never written.
    pub fill: Fill,
    /// Store the elements big-endian.
    pub is_big_endian: bool,
    /// Contiguous, or chunks of which shape.
    pub layout: LayoutRequest,
    /// Filters.
    pub filters: FilterRequest,
    /// What filters must be like that are chosen, in addition to what rules demand
    /// ([`WriterOptions::rules`](super::WriterOptions::rules)) and key by key before it; its own filters
    /// are taken instead of a choice. Empty where `filters` states some.
    pub demand: FilterConstraints,
    /// Rounding, in place of what rules state; `None`: as these do, and if none does no bit is changed.
    pub precision: Option<PrecisionRequest>,
    /// What the file says about rounding.
    pub statement: PrecisionStatement,
}

/// Contiguous, or chunks of which shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LayoutRequest {
    /// As frazil decides.
    #[default]
    Ours,
    /// One run of bytes, no filters. Variables with an unlimited dimension cannot be.
    Contiguous,
    /// Chunks of this shape in elements.
    Chunked(Vec<u64>),
}

/// Filters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FilterRequest {
    /// By trial on the first values.
    #[default]
    Ours,
    /// These, in writing order; none if empty.
    Exactly(FilterPipeline),
}

/// What a file says about the rounding of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrecisionStatement {
    /// The attributes of CF 1.12 with a container variable, as `pack` writes them.
    #[default]
    Cf,
    /// The one attribute that netCDF-C writes (`_QuantizeBitRoundNumberOfSignificantBits` ...).
    NetCdf,
}
