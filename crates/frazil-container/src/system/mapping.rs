//! Address space that stands for bytes held elsewhere.

use std::ffi::c_void;

use crate::error::{ContainerError, Result};

/// A readable range of addresses without memory behind it: reading gives zeros.
///
/// It is the sentinel for whole contiguous datasets, where libhdf5 might look at any byte.
#[derive(Debug)]
pub(crate) struct ZeroMapping {
    address: *mut c_void,
    bytes: usize,
}

impl ZeroMapping {
    /// Reserves `bytes` (not 0) of address space.
    pub(crate) fn new(bytes: usize) -> Result<Self> {
        // SAFETY: a fresh anonymous private mapping at an address of the system's choice.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            let error = std::io::Error::last_os_error();
            return Err(ContainerError::io("reserve address space", error));
        }
        Ok(Self { address, bytes })
    }

    pub(crate) fn as_ptr(&self) -> *const c_void {
        self.address
    }
}

impl Drop for ZeroMapping {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `new` mapped.
        unsafe { libc::munmap(self.address, self.bytes) };
    }
}
