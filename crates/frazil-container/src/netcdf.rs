//! Files that netCDF-C serves, behind safe calls: numbers, names and byte slices in and out.

/// netCDF-C's words for a status: `nc_strerror`.
#[must_use]
pub fn status_message(status: i32) -> String {
    crate::ffi::netcdf::status_message(status)
}
