//! Whether an object keeps the order in which its attributes were created.

use std::ffi::c_uint;

use super::handle::{Handle, api, check, own};
use super::known::ObjectKind;
use super::link;
use crate::error::Result;
use crate::lock::library_lock;

/// `H5P_CRT_ORDER_TRACKED`.
const TRACKED: c_uint = 1;

/// Whether `object` keeps the order. (`H5Aget_info` says so of every object with an old header.)
pub(crate) fn is_kept(object: &Handle) -> Result<bool> {
    let kind = link::kind(object)?;
    let _guard = library_lock();
    // SAFETY: a live object of the kind that each call asks for.
    let list = unsafe {
        match kind {
            ObjectKind::Group => (api().H5Gget_create_plist)(object.id()),
            ObjectKind::Dataset => (api().H5Dget_create_plist)(object.id()),
            ObjectKind::NamedDatatype => (api().H5Tget_create_plist)(object.id()),
        }
    };
    let list = own(list, "read object properties")?;
    let mut flags: c_uint = 0;
    // SAFETY: a live property list and a valid out-pointer.
    let status = unsafe { (api().H5Pget_attr_creation_order)(list.id(), &raw mut flags) };
    check(status, "read attribute order")?;
    Ok(flags & TRACKED != 0)
}
