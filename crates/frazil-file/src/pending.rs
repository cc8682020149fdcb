//! The output file before it deserves its name: a temporary beside the target, locked, for nobody
//! else's eyes, renamed only when complete, removed otherwise.

use std::fs::{File, Metadata, Permissions, TryLockError};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use frazil_container::beside::{self, create_private, temporary_path};
use frazil_container::hdf5::forget_journal;
use frazil_types::ErrorCode;
use serde::{Deserialize, Serialize};
use xattr::FileExt as _;

use crate::error::{Error, Result};
use crate::folder::cannot_create;
use crate::name_lock::{NameLock, no_locks};
use crate::naming::{Before, give_name};
use crate::output::{check_new, check_replaceable};
use crate::storage_error::from_container;
use crate::unfinished::Unfinished;

/// One attempt at an output where others may be under way at the same time: those of processes that
/// were given up, but may come back. Who ends them removes the permit, then every file that has the
/// word in its name: what comes later writes nothing that gets a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// A part of the name of its temporary file; no other attempt has it.
    pub word: String,
    /// A file that is there as long as the attempt counts.
    pub permit: PathBuf,
}

/// An output being written. Dropped without [`Self::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct PendingOutput {
    target: PathBuf,
    before: Before,
    temporary: PathBuf,
    _unfinished: Unfinished,
    // Given up last: the name is ours while there is a temporary.
    file: File,
    _lock: Option<NameLock>,
    committed: bool,
    notices: Vec<String>,
}

impl PendingOutput {
    /// Creates the temporary file beside the target, where `before` lies.
    ///
    /// A sidecar keeps other frazil processes away from this target; a shared lock on the file
    /// itself admits readers and keeps stock writers out.
    ///
    /// # Errors
    /// If another process writes this target, or the file cannot be made.
    pub fn create(target: &Path, before: Before) -> Result<Self> {
        Self::create_attempt(target, before, None)
    }

    /// [`Self::create`], or one attempt of several that may be under way, which has a temporary file
    /// of its own and keeps nobody away.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_attempt(
        target: &Path,
        before: Before,
        attempt: Option<&Attempt>,
    ) -> Result<Self> {
        let (mut lock, word) = match attempt {
            None => (Some(NameLock::take(target)?), beside::word()),
            Some(attempt) => (None, attempt.word.clone()),
        };
        let named = temporary_path(target, &word);
        let temporary = named.map_err(|error| cannot_create(&error, target))?;
        let mut notices = Vec::new();
        if let Some(lock) = &mut lock {
            notices = lock.take_notices();
            lock.note(&temporary, target)?;
        }
        let unfinished = Unfinished::new(&temporary);
        let created = create_private(&temporary);
        let file = created.map_err(|error| cannot_create(&error, target))?;
        if let Err(TryLockError::Error(_)) = file.try_lock_shared()
            && notices.is_empty()
        {
            notices.push(no_locks(target));
        }
        let pending = Self {
            target: target.to_owned(),
            before,
            temporary,
            _unfinished: unfinished,
            file,
            _lock: lock,
            committed: false,
            notices,
        };
        // Now, not before: whoever takes the permit away then removes what has the word in its name.
        if attempt.is_some_and(|attempt| !attempt.permit.exists()) {
            let cause = "this attempt at it was given up";
            return Err(Error::new(ErrorCode::Interrupted, cause).in_file(target));
        }
        Ok(pending)
    }

    /// The temporary file's path.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// The open temporary file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the finished file its name.
    ///
    /// It gets the mode of the file that it takes the place of, else that of all new files. With
    /// `inherit` it takes over owner and extended attributes too. What is replaced goes when the new
    /// file is on disk, not before.
    ///
    /// # Errors
    /// As `give_name`: what others changed meanwhile is not replaced.
    pub fn commit(mut self, inherit: bool) -> Result<Vec<String>> {
        let mut notices = std::mem::take(&mut self.notices);
        if inherit {
            let old = self.target.metadata();
            let old = old.map_err(|error| Error::io(&error, "inspect", &self.target))?;
            self.take_over(&old, &mut notices)?;
        } else {
            self.let_others_in()?;
        }
        if self.target.exists() {
            self.file
                .sync_all()
                .map_err(|e| Error::io(&e, "write to disk", &self.target))?;
        }
        give_name(&self.temporary, &self.target, self.before)?;
        self.committed = true;
        // A journal of the file that was there means nothing to the new one, which is another file.
        if let Err(error) = forget_journal(&self.target) {
            notices.push(format!("{}: {error}", self.target.display()));
        }
        Ok(notices)
    }

    fn let_others_in(&self) -> Result<()> {
        let set = |mode| self.file.set_permissions(Permissions::from_mode(mode));
        mode_of(&self.target)
            .and_then(set)
            .map_err(|error| Error::io(&error, "set the mode of", &self.target))
    }

    fn take_over(&self, old: &Metadata, notices: &mut Vec<String>) -> Result<()> {
        let wrap = |error: std::io::Error| Error::io(&error, "keep the mode of", &self.target);
        if fchown(&self.file, Some(old.uid()), Some(old.gid())).is_err() {
            notices.push(format!(
                "{}: the owner could not be kept",
                self.target.display()
            ));
        }
        self.file.set_permissions(old.permissions()).map_err(wrap)?;
        let kept = xattr::list(&self.target).and_then(|names| {
            for name in names {
                if let Some(value) = xattr::get(&self.target, &name)? {
                    self.file.set_xattr(&name, &value)?;
                }
            }
            Ok(())
        });
        if let Err(error) = kept
            && error.kind() != std::io::ErrorKind::Unsupported
        {
            notices.push(format!(
                "{}: extended attributes could not be kept: {error}",
                self.target.display()
            ));
        }
        Ok(())
    }
}

