//! netCDF-C behind safe calls: what it takes to write a classic file.
//!
//! Every call holds the library lock: netCDF-C keeps global tables without any locking of its own,
//! and its start-up code calls libhdf5.

#![expect(
    unsafe_code,
    reason = "calls into netCDF-C; each block states why it is sound"
)]

use std::ffi::{CStr, CString, c_int, c_uchar};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::classic::{AttributeValue, ClassicFormat, NcType, each_type};
use crate::lock::library_lock;

/// A status other than `NC_NOERR`.
#[derive(Debug)]
pub(crate) struct NetCdfStatus {
    /// Negative for netCDF-C's own errors, positive for `errno`.
    pub(crate) code: i32,
    /// netCDF-C's words for it.
    pub(crate) message: String,
}

type Checked<T> = Result<T, NetCdfStatus>;

/// netCDF-C buffers this much of a file; its default is one file system block, 4 KiB.
const BUFFER_BYTES: usize = 1 << 20;

/// netCDF-C's version, `4.10.1 of ...`.
pub(crate) fn library_version() -> String {
    let _lock = library_lock();
    // SAFETY: the function takes nothing and returns a static, NUL-terminated string.
    let version = unsafe { CStr::from_ptr(netcdf_sys::nc_inq_libvers()) };
    version.to_string_lossy().trim().to_owned()
}

/// A classic file that netCDF-C is writing. Dropped without [`close`](Self::close), it is aborted.
#[derive(Debug)]
pub(crate) struct NetCdfFile {
    ncid: Option<c_int>,
}

impl NetCdfFile {
    /// Creates a file, or empties an existing one, and enters define mode.
    pub(crate) fn create(path: &Path, format: ClassicFormat) -> Checked<Self> {
        let path = c_string(path.as_os_str().as_bytes())?;
        let mode = netcdf_sys::NC_CLOBBER
            | match format {
                ClassicFormat::Cdf1 => 0,
                ClassicFormat::Cdf2 => netcdf_sys::NC_64BIT_OFFSET,
                ClassicFormat::Cdf5 => netcdf_sys::NC_64BIT_DATA,
            };
        let mut buffer_bytes = BUFFER_BYTES;
        let mut ncid = 0;
        let _lock = library_lock();
        // SAFETY: `path` is NUL-terminated; the two out-pointers are valid for the call.
        check(unsafe {
            netcdf_sys::nc__create(path.as_ptr(), mode, 0, &raw mut buffer_bytes, &raw mut ncid)
        })?;
        Ok(Self { ncid: Some(ncid) })
    }

    /// Stops netCDF-C from writing fill values before the data.
    pub(crate) fn set_no_fill(&mut self) -> Checked<()> {
        let ncid = self.ncid()?;
        let mut before = 0;
        let _lock = library_lock();
        // SAFETY: `ncid` is an open file of ours; the out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_set_fill(ncid, netcdf_sys::NC_NOFILL, &raw mut before) })
    }

    /// Defines a dimension; `None` makes it the unlimited one.
    pub(crate) fn def_dim(&mut self, name: &str, length: Option<u64>) -> Checked<c_int> {
        let ncid = self.ncid()?;
        let name = c_string(name.as_bytes())?;
        let length = match length {
            Some(length) => usize::try_from(length).map_err(|_| known(netcdf_sys::NC_EDIMSIZE))?,
            None => netcdf_sys::NC_UNLIMITED,
        };
        let mut dimid = 0;
        let _lock = library_lock();
        // SAFETY: `ncid` is an open file of ours, `name` is NUL-terminated, the out-pointer is
        // valid for the call.
        check(unsafe { netcdf_sys::nc_def_dim(ncid, name.as_ptr(), length, &raw mut dimid) })?;
        Ok(dimid)
    }

