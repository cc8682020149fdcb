//! The system calls of a commit, in one place, so that tests can make each of them fail.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

#[cfg(test)]
use super::faults;

/// The file that commits change.
#[derive(Debug)]
pub(super) struct Disk(File);

/// What tells a file from another of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl Disk {
    pub(super) fn new(file: File) -> Self {
        Self(file)
    }

    /// Lets other writers at the file; also where libhdf5 fails to close it.
    pub(super) fn unlock(&self) {
        // Best effort: where this fails there are no locks.
        let _ = self.0.unlock();
    }

    pub(super) fn identity(&self) -> io::Result<Identity> {
        let metadata = self.0.metadata()?;
        Ok(Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    pub(super) fn bytes(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Reads; bytes past the end of the file are zero.
    pub(super) fn read(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match self.0.read_at(&mut buffer[done..], address + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        buffer[done..].fill(0);
        Ok(())
    }

    pub(super) fn write(&self, bytes: &[u8], address: u64) -> io::Result<()> {
        #[cfg(test)]
        faults::on_write(bytes, |part| self.0.write_all_at(part, address))?;
        self.0.write_all_at(bytes, address)
    }

    pub(super) fn set_bytes(&self, bytes: u64) -> io::Result<()> {
        #[cfg(test)]
        faults::on_call()?;
        self.0.set_len(bytes)
    }

    /// Makes sure that writing to this range cannot run out of space, where the file system can
    /// promise that.
    pub(super) fn reserve(&self, address: u64, bytes: u64) -> io::Result<()> {
        #[cfg(test)]
        faults::on_call()?;
        crate::ffi::reserve(&self.0, address, bytes)
    }

    /// Waits until all bytes and the length are on the medium.
    pub(super) fn sync(&self) -> io::Result<()> {
        #[cfg(test)]
        faults::on_call()?;
        self.0.sync_data()
    }
}

/// Writes a whole new file.
pub(super) fn write_file(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    #[cfg(test)]
    faults::on_write(bytes, |part| std::fs::write(path, part))?;
    std::fs::write(path, bytes)?;
    if sync {
        #[cfg(test)]
        faults::on_call()?;
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

/// Writes behind the end of a file that exists.
pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call()?;
    File::options().append(true).open(path)?.write_all(bytes)
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call()?;
    std::fs::rename(from, to)
}

/// Removes a file if there is one.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call()?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Waits until a file's name is on the medium.
pub(super) fn sync_directory_of(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call()?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
