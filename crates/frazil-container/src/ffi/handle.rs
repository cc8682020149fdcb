//! Owned libhdf5 identifiers, start-up, and errors copied out of libhdf5's error stack.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use hdf5_sys::h5::herr_t;
use hdf5_sys::h5e::{H5E_WALK_UPWARD, H5E_error2_t};
use hdf5_sys::h5i::hid_t;

use super::api::{Hdf5Api, table};
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::text;

/// `H5P_DEFAULT`, `H5S_ALL` and `H5E_DEFAULT` are all 0.
pub(super) const DEFAULT: hid_t = 0;

/// An owned libhdf5 identifier; its reference is given back on drop.
#[derive(Debug)]
pub(crate) struct Handle(hid_t);

impl Handle {
    /// The raw identifier, valid while the handle lives.
    pub(super) fn id(&self) -> hid_t {
        self.0
    }

    /// Gives the reference away.
    pub(super) fn into_raw(self) -> hid_t {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let _guard = library_lock();
        // SAFETY: the identifier was returned by libhdf5 with one reference that we own.
        let _remaining = unsafe { (table().H5Idec_ref)(self.0) };
    }
}

/// The function table, once libhdf5 is initialised and keeps its errors to itself.
pub(super) fn api() -> &'static Hdf5Api {
    static IS_STARTED: AtomicBool = AtomicBool::new(false);
    if !IS_STARTED.load(Ordering::Acquire) {
        // Under the library lock and no other: most callers hold it already, and forks wait for it.
        let _guard = library_lock();
        // SAFETY: H5open may be called any number of times; a null handler turns printing off.
        unsafe {
            (table().H5open)();
            (table().H5Eset_auto2)(DEFAULT, None, std::ptr::null_mut());
        }
        IS_STARTED.store(true, Ordering::Release);
    }
    table()
}

/// Takes ownership of an identifier that libhdf5 returned, or reports why there is none.
pub(super) fn own(id: hid_t, doing: &str) -> Result<Handle> {
    if id < 0 {
        Err(failure(doing))
    } else {
        Ok(Handle(id))
    }
}

/// Turns libhdf5's negative status into an error.
pub(super) fn check(status: herr_t, doing: &str) -> Result<()> {
    if status < 0 {
        Err(failure(doing))
    } else {
        Ok(())
    }
}

/// The error for an operation that libhdf5 refused, with the innermost frame of its stack.
pub(super) fn failure(doing: &str) -> ContainerError {
    ContainerError::Hdf5 {
        doing: doing.to_owned(),
        reason: take_error_stack(),
    }
}

/// The error for values that libhdf5 cannot read from a file that it has opened: they are damaged,
/// unless it lacks memory.
pub(super) fn damaged(error: ContainerError) -> ContainerError {
    match error {
        ContainerError::Hdf5 { doing, reason } if !reason.contains("alloc") => {
            ContainerError::Corrupt(format!("{doing}: {reason}"))
        }
        error => error,
    }
}

/// Copies the innermost messages out of the error stack and clears it.
pub(super) fn take_error_stack() -> String {
    extern "C" fn collect(_: c_uint, frame: *const H5E_error2_t, data: *mut c_void) -> herr_t {
        // SAFETY: libhdf5 passes a valid frame, and `data` is the vector given to H5Ewalk2 below.
        let (frame, frames) = unsafe { (&*frame, &mut *data.cast::<Vec<String>>()) };
        // The search for plugins ends at a folder that only the machine of the build has.
        let is_plugin_search = !frame.func_name.is_null() && {
            // SAFETY: `func_name` is a NUL-terminated string owned by the stack for this call.
            let function = unsafe { CStr::from_ptr(frame.func_name) };
            function.to_bytes().starts_with(b"H5PL")
        };
        if frames.len() < 2 && !is_plugin_search && !frame.desc.is_null() {
            // SAFETY: `desc` is a NUL-terminated string owned by the stack for this call.
            let text = unsafe { CStr::from_ptr(frame.desc) };
            frames.push(text.to_string_lossy().into_owned());
        }
        0
    }
    let _guard = library_lock();
    let mut frames: Vec<String> = Vec::new();
    let data: *mut Vec<String> = &raw mut frames;
    // SAFETY: the callback only lives for the call and gets a pointer to a live vector.
    unsafe {
        (table().H5Ewalk2)(DEFAULT, H5E_WALK_UPWARD, Some(collect), data.cast());
        (table().H5Eclear2)(DEFAULT);
    }
    frames.dedup();
    if frames.is_empty() {
        "libhdf5 gave no reason".to_owned()
    } else {
        frames.join("; ")
    }
}

/// A name as libhdf5 wants it.
pub(super) fn c_name(name: &str) -> Result<CString> {
    let bytes = text::to_bytes(name).and_then(|bytes| CString::new(bytes).ok());
    bytes.ok_or_else(|| ContainerError::InvalidName(name.to_owned()))
}

/// Reads a string through libhdf5's "length first, then buffer" convention.
///
/// `call` gets a buffer and its size and returns the length without the terminating NUL.
pub(super) fn read_name(
    doing: &str,
    mut call: impl FnMut(*mut c_char, usize) -> isize,
) -> Result<String> {
    let length = usize::try_from(call(std::ptr::null_mut(), 0)).map_err(|_| failure(doing))?;
    let mut buffer = vec![0_u8; length + 1];
    if call(buffer.as_mut_ptr().cast(), buffer.len()) < 0 {
        return Err(failure(doing));
    }
    Ok(text::from_buffer(&buffer))
}

/// The version of the libhdf5 behind the table, `2.2.0`.
pub(crate) fn library_version() -> String {
    let _guard = library_lock();
    let (mut major, mut minor, mut release) = (0, 0, 0);
    // SAFETY: three valid out-pointers.
    unsafe { (api().H5get_libversion)(&raw mut major, &raw mut minor, &raw mut release) };
    format!("{major}.{minor}.{release}")
}

/// Folders searched for foreign filter plugins.
pub(crate) fn plugin_path() -> Vec<String> {
    let _guard = library_lock();
    let mut count = 0;
    // SAFETY: a valid out-pointer.
    unsafe { (api().H5PLsize)(&raw mut count) };
    (0..count)
        .filter_map(|i| {
            // SAFETY: read_name passes a buffer of the size it states.
            read_name("read the plugin path", |buffer, size| unsafe {
                (api().H5PLget)(i, buffer, size)
            })
            .ok()
        })
        .collect()
}

/// A C boolean result: negative is an error.
pub(super) fn truth(value: c_int, doing: &str) -> Result<bool> {
    if value < 0 {
        Err(failure(doing))
    } else {
        Ok(value > 0)
    }
}