    /// Defines a variable over dimensions that [`def_dim`](Self::def_dim) returned.
    pub(crate) fn def_var(
        &mut self,
        name: &str,
        nc_type: NcType,
        dimids: &[c_int],
    ) -> Checked<c_int> {
        let ncid = self.ncid()?;
        let name = c_string(name.as_bytes())?;
        let rank = c_int::try_from(dimids.len()).map_err(|_| known(netcdf_sys::NC_EMAXDIMS))?;
        let mut varid = 0;
        let _lock = library_lock();
        // SAFETY: `ncid` is an open file of ours, `name` is NUL-terminated, `dimids` holds `rank`
        // numbers, the out-pointer is valid for the call.
        check(unsafe {
            netcdf_sys::nc_def_var(
                ncid,
                name.as_ptr(),
                raw_type(nc_type),
                rank,
                dimids.as_ptr(),
                &raw mut varid,
            )
        })?;
        Ok(varid)
    }

    /// Writes an attribute of a variable, or a global one.
    pub(crate) fn put_att(
        &mut self,
        varid: Option<c_int>,
        name: &str,
        value: &AttributeValue,
    ) -> Checked<()> {
        let ncid = self.ncid()?;
        let name = c_string(name.as_bytes())?;
        let values = each_type!(value, values => values.as_ptr().cast());
        let _lock = library_lock();
        // SAFETY: `ncid` is an open file of ours, `name` is NUL-terminated, `values` points to
        // `value.len()` aligned elements of the native type that belongs to the external one.
        check(unsafe {
            netcdf_sys::nc_put_att(
                ncid,
                varid.unwrap_or(netcdf_sys::NC_GLOBAL),
                name.as_ptr(),
                raw_type(value.nc_type()),
                value.len(),
                values,
            )
        })
    }

    /// Leaves define mode: the header is laid out and written.
    pub(crate) fn end_def(&mut self) -> Checked<()> {
        let ncid = self.ncid()?;
        let _lock = library_lock();
        // SAFETY: `ncid` is an open file of ours.
        check(unsafe { netcdf_sys::nc_enddef(ncid) })
    }

    /// Writes a box of a variable of type `nc_type` from native-endian values.
    ///
    /// `start` and `count` must have the variable's rank, and `native_bytes` exactly the box's
    /// bytes: both are checked against netCDF-C's own knowledge of the variable.
    pub(crate) fn put_vara(
        &mut self,
        varid: c_int,
        start: &[usize],
        count: &[usize],
        native_bytes: &[u8],
    ) -> Checked<()> {
        let ncid = self.ncid()?;
        let _lock = library_lock();
        let size = box_element_bytes(ncid, varid, start, count)?;
        let needed = count
            .iter()
            .try_fold(size, |bytes, &extent| bytes.checked_mul(extent));
        if needed != Some(native_bytes.len()) {
            return Err(known(netcdf_sys::NC_EEDGE));
        }
        // netCDF-C reads the values through pointers of their own type.
        let aligned;
        let values = if native_bytes.as_ptr().align_offset(size) == 0 {
            native_bytes.as_ptr()
        } else {
            aligned = aligned_copy(native_bytes);
            aligned.as_ptr().cast()
        };
        // SAFETY: `ncid` is an open file of ours and `varid` is one of its variables, of the rank
        // of `start` and `count` and of elements of `size` bytes, as netCDF-C said just now under
        // the same lock; `values` is aligned for them and holds as many as the box.
        check(unsafe {
            netcdf_sys::nc_put_vara(ncid, varid, start.as_ptr(), count.as_ptr(), values.cast())
        })
    }

    /// Flushes and closes the file.
    pub(crate) fn close(mut self) -> Checked<()> {
        let ncid = self.ncid()?;
        // netCDF-C frees the file even if closing reports an error: never touch it again.
        self.ncid = None;
        let _lock = library_lock();
        // SAFETY: `ncid` is an open file of ours and forgotten from here on.
        check(unsafe { netcdf_sys::nc_close(ncid) })
    }

    fn ncid(&self) -> Checked<c_int> {
        self.ncid.ok_or_else(|| known(netcdf_sys::NC_EBADID))
    }
}

