//! What C hands over as pointers, and back.

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::slice;

use frazil::netcdf::{Outcome, Status};

/// What stands for text that is no UTF-8: no name, but refused only when names are looked at.
const NO_NAME: &str = "\0";

/// Text that C passes in.
///
/// # Safety
/// `text` is NULL or ends with a NUL; it outlives the result.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Outcome<&'a str> {
    if text.is_null() {
        return Err(Status::EINVAL);
    }
    // SAFETY: not NULL, and the caller vouches for the rest.
    let text = unsafe { CStr::from_ptr(text) };
    Ok(text.to_str().unwrap_or(NO_NAME))
}

/// A file's name that C passes in.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path<'a>(path: *const c_char) -> Outcome<&'a Path> {
    if path.is_null() {
        return Err(Status::EINVAL);
    }
    // SAFETY: not NULL, and the caller vouches for the rest.
    let path = unsafe { CStr::from_ptr(path) };
    Ok(Path::new(OsStr::from_bytes(path.to_bytes())))
}

/// `length` values that C passes in.
///
/// # Safety
/// `values` is NULL or holds `length` values; it outlives the result.
pub(crate) unsafe fn list<'a, T>(values: *const T, length: usize) -> Outcome<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    if values.is_null() || length > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Status::EINVAL);
    }
    // SAFETY: not NULL, no larger than an object can be, and the caller vouches for the rest.
    Ok(unsafe { slice::from_raw_parts(values, length) })
}

/// Hands a value back, unless the caller does not want it.
///
/// # Safety
/// `place` is NULL or can be written.
pub(crate) unsafe fn store<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL, and the caller vouches for the rest.
        unsafe { place.write(value) };
    }
}

/// Hands values back, unless the caller does not want them.
///
/// # Safety
/// `place` is NULL or has room for all of them.
pub(crate) unsafe fn store_all<T: Copy>(place: *mut T, values: &[T]) {
    if !place.is_null() {
        // SAFETY: not NULL, the caller vouches for the room, and nobody else sees `values`' memory
        // through `place`.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), place, values.len()) };
    }
}

/// Hands text back with a NUL behind it, unless the caller does not want it.
///
/// # Safety
/// `place` is NULL or has room for the text and its NUL.
pub(crate) unsafe fn store_text(place: *mut c_char, text: &[u8]) {
    if !place.is_null() {
        // SAFETY: not NULL, and the caller vouches for the room.
        unsafe {
            ptr::copy_nonoverlapping(text.as_ptr(), place.cast::<u8>(), text.len());
            place.add(text.len()).write(0);
        }
    }
}
