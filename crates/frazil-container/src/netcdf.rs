//! Files that netCDF-C serves, behind safe calls: numbers, names and byte slices in and out.
//!
//! Groups are given by their number, the low 16 bits of netCDF-C's ids; variables, dimensions and
//! types by netCDF-C's numbers, of which it checks every one itself.

pub use crate::ffi::netcdf_file::{LibraryFile, LibraryStatus};
pub use crate::ffi::netcdf_inquire::{LibraryDimension, LibraryVariable};

/// netCDF-C's version, `4.10.1 of ...`.
#[must_use]
pub fn library_version() -> String {
    crate::ffi::netcdf::library_version()
}

/// netCDF-C's words for a status: `nc_strerror`.
#[must_use]
pub fn status_message(status: i32) -> String {
    crate::ffi::netcdf::status_message(status)
}

/// A name as netCDF-C writes it and looks it up: in Unicode's normal form C; `None` if it cannot be
/// brought to it, because it holds a NUL or code points without a character.
#[must_use]
pub fn normalized_name(name: &str) -> Option<String> {
    crate::ffi::netcdf::normalized_name(name)
}

#[cfg(test)]
mod tests {
    use super::normalized_name;

    #[test]
    fn names_are_composed() {
        assert_eq!(normalized_name("e\u{301}te\u{301}").unwrap(), "été");
        assert_eq!(normalized_name("x_1").unwrap(), "x_1");
        assert!(normalized_name("a\0b").is_none());
    }
}
