//! Attributes in memory, on their way from one library to another.

use std::ffi::{CStr, c_char, c_int};

use crate::invoke::{INVALID, invoke_on, number};
use crate::library::Library;

/// `NC_STRING`
const STRING: c_int = 12;
/// Bytes of a value of the types 1 to 12.
const SIZES: [usize; 12] = [1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8, size_of::<usize>()];

/// An object that has attributes: library, file or group, variable.
pub(crate) type Owner = (&'static Library, c_int, c_int);

/// Copies an attribute of numbers, text or strings, or of a type that the program has defined in both libraries by
/// the same number.
///
/// # Errors
/// The status of the library that refuses.
pub(crate) fn copy_attribute(name: &CStr, from: Owner, to: Owner) -> Result<(), c_int> {
    let text = name.as_ptr() as usize;
    let (library, id, varid) = from;
    let (mut nc_type, mut length): (c_int, usize) = (0, 0);
    let places = [
        number(varid),
        text,
        (&raw mut nc_type) as usize,
        (&raw mut length) as usize,
    ];
    // SAFETY: nc_inq_att with its arguments.
    done(unsafe { invoke_on(library, "nc_inq_att", id, places) })?;
    let known = usize::try_from(nc_type - 1).ok();
    let size = match known.and_then(|index| SIZES.get(index)) {
        Some(&size) => size,
        None => size_of_type(library, id, nc_type)?,
    };
    let bytes = size.checked_mul(length).ok_or(INVALID)?;
    // Words, so that values of every type are aligned.
    let mut values = vec![0_u64; bytes.div_ceil(8).max(1)];
    let place = values.as_mut_ptr() as usize;
    // SAFETY: nc_get_att with its arguments, and memory for all values.
    done(unsafe { invoke_on(library, "nc_get_att", id, [number(varid), text, place]) })?;
    let (there, id, varid) = to;
    let words = [number(varid), text, number(nc_type), length, place];
    // SAFETY: nc_put_att with its arguments.
    let status = unsafe { invoke_on(there, "nc_put_att", id, words) };
    if nc_type == STRING {
        for &pointer in values.iter().take(length) {
            // SAFETY: nc_get_att has put so many pointers there, each to memory of C's.
            unsafe { libc::free(pointer as *mut libc::c_void) };
        }
    }
    if nc_type > STRING && library.symbol("nc_reclaim_data").is_some() {
        let words = [number(nc_type), place, length];
        // SAFETY: nc_reclaim_data with values that nc_get_att of the same library has given.
        unsafe { invoke_on(library, "nc_reclaim_data", from.1, words) };
    }
    done(status)
}

/// Bytes of an element of a type that a program has defined.
///
/// # Errors
/// The status of the library.
pub(crate) fn size_of_type(
    library: &'static Library,
    id: c_int,
    nc_type: c_int,
) -> Result<usize, c_int> {
    let mut size = 0_usize;
    let words = [number(nc_type), 0, (&raw mut size) as usize];
    // SAFETY: nc_inq_type with no place for the name.
    done(unsafe { invoke_on(library, "nc_inq_type", id, words) })?;
    Ok(size)
}

/// A status as an outcome.
pub(crate) fn done(status: c_int) -> Result<(), c_int> {
    if status == 0 { Ok(()) } else { Err(status) }
}

/// Copies all attributes.
///
/// # Errors
/// As [`copy_attribute`].
pub(crate) fn copy_attributes(count: c_int, from: Owner, to: Owner) -> Result<(), c_int> {
    let (library, id, varid) = from;
    for index in 0..count {
        let mut name: Vec<c_char> = vec![0; NAME_BYTES];
        let words = [number(varid), number(index), name.as_mut_ptr() as usize];
        // SAFETY: nc_inq_attname with its arguments, and room for the longest name.
        done(unsafe { invoke_on(library, "nc_inq_attname", id, words) })?;
        copy_attribute(text(&name), from, to)?;
    }
    Ok(())
}

/// Bytes of the longest name and its NUL.
pub(crate) const NAME_BYTES: usize = 257;

/// The name that a call has written.
pub(crate) fn text(name: &[c_char]) -> &CStr {
    // SAFETY: as many bytes as the slice has.
    let bytes = unsafe { std::slice::from_raw_parts(name.as_ptr().cast::<u8>(), name.len()) };
    CStr::from_bytes_until_nul(bytes).unwrap_or_default()
}
