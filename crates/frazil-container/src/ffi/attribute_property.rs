//! Property lists of attributes.

use hdf5_sys::h5p::H5P_CLS_ATTRIBUTE_CREATE;

use super::property::PropertyList;
use crate::error::Result;

impl PropertyList {
    /// For creating an attribute.
    pub(super) fn attribute_create() -> Result<Self> {
        Self::new(*H5P_CLS_ATTRIBUTE_CREATE)
    }
}
