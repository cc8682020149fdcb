//! Property lists of attributes, and of what carries them.

use hdf5_sys::h5p::H5P_CLS_ATTRIBUTE_CREATE;

use super::handle::{api, check};
use super::property::PropertyList;
use crate::error::Result;
use crate::lock::library_lock;

/// Most attributes in an object's header: a reader looks at all of them to find one.
pub(crate) const MAX_HEADER_ATTRIBUTES: u32 = 128;
/// libhdf5's own number: with fewer attributes than this, they go back into the header.
const MIN_HEAP_ATTRIBUTES: u32 = 6;

impl PropertyList {
    /// For creating an attribute.
    pub(super) fn attribute_create() -> Result<Self> {
        Self::new(*H5P_CLS_ATTRIBUTE_CREATE)
    }

    /// Keeps attributes in the object's header: in a heap with two indexes of its own, where libhdf5
    /// puts more than 8 of them, each object would take some 2 KB more.
    pub(crate) fn set_attributes_in_header(&self) -> Result<()> {
        let _guard = library_lock();
        let (most, fewest_outside) = (MAX_HEADER_ATTRIBUTES, MIN_HEAP_ATTRIBUTES);
        // SAFETY: a live object-creation property list.
        let status = unsafe { (api().H5Pset_attr_phase_change)(self.0.id(), most, fewest_outside) };
        check(status, "keep attributes in the header")
    }
}
