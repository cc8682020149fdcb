//! Values that cannot be read: those in files of their own, and damaged ones.

use std::ffi::c_char;

use super::dataset::Dataset;
use super::handle::{api, damaged};
use super::property::{LayoutClass, PropertyList};
use crate::error::ContainerError;
use crate::lock::library_lock;

/// Bytes of a name that are shown.
const SHOWN_BYTES: usize = 1024;

impl PropertyList {
    /// The first of the files that hold a dataset's values, if any do.
    fn first_external_file(&self) -> Option<String> {
        let _guard = library_lock();
        let mut name = vec![0_u8; SHOWN_BYTES];
        let buffer = name.as_mut_ptr().cast::<c_char>();
        let (offset, size) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: a live property list, and a buffer of the size that is stated; null for what is
        // not asked for.
        let status =
            unsafe { (api().H5Pget_external)(self.0.id(), 0, SHOWN_BYTES, buffer, offset, size) };
        let end = name
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(SHOWN_BYTES);
        (status >= 0).then(|| String::from_utf8_lossy(&name[..end]).into_owned())
    }
}

/// An error of reading a dataset's values, with what is to be done if they lie in other files.
pub(super) fn explain(error: ContainerError, dataset: &Dataset) -> ContainerError {
    let list = dataset.creation().ok();
    let layout = list.as_ref().and_then(|list| list.layout().ok());
    match (list.and_then(|list| list.first_external_file()), error) {
        (Some(file), ContainerError::Hdf5 { doing, reason }) => ContainerError::Hdf5 {
            doing,
            reason: format!(
                "{reason}; its values lie in the file `{file}`, which HDF5 looks for from the \
                 current folder: run frazil where it is found, or set HDF5_EXTFILE_PREFIX to the \
                 folder (or to ${{ORIGIN}}, the folder of the file that is read)"
            ),
        },
        // The sources of a virtual dataset are other files.
        (None, error) if layout.is_some_and(|layout| layout != LayoutClass::Virtual) => {
            damaged(error)
        }
        (_, error) => error,
    }
}
