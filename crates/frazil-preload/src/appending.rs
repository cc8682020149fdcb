//! Files that the program opens to write on: frazil goes on with those that it shows as netCDF-C does.
//!
//! `libfrazil` says which. At the first call that only the program's own library serves, frazil commits what
//! was put and closes the file, and that library opens it.

use std::ffi::{CStr, OsStr, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::create::take_into_hands;
use crate::files::{CLASSIC_MODEL, Origin};
use crate::invoke::{invoke, invoke_on};
use crate::library::{Library, is_netcdf4};

/// `NC_FORMAT_NETCDF4_CLASSIC`
const CLASSIC_FORMAT: c_int = 4;

/// Takes a file, if frazil goes on writing it; its number. `None`: it is not of the format; the error is
/// why it is left to the program's own library.
pub(crate) fn take(
    path: &CStr,
    mode: c_int,
    program: &'static Library,
) -> Result<Option<c_int>, String> {
    if !is_netcdf4(Path::new(OsStr::from_bytes(path.to_bytes()))) {
        return Ok(None);
    }
    let of_model = |library, own, mode| mode | model_of(library, own);
    take_into_hands(
        path,
        Origin::Opened,
        ("nc_open_writing", mode),
        program,
        of_model,
    )
    .map(Some)
}

/// `NC_CLASSIC_MODEL` or 0.
pub(crate) fn model_of(library: &'static Library, own: c_int) -> c_int {
    let mut format: c_int = 0;
    // SAFETY: frz_nc_inq_format with its arguments.
    unsafe { invoke_on(library, "nc_inq_format", own, [(&raw mut format) as usize]) };
    match format {
        CLASSIC_FORMAT => CLASSIC_MODEL,
        _ => 0,
    }
}

/// Whether objects are to be aligned in files that are written.
pub(crate) fn is_aligned(program: &'static Library) -> bool {
    if program.symbol("nc_get_alignment").is_none() {
        return false;
    }
    let (mut threshold, mut alignment): (c_int, c_int) = (0, 0);
    let places = [(&raw mut threshold) as usize, (&raw mut alignment) as usize];
    let words = [places[0], places[1], 0, 0, 0, 0, 0, 0];
    // SAFETY: nc_get_alignment with its two arguments.
    let status = unsafe { invoke(program, "nc_get_alignment", words) };
    status == 0 && alignment > 1
}
