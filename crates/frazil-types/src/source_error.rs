//! Why bytes of a file did not come that is somewhere else.

use std::fmt;
use std::io;

use crate::ErrorCode;

/// What a source of bytes says that knows more than the system does: it travels inside of an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError {
    /// Stable code.
    pub code: ErrorCode,
    /// What went wrong.
    pub cause: String,
    /// What the user can do.
    pub cure: Option<String>,
}

impl SourceError {
    /// An error without a cure.
    #[must_use]
    pub fn new(code: ErrorCode, cause: impl Into<String>) -> Self {
        Self {
            code,
            cause: cause.into(),
            cure: None,
        }
    }

    /// Says what the user can do.
    #[must_use]
    pub fn with_cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }

    /// What the source said, if it was one that says more than the system.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for SourceError {}

impl From<SourceError> for io::Error {
    fn from(error: SourceError) -> Self {
        Self::other(error)
    }
}
