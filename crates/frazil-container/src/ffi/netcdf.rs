//! What netCDF-C says of itself, of its statuses and of names.

#![expect(
    unsafe_code,
    reason = "calls into netCDF-C; each block states why it is sound"
)]

use std::ffi::{CStr, CString, c_int, c_uchar};
use std::ptr;

use crate::lock::library_lock;

/// netCDF-C's version, `4.10.1 of ...`.
pub(crate) fn library_version() -> String {
    let _lock = library_lock();
    // SAFETY: the function takes nothing and returns a static, NUL-terminated string.
    let version = unsafe { CStr::from_ptr(netcdf_sys::nc_inq_libvers()) };
    version.to_string_lossy().trim().to_owned()
}

unsafe extern "C" {
    /// In no public header, but what every name goes through that netCDF-C writes or looks up.
    fn nc_utf8_normalize(utf8: *const c_uchar, normal: *mut *mut c_uchar) -> c_int;
}

/// A name in the form in which netCDF-C writes and looks up names (NFC); `None` if it has none.
pub(crate) fn normalized_name(name: &str) -> Option<String> {
    let name = CString::new(name).ok()?;
    let mut normal: *mut c_uchar = ptr::null_mut();
    let _lock = library_lock();
    // SAFETY: `name` is NUL-terminated UTF-8; the out-pointer is valid for the call.
    let status = unsafe { nc_utf8_normalize(name.as_ptr().cast(), &raw mut normal) };
    let words = ptr::NonNull::new(normal).filter(|_| status == netcdf_sys::NC_NOERR)?;
    // SAFETY: on success it is a NUL-terminated string made by malloc, which is ours to free.
    unsafe {
        let text = CStr::from_ptr(words.as_ptr().cast())
            .to_string_lossy()
            .into_owned();
        libc::free(words.as_ptr().cast());
        Some(text)
    }
}

/// netCDF-C's words for a status.
pub(crate) fn status_message(code: c_int) -> String {
    let _lock = library_lock();
    // SAFETY: for every status the function returns a NUL-terminated string that lives at least
    // until the next call of it or of `strerror`, which the lock keeps away.
    let message = unsafe { ptr::NonNull::new(netcdf_sys::nc_strerror(code).cast_mut()) }
        // SAFETY: see above; the pointer is not null.
        .map(|words| unsafe { CStr::from_ptr(words.as_ptr()) });
    message.map_or_else(String::new, |words| words.to_string_lossy().into_owned())
}
