//! Calls of functions of a netCDF library by their names, with arguments in words.

use std::ffi::c_int;

use crate::library::Library;

/// `NC_EBADID`
pub(crate) const BAD_ID: c_int = -33;
/// `NC_EINVAL`
pub(crate) const INVALID: c_int = -36;
/// `NC_ENOTBUILT`
pub(crate) const NOT_BUILT: c_int = -128;

/// Arguments as they lie in registers and on the stack: numbers and pointers. A function that takes fewer
/// does not look at the rest.
pub(crate) type Words = [usize; 8];

/// A function of netCDF's with arguments in words.
pub(crate) type Function =
    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> c_int;

/// Calls a function of a library.
///
/// # Safety
/// The words are what the function takes.
pub(crate) unsafe fn invoke(library: &'static Library, name: &str, words: Words) -> c_int {
    let Some(address) = library.symbol(name) else {
        return NOT_BUILT;
    };
    // SAFETY: netCDF's functions that take words; those that it does not take are not looked at.
    let function = unsafe { std::mem::transmute::<usize, Function>(address) };
    let [a, b, c, d, e, f, g, h] = words;
    library.during(|| {
        // SAFETY: as this function's.
        unsafe { function(a, b, c, d, e, f, g, h) }
    })
}

/// As [`invoke`], for the arguments after the file's number.
///
/// # Safety
/// As [`invoke`].
pub(crate) unsafe fn invoke_on<const N: usize>(
    library: &'static Library,
    name: &str,
    id: c_int,
    others: [usize; N],
) -> c_int {
    let mut words = [0; 8];
    words[0] = number(id);
    words[1..=N].copy_from_slice(&others);
    // SAFETY: as this function's.
    unsafe { invoke(library, name, words) }
}

/// An `int` as a word.
pub(crate) fn number(value: c_int) -> usize {
    value.cast_unsigned() as usize
}
