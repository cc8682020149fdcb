//! Whether another program is writing a file, and how to keep it away while the file is replaced.
//!
//! Evidence is, in this order: the lock that libhdf5 takes when it writes; the file open for writing
//! on this machine, whatever locks are taken; and the flags that HDF5 files of superblock 3 have.
//! What no evidence can show are writers on other machines that take no locks.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use frazil_container::hdf5::WriterFlags;
use frazil_types::ErrorCode;
use rustix::fs::OFlags;

use crate::error::{Error, Result};

/// What shows that another program is writing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// It has the file open.
    Active {
        /// Whether it writes for readers that look on (SWMR).
        is_swmr: bool,
    },
    /// The file says so, but nobody on this machine has it open for writing.
    Gone {
        /// Whether it writes for readers that look on (SWMR).
        is_swmr: bool,
    },
    /// The file says so; whether anybody has it open cannot be told.
    Unknown {
        /// Whether it writes for readers that look on (SWMR).
        is_swmr: bool,
    },
}

impl Writer {
    /// Looks for a writer without disturbing it.
    pub fn of(file: &File) -> Option<Self> {
        Self::judge(file, is_open_for_writing(file))
    }

    fn judge(file: &File, is_open: Option<bool>) -> Option<Self> {
        // What cannot be read is told when it is read.
        let flags = WriterFlags::of(file).unwrap_or_default();
        let is_swmr = flags.is_swmr;
        match (is_open, flags.is_writing) {
            (Some(true), _) => Some(Self::Active { is_swmr }),
            (Some(false), true) => Some(Self::Gone { is_swmr }),
            (None, true) => Some(Self::Unknown { is_swmr }),
            (_, false) => None,
        }
    }

    /// What the user should know, without the file's name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Active { is_swmr: false } => "another program has it open for writing",
            Self::Active { is_swmr: true } => {
                "another program is writing it (single writer, multiple readers)"
            }
            Self::Gone { is_swmr: false } => {
                "it is marked as open for writing, but no process on this machine is writing it: \
                 its writer died, or runs on another machine"
            }
            Self::Gone { is_swmr: true } => {
                "it is marked as open for SWMR writing, but no process on this machine is \
                 writing it: its writer died, or runs on another machine"
            }
            Self::Unknown { .. } => {
                "it is marked as open for writing: its writer is active, or died"
            }
        }
    }

    /// One line for the user of a command that only reads the file.
    pub fn notice(self, path: &Path) -> String {
        let (path, words) = (path.display(), self.words());
        match self {
            Self::Active { is_swmr: true } => {
                format!("{path}: {words}; frazil reads what it holds at this moment")
            }
            Self::Active { is_swmr: false } => {
                format!("{path}: {words}; frazil does not read what comes later")
            }
            Self::Gone { .. } | Self::Unknown { .. } => format!(
                "{path}: {words}; frazil reads what it holds. If no writer is left, `h5clear -s \
                 --increment=0` removes the mark"
            ),
        }
    }

    /// What to do about a file that cannot be read, or not replaced, because of this.
    pub fn cure(self, path: &Path) -> String {
        let clear = format!("h5clear -s --increment=0 {}", path.display());
        match self {
            Self::Active { .. } => "try again when the other program has closed it".to_owned(),
            Self::Gone { .. } | Self::Unknown { .. } => {
                format!("when no program writes it any more, remove the mark: {clear}")
            }
        }
    }

    /// The refusal to replace the file.
    fn refusal(self, path: &Path) -> Error {
        let cause = format!("{}, so frazil does not replace it", self.words());
        Error::new(ErrorCode::Locked, cause)
            .in_file(path)
            .with_cure(self.cure(path))
    }
}

/// Whether a program of this machine has the file open for writing; `None`: nobody can tell.
pub fn is_open_for_writing(file: &File) -> Option<bool> {
    match has_leases(file) {
        true => frazil_container::is_open_for_writing(file),
        false => None,
    }
}

/// As [`is_open_for_writing`]; where the system does not tell, of the processes whose files may be
/// looked at.
pub(crate) fn is_written(file: &File) -> Option<bool> {
    is_open_for_writing(file).or_else(|| processes::any_writes(file))
}

/// Keeps writers that take locks away from a file, and gives them way when it goes: a shared lock,
/// which libhdf5's readers may hold as well.
///
/// # Errors
/// [`ErrorCode::Locked`] if a program is writing the file, or the file says so.
pub(crate) fn keep_away(file: &File, path: &Path) -> Result<()> {
    if let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
        let is_swmr = WriterFlags::of(file).is_ok_and(|flags| flags.is_swmr);
        return Err(Writer::Active { is_swmr }.refusal(path));
    }
    match Writer::judge(file, is_written(file)) {
        Some(writer) => Err(writer.refusal(path)),
        None => Ok(()),
    }
}

