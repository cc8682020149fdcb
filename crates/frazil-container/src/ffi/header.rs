//! Versions of object headers.
//!
//! Objects with headers of version 2 keep at most 8 attributes in them; the ninth moves all into a
//! heap with two indexes, which takes 2 KiB and more. Headers of version 1 hold any number. (Objects
//! could say how many attributes their header of version 2 keeps, but some readers refuse those that
//! do.)

use std::cell::Cell;

use frazil_hdf5::Object;
use hdf5_sys::h5f::H5F_libver_t;

use super::handle::{Handle, api, check};
use super::property::HeaderForm;
use crate::error::Result;
use crate::lock::library_lock;

/// Attributes that libhdf5 keeps in a header of version 2.
const KEPT_IN_NEW_HEADERS: usize = 8;

/// The header for a copy of an object: one of version 2 that keeps the order, since netCDF readers
/// show attributes in it; for an object of many attributes that keeps none, one like its own, so
/// that the copy takes no more space. (Version 1 keeps the order without being asked.)
pub(crate) fn for_copy_of(object: &Object, attributes: usize) -> HeaderForm {
    let is_ordered = attributes <= KEPT_IN_NEW_HEADERS || object.keeps_attribute_order();
    HeaderForm {
        is_old: !is_ordered && object.header_version() == 1,
        is_ordered,
    }
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
