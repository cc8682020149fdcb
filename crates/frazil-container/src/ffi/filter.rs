//! Filters in libhdf5's eyes: plugins found, and stand-ins for filters nobody has.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint, c_void};

use parking_lot::Mutex;

use hdf5_sys::h5z::H5Z_class2_t;

use super::handle::{api, check, truth};
use crate::error::Result;
use crate::lock::library_lock;

/// Filters below this number are libhdf5's own and cannot be registered.
const FIRST_FOREIGN_FILTER: i32 = 256;

/// Filters that only have a stand-in. Locked under the library lock only, as forks ask for.
static STAND_INS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Whether libhdf5 has a filter, built in or as a plugin on its path.
pub(crate) fn is_available(id: i32) -> Result<bool> {
    let _guard = library_lock();
    if STAND_INS.lock().contains(&id) {
        return Ok(false);
    }
    // SAFETY: any number may be asked for.
    truth(unsafe { (api().H5Zfilter_avail)(id) }, "look for filter")
}

/// Refuses to work: stands for a filter whose chunks are copied undecoded.
unsafe extern "C" fn refuse(
    _flags: c_uint,
    _cd_nelmts: usize,
    _cd_values: *const c_uint,
    _nbytes: usize,
    _buf_size: *mut usize,
    _buf: *mut *mut c_void,
) -> usize {
    0
}

/// Makes libhdf5 accept datasets with this filter: their chunks arrive encoded, so that the filter
/// itself is never called. Filters that libhdf5 has already are left as they are.
pub(crate) fn accept_encoded(id: i32) -> Result<()> {
    let _guard = library_lock();
    if id < FIRST_FOREIGN_FILTER || STAND_INS.lock().contains(&id) || is_available(id)? {
        return Ok(());
    }
    let class = H5Z_class2_t {
        version: 1,
        id: c_int::from(id),
        encoder_present: 1,
        decoder_present: 1,
        name: c"stored by another program".as_ptr(),
        can_apply: None,
        set_local: None,
        filter: Some(refuse),
    };
    let pointer: *const H5Z_class2_t = &raw const class;
    // SAFETY: a complete class; libhdf5 copies it, and its name is static.
    let status = unsafe { (api().H5Zregister)(pointer.cast()) };
    check(status, "register filter")?;
    STAND_INS.lock().insert(id);
    Ok(())
}
