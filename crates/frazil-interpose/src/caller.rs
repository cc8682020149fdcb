//! Who makes a call, and what the linker would have given to it.

use std::ffi::{CStr, CString, c_void};
use std::ptr;

/// The file that code is from: a library, or the program itself.
pub struct Caller {
    /// Its path, as the linker has it.
    pub file: CString,
    /// Where it begins in memory.
    pub base: usize,
}

impl Caller {
    /// The file with the code at `address`.
    #[must_use]
    pub fn of(address: usize) -> Option<Self> {
        let mut found = libc::Dl_info {
            dli_fname: ptr::null(),
            dli_fbase: ptr::null_mut(),
            dli_sname: ptr::null(),
            dli_saddr: ptr::null_mut(),
        };
        // SAFETY: any address may be asked for.
        let status = unsafe { libc::dladdr(address as *const c_void, &raw mut found) };
        if status == 0 || found.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the linker's text lives as long as what is loaded there, which is running.
        let file = unsafe { CStr::from_ptr(found.dli_fname) }.to_owned();
        Some(Self {
            file,
            base: found.dli_fbase as usize,
        })
    }

    /// What is loaded as this file; `None`: it is no library, but the program itself.
    #[must_use]
    pub fn handle(&self) -> Option<Handle> {
        // SAFETY: nothing is loaded that is not there already.
        let handle =
            unsafe { libc::dlopen(self.file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then_some(Handle(handle))
    }
}

/// Something that the linker finds names in.
pub struct Handle(*mut c_void);

// SAFETY: a handle of `dlopen` may be used by any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// What the linker finds after the library that asks.
    #[must_use]
    pub fn next() -> Self {
        Self(libc::RTLD_NEXT)
    }

    /// Loads a library, none of whose names come into the program's sight.
    ///
    /// # Errors
    /// The linker's words.
    pub fn load(file: &CStr) -> Result<Self, String> {
        // SAFETY: constructors of the library are its own affair: the caller names one of ours.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        match handle.is_null() {
            true => Err(last_error()),
            false => Ok(Self(handle)),
        }
    }

    /// The address of a name.
    #[must_use]
    pub fn symbol(&self, name: &CStr) -> Option<usize> {
        // SAFETY: the handle is open or the linker's own.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address as usize)
    }
}

fn last_error() -> String {
    // SAFETY: the text is this thread's until its next call of the linker.
    let text = unsafe { libc::dlerror() };
    match text.is_null() {
        true => "unknown error of the dynamic linker".to_owned(),
        // SAFETY: not NULL, and ends with a NUL.
        false => unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned(),
    }
}
