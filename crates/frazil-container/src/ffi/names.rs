//! Names of links and attributes, collected in one pass: libhdf5's calls by number rebuild their
//! table at every call.

use std::ffi::{CStr, c_char, c_void};

use hdf5_sys::h5::{H5_ITER_INC, H5_index_t, herr_t};
use hdf5_sys::h5a::H5A_info_t;
use hdf5_sys::h5i::hid_t;

use super::handle::{Handle, api, check};
use crate::error::Result;
use crate::lock::library_lock;
use frazil_hdf5::text;

/// Appends a name to the vector behind `names`.
///
/// # Safety
/// `name` is a NUL-terminated string and `names` points to a live `Vec<Vec<u8>>`.
unsafe fn collect(name: *const c_char, names: *mut c_void) -> herr_t {
    // SAFETY: promised by the caller.
    let (name, names) = unsafe { (CStr::from_ptr(name), &mut *names.cast::<Vec<Vec<u8>>>()) };
    names.push(name.to_bytes().to_vec());
    0
}

unsafe extern "C" fn collect_attribute(
    _object: hid_t,
    name: *const c_char,
    _info: *const H5A_info_t,
    names: *mut c_void,
) -> herr_t {
    // SAFETY: libhdf5 passes the attribute's name and the pointer given to H5Aiterate2 below.
    unsafe { collect(name, names) }
}

/// Names of an object's attributes in creation order (for old objects: in header order); by name
/// where dense storage kept no such order.
pub(crate) fn of_attributes(object: &Handle) -> Result<Vec<String>> {
    let by_creation = iterate_attributes(object, H5_index_t::H5_INDEX_CRT_ORDER);
    let names = match by_creation {
        Ok(names) => names,
        Err(_) => iterate_attributes(object, H5_index_t::H5_INDEX_NAME)?,
    };
    Ok(texts(&names))
}

fn iterate_attributes(object: &Handle, index: H5_index_t) -> Result<Vec<Vec<u8>>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    let data: *mut Vec<Vec<u8>> = &raw mut names;
    let _guard = library_lock();
    // SAFETY: a live object; the callback only runs during the call, on a live vector.
    let status = unsafe {
        (api().H5Aiterate2)(
            object.id(),
            index,
            H5_ITER_INC,
            std::ptr::null_mut(),
            Some(collect_attribute),
            data.cast(),
        )
    };
    check(status, "read the names of attributes")?;
    Ok(names)
}

fn texts(names: &[Vec<u8>]) -> Vec<String> {
    names.iter().map(|name| text::from_bytes(name)).collect()
}
