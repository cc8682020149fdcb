//! Filters in libhdf5's eyes: plugins found, and stand-ins for filters that it does not have.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_int, c_uint};

use frazil_types::sync::Mutex;
use frazil_types::{FilterPipeline, FilterSpec, filter_id, filter_name};

use hdf5_sys::h5z::H5Z_class2_t;

use super::handle::{api, c_name, check, truth};
use crate::error::Result;
use crate::lock::library_lock;

/// Filters below this number are libhdf5's own and cannot be registered.
const FIRST_FOREIGN_FILTER: i32 = 256;

/// Filters that have a stand-in. Locked under the library lock only, as forks ask for.
static STAND_INS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Filters that libhdf5 was found to have, so that somebody reads through them. Locked as above.
static IN_USE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Whether libhdf5 has a filter, built in or as a plugin on its path.
pub(crate) fn is_available(id: i32) -> Result<bool> {
    let _guard = library_lock();
    if STAND_INS.lock().contains(&id) {
        return Ok(false);
    }
    // SAFETY: any number may be asked for.
    let is_available = truth(unsafe { (api().H5Zfilter_avail)(id) }, "look for filter")?;
    if is_available {
        IN_USE.lock().insert(id);
    }
    Ok(is_available)
}

/// While it lives, libhdf5 loads no filter plugins.
///
/// szip has a number of libhdf5's own, so that no stand-in can be there before a plugin is looked
/// for: libhdf5, built without szip, would take one from `HDF5_PLUGIN_PATH` and let it change the
/// values that chunks were encoded with.
pub(super) struct WithoutPlugins {
    /// What was loaded before; `None`: nothing was changed.
    before: Option<c_uint>,
}

impl WithoutPlugins {
    /// For a dataset with these filters. The library lock must be held as long as it lives.
    pub(super) fn for_filters(pipeline: &FilterPipeline) -> Self {
        /// `H5PL_FILTER_PLUGIN`.
        const FILTERS: c_uint = 1;
        let mut flags = 0;
        // SAFETY: a valid out-pointer.
        let is_known = unsafe { (api().H5PLget_loading_state)(&raw mut flags) } >= 0;
        let before = (pipeline.contains(filter_id::SZIP) && is_known).then_some(flags);
        if before.is_some() {
            // SAFETY: any flags may be set. A process that allows no plugins at all refuses, and
            // loads none anyway.
            unsafe { (api().H5PLset_loading_state)(flags & !FILTERS) };
        }
        Self { before }
    }
}

impl Drop for WithoutPlugins {
    fn drop(&mut self) {
        if let Some(flags) = self.before {
            // SAFETY: what was set before.
            unsafe { (api().H5PLset_loading_state)(flags) };
        }
    }
}

/// The name that files give the filter: the one it had in its input, or the usual one. It stays for
/// the life of the process, once for each filter.
fn name_of(spec: &FilterSpec) -> &'static CStr {
    let name = c_name(&spec.name).ok();
    let name = name.filter(|name| !name.is_empty());
    let usual = || filter_name(spec.id).and_then(|name| CString::new(name).ok());
    match name.or_else(usual) {
        Some(name) => Box::leak(name.into_boxed_c_str()),
        None => c"stored by another program",
    }
}

/// Whether libhdf5 can undo a filter: by itself, through a plugin, or with the codec's help.
pub(crate) fn can_decode(spec: &FilterSpec) -> Result<bool> {
    if super::filter_decoder::knows(spec.id) {
        accept_encoded(spec)?;
        return Ok(true);
    }
    is_available(spec.id)
}

/// Makes libhdf5 accept datasets with this filter, and decode their chunks if the codec can: chunks
/// arrive encoded, so that nothing is ever encoded by it.
///
/// The stand-in is there before libhdf5 looks for a plugin: a plugin's `set_local` would change the
/// values that the chunks were encoded with, and many call another libhdf5 than this one and fail.
/// Only filters that something is read through are left as they are.
pub(crate) fn accept_encoded(spec: &FilterSpec) -> Result<()> {
    let id = spec.id;
    let _guard = library_lock();
    let is_known = STAND_INS.lock().contains(&id) || IN_USE.lock().contains(&id);
    let is_builtin = id < FIRST_FOREIGN_FILTER && id != filter_id::SZIP;
    if is_builtin || is_known {
        return Ok(());
    }
    let class = H5Z_class2_t {
        version: 1,
        id: c_int::from(id),
        encoder_present: 1,
        decoder_present: 1,
        name: name_of(spec).as_ptr(),
        can_apply: None,
        set_local: None,
        filter: Some(super::filter_decoder::function_for(id)),
    };
    let pointer: *const H5Z_class2_t = &raw const class;
    // SAFETY: a complete class; libhdf5 copies it, and its name is static.
    let status = unsafe {
        match id {
            filter_id::SZIP => (api().H5Z_register)(pointer.cast()),
            _ => (api().H5Zregister)(pointer.cast()),
        }
    };
    check(status, "register filter")?;
    STAND_INS.lock().insert(id);
    Ok(())
}
