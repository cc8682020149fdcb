//! `recover`: brings a file whose writer was killed back to its last commit.

use std::path::{Path, PathBuf};

use frazil_container::hdf5::{self, Recovery};
use frazil_types::ErrorCode;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::input::from_container;
use crate::output::NameLock;
use crate::repack::guarded;

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
    #[serde(serialize_with = "crate::report::lossy")]
    pub path: PathBuf,
    /// What was found and done.
    pub outcome: RecoverOutcome,
}

/// Brings a file back to its last commit after its writer was killed, and removes what the writer
/// left beside it. A file without a journal is left as it is.
///
/// # Errors
/// [`ErrorCode::Locked`] if its writer is alive;
/// [`ErrorCode::Corrupt`] if the journal is damaged or others
/// changed the file since: then nothing is changed.
pub fn recover(path: &Path) -> Result<RecoverReport> {
    guarded(path, || {
        path.metadata()
            .map_err(|error| Error::io(&error, "inspect", path))?;
        let outcome = match bring_in_order(path)? {
            Recovery::Clean => RecoverOutcome::Clean,
            Recovery::Discarded => RecoverOutcome::Discarded,
            Recovery::Completed => RecoverOutcome::Completed,
            Recovery::TakenBack => RecoverOutcome::TakenBack,
        };
        NameLock::remove_left_behind(path)?;
        Ok(RecoverReport {
            path: path.to_owned(),
            outcome,
        })
    })
}

/// Recovers a file if there is anything to recover.
pub(crate) fn bring_in_order(path: &Path) -> Result<Recovery> {
    hdf5::recover(path).map_err(|error| {
        let mut error = from_container(error, path);
        if error.code == ErrorCode::Corrupt {
            error.cure = Some("keep the journal until the file is known to be whole".to_owned());
        }
        error
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_without_journal_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        assert_eq!(recover(&file).unwrap_err().code, ErrorCode::NotFound);
        fs::write(&file, b"anything").unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Clean);
        assert_eq!(fs::read(&file).unwrap(), b"anything");
    }

    #[test]
    fn the_lock_of_a_killed_writer_goes_that_of_a_living_one_stays() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        let lock = directory.path().join(".a.nc.frazil-lock");
        fs::write(&file, b"anything").unwrap();
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
    fn an_undecided_commit_is_discarded_and_a_damaged_journal_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.nc");
        let beside = |suffix: &str| {
            directory
                .path()
                .join(format!("a.nc.frazil-journal{suffix}"))
        };
        fs::write(&file, b"anything").unwrap();
        fs::write(beside("-part"), b"half a journal").unwrap();
        assert_eq!(recover(&file).unwrap().outcome, RecoverOutcome::Discarded);
        assert!(!beside("-part").exists());
        fs::write(beside(""), b"no journal").unwrap();
        let error = recover(&file).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt);
        assert!(beside("").exists() && fs::read(&file).unwrap() == b"anything");
    }
}
