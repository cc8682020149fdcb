//! Errors that many calls of a writer give.

use frazil_types::ErrorCode;

use frazil_file::error::Error;

/// The error about something that cannot be.
pub(super) fn refused(cause: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidArgument, cause)
}

/// An error that means a bug.
pub(super) fn lost() -> Error {
    Error::new(ErrorCode::Internal, "a chunk being gathered is lost")
}

/// The error of what comes after the end.
pub(super) fn closed() -> Error {
    Error::new(ErrorCode::Internal, "the output is closed already")
}

/// The error about elements that only a writer alone puts.
pub(super) fn of_one_rank() -> Error {
    refused("ranks that write together put no elements that point elsewhere")
}
