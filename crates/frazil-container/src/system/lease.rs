//! Whether somebody has a file open for writing, as the kernel knows it.

use std::fs::File;

/// Whether any program of this machine, this one included, has the file open for writing. `None`:
/// the kernel does not tell, because the file system or the file's owner does not allow the question.
///
/// The question is a read lease, which the kernel refuses while a writer is there. It is given back
/// at once: who opens the file for writing in between waits that long. On network file systems a
/// refusal means other things; ask for files of local ones only. `file` must be open for reading only.
#[cfg(target_os = "linux")]
pub(crate) fn is_open_for_writing(file: &File) -> Option<bool> {
    use std::os::fd::AsRawFd;

    // Linux's number on every machine but PA-RISC; the libc crate has no name for it.
    const F_SETSIG: libc::c_int = 10;
    let descriptor = file.as_raw_fd();
    // A lease that is in somebody's way is told by a signal. By default that is SIGIO, which ends
    // the process; SIGURG is ignored unless the program wants it.
    // SAFETY: an open file descriptor and plain numbers.
    let told = unsafe { libc::fcntl(descriptor, F_SETSIG, libc::SIGURG) };
    if told < 0 {
        return None;
    }
    // SAFETY: as above.
    let taken = unsafe { libc::fcntl(descriptor, libc::F_SETLEASE, libc::F_RDLCK) };
    if taken == 0 {
        // SAFETY: as above. It cannot fail for a lease that is held.
        unsafe { libc::fcntl(descriptor, libc::F_SETLEASE, libc::F_UNLCK) };
        return Some(false);
    }
    let refusal = std::io::Error::last_os_error().raw_os_error();
    (refusal == Some(libc::EAGAIN)).then_some(true)
}

/// There is no such call here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_open_for_writing(_file: &File) -> Option<bool> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_writer_is_seen_as_long_as_it_has_the_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"bytes").unwrap();
        let file = File::open(&path).unwrap();
        let Some(before) = is_open_for_writing(&file) else {
            // A file system without leases.
            return;
        };
        assert!(!before);
        let writer = File::options().append(true).open(&path).unwrap();
        assert_eq!(is_open_for_writing(&file), Some(true));
        let reader = File::open(&path).unwrap();
        drop(writer);
        assert_eq!(is_open_for_writing(&file), Some(false));
        drop(reader);
    }
}
