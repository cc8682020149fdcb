//! What netCDF-C says about an open file.

#![expect(
    unsafe_code,
    reason = "calls into netCDF-C; each block states why it is sound"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::netcdf_file::{Checked, LibraryFile, LibraryStatus, c_string, check};
use crate::classic::NcType;
use crate::lock::library_lock;

/// What `nc_inq_dim` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryDimension {
    /// Its name.
    pub name: String,
    /// Its length.
    pub length: u64,
}

/// What `nc_inq_var` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryVariable {
    /// Its name.
    pub name: String,
    /// `nc_type` of its elements.
    pub nc_type: i32,
    /// Its dimensions, slowest first.
    pub dimensions: Vec<i32>,
    /// Number of its attributes.
    pub attributes: i32,
}

/// A buffer that any netCDF name fits into.
struct NameBuffer([c_char; NAME_BYTES]);

/// `NC_MAX_NAME` and a NUL.
const NAME_BYTES: usize = netcdf_sys::NC_MAX_NAME as usize + 1;

impl NameBuffer {
    fn new() -> Self {
        Self([0; NAME_BYTES])
    }

    fn pointer(&mut self) -> *mut c_char {
        self.0.as_mut_ptr()
    }

    fn text(&self) -> String {
        // A `c_char` has a sign on some machines only.
        let bytes: Vec<u8> = self.0.iter().flat_map(|byte| byte.to_ne_bytes()).collect();
        let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        text.to_string_lossy().into_owned()
    }
}

unsafe extern "C" {
    /// In netCDF-C since 4.9.0; the binding crate lacks it.
    fn nc_inq_var_quantize(
        ncid: c_int,
        varid: c_int,
        quantize_modep: *mut c_int,
        nsdp: *mut c_int,
    ) -> c_int;
}

