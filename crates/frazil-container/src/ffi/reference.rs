//! References to objects and regions, and dimension scales built on them.

use std::ffi::c_void;

use frazil_hdf5::Selection;
use hdf5_sys::h5r::H5R_type_t;

use super::dataset::Dataset;
use super::dataspace;
use super::handle::{Handle, api, c_name, check};
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;

/// Bytes of an old region reference (`hdset_reg_ref_t`).
pub(crate) const REGION_BYTES: usize = 12;

/// Makes a region reference to a part of the dataset at `path` in `root`'s file.
pub(crate) fn to_region(root: &Handle, path: &str, part: &Selection) -> Result<[u8; REGION_BYTES]> {
    let _guard = library_lock();
    let space = dataspace::select_part(Dataset::open(root, path)?.space()?, part)?;
    let c = c_name(path)?;
    let mut region = [0_u8; REGION_BYTES];
    let buffer: *mut c_void = region.as_mut_ptr().cast();
    // SAFETY: a live location, a NUL-terminated path, a 12-byte buffer, a live dataspace.
    let status = unsafe {
        (api().H5Rcreate)(
            buffer,
            root.id(),
            c.as_ptr(),
            H5R_type_t::H5R_DATASET_REGION1,
            space.id(),
        )
    };
    check(status, "write region reference")?;
    Ok(region)
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
