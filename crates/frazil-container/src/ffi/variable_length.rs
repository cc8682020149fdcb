//! What lies behind variable-length values that libhdf5 read into memory.

use std::ffi::{CStr, c_void};

use crate::error::{ContainerError, Result};

/// One variable-length value as libhdf5 lays it out in memory (`hvl_t`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct VariableLengthValue {
    count: usize,
    data: *mut c_void,
}

/// Reads the elements behind one variable-length value of a buffer that libhdf5 filled.
///
/// `value` must be the bytes of one element of a variable-length type, as read into memory and not
/// yet reclaimed; `base_bytes` the size of its base type. Returns a copy of the elements' bytes.
pub(crate) fn variable_length_bytes(value: &[u8], base_bytes: usize) -> Result<Vec<u8>> {
    let (count, address) = split_variable_length(value)?;
    if count == 0 || address == 0 {
        return Ok(Vec::new());
    }
    let bytes = count
        .checked_mul(base_bytes)
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| ContainerError::Corrupt("variable-length value too long".to_owned()))?;
    // SAFETY: libhdf5 filled the value: `count` elements of the base type at that address.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, bytes) }.to_vec())
}

/// Reads the text behind one variable-length string of a buffer that libhdf5 filled.
pub(crate) fn variable_text_bytes(value: &[u8]) -> Result<Option<Vec<u8>>> {
    let address = read_usize(value, 0)?;
    if address == 0 {
        return Ok(None);
    }
    // SAFETY: libhdf5 filled the value with a pointer to a NUL-terminated string.
    Ok(Some(
        unsafe { CStr::from_ptr(address as *const std::ffi::c_char) }
            .to_bytes()
            .to_vec(),
    ))
}

fn split_variable_length(value: &[u8]) -> Result<(usize, usize)> {
    debug_assert_eq!(std::mem::size_of::<VariableLengthValue>(), 16);
    Ok((read_usize(value, 0)?, read_usize(value, 8)?))
}

fn read_usize(value: &[u8], at: usize) -> Result<usize> {
    let bytes = value
        .get(at..at + 8)
        .and_then(|bytes| bytes.try_into().ok());
    bytes
        .map(usize::from_ne_bytes)
        .ok_or_else(|| ContainerError::Internal("short variable-length value".to_owned()))
}