impl Drop for PendingOutput {
    fn drop(&mut self) {
        if !self.committed {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// Errors about the temporary file are about the target, for the user.
pub fn rename_file(mut error: Error, temporary: &Path, target: &Path) -> Error {
    if error.file.as_deref() == Some(temporary) {
        error.file = Some(target.to_owned());
    }
    if error.code == ErrorCode::NoSpace && error.cure.is_none() {
        error = error.with_cure("free some space, or write to another disk");
    }
    error
}

/// The file that an output's name stands for, links followed; there may be none yet.
///
/// # Errors
/// [`ErrorCode::PermissionDenied`] for a link that another user put into a folder open to all; if its
/// folder is not there; [`ErrorCode::InvalidArgument`] for a device, a pipe or a socket.
pub fn followed_output(path: &Path) -> Result<PathBuf> {
    if let Ok(existing) = path.metadata()
        && !existing.is_dir()
    {
        check_replaceable(path, &existing)?;
    }
    beside::followed_to_new(path).map_err(|error| Error::io(&error, "write", path))
}

/// The permissions that new files get in a folder, as the umask or the folder's access list has them.
///
/// # Errors
/// If nothing can be made in the folder.
pub fn usual_mode(folder: &Path) -> Result<u32> {
    beside::usual_mode(folder).map_err(|error| Error::io(&error, "make a file in", folder))
}

/// The permissions of the file at `target`; if there is none, those of all new files there.
fn mode_of(target: &Path) -> std::io::Result<u32> {
    match target.symlink_metadata() {
        Ok(old) if old.is_file() => Ok(old.mode() & 0o777),
        _ => {
            let folder = target.parent().filter(|path| !path.as_os_str().is_empty());
            beside::usual_mode(folder.unwrap_or(Path::new(".")))
        }
    }
}

/// Makes an empty file at `path`, whose lock is held, in place of an existing one if that is wanted.
/// Whether there was none.
///
/// # Errors
/// If it cannot be made, or the journal of a file that was there cannot be removed.
pub fn create_empty(path: &Path, overwrite: bool, lock: &mut NameLock) -> Result<bool> {
    check_new(path, overwrite)?;
    // The new file's own could not take its place.
    forget_journal(path).map_err(|error| {
        let cure = "remove it, or have its owner remove it: the file's own journal goes there";
        from_container(error, path).with_cure(cure)
    })?;
    let wrap = |error: std::io::Error| cannot_create(&error, path);
    if path.symlink_metadata().is_err() {
        return File::create_new(path).map(|_| true).map_err(wrap);
    }
    // Whoever reads the old file goes on reading it.
    let temporary = temporary_path(path, &beside::word()).map_err(wrap)?;
    lock.note(&temporary, path)?;
    let made = create_private(&temporary).and_then(|file| {
        file.set_permissions(Permissions::from_mode(mode_of(path)?))?;
        std::fs::rename(&temporary, path)
    });
    if made.is_err() {
        // Whether it is there or not.
        let _ = std::fs::remove_file(&temporary);
    }
    made.map(|()| false).map_err(wrap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_file::write_text;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn an_abandoned_output_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        drop(PendingOutput::create(&target, Before::Nothing).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_second_writer_is_told_to_wait() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let first = PendingOutput::create(&target, Before::Nothing).unwrap();
        let second = PendingOutput::create(&target, Before::Nothing).unwrap_err();
        assert_eq!(second.code, ErrorCode::Locked);
        first.commit(false).unwrap();
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 1);
    }

    #[test]
    fn nobody_else_reads_an_output_before_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let (target, usual) = (folder.path().join("out.nc"), folder.path().join("usual"));
        File::create(&usual).unwrap();
        let pending = PendingOutput::create(&target, Before::Nothing).unwrap();
        assert_eq!(mode(pending.path()), 0o600);
        pending.commit(false).unwrap();
        assert_eq!(mode(&target), mode(&usual));
        for kept in [0o600, 0o664] {
            std::fs::set_permissions(&target, Permissions::from_mode(kept)).unwrap();
            write_text(&target, "text").unwrap();
            assert_eq!(mode(&target), kept);
            let mut lock = NameLock::take(&target).unwrap();
            assert!(!create_empty(&target, true, &mut lock).unwrap());
            assert_eq!(mode(&target), kept);
        }
    }

    #[test]
    fn attempts_do_not_wait_for_each_other_and_write_nothing_when_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let permit = folder.path().join("permit");
        let attempt = |word: &str| {
            let attempt = Attempt {
                word: word.to_owned(),
                permit: permit.clone(),
            };
            PendingOutput::create_attempt(&target, Before::Anything, Some(&attempt))
        };
        std::fs::write(&permit, b"").unwrap();
        let (hung, again) = (attempt("one").unwrap(), attempt("two").unwrap());
        std::fs::write(again.path(), b"again").unwrap();
        again.commit(false).unwrap();
        std::fs::remove_file(&permit).unwrap();
        std::fs::remove_file(hung.path()).unwrap();
        assert_eq!(hung.commit(false).unwrap_err().code, ErrorCode::NotFound);
        assert_eq!(attempt("three").unwrap_err().code, ErrorCode::Interrupted);
        assert_eq!(std::fs::read(&target).unwrap(), b"again");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_journal_of_the_file_before_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let journal = folder.path().join("out.nc.frazil-journal");
        let before = || {
            std::fs::write(&target, b"before").unwrap();
            std::fs::write(&journal, b"of the file before").unwrap();
        };
        before();
        PendingOutput::create(&target, Before::now(&target))
            .unwrap()
            .commit(false)
            .unwrap();
        assert!(target.exists() && !journal.exists());
        before();
        let mut lock = NameLock::take(&target).unwrap();
        create_empty(&target, true, &mut lock).unwrap();
        assert!(target.exists() && !journal.exists());
    }
}
