//! What a writer left beside a file, or has there: a commit that is not complete. Who only reads the file is
//! told of it.

use std::path::Path;
use std::time::{Duration, Instant};

use frazil_container::hdf5::{self, LeftBeside};
use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::name_lock;
use crate::storage_error::from_container;

/// A commit beside a file that is opened to read, as far as its user must know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftCommit {
    /// What is said of it.
    pub notice: String,
    /// Whether the file lacks something without it, or will be changed by it.
    pub is_of_the_file: bool,
}

/// Looks at the journal beside a file that is opened to read. It is neither applied nor touched: the
/// file is read as it is, which is at a whole commit.
///
/// # Errors
/// [`ErrorCode::Corrupt`] if only a part of the commit is in the file.
pub fn look_beside(path: &Path) -> Result<Option<LeftCommit>> {
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
                "{} is not valid and is ignored: {reason}",
                journal.display()
            );
            (notice, false)
        }
        LeftBeside::Damaged { journal } => {
            let notice = format!(
                "a commit to it is unfinished, and its journal is damaged ({}), so the values \
                 read may mix two states; if you know that the file is complete, remove the \
                 journal",
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
                "the file holds only a part of a commit, as {} shows, so the values read would \
                 mix two states",
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

/// Whether a writer of frazil has the file open, or left it in the middle of a commit.
pub fn is_being_written(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    name_lock::is_noted(&path)
        || hdf5::left_beside(&path).is_ok_and(|left| left != LeftBeside::Nothing)
}
