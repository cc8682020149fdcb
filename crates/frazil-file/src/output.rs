//! Where an output goes, checked before any work is done.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use frazil_container::beside;
use frazil_types::ErrorCode;

use crate::address;
use crate::error::{Error, Result};
use crate::folder::{check_file_name, check_folder};
use crate::naming::Before;
use crate::other_writers;

/// Metadata of ordinary files are allocated in blocks of this many bytes, so that chunks lie in
/// long runs; files smaller than `SMALL_FILE_BYTES` use libhdf5's own 2 KiB.
pub const METADATA_BLOCK_BYTES: u64 = 32 << 10;
/// As [`METADATA_BLOCK_BYTES`], for files of which nobody knows how large they become: what stays empty in the
/// last block is a small part of a small file, and two nodes of a chunk index lie in each.
pub const GROWING_BLOCK_BYTES: u64 = 8 << 10;
const SMALL_FILE_BYTES: u64 = 16 << 20;
const SMALL_METADATA_BLOCK_BYTES: u64 = 2 << 10;

/// The blocks of metadata for a file of about `bytes`.
pub const fn metadata_block_bytes(bytes: u64) -> u64 {
    match bytes < SMALL_FILE_BYTES {
        true => SMALL_METADATA_BLOCK_BYTES,
        false => METADATA_BLOCK_BYTES,
    }
}

/// Where packed files go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// One input to one named file.
    File(PathBuf),
    /// Every input into this directory, under its own name.
    Directory(PathBuf),
    /// Every input replaced by its packed form, once that is verified.
    InPlace {
        /// Replace a file that has several hard links (the other names keep the old content).
        break_hard_links: bool,
    },
}

/// Where one input's output goes, checked before any work is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The final name (symbolic links resolved for in-place work).
    pub path: PathBuf,
    /// Whether the input itself is replaced.
    pub in_place: bool,
    /// What lies there; in place: as of the moment at which the input is opened.
    pub before: Before,
}

/// Works out the target of `input`.
///
/// # Errors
/// If the target is the input, exists and may not be replaced, or has no folder.
pub fn resolve(input: &Path, destination: &Destination, overwrite: bool) -> Result<Target> {
    if let Some(url) = address::url_of(input) {
        return resolve_far(&url, destination, overwrite);
    }
    address::refuse_stream(input, true)?;
    let input = &*address::local(input)?;
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
            let followed = beside::followed(input).map_err(|e| Error::io(&e, "resolve", input))?;
            // Where no link is on the way, the file is named as its user names it.
            let path = match std::path::absolute(input) {
                Ok(absolute) if absolute == followed => input.to_owned(),
                _ => followed,
            };
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
            make_directory(directory)?;
            separate(input, &metadata, &directory.join(name), overwrite)
        }
    }
}

/// As [`resolve`], for an input on another machine.
fn resolve_far(url: &str, destination: &Destination, overwrite: bool) -> Result<Target> {
    let shown = address::shown(url);
    match destination {
        Destination::InPlace { .. } => {
            let cause = "it is on another machine, and is not replaced in place";
            Err(Error::new(ErrorCode::InvalidArgument, cause)
                .in_file(&shown)
                .with_cure("name another file with -o"))
        }
        Destination::File(path) => new_file(path, overwrite),
        Destination::Directory(directory) => {
            let name = shown.file_name().ok_or_else(|| {
                Error::new(ErrorCode::InvalidArgument, "has no file name").in_file(&shown)
            })?;
            make_directory(directory)?;
            new_file(&directory.join(name), overwrite)
        }
    }
}

fn make_directory(directory: &Path) -> Result<()> {
    // With a slash behind it a link's name would mean what it leads to.
    let directory = directory.components().as_path();
    std::fs::create_dir_all(directory).map_err(|error| match directory.is_symlink() {
        true => not_followed(&std::io::ErrorKind::NotFound.into(), directory),
        false => Error::io(&error, "create directory", directory),
    })
}

fn separate(input: &Path, source: &Metadata, path: &Path, overwrite: bool) -> Result<Target> {
    let path = &*address::local(path)?;
    if let Ok(existing) = path.metadata()
        && (existing.dev(), existing.ino()) == (source.dev(), source.ino())
    {
        return Err(
            Error::new(ErrorCode::InvalidArgument, "input and output are one file")
                .in_file(input)
                .with_cure("use --in-place to replace it"),
        );
    }
    new_file(path, overwrite)
}

/// Refuses a name that no output can have: `-`, that of a folder, there or not, and a mere ending such
/// as `.nc`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for such a name.
pub fn check_output_name(path: &Path) -> Result<()> {
    let path = &*address::local(path)?;
    address::refuse_stream(path, false)?;
    if is_only_ending(path) {
        let cause = "is only the ending of a name";
        return Err(Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(path)
            .with_cure("put a name before it: out.nc"));
    }
    let checked = match path.is_dir() {
        true => Err(Error::new(ErrorCode::InvalidArgument, "is a directory").in_file(path)),
        false => check_file_name(path),
    };
    checked.map_err(|error| error.with_cure("use --out-dir for a directory"))
}

/// Whether a name is but the ending of files, as `-o.nc` makes one.
fn is_only_ending(path: &Path) -> bool {
    const ENDINGS: [&str; 7] = [".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".he5", ".hdf"];
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| ENDINGS.contains(&name))
}

