//! The folder in which a file is to be written, or is looked for.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use frazil_container::beside;
use frazil_types::{ErrorCode, spelling};

use crate::error::{Error, Result};

/// Refuses a name that ends in a slash, which only folders have.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for such a name.
pub(crate) fn check_file_name(path: &Path) -> Result<()> {
    match path.as_os_str().as_bytes().ends_with(b"/") {
        true => {
            let cause = "a name that ends in / is that of a folder";
            Err(Error::new(ErrorCode::InvalidArgument, cause)
                .in_file(path)
                .with_cure("name a file in it"))
        }
        false => Ok(()),
    }
}

/// Checks that the folder is there in which a file is to be written: frazil makes the folders that it
/// is given as such, and those of its own, but none that only a file's name mentions.
///
/// # Errors
/// [`ErrorCode::NotFound`] if it is not, [`ErrorCode::InvalidArgument`] if it is a file or the name ends in a slash,
/// [`ErrorCode::PermissionDenied`] if a stranger's link in a folder open to all leads there.
pub fn check_folder(path: &Path) -> Result<()> {
    check_file_name(path)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => return Ok(()),
    };
    let (code, cause, cure) = match folder.metadata() {
        Ok(found) if found.is_dir() => {
            let led = beside::followed(folder);
            return led
                .map(drop)
                .map_err(|error| Error::io(&error, "write into the folder of", path));
        }
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

/// The file beside a missing one whose name is spelled most like it, if one is much like it.
pub(crate) fn similar_file(missing: &Path) -> Option<PathBuf> {
    /// A larger folder is not searched to the end.
    const MOST_ENTRIES: usize = 10_000;
    let word = missing.file_name()?.to_str()?;
    if missing.symlink_metadata().is_ok() {
        return None;
    }
    let folder = match missing.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let entries = folder.read_dir().ok()?.flatten().take(MOST_ENTRIES);
    let files = entries.filter(|entry| entry.path().is_file());
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with('.') == word.starts_with('.'))
        .collect();
    // Folders have no order: the same folder gives the same answer.
    names.sort_unstable();
    let near = spelling::nearest(word, names.iter().map(String::as_str))?;
    // Letters of an extension that both have make no short name like another.
    let (stem, extension) = split(word);
    let (near_stem, near_extension) = split(near);
    let is_like = extension != near_extension || spelling::nearest(stem, [near_stem]).is_some();
    is_like.then(|| missing.with_file_name(near))
}

/// A name without its extension, and that.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

/// Bytes that are free for this user where a file is to be written, if the system tells.
#[must_use]
pub fn free_bytes(path: &Path) -> Option<u64> {
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The error for a file that cannot be made in the folder of `target`.
pub(crate) fn cannot_create(error: &std::io::Error, target: &Path) -> Error {
    let mapped = Error::io(error, "create", target);
    match error.kind() {
        std::io::ErrorKind::NotFound => match check_folder(target) {
            Ok(()) => mapped,
            Err(missing) => missing,
        },
        std::io::ErrorKind::PermissionDenied => {
            let why = match target.exists() {
                true => "it is replaced by a new file, and its folder lets you make none: ",
                false => "",
            };
            let cure = "write to a directory that you may write to, with -o or --out-dir";
            mapped.with_cure(format!("{why}{cure}"))
        }
        _ => mapped,
    }
}
