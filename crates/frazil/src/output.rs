//! The output file before it deserves its name: a temporary beside the target, locked, renamed
//! only when complete, removed otherwise.

use std::ffi::OsString;
use std::fs::{File, Metadata, TryLockError};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use frazil_container::hdf5::forget_journal;
use frazil_types::ErrorCode;

use crate::error::{Error, Result};
use crate::input::from_container;
use crate::naming::{Before, give_name};
use crate::options::{Attempt, Destination};
use crate::other_writers;
use crate::unfinished::Unfinished;

/// Metadata of ordinary files are allocated in blocks of this many bytes, so that chunks lie in
/// long runs; files smaller than [`SMALL_FILE_BYTES`] use libhdf5's own 2 KiB.
pub(crate) const METADATA_BLOCK_BYTES: u64 = 32 << 10;
const SMALL_FILE_BYTES: u64 = 4 << 20;
const SMALL_METADATA_BLOCK_BYTES: u64 = 2 << 10;

/// The blocks of metadata for a file of about `bytes`.
pub(crate) const fn metadata_block_bytes(bytes: u64) -> u64 {
    match bytes < SMALL_FILE_BYTES {
        true => SMALL_METADATA_BLOCK_BYTES,
        false => METADATA_BLOCK_BYTES,
    }
}

/// Where one input's output goes, checked before any work is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The final name (symbolic links resolved for in-place work).
    pub(crate) path: PathBuf,
    /// Whether the input itself is replaced.
    pub(crate) in_place: bool,
    /// What lies there; in place: as of the moment at which the input is opened.
    pub(crate) before: Before,
}

/// Works out the target of `input`.
pub(crate) fn resolve(input: &Path, destination: &Destination, overwrite: bool) -> Result<Target> {
    let metadata = input
        .metadata()
        .map_err(|error| Error::io(&error, "open", input))?;
    match destination {
        Destination::InPlace { break_hard_links } => {
            if metadata.nlink() > 1 && !break_hard_links {
                return Err(Error::new(
                    ErrorCode::InvalidArgument,
                    format!(
                        "has {} names (hard links); the others would keep the old content",
                        metadata.nlink()
                    ),
                )
                .in_file(input)
                .with_cure("pack to another file with -o, or add --break-hard-links"));
            }
            let path = input
                .canonicalize()
                .map_err(|e| Error::io(&e, "resolve", input))?;
            Ok(Target {
                before: Before::now(&path),
                path,
                in_place: true,
            })
        }
        Destination::File(path) => separate(input, &metadata, path, overwrite),
        Destination::Directory(directory) => {
            let name = input.file_name().ok_or_else(|| {
                Error::new(ErrorCode::InvalidArgument, "has no file name").in_file(input)
            })?;
            std::fs::create_dir_all(directory)
                .map_err(|error| Error::io(&error, "create directory", directory))?;
            separate(input, &metadata, &directory.join(name), overwrite)
        }
    }
}

fn separate(input: &Path, source: &Metadata, path: &Path, overwrite: bool) -> Result<Target> {
    if let Ok(existing) = path.metadata() {
        if existing.dev() == source.dev() && existing.ino() == source.ino() {
            return Err(
                Error::new(ErrorCode::InvalidArgument, "input and output are one file")
                    .in_file(input)
                    .with_cure("use --in-place to replace it"),
            );
        }
        if existing.is_dir() {
            return Err(Error::new(ErrorCode::InvalidArgument, "is a directory")
                .in_file(path)
                .with_cure("use --out-dir for a directory"));
        }
    }
    let before = check_new(path, overwrite)?;
    other_writers::refuse_active(path)?;
    Ok(Target {
        path: path.to_owned(),
        in_place: false,
        before,
    })
}

/// Checks that the folder is there in which a file is to be written: frazil makes the folders that it
/// is given as such, and those of its own, but none that only a file's name mentions.
///
/// # Errors
/// [`ErrorCode::NotFound`] if it is not, [`ErrorCode::InvalidArgument`] if it is a file.
pub fn check_folder(path: &Path) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => return Ok(()),
    };
    let (code, cause, cure) = match folder.metadata() {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => (
            ErrorCode::InvalidArgument,
            "is a file and holds no others",
            "name another folder".to_owned(),
        ),
        // What else is wrong shows when the file is written.
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Ok(()),
        Err(_) => (
            ErrorCode::NotFound,
            "is not there",
            format!("make it first: mkdir -p {}", folder.display()),
        ),
    };
    let cause = format!("its folder, {}, {cause}", folder.display());
    Err(Error::new(code, cause).in_file(path).with_cure(cure))
}

