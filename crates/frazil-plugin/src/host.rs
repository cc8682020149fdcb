//! The libhdf5 that loaded the plugin, without being linked to it.
//!
//! Programs link libhdf5 in many ways: as a global library, inside a Python wheel, statically. It is
//! looked for among the global symbols and then in the libraries of the process whose name says
//! libhdf5. Where several are loaded, only one that knows all three handles of a call can be the
//! caller; if that does not single one out, the values stay as they are.

#![allow(
    unsafe_code,
    reason = "calls functions of libhdf5 through pointers that the loader found"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

/// `H5I_type_t`.
const DATATYPE: c_int = 3;
const DATASPACE: c_int = 4;
const PROPERTY_LIST: [c_int; 3] = [9, 10, 11];

type Handle = i64;

/// What plugins need of libhdf5 (1.10 or newer: handles of 64 bits).
pub(crate) struct Host {
    handle_type: unsafe extern "C" fn(Handle) -> c_int,
    get_filter: unsafe extern "C" fn(
        Handle,
        c_int,
        *mut c_uint,
        *mut usize,
        *mut c_uint,
        usize,
        *mut c_char,
        *mut c_uint,
    ) -> c_int,
    modify_filter: unsafe extern "C" fn(Handle, c_int, c_uint, usize, *const c_uint) -> c_int,
    get_chunk: unsafe extern "C" fn(Handle, c_int, *mut u64) -> c_int,
    type_size: unsafe extern "C" fn(Handle) -> usize,
    type_class: unsafe extern "C" fn(Handle) -> c_int,
    type_order: unsafe extern "C" fn(Handle) -> c_int,
    type_sign: unsafe extern "C" fn(Handle) -> c_int,
}

/// A function of a library by its name.
///
/// # Safety
/// `F` must be the function's type.
unsafe fn function<F: Copy>(library: *mut c_void, name: &CStr) -> Option<F> {
    // SAFETY: any library and name may be asked for.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: a function pointer has the size of a data pointer here, and the caller knows its type.
    (!found.is_null()).then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&found) })
}

impl Host {
    /// The functions of one library, if it has all of them.
    fn in_library(library: *mut c_void) -> Option<Self> {
        // SAFETY: types as in HDF5's headers since 1.10.
        unsafe {
            Some(Self {
                handle_type: function(library, c"H5Iget_type")?,
                get_filter: function(library, c"H5Pget_filter_by_id2")?,
                modify_filter: function(library, c"H5Pmodify_filter")?,
                get_chunk: function(library, c"H5Pget_chunk")?,
                type_size: function(library, c"H5Tget_size")?,
                type_class: function(library, c"H5Tget_class")?,
                type_order: function(library, c"H5Tget_order")?,
                type_sign: function(library, c"H5Tget_sign")?,
            })
        }
    }

    /// The library that made these three handles.
    pub(crate) fn of(dcpl: Handle, datatype: Handle, space: Handle) -> Option<Self> {
        let mut libraries = vec![libc::RTLD_DEFAULT];
        libraries.extend(loaded().iter().filter_map(|path| {
            let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
            // SAFETY: only a library that is loaded is opened once more; it is never closed, since
            // it is the one that loaded this plugin.
            let library = unsafe { libc::dlopen(path.as_ptr(), flags) };
            (!library.is_null()).then_some(library)
        }));
        let mut found: Option<Self> = None;
        for host in libraries.into_iter().filter_map(Self::in_library) {
            // SAFETY: H5Iget_type may be asked about any number.
            let kind = |handle| unsafe { (host.handle_type)(handle) };
            let knows_all = PROPERTY_LIST.contains(&kind(dcpl))
                && kind(datatype) == DATATYPE
                && kind(space) == DATASPACE;
            match &found {
                Some(one) if knows_all && !one.is(&host) => return None,
                None if knows_all => found = Some(host),
                _ => {}
            }
        }
        found
    }

    fn is(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.get_filter, other.get_filter)
    }

    /// Flags and client data values of a filter in a creation property list.
    pub(crate) fn filter(&self, dcpl: Handle, id: i32) -> Option<(u32, Vec<u32>)> {
        let mut values = vec![0; 64];
        let (mut flags, mut count) = (0, values.len());
        // SAFETY: room for as many values as is said; no name and no configuration are asked for.
        let status = unsafe {
            (self.get_filter)(
                dcpl,
                id,
                &raw mut flags,
                &raw mut count,
                values.as_mut_ptr(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        values.truncate(count);
        (status >= 0).then_some((flags, values))
    }

    /// Sets the client data values of a filter.
    pub(crate) fn set_filter(&self, dcpl: Handle, id: i32, flags: u32, values: &[u32]) -> bool {
        // SAFETY: as many values as is said.
        unsafe { (self.modify_filter)(dcpl, id, flags, values.len(), values.as_ptr()) >= 0 }
    }

    /// The chunk's shape.
    pub(crate) fn chunk(&self, dcpl: Handle) -> Option<Vec<u64>> {
        let mut chunk = vec![0; 32];
        // SAFETY: room for as many axes as is said.
        let rank = unsafe { (self.get_chunk)(dcpl, 32, chunk.as_mut_ptr()) };
        chunk.truncate(usize::try_from(rank).ok()?);
        Some(chunk)
    }

    /// Size in bytes, class, byte order and sign of a type, in libhdf5's numbers.
    pub(crate) fn element(&self, datatype: Handle) -> (usize, c_int, c_int, c_int) {
        // SAFETY: a type of this library; the answers for types without order or sign are errors
        // that are only numbers here.
        unsafe {
            let class = (self.type_class)(datatype);
            let is_number = class == 0 || class == 1;
            (
                (self.type_size)(datatype),
                class,
                if is_number {
                    (self.type_order)(datatype)
                } else {
                    -1
                },
                if class == 0 {
                    (self.type_sign)(datatype)
                } else {
                    -1
                },
            )
        }
    }
}

/// Paths of the loaded libraries that are some libhdf5, or belong to one and lead to it.
fn loaded() -> Vec<CString> {
    unsafe extern "C" fn note(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        found: *mut c_void,
    ) -> c_int {
        // SAFETY: `found` is the vector below; the loader's structure and name are valid here.
        unsafe {
            let name = (*info).dlpi_name;
            if !name.is_null() {
                let path = CStr::from_ptr(name);
                let file = path.to_bytes().rsplit(|&byte| byte == b'/').next();
                let file = file.unwrap_or_default();
                if file.starts_with(b"libhdf5") {
                    (*found.cast::<Vec<CString>>()).push(path.to_owned());
                }
            }
        }
        0
    }
    let mut found: Vec<CString> = Vec::new();
    // SAFETY: the callback gets the vector and does not keep it; it does not unwind but for want of
    // memory.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut found).cast()) };
    found
}
