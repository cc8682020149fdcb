//! Bytes behind the end that a file states: what a killed writer wrote after its last commit. No reader
//! looks there.

use std::fs::File;
use std::path::Path;

use super::disk::{Disk, Others};
use crate::beside::{followed, open_regular};
use crate::error::{ContainerError, Result};

/// Bytes behind the end that the HDF5 file at `path` states; 0 if it says that a program is writing it.
///
/// # Errors
/// If the file cannot be read, or is no HDF5 file.
pub fn trailing_bytes(path: &Path) -> Result<u64> {
    let wrap = |error| ContainerError::io(format!("read {}", path.display()), error);
    let path = followed(path).map_err(wrap)?;
    let file = open_regular(&path, File::options().read(true)).map_err(wrap)?;
    let bytes = file.metadata().map_err(wrap)?.len();
    let opened = frazil_hdf5::File::open(Box::new(file), None)?;
    let superblock = opened.superblock();
    Ok(match superblock.flags {
        0 => bytes.saturating_sub(superblock.end),
        // A writer is at work, or was killed: what it says of the end may be old.
        _ => 0,
    })
}

/// Cuts [`trailing_bytes`] off, and returns how many they were; `None`: another program has the file open.
/// Programs that take no locks are not noticed: look for them first.
///
/// # Errors
/// As [`trailing_bytes`]; if the file cannot be changed.
pub fn cut_trailing(path: &Path) -> Result<Option<u64>> {
    let wrap = |error| ContainerError::io(format!("shorten {}", path.display()), error);
    let target = followed(path).map_err(wrap)?;
    let Some(disk) = Disk::open(&target, Others::Nobody).map_err(wrap)? else {
        return Ok(None);
    };
    let trailing = trailing_bytes(&target)?;
    if trailing > 0 {
        let bytes = disk.bytes().map_err(wrap)?;
        disk.set_bytes(bytes - trailing).map_err(wrap)?;
        disk.sync().map_err(wrap)?;
    }
    Ok(Some(trailing))
}