/// Methods that ask for one number about a group, or about something numbered in it.
macro_rules! numbers {
    ($($(#[$text:meta])* $name:ident($($argument:ident),*) -> $type:ty = $function:ident;)*) => {
        impl LibraryFile {
            $(
                $(#[$text])*
                ///
                /// # Errors
                /// As netCDF-C's function.
                pub fn $name(&self, group: u16, $($argument: i32),*) -> Result<$type, LibraryStatus> {
                    let id = self.id(group)?;
                    let mut answer = Default::default();
                    let _lock = library_lock();
                    // SAFETY: `id` is a group of an open file of ours; netCDF-C checks the other
                    // numbers; the out-pointer is valid for the call.
                    check(unsafe { netcdf_sys::$function(id, $($argument,)* &raw mut answer) })?;
                    Ok(answer)
                }
            )*
        }
    };
}

numbers! {
    /// `nc_inq_format`.
    inq_format() -> i32 = nc_inq_format;
    /// `nc_inq_nvars`.
    inq_nvars() -> i32 = nc_inq_nvars;
    /// `nc_inq_ndims`.
    inq_ndims() -> i32 = nc_inq_ndims;
    /// `nc_inq_natts`.
    inq_natts() -> i32 = nc_inq_natts;
    /// `nc_inq_unlimdim`.
    inq_unlimdim() -> i32 = nc_inq_unlimdim;
    /// `nc_inq_vartype`.
    inq_vartype(varid) -> i32 = nc_inq_vartype;
    /// `nc_inq_varndims`.
    inq_varndims(varid) -> i32 = nc_inq_varndims;
    /// `nc_inq_var_fletcher32`.
    inq_var_fletcher32(varid) -> i32 = nc_inq_var_fletcher32;
    /// `nc_inq_var_endian`.
    inq_var_endian(varid) -> i32 = nc_inq_var_endian;
}

/// Methods that ask for a list of numbers: first how many, then the numbers.
macro_rules! lists {
    ($($(#[$text:meta])* $name:ident = $function:ident($($argument:expr),*);)*) => {
        impl LibraryFile {
            $(
                $(#[$text])*
                ///
                /// # Errors
                /// As netCDF-C's function.
                pub fn $name(&self, group: u16) -> Result<Vec<i32>, LibraryStatus> {
                    let id = self.id(group)?;
                    let mut count = 0;
                    let _lock = library_lock();
                    // SAFETY: `id` is a group of an open file of ours; a null list is not written.
                    check(unsafe {
                        netcdf_sys::$function(id, &raw mut count, ptr::null_mut() $(, $argument)*)
                    })?;
                    let mut list = vec![0; usize::try_from(count).unwrap_or(0)];
                    // SAFETY: as above; the list has as many places as netCDF-C said, and the
                    // lock keeps others from adding more.
                    check(unsafe {
                        netcdf_sys::$function(id, &raw mut count, list.as_mut_ptr() $(, $argument)*)
                    })?;
                    Ok(list)
                }
            )*
        }
    };
}

lists! {
    /// `nc_inq_unlimdims`.
    inq_unlimdims = nc_inq_unlimdims();
    /// `nc_inq_varids`.
    inq_varids = nc_inq_varids();
    /// `nc_inq_dimids`, of the group alone.
    inq_dimids = nc_inq_dimids(0);
    /// `nc_inq_dimids`, with the groups above.
    inq_all_dimids = nc_inq_dimids(1);
    /// `nc_inq_typeids`.
    inq_typeids = nc_inq_typeids();
    /// `nc_inq_grps`: netCDF-C's ids.
    inq_grps = nc_inq_grps();
}

/// Methods that look something up by name.
macro_rules! names {
    ($($(#[$text:meta])* $name:ident = $function:ident;)*) => {
        impl LibraryFile {
            $(
                $(#[$text])*
                ///
                /// # Errors
                /// As netCDF-C's function.
                pub fn $name(&self, group: u16, name: &str) -> Result<i32, LibraryStatus> {
                    let id = self.id(group)?;
                    let name = c_string(name.as_bytes())?;
                    let mut answer = 0;
                    let _lock = library_lock();
                    // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated,
                    // the out-pointer is valid for the call.
                    check(unsafe {
                        netcdf_sys::$function(id, name.as_ptr(), &raw mut answer)
                    })?;
                    Ok(answer)
                }
            )*
        }
    };
}

names! {
    /// `nc_inq_dimid`.
    inq_dimid = nc_inq_dimid;
    /// `nc_inq_varid`.
    inq_varid = nc_inq_varid;
    /// `nc_inq_grp_ncid`: netCDF-C's id.
    inq_grp_ncid = nc_inq_grp_ncid;
    /// `nc_inq_grp_full_ncid`: netCDF-C's id.
    inq_grp_full_ncid = nc_inq_grp_full_ncid;
}

impl LibraryFile {
    /// `nc_inq_format_extended`: format and mode.
    ///
    /// # Errors
    /// As `nc_inq_format_extended`.
    pub fn inq_format_extended(&self) -> Result<(i32, i32), LibraryStatus> {
        let id = self.id(0)?;
        let (mut format, mut mode) = (0, 0);
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours; the out-pointers are valid for the call.
        check(unsafe { netcdf_sys::nc_inq_format_extended(id, &raw mut format, &raw mut mode) })?;
        Ok((format, mode))
    }

    /// `nc_inq_dim`.
    ///
    /// # Errors
    /// As `nc_inq_dim`.
    pub fn inq_dim(&self, group: u16, dimid: i32) -> Result<LibraryDimension, LibraryStatus> {
        let id = self.id(group)?;
        let mut name = NameBuffer::new();
        let mut length = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; `name` has room for any name; the
        // out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_inq_dim(id, dimid, name.pointer(), &raw mut length) })?;
        Ok(LibraryDimension {
            name: name.text(),
            length: length as u64,
        })
    }

    /// `nc_inq_grpname`.
    ///
    /// # Errors
    /// As `nc_inq_grpname`.
    pub fn inq_grpname(&self, group: u16) -> Result<String, LibraryStatus> {
        let id = self.id(group)?;
        let mut name = NameBuffer::new();
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; `name` has room for any name.
        check(unsafe { netcdf_sys::nc_inq_grpname(id, name.pointer()) })?;
        Ok(name.text())
    }

    /// `nc_inq_grpname_full`.
    ///
    /// # Errors
    /// As `nc_inq_grpname_full`.
    pub fn inq_grpname_full(&self, group: u16) -> Result<String, LibraryStatus> {
        let id = self.id(group)?;
        let mut length = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; a null name is not written.
        check(unsafe { netcdf_sys::nc_inq_grpname_full(id, &raw mut length, ptr::null_mut()) })?;
        let mut name = vec![0_u8; length + 1];
        // SAFETY: as above; `name` has room for the name and its NUL.
        check(unsafe {
            netcdf_sys::nc_inq_grpname_full(id, &raw mut length, name.as_mut_ptr().cast())
        })?;
        name.truncate(length);
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// `nc_inq_grp_parent`: netCDF-C's id.
    ///
    /// # Errors
    /// As `nc_inq_grp_parent`.
    pub fn inq_grp_parent(&self, group: u16) -> Result<i32, LibraryStatus> {
        let id = self.id(group)?;
        let mut parent = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; the out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_inq_grp_parent(id, &raw mut parent) })?;
        Ok(parent)
    }

    /// `nc_inq_var`.
    ///
    /// # Errors
    /// As `nc_inq_var`.
    pub fn inq_var(&self, group: u16, varid: i32) -> Result<LibraryVariable, LibraryStatus> {
        let id = self.id(group)?;
        let mut name = NameBuffer::new();
        let (mut nc_type, mut attributes) = (0, 0);
        let _lock = library_lock();
        let mut dimensions = vec![0; self.rank(group, varid)?];
        // SAFETY: `id` is a group of an open file of ours; `name` has room for any name and
        // `dimensions` for the variable's rank; the out-pointers are valid for the call.
        check(unsafe {
            netcdf_sys::nc_inq_var(
                id,
                varid,
                name.pointer(),
                &raw mut nc_type,
                ptr::null_mut(),
                dimensions.as_mut_ptr(),
                &raw mut attributes,
            )
        })?;
        Ok(LibraryVariable {
            name: name.text(),
            nc_type,
            dimensions,
            attributes,
        })
    }

    /// `nc_inq_var_fill`: whether there is none, and one native element.
    ///
    /// # Errors
    /// As `nc_inq_var_fill`; `NC_EBADTYPE` for elements that are no numbers or text.
    pub fn inq_var_fill(&self, group: u16, varid: i32) -> Result<(bool, Vec<u8>), LibraryStatus> {
        let id = self.id(group)?;
        let mut no_fill = 0;
        let mut element = [0_u64; 1];
        let _lock = library_lock();
        let size = self.element_bytes(group, varid)?;
        // SAFETY: `id` is a group of an open file of ours; the variable's elements have at most
        // eight bytes, as netCDF-C said under the same lock, for which there is aligned room.
        check(unsafe {
            let value = element.as_mut_ptr().cast::<c_void>();
            netcdf_sys::nc_inq_var_fill(id, varid, &raw mut no_fill, value)
        })?;
        Ok((no_fill != 0, element[0].to_ne_bytes()[..size].to_vec()))
    }

    /// `nc_inq_var_chunking`: storage and chunk shape.
    ///
    /// # Errors
    /// As `nc_inq_var_chunking`.
    pub fn inq_var_chunking(
        &self,
        group: u16,
        varid: i32,
    ) -> Result<(i32, Vec<u64>), LibraryStatus> {
        let id = self.id(group)?;
        let mut storage = 0;
        let _lock = library_lock();
        let mut chunk = vec![0_usize; self.rank(group, varid)?];
        // SAFETY: `id` is a group of an open file of ours; `chunk` has room for the variable's
        // rank; the out-pointer is valid for the call.
        check(unsafe {
            netcdf_sys::nc_inq_var_chunking(id, varid, &raw mut storage, chunk.as_mut_ptr())
        })?;
        Ok((storage, chunk.iter().map(|&extent| extent as u64).collect()))
    }

    /// `nc_inq_var_deflate`: shuffle, deflate, level.
    ///
    /// # Errors
    /// As `nc_inq_var_deflate`.
    pub fn inq_var_deflate(&self, group: u16, varid: i32) -> Result<[i32; 3], LibraryStatus> {
        let id = self.id(group)?;
        let [mut shuffle, mut deflate, mut level] = [0; 3];
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; the out-pointers are valid for the call.
        check(unsafe {
            let (shuffle, deflate) = (&raw mut shuffle, &raw mut deflate);
            netcdf_sys::nc_inq_var_deflate(id, varid, shuffle, deflate, &raw mut level)
        })?;
        Ok([shuffle, deflate, level])
    }

    /// `nc_inq_var_szip`: options mask and pixels per block.
    ///
    /// # Errors
    /// As `nc_inq_var_szip`.
    pub fn inq_var_szip(&self, group: u16, varid: i32) -> Result<(i32, i32), LibraryStatus> {
        let id = self.id(group)?;
        let (mut options, mut pixels) = (0, 0);
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; the out-pointers are valid for the call.
        check(unsafe {
            netcdf_sys::nc_inq_var_szip(id, varid, &raw mut options, &raw mut pixels)
        })?;
        Ok((options, pixels))
    }

    /// `nc_inq_var_quantize`: mode and digits.
    ///
    /// # Errors
    /// As `nc_inq_var_quantize`.
    pub fn inq_var_quantize(&self, group: u16, varid: i32) -> Result<(i32, i32), LibraryStatus> {
        let id = self.id(group)?;
        let (mut mode, mut digits) = (0, 0);
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; the out-pointers are valid for the call.
        check(unsafe { nc_inq_var_quantize(id, varid, &raw mut mode, &raw mut digits) })?;
        Ok((mode, digits))
    }

    /// `nc_inq_var_filter_ids` and `nc_inq_var_filter_info`: filters with their parameters.
    ///
    /// # Errors
    /// As those.
    pub fn inq_var_filters(
        &self,
        group: u16,
        varid: i32,
    ) -> Result<Vec<(u32, Vec<u32>)>, LibraryStatus> {
        let id = self.id(group)?;
        let mut count = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; a null list is not written.
        check(unsafe {
            netcdf_sys::nc_inq_var_filter_ids(id, varid, &raw mut count, ptr::null_mut())
        })?;
        let mut ids = vec![0; count];
        // SAFETY: as above; `ids` has as many places as netCDF-C said under the same lock.
        check(unsafe {
            netcdf_sys::nc_inq_var_filter_ids(id, varid, &raw mut count, ids.as_mut_ptr())
        })?;
        let with_parameters = |filter: u32| -> Checked<(u32, Vec<u32>)> {
            let mut count = 0;
            // SAFETY: as above.
            check(unsafe {
                let nowhere = ptr::null_mut();
                netcdf_sys::nc_inq_var_filter_info(id, varid, filter, &raw mut count, nowhere)
            })?;
            let mut parameters = vec![0; count];
            // SAFETY: as above; `parameters` has as many places as netCDF-C said.
            check(unsafe {
                let list = parameters.as_mut_ptr();
                netcdf_sys::nc_inq_var_filter_info(id, varid, filter, &raw mut count, list)
            })?;
            Ok((filter, parameters))
        };
        ids.into_iter().map(with_parameters).collect()
    }

    /// `nc_inq_filter_avail`.
    ///
    /// # Errors
    /// As `nc_inq_filter_avail`.
    pub fn inq_filter_avail(&self, filter: u32) -> Result<(), LibraryStatus> {
        let id = self.id(0)?;
        let _lock = library_lock();
        // SAFETY: `id` is an open file of ours.
        check(unsafe { netcdf_sys::nc_inq_filter_avail(id, filter) })
    }

    /// Rank of a variable.
    pub(super) fn rank(&self, group: u16, varid: i32) -> Checked<usize> {
        let rank = self.inq_varndims(group, varid)?;
        Ok(usize::try_from(rank).unwrap_or(0))
    }

    /// Bytes of one element of a variable of numbers or text.
    pub(super) fn element_bytes(&self, group: u16, varid: i32) -> Checked<usize> {
        let nc_type = self.inq_vartype(group, varid)?;
        let nc_type = u32::try_from(nc_type).ok().and_then(NcType::from_number);
        let size = nc_type.map(NcType::size_bytes);
        size.ok_or(LibraryStatus(netcdf_sys::NC_EBADTYPE))
    }
}
