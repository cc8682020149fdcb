//! A lock among frazil's writers of one file, whatever name each of them knows it by.

use std::fs::File;
use std::io;

/// File systems of one machine, by what `statfs` calls them: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs.
/// There locks on whole files, which readers take, and locks on ranges do not meet.
#[cfg(target_os = "linux")]
const LOCAL: [u32; 8] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0x794C_7630,
    0x2FC1_2FC1,
    0xF2F5_2010,
    0xCA45_1A4E,
];

/// Whether a file lies where a lock on a range keeps nobody away but who takes one, too.
#[cfg(target_os = "linux")]
pub(crate) fn has_locks_on_ranges(file: &File) -> bool {
    use std::os::fd::AsRawFd;

    let mut found = std::mem::MaybeUninit::<libc::statfs64>::zeroed();
    // SAFETY: an open file descriptor and room for the answer.
    let status = unsafe { libc::fstatfs64(file.as_raw_fd(), found.as_mut_ptr()) };
    // SAFETY: zeros are an answer, too.
    let kind = unsafe { found.assume_init() }.f_type;
    // Kinds have 32 bits, whatever their sign in a longer number.
    status == 0 && LOCAL.contains(&(kind as u32))
}

/// There are no such locks here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn has_locks_on_ranges(_file: &File) -> bool {
    false
}

/// Locks a byte that no file has, as long as `file` is open; `false` if another writer holds it.
#[cfg(target_os = "linux")]
pub(crate) fn lock_as_writer(file: &File) -> io::Result<bool> {
    use std::os::fd::AsRawFd;

    // SAFETY: plain numbers, all of which may be zero.
    let mut wanted: libc::flock64 = unsafe { std::mem::zeroed() };
    wanted.l_type = libc::F_WRLCK as libc::c_short;
    wanted.l_whence = libc::SEEK_SET as libc::c_short;
    wanted.l_start = i64::MAX - 1;
    wanted.l_len = 1;
    // SAFETY: an open file descriptor and a valid description of a lock.
    let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const wanted) };
    if status == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::EACCES) => Ok(false),
        _ => Err(error),
    }
}

/// There is no such lock here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lock_as_writer(_file: &File) -> io::Result<bool> {
    Ok(true)
}
