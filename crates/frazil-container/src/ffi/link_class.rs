//! Links of classes that only the programs that wrote them know: libhdf5 hands out and copies their
//! values once somebody stands for the class.

use std::ffi::{c_char, c_int, c_void};

use hdf5_sys::h5i::hid_t;
use libc::{size_t, ssize_t};

use super::api::LinkClass;
use super::handle::{api, check, truth};
use crate::error::Result;
use crate::lock::library_lock;

/// Leads nowhere: only the program that wrote the link knows where.
unsafe extern "C" fn refuse(
    _name: *const c_char,
    _group: hid_t,
    _value: *const c_void,
    _bytes: size_t,
    _access: hid_t,
    _transfer: hid_t,
) -> hid_t {
    -1
}

/// Hands out a link's value as it is stored.
unsafe extern "C" fn value(
    _name: *const c_char,
    value: *const c_void,
    bytes: size_t,
    buffer: *mut c_void,
    room: size_t,
) -> ssize_t {
    let copied = bytes.min(room);
    if copied > 0 && !buffer.is_null() && !value.is_null() {
        // SAFETY: libhdf5 passes the value with its length, and a buffer of `room` bytes.
        unsafe { std::ptr::copy_nonoverlapping(value.cast::<u8>(), buffer.cast::<u8>(), copied) };
    }
    ssize_t::try_from(bytes).unwrap_or(-1)
}

/// Makes links of a class readable and copyable; one that the program itself has registered stays
/// as it is.
pub(crate) fn accept(class: c_int) -> Result<()> {
    let _guard = library_lock();
    // SAFETY: any number may be asked for.
    let known = unsafe { (api().H5Lis_registered)(class) };
    if truth(known, "look for a class of links")? {
        return Ok(());
    }
    let stand_in = LinkClass {
        version: 1,
        id: class,
        comment: c"kept by frazil".as_ptr(),
        create: None,
        move_: None,
        copy: None,
        traverse: Some(refuse),
        delete: None,
        query: Some(value),
    };
    // SAFETY: a complete class; libhdf5 copies it, and its comment is static.
    let status = unsafe { (api().H5Lregister)(&raw const stand_in) };
    check(status, "accept a class of links")
}
