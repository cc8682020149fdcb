//! Space on disk for bytes that are written later.

use std::fs::File;
use std::io;

/// Allocates the blocks behind a range of a file without changing its bytes or its length; does
/// nothing where the file system has no such call.
#[cfg(target_os = "linux")]
pub(crate) fn reserve(file: &File, address: u64, bytes: u64) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let (Ok(start), Ok(length)) = (i64::try_from(address), i64::try_from(bytes)) else {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    };
    if length == 0 {
        return Ok(());
    }
    loop {
        // SAFETY: an open file descriptor and plain numbers.
        let status = unsafe {
            libc::fallocate64(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, start, length)
        };
        if status == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::EOPNOTSUPP | libc::ENOSYS) => return Ok(()),
            _ => return Err(error),
        }
    }
}

/// There is no such call here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn reserve(_file: &File, _address: u64, _bytes: u64) -> io::Result<()> {
    Ok(())
}
