//! The system calls of a commit, in one place, so that tests can make each of them fail.

use std::fs::{File, Metadata, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, fchown};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::beside::{create_private, open_regular};
use crate::system;

#[cfg(test)]
use super::faults::{self, Event};

/// The file that commits change.
#[derive(Debug)]
pub(super) struct Disk(File);

/// What tells a file from another of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// Who else may have a file open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    Readers,
    Nobody,
}

/// A program that starts another one has its files open twice for a moment, locks included, until that one is
/// there: whoever opens them again at once waits for it.
const PATIENCE: Duration = Duration::from_millis(500);

impl Disk {
    /// Opens a regular file for reading and writing, and keeps others away; `None` if one is there
    /// that may not be. Where the file system has no locks, all are let in.
    pub(super) fn open(path: &Path, others: Others) -> io::Result<Option<Self>> {
        let disk = Self(open_regular(path, File::options().read(true).write(true))?);
        let deadline = Instant::now() + PATIENCE;
        loop {
            if disk.keeps_away(others)? {
                return Ok(Some(disk));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            thread::sleep(PATIENCE / 50);
        }
    }

    /// Takes the locks, if nobody is there that may not be.
    fn keeps_away(&self, others: Others) -> io::Result<bool> {
        let locked = match others {
            Others::Readers => self.0.try_lock_shared(),
            Others::Nobody => self.0.try_lock(),
        };
        Ok(!matches!(locked, Err(TryLockError::WouldBlock)) && self.is_ours_to_write()?)
    }

    /// Whether no other writer knows the file by another name; one of the same name is kept away by a lock
    /// beside it. On network file systems a lock on a range may keep readers away: there only files are
    /// locked that have several names by now.
    fn is_ours_to_write(&self) -> io::Result<bool> {
        let wants_lock = system::has_locks_on_ranges(&self.0) || self.0.metadata()?.nlink() > 1;
        // Where there are no such locks, all are let in.
        Ok(!wants_lock || system::lock_as_writer(&self.0).unwrap_or(true))
    }

    /// Opens a regular file to look at it, whoever else has it open.
    pub(super) fn open_to_read(path: &Path) -> io::Result<Self> {
        open_regular(path, File::options().read(true)).map(Self)
    }

    /// Lets others at the file, also where libhdf5 fails to close it.
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

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
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
        faults::on_write(bytes, address, |part| self.0.write_all_at(part, address))?;
        self.0.write_all_at(bytes, address)
    }

    pub(super) fn set_bytes(&self, bytes: u64) -> io::Result<()> {
        #[cfg(test)]
        faults::on_call(|| Event::SetBytes(bytes))?;
        self.0.set_len(bytes)
    }

    /// Makes sure that writing to this range cannot run out of space, where the file system can
    /// promise that.
    pub(super) fn reserve(&self, address: u64, bytes: u64) -> io::Result<()> {
        #[cfg(test)]
        faults::on_call(|| Event::Reserve)?;
        system::reserve(&self.0, address, bytes)
    }

    /// Waits until all bytes and the length are on the medium.
    pub(super) fn sync(&self) -> io::Result<()> {
        #[cfg(test)]
        faults::on_call(|| Event::Sync)?;
        self.0.sync_data()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Closing is not enough while a child process that was just forked holds the file too.
        self.unlock();
    }
}

/// Who may read a data file beside its owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Readers {
    pub(super) group: u32,
    /// The permissions of the data file.
    pub(super) mode: u32,
}

impl Readers {
    pub(super) fn of(data: &Metadata) -> Self {
        Self {
            group: data.gid(),
            mode: data.mode(),
        }
    }

    /// Lets them read a file of ours too, and nobody but us write it.
    fn admit(self, file: &File) -> io::Result<()> {
        let mut mode = 0o600 | self.mode & 0o044;
        if file.metadata()?.gid() != self.group && fchown(file, None, Some(self.group)).is_err() {
            mode &= !0o040;
        }
        file.set_permissions(Permissions::from_mode(mode))
    }
}

/// A journal being written, with the checksum of what it holds so far.
#[derive(Debug)]
pub(super) struct NewJournal {
    file: BufWriter<File>,
    checksum: crc32fast::Hasher,
}

impl NewJournal {
    /// Begins an empty file where there is nothing.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        #[cfg(test)]
        faults::on_call(|| Event::CreateJournal)?;
        Ok(Self {
            file: BufWriter::new(create_private(path)?),
            checksum: crc32fast::Hasher::new(),
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.file.write_all(bytes)
    }

    /// Ends with the checksum, and lets readers of the data file in; with `sync` it is waited for.
    pub(super) fn finish(mut self, readers: Readers, sync: bool) -> io::Result<()> {
        let checksum = self.checksum.finalize();
        self.file.write_all(&checksum.to_le_bytes())?;
        #[cfg(test)]
        faults::on_call(|| Event::EndJournal)?;
        self.file.flush()?;
        readers.admit(self.file.get_ref())?;
        if sync {
            #[cfg(test)]
            faults::on_call(|| Event::SyncJournal)?;
            self.file.get_ref().sync_all()?;
        }
        Ok(())
    }
}

/// Writes behind the end of a file that exists.
pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call(|| Event::MarkJournal)?;
    open_regular(path, File::options().append(true))?.write_all(bytes)
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call(|| Event::NameJournal(std::fs::read(from).unwrap_or_default()))?;
    std::fs::rename(from, to)
}

/// Removes a name if there is one, not what it leads to.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call(|| Event::RemoveJournal)?;
    match std::fs::remove_file(path) {
        Err(error) if !is_nothing_there(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Whether an error says that no file has the name, or that none can.
pub(super) fn is_nothing_there(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename
    )
}

/// Waits until a file's name is on the medium.
pub(super) fn sync_directory_of(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    faults::on_call(|| Event::SyncDirectory)?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
