//! What a writer that ended in the middle of a commit left behind: readers are told of it, and
//! [`recover`] brings it in order.

use std::path::{Path, PathBuf};

use super::disk::{self, Disk, Others};
use super::journal::{Survey, sealed_path};
use super::sealed::{Candidate, Distrust, SealedJournal};
use super::superblock_of;
use crate::beside::followed;
use crate::error::{ContainerError, Result};

/// What [`recover`] found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing was left behind: the file is at its last commit.
    Clean,
    /// Others changed the file before any of a commit was applied; what was left of the commit is
    /// removed. The file is at the commit before.
    Discarded,
    /// A commit had been decided; it is complete now.
    Completed,
    /// A commit had been decided, but its data are gone (another program has cut the file); the
    /// file is at the commit before.
    TakenBack,
}

/// What a reader must know of a journal beside a file. See [`left_beside`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftBeside {
    /// There is none.
    Nothing,
    /// It says nothing about the file, for this reason.
    Ignored {
        /// The journal.
        journal: PathBuf,
        /// Why.
        reason: String,
    },
    /// It is of somebody who may write the file, and cannot be read: the file may hold a part of its
    /// commit.
    Damaged {
        /// The journal.
        journal: PathBuf,
    },
    /// The file is at the commit before the journal's, or at the journal's.
    Whole {
        /// The journal.
        journal: PathBuf,
        /// Whether all of its commit is in the file.
        is_applied: bool,
    },
    /// A part of the commit is in the file: whoever reads would mix two states.
    HalfWay {
        /// The journal.
        journal: PathBuf,
    },
}

/// Looks at the journal beside a file, if there is one, and at what of it is in the file. Changes
/// nothing.
///
/// # Errors
/// If the system refuses to read the file or a journal that may be its writer's.
pub fn left_beside(path: &Path) -> Result<LeftBeside> {
    let doing = || format!("look for the journal of {}", path.display());
    let wrap = |error| ContainerError::io(doing(), error);
    // Whoever opens the file says what is wrong with its name.
    let Ok(path) = path.canonicalize() else {
        return Ok(LeftBeside::Nothing);
    };
    let journal = sealed_path(&path);
    let found = match Candidate::open(&journal).map_err(wrap)? {
        None => return Ok(LeftBeside::Nothing),
        Some(found) => found,
    };
    let Ok(disk) = Disk::open_to_read(&path) else {
        return Ok(LeftBeside::Nothing);
    };
    let data = disk.metadata().map_err(wrap)?;
    let believed = found.and_then(|found| found.may_be_believed(&data).map(|()| found));
    let read = believed.map(|found| found.read(data.len()));
    let sealed = match read {
        Err(distrust) => Err(distrust),
        Ok(read) => read.map_err(wrap)?,
    };
    let sealed = match sealed {
        Ok(sealed) => sealed,
        Err(Distrust::Damaged) => return Ok(LeftBeside::Damaged { journal }),
        Err(Distrust::Foreign(reason)) => return Ok(LeftBeside::Ignored { journal, reason }),
    };
    let survey = survey(&disk, &sealed).map_err(wrap)?;
    judge(&disk, &sealed, survey, journal).map_err(wrap)
}

fn judge(
    disk: &Disk,
    sealed: &SealedJournal,
    survey: Survey,
    journal: PathBuf,
) -> std::io::Result<LeftBeside> {
    let is_of_another = disk.identity()?.inode != sealed.inode;
    if is_of_another && survey.foreign.is_some() {
        let reason = OF_ANOTHER_FILE.to_owned();
        return Ok(LeftBeside::Ignored { journal, reason });
    }
    if !sealed.is_first() && superblock_of(disk, disk.bytes()?)?.is_none() {
        let reason = NOT_HDF5.to_owned();
        return Ok(LeftBeside::Ignored { journal, reason });
    }
    let is_before = survey.is_before() && !sealed.is_first();
    let is_after = match survey.foreign {
        Some(_) => survey.is_after() && sealed.is_applied,
        None => survey.is_after() || !survey.old && !survey.torn,
    };
    let is_long_enough = disk.bytes()? >= sealed.new_end;
    Ok(match (is_before, is_after && is_long_enough) {
        (false, false) => LeftBeside::HalfWay { journal },
        (_, is_applied) => LeftBeside::Whole {
            journal,
            is_applied,
        },
    })
}

const OF_ANOTHER_FILE: &str = "the journal belongs to another file";
const NOT_HDF5: &str = "the file is not HDF5";

fn reason_of(distrust: &Distrust) -> &str {
    match distrust {
        Distrust::Foreign(reason) => reason,
        Distrust::Damaged => "the journal is damaged",
    }
}

