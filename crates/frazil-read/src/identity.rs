//! What tells one state of a file from another.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use frazil_file::error::{Error, Result};
use frazil_file::file_state::FileState;
use frazil_file::other_writers::is_open_for_writing;

/// Bytes at the beginning of the format's part that change with every commit that moves the end of
/// the file: HDF5's superblock, the header of classic files with the number of records.
const MARK_BYTES: usize = 96;

/// One state of a file: which file, how long, when changed, and the mark that commits leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    state: FileState,
    mark: [u8; MARK_BYTES],
}

impl Identity {
    /// That state of `file`, whose format's part begins at `mark_at`.
    pub(super) fn new(state: FileState, file: &File, mark_at: u64) -> Self {
        Self {
            state,
            mark: mark(file, mark_at),
        }
    }

    /// Whether `file`, which is open, is in this state still. It may have lost its name, for good or to
    /// another file, unless something `goes_by_name`.
    pub(super) fn is_current(
        &self,
        path: &Path,
        file: &File,
        mark_at: u64,
        goes_by_name: impl FnOnce() -> bool,
    ) -> Result<bool> {
        let named = std::fs::metadata(path).map(|named| FileState::of(&named));
        let same = match named {
            Ok(named) if self.state.is_same_file(&named) => self.state.has_same_bytes(&named),
            Ok(_) if goes_by_name() => false,
            _ => {
                let open = file.metadata();
                let open = open.map_err(|error| Error::io(&error, "inspect", path))?;
                self.state.has_same_bytes_renamed(&FileState::of(&open))
            }
        };
        Ok(same && mark(file, mark_at) == self.mark)
    }

    /// Whether `path` still leads to this file, in whatever state.
    pub(super) fn is_same_file(&self, path: &Path) -> bool {
        let named = std::fs::metadata(path);
        named.is_ok_and(|named| self.state.is_same_file(&FileState::of(&named)))
    }

    /// How long to wait until a change that comes later cannot leave the same state.
    pub(super) fn settles_in(&self, file: &File) -> Option<Duration> {
        self.state
            .settles_in(|| is_open_for_writing(file) == Some(true))
    }
}

/// The bytes that tell one commit from another.
fn mark(file: &File, at: u64) -> [u8; MARK_BYTES] {
    let mut mark = [0; MARK_BYTES];
    let mut done = 0;
    while let Some(rest) = mark.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + done as u64) {
            Ok(n) if n > 0 => done += n,
            // Shorter files are told apart by their length; errors will come again.
            _ => break,
        }
    }
    mark
}
