//! `recover`: brings a file whose writer was killed back to its last commit. Who only reads a file is
//! told what lies beside it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use frazil_container::ContainerError;
use frazil_container::beside;
use frazil_container::hdf5::{self, LeftBeside, Recovery};
use frazil_types::ErrorCode;
use serde::Serialize;

use crate::error::{Error, Result, guarded};
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
/// [`ErrorCode::PermissionDenied`] if the journal may be somebody else's;
/// [`ErrorCode::Corrupt`] if the journal is damaged or others
/// changed the file since: then nothing is changed.
pub fn recover(path: &Path) -> Result<RecoverReport> {
    guarded(path, || {
        let found = path.metadata();
        let found = found.map_err(|error| Error::io(&error, "inspect", path))?;
        if !found.is_file() {
            return Err(Error::new(ErrorCode::InvalidArgument, "not a regular file").in_file(path));
        }
        let target = beside::followed(path).map_err(|error| Error::io(&error, "open", path))?;
        let left = NameLock::take_left_behind(&target)?;
        let outcome = match bring_in_order(path)? {
            Recovery::Clean if left.is_some_and(|left| left.has_cleaned()) => {
                RecoverOutcome::Discarded
            }
            Recovery::Clean => RecoverOutcome::Clean,
            Recovery::Discarded => RecoverOutcome::Discarded,
            Recovery::Completed => RecoverOutcome::Completed,
            Recovery::TakenBack => RecoverOutcome::TakenBack,
        };
        Ok(RecoverReport {
            path: path.to_owned(),
            outcome,
        })
    })
}

/// Recovers a file that is opened to write if there is anything to recover.
pub(crate) fn bring_in_order(path: &Path) -> Result<Recovery> {
    hdf5::recover(path).map_err(|error| explain(error, path))
}

/// Why a file was not recovered.
pub(crate) fn explain(error: ContainerError, path: &Path) -> Error {
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

/// A commit beside a file that is opened to read, as far as its user must know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftCommit {
    /// What is said of it.
    pub(crate) notice: String,
    /// Whether the file lacks something without it, or will be changed by it.
    pub(crate) is_of_the_file: bool,
}

/// Looks at the journal beside a file that is opened to read. It is neither applied nor touched: the
/// file is read as it is, which is at a whole commit.
///
/// # Errors
/// [`ErrorCode::Corrupt`] if only a part of the commit is in the file.
pub(crate) fn look_beside(path: &Path) -> Result<Option<LeftCommit>> {
    /// A writer that is at work removes the journal when the commit is complete.
    const PATIENCE: Duration = Duration::from_millis(200);
    let begin = Instant::now();
    loop {
        let found = hdf5::left_beside(path).map_err(|error| from_container(error, path))?;
        if found == LeftBeside::Nothing {
            return Ok(None);
        }
        let may_change = !matches!(found, LeftBeside::Ignored { .. });
        if !may_change || begin.elapsed() > PATIENCE {
            return tell(found, path);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn tell(found: LeftBeside, path: &Path) -> Result<Option<LeftCommit>> {
    let (notice, is_of_the_file) = match found {
        LeftBeside::Nothing => return Ok(None),
        LeftBeside::Ignored { journal, reason } => {
            let notice = format!(
                "{} means nothing and is ignored: {reason}",
                journal.display()
            );
            (notice, false)
        }
        LeftBeside::Damaged { journal } => {
            let notice = format!(
                "a commit to it was left unfinished, and its journal is damaged ({}): what is read \
                 may mix two states; if you know that the file is whole, remove the journal",
                journal.display()
            );
            (notice, true)
        }
        LeftBeside::Whole {
            journal,
            is_applied,
        } => {
            let state = match is_applied {
                true => "after that commit",
                false => "before that commit",
            };
            let notice = format!(
                "a commit to it is under way or was left unfinished ({}); it is read as it was \
                 {state}; if no program is writing it, run `frazil recover {}`",
                journal.display(),
                path.display()
            );
            (notice, true)
        }
        LeftBeside::HalfWay { journal } => {
            let cause = format!(
                "only a part of a commit is in the file, as {} shows: what is read would mix two \
                 states",
                journal.display()
            );
            let cure = format!(
                "read it again when its writer has gone on; if that was killed, run `frazil \
                 recover {}`",
                path.display()
            );
            return Err(Error::new(ErrorCode::Corrupt, cause)
                .in_file(path)
                .with_cure(cure));
        }
    };
    Ok(Some(LeftCommit {
        notice: format!("{}: {notice}", path.display()),
        is_of_the_file,
    }))
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
