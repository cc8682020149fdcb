//! Any file that netCDF-C serves: open, define, close.

#![expect(
    unsafe_code,
    reason = "calls into netCDF-C; each block states why it is sound"
)]

use std::ffi::{CString, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::lock::library_lock;

/// A status of netCDF-C other than `NC_NOERR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LibraryStatus(pub i32);

pub(super) type Checked<T> = Result<T, LibraryStatus>;

/// An open file of netCDF-C's. Dropped without [`close`](Self::close), it is aborted.
#[derive(Debug)]
pub struct LibraryFile {
    ncid: c_int,
    is_open: bool,
}

impl LibraryFile {
    /// `nc_create`.
    ///
    /// # Errors
    /// As `nc_create`.
    pub fn create(path: &Path, mode: i32) -> Result<Self, LibraryStatus> {
        let path = c_string(path.as_os_str().as_bytes())?;
        let mut ncid = 0;
        let _lock = library_lock();
        // SAFETY: `path` is NUL-terminated; the out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_create(path.as_ptr(), mode, &raw mut ncid) })?;
        Ok(Self {
            ncid,
            is_open: true,
        })
    }

    /// `nc_open`.
    ///
    /// # Errors
    /// As `nc_open`.
    pub fn open(path: &Path, mode: i32) -> Result<Self, LibraryStatus> {
        let path = c_string(path.as_os_str().as_bytes())?;
        let mut ncid = 0;
        let _lock = library_lock();
        // SAFETY: `path` is NUL-terminated; the out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_open(path.as_ptr(), mode, &raw mut ncid) })?;
        Ok(Self {
            ncid,
            is_open: true,
        })
    }

    /// `nc_close`; every later call is refused with `NC_EBADID`.
    ///
    /// # Errors
    /// As `nc_close`; the file is closed all the same.
    pub fn close(&mut self) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        self.is_open = false;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours, and forgotten from here on.
        check(unsafe { netcdf_sys::nc_close(id) })
    }

    /// `nc_abort`; every later call is refused with `NC_EBADID`.
    ///
    /// # Errors
    /// As `nc_abort`; the file is closed all the same.
    pub fn abort(&mut self) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        self.is_open = false;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours, and forgotten from here on.
        check(unsafe { netcdf_sys::nc_abort(id) })
    }

    /// `nc_redef`.
    ///
    /// # Errors
    /// As `nc_redef`.
    pub fn redef(&self) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours.
        check(unsafe { netcdf_sys::nc_redef(id) })
    }

    /// `nc_enddef`.
    ///
    /// # Errors
    /// As `nc_enddef`.
    pub fn enddef(&self) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours.
        check(unsafe { netcdf_sys::nc_enddef(id) })
    }

    /// `nc__enddef`: free bytes after the header, alignment of the variables, free bytes after
    /// them, alignment of the records.
    ///
    /// # Errors
    /// As `nc__enddef`.
    pub fn enddef_with(&self, space: [u64; 4]) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        let mut sizes = [0_usize; 4];
        for (size, wanted) in sizes.iter_mut().zip(space) {
            *size = usize::try_from(wanted).map_err(|_| LibraryStatus(netcdf_sys::NC_EINVAL))?;
        }
        let [header_free, align, free, record_align] = sizes;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours.
        check(unsafe { netcdf_sys::nc__enddef(id, header_free, align, free, record_align) })
    }

    /// `nc_sync`.
    ///
    /// # Errors
    /// As `nc_sync`.
    pub fn sync(&self) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours.
        check(unsafe { netcdf_sys::nc_sync(id) })
    }

    /// `nc_set_fill`: the mode before.
    ///
    /// # Errors
    /// As `nc_set_fill`.
    pub fn set_fill(&self, mode: i32) -> Result<i32, LibraryStatus> {
        let id = self.id(0)?;
        let mut before = 0;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours; the out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_set_fill(id, mode, &raw mut before) })?;
        Ok(before)
    }

    /// `nc_set_var_chunk_cache`: bytes, slots of the hash table, and how soon chunks that were read to
    /// their end are let go, 0 to 1.
    ///
    /// # Errors
    /// As `nc_set_var_chunk_cache`.
    pub fn set_var_chunk_cache(
        &self,
        group: u16,
        varid: i32,
        (bytes, slots, preemption): (usize, usize, f32),
    ) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; the rest are numbers.
        check(unsafe { netcdf_sys::nc_set_var_chunk_cache(id, varid, bytes, slots, preemption) })
    }

    /// `nc_get_var_chunk_cache`, in the words of [`Self::set_var_chunk_cache`].
    ///
    /// # Errors
    /// As `nc_get_var_chunk_cache`.
    pub fn get_var_chunk_cache(
        &self,
        group: u16,
        varid: i32,
    ) -> Result<(usize, usize, f32), LibraryStatus> {
        let id = self.id(group)?;
        let (mut bytes, mut slots, mut preemption) = (0, 0, 0.0);
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; the out-pointers are valid for the call.
        check(unsafe {
            netcdf_sys::nc_get_var_chunk_cache(
                id,
                varid,
                &raw mut bytes,
                &raw mut slots,
                &raw mut preemption,
            )
        })?;
        Ok((bytes, slots, preemption))
    }

    /// `nc_def_dim`; a length of 0 grows.
    ///
    /// # Errors
    /// As `nc_def_dim`.
    pub fn def_dim(&self, group: u16, name: &str, length: u64) -> Result<i32, LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let length = usize::try_from(length).map_err(|_| LibraryStatus(netcdf_sys::NC_EDIMSIZE))?;
        let mut dimid = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated, the
        // out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_def_dim(id, name.as_ptr(), length, &raw mut dimid) })?;
        Ok(dimid)
    }

    /// `nc_rename_dim`.
    ///
    /// # Errors
    /// As `nc_rename_dim`.
    pub fn rename_dim(&self, group: u16, dimid: i32, name: &str) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated.
        check(unsafe { netcdf_sys::nc_rename_dim(id, dimid, name.as_ptr()) })
    }

    /// `nc_def_var`.
    ///
    /// # Errors
    /// As `nc_def_var`.
    pub fn def_var(
        &self,
        group: u16,
        name: &str,
        nc_type: i32,
        dimids: &[i32],
    ) -> Result<i32, LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let rank =
            c_int::try_from(dimids.len()).map_err(|_| LibraryStatus(netcdf_sys::NC_EMAXDIMS))?;
        let mut varid = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated, `dimids`
        // holds `rank` numbers, the out-pointer is valid for the call.
        check(unsafe {
            netcdf_sys::nc_def_var(
                id,
                name.as_ptr(),
                nc_type,
                rank,
                dimids.as_ptr(),
                &raw mut varid,
            )
        })?;
        Ok(varid)
    }

    /// `nc_rename_var`.
    ///
    /// # Errors
    /// As `nc_rename_var`.
    pub fn rename_var(&self, group: u16, varid: i32, name: &str) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated.
        check(unsafe { netcdf_sys::nc_rename_var(id, varid, name.as_ptr()) })
    }

    /// `nc_def_var_fill`: `value` is one native element of the variable's type.
    ///
    /// # Errors
    /// As `nc_def_var_fill`; `NC_EBADTYPE` if `value` is no element of a number or of text.
    pub fn def_var_fill(
        &self,
        group: u16,
        varid: i32,
        no_fill: bool,
        value: Option<&[u8]>,
    ) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let _lock = library_lock();
        let mut element = [0_u64; 1];
        let value = match value {
            None => ptr::null(),
            Some(value) => {
                if self.element_bytes(group, varid)? != value.len() {
                    return Err(LibraryStatus(netcdf_sys::NC_EBADTYPE));
                }
                let mut bytes = [0; 8];
                bytes[..value.len()].copy_from_slice(value);
                element[0] = u64::from_ne_bytes(bytes);
                element.as_ptr().cast()
            }
        };
        // SAFETY: `id` is a group of an open file of ours; `value` is null or points to eight
        // aligned bytes that begin with one element of the variable's atomic type, as netCDF-C
        // said under the same lock.
        check(unsafe { netcdf_sys::nc_def_var_fill(id, varid, c_int::from(no_fill), value) })
    }

    /// netCDF-C's id of a group.
    pub(super) fn id(&self, group: u16) -> Checked<c_int> {
        if self.is_open {
            Ok(self.ncid | c_int::from(group))
        } else {
            Err(LibraryStatus(netcdf_sys::NC_EBADID))
        }
    }
}

impl Drop for LibraryFile {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure.
        let _ = self.abort();
    }
}

pub(super) fn c_string(bytes: &[u8]) -> Checked<CString> {
    CString::new(bytes).map_err(|_| LibraryStatus(netcdf_sys::NC_EBADNAME))
}

pub(super) fn check(status: c_int) -> Checked<()> {
    if status == netcdf_sys::NC_NOERR {
        Ok(())
    } else {
        Err(LibraryStatus(status))
    }
}
