//! What a writer that ended in the middle of a commit left behind is brought in order.

use std::path::Path;

use super::disk::{self, Disk, Others};
use super::journal::{Journal, JournalPath, Survey};
use crate::error::{ContainerError, Result};

/// What [`recover`] found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing was left behind: the file is at its last commit.
    Clean,
    /// A commit had not been decided, or others changed the file before any of it was applied;
    /// what was left of it is removed. The file is at the commit before.
    Discarded,
    /// A commit had been decided; it is complete now.
    Completed,
    /// A commit had been decided, but its data are gone (another program has cut the file); the
    /// file is at the commit before.
    TakenBack,
}

/// Brings a file back to its last commit after its writer was killed.
///
/// Its own lock keeps a writer that is alive away; do not call it while holding a lock on the file.
///
/// # Errors
/// [`ContainerError::Locked`] if the file is open in another program;
/// [`ContainerError::Corrupt`] if the journal is damaged, or others changed the file since: then
/// nothing is changed. System errors otherwise; recovering may be tried again.
pub fn recover(path: &Path) -> Result<Recovery> {
    let journal = JournalPath::of(path);
    if !journal.sealed.exists() && !journal.unsealed.exists() {
        return Ok(Recovery::Clean);
    }
    let wrap = |error| ContainerError::io(format!("recover {}", path.display()), error);
    let Some(disk) = Disk::open(path, Others::Nobody).map_err(wrap)? else {
        return Err(ContainerError::Locked(format!(
            "{} is open in another program; recover it when that has ended",
            path.display()
        )));
    };
    disk::remove(&journal.unsealed).map_err(wrap)?;
    let bytes = match std::fs::read(&journal.sealed) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Recovery::Discarded);
        }
        Err(error) => return Err(wrap(error)),
    };
    let (sealed, is_applied) =
        Journal::decode(&bytes).ok_or_else(|| refuse(&journal, "the journal is damaged"))?;
    let recovery = replay(&disk, &sealed, is_applied, &journal)?;
    disk.sync().map_err(wrap)?;
    disk::remove(&journal.sealed).map_err(wrap)?;
    disk::sync_directory_of(&journal.sealed).map_err(wrap)?;
    Ok(recovery)
}

/// Removes what a killed writer left beside a file that another file has taken the place of.
///
/// # Errors
/// If a journal cannot be removed.
pub fn forget_journal(path: &Path) -> Result<()> {
    let journal = JournalPath::of(path);
    let wrap =
        |error| ContainerError::io(format!("remove the journal of {}", path.display()), error);
    disk::remove(&journal.unsealed).map_err(wrap)?;
    disk::remove(&journal.sealed).map_err(wrap)
}

/// Brings the file to the new state if all of its data are there, else to the old one.
fn replay(disk: &Disk, sealed: &Journal, is_applied: bool, path: &JournalPath) -> Result<Recovery> {
    let wrap = |error| ContainerError::io("recover", error);
    // A device's number may change when the machine starts again: only the inode must agree.
    if disk.identity().map_err(wrap)?.inode != sealed.file.inode {
        return Err(refuse(path, "the journal is of another file"));
    }
    let mut survey = Survey::default();
    for change in &sealed.changes {
        change.look(disk, &mut survey).map_err(wrap)?;
    }
    if let Some(address) = survey.foreign {
        return match survey {
            // Others changed the file as it was before the commit, or after it: both are whole.
            Survey {
                old: true,
                new: false,
                torn: false,
                ..
            } => Ok(Recovery::Discarded),
            Survey {
                old: false,
                torn: false,
                ..
            } if is_applied => Ok(Recovery::Completed),
            _ => {
                let reason = format!("another program has changed the file at byte {address}");
                Err(refuse(path, &reason))
            }
        };
    }
    let bytes = disk.bytes().map_err(wrap)?;
    if bytes > sealed.sealed_bytes || bytes < sealed.old_end.min(sealed.new_end) {
        let reason = format!("another program has changed the file's length to {bytes} bytes");
        return Err(refuse(path, &reason));
    }
    let recovery = if bytes < sealed.new_end {
        Recovery::TakenBack
    } else {
        Recovery::Completed
    };
    for change in &sealed.changes {
        let bytes = match recovery {
            Recovery::TakenBack => &change.old,
            _ => &change.new,
        };
        disk.write(bytes, change.address).map_err(wrap)?;
    }
    if recovery == Recovery::Completed && bytes > sealed.new_end {
        disk.set_bytes(sealed.new_end).map_err(wrap)?;
    }
    Ok(recovery)
}

fn refuse(path: &JournalPath, reason: &str) -> ContainerError {
    ContainerError::Corrupt(format!(
        "{reason}, so the commit in {} cannot be completed; if the file reads well as it is, \
         remove the journal",
        path.sealed.display()
    ))
}

#[cfg(test)]
mod tests;
