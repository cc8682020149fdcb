//! Who wrote a netCDF-4 file.

use super::attribute_form::Form;
use crate::error::Result;
use crate::ffi::Handle;

/// Who wrote a netCDF-4 file: netCDF-C's root attribute, hidden from its own readers.
pub(super) const PROVENANCE: &str = "_NCProperties";

/// Writes `_NCProperties` in netCDF-C's form, naming us.
pub(super) fn write_provenance(root: &Handle) -> Result<()> {
    Form::text(provenance().as_bytes())?.create(root, PROVENANCE)
}

/// What `_NCProperties` of files that are written here says.
#[must_use]
pub fn provenance() -> String {
    format!(
        "version=2,frazil={},hdf5={}",
        env!("CARGO_PKG_VERSION"),
        crate::ffi::library_version()
    )
}
