//! What C hands in, checked and turned into safe values.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::slice;

use frazil::schema::ValueType;
use frazil::{Error, ErrorCode, NcType, Result};

/// An error about an argument.
pub(crate) fn invalid(cause: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidArgument, cause)
}

/// The error about a pointer that must not be NULL.
pub(crate) fn null(name: &str) -> Error {
    invalid(format!("`{name}` is NULL"))
}

/// The `length` elements at `pointer`, which may be NULL if there are none.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if it is NULL, not aligned, or longer than memory can be.
///
/// # Safety
/// A pointer that is not NULL must point to `length` elements, which nobody changes during `'a`.
#[inline]
pub(crate) unsafe fn elements<'a, T>(
    pointer: *const T,
    length: usize,
    name: &str,
) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    check_extent::<T>(pointer.is_aligned(), length, name)?;
    // SAFETY: not NULL, aligned, no longer than memory; the rest is the caller's promise.
    Ok(unsafe { slice::from_raw_parts(pointer, length) })
}

/// As [`elements`], to be written to.
///
/// # Errors
/// As [`elements`].
///
/// # Safety
/// As [`elements`], and nobody else may read or write them during `'a`.
pub(crate) unsafe fn elements_mut<'a, T>(
    pointer: *mut T,
    length: usize,
    name: &str,
) -> Result<&'a mut [T]> {
    if length == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err(null(name));
    }
    check_extent::<T>(pointer.is_aligned(), length, name)?;
    // SAFETY: not NULL, aligned, no longer than memory; the rest is the caller's promise.
    Ok(unsafe { slice::from_raw_parts_mut(pointer, length) })
}

#[inline]
fn check_extent<T>(is_aligned: bool, length: usize, name: &str) -> Result<()> {
    if !is_aligned {
        return Err(invalid(format!("`{name}` is not aligned")));
    }
    match length.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(invalid(format!("`{name}` has too many elements"))),
    }
}

/// Bytes up to the first NUL.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if the pointer is NULL.
///
/// # Safety
/// A pointer that is not NULL must point to text that a NUL ends and that nobody changes during
/// `'a`.
pub(crate) unsafe fn c_string<'a>(pointer: *const c_char, name: &str) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: not NULL; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// Text in UTF-8.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if the pointer is NULL or the text no UTF-8.
///
/// # Safety
/// As [`c_string`].
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    let text = unsafe { c_string(pointer, name) }?;
    (text.to_str()).map_err(|_| invalid(format!("`{name}` is not UTF-8")))
}

/// A file name, in whatever encoding the system has.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if the pointer is NULL or the name empty.
///
/// # Safety
/// As [`c_string`].
pub(crate) unsafe fn path<'a>(pointer: *const c_char) -> Result<&'a Path> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { c_string(pointer, "path") }?.to_bytes();
    if bytes.is_empty() {
        return Err(invalid("`path` is empty"));
    }
    Ok(Path::new(OsStr::from_bytes(bytes)))
}

/// Texts in UTF-8.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if a pointer is NULL or a text no UTF-8.
///
/// # Safety
/// As [`elements`], and each element as [`c_string`].
pub(crate) unsafe fn texts(pointer: *const c_void, length: usize) -> Result<Vec<String>> {
    // SAFETY: the caller's promise.
    let pointers = unsafe { elements(pointer.cast::<*const c_char>(), length, "values") }?;
    pointers
        .iter()
        // SAFETY: the caller's promise.
        .map(|&one| unsafe { text(one, "values") }.map(str::to_owned))
        .collect()
}

/// The place for one result.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if the pointer is NULL or not aligned.
///
/// # Safety
/// A pointer that is not NULL must point to memory for a `T` that nobody else uses during `'a`.
pub(crate) unsafe fn result_at<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    if !pointer.is_aligned() {
        return Err(invalid(format!("`{name}` is not aligned")));
    }
    // SAFETY: aligned; the rest is the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// A number that counts something.
