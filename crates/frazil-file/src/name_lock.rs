//! Who writes a file: a lock beside it, which also tells the next writer what a killed one left.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use frazil_container::beside::{
    create_private, effective_user, hidden, is_temporary_of, open_regular, temporary_path, word,
};
use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::folder::cannot_create;
use crate::unfinished::{Unfinished, is_listed};

const SUFFIX: &str = ".frazil-lock";
/// Of a longer name only the beginning is in the names of all temporary files.
const LONGEST_COMPARED: usize = 200;
/// More than any writer notes.
const MOST_NOTED_BYTES: u64 = 64 << 10;

/// Keeps other frazil processes from writing a file, by a lock on a file beside it.
///
/// That file lists the temporary files of its holder. If it is there and nobody holds it, its holder
/// was killed: whoever takes it next removes what it lists.
#[derive(Debug)]
pub struct NameLock {
    path: PathBuf,
    /// `None`: another's.
    _unfinished: Option<Unfinished>,
    /// Held open for its lock.
    file: File,
    /// Bytes of the list.
    noted_bytes: u64,
    has_cleaned: bool,
    notices: Vec<String>,
}

impl NameLock {
    /// Takes the lock of `target`.
    ///
    /// # Errors
    /// If another process holds it, or the lock file cannot be made.
    pub fn take(target: &Path) -> Result<Self> {
        // The process may work in another folder when it ends.
        let path = lock_path(target)?;
        let path = std::path::absolute(&path).unwrap_or(path);
        loop {
            let file = open_or_make(&path, target)?;
            if let Some(lock) = Self::try_lock(&path, file, target)? {
                return Ok(lock);
            }
        }
    }

    /// Takes the lock that a killed writer of `target` left; `None` if there is none, or a living
    /// writer holds it.
    pub(crate) fn take_left_behind(target: &Path) -> Result<Option<Self>> {
        let path = lock_path(target)?;
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let file = open_own(&path, target)?;
        match Self::try_lock(&path, file, target) {
            Err(error) if error.code == ErrorCode::Locked => Ok(None),
            taken => taken,
        }
    }

