//! netCDF's Fortran 77 interface: the `nf_*` functions as gfortran calls them.
//!
//! Arguments come by reference, lengths of texts as values behind all other arguments, and a text
//! result as its place and length before them. Names end in one underscore. What is Fortran about
//! the numbers (counting from 1, the order of axes) is the business of [`order`], what is Fortran
//! about texts that of [`text`]; the rest is shared with the C interface. Declarations are in
//! `fortran/frazil.inc`.

mod arrays;
mod attributes;
mod dimensions;
mod files;
mod groups;
mod order;
mod storage;
mod text;
mod variables;

use std::ffi::c_int;

use frazil::netcdf::{Outcome, Status};

/// The number behind a reference.
///
/// # Safety
/// `number` is NULL or can be read.
unsafe fn value(number: *const c_int) -> Outcome<c_int> {
    if number.is_null() {
        return Err(Status::EINVAL);
    }
    // SAFETY: not NULL, and the caller vouches for the rest.
    Ok(unsafe { *number })
}

/// A size behind a reference; negative ones are refused.
///
/// # Safety
/// As [`value`].
unsafe fn size(number: *const c_int) -> Outcome<usize> {
    // SAFETY: as this function's.
    let number = unsafe { value(number) }?;
    usize::try_from(number).map_err(|_| Status::EINVAL)
}