/// Checks that a file may be written at `path`: its folder is there, and nothing else, or a file that
/// is to be replaced. Says which.
pub(crate) fn check_new(path: &Path, overwrite: bool) -> Result<Before> {
    let before = Before::now(path);
    let Ok(existing) = path.metadata() else {
        return check_folder(path).map(|()| before);
    };
    if existing.is_dir() {
        return Err(Error::new(ErrorCode::InvalidArgument, "is a directory")
            .in_file(path)
            .with_cure("name a file in it"));
    }
    if !existing.is_file() {
        // A finished output is renamed, which would remove a device or a pipe.
        let cause = "is a device, a pipe or a socket, which no file can replace";
        return Err(Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(path)
            .with_cure("name a file"));
    }
    if !overwrite {
        return Err(Error::new(ErrorCode::AlreadyExists, "exists already")
            .in_file(path)
            .with_cure("add --overwrite to replace it"));
    }
    Ok(before)
}

/// Writes a text to a file, whole or not at all; an existing file is replaced and keeps its mode.
///
/// # Errors
/// If the file cannot be written: what was there stays.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::io(&error, "write", path);
    let before = path.metadata().ok();
    // A device or a pipe is written to: it must not be replaced.
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return std::fs::write(path, text).map_err(failed);
    }
    // Where a link leads to.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let part = beside(&target, &format!(".part-{}", std::process::id()))?;
    let _unfinished = Unfinished::new(&part);
    let written = std::fs::write(&part, text).and_then(|()| match before {
        Some(before) => std::fs::set_permissions(&part, before.permissions()),
        None => Ok(()),
    });
    let written = written.and_then(|()| std::fs::rename(&part, &target));
    if written.is_err() {
        // Whether it is there or not.
        let _ = std::fs::remove_file(&part);
    }
    written.map_err(failed)
}

