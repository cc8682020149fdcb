//! Versions of object headers.
//!
//! Objects with headers of version 2 keep at most 8 attributes in them; the ninth moves all into a
//! heap with two indexes, which takes 2 KiB and more. Headers of version 1 hold any number. (Objects
//! could say how many attributes their header of version 2 keeps, but some readers refuse those that
//! do.)

use std::cell::Cell;

use hdf5_sys::h5f::H5F_libver_t;
use hdf5_sys::h5o::H5O_NATIVE_INFO_HDR;

use super::api::NativeInfo;
use super::handle::{Handle, api, check};
use super::{attribute_order, link};
use crate::error::Result;
use crate::lock::library_lock;

/// Attributes that libhdf5 keeps in a header of version 2.
const KEPT_IN_NEW_HEADERS: u64 = 8;

/// What header a copy of an object gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeaderForm {
    /// Version 1, else version 2.
    pub(crate) is_old: bool,
    /// Whether it keeps the order in which attributes were created.
    pub(crate) is_ordered: bool,
}

impl HeaderForm {
    /// Version 2, with the order of attributes.
    pub(crate) const ORDERED: Self = Self {
        is_old: false,
        is_ordered: true,
    };
}

/// The header for a copy of an object: one of version 2 that keeps the order, since netCDF readers
/// show attributes in it; for an object of many attributes that keeps none, one like its own, so
/// that the copy takes no more space. (Version 1 keeps the order without being asked.)
pub(crate) fn for_copy_of(object: &Handle) -> Result<HeaderForm> {
    let is_ordered =
        link::attribute_count(object)? <= KEPT_IN_NEW_HEADERS || attribute_order::is_kept(object)?;
    Ok(HeaderForm {
        is_old: !is_ordered && info(object)?.header.version == 1,
        is_ordered,
    })
}

/// Facts about an object's header.
pub(super) fn info(object: &Handle) -> Result<NativeInfo> {
    let _guard = library_lock();
    let mut native = NativeInfo::default();
    let fields = H5O_NATIVE_INFO_HDR;
    // SAFETY: a live object and a valid out-pointer.
    let status = unsafe { (api().H5Oget_native_info)(object.id(), &raw mut native, fields) };
    check(status, "read object header")?;
    Ok(native)
}

/// Which headers the objects of a file get that are created in it.
pub(crate) struct NewHeaders<'a> {
    file: &'a Handle,
    old: Cell<bool>,
}

impl<'a> NewHeaders<'a> {
    /// For a file that was opened with the bounds of [`super::property`].
    pub(crate) fn of(file: &'a Handle) -> Self {
        Self {
            file,
            old: Cell::new(false),
        }
    }

    /// Headers of version 1 from now on, or of version 2. libhdf5 flushes the file at each change.
    pub(crate) fn make_old(&self, old: bool) -> Result<()> {
        if old == self.old.get() {
            return Ok(());
        }
        let low = match old {
            true => H5F_libver_t::H5F_LIBVER_EARLIEST,
            false => H5F_libver_t::H5F_LIBVER_V18,
        };
        let high = H5F_libver_t::H5F_LIBVER_V200;
        let _guard = library_lock();
        // SAFETY: a live file.
        let status = unsafe { (api().H5Fset_libver_bounds)(self.file.id(), low, high) };
        check(status, "set format bounds")?;
        self.old.set(old);
        Ok(())
    }
}