    /// `None`: whoever held the lock before has removed the file meanwhile.
    fn try_lock(path: &Path, file: File, target: &Path) -> Result<Option<Self>> {
        let mut lock = Self {
            path: path.to_owned(),
            _unfinished: None,
            file,
            noted_bytes: 0,
            has_cleaned: false,
            notices: Vec::new(),
        };
        match lock.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                // Not ours to remove.
                lock.path.clear();
                let (cause, cure) = match is_listed(path) {
                    true => ("this program is writing this file", "close it first"),
                    false => (
                        "another frazil process is writing this file",
                        "wait for it to end",
                    ),
                };
                return Err(Error::new(ErrorCode::Locked, cause)
                    .in_file(target)
                    .with_cure(cure));
            }
            Err(TryLockError::Error(_)) => {
                lock.notices.push(no_locks(target));
                return Ok(Some(lock));
            }
        }
        if !is_still(path, &lock.file) {
            lock.path.clear();
            return Ok(None);
        }
        lock._unfinished = Some(Unfinished::new(path));
        if let Err(error) = lock.clean(target) {
            lock.path.clear();
            return Err(Error::io(
                &error,
                "remove what a killed writer left of",
                target,
            ));
        }
        Ok(Some(lock))
    }

    /// Makes an empty temporary file of `target` that goes when this process is killed. Only this user
    /// may read it, and no other file ever has its name.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make_temporary(&mut self, target: &Path) -> Result<PathBuf> {
        let failed = |error| cannot_create(&error, target);
        let path = temporary_path(target, &word()).map_err(failed)?;
        self.note(&path, target)?;
        create_private(&path).map_err(failed)?;
        Ok(path)
    }

    /// Notes a file that is about to be made, and that goes when this process is killed.
    ///
    /// # Errors
    /// If the lock file cannot be written.
    pub fn note(&mut self, temporary: &Path, target: &Path) -> Result<()> {
        let name = temporary.file_name().unwrap_or_default();
        let line = [name.as_bytes(), b"\n"].concat();
        let written = self.file.write_all_at(&line, self.noted_bytes);
        written.map_err(|error| cannot_create(&error, target))?;
        self.noted_bytes += line.len() as u64;
        Ok(())
    }

    /// Leaves the lock file of a killed writer for whoever takes it next.
    pub(crate) fn leave(mut self) {
        self.path.clear();
    }

    /// What the user should know.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Whether a temporary file of a killed writer was there.
    pub(crate) fn has_cleaned(&self) -> bool {
        self.has_cleaned
    }

    /// Removes the files that a killed holder noted: temporary ones of this very target, and only the
    /// names, whatever they lead to.
    fn clean(&mut self, target: &Path) -> io::Result<()> {
        let owner = self.file.metadata()?.uid();
        let mut noted = Vec::new();
        (&self.file)
            .take(MOST_NOTED_BYTES)
            .read_to_end(&mut noted)?;
        if noted.is_empty() {
            return Ok(());
        }
        let names = || noted.split(|&byte| byte == b'\n').map(OsStr::from_bytes);
        let is_noted = |name: &OsStr| is_temporary_of(name, target);
        // The first line may have been cut short.
        let hidden = hidden(target, ".")?;
        let begin = hidden.file_name().unwrap_or_default().as_bytes();
        let compared = begin.len().min(noted.len()).min(LONGEST_COMPARED);
        if begin[..compared] != noted[..compared] {
            let reason = format!("{} is not a lock file", self.path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        for name in names().filter(|name| is_noted(name)) {
            let path = target.with_file_name(name);
            let found = path.symlink_metadata();
            let is_own = found.is_ok_and(|found| found.is_file() && found.uid() == owner);
            if is_own && !remains_locked(&path) {
                std::fs::remove_file(&path)?;
                self.has_cleaned = true;
            }
        }
        self.file.set_len(0)
    }
}

impl Drop for NameLock {
    fn drop(&mut self) {
        if is_still(&self.path, &self.file) {
            // Best effort: the next writer finds that nobody holds it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether a writer of this file is at work, or was killed at it.
pub(crate) fn is_noted(target: &Path) -> bool {
    hidden(target, SUFFIX).is_ok_and(|path| path.symlink_metadata().is_ok())
}

/// Whether somebody still writes a temporary file that has a lock of its own. What a killed writer of
/// it left goes.
fn remains_locked(temporary: &Path) -> bool {
    is_noted(temporary) && !matches!(NameLock::take_left_behind(temporary), Ok(Some(_)))
}

fn lock_path(target: &Path) -> Result<PathBuf> {
    hidden(target, SUFFIX)
        .map_err(|_| Error::new(ErrorCode::InvalidArgument, "is not a file name").in_file(target))
}

fn open_or_make(path: &Path, target: &Path) -> Result<File> {
    loop {
        match create_private(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map_err(|error| cannot_create(&error, target)),
        }
        match open_own(path, target) {
            // Its holder has ended.
            Err(error) if error.code == ErrorCode::NotFound => {}
            opened => return opened,
        }
    }
}

/// Opens a lock file that is there, if it is one and this user's.
fn open_own(path: &Path, target: &Path) -> Result<File> {
    let refuse = |cause: &str| {
        let cause = format!("its lock file, {}, {cause}", path.display());
        let cure = "wait if another user is writing the file; else remove the lock file";
        Error::new(ErrorCode::Locked, cause)
            .in_file(target)
            .with_cure(cure)
    };
    let file = match open_regular(path, File::options().read(true).write(true)) {
        Ok(file) => file,
        Err(error) => {
            return Err(match error.kind() {
                io::ErrorKind::InvalidInput => refuse("is not a regular file"),
                io::ErrorKind::PermissionDenied => refuse("is another user's"),
                _ => Error::io(&error, "open the lock of", target),
            });
        }
    };
    let metadata = file
        .metadata()
        .map_err(|error| Error::io(&error, "inspect the lock of", target))?;
    // It is to be emptied: no other name may lead to it.
    if metadata.nlink() > 1 {
        return Err(refuse("has other names (hard links)"));
    }
    let user = effective_user();
    // The superuser may clean for everybody.
    if metadata.uid() != user && user != 0 {
        return Err(refuse("is another user's"));
    }
    Ok(file)
}

/// Whether `path` names this very file.
fn is_still(path: &Path, file: &File) -> bool {
    match (path.symlink_metadata(), file.metadata()) {
        (Ok(named), Ok(held)) => named.dev() == held.dev() && named.ino() == held.ino(),
        _ => false,
    }
}

/// What is said where nothing keeps a second writer away.
pub(crate) fn no_locks(target: &Path) -> String {
    format!(
        "{}: the file system has no locks; nothing keeps a second writer away",
        target.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// What a writer leaves that is killed.
    fn kill(lock: NameLock) {
        let kept = std::mem::ManuallyDrop::new(lock);
        kept.file.unlock().unwrap();
    }

    #[test]
    fn the_next_writer_removes_what_a_killed_one_left_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let foreign = temporary_path(&folder.path().join("other.nc"), &word()).unwrap();
        let (left, gone) = (word(), word());
        let left = temporary_path(&target, &left).unwrap();
        let gone = temporary_path(&target, &gone).unwrap();
        let mut lock = NameLock::take(&target).unwrap();
        for path in [&left, &foreign, &gone, &target] {
            lock.note(path, &target).unwrap();
        }
        for path in [&foreign, &left, &target] {
            std::fs::write(path, b"content").unwrap();
        }
        kill(lock);
        let next = NameLock::take(&target).unwrap();
        assert!(next.has_cleaned() && !left.exists());
        assert!(foreign.exists() && target.exists());
        drop(next);
        assert_eq!(names(folder.path()).len(), 2);
        assert!(NameLock::take_left_behind(&target).unwrap().is_none());
    }

    #[test]
    fn a_living_writer_keeps_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let mut first = NameLock::take(&target).unwrap();
        let temporary = temporary_path(&target, &word()).unwrap();
        first.note(&temporary, &target).unwrap();
        std::fs::write(&temporary, b"content").unwrap();
        let refused = NameLock::take(&target).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Locked);
        assert!(refused.cause.starts_with("this program"), "{refused}");
        assert!(NameLock::take_left_behind(&target).unwrap().is_none());
        assert!(temporary.exists() && is_noted(&target));
    }

    #[test]
    fn a_temporary_file_goes_with_its_own_lock_unless_that_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        for is_alive in [true, false] {
            let mut lock = NameLock::take(&target).unwrap();
            let temporary = lock.make_temporary(&target).unwrap();
            let mut own = NameLock::take(&temporary).unwrap();
            let inner = own.make_temporary(&temporary).unwrap();
            kill(lock);
            let living = match is_alive {
                true => Some(own),
                false => {
                    kill(own);
                    None
                }
            };
            drop(NameLock::take(&target).unwrap());
            assert_eq!((temporary.exists(), inner.exists()), (is_alive, is_alive));
            drop(living);
        }
    }

    #[test]
    fn a_note_that_was_cut_short_is_no_obstacle_and_another_file_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let lock = folder.path().join(".out.nc.frazil-lock");
        for cut in [
            ".out.nc.0123",
            ".o",
            ".out.nc.0123456789abcdef.frazil-part\n.out",
        ] {
            std::fs::write(&lock, cut).unwrap();
            drop(NameLock::take(&target).unwrap());
            assert!(!lock.exists());
        }
        std::fs::write(&lock, "precious").unwrap();
        assert!(NameLock::take(&target).is_err());
        assert_eq!(std::fs::read(&lock).unwrap(), b"precious");
        std::fs::write(&lock, "").unwrap();
        std::fs::hard_link(&lock, folder.path().join("other")).unwrap();
        let refused = NameLock::take(&target).unwrap_err();
        assert!(refused.cause.contains("hard links"), "{refused}");
    }

    #[test]
    fn a_link_in_the_place_of_a_lock_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        let victim = folder.path().join("victim");
        std::fs::write(&victim, b"precious").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join(".out.nc.frazil-lock")).unwrap();
        let refused = NameLock::take(&target).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Locked);
        assert!(refused.cause.contains("not a regular file"));
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
        assert_eq!(names(folder.path()).len(), 2);
    }
}
