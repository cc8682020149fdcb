//! Values that HDF5 files keep in other files.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_container::hdf5::{ExternalFile, Source, bytes_of_text};
use frazil_pipeline::ByteSource;
use frazil_types::sync::Mutex;
use rustix::fs::OFlags;

use crate::far_bytes::FarBytes;
use crate::remote;

/// Where other files are looked for whose names do not begin with a slash; libhdf5 asks it, too.
const FOLDER_VARIABLE: &str = "HDF5_EXTFILE_PREFIX";
/// Stands for the folder of the HDF5 file at the beginning of that.
const ORIGIN: &str = "${ORIGIN}";

/// The values of a dataset, which parts of other files hold one after the other.
///
/// Of a file that is somewhere else they are beside it. Others are opened for each read, and found as libhdf5 finds them: names are relative to the folder that
/// the environment names, else to the current one. Where a file ends too early, there are zeros.
#[derive(Debug)]
pub(crate) struct ExternalBytes {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    place: Place,
    /// Where it begins in its file.
    offset: u64,
    /// Its bytes; `None`: as many as are wanted.
    bytes: Option<u64>,
}

#[derive(Debug)]
enum Place {
    Here(PathBuf),
    Far(FarFile),
}

/// A file beside one that is somewhere else.
struct FarFile {
    of: PathBuf,
    source: Arc<dyn Source>,
    name: String,
    bytes: Mutex<Option<Arc<FarBytes>>>,
}

impl fmt::Debug for FarFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FarFile").field(&self.name).finish()
    }
}

impl ExternalBytes {
    /// The parts that an HDF5 file names which is somewhere else, and which messages call `of`.
    pub(crate) fn far(of: &Path, source: &Arc<dyn Source>, files: &[ExternalFile]) -> Self {
        let part = |file: &ExternalFile| Part {
            place: Place::Far(FarFile {
                of: of.to_owned(),
                source: Arc::clone(source),
                name: file.name.clone(),
                bytes: Mutex::default(),
            }),
            offset: file.offset,
            bytes: file.bytes,
        };
        Self {
            parts: files.iter().map(part).collect(),
        }
    }

    /// The parts that the HDF5 file at `of` names.
    pub(crate) fn new(of: &Path, files: &[ExternalFile]) -> io::Result<Self> {
        let folder = stated_folder(of, FOLDER_VARIABLE)?;
        let part = |file: &ExternalFile| {
            let name = PathBuf::from(OsString::from_vec(bytes_of_text(&file.name)));
            Part {
                place: Place::Here(match &folder {
                    Folder::Stated(folder) => folder.join(name),
                    Folder::Current => name,
                }),
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
            part.read(here, skip)?;
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
    fn read(&self, buffer: &mut [u8], skip: u64) -> io::Result<()> {
        let beyond = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let at = self.offset.checked_add(skip).ok_or_else(beyond)?;
        match &self.place {
            Place::Here(path) => read_here(path, buffer, at).map_err(|error| named(path, &error)),
            Place::Far(file) => file.read(buffer, at),
        }
    }
}

impl FarFile {
    /// Fills `buffer`, with zeros where the file ends before.
    fn read(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        let bytes = self.bytes()?;
        let there = bytes.source().length()?.saturating_sub(at);
        let length = usize::try_from(there).unwrap_or(usize::MAX);
        let (read, zeros) = buffer.split_at_mut(length.min(buffer.len()));
        zeros.fill(0);
        match read.is_empty() {
            true => Ok(()),
            false => bytes.read(read, at),
        }
    }

    fn bytes(&self) -> io::Result<Arc<FarBytes>> {
        let mut known = self.bytes.lock();
        if let Some(bytes) = &*known {
            return Ok(Arc::clone(bytes));
        }
        let found = remote::beside(&self.source, &self.name, &self.of).map_err(io::Error::other)?;
        let (_, source) = found.ok_or_else(|| {
            let cause = format!(
                "there is no file `{}` beside it, which has its values",
                self.name
            );
            io::Error::other(cause)
        })?;
        source.settle();
        let bytes = Arc::new(FarBytes::new(source));
        *known = Some(Arc::clone(&bytes));
        Ok(bytes)
    }
}

/// An error that names the file, and where it is looked for.
fn named(path: &Path, error: &io::Error) -> io::Error {
    let place = path.display();
    io::Error::other(match error.kind() {
        io::ErrorKind::NotFound => format!(
            "there is no file `{place}`, which HDF5 looks for from the current folder: run \
             frazil where it is found, or set {FOLDER_VARIABLE} to the folder (or to \
             {ORIGIN}, the folder of the file that is read)"
        ),
        _ => format!("the other file `{place}`: {error}"),
    })
}

/// Fills `buffer`, with zeros where the file ends before.
fn read_here(path: &Path, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    let file = open_regular(path)?;
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
