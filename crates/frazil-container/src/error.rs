//! Errors of the storage room.

use frazil_types::{ErrorCode, FilterSpec};
use thiserror::Error;

use crate::classic::ClassicError;

/// Result of every storage operation.
pub type Result<T> = std::result::Result<T, ContainerError>;

/// What can go wrong between us and a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// libhdf5 refused an operation.
    #[error("{doing}: {reason}")]
    Hdf5 {
        /// What we were doing, `open dataset`.
        doing: String,
        /// The innermost message of libhdf5's error stack.
        reason: String,
    },
    /// The file is not HDF5 and not classic netCDF.
    #[error("not a netCDF or HDF5 file{0}")]
    NotAContainer(String),
    /// The file contradicts itself.
    #[error("corrupt file: {0}")]
    Corrupt(String),
    /// A legal thing that frazil does not do.
    #[error("{0}")]
    Unsupported(String),
    /// Values lie under a filter that neither libhdf5 nor frazil can undo.
    #[error("nobody here can decode {} (filter {})", .0.display_name(), .0.id)]
    MissingFilter(FilterSpec),
    /// The operating system refused an operation on the file.
    #[error("{doing}: {source}")]
    Io {
        /// What we were doing.
        doing: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// An object with a non-printable or otherwise impossible name.
    #[error("invalid name {0:?}")]
    InvalidName(String),
    /// The classic formats.
    #[error(transparent)]
    Classic(#[from] ClassicError),
    /// A broken invariant of ours.
    #[error("internal error: {0}")]
    Internal(String),
    /// An error at one object of the file.
    #[error("{object}: {error}")]
    At {
        /// The object's path in the file.
        object: String,
        /// What is wrong there.
        error: Box<ContainerError>,
    },
    /// Another process writes the file.
    #[error("{0}")]
    Locked(String),
    /// Something beside the file may be somebody else's, and is not used.
    #[error("{0}")]
    Untrusted(String),
}

impl ContainerError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Hdf5 { .. } => ErrorCode::Hdf5,
            Self::NotAContainer(_) | Self::Corrupt(_) => ErrorCode::Corrupt,
            Self::Unsupported(_) => ErrorCode::Unsupported,
            Self::MissingFilter(_) => ErrorCode::MissingFilter,
            Self::Io { source, .. } => ErrorCode::of_io_error(source),
            Self::InvalidName(_) => ErrorCode::InvalidArgument,
            Self::Classic(error) => error.code(),
            Self::Internal(_) => ErrorCode::Internal,
            Self::At { error, .. } => error.code(),
            Self::Locked(_) => ErrorCode::Locked,
            Self::Untrusted(_) => ErrorCode::PermissionDenied,
        }
    }

    /// Names the object it happened at, unless one is named already.
    pub(crate) fn at(self, object: &str) -> Self {
        match self {
            Self::At { .. } => self,
            error => Self::At {
                object: object.to_owned(),
                error: Box::new(error),
            },
        }
    }

    /// The object it happened at, if one is named, and what is wrong there.
    #[must_use]
    pub fn into_parts(self) -> (Option<String>, Self) {
        match self {
            Self::At { object, error } => (Some(object), *error),
            error => (None, error),
        }
    }

    /// Says which part of an object is meant, in front of the error's text.
    pub(crate) fn in_part(self, part: &str) -> Self {
        match self {
            Self::Hdf5 { doing, reason } => Self::Hdf5 {
                doing: format!("{part}: {doing}"),
                reason,
            },
            Self::Unsupported(what) => Self::Unsupported(format!("{part}: {what}")),
            Self::Corrupt(what) => Self::Corrupt(format!("{part}: {what}")),
            Self::At { object, error } => Self::At {
                object,
                error: Box::new(error.in_part(part)),
            },
            other => other,
        }
    }

    /// Wraps a system error.
    pub(crate) fn io(doing: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io {
            doing: doing.into(),
            source,
        }
    }
}