/// Brings a file back to its last commit after its writer was killed.
///
/// The journal is that beside the file itself, not beside a link to it. It is only used if it is of
/// the file's owner, of this user or of the superuser, if nobody else can have written it, and if it
/// holds what a commit to this file can hold; and only on HDF5 files.
///
/// Its own lock keeps a writer that is alive away; do not call it while holding a lock on the file.
///
/// # Errors
/// [`ContainerError::Locked`] if the file is open in another program;
/// [`ContainerError::Untrusted`] if the journal may be somebody else's;
/// [`ContainerError::Corrupt`] if it is damaged, or others changed the file since: then
/// nothing is changed. System errors otherwise; recovering may be tried again.
pub fn recover(path: &Path) -> Result<Recovery> {
    let wrap = |error| ContainerError::io(format!("recover {}", path.display()), error);
    let path = followed(path).map_err(wrap)?;
    let journal = sealed_path(&path);
    if journal.symlink_metadata().is_err() {
        return Ok(Recovery::Clean);
    }
    let Some(disk) = Disk::open(&path, Others::Nobody).map_err(wrap)? else {
        return Err(ContainerError::Locked(format!(
            "{} is open in another program; recover it when that has ended",
            path.display()
        )));
    };
    let Some(found) = Candidate::open(&journal).map_err(wrap)? else {
        return Ok(Recovery::Clean);
    };
    let data = disk.metadata().map_err(wrap)?;
    let trusted = found.and_then(|found| found.may_be_applied(&data).map(|()| found));
    let found = trusted.map_err(|distrust| refuse(&journal, &distrust))?;
    let read = found.read(data.len()).map_err(wrap)?;
    let sealed = read.map_err(|distrust| refuse(&journal, &distrust))?;
    let is_hdf5 = superblock_of(&disk, data.len()).map_err(wrap)?.is_some();
    if !is_hdf5 && !sealed.is_first() {
        return Err(damaged(&journal, NOT_HDF5));
    }
    let recovery = replay(&disk, &sealed, &journal)?;
    disk.sync().map_err(wrap)?;
    disk::remove(&journal).map_err(wrap)?;
    disk::sync_directory_of(&journal).map_err(wrap)?;
    Ok(recovery)
}

/// Removes the journal of a file that another file has taken the place of: the name itself, whatever
/// it leads to.
///
/// # Errors
/// If it cannot be removed.
pub fn forget_journal(path: &Path) -> Result<()> {
    let doing = || format!("remove {}", sealed_path(path).display());
    disk::remove(&sealed_path(path)).map_err(|error| ContainerError::io(doing(), error))
}

fn survey(disk: &Disk, sealed: &SealedJournal) -> std::io::Result<Survey> {
    let mut survey = Survey::default();
    sealed.for_each(|change| change.look(disk, &mut survey))?;
    Ok(survey)
}

/// Brings the file to the new state if all of its data are there, else to the old one.
fn replay(disk: &Disk, sealed: &SealedJournal, journal: &Path) -> Result<Recovery> {
    let wrap = |error| ContainerError::io("recover", error);
    // A device's number may change when the machine starts again: only the inode must agree.
    if disk.identity().map_err(wrap)?.inode != sealed.inode {
        return Err(damaged(journal, OF_ANOTHER_FILE));
    }
    let survey = survey(disk, sealed).map_err(wrap)?;
    if let Some(address) = survey.foreign {
        // Others changed the file as it was before the commit, or after it: both are whole.
        if survey.is_before() {
            return Ok(Recovery::Discarded);
        }
        if sealed.is_applied && !survey.old && !survey.torn {
            return Ok(Recovery::Completed);
        }
        let reason = format!("another program has changed the file at byte {address}");
        return Err(damaged(journal, &reason));
    }
    let bytes = disk.bytes().map_err(wrap)?;
    if bytes > sealed.sealed_bytes || bytes < sealed.old_end.min(sealed.new_end) {
        let reason = format!("another program has changed the file's length to {bytes} bytes");
        return Err(damaged(journal, &reason));
    }
    let recovery = match bytes < sealed.new_end {
        true => Recovery::TakenBack,
        false => Recovery::Completed,
    };
    let write = sealed.for_each(|change| match recovery {
        Recovery::TakenBack => disk.write(&change.old, change.address),
        _ => disk.write(&change.new, change.address),
    });
    write.map_err(wrap)?;
    if recovery == Recovery::Completed && bytes > sealed.new_end {
        disk.set_bytes(sealed.new_end).map_err(wrap)?;
    }
    Ok(recovery)
}

fn refuse(journal: &Path, distrust: &Distrust) -> ContainerError {
    match distrust {
        Distrust::Foreign(reason) => {
            ContainerError::Untrusted(format!("{} is not applied: {reason}", journal.display()))
        }
        Distrust::Damaged => damaged(journal, reason_of(distrust)),
    }
}

fn damaged(journal: &Path, reason: &str) -> ContainerError {
    ContainerError::Corrupt(format!(
        "{reason}, so the commit in {} cannot be completed; if the file reads well as it is, \
         remove the journal",
        journal.display()
    ))
}

#[cfg(test)]
mod tests;
