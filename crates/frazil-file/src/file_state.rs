//! What tells one state of a file from another.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Times of change that are closer together may be the same to the file system, and a writer sets
/// the time before its bytes are there.
const QUIET: Duration = Duration::from_millis(20);
/// As [`QUIET`], where times are whole seconds.
const QUIET_SECONDS: Duration = Duration::from_millis(1020);
/// As [`QUIET`], while a program has the file open for writing: it may be between two writes.
const QUIET_WRITER: Duration = Duration::from_millis(200);

/// One state of a file: which file, how long, and when changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds of the last change of its bytes.
    modified: (i64, i64),
    /// As `modified`, of its bytes or of anything else about it.
    changed: (i64, i64),
    /// What may change beside the bytes: mode, owner, group, number of names.
    others: (u32, u32, u32, u64),
}

impl FileState {
    /// The state that metadata tell of.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            others: (
                metadata.mode(),
                metadata.uid(),
                metadata.gid(),
                metadata.nlink(),
            ),
        }
    }

    /// Whether it is the same file, in whatever state.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Whether the file held the same bytes in both states. A new mode, owner or name sets the time
    /// of change, but not that of the bytes.
    pub fn has_same_bytes(&self, other: &Self) -> bool {
        self.is_same_file(other)
            && self.bytes == other.bytes
            && self.modified == other.modified
            && (self.changed == other.changed || self.others != other.others)
    }

    /// As [`Self::has_same_bytes`], where a rename explains a new time of change.
    pub fn has_same_bytes_renamed(&self, other: &Self) -> bool {
        self.is_same_file(other) && self.bytes == other.bytes && self.modified == other.modified
    }

    /// How long to wait until a later change is certain to leave another state than this one.
    pub fn settles_in(&self, has_writer: impl FnOnce() -> bool) -> Option<Duration> {
        let (seconds, nanoseconds) = self.modified;
        let since_epoch = Duration::new(seconds.try_into().ok()?, nanoseconds.try_into().ok()?);
        let modified = SystemTime::UNIX_EPOCH.checked_add(since_epoch)?;
        // A time that lies ahead was not set by a write of this moment.
        let age = modified.elapsed().ok()?;
        let needed = match nanoseconds {
            0 => QUIET_SECONDS,
            _ if age < QUIET_WRITER && has_writer() => QUIET_WRITER,
            _ => QUIET,
        };
        needed.checked_sub(age).filter(|rest| !rest.is_zero())
    }
}

/// The state of an open file once its last change is no news any more; waits for that a moment, but
/// not for a file that goes on changing.
///
/// # Errors
/// If the file cannot be inspected.
pub fn settled(file: &File) -> std::io::Result<FileState> {
    let state = FileState::of(&file.metadata()?);
    let Some(rest) = state.settles_in(|| false) else {
        return Ok(state);
    };
    std::thread::sleep(rest);
    Ok(FileState::of(&file.metadata()?))
}

/// The state of what has this name now, a symbolic link itself included; `None`: nothing has.
pub(crate) fn of_name(path: &Path) -> Option<FileState> {
    let metadata = path.symlink_metadata().ok()?;
    Some(FileState::of(&metadata))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn state(path: &Path) -> FileState {
        of_name(path).unwrap()
    }

    #[test]
    fn a_new_mode_or_name_is_no_change_of_the_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"bytes").unwrap();
        let before = state(&path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::hard_link(&path, folder.path().join("b")).unwrap();
        assert!(before.has_same_bytes(&state(&path)) && before != state(&path));
        fs::rename(&path, folder.path().join("c")).unwrap();
        assert!(before.has_same_bytes_renamed(&state(&folder.path().join("c"))));
    }

    #[test]
    fn other_bytes_are_another_state_whatever_the_time_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"bytes").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        let before = settled(&file).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        fs::write(&path, b"other").unwrap();
        file.set_modified(time).unwrap();
        assert!(!before.has_same_bytes(&state(&path)));
    }

    #[test]
    fn only_a_fresh_state_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"bytes").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        let now = SystemTime::now();
        assert!(state(&path).settles_in(|| true).is_some());
        file.set_modified(now - Duration::from_secs(5)).unwrap();
        assert_eq!(state(&path).settles_in(|| true), None);
        file.set_modified(now + Duration::from_secs(500)).unwrap();
        assert_eq!(state(&path).settles_in(|| true), None);
    }
}
