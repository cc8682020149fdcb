//! Fortran's texts: of fixed length, filled up with blanks.

use std::ffi::{OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use frazil::netcdf::{Outcome, Status};

use crate::nc::pointers::list;
use crate::nc::{LIBRARY_VERSION, declared_elsewhere, message};

/// The text without the blanks at its end; a NUL ends it, too.
fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == 0);
    match end {
        Some(end) => &text[..end],
        None => {
            let length = text.iter().rposition(|&byte| byte != b' ');
            &text[..length.map_or(0, |last| last + 1)]
        }
    }
}

/// A name that Fortran passes in.
///
/// # Safety
/// `name` is NULL or holds `length` bytes; it outlives the result.
pub(super) unsafe fn name<'a>(name: *const c_char, length: usize) -> Outcome<&'a str> {
    // SAFETY: as this function's.
    let bytes = unsafe { list(name.cast::<u8>(), length) }?;
    std::str::from_utf8(trimmed(bytes)).map_err(|_| Status::EBADNAME)
}

/// A file's name that Fortran passes in.
///
/// # Safety
/// As [`name`].
pub(super) unsafe fn path<'a>(path: *const c_char, length: usize) -> Outcome<&'a Path> {
    // SAFETY: as this function's.
    let bytes = unsafe { list(path.cast::<u8>(), length) }?;
    Ok(Path::new(OsStr::from_bytes(trimmed(bytes))))
}

/// Hands a text back: cut to the length that Fortran has for it, or filled up with blanks.
///
/// # Safety
/// `place` is NULL or has room for `length` bytes.
pub(super) unsafe fn store_text(place: *mut c_char, length: usize, text: &[u8]) {
    if place.is_null() {
        return;
    }
    let used = text.len().min(length);
    // SAFETY: `used` and the rest make `length` bytes.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), used);
        place.add(used).write_bytes(b' ', length - used);
    }
}

declared_elsewhere! {
    /// `NF_STRERROR`: what a status means.
    ///
    /// # Safety
    /// `result` has room for `length` bytes; `ncerr` is NULL or can be read.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn nf_strerror_(result: *mut c_char, length: usize, ncerr: *const c_int) {
        crate::nc::run(|| {
            // SAFETY: as this function's.
            unsafe {
                let status = super::value(ncerr)?;
                store_text(result, length, message(status).to_bytes());
            }
            Ok(())
        });
    }

    /// `NF_INQ_LIBVERS`: the version of the interface and of frazil.
    ///
    /// # Safety
    /// `result` has room for `length` bytes.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn nf_inq_libvers_(result: *mut c_char, length: usize) {
        // SAFETY: as this function's.
        unsafe { store_text(result, length, LIBRARY_VERSION.to_bytes()) };
    }

    /// `NF_ISSYSERR`: whether a status is one of the operating system's.
    ///
    /// # Safety
    /// `nerr` is NULL or can be read.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn nf_issyserr_(nerr: *const c_int) -> c_int {
        // SAFETY: as this function's.
        let status = unsafe { super::value(nerr) };
        c_int::from(status.is_ok_and(|status| status > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_the_end_are_no_part_of_a_name() {
        assert_eq!(trimmed(b"air temp  "), b"air temp");
        assert_eq!(trimmed(b" lead"), b" lead");
        assert_eq!(trimmed(b"c \0rest"), b"c ");
        assert_eq!(trimmed(b"    "), b"");
        assert_eq!(trimmed(b""), b"");
    }

    #[test]
    fn texts_are_cut_or_filled_up() {
        let mut place = [b'x'; 6];
        // SAFETY: four of six bytes.
        unsafe { store_text(place.as_mut_ptr().cast(), 4, b"ab") };
        assert_eq!(&place, b"ab  xx");
        // SAFETY: as before.
        unsafe { store_text(place.as_mut_ptr().cast(), 4, b"abcdef") };
        assert_eq!(&place, b"abcdxx");
    }
}
