//! What kind of file an input is: told by its first bytes.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use frazil_codec::{BoundDecoder, Scratch, decode_one};
use frazil_container::ContainerError;
use frazil_container::classic::{ClassicFile, ClassicFormat};
use frazil_container::hdf5::{Hdf5Input, Source, decode_filters_with};
use frazil_types::{ErrorCode, FilterPipeline, FilterSpec};

use crate::error::Error;

/// What kind of file an input is.
#[derive(Debug)]
pub enum InputKind {
    /// HDF5 of any sort.
    Hdf5(Hdf5Input),
    /// Classic netCDF.
    Classic(ClassicFile),
}

/// HDF5 superblocks begin at byte 0, 512, 1024, ... with these bytes.
const HDF5_SIGNATURE: [u8; 8] = [0x89, b'H', b'D', b'F', 0x0d, 0x0a, 0x1a, 0x0a];

/// Opens a file of this machine.
pub(crate) fn open_kind(
    file: &File,
    path: &Path,
) -> std::result::Result<InputKind, ContainerError> {
    let mut magic = [0_u8; 8];
    let mut head = file;
    let got = head.read(&mut magic).unwrap_or(0);
    if ClassicFormat::from_magic(&magic[..got]).is_some() {
        return Ok(InputKind::Classic(ClassicFile::open(path)?));
    }
    if has_signature(file) {
        decode_filters_with(undo_one_filter);
        return Hdf5Input::open(path).map(InputKind::Hdf5);
    }
    Err(no_container(&magic[..got]))
}

/// Whether there is a netCDF or HDF5 file.
pub(crate) fn is_data_file(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut magic = [0_u8; 8];
    let got = file.read_at(&mut magic, 0).unwrap_or(0);
    ClassicFormat::from_magic(&magic[..got]).is_some() || has_signature(&file)
}

/// The error for a file that begins with these bytes.
fn no_container(beginning: &[u8]) -> ContainerError {
    ContainerError::NotAContainer(match beginning {
        [] => " (the file is empty)".to_owned(),
        [0x0e, 0x03, 0x13, 0x01, ..] => " (it is HDF4; convert it with h4toh5 first)".to_owned(),
        [b'G', b'R', b'I', b'B', ..] => " (it is GRIB; convert it with cdo or ecCodes)".to_owned(),
        _ => String::new(),
    })
}

/// As [`open_kind`], of a file that is somewhere else.
pub(crate) fn open_far(
    name: &Path,
    source: &Arc<dyn Source>,
) -> std::result::Result<InputKind, ContainerError> {
    let failed = |source| ContainerError::Io {
        doing: "read file".to_owned(),
        source,
    };
    let length = source.length().map_err(failed)?;
    let read = |from: u64, bytes: u64| -> std::io::Result<Vec<u8>> {
        let range = from.min(length)..from.saturating_add(bytes).min(length);
        let mut found = source.read_ranges(std::slice::from_ref(&range))?;
        Ok(found.pop().unwrap_or_default())
    };
    let magic = read(0, HDF5_SIGNATURE.len() as u64).map_err(failed)?;
    if ClassicFormat::from_magic(&magic).is_some() {
        let header = Header {
            read: &read,
            bytes: Vec::new(),
            at: 0,
            step: source.head_bytes().max(1 << 16),
        };
        return Ok(InputKind::Classic(ClassicFile::parse(
            name, header, length,
        )?));
    }
    let mut at = 0;
    while at < length {
        if read(at, HDF5_SIGNATURE.len() as u64).map_err(failed)? == HDF5_SIGNATURE {
            decode_filters_with(undo_one_filter);
            return Hdf5Input::open_far(name, source).map(InputKind::Hdf5);
        }
        at = if at == 0 { 512 } else { at * 2 };
    }
    Err(no_container(&magic))
}

/// The beginning of a file as a stream, a long step at a time.
struct Header<'a> {
    read: &'a dyn Fn(u64, u64) -> std::io::Result<Vec<u8>>,
    bytes: Vec<u8>,
    /// Where what is behind `bytes` begins.
    at: u64,
    step: u64,
}

impl Read for Header<'_> {
    fn read(&mut self, target: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.is_empty() {
            self.bytes = (self.read)(self.at, self.step)?;
            self.at += self.bytes.len() as u64;
        }
        let length = self.bytes.len().min(target.len());
        target[..length].copy_from_slice(&self.bytes[..length]);
        self.bytes.drain(..length);
        Ok(length)
    }
}

/// Undoes one filter of a chunk that is read through libhdf5. The result has at most as many bytes
/// as given; 0: as the chunk itself states.
fn undo_one_filter(
    filter: &FilterSpec,
    stored: &[u8],
    at_most: usize,
) -> std::result::Result<Vec<u8>, String> {
    let mut scratch = Scratch::default();
    let decoded = match at_most {
        0 => decode_one(filter, stored, &mut scratch),
        _ => BoundDecoder::bind(&FilterPipeline(vec![filter.clone()]), 1, at_most)
            .and_then(|decoder| decoder.decode_start(stored, 0, &mut scratch)),
    };
    decoded.map_err(|error| error.to_string())
}

/// Looks for the HDF5 signature where a user block may have pushed it.
fn has_signature(file: &File) -> bool {
    let mut found = [0_u8; 8];
    let mut at = 0_u64;
    while file.read_exact_at(&mut found, at).is_ok() {
        if found == HDF5_SIGNATURE {
            return true;
        }
        at = if at == 0 { 512 } else { at * 2 };
    }
    false
}

/// The error for one file of several that a driver of HDF5 has split: libhdf5 calls it damaged.
pub(crate) fn or_one_of_several(error: Error, file: &File) -> Error {
    /// A driver's name stands near the superblock.
    const HEAD_BYTES: usize = 512;
    let mut head = [0; HEAD_BYTES];
    let read = file.read_at(&mut head, 0).unwrap_or(0);
    let has = |name: &[u8]| head[..read].windows(name.len()).any(|at| at == name);
    let (driver, cure) = if has(b"NCSAfami") {
        let cure = "join them first: h5repart -family_to_single NAME_%d.h5 whole.h5";
        ("family", cure)
    } else if has(b"NCSAmult") {
        let cure = "copy all of it to one file first, for example with h5py's driver=\"split\"";
        ("multi", cure)
    } else {
        return error;
    };
    let path = error.file.clone().unwrap_or_default();
    let cause = format!("is one of several files that HDF5's {driver} driver makes of one");
    Error::new(ErrorCode::Unsupported, cause)
        .in_file(&path)
        .with_cure(cure)
}
