//! libfrazil_mpi, where a linker has left it out: with `--as-needed`, the default of some systems, it
//! keeps a shared library only if the program names one of its symbols, and Fortran programs name none.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const LIBRARY: &CStr = c"libfrazil_mpi.so";
const REGISTER: &CStr = c"frz_mpi_register";

/// Has what knows MPI make itself known, if it is in the program or beside libfrazil.
pub(crate) fn find() {
    // SAFETY: names that a NUL ends; RTLD_DEFAULT is no library of ours to keep.
    let mut register = unsafe { libc::dlsym(libc::RTLD_DEFAULT, REGISTER.as_ptr()) };
    if register.is_null() {
        let library = beside_ours().map_or_else(std::ptr::null_mut, |path| load(&path));
        let library = match library.is_null() {
            true => load(LIBRARY),
            false => library,
        };
        if library.is_null() {
            return;
        }
        // SAFETY: a library that was loaded, and is never unloaded.
        register = unsafe { libc::dlsym(library, REGISTER.as_ptr()) };
    }
    if register.is_null() {
        return;
    }
    // SAFETY: the function of this name takes and returns nothing (frazil_mpi.h).
    unsafe { std::mem::transmute::<*mut c_void, extern "C" fn()>(register)() };
}

/// Everything is resolved at once: a library that does not fit is not loaded.
fn load(path: &CStr) -> *mut c_void {
    // SAFETY: a path that a NUL ends. What the library does when it is loaded is to register.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) }
}

/// Where it is installed: beside libfrazil.
fn beside_ours() -> Option<CString> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address in this library; the structure is written where the call returns not 0.
    let name = unsafe {
        if libc::dladdr(find as *const c_void, found.as_mut_ptr()) == 0 {
            return None;
        }
        let name = found.assume_init().dli_fname;
        if name.is_null() {
            return None;
        }
        CStr::from_ptr(name)
    };
    let ours = Path::new(OsStr::from_bytes(name.to_bytes()));
    let path = ours.parent()?.join(OsStr::from_bytes(LIBRARY.to_bytes()));
    let is_there = path.is_absolute() && path.is_file();
    CString::new(path.as_os_str().as_bytes())
        .ok()
        .filter(|_| is_there)
}
