//! `recover`: brings a file whose writer was killed back to its last commit.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use frazil_container::ContainerError;
use frazil_container::beside;
use frazil_container::hdf5::{self, Recovery};
use frazil_types::ErrorCode;
use serde::Serialize;

use crate::error::{Error, Result, guarded};
use crate::input::Input;
use crate::name_lock::NameLock;
use crate::storage_error::from_container;

/// What recovering found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoverOutcome {
    /// Nothing was left behind: the file is at its last commit.
    Clean,
    /// What a commit that had not been decided left behind is removed.
    Discarded,
    /// A commit that had been decided is complete now.
    Completed,
    /// The data of a commit are gone: the file is at the commit before.
    TakenBack,
}

/// The result of recovering one file.
#[derive(Debug, Clone, Serialize)]
pub struct RecoverReport {
    /// The file.
    #[serde(serialize_with = "crate::wording::lossy")]
    pub path: PathBuf,
    /// What was found and done.
    pub outcome: RecoverOutcome,
}

/// Brings a file back to its last commit after its writer was killed, and removes what the writer
/// left beside it. A file without a journal is left as it is. If there is no file yet, what a killed
/// writer began is removed.
///
/// # Errors
/// Those of [`Input::open`] if nothing was left behind, the file had a commit, and it cannot be read;
/// [`ErrorCode::Locked`] if its writer is alive;
/// [`ErrorCode::PermissionDenied`] if the journal may be somebody else's;
/// [`ErrorCode::Corrupt`] if the journal is damaged or others
/// changed the file since: then nothing is changed.
pub fn recover(path: &Path) -> Result<RecoverReport> {
    guarded(path, || {
        let found = match path.metadata() {
            Err(_) if has_only_begun(path)? => return Ok(report(path, RecoverOutcome::Discarded)),
            found => found.map_err(|error| Error::io(&error, "inspect", path))?,
        };
        if !found.is_file() {
            return Err(Error::new(ErrorCode::InvalidArgument, "not a regular file").in_file(path));
        }
        let target = beside::followed(path).map_err(|error| Error::io(&error, "open", path))?;
        let left = NameLock::take_left_behind(&target)?;
        let outcome = match bring_in_order(path)? {
            Recovery::Clean if left.is_some_and(|left| left.has_cleaned()) => {
                RecoverOutcome::Discarded
            }
            Recovery::Clean => {
                // A file that is damaged, or is none of those that frazil reads, is at no commit.
                if !holds_no_commit(path) {
                    Input::open(path)?;
                }
                RecoverOutcome::Clean
            }
            Recovery::Discarded => RecoverOutcome::Discarded,
            Recovery::Completed => RecoverOutcome::Completed,
            Recovery::TakenBack => RecoverOutcome::TakenBack,
        };
        Ok(report(path, outcome))
    })
}

fn report(path: &Path, outcome: RecoverOutcome) -> RecoverReport {
    RecoverReport {
        path: path.to_owned(),
        outcome,
    }
}

/// Whether a killed writer left only temporary files of a file that is not there yet; they are removed.
fn has_only_begun(path: &Path) -> Result<bool> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let left = NameLock::take_left_behind(path)?;
    Ok(left.is_some_and(|left| left.has_cleaned()))
}

/// Whether a file is what a writer leaves that was killed before its first commit: empty, or with zeros
/// where a commit writes HDF5's signature.
#[must_use]
pub fn holds_no_commit(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && begin.iter().all(|&byte| byte == 0)
}

/// Recovers a file that is opened to write if there is anything to recover.
///
/// # Errors
/// If another process writes the file, or its journal is damaged.
pub fn bring_in_order(path: &Path) -> Result<Recovery> {
    hdf5::recover(path).map_err(|error| explain(error, path))
}

/// Why a file was not recovered.
pub fn explain(error: ContainerError, path: &Path) -> Error {
    let cure = match &error {
        ContainerError::Untrusted(_) => {
            "remove the journal if it is not the file's; else have the user who wrote the file \
             recover it"
        }
        ContainerError::Corrupt(_) => "keep the journal until the file is known to be whole",
        _ => return from_container(error, path),
    };
    let mut error = from_container(error, path);
    error.cure = Some(cure.to_owned());
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A file of netCDF's classic format without content.
    const EMPTY: &[u8] = b"CDF\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

    #[test]
    fn a_file_without_journal_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        assert_eq!(recover(&file).unwrap_err().code, ErrorCode::NotFound);
        fs::write(&file, EMPTY).unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Clean);
        assert_eq!(fs::read(&file).unwrap(), EMPTY);
    }

    #[test]
    fn what_cannot_be_read_is_at_no_commit() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        for bytes in [b"a text".as_slice(), &EMPTY[..20]] {
            fs::write(&file, bytes).unwrap();
            let why = Input::open(&file).err().map(|error| error.code);
            assert_eq!(recover(&file).err().map(|error| error.code), why);
            assert!(why.is_some());
        }
        for bytes in [b"".as_slice(), &[0; 100]] {
            fs::write(&file, bytes).unwrap();
            assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Clean);
        }
    }

    #[test]
    fn the_lock_of_a_killed_writer_goes_that_of_a_living_one_stays() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        let lock = directory.path().join(".a.nc.frazil-lock");
        fs::write(&file, EMPTY).unwrap();
        let writer = NameLock::take(&file).unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Clean);
        assert!(lock.exists());
        drop(writer);
        assert!(!lock.exists());
        // As the end of a process leaves it: nobody holds it any more.
        fs::write(&lock, b"").unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Clean);
        assert!(!lock.exists());
    }

    #[test]
    fn what_was_begun_of_a_file_that_is_not_there_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        let begun = beside::temporary_path(&file, &beside::word()).unwrap();
        fs::write(&begun, b"half a file").unwrap();
        let noted = format!("{}\n", begun.file_name().unwrap().display());
        fs::write(directory.path().join(".a.nc.frazil-lock"), noted).unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Discarded);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        assert_eq!(recover(&file).unwrap_err().code, ErrorCode::NotFound);
    }

    #[test]
    fn an_undecided_commit_is_discarded_and_a_damaged_journal_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        let journal = directory.path().join("a.nc.frazil-journal");
        let unsealed = beside::temporary_path(&file, &beside::word()).unwrap();
        fs::write(&file, b"anything").unwrap();
        // A lock that nobody holds any more notes what its holder was writing.
        let noted = format!("{}\n", unsealed.file_name().unwrap().display());
        fs::write(directory.path().join(".a.nc.frazil-lock"), noted).unwrap();
        fs::write(&unsealed, b"half a journal").unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Discarded);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        fs::write(&journal, b"no journal").unwrap();
        let error = recover(&file).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt);
        assert!(journal.exists() && fs::read(&file).unwrap() == b"anything");
    }
}