pub(crate) fn not_negative(number: c_int, name: &str) -> Result<usize> {
    usize::try_from(number).map_err(|_| invalid(format!("`{name}` is negative: {number}")))
}

/// The number for C of something that frazil numbers.
pub(crate) fn number(id: usize) -> Result<c_int> {
    c_int::try_from(id).map_err(|_| invalid("more objects than an int can number"))
}

/// The type with a number of `frz_type`.
pub(crate) fn value_type(number: c_int) -> Result<ValueType> {
    if number == frz_type::FRZ_STRING as c_int {
        return Ok(ValueType::String);
    }
    u32::try_from(number)
        .ok()
        .and_then(NcType::from_number)
        .map(ValueType::Atomic)
        .ok_or_else(|| invalid(format!("no type has the number {number}")))
}

/// The number in `frz_type` of a type.
pub(crate) fn type_number(value_type: ValueType) -> c_int {
    match value_type {
        ValueType::Atomic(nc_type) => nc_type.number().cast_signed(),
        ValueType::String => frz_type::FRZ_STRING as c_int,
        // These calls define no types.
        ValueType::Defined(_) => 0,
    }
}

/// The type's name in CDL.
pub(crate) fn type_name(value_type: ValueType) -> &'static str {
    value_type.name()
}

/// Types of elements. The numbers are those of netCDF's `NC_BYTE`, `NC_CHAR`...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum frz_type {
    /// `int8_t`; netCDF's byte.
    FRZ_INT8 = 1,
    /// `char`: one byte of text.
    FRZ_CHAR = 2,
    /// `int16_t`; netCDF's short.
    FRZ_INT16 = 3,
    /// `int32_t`; netCDF's int.
    FRZ_INT32 = 4,
    /// `float`
    FRZ_FLOAT = 5,
    /// `double`
    FRZ_DOUBLE = 6,
    /// `uint8_t`; netCDF's ubyte.
    FRZ_UINT8 = 7,
    /// `uint16_t`; netCDF's ushort.
    FRZ_UINT16 = 8,
    /// `uint32_t`; netCDF's uint.
    FRZ_UINT32 = 9,
    /// `int64_t`
    FRZ_INT64 = 10,
    /// `uint64_t`
    FRZ_UINT64 = 11,
    /// `const char *`: text of any length in UTF-8, ended by a NUL.
    FRZ_STRING = 12,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn types_have_the_numbers_of_netcdf() {
        for nc_type in NcType::ALL {
            let number = nc_type.number().cast_signed();
            assert_eq!(value_type(number).unwrap(), ValueType::Atomic(nc_type));
            assert_eq!(type_number(ValueType::Atomic(nc_type)), number);
        }
        assert_eq!(value_type(12).unwrap(), ValueType::String);
        for wrong in [0, 13, -1, c_int::MAX] {
            assert_eq!(
                value_type(wrong).unwrap_err().code,
                ErrorCode::InvalidArgument
            );
        }
        assert_eq!(frz_type::FRZ_UINT64 as u32, NcType::UInt64.number());
    }

    #[test]
    fn pointers_that_cannot_be_are_refused() {
        // SAFETY: NULL, misaligned and endless arrays are refused before they are looked at.
        unsafe {
            assert!(elements::<u64>(ptr::null(), 1, "start").is_err());
            assert!(elements::<u64>(ptr::null(), 0, "start").unwrap().is_empty());
            let odd = ptr::without_provenance::<u64>(9);
            assert!(elements(odd, 1, "start").is_err());
            let even = ptr::without_provenance::<u64>(8);
            assert!(elements(even, usize::MAX, "start").is_err());
            assert!(elements(even, usize::MAX / 9, "start").is_err());
            assert!(text(ptr::null(), "name").is_err());
            assert!(text(c"\xff".as_ptr(), "name").is_err());
            assert!(path(c"".as_ptr()).is_err());
        }
    }
}
