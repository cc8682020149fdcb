//! Values and attributes that netCDF-C reads and writes, converting them as it does.

#![expect(
    unsafe_code,
    reason = "calls into netCDF-C; each block states why it is sound"
)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::netcdf_file::{Checked, LibraryFile, LibraryStatus, c_string, check};
use crate::classic::NcType;
use crate::lock::library_lock;
use crate::schema::Text;

/// Calls the function of a group of netCDF-C's that belongs to a memory type, with its last
/// argument, a pointer, cast to the type's.
macro_rules! typed {
    ($memory:expr, ($($argument:expr),*), $pointer:expr,
     $char:ident $schar:ident $uchar:ident $short:ident $ushort:ident $int:ident $uint:ident
     $longlong:ident $ulonglong:ident $float:ident $double:ident) => {
        match $memory {
            NcType::Char => netcdf_sys::$char($($argument,)* $pointer.cast()),
            NcType::Byte => netcdf_sys::$schar($($argument,)* $pointer.cast()),
            NcType::UByte => netcdf_sys::$uchar($($argument,)* $pointer.cast()),
            NcType::Short => netcdf_sys::$short($($argument,)* $pointer.cast()),
            NcType::UShort => netcdf_sys::$ushort($($argument,)* $pointer.cast()),
            NcType::Int => netcdf_sys::$int($($argument,)* $pointer.cast()),
            NcType::UInt => netcdf_sys::$uint($($argument,)* $pointer.cast()),
            NcType::Int64 => netcdf_sys::$longlong($($argument,)* $pointer.cast()),
            NcType::UInt64 => netcdf_sys::$ulonglong($($argument,)* $pointer.cast()),
            NcType::Float => netcdf_sys::$float($($argument,)* $pointer.cast()),
            NcType::Double => netcdf_sys::$double($($argument,)* $pointer.cast()),
        }
    };
}

/// Which elements of a variable.
struct LibrarySlab {
    start: Vec<usize>,
    count: Vec<usize>,
    stride: Option<Vec<isize>>,
    elements: usize,
}

