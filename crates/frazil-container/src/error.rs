//! Errors of the storage room.

use frazil_types::ErrorCode;
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
    /// Another process writes the file.
    #[error("{0}")]
    Locked(String),
}

impl ContainerError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Hdf5 { .. } => ErrorCode::Hdf5,
            Self::NotAContainer(_) | Self::Corrupt(_) => ErrorCode::Corrupt,
            Self::Unsupported(_) => ErrorCode::Unsupported,
            Self::Io { source, .. } => io_code(source),
            Self::InvalidName(_) => ErrorCode::InvalidArgument,
            Self::Classic(error) => error.code(),
            Self::Internal(_) => ErrorCode::Internal,
            Self::Locked(_) => ErrorCode::Locked,
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

/// The stable code that a system error's kind deserves.
fn io_code(error: &std::io::Error) -> ErrorCode {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => ErrorCode::NotFound,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorCode::PermissionDenied,
        ErrorKind::AlreadyExists => ErrorCode::AlreadyExists,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ErrorCode::NoSpace
        }
        ErrorKind::UnexpectedEof => ErrorCode::Corrupt,
        _ => ErrorCode::Io,
    }
}