/// An output being written. Dropped without [`Self::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct PendingOutput {
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
    pub(crate) fn create(target: &Path, before: Before) -> Result<Self> {
        Self::create_attempt(target, before, None)
    }

    /// [`Self::create`], or one attempt of several that may be under way, which has a temporary file
    /// of its own and keeps nobody away.
    pub(crate) fn create_attempt(
        target: &Path,
        before: Before,
        attempt: Option<&Attempt>,
    ) -> Result<Self> {
        let mut notices = Vec::new();
        let (lock, suffix) = match attempt {
            None => {
                let mut lock = NameLock::take(target)?;
                notices.append(&mut lock.notices);
                (Some(lock), ".frazil-part".to_owned())
            }
            Some(attempt) => (None, format!(".{}.frazil-part", attempt.word)),
        };
        let temporary = beside(target, &suffix)?;
        let unfinished = Unfinished::new(&temporary);
        // It is ours alone: a temporary that exists was left by a writer that was killed.
        let created = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&temporary);
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
    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// The open temporary file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the finished file its name.
    ///
    /// Where a file is replaced, the new one is on disk before the old one goes. With `inherit` it
    /// takes over mode, owner and extended attributes of the old one.
    ///
    /// # Errors
    /// As [`give_name`]: what others changed meanwhile is not replaced.
    pub(crate) fn commit(mut self, inherit: bool) -> Result<Vec<String>> {
        let mut notices = std::mem::take(&mut self.notices);
        if inherit {
            let old = self.target.metadata();
            let old = old.map_err(|error| Error::io(&error, "inspect", &self.target))?;
            self.take_over(&old, &mut notices)?;
        }
        if self.target.exists() {
            self.file
                .sync_all()
                .map_err(|e| Error::io(&e, "write to disk", &self.target))?;
        }
        give_name(&self.temporary, &self.target, self.before)?;
        self.committed = true;
        // A journal of the file that was there means nothing to the new one.
        forget_journal(&self.target).map_err(|error| from_container(error, &self.target))?;
        Ok(notices)
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
                    xattr::set(&self.temporary, &name, &value)?;
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

/// Keeps other frazil processes from writing a file, by a lock on a file beside it.
#[derive(Debug)]
pub(crate) struct NameLock {
    path: PathBuf,
    _unfinished: Unfinished,
    // Held open for its lock.
    _file: File,
    notices: Vec<String>,
}

impl NameLock {
    /// Takes the lock of `target`.
    pub(crate) fn take(target: &Path) -> Result<Self> {
        let mut notices = Vec::new();
        let path = beside(target, ".frazil-lock")?;
        let file = lock_sidecar(&path, target, &mut notices)?;
        Ok(Self {
            _unfinished: Unfinished::new(&path),
            path,
            _file: file,
            notices,
        })
    }

    /// Removes the lock file of a writer of `target` that was killed; that of a living one stays.
    ///
    /// # Errors
    /// If it is there and cannot be removed.
    pub(crate) fn remove_left_behind(target: &Path) -> Result<()> {
        let path = beside(target, ".frazil-lock")?;
        let Ok(file) = File::options().write(true).open(&path) else {
            return Ok(());
        };
        // Who holds the lock may remove the file: a writer that comes meanwhile waits for none,
        // and one that had opened the file before sees that it is another one now.
        if file.try_lock().is_err() || !is_still(&path, &file) {
            return Ok(());
        }
        std::fs::remove_file(&path).map_err(|error| Error::io(&error, "remove", &path))
    }
}

impl Drop for NameLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Makes an empty file at `path`, in place of an existing one if that is wanted.
pub(crate) fn create_empty(path: &Path, overwrite: bool) -> Result<()> {
    check_new(path, overwrite)?;
    let wrap = |error: std::io::Error| cannot_create(&error, path);
    if !path.exists() {
        return File::create_new(path).map(drop).map_err(wrap);
    }
    // Whoever reads the old file goes on reading it.
    let temporary = beside(path, ".frazil-part")?;
    File::create(&temporary).map_err(wrap)?;
    std::fs::rename(&temporary, path).map_err(wrap)?;
    forget_journal(path).map_err(|error| from_container(error, path))
}

/// `.NAMEsuffix` in the target's directory.
pub(crate) fn beside(target: &Path, suffix: &str) -> Result<PathBuf> {
    let name = target.file_name().ok_or_else(|| {
        Error::new(ErrorCode::InvalidArgument, "is not a file name").in_file(target)
    })?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(suffix);
    Ok(target.with_file_name(hidden))
}

fn lock_sidecar(path: &Path, target: &Path, notices: &mut Vec<String>) -> Result<File> {
    loop {
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| cannot_create(&error, target))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(
                    ErrorCode::Locked,
                    "another frazil process is writing this file",
                )
                .in_file(target)
                .with_cure("wait for it to end"));
            }
            Err(TryLockError::Error(_)) => {
                notices.push(no_locks(target));
                return Ok(lock);
            }
        }
        // The previous holder may have removed the sidecar between our open and our lock.
        if is_still(path, &lock) {
            return Ok(lock);
        }
    }
}

/// Whether `path` names this very file.
fn is_still(path: &Path, file: &File) -> bool {
    match (path.metadata(), file.metadata()) {
        (Ok(named), Ok(held)) => named.dev() == held.dev() && named.ino() == held.ino(),
        _ => false,
    }
}

fn cannot_create(error: &std::io::Error, target: &Path) -> Error {
    let mapped = Error::io(error, "create", target);
    match error.kind() {
        std::io::ErrorKind::NotFound => match check_folder(target) {
            Ok(()) => mapped,
            Err(missing) => missing,
        },
        std::io::ErrorKind::PermissionDenied => {
            mapped.with_cure("write to a directory that you may write to, with -o or --out-dir")
        }
        _ => mapped,
    }
}

fn no_locks(target: &Path) -> String {
    format!(
        "{}: the file system has no locks; nothing keeps a second writer away",
        target.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_output_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.nc");
        drop(PendingOutput::create(&target, Before::Nothing).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("out.nc");
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let refused = check_new(&socket, true).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
        assert!(socket.exists() && !socket.is_file());
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
        create_empty(&target, true).unwrap();
        assert!(target.exists() && !journal.exists());
    }

    #[test]
    fn the_input_is_never_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.nc");
        std::fs::write(&input, b"x").unwrap();
        let error = resolve(&input, &Destination::File(input.clone()), true).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }
}
