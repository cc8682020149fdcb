//! How frazil makes and opens the files that it has beside others: temporary ones, locks, journals.
//!
//! Others may be able to write in the same folder, and may have put something else in the place of
//! each: a link that leads to a file elsewhere, or a pipe that hangs whoever opens it. So names that
//! no other process must find cannot be foreseen; a file is only made where there is none, and for
//! nobody else's eyes before it is complete; and what must be found by its name is opened without
//! following links and without waiting, and is used only if it is a regular file.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Behind a temporary file's word.
const TEMPORARY: &str = ".frazil-part";
/// Characters of [`word`].
const WORD_BYTES: usize = 16;
/// Most file systems have no longer names.
pub(crate) const LONGEST_NAME_BYTES: usize = 255;

/// A word that nobody can foresee and that no other file's name has.
#[must_use]
pub fn word() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // A child process has its parent's keys, but a number of its own.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.write_u64(NEXT.fetch_add(1, Ordering::Relaxed));
    format!("{:0width$x}", hasher.finish(), width = WORD_BYTES)
}

/// `.NAMEsuffix` in the folder of `target`; of a very long name only as much as there is place for.
///
/// # Errors
/// If `target` has no file name.
pub fn hidden(target: &Path, suffix: &str) -> io::Result<PathBuf> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut hidden = OsString::from(".");
    hidden.push(fitting(name, LONGEST_NAME_BYTES - 1 - suffix.len()));
    hidden.push(suffix);
    Ok(target.with_file_name(hidden))
}

/// A name, or, if it has more than `most` bytes, its beginning and a number for the whole.
fn fitting(name: &OsStr, most: usize) -> OsString {
    let bytes = name.as_bytes();
    if bytes.len() <= most {
        return name.to_owned();
    }
    let number = format!("~{:08x}", crc32fast::hash(bytes));
    let mut short = bytes[..most - number.len()].to_vec();
    short.extend_from_slice(number.as_bytes());
    OsString::from_vec(short)
}

/// The temporary file of `target` that has this word in its name.
///
/// # Errors
/// As [`hidden`].
pub fn temporary_path(target: &Path, word: &str) -> io::Result<PathBuf> {
    hidden(target, &format!(".{word}{TEMPORARY}"))
}

/// Whether a name is one that [`temporary_path`] gives for `target` and a word of [`word`].
#[must_use]
pub fn is_temporary_of(name: &OsStr, target: &Path) -> bool {
    let bytes = name.as_bytes();
    let Some(word) = bytes.strip_suffix(TEMPORARY.as_bytes()) else {
        return false;
    };
    let word = &word[word.len().saturating_sub(WORD_BYTES)..];
    let is_word = word.len() == WORD_BYTES && word.iter().all(u8::is_ascii_hexdigit);
    let named = std::str::from_utf8(word).map(|word| temporary_path(target, word));
    is_word && named.is_ok_and(|path| path.is_ok_and(|path| path.file_name() == Some(name)))
}

/// Makes a file where there is nothing yet, not even a link. Only this user may read it.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if something has the name.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Opens a regular file, and nothing else: no link, and no pipe that would hang us.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if there is something else; those of opening.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let opened = options
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path);
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    let file = opened.map_err(|error| match error.raw_os_error() {
        // A link; a pipe that nobody reads; a device that is not there.
        Some(libc::ELOOP | libc::EMLINK | libc::ENXIO) => refused(),
        _ => error,
    })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(refused()),
    }
}

/// The file that a name stands for, all links on the way followed. A link that a stranger put into a
/// folder where everybody may put one is not followed: it would have us write a file of the stranger's
/// choice.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] for such a link; if there is no such file.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    let (found, is_there) = follow(path)?;
    match is_there {
        true => Ok(found),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// As [`followed`], of a name that may stand for no file yet.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] for a stranger's link; if the folder is not there.
pub fn followed_to_new(path: &Path) -> io::Result<PathBuf> {
    follow(path).map(|(found, _)| found)
}

/// Where a name leads, and whether something is there.
fn follow(path: &Path) -> io::Result<(PathBuf, bool)> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut at = PathBuf::from("/");
    let mut rest = steps(&std::path::absolute(path)?);
    let mut links = 0;
    while let Some(step) = rest.pop() {
        if step == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&step);
        let found = match next.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound && rest.is_empty() => {
                return Ok((next, false));
            }
            found => found?,
        };
        if !found.is_symlink() {
            at = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(io::Error::from_raw_os_error(libc::ELOOP));
        }
        if is_a_strangers(&found, &at)? {
            let reason = "it is a link that another user put into a folder open to all";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        let target = next.read_link()?;
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        rest.extend(steps(&target));
    }
    Ok((at, true))
}

