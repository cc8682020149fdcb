//! What can go wrong while planning.

use frazil_codec::CodecError;
use frazil_types::ErrorCode;

/// Why no plan could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A chunk extent was given for a dimension that the variable does not have.
    #[error("no dimension {name:?}; the variable has {known}")]
    UnknownDimension {
        /// The name or axis number as given.
        name: String,
        /// The variable's dimensions, for the message.
        known: String,
    },
    /// A chunk extent of 0 was asked for.
    #[error("chunk extent of dimension {name:?} is 0; it must be at least 1")]
    ZeroExtent {
        /// The name or axis number as given.
        name: String,
    },
    /// The chunk would be larger than HDF5 can store.
    #[error("a chunk of {chunk:?} elements has 4 GiB or more, which HDF5 cannot store")]
    ChunkTooLarge {
        /// The chunk shape in elements.
        chunk: Vec<u64>,
    },
    /// Shape, chunk shape and unlimited flags do not belong together.
    #[error("a chunk of {chunk_axes} axes does not fit a variable of {shape_axes} axes")]
    RankMismatch {
        /// Number of axes of the variable.
        shape_axes: usize,
        /// Number of axes of the chunk (or of its flags).
        chunk_axes: usize,
    },
    /// Reads to come that are not understood.
    #[error("{0}")]
    Reads(String),
    /// A compression level that the filter does not have.
    #[error("{filter} has no level {level}; levels go from 0 to {highest}")]
    Level {
        /// The filter's name.
        filter: &'static str,
        /// The level asked for.
        level: u32,
        /// The filter's highest level.
        highest: u32,
    },
    /// A goal that there is not.
    #[error("there is no goal {name:?}; the goals are balanced, size, speed, archive and energy")]
    UnknownGoal {
        /// The name as given.
        name: String,
    },
    /// Weights of a choice that cannot be.
    #[error("weights: {0}")]
    Weights(String),
    /// A decision tree that cannot be asked.
    #[error("{0}")]
    Tree(String),
    /// No filters are left to choose from.
    #[error("no filters are left to try")]
    NothingToTry,
    /// A precision that cannot be honoured.
    #[error("{0}")]
    Precision(String),
    /// A trial encoding failed.
    #[error("trial encoding failed: {0}")]
    Codec(#[from] CodecError),
}

impl PlanError {
    /// The stable error number.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownDimension { .. }
            | Self::ZeroExtent { .. }
            | Self::ChunkTooLarge { .. }
            | Self::RankMismatch { .. }
            | Self::Reads(_)
            | Self::Level { .. }
            | Self::UnknownGoal { .. }
            | Self::Weights(_)
            | Self::Tree(_)
            | Self::Precision(_) => ErrorCode::InvalidArgument,
            Self::NothingToTry => ErrorCode::Internal,
            Self::Codec(error) => error.code(),
        }
    }
}
