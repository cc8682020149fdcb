//! Which version this is.

use std::ffi::{CStr, c_char, c_int};

/// Version of the header: major number. It changes when the interface breaks.
pub const FRZ_VERSION_MAJOR: c_int = 1;
/// Version of the header: minor number.
pub const FRZ_VERSION_MINOR: c_int = 0;
/// Version of the header: patch number.
pub const FRZ_VERSION_PATCH: c_int = 0;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// The version of the library, `1.0.0`; of one before a release, `1.0.0-rc.1`. The text lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn frz_version() -> *const c_char {
    VERSION.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_library_are_of_one_version() {
        let header = format!("{FRZ_VERSION_MAJOR}.{FRZ_VERSION_MINOR}.{FRZ_VERSION_PATCH}");
        let library = VERSION.to_str().unwrap();
        assert_eq!(library.split('-').next(), Some(header.as_str()));
    }
}
