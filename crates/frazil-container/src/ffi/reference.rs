//! References to objects and regions, and dimension scales built on them.

use std::ffi::c_void;

use hdf5_sys::h5r::H5R_type_t;

use super::handle::{DEFAULT, Handle, api, c_name, check, own};
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;

/// Bytes of an old region reference (`hdset_reg_ref_t`).
pub(crate) const REGION_BYTES: usize = 12;

/// The object that a region reference of `location`'s file points into; `None` if it is gone.
pub(crate) fn region_object(
    location: &Handle,
    reference: &[u8; REGION_BYTES],
) -> Result<Option<Handle>> {
    let _guard = library_lock();
    // SAFETY: a live location and the reference's 12 bytes.
    let id = unsafe {
        (api().H5Rdereference2)(
            location.id(),
            DEFAULT,
            H5R_type_t::H5R_DATASET_REGION1,
            reference.as_ptr().cast(),
        )
    };
    match own(id, "follow region reference") {
        Ok(object) => Ok(Some(object)),
        Err(ContainerError::Hdf5 { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Makes a region reference in `to`'s file to the object at `path`, with the selection that
/// `reference` has in `from`'s file.
pub(crate) fn copy_region(
    from: &Handle,
    reference: &[u8; REGION_BYTES],
    to: &Handle,
    path: &str,
) -> Result<[u8; REGION_BYTES]> {
    let _guard = library_lock();
    let c = c_name(path)?;
    // SAFETY: a live location and the reference's 12 bytes.
    let space = own(
        unsafe {
            (api().H5Rget_region)(
                from.id(),
                H5R_type_t::H5R_DATASET_REGION1,
                reference.as_ptr().cast(),
            )
        },
        "read region reference",
    )?;
    let mut copy = [0_u8; REGION_BYTES];
    let buffer: *mut c_void = copy.as_mut_ptr().cast();
    // SAFETY: a live location, a NUL-terminated path, a 12-byte buffer, a live dataspace.
    let status = unsafe {
        (api().H5Rcreate)(
            buffer,
            to.id(),
            c.as_ptr(),
            H5R_type_t::H5R_DATASET_REGION1,
            space.id(),
        )
    };
    check(status, "write region reference")?;
    Ok(copy)
}

/// Makes a dataset a dimension scale (`H5DSset_scale`); `name` becomes its NAME attribute.
pub(crate) fn set_scale(dataset: &Handle, name: &str) -> Result<()> {
    let _guard = library_lock();
    let c = c_name(name)?;
    // SAFETY: a live dataset and a NUL-terminated name.
    check(
        unsafe { (api().H5DSset_scale)(dataset.id(), c.as_ptr()) },
        "make dimension scale",
    )
}

/// Attaches a dimension scale to an axis of a dataset (`H5DSattach_scale`).
pub(crate) fn attach_scale(dataset: &Handle, scale: &Handle, axis: usize) -> Result<()> {
    let _guard = library_lock();
    let axis = u32::try_from(axis)
        .map_err(|_| ContainerError::Internal("axis number out of range".to_owned()))?;
    // SAFETY: live datasets; libhdf5 checks the axis number.
    check(
        unsafe { (api().H5DSattach_scale)(dataset.id(), scale.id(), axis) },
        "attach dimension scale",
    )
}

/// Takes a dimension scale off an axis of a dataset (`H5DSdetach_scale`).
pub(crate) fn detach_scale(dataset: &Handle, scale: &Handle, axis: usize) -> Result<()> {
    let _guard = library_lock();
    let axis = u32::try_from(axis)
        .map_err(|_| ContainerError::Internal("axis number out of range".to_owned()))?;
    // SAFETY: live datasets; libhdf5 checks the axis number.
    check(
        unsafe { (api().H5DSdetach_scale)(dataset.id(), scale.id(), axis) },
        "detach dimension scale",
    )
}
