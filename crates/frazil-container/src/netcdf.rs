//! Files that netCDF-C serves, behind safe calls: numbers, names and byte slices in and out.
//!
//! Groups are given by their number, the low 16 bits of netCDF-C's ids; variables, dimensions and
//! types by netCDF-C's numbers, of which it checks every one itself.

pub use crate::ffi::netcdf_file::{LibraryFile, LibraryStatus};
pub use crate::ffi::netcdf_inquire::{LibraryDimension, LibraryVariable};

/// netCDF-C's words for a status: `nc_strerror`.
#[must_use]
pub fn status_message(status: i32) -> String {
    crate::ffi::netcdf::status_message(status)
}
