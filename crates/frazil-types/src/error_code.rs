//! Stable error numbers, shared by Rust, C, Fortran and Python.

use serde::{Deserialize, Serialize};

/// What kind of thing went wrong. The numbers are part of the public interface: they are never
/// reused, and new ones are added at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[repr(i32)]
pub enum ErrorCode {
    /// An option or argument that cannot be honoured.
    InvalidArgument = 1,
    /// A file, variable or group that does not exist.
    NotFound = 2,
    /// The operating system refused access.
    PermissionDenied = 3,
    /// The output exists and overwriting was not asked for.
    AlreadyExists = 4,
    /// Any other input/output error.
    Io = 5,
    /// The disk or the quota is full.
    NoSpace = 6,
    /// The file contradicts itself or its format.
    Corrupt = 7,
    /// A legal thing that frazil does not do.
    Unsupported = 8,
    /// A filter that is neither built in nor found as a plugin.
    MissingFilter = 9,
    /// One indivisible piece of work is larger than the memory budget.
    MemoryBudget = 10,
    /// Stopped by the user.
    Interrupted = 11,
    /// libhdf5 reported an error that fits no other code.
    Hdf5 = 12,
    /// netCDF-C reported an error that fits no other code.
    NetCdf = 13,
    /// A bug in frazil (a caught panic, a broken invariant).
    Internal = 14,
    /// Verification found a difference.
    Mismatch = 15,
    /// Another process is writing the file.
    Locked = 16,
    /// The file changed while it was being read.
    FileChanged = 17,
    /// A rounded value lies further from its original than was promised.
    BoundExceeded = 18,
}

impl ErrorCode {
    /// The code that a system error's kind deserves.
    #[must_use]
    pub fn of_io(kind: std::io::ErrorKind) -> Self {
        use std::io::ErrorKind;
        match kind {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::PermissionDenied,
            ErrorKind::AlreadyExists => Self::AlreadyExists,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::NoSpace
            }
            ErrorKind::UnexpectedEof => Self::Corrupt,
            _ => Self::Io,
        }
    }

    /// As [`Self::of_io`], or what the source of the bytes says itself.
    #[must_use]
    pub fn of_io_error(error: &std::io::Error) -> Self {
        crate::SourceError::of(error).map_or_else(|| Self::of_io(error.kind()), |said| said.code)
    }

    /// The stable number.
    #[must_use]
    pub fn number(self) -> i32 {
        self as i32
    }
}