/// Refuses to replace a file that another program is writing at this moment.
///
/// # Errors
/// [`ErrorCode::Locked`] if one is.
pub(crate) fn refuse_active(path: &Path) -> Result<()> {
    // What is not there, or may not be read, is replaced; so is a link.
    let Ok(file) = open_quietly(path) else {
        return Ok(());
    };
    match Writer::of(&file) {
        Some(writer @ Writer::Active { .. }) => Err(writer.refusal(path)),
        _ => Ok(()),
    }
}

/// Opens a file for a look: follows no link and waits for nobody.
pub(crate) fn open_quietly(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    File::options()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// Whether the kernel's answer about writers means what it says: on network file systems it may mean
/// that this machine does not know.
#[cfg(target_os = "linux")]
fn has_leases(file: &File) -> bool {
    /// ext2 to ext4, XFS, btrfs, tmpfs, ramfs, overlayfs, F2FS, ZFS, bcachefs, FAT, exFAT.
    const LOCAL: [u32; 11] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0x8584_58F6,
        0x794C_7630,
        0xF2F5_2010,
        0x2FC1_2FC1,
        0xCA45_1A4E,
        0x4D44,
        0x2011_BAB0,
    ];
    let found = rustix::fs::fstatfs(file);
    // The magic numbers have 32 bits, whatever the machine stores them in.
    found.is_ok_and(|found| LOCAL.contains(&(found.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn has_leases(_file: &File) -> bool {
    false
}

/// The open files of other processes, where Linux shows them.
#[cfg(target_os = "linux")]
mod processes {
    use std::fs::{DirEntry, read_dir, read_to_string};

    use std::os::unix::fs::MetadataExt;

    use super::File;

    /// Whether a process whose files may be looked at has this one open for writing: the user's own
    /// ones, all for the superuser. `None`: none has; one that may not be looked at might.
    pub(super) fn any_writes(file: &File) -> Option<bool> {
        let wanted = file.metadata().ok()?;
        let is_wanted = |entry: &DirEntry| {
            let found = std::fs::metadata(entry.path());
            found.is_ok_and(|it| (it.dev(), it.ino()) == (wanted.dev(), wanted.ino()))
        };
        for process in read_dir("/proc").ok()?.flatten() {
            let folder = process.path();
            let Ok(files) = read_dir(folder.join("fd")) else {
                continue;
            };
            let mut found = files.flatten().filter(is_wanted);
            if found.any(|entry| {
                let facts = folder.join("fdinfo").join(entry.file_name());
                read_to_string(facts).is_ok_and(|facts| is_for_writing(&facts))
            }) {
                return Some(true);
            }
        }
        None
    }

    /// Whether a file's facts in /proc say that it is open for writing.
    pub(super) fn is_for_writing(facts: &str) -> bool {
        const ACCESS_MODE: u32 = 0o3;
        let flags = facts.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & ACCESS_MODE != 0)
    }
}

#[cfg(not(target_os = "linux"))]
mod processes {
    pub(super) fn any_writes(_file: &super::File) -> Option<bool> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_open_for_writing_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        std::fs::write(&path, b"content").unwrap();
        let file = File::open(&path).unwrap();
        keep_away(&file, &path).unwrap();
        file.unlock().unwrap();
        let writer = File::options().write(true).open(&path).unwrap();
        writer.try_lock().unwrap();
        let refused = keep_away(&file, &path).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Locked);
        writer.unlock().unwrap();
        // As a writer that takes no locks.
        if cfg!(target_os = "linux") {
            assert_eq!(keep_away(&file, &path).unwrap_err().code, ErrorCode::Locked);
            assert_eq!(processes::any_writes(&file), Some(true));
        }
        drop(writer);
        keep_away(&file, &path).unwrap();
        assert!(Writer::of(&file).is_none());
    }

    #[test]
    fn a_writer_is_kept_away_by_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        std::fs::write(&path, b"content").unwrap();
        let file = File::open(&path).unwrap();
        keep_away(&file, &path).unwrap();
        let other = File::options().write(true).open(&path).unwrap();
        assert!(other.try_lock().is_err() && other.try_lock_shared().is_ok());
        drop(file);
        assert!(other.try_lock().is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_facts_of_an_open_file_tell_readers_from_writers() {
        let facts = |flags: &str| format!("pos:\t0\nflags:\t{flags}\nmnt_id:\t30\n");
        assert!(processes::is_for_writing(&facts("0100002")));
        assert!(processes::is_for_writing(&facts("0100001")));
        assert!(!processes::is_for_writing(&facts("0100000")));
        assert!(!processes::is_for_writing(""));
    }
}
