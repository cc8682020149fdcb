//! Files: open for reading with libhdf5's own driver, create through ours.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use frazil_hdf5::Source;

use hdf5_sys::h5f::{H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_SWMR_READ, H5F_ACC_TRUNC, H5F_scope_t};

use super::backing::{LiveFile, MEASURE, with_far, with_live};
use super::driver::RawSink;
use super::handle::{DEFAULT, Handle, api, c_name, check, own};
use super::property::PropertyList;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;

/// Opens an HDF5 file for reading. With `is_swmr` another program may be writing it in the way that
/// HDF5 calls single writer, multiple readers (SWMR), or died while it did.
pub(crate) fn open_read(path: &Path, is_swmr: bool) -> Result<Handle> {
    let flags = match is_swmr {
        true => H5F_ACC_RDONLY | H5F_ACC_SWMR_READ,
        false => H5F_ACC_RDONLY,
    };
    let _guard = library_lock();
    let access = PropertyList::file_access_read()?;
    let name = c_path(path)?;
    // SAFETY: a NUL-terminated path and a live access list.
    let id = unsafe { (api().H5Fopen)(name.as_ptr(), flags, access.0.id()) };
    own(id, "open HDF5 file")
}

/// Opens an HDF5 file that is somewhere else for reading; `path` is what it is called.
pub(crate) fn open_far(path: &Path, source: &Arc<dyn Source>) -> Result<Handle> {
    let _guard = library_lock();
    let access = PropertyList::file_access_read()?;
    let name = c_path(path)?;
    // SAFETY: a NUL-terminated path and a live access list.
    let id = with_far(source, || unsafe {
        (api().H5Fopen)(name.as_ptr(), H5F_ACC_RDONLY, access.0.id())
    });
    own(id, "open HDF5 file")
}

/// Where a created file goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'a> {
    /// An existing, empty file.
    File(&'a Path),
    /// Nowhere: to measure the metadata.
    Measure,
}

/// Creates an HDF5 file through our driver.
pub(crate) fn create(
    target: Target<'_>,
    creation: &PropertyList,
    metadata_block_bytes: u64,
) -> Result<(Handle, RawSink)> {
    let _guard = library_lock();
    // Small chunks come between nodes of indexes. A block for several would end at each of these.
    let access = PropertyList::file_access_scattered(metadata_block_bytes)?;
    let name = match target {
        Target::File(path) => c_path(path)?,
        Target::Measure => c_name(MEASURE)?,
    };
    // SAFETY: a NUL-terminated path and live property lists.
    let id =
        unsafe { (api().H5Fcreate)(name.as_ptr(), H5F_ACC_TRUNC, creation.0.id(), access.0.id()) };
    with_sink(own(id, "create HDF5 file")?)
}

/// Creates an HDF5 file that changes by commits: `live` is the empty file at `path`. With
/// `is_shared` every chunk may have a place that the caller chooses.
pub(crate) fn create_live(
    live: &LiveFile,
    path: &Path,
    creation: &PropertyList,
    (metadata_block_bytes, is_shared): (u64, bool),
) -> Result<(Handle, RawSink)> {
    let _guard = library_lock();
    let access = match is_shared {
        true => PropertyList::file_access_scattered(metadata_block_bytes)?,
        false => PropertyList::file_access_write(metadata_block_bytes)?,
    };
    let name = c_path(path)?;
    // SAFETY: a NUL-terminated path and live property lists.
    let id = with_live(live, || unsafe {
        (api().H5Fcreate)(name.as_ptr(), H5F_ACC_TRUNC, creation.0.id(), access.0.id())
    });
    with_sink(own(id, "create HDF5 file")?)
}

/// Opens an HDF5 file to change it by commits: `live` is the file at `path`.
pub(crate) fn open_live(
    live: &LiveFile,
    path: &Path,
    metadata_block_bytes: u64,
) -> Result<(Handle, RawSink)> {
    let _guard = library_lock();
    let access = PropertyList::file_access_write(metadata_block_bytes)?;
    let name = c_path(path)?;
    // SAFETY: a NUL-terminated path and a live access list.
    let id = with_live(live, || unsafe {
        (api().H5Fopen)(name.as_ptr(), H5F_ACC_RDWR, access.0.id())
    });
    with_sink(own(id, "open HDF5 file for writing")?)
}

/// A file of our driver with the driver's side of it.
fn with_sink(file: Handle) -> Result<(Handle, RawSink)> {
    let mut pointer = std::ptr::null_mut();
    // SAFETY: a live file and a valid out-pointer; our driver returns its own structure.
    let status = unsafe { (api().H5Fget_vfd_handle)(file.id(), DEFAULT, &raw mut pointer) };
    check(status, "reach the file driver")?;
    if pointer.is_null() {
        return Err(ContainerError::Internal(
            "the file driver gave no handle".to_owned(),
        ));
    }
    Ok((file, RawSink::new(pointer)))
}

/// Writes all metadata out.
pub(crate) fn flush(file: &Handle) -> Result<()> {
    let _guard = library_lock();
    // SAFETY: a live file.
    let status = unsafe { (api().H5Fflush)(file.id(), H5F_scope_t::H5F_SCOPE_LOCAL) };
    check(status, "flush metadata")
}

/// A file's name as libhdf5 wants it, in whatever encoding the system has.
fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| ContainerError::InvalidName(path.to_string_lossy().into_owned()))
}

/// Closes a file and reports what went wrong; every object in it must be closed already.
pub(crate) fn close(file: Handle) -> Result<()> {
    let _guard = library_lock();
    // SAFETY: the handle's own reference is given up here and not again.
    let status = unsafe { (api().H5Fclose)(file.into_raw()) };
    check(status, "close HDF5 file")
}
