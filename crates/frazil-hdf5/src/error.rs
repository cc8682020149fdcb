//! Errors of reading a file's metadata.

use thiserror::Error;

/// Result of every reading operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Reasons why metadata cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The source of bytes failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// There is no superblock: the file is not HDF5.
    #[error("it has no HDF5 signature")]
    NotHdf5,
    /// The file contradicts itself, or ends too early.
    #[error("{0}")]
    Damaged(String),
    /// A legal form that this crate does not read.
    #[error("{0}")]
    Unsupported(String),
}

/// The error of a file that contradicts itself.
pub(crate) fn damaged(reason: impl Into<String>) -> Error {
    Error::Damaged(reason.into())
}

/// The error of a legal form that this crate does not read.
pub(crate) fn unsupported(reason: impl Into<String>) -> Error {
    Error::Unsupported(reason.into())
}
