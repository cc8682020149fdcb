//! Arrays of C strings, as `NC_STRING` has them in memory.

use std::ffi::{CStr, c_char};
use std::ptr;

use frazil::netcdf::{CText, MemorySpan, Outcome, Region, Status};
use frazil::schema::Text;

use crate::nc::pointers::list;
use crate::nc::slab::Variable;

/// Texts behind C's pointers; NULL means an empty one.
///
/// # Safety
/// `values` is NULL or holds `length` pointers, each NULL or to text that ends with a NUL.
pub(crate) unsafe fn owned(values: *const *const c_char, length: usize) -> Outcome<Vec<Text>> {
    // SAFETY: as this function's.
    let pointers = unsafe { list(values, length) }?;
    let texts = pointers.iter().map(|&pointer| match pointer.is_null() {
        true => Text::default(),
        // SAFETY: not NULL, and the caller vouches for the rest.
        false => Text::from(unsafe { CStr::from_ptr(pointer) }.to_bytes()),
    });
    Ok(texts.collect())
}

/// A copy of a text that C frees with `nc_free_string`.
pub(crate) fn allocated(text: &[u8]) -> Outcome<*mut c_char> {
    // C's text ends at the first NUL.
    let length = text.iter().position(|&byte| byte == 0);
    let length = length.unwrap_or(text.len());
    // SAFETY: `malloc` may be called with any size.
    let place = unsafe { libc::malloc(length + 1) }.cast::<u8>();
    if place.is_null() {
        return Err(Status::ENOMEM);
    }
    // SAFETY: `place` is new and has `length + 1` bytes.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), place, length);
        place.add(length).write(0);
    }
    Ok(place.cast())
}

/// As [`allocated`]; NULL for a text that is not there.
pub(crate) fn allocated_or_null(text: &CText) -> Outcome<*mut c_char> {
    text.as_ref()
        .map_or(Ok(ptr::null_mut()), |text| allocated(text))
}

/// Frees what [`allocated`] made.
///
/// # Safety
/// `text` is NULL or of [`allocated`], and not used afterwards.
pub(crate) unsafe fn free(text: *mut c_char) {
    // SAFETY: the caller vouches for the pointer.
    unsafe { libc::free(text.cast()) };
}

/// Writes a region of a variable of strings.
///
/// # Safety
/// `data` points to memory of `span` pointers as in [`owned`].
pub(crate) unsafe fn put_strings(
    variable: &mut Variable<'_>,
    region: &Region<'_>,
    span: MemorySpan,
    data: *const *const c_char,
) -> Outcome<()> {
    // SAFETY: as this function's.
    let values = unsafe { owned(data.wrapping_sub(span.before), span.len()) }?;
    let Variable { file, group, varid } = variable;
    file.put_strings(*group, *varid, region, &values)
}

/// Reads a region of a variable of strings; the caller frees each.
///
/// # Safety
/// `data` points to memory of `span` pointers that can be written.
pub(crate) unsafe fn get_strings(
    variable: &mut Variable<'_>,
    region: &Region<'_>,
    span: MemorySpan,
    data: *mut *mut c_char,
) -> Outcome<()> {
    let mut values = vec![None; span.len()];
    let Variable { file, group, varid } = variable;
    file.get_strings(*group, *varid, region, &mut values)?;
    let first = data.wrapping_sub(span.before);
    for (index, value) in values.iter().enumerate() {
        if let Some(text) = value {
            let text = allocated_or_null(text)?;
            // SAFETY: the element is within `span`.
            unsafe { first.add(index).write(text) };
        }
    }
    Ok(())
}
