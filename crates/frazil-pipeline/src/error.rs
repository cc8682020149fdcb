//! What can go wrong between a stored chunk and its delivered result.

use frazil_codec::CodecError;
use frazil_types::ErrorCode;
use thiserror::Error;

/// Why a run ended early.
///
/// `source_index` is the position in the `sources` slice of the run, `chunk` the linear chunk
/// number in that source's grid.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// Reading stored bytes failed.
    #[error("reading chunk {chunk} of array {source_index}: {error}")]
    Io {
        /// Which source.
        source_index: usize,
        /// Which chunk (the first one of a merged read).
        chunk: u64,
        /// What the byte source said.
        #[source]
        error: std::io::Error,
    },
    /// A stored chunk could not be decoded.
    #[error("decoding chunk {chunk} of array {source_index}: {error}")]
    Decode {
        /// Which source.
        source_index: usize,
        /// Which chunk.
        chunk: u64,
        /// What the decoder said.
        #[source]
        error: CodecError,
    },
    /// One indivisible task is larger than the whole budget.
    #[error("one piece of work needs {needed_bytes} bytes of memory; {budget_bytes} are allowed")]
    ChunkTooLarge {
        /// Bytes the task needs at the very least (`u64::MAX`: more than can be counted).
        needed_bytes: u64,
        /// Capacity of the budget.
        budget_bytes: u64,
    },
    /// The cancel flag was set.
    #[error("interrupted")]
    Interrupted,
    /// A caller's closure, a decoder or a byte source panicked.
    #[error("a worker panicked: {0}")]
    WorkerPanicked(String),
    /// A source whose parts contradict each other.
    #[error("array {source_index}: {reason}")]
    InvalidSource {
        /// Which source.
        source_index: usize,
        /// What does not fit.
        reason: &'static str,
    },
    /// A request that does not fit its source.
    #[error("request to array {source_index}: {reason}")]
    InvalidRequest {
        /// Which source.
        source_index: usize,
        /// What does not fit.
        reason: &'static str,
    },
}

impl PipelineError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Io { error, .. } => ErrorCode::of_io_error(error),
            Self::Decode { error, .. } => error.code(),
            Self::ChunkTooLarge { .. } => ErrorCode::MemoryBudget,
            Self::Interrupted => ErrorCode::Interrupted,
            Self::WorkerPanicked(_) | Self::InvalidSource { .. } | Self::InvalidRequest { .. } => {
                ErrorCode::Internal
            }
        }
    }

    /// The source that it is about, if there is one.
    #[must_use]
    pub fn source_index(&self) -> Option<usize> {
        match self {
            Self::Io { source_index, .. }
            | Self::Decode { source_index, .. }
            | Self::InvalidSource { source_index, .. }
            | Self::InvalidRequest { source_index, .. } => Some(*source_index),
            _ => None,
        }
    }
}

/// Runs `f`; a panic becomes [`PipelineError::WorkerPanicked`].
pub(crate) fn guarded<R>(f: impl FnOnce() -> R) -> Result<R, PipelineError> {
    // The run ends on the first panic and nothing touched by `f` is looked at again.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).map_err(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        PipelineError::WorkerPanicked(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        let error = guarded(|| panic!("boom {}", 7)).unwrap_err();
        assert!(matches!(&error, PipelineError::WorkerPanicked(text) if text == "boom 7"));
        assert_eq!(error.code(), ErrorCode::Internal);
    }

    #[test]
    fn a_short_file_is_corrupt() {
        let error = PipelineError::Io {
            source_index: 0,
            chunk: 3,
            error: std::io::ErrorKind::UnexpectedEof.into(),
        };
        assert_eq!(error.code(), ErrorCode::Corrupt);
    }
}
