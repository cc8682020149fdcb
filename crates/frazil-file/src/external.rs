//! Values that HDF5 files keep in other files.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use frazil_container::hdf5::{ExternalFile, bytes_of_text};
use frazil_pipeline::ByteSource;
use rustix::fs::OFlags;

/// Where other files are looked for whose names do not begin with a slash; libhdf5 asks it, too.
const FOLDER_VARIABLE: &str = "HDF5_EXTFILE_PREFIX";
/// Stands for the folder of the HDF5 file at the beginning of that.
const ORIGIN: &str = "${ORIGIN}";

/// The values of a dataset, which parts of other files hold one after the other.
///
/// The files are opened for each read, and found as libhdf5 finds them: names are relative to the folder that
/// the environment names, else to the current one. Where a file ends too early, there are zeros.
#[derive(Debug)]
pub(crate) struct ExternalBytes {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    /// Where it begins in its file.
    offset: u64,
    /// Its bytes; `None`: as many as are wanted.
    bytes: Option<u64>,
}

impl ExternalBytes {
    /// The parts that the HDF5 file at `of` names.
    pub(crate) fn new(of: &Path, files: &[ExternalFile]) -> io::Result<Self> {
        let folder = stated_folder(of, FOLDER_VARIABLE)?;
        let part = |file: &ExternalFile| {
            let name = PathBuf::from(OsString::from_vec(bytes_of_text(&file.name)));
            Part {
                path: match &folder {
                    Folder::Stated(folder) => folder.join(name),
                    Folder::Current => name,
                },
                offset: file.offset,
                bytes: file.bytes,
            }
        };
        Ok(Self {
            parts: files.iter().map(part).collect(),
        })
    }
}

impl ByteSource for ExternalBytes {
    fn read_exact_at(&self, mut buffer: &mut [u8], address: u64) -> io::Result<()> {
        let mut skip = address;
        for part in &self.parts {
            if let Some(bytes) = part.bytes.filter(|&bytes| bytes <= skip) {
                skip -= bytes;
                continue;
            }
            let left = part.bytes.map_or(u64::MAX, |bytes| bytes - skip);
            let length = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            let (here, rest) = std::mem::take(&mut buffer).split_at_mut(length);
            let named = |error| part.named(&error);
            part.read(here, skip).map_err(named)?;
            (buffer, skip) = (rest, 0);
            if buffer.is_empty() {
                return Ok(());
            }
        }
        match buffer.is_empty() {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Part {
    /// An error that names the file, and where it is looked for.
    fn named(&self, error: &io::Error) -> io::Error {
        let place = self.path.display();
        io::Error::other(match error.kind() {
            io::ErrorKind::NotFound => format!(
                "there is no file `{place}`, which HDF5 looks for from the current folder: run \
                 frazil where it is found, or set {FOLDER_VARIABLE} to the folder (or to \
                 {ORIGIN}, the folder of the file that is read)"
            ),
            _ => format!("the other file `{place}`: {error}"),
        })
    }

    fn read(&self, mut buffer: &mut [u8], skip: u64) -> io::Result<()> {
        let file = open_regular(&self.path)?;
        let beyond = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let mut at = self.offset.checked_add(skip).ok_or_else(beyond)?;
        while !buffer.is_empty() {
            match file.read_at(buffer, at) {
                Ok(0) => {
                    buffer.fill(0);
                    break;
                }
                Ok(got) => {
                    buffer = &mut buffer[got..];
                    at = at.saturating_add(got as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The folder that names are relative to.
pub(crate) enum Folder {
    /// Whatever the current one is.
    Current,
    /// That of the environment.
    Stated(PathBuf),
}

/// The folder that a variable of the environment has for what the HDF5 file at `of` names.
pub(crate) fn stated_folder(of: &Path, variable: &str) -> io::Result<Folder> {
    let stated = std::env::var_os(variable).unwrap_or_default();
    if stated.is_empty() || stated == "." {
        return Ok(Folder::Current);
    }
    let stated = stated.into_vec();
    let Some(below) = stated.strip_prefix(ORIGIN.as_bytes()) else {
        return Ok(Folder::Stated(PathBuf::from(OsString::from_vec(stated))));
    };
    let own = std::path::absolute(of)?;
    let own = own.parent().unwrap_or(Path::new("/"));
    let mut folder = own.as_os_str().to_owned().into_vec();
    folder.push(b'/');
    folder.extend_from_slice(below);
    Ok(Folder::Stated(PathBuf::from(OsString::from_vec(folder))))
}

/// Opens a regular file without waiting for anybody.
fn open_regular(path: &Path) -> io::Result<File> {
    let file = File::options()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_and_end_in_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let part = |name, offset, bytes| ExternalFile {
            name,
            offset,
            bytes,
        };
        let files = [
            part(write("a", b"..abc."), 2, Some(3)),
            part(write("b", b"de"), 0, Some(4)),
            part(write("c", b"f"), 0, None),
        ];
        let bytes = ExternalBytes::new(Path::new("/x.h5"), &files).unwrap();
        let mut all = [1; 10];
        bytes.read_exact_at(&mut all, 0).unwrap();
        assert_eq!(&all, b"abcde\0\0f\0\0");
        let mut some = [1; 3];
        bytes.read_exact_at(&mut some, 2).unwrap();
        assert_eq!(&some, b"cde");
        let bytes = ExternalBytes::new(Path::new("/x.h5"), &files[..2]).unwrap();
        assert!(bytes.read_exact_at(&mut some, 5).is_err());
    }

    #[test]
    fn what_is_no_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().to_str().unwrap().to_owned();
        let files = [ExternalFile {
            name: name.clone(),
            offset: 0,
            bytes: None,
        }];
        let bytes = ExternalBytes::new(Path::new("/x.h5"), &files).unwrap();
        let error = bytes.read_exact_at(&mut [0; 4], 0).unwrap_err();
        assert!(error.to_string().contains(&name), "{error}");
    }
}