impl Drop for NetCdfFile {
    fn drop(&mut self) {
        if let Some(ncid) = self.ncid.take() {
            let _lock = library_lock();
            // SAFETY: `ncid` is an open file of ours and forgotten from here on.
            unsafe { netcdf_sys::nc_abort(ncid) };
        }
    }
}

/// Bytes of one element of a variable whose rank is that of `start` and `count`.
fn box_element_bytes(
    ncid: c_int,
    varid: c_int,
    start: &[usize],
    count: &[usize],
) -> Checked<usize> {
    let (mut rank, mut xtype) = (0, 0);
    // SAFETY: netCDF-C checks both numbers; the out-pointers are valid for the calls.
    unsafe {
        check(netcdf_sys::nc_inq_varndims(ncid, varid, &raw mut rank))?;
        check(netcdf_sys::nc_inq_vartype(ncid, varid, &raw mut xtype))?;
    }
    if [start.len(), count.len()].map(c_int::try_from) != [Ok(rank), Ok(rank)] {
        return Err(known(netcdf_sys::NC_EINVALCOORDS));
    }
    let nc_type = u32::try_from(xtype).ok().and_then(NcType::from_number);
    nc_type
        .map(NcType::size_bytes)
        .ok_or_else(|| known(netcdf_sys::NC_EBADTYPE))
}

fn aligned_copy(bytes: &[u8]) -> Vec<u64> {
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    whole
        .iter()
        .chain([&last])
        .map(|&word| u64::from_ne_bytes(word))
        .collect()
}

fn raw_type(nc_type: NcType) -> netcdf_sys::nc_type {
    nc_type.number().cast_signed()
}

fn c_string(bytes: &[u8]) -> Checked<CString> {
    CString::new(bytes).map_err(|_| known(netcdf_sys::NC_EBADNAME))
}

fn check(status: c_int) -> Checked<()> {
    if status == netcdf_sys::NC_NOERR {
        Ok(())
    } else {
        Err(known(status))
    }
}

fn known(code: c_int) -> NetCdfStatus {
    NetCdfStatus {
        code,
        message: status_message(code),
    }
}

unsafe extern "C" {
    /// In no public header, but what every name goes through that netCDF-C writes or looks up.
    fn nc_utf8_normalize(utf8: *const c_uchar, normal: *mut *mut c_uchar) -> c_int;
}

/// A name in the form in which netCDF-C writes and looks up names (NFC).
pub(crate) fn normalized_name(name: &str) -> Checked<String> {
    let name = c_string(name.as_bytes())?;
    let mut normal: *mut c_uchar = ptr::null_mut();
    let _lock = library_lock();
    // SAFETY: `name` is NUL-terminated UTF-8; the out-pointer is valid for the call.
    check(unsafe { nc_utf8_normalize(name.as_ptr().cast(), &raw mut normal) })?;
    let Some(words) = ptr::NonNull::new(normal) else {
        return Err(known(netcdf_sys::NC_EBADNAME));
    };
    // SAFETY: on success it is a NUL-terminated string made by malloc, which is ours to free.
    unsafe {
        let text = CStr::from_ptr(words.as_ptr().cast())
            .to_string_lossy()
            .into_owned();
        libc::free(words.as_ptr().cast());
        Ok(text)
    }
}

/// netCDF-C's words for a status.
pub(crate) fn status_message(code: c_int) -> String {
    let _lock = library_lock();
    // SAFETY: for every status the function returns a NUL-terminated string that lives at least
    // until the next call of it or of `strerror`, which the lock keeps away.
    let message = unsafe { ptr::NonNull::new(netcdf_sys::nc_strerror(code).cast_mut()) }
        // SAFETY: see above; the pointer is not null.
        .map(|words| unsafe { CStr::from_ptr(words.as_ptr()) });
    message.map_or_else(String::new, |words| words.to_string_lossy().into_owned())
}
