//! What can go wrong with one chunk or one pipeline.

use frazil_types::{ErrorCode, filter_name};
use thiserror::Error;

/// An error of this crate. None of them names a file or variable: the caller knows them.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// A filter that was applied to the chunk cannot be undone by this build.
    #[error("filter {id} ({}) cannot be decoded", .name)]
    MissingFilter {
        /// Registered filter identifier.
        id: i32,
        /// Its registered or stored name, else `filter N`.
        name: String,
    },
    /// A filter that this build does not write.
    #[error("filter {id} ({}) cannot be encoded", filter_name(*.id).unwrap_or("not registered"))]
    CannotEncode {
        /// Registered filter identifier.
        id: i32,
    },
    /// Client data values, element size or chunk size that a filter cannot work with.
    #[error("{filter}: {reason}")]
    InvalidParameters {
        /// The filter.
        filter: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Stored bytes that no encoder of this filter would write.
    #[error("{filter}: the stored chunk is corrupt: {reason}")]
    Corrupt {
        /// The filter.
        filter: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
    /// The checksum does not match the bytes.
    #[error("fletcher32: checksum {computed:#010x} computed, {stored:#010x} stored")]
    Checksum {
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// The chunk decodes (or was given to the encoder) with the wrong length.
    #[error("a chunk of {got} bytes (or more) where {expected} are needed")]
    WrongSize {
        /// Length found; a lower bound where decoding stopped at its limit.
        got: usize,
        /// Length needed.
        expected: usize,
    },
    /// A compressor failed: out of memory or a bug.
    #[error("{filter}: cannot compress: {reason}")]
    EncodeFailed {
        /// The filter.
        filter: &'static str,
        /// What its library said.
        reason: &'static str,
    },
    /// A rounded value lies further from its original than promised; a bound of 0 means that it
    /// had to stay as it was.
    #[error("value {index}: {original} became {rounded}, which may differ by {bound} only")]
    BoundExceeded {
        /// Row-major index in the box.
        index: usize,
        /// The value.
        original: f64,
        /// What it became.
        rounded: f64,
        /// The largest difference promised.
        bound: f64,
    },
}

impl CodecError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::MissingFilter { .. } => ErrorCode::MissingFilter,
            Self::CannotEncode { .. } => ErrorCode::Unsupported,
            Self::InvalidParameters { .. } => ErrorCode::InvalidArgument,
            Self::Corrupt { .. } | Self::Checksum { .. } | Self::WrongSize { .. } => {
                ErrorCode::Corrupt
            }
            Self::EncodeFailed { .. } => ErrorCode::Internal,
            Self::BoundExceeded { .. } => ErrorCode::BoundExceeded,
        }
    }
}

/// The error for client data values that cannot be.
pub(crate) fn invalid(filter: &'static str, reason: impl Into<String>) -> CodecError {
    CodecError::InvalidParameters {
        filter,
        reason: reason.into(),
    }
}
