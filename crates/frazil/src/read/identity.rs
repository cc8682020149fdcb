//! What tells one state of a file from another.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use crate::error::{Error, Result};

/// Bytes at the beginning of the format's part that change with every commit that moves the end of
/// the file: HDF5's superblock, the header of classic files with the number of records.
const MARK_BYTES: usize = 96;

/// One state of a file: which file, how long, when changed, and the mark that commits leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    mark: [u8; MARK_BYTES],
}

impl Identity {
    /// The state of the file that `path` leads to now; if it leads nowhere any more, of `file`,
    /// which is open. `mark_at`: where the format's part begins.
    pub(super) fn now(path: &Path, file: &File, mark_at: u64) -> Result<Self> {
        let metadata = std::fs::metadata(path)
            .or_else(|_| file.metadata())
            .map_err(|error| Error::io(&error, "inspect", path))?;
        Ok(Self::new(&metadata, file, mark_at))
    }

    /// Whether metadata of an earlier moment fit this state.
    pub(super) fn is_of(&self, metadata: &Metadata) -> bool {
        (self.device, self.inode, self.bytes) == (metadata.dev(), metadata.ino(), metadata.size())
            && self.modified == (metadata.mtime(), metadata.mtime_nsec())
    }

    fn new(metadata: &Metadata, file: &File, mark_at: u64) -> Self {
        let mut mark = [0; MARK_BYTES];
        let mut done = 0;
        while let Some(rest) = mark.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, mark_at + done as u64) {
                Ok(n) if n > 0 => done += n,
                // Shorter files are told apart by their length; errors will come again.
                _ => break,
            }
        }
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            mark,
        }
    }
}
