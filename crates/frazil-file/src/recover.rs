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
use crate::other_writers;
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
    /// Bytes behind the last commit, which no reader saw, that were removed.
    pub removed_bytes: u64,
    /// Such bytes that stayed: no killed writer of frazil left them, another program may be writing
    /// there, or the file cannot be changed.
    pub remaining_bytes: u64,
}

/// Brings a file back to its last commit after its writer was killed, and removes what the writer
/// left beside it and behind that commit. If there is no file yet, what a killed writer began is
/// removed.
///
/// Bytes behind the commit stay if a program has the file open, or may have it open for writing. They
/// stay as well where no killed writer of frazil left them: another tool may mend the file with them.
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
            Err(_) if has_only_begun(path)? => {
                return Ok(report(path, RecoverOutcome::Discarded, Trailing::default()));
            }
            found => found.map_err(|error| Error::io(&error, "inspect", path))?,
        };
        if !found.is_file() {
            return Err(not_a_file(path, found.is_dir()));
        }
        let target = beside::followed(path).map_err(|error| Error::io(&error, "open", path))?;
        let left = NameLock::take_left_behind(&target)?;
        let has_cleaned = left.as_ref().is_some_and(NameLock::has_cleaned);
        let recovery = bring_in_order(path)?;
        if recovery == Recovery::Clean && !has_cleaned && !holds_no_commit(path) {
            // A file that is damaged, or is none of those that frazil reads, is at no commit.
            Input::open(path)?;
        }
        let is_ours = left.is_some() || recovery != Recovery::Clean;
        let trailing = match is_ours {
            true => cut_trailing(path, &target, left),
            false => kept_trailing(path),
        };
        let outcome = match recovery {
            Recovery::Clean if has_cleaned || trailing.removed > 0 => RecoverOutcome::Discarded,
            Recovery::Clean => RecoverOutcome::Clean,
            Recovery::Discarded => RecoverOutcome::Discarded,
            Recovery::Completed => RecoverOutcome::Completed,
            Recovery::TakenBack => RecoverOutcome::TakenBack,
        };
        Ok(report(path, outcome, trailing))
    })
}

fn not_a_file(path: &Path, is_folder: bool) -> Error {
    let cause = match is_folder {
        true => "is a folder, not a regular file",
        false => "not a regular file",
    };
    let error = Error::new(ErrorCode::InvalidArgument, cause).in_file(path);
    match is_folder {
        true => error.with_cure(
            "name its files; beside one whose writer was killed lies .NAME.frazil-lock or \
             NAME.frazil-journal",
        ),
        false => error,
    }
}

fn report(path: &Path, outcome: RecoverOutcome, trailing: Trailing) -> RecoverReport {
    RecoverReport {
        path: path.to_owned(),
        outcome,
        removed_bytes: trailing.removed,
        remaining_bytes: trailing.remaining,
    }
}

/// Bytes behind the last commit.
#[derive(Debug, Clone, Copy, Default)]
struct Trailing {
    removed: u64,
    remaining: u64,
}

/// What lies behind the last commit, if it stays. What is no HDF5 file has nothing there.
fn kept_trailing(path: &Path) -> Trailing {
    Trailing {
        removed: 0,
        remaining: hdf5::trailing_bytes(path).unwrap_or(0),
    }
}

/// Cuts off what lies behind the last commit, unless somebody may be writing there. `left` is the lock
/// that a killed writer left: it stays if those bytes stay.
fn cut_trailing(path: &Path, target: &Path, left: Option<NameLock>) -> Trailing {
    let kept = kept_trailing(path);
    if kept.remaining == 0 {
        return kept;
    }
    let was_killed = left.is_some();
    // Keeps frazil's writers away until the file is cut.
    let Ok(lock) = left.map_or_else(|| NameLock::take(target), Ok) else {
        return kept;
    };
    let cut = match has_no_writer(path, was_killed) {
        true => hdf5::cut_trailing(path).ok().flatten(),
        false => None,
    };
    match cut {
        Some(removed) => Trailing {
            removed,
            remaining: 0,
        },
        None => {
            if was_killed {
                lock.leave();
            }
            kept
        }
    }
}

/// Whether nobody writes the file, also without locks. Where the system cannot tell, only a lock says so
/// that a killed writer left.
fn has_no_writer(path: &Path, was_killed: bool) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    !other_writers::is_written(&file).unwrap_or(!was_killed)
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
    let is_blank = read.is_ok() && begin.iter().all(|&byte| byte == 0);
    // A blank user block may lie before HDF5's signature.
    is_blank && hdf5::trailing_bytes(path).is_err()
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

    /// A file of frazil with bytes behind its end.
    fn with_trailing_bytes(folder: &Path) -> PathBuf {
        let path = folder.join("a.nc");
        fs::write(&path, b"").unwrap();
        let output = hdf5::LiveOutput::create_empty(&path, false, 4096).unwrap();
        output.finish(false).unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [whole, vec![7; 1000]].concat()).unwrap();
        leave_lock(folder);
        path
    }

    /// Leaves the lock of a killed writer: nobody holds it any more.
    fn leave_lock(folder: &Path) {
        fs::write(folder.join(".a.nc.frazil-lock"), b"").unwrap();
    }

    #[test]
    fn a_folder_is_none_of_the_files_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let error = recover(directory.path()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.cure.unwrap().contains("name its files"));
    }

    #[test]
    fn bytes_behind_the_last_commit_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = with_trailing_bytes(directory.path());
        let bytes = fs::metadata(&path).unwrap().len();
        let found = recover(&path).unwrap();
        assert_eq!(found.outcome, RecoverOutcome::Discarded);
        assert_eq!((found.removed_bytes, found.remaining_bytes), (1000, 0));
        assert_eq!(fs::metadata(&path).unwrap().len(), bytes - 1000);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        let again = recover(&path).unwrap();
        assert_eq!(again.outcome, RecoverOutcome::Clean);
        assert_eq!((again.removed_bytes, again.remaining_bytes), (0, 0));
    }

    #[test]
    fn bytes_that_no_writer_of_frazil_left_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = with_trailing_bytes(directory.path());
        fs::remove_file(directory.path().join(".a.nc.frazil-lock")).unwrap();
        let before = fs::read(&path).unwrap();
        let found = recover(&path).unwrap();
        assert_eq!(found.outcome, RecoverOutcome::Clean);
        assert_eq!((found.removed_bytes, found.remaining_bytes), (0, 1000));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn bytes_behind_the_last_commit_stay_while_somebody_may_write_them() {
        let directory = tempfile::tempdir().unwrap();
        let path = with_trailing_bytes(directory.path());
        let stay = || {
            let found = recover(&path).unwrap();
            assert_eq!(found.outcome, RecoverOutcome::Clean);
            assert_eq!((found.removed_bytes, found.remaining_bytes), (0, 1000));
        };
        // A writer of frazil, a program that takes HDF5's lock, and one that takes none.
        let writer = NameLock::take(&path).unwrap();
        stay();
        drop(writer);
        leave_lock(directory.path());
        let reader = File::open(&path).unwrap();
        reader.lock_shared().unwrap();
        stay();
        drop(reader);
        if cfg!(target_os = "linux") {
            let writer = File::options().write(true).open(&path).unwrap();
            stay();
            drop(writer);
        }
        assert_eq!(recover(&path).unwrap().removed_bytes, 1000);
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