/// The names in a path, the last one first.
fn steps(path: &Path) -> Vec<OsString> {
    let named = |one: Component<'_>| match one {
        Component::Normal(_) | Component::ParentDir => Some(one.as_os_str().to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().rev().filter_map(named).collect()
}

/// Whether somebody else put it into a folder where everybody may put something.
fn is_a_strangers(found: &Metadata, folder: &Path) -> io::Result<bool> {
    const STICKY_FOR_ALL: u32 = 0o1002;
    let folder = folder.metadata()?;
    let is_open_to_all = folder.mode() & STICKY_FOR_ALL == STICKY_FOR_ALL;
    Ok(is_open_to_all && ![effective_user(), folder.uid()].contains(&found.uid()))
}

/// Opens what is no regular file to write into it: a device, or a pipe that somebody reads.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a pipe that nobody reads, which would hang us, and for one that a
/// stranger put into a folder open to all; those of opening.
pub fn open_device(path: &Path) -> io::Result<File> {
    let refused = |reason| io::Error::new(io::ErrorKind::InvalidInput, reason);
    let metadata = path.metadata()?;
    // A pipe of the shell, behind /dev/stdout, has no name and lies in no folder.
    if let Ok(real) = path.canonicalize()
        && metadata.file_type().is_fifo()
        && is_a_strangers(&metadata, real.parent().unwrap_or(Path::new("/")))?
    {
        return Err(refused(
            "it is a pipe that another user put into a folder open to all",
        ));
    }
    let mut options = File::options();
    let without_waiting = options
        .write(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    let _probe = without_waiting
        .open(path)
        .map_err(|error| match error.raw_os_error() {
            Some(libc::ENXIO) => refused("it is a pipe that nobody reads"),
            _ => error,
        })?;
    File::options().write(true).open(path)
}

/// The permissions that the system gives to new files in a folder: the process's umask or the
/// folder's default access list has them.
///
/// # Errors
/// If nothing can be made in the folder.
pub fn usual_mode(folder: &Path) -> io::Result<u32> {
    const ASKED: u32 = 0o666;
    // Asking for the umask would change it, for all threads, for a moment. A file shows it.
    #[cfg(target_os = "linux")]
    {
        let mut options = File::options();
        options
            .write(true)
            .mode(ASKED)
            .custom_flags(libc::O_TMPFILE);
        if let Ok(nameless) = options.open(folder) {
            return Ok(nameless.metadata()?.mode() & 0o777);
        }
    }
    let path = folder.join(format!(".{}{TEMPORARY}", word()));
    let mut options = File::options();
    let sample = options
        .write(true)
        .create_new(true)
        .mode(ASKED)
        .open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(sample.metadata()?.mode() & 0o777)
}

/// The user whose rights this process has.
#[must_use]
pub fn effective_user() -> u32 {
    crate::system::effective_user()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn words_differ_and_names_know_their_target() {
        assert_ne!(word(), word());
        let target = Path::new("folder/a.nc");
        let path = temporary_path(target, &word()).unwrap();
        let name = path.file_name().unwrap();
        assert!(is_temporary_of(name, target));
        assert!(!is_temporary_of(name, Path::new("folder/b.nc")));
        for other in [".a.nc.frazil-part", "a.nc", ".a.nc.zz.frazil-part", ""] {
            assert!(!is_temporary_of(OsStr::new(other), target), "{other}");
        }
    }

    #[test]
    fn the_longest_names_have_temporary_files() {
        let long = |last| PathBuf::from("x".repeat(254) + last);
        let (one, other) = (long("1"), long("2"));
        for suffix in [".frazil-lock", ".0123456789abcdef.frazil-part"] {
            let path = hidden(&one, suffix).unwrap();
            assert_eq!(path.as_os_str().len(), LONGEST_NAME_BYTES);
            assert_ne!(path, hidden(&other, suffix).unwrap());
        }
        let path = temporary_path(&one, &word()).unwrap();
        assert!(is_temporary_of(path.file_name().unwrap(), &one));
        assert!(!is_temporary_of(path.file_name().unwrap(), &other));
    }

    #[test]
    fn what_is_there_is_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, b"before").unwrap();
        symlink(&file, &link).unwrap();
        let refused = create_private(&link).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for other in [&link, &pipe, &folder.path().to_owned()] {
            for write in [false, true] {
                let mut options = File::options();
                let refused = open_regular(other, options.read(!write).write(write));
                assert!(refused.is_err(), "{}", other.display());
            }
        }
        assert_eq!(std::fs::read(&file).unwrap(), b"before");
    }

    #[test]
    fn names_are_followed_as_the_system_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        std::fs::write(root.join("sub/file"), b"x").unwrap();
        symlink("sub", root.join("folder")).unwrap();
        symlink("../folder/file", root.join("sub/link")).unwrap();
        symlink(root.join("sub/link"), root.join("chain")).unwrap();
        symlink("nothing", root.join("dangling")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        for name in ["chain", "folder/link", "sub/../sub/./link", "folder/file"] {
            let path = root.join(name);
            assert_eq!(followed(&path).unwrap(), path.canonicalize().unwrap());
            assert_eq!(followed_to_new(&path).unwrap(), root.join("sub/file"));
        }
        let dangling = root.join("dangling");
        assert_eq!(
            followed(&dangling).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert_eq!(followed_to_new(&dangling).unwrap(), root.join("nothing"));
        let new = root.join("folder/new");
        assert_eq!(followed_to_new(&new).unwrap(), root.join("sub/new"));
        assert!(followed_to_new(&root.join("none/new")).is_err());
        assert!(followed_to_new(&root.join("circle")).is_err());
        assert!(followed(&root.join("sub/file/further")).is_err());
    }

    #[test]
    fn nobody_waits_for_a_pipe_to_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let refused = open_device(&pipe).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        assert!(open_device(Path::new("/dev/null")).is_ok());
    }

    #[test]
    fn new_files_have_the_usual_mode_and_private_ones_have_not() {
        let folder = tempfile::tempdir().unwrap();
        let (usual, private) = (folder.path().join("usual"), folder.path().join("private"));
        let mode = |file: File| file.metadata().unwrap().mode() & 0o777;
        let expected = mode(File::create(usual).unwrap());
        assert_eq!(usual_mode(folder.path()).unwrap(), expected);
        assert_eq!(mode(create_private(&private).unwrap()), 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