/// An output that is not its own input.
fn new_file(path: &Path, overwrite: bool) -> Result<Target> {
    check_output_name(path)?;
    let path = &*address::local(path)?;
    // A link stays one: what it leads to is replaced, as by `cp`.
    let followed = match overwrite && path.is_symlink() {
        true => Some(beside::followed(path).map_err(|error| not_followed(&error, path))?),
        false => None,
    };
    let path = followed.as_deref().unwrap_or(path);
    let before = check_new(path, overwrite)?;
    other_writers::refuse_active(path)?;
    Ok(Target {
        path: path.to_owned(),
        in_place: false,
        before,
    })
}

/// The error for a link that leads to no file of which a new one can take the place.
fn not_followed(error: &std::io::Error, path: &Path) -> Error {
    let cure = "name another file, or remove the link";
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            let cause = "is a link to a file that does not exist";
            Error::new(ErrorCode::AlreadyExists, cause).in_file(path)
        }
        _ => Error::io(error, "follow the link", path),
    }
    .with_cure(cure)
}

/// Checks that a file may be written at `path`: its folder is there, and nothing else, or a file that
/// is to be replaced. Says which.
///
/// # Errors
/// If no file may be written there.
pub fn check_new(path: &Path, overwrite: bool) -> Result<Before> {
    let before = Before::now(path);
    let existing = match path.metadata() {
        Ok(existing) => existing,
        Err(error) if !overwrite && path.is_symlink() => {
            let cause = match is_loop(&error) {
                true => "is a link that leads back to itself",
                false => "is a link to a file that does not exist",
            };
            return Err(Error::new(ErrorCode::AlreadyExists, cause)
                .in_file(path)
                .with_cure("name another file, or remove the link"));
        }
        Err(_) => return check_folder(path).map(|()| before),
    };
    if existing.is_dir() {
        return Err(Error::new(ErrorCode::InvalidArgument, "is a directory")
            .in_file(path)
            .with_cure("name a file in it"));
    }
    check_replaceable(path, &existing)?;
    if !overwrite {
        return Err(Error::new(ErrorCode::AlreadyExists, "exists already")
            .in_file(path)
            .with_cure("add --overwrite to replace it"));
    }
    check_folder(path).map(|()| before)
}

fn is_loop(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Refuses what a finished output, which is renamed, would remove for good: devices, pipes, sockets, and
/// names that stand for a stream that is open, such as `/dev/stdout`, whatever it leads to.
///
/// # Errors
/// If replacing it would remove it for good.
pub fn check_replaceable(path: &Path, existing: &Metadata) -> Result<()> {
    let is_streams = |path: &Path| path.starts_with("/proc") || path.starts_with("/dev/fd");
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let is_stream = folder.is_some_and(|folder| is_streams(&folder) || folder == Path::new("/dev"))
        || path.read_link().is_ok_and(|target| is_streams(&target));
    if existing.is_file() && !is_stream {
        return Ok(());
    }
    let cause = "is a device, a pipe or a socket, which no file can replace";
    Err(Error::new(ErrorCode::InvalidArgument, cause)
        .in_file(path)
        .with_cure("name a file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("out.nc");
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let refused = check_new(&socket, true).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
        assert!(socket.exists() && !socket.is_file());
        // Standard output may be a file, and its name must stay all the same.
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        let open = std::fs::File::create(&file).unwrap();
        let stream = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
        std::os::unix::fs::symlink(&stream, &link).unwrap();
        for path in [&link, Path::new(&stream)] {
            let refused = check_new(path, true).unwrap_err();
            assert_eq!(
                refused.code,
                ErrorCode::InvalidArgument,
                "{}",
                path.display()
            );
        }
        assert!(check_new(&file, true).is_ok());
    }

    #[test]
    fn a_link_to_itself_is_told_from_one_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [loops, dangles] = ["loops", "dangles"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&loops, &loops).unwrap();
        std::os::unix::fs::symlink("nothing", &dangles).unwrap();
        let cause = |path: &Path| check_new(path, false).unwrap_err().cause;
        assert!(cause(&loops).contains("back to itself"));
        assert!(cause(&dangles).contains("does not exist"));
    }

    #[test]
    fn the_name_of_a_folder_is_none_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("new/");
        assert!(check_output_name(&folder.path().join("new")).is_ok());
        for refused in [
            check_output_name(&name),
            check_output_name(folder.path()),
            check_output_name(Path::new("-")),
            check_output_name(&folder.path().join(".nc")),
            check_folder(&name),
            crate::text_file::check_text_output(&name),
        ] {
            assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidArgument);
        }
    }

    #[test]
    fn a_file_in_place_keeps_its_name_and_a_link_does_not() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let name = folder.path().file_name().unwrap();
        let (file, link) = (Path::new(name).join("a.nc"), Path::new(name).join("b.nc"));
        std::fs::write(&file, b"x").unwrap();
        std::os::unix::fs::symlink("a.nc", &link).unwrap();
        let in_place = Destination::InPlace {
            break_hard_links: false,
        };
        let target = |input: &Path| resolve(input, &in_place, false).unwrap().path;
        assert_eq!(target(&file), file);
        assert_eq!(target(&link), file.canonicalize().unwrap());
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
