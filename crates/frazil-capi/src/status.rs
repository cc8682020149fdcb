//! Status codes: the numbers of `ErrorCode`, as C sees them.

use std::ffi::{CStr, c_char, c_int};

use frazil::ErrorCode;

/// Status codes. The numbers never change; new ones are added at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_status {
    /// Done.
    FRZ_OK = 0,
    /// An invalid argument.
    FRZ_INVALID_ARGUMENT = 1,
    /// A file, group, dimension or variable that does not exist.
    FRZ_NOT_FOUND = 2,
    /// The operating system refused access.
    FRZ_PERMISSION_DENIED = 3,
    /// The file exists, and overwriting was not requested.
    FRZ_ALREADY_EXISTS = 4,
    /// Any other input/output error.
    FRZ_IO = 5,
    /// The disk or the quota is full.
    FRZ_NO_SPACE = 6,
    /// The file contradicts itself or its format.
    FRZ_CORRUPT = 7,
    /// Valid, but not supported by frazil.
    FRZ_UNSUPPORTED = 8,
    /// A filter that is neither built in nor found as a plugin.
    FRZ_MISSING_FILTER = 9,
    /// One indivisible piece of work is larger than the memory budget.
    FRZ_MEMORY_BUDGET = 10,
    /// Stopped by the user.
    FRZ_INTERRUPTED = 11,
    /// libhdf5 reported an error that fits no other code.
    FRZ_HDF5 = 12,
    /// netCDF-C reported an error that fits no other code.
    FRZ_NETCDF = 13,
    /// A bug in frazil.
    FRZ_INTERNAL = 14,
    /// Verification found a difference.
    FRZ_MISMATCH = 15,
    /// Another process is writing the file.
    FRZ_LOCKED = 16,
    /// The file changed while it was being read.
    FRZ_FILE_CHANGED = 17,
    /// A rounded value differs from its original by more than the bound.
    FRZ_BOUND_EXCEEDED = 18,
}

impl frz_status {
    /// All of them, in the order of their numbers.
    const ALL: [Self; 19] = [
        Self::FRZ_OK,
        Self::FRZ_INVALID_ARGUMENT,
        Self::FRZ_NOT_FOUND,
        Self::FRZ_PERMISSION_DENIED,
        Self::FRZ_ALREADY_EXISTS,
        Self::FRZ_IO,
        Self::FRZ_NO_SPACE,
        Self::FRZ_CORRUPT,
        Self::FRZ_UNSUPPORTED,
        Self::FRZ_MISSING_FILTER,
        Self::FRZ_MEMORY_BUDGET,
        Self::FRZ_INTERRUPTED,
        Self::FRZ_HDF5,
        Self::FRZ_NETCDF,
        Self::FRZ_INTERNAL,
        Self::FRZ_MISMATCH,
        Self::FRZ_LOCKED,
        Self::FRZ_FILE_CHANGED,
        Self::FRZ_BOUND_EXCEEDED,
    ];

    fn from_number(number: c_int) -> Option<Self> {
        Self::ALL.into_iter().find(|&one| one as c_int == number)
    }

    fn text(self) -> &'static CStr {
        match self {
            Self::FRZ_OK => c"done",
            Self::FRZ_INVALID_ARGUMENT => c"an argument that cannot be honoured",
            Self::FRZ_NOT_FOUND => c"no such file, group, dimension or variable",
            Self::FRZ_PERMISSION_DENIED => c"permission denied",
            Self::FRZ_ALREADY_EXISTS => c"the file exists already",
            Self::FRZ_IO => c"input/output error",
            Self::FRZ_NO_SPACE => c"no space left on the device, or quota exceeded",
            Self::FRZ_CORRUPT => c"the file is damaged",
            Self::FRZ_UNSUPPORTED => c"not supported",
            Self::FRZ_MISSING_FILTER => c"a filter is missing",
            Self::FRZ_MEMORY_BUDGET => c"the memory budget is too small",
            Self::FRZ_INTERRUPTED => c"stopped",
            Self::FRZ_HDF5 => c"libhdf5 reported an error",
            Self::FRZ_NETCDF => c"netCDF-C reported an error",
            Self::FRZ_INTERNAL => c"a bug in frazil",
            Self::FRZ_MISMATCH => c"values differ",
            Self::FRZ_LOCKED => c"another process is writing the file",
            Self::FRZ_FILE_CHANGED => c"the file changed while it was being read",
            Self::FRZ_BOUND_EXCEEDED => c"a rounded value errs by more than was promised",
        }
    }
}

impl From<ErrorCode> for frz_status {
    fn from(code: ErrorCode) -> Self {
        // A code that this face does not know yet is a bug of this face.
        Self::from_number(code.number()).unwrap_or(Self::FRZ_INTERNAL)
    }
}

/// Returns a short description of a status. It is never NULL, and lives as long as the program.
/// ::frz_last_message names the file, the variable and the cause.
#[unsafe(no_mangle)]
pub extern "C" fn frz_strerror(status: c_int) -> *const c_char {
    frz_status::from_number(status)
        .map_or(c"unknown status", frz_status::text)
        .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_the_numbers_of_the_error_codes() {
        for (code, status) in [
            (ErrorCode::InvalidArgument, frz_status::FRZ_INVALID_ARGUMENT),
            (ErrorCode::Io, frz_status::FRZ_IO),
            (ErrorCode::Hdf5, frz_status::FRZ_HDF5),
            (ErrorCode::Locked, frz_status::FRZ_LOCKED),
            (ErrorCode::BoundExceeded, frz_status::FRZ_BOUND_EXCEEDED),
        ] {
            assert_eq!(frz_status::from(code), status);
            assert_eq!(status as i32, code.number());
        }
        for (number, status) in frz_status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, number);
        }
    }
}
