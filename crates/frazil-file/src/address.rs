//! What a user names as a file: a path, or a URL.
//!
//! URLs travel as paths, as all names of files do. `file://` is a path in another form.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use frazil_types::{ErrorCode, without_secrets};

use crate::error::{Error, Result};

/// Schemes of URLs that lead to other machines.
const REMOTE: [&str; 12] = [
    "http", "https", "s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "ftp",
];

/// The URL that a path stands for, if it leads to another machine.
///
/// Some programs, `pathlib` among them, make one slash of two: that is understood where no such file is here.
#[must_use]
pub fn url_of(path: &Path) -> Option<Cow<'_, str>> {
    let text = path.to_str()?;
    let (scheme, rest) = text.split_once(":/")?;
    if !REMOTE.contains(&scheme.to_ascii_lowercase().as_str()) {
        return None;
    }
    match rest.starts_with('/') {
        true => Some(Cow::Borrowed(text)),
        false if path.exists() => None,
        false => Some(Cow::Owned(format!("{scheme}://{rest}"))),
    }
}

/// The path on this machine: that behind `file://`, or what it is.
///
/// # Errors
/// If `file://` names another machine.
pub fn local(path: &Path) -> Result<Cow<'_, Path>> {
    let bytes = path.as_os_str().as_bytes();
    let Some(behind) = bytes.strip_prefix(b"file:/") else {
        return Ok(Cow::Borrowed(path));
    };
    let absolute = match behind.strip_prefix(b"/") {
        None if path.exists() => return Ok(Cow::Borrowed(path)),
        // file:/path
        None => [b"/", behind].concat(),
        Some(rest) => match rest.strip_prefix(b"localhost/") {
            Some(path) => [b"/", path].concat(),
            None if rest.starts_with(b"/") => rest.to_vec(),
            None => {
                let cause = "a file:// URL can only name files on this machine";
                return Err(Error::new(ErrorCode::InvalidArgument, cause)
                    .in_file(path)
                    .with_cure("write file:///FOLDER/FILE"));
            }
        },
    };
    Ok(Cow::Owned(PathBuf::from(OsString::from_vec(decoded(
        &absolute,
    )))))
}

/// Bytes of a URL's path, `%20` and its like undone.
fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |at: Option<&u8>| at.and_then(|&byte| char::from(byte).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let pair = (text[at] == b'%')
            .then(|| Some(digit(text.get(at + 1))? * 16 + digit(text.get(at + 2))?))
            .flatten();
        match pair {
            Some(byte) => {
                bytes.push(byte as u8);
                at += 3;
            }
            None => {
                bytes.push(text[at]);
                at += 1;
            }
        }
    }
    bytes
}

/// A URL as messages show it.
#[must_use]
pub fn shown(url: &str) -> PathBuf {
    PathBuf::from(&*without_secrets(url))
}

/// Refuses a name that no input can have: `-`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for it.
pub fn check_input_name(path: &Path) -> Result<()> {
    refuse_stream(path, true)
}

/// The error for `-`, where a file is needed.
///
/// # Errors
/// If it is `-`.
pub fn refuse_stream(path: &Path, is_input: bool) -> Result<()> {
    if path != Path::new("-") || path.exists() {
        return Ok(());
    }
    let (cause, cure) = match is_input {
        true => (
            "frazil reads the parts of a file in any order, and standard input does not allow that",
            "save it to a file first, for example with `cat > FILE`",
        ),
        false => (
            "frazil writes the parts of a file in any order, and standard output does not allow \
             that",
            "write to a file and print that, for example with `frazil pack IN -o OUT && cat OUT`",
        ),
    };
    Err(Error::new(ErrorCode::InvalidArgument, cause)
        .in_file(path)
        .with_cure(cure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_paths() {
        assert_eq!(url_of(Path::new("s3://b/x")).unwrap(), "s3://b/x");
        assert_eq!(url_of(Path::new("https:/h/x")).unwrap(), "https://h/x");
        for path in ["x.nc", "/a/b", "a:/b", "file:///x", "s3:x"] {
            assert!(url_of(Path::new(path)).is_none(), "{path}");
        }
    }

    #[test]
    fn file_urls_are_paths() {
        let of = |text: &str| local(Path::new(text)).unwrap().into_owned();
        assert_eq!(of("file:///a/b%20c.nc"), Path::new("/a/b c.nc"));
        assert_eq!(of("file://localhost/a%2"), Path::new("/a%2"));
        assert_eq!(of("file:/a"), Path::new("/a"));
        assert_eq!(of("a/b"), Path::new("a/b"));
        assert!(local(Path::new("file://host/a")).is_err());
    }

    #[test]
    fn secrets_are_not_shown() {
        let of = |text: &str| shown(text).to_str().unwrap().to_owned();
        assert_eq!(of("https://me:secret@h/x.nc?sig=1#a"), "https://h/x.nc");
        assert_eq!(of("http://me@h"), "http://h");
        assert_eq!(of("s3://bucket/a?b.nc"), "s3://bucket/a?b.nc");
    }
}