impl LibraryFile {
    /// `nc_put_vars_*`: native values of the type `memory`, row-major, as many as `count` says.
    ///
    /// # Errors
    /// As `nc_put_vars`: with `NC_ERANGE` all values were written. `NC_EINVAL` if the slices are
    /// not as long as the variable and the counts ask for.
    pub fn put_vars(
        &self,
        (group, varid): (u16, i32),
        (start, count): (&[u64], &[u64]),
        stride: Option<&[i64]>,
        memory: NcType,
        bytes: &[u8],
    ) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let _lock = library_lock();
        let slab = self.slab((group, varid), (start, count), stride)?;
        if slab.elements.checked_mul(memory.size_bytes()) != Some(bytes.len()) {
            return Err(LibraryStatus(netcdf_sys::NC_EINVAL));
        }
        let aligned = aligned_copy(bytes);
        let values = aligned.as_ptr();
        let (start, count) = (slab.start.as_ptr(), slab.count.as_ptr());
        let stride = slab.stride.as_ref().map_or(ptr::null(), |it| it.as_ptr());
        // SAFETY: `id` is a group of an open file of ours; `start`, `count` and `stride`, if any,
        // are as long as the variable's rank; `values` is aligned for any number and holds as many
        // of the function's type as `count` says.
        check(unsafe {
            typed!(memory, (id, varid, start, count, stride), values,
                nc_put_vars_text nc_put_vars_schar nc_put_vars_uchar nc_put_vars_short
                nc_put_vars_ushort nc_put_vars_int nc_put_vars_uint nc_put_vars_longlong
                nc_put_vars_ulonglong nc_put_vars_float nc_put_vars_double)
        })
    }

    /// `nc_get_vars_*`: native values of the type `memory` into `bytes`, row-major, as many as
    /// `count` says.
    ///
    /// # Errors
    /// As `nc_get_vars`: with `NC_ERANGE` all values were stored. `NC_EINVAL` if the slices are
    /// not as long as the variable and the counts ask for.
    pub fn get_vars(
        &self,
        (group, varid): (u16, i32),
        (start, count): (&[u64], &[u64]),
        stride: Option<&[i64]>,
        memory: NcType,
        bytes: &mut [u8],
    ) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let _lock = library_lock();
        let slab = self.slab((group, varid), (start, count), stride)?;
        if slab.elements.checked_mul(memory.size_bytes()) != Some(bytes.len()) {
            return Err(LibraryStatus(netcdf_sys::NC_EINVAL));
        }
        // What netCDF-C does not write stays as it is.
        let mut aligned = aligned_copy(bytes);
        let values = aligned.as_mut_ptr();
        let (start, count) = (slab.start.as_ptr(), slab.count.as_ptr());
        let stride = slab.stride.as_ref().map_or(ptr::null(), |it| it.as_ptr());
        // SAFETY: as for `put_vars`; the values are ours alone.
        let status = unsafe {
            typed!(memory, (id, varid, start, count, stride), values,
                nc_get_vars_text nc_get_vars_schar nc_get_vars_uchar nc_get_vars_short
                nc_get_vars_ushort nc_get_vars_int nc_get_vars_uint nc_get_vars_longlong
                nc_get_vars_ulonglong nc_get_vars_float nc_get_vars_double)
        };
        for (place, word) in bytes.chunks_mut(8).zip(&aligned) {
            place.copy_from_slice(&word.to_ne_bytes()[..place.len()]);
        }
        check(status)
    }

    /// `nc_get_vars_string`.
    ///
    /// # Errors
    /// As `nc_get_vars_string`; `NC_ECHAR` or `NC_EBADTYPE` for a variable of another type.
    pub fn get_strings(
        &self,
        (group, varid): (u16, i32),
        (start, count): (&[u64], &[u64]),
        stride: Option<&[i64]>,
    ) -> Result<Vec<Option<Text>>, LibraryStatus> {
        let id = self.id(group)?;
        let _lock = library_lock();
        match self.inq_vartype(group, varid)? {
            netcdf_sys::NC_STRING => {}
            netcdf_sys::NC_CHAR => return Err(LibraryStatus(netcdf_sys::NC_ECHAR)),
            _ => return Err(LibraryStatus(netcdf_sys::NC_EBADTYPE)),
        }
        let slab = self.slab((group, varid), (start, count), stride)?;
        let (start, count) = (slab.start.as_ptr(), slab.count.as_ptr());
        let stride = slab.stride.as_ref().map_or(ptr::null(), |it| it.as_ptr());
        take_strings(slab.elements, |pointers| {
            // SAFETY: `id` is a group of an open file of ours; `start`, `count` and `stride`, if
            // any, are as long as the variable's rank; there are as many pointers as `count` says.
            unsafe { netcdf_sys::nc_get_vars_string(id, varid, start, count, stride, pointers) }
        })
    }

    /// `nc_inq_att`: type and number of values.
    ///
    /// # Errors
    /// As `nc_inq_att`.
    pub fn inq_att(&self, group: u16, varid: i32, name: &str) -> Result<(i32, u64), LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let (mut nc_type, mut length) = (0, 0);
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated, the
        // out-pointers are valid for the call.
        check(unsafe {
            let (nc_type, length) = (&raw mut nc_type, &raw mut length);
            netcdf_sys::nc_inq_att(id, varid, name.as_ptr(), nc_type, length)
        })?;
        Ok((nc_type, length as u64))
    }

    /// `nc_inq_attid`.
    ///
    /// # Errors
    /// As `nc_inq_attid`.
    pub fn inq_attid(&self, group: u16, varid: i32, name: &str) -> Result<i32, LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let mut number = 0;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated, the
        // out-pointer is valid for the call.
        check(unsafe { netcdf_sys::nc_inq_attid(id, varid, name.as_ptr(), &raw mut number) })?;
        Ok(number)
    }

    /// `nc_inq_attname`.
    ///
    /// # Errors
    /// As `nc_inq_attname`.
    pub fn inq_attname(
        &self,
        group: u16,
        varid: i32,
        number: i32,
    ) -> Result<String, LibraryStatus> {
        let id = self.id(group)?;
        let mut name = [0_u8; netcdf_sys::NC_MAX_NAME as usize + 1];
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours; `name` has room for any name.
        check(unsafe { netcdf_sys::nc_inq_attname(id, varid, number, name.as_mut_ptr().cast()) })?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// `nc_put_att_*`: native values of the type `memory`.
    ///
    /// # Errors
    /// As `nc_put_att`: with `NC_ERANGE` the attribute was set. `NC_EINVAL` if the bytes are not
    /// whole values.
    pub fn put_att(
        &self,
        (group, varid): (u16, i32),
        name: &str,
        nc_type: i32,
        memory: NcType,
        bytes: &[u8],
    ) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let length = bytes.len() / memory.size_bytes();
        if !bytes.len().is_multiple_of(memory.size_bytes()) {
            return Err(LibraryStatus(netcdf_sys::NC_EINVAL));
        }
        let aligned = aligned_copy(bytes);
        let values = aligned.as_ptr();
        let name = name.as_ptr();
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated, `values` is
        // aligned for any number and holds `length` values of the function's type.
        check(unsafe {
            if memory == NcType::Char {
                if nc_type != netcdf_sys::NC_CHAR {
                    return Err(LibraryStatus(netcdf_sys::NC_ECHAR));
                }
                netcdf_sys::nc_put_att_text(id, varid, name, length, values.cast())
            } else {
                typed!(memory, (id, varid, name, nc_type, length), values,
                    nc_put_att_schar nc_put_att_schar nc_put_att_uchar nc_put_att_short
                    nc_put_att_ushort nc_put_att_int nc_put_att_uint nc_put_att_longlong
                    nc_put_att_ulonglong nc_put_att_float nc_put_att_double)
            }
        })
    }

    /// `nc_get_att_*`: all values as native ones of the type `memory`, and the status: with
    /// `NC_ERANGE` there are values all the same.
    ///
    /// # Errors
    /// As `nc_get_att`.
    pub fn get_att(
        &self,
        (group, varid): (u16, i32),
        name: &str,
        memory: NcType,
    ) -> Result<(Vec<u8>, Result<(), LibraryStatus>), LibraryStatus> {
        let id = self.id(group)?;
        let c_name = c_string(name.as_bytes())?;
        let _lock = library_lock();
        let (_, length) = self.inq_att(group, varid, name)?;
        let no_memory = LibraryStatus(netcdf_sys::NC_ENOMEM);
        let length = usize::try_from(length).map_err(|_| no_memory)?;
        let size = length.checked_mul(memory.size_bytes()).ok_or(no_memory)?;
        // Behind some of the format's own texts netCDF-C writes a NUL that it does not count.
        let mut values = vec![0_u64; size.div_ceil(8) + 1];
        let (name, place) = (c_name.as_ptr(), values.as_mut_ptr());
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated, `place` is
        // aligned for any number and has room for as many values of the function's type as
        // netCDF-C said under the same lock.
        let status = check(unsafe {
            typed!(memory, (id, varid, name), place,
                nc_get_att_text nc_get_att_schar nc_get_att_uchar nc_get_att_short
                nc_get_att_ushort nc_get_att_int nc_get_att_uint nc_get_att_longlong
                nc_get_att_ulonglong nc_get_att_float nc_get_att_double)
        });
        match status {
            Ok(()) | Err(LibraryStatus(netcdf_sys::NC_ERANGE)) => {}
            Err(status) => return Err(status),
        }
        let mut bytes: Vec<u8> = values.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.truncate(size);
        Ok((bytes, status))
    }

    /// `nc_get_att_string`.
    ///
    /// # Errors
    /// As `nc_get_att_string`; `NC_ECHAR` or `NC_EBADTYPE` for an attribute of another type.
    pub fn get_att_strings(
        &self,
        group: u16,
        varid: i32,
        name: &str,
    ) -> Result<Vec<Option<Text>>, LibraryStatus> {
        let id = self.id(group)?;
        let c_name = c_string(name.as_bytes())?;
        let _lock = library_lock();
        let (nc_type, length) = self.inq_att(group, varid, name)?;
        match nc_type {
            netcdf_sys::NC_STRING => {}
            netcdf_sys::NC_CHAR => return Err(LibraryStatus(netcdf_sys::NC_ECHAR)),
            _ => return Err(LibraryStatus(netcdf_sys::NC_EBADTYPE)),
        }
        let length = usize::try_from(length).map_err(|_| LibraryStatus(netcdf_sys::NC_ENOMEM))?;
        take_strings(length, |pointers| {
            // SAFETY: `id` is a group of an open file of ours, the name is NUL-terminated, there
            // are as many pointers as the attribute has values.
            unsafe { netcdf_sys::nc_get_att_string(id, varid, c_name.as_ptr(), pointers) }
        })
    }

    /// `nc_rename_att`.
    ///
    /// # Errors
    /// As `nc_rename_att`.
    pub fn rename_att(
        &self,
        group: u16,
        varid: i32,
        name: &str,
        new_name: &str,
    ) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let (name, new_name) = (c_string(name.as_bytes())?, c_string(new_name.as_bytes())?);
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, the names are NUL-terminated.
        check(unsafe { netcdf_sys::nc_rename_att(id, varid, name.as_ptr(), new_name.as_ptr()) })
    }

    /// `nc_del_att`.
    ///
    /// # Errors
    /// As `nc_del_att`.
    pub fn del_att(&self, group: u16, varid: i32, name: &str) -> Result<(), LibraryStatus> {
        let id = self.id(group)?;
        let name = c_string(name.as_bytes())?;
        let _lock = library_lock();
        // SAFETY: `id` is a group of an open file of ours, `name` is NUL-terminated.
        check(unsafe { netcdf_sys::nc_del_att(id, varid, name.as_ptr()) })
    }

    /// The elements of a variable, checked to be as many numbers as its rank.
    fn slab(
        &self,
        (group, varid): (u16, i32),
        (start, count): (&[u64], &[u64]),
        stride: Option<&[i64]>,
    ) -> Checked<LibrarySlab> {
        let invalid = LibraryStatus(netcdf_sys::NC_EINVAL);
        let rank = self.rank(group, varid)?;
        let is_long = |length: usize| length == rank;
        if !is_long(start.len())
            || !is_long(count.len())
            || !stride.is_none_or(|it| is_long(it.len()))
        {
            return Err(invalid);
        }
        let sizes = |numbers: &[u64]| -> Checked<Vec<usize>> {
            let all = numbers.iter().map(|&number| usize::try_from(number));
            all.collect::<Result<_, _>>().map_err(|_| invalid)
        };
        let (start, count) = (sizes(start)?, sizes(count)?);
        let stride = match stride {
            None => None,
            Some(stride) => {
                let all = stride.iter().map(|&number| isize::try_from(number));
                Some(all.collect::<Result<_, _>>().map_err(|_| invalid)?)
            }
        };
        let elements = (count.iter())
            .try_fold(1_usize, |product, &extent| product.checked_mul(extent))
            .ok_or(invalid)?;
        Ok(LibrarySlab {
            start,
            count,
            stride,
            elements,
        })
    }
}

/// Strings that netCDF-C allocates, copied and freed again.
fn take_strings(
    count: usize,
    get: impl FnOnce(*mut *mut c_char) -> c_int,
) -> Checked<Vec<Option<Text>>> {
    let mut pointers: Vec<*mut c_char> = vec![ptr::null_mut(); count];
    check(get(pointers.as_mut_ptr()))?;
    let text = |&pointer: &*mut c_char| {
        (!pointer.is_null()).then(|| {
            // SAFETY: netCDF-C returned NUL-terminated strings, which live until they are freed.
            let text = unsafe { CStr::from_ptr(pointer) };
            Text::from(text.to_bytes())
        })
    };
    let texts = pointers.iter().map(text).collect();
    // SAFETY: the strings were allocated by netCDF-C and are freed once; null ones are skipped.
    check(unsafe { netcdf_sys::nc_free_string(count, pointers.as_mut_ptr()) })?;
    Ok(texts)
}

/// The bytes at an address that is aligned for every number.
fn aligned_copy(bytes: &[u8]) -> Vec<u64> {
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let whole = whole.iter().map(|&word| u64::from_ne_bytes(word));
    let rest = (!rest.is_empty()).then(|| u64::from_ne_bytes(last));
    whole.chain(rest).collect()
}
