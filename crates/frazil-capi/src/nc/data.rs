//! Values in memory: freed and copied by their type.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use frazil::netcdf::{Outcome, STRING, Status};

use crate::nc::pointers::store;
use crate::nc::{entries, strings, table, types};

/// Bytes of `count` values of a type.
fn bytes_of(ncid: c_int, xtype: c_int, count: usize) -> Outcome<usize> {
    let (_, size) = table::with(ncid, |_, _| types::describe(xtype))?;
    size.checked_mul(count).ok_or(Status::EINVAL)
}

/// Frees what values point to: strings.
///
/// # Safety
/// `memory` holds `count` values of the type, and strings were allocated by C.
unsafe fn reclaim(ncid: c_int, xtype: c_int, memory: *mut c_void, count: usize) -> Outcome<()> {
    bytes_of(ncid, xtype, count)?;
    if xtype != STRING {
        return Ok(());
    }
    if memory.is_null() && count > 0 {
        return Err(Status::EINVAL);
    }
    let texts = memory.cast::<*mut c_char>();
    for index in 0..count {
        // SAFETY: as this function's; what was freed is not pointed to any more.
        unsafe {
            strings::free(texts.add(index).read());
            texts.add(index).write(ptr::null_mut());
        }
    }
    Ok(())
}

/// Copies values with what they point to.
///
/// # Safety
/// `memory` and `copy` hold `count` values of the type.
unsafe fn copy_values(
    ncid: c_int,
    xtype: c_int,
    memory: *const c_void,
    count: usize,
    copy: *mut c_void,
) -> Outcome<()> {
    let bytes = bytes_of(ncid, xtype, count)?;
    if count == 0 {
        return Ok(());
    }
    if memory.is_null() || copy.is_null() {
        return Err(Status::EINVAL);
    }
    if xtype != STRING {
        // SAFETY: as this function's; they do not overlap, as the caller promises.
        unsafe { ptr::copy_nonoverlapping(memory.cast::<u8>(), copy.cast::<u8>(), bytes) };
        return Ok(());
    }
    let (texts, copies) = (memory.cast::<*const c_char>(), copy.cast::<*mut c_char>());
    for index in 0..count {
        // SAFETY: as this function's; NULL stays NULL.
        unsafe {
            let text = texts.add(index).read();
            let twin = if text.is_null() {
                ptr::null_mut()
            } else {
                libc::strdup(text)
            };
            if twin.is_null() != text.is_null() {
                return Err(Status::ENOMEM);
            }
            copies.add(index).write(twin);
        }
    }
    Ok(())
}

entries! {
    /// `nc_inq_type_equal`: whether two types are the same. Types that programs define are not served.
    fn frz_nc_inq_type_equal(
        ncid1: c_int, typeid1: c_int, ncid2: c_int, typeid2: c_int, equalp: *mut c_int,
    ) {
        table::with(ncid1, |_, _| types::describe(typeid1))?;
        table::with(ncid2, |_, _| types::describe(typeid2))?;
        store(equalp, c_int::from(typeid1 == typeid2));
        Ok(())
    }

    /// `nc_reclaim_data`: frees what values point to.
    fn frz_nc_reclaim_data(ncid: c_int, xtypeid: c_int, memory: *mut c_void, nelems: usize) {
        reclaim(ncid, xtypeid, memory, nelems)
    }

    /// `nc_reclaim_data_all`: frees values and what they point to.
    fn frz_nc_reclaim_data_all(ncid: c_int, xtypeid: c_int, memory: *mut c_void, nelems: usize) {
        reclaim(ncid, xtypeid, memory, nelems)?;
        libc::free(memory);
        Ok(())
    }

    /// `nc_copy_data`: copies values with what they point to.
    fn frz_nc_copy_data(
        ncid: c_int, xtypeid: c_int, memory: *const c_void, count: usize, copy: *mut c_void,
    ) {
        copy_values(ncid, xtypeid, memory, count, copy)
    }

    /// `nc_copy_data_all`: copies values with what they point to into new memory.
    fn frz_nc_copy_data_all(
        ncid: c_int, xtypeid: c_int, memory: *const c_void, count: usize, copyp: *mut *mut c_void,
    ) {
        let bytes = bytes_of(ncid, xtypeid, count)?;
        let copy = libc::calloc(bytes.max(1), 1);
        if copy.is_null() {
            return Err(Status::ENOMEM);
        }
        if let Err(status) = copy_values(ncid, xtypeid, memory, count, copy) {
            if xtypeid == STRING {
                // What was copied so far; the rest is NULL.
                let _ = reclaim(ncid, xtypeid, copy, count);
            }
            libc::free(copy);
            return Err(status);
        }
        store(copyp, copy);
        Ok(())
    }
}
