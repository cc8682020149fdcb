//! The bytes before the HDF5 part of a file, which are its author's own.

use std::os::unix::fs::FileExt;

use frazil_container::hdf5::Hdf5Input;
use frazil_pipeline::ByteSource;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::pending::PendingOutput;

/// Copies the bytes before the HDF5 part.
///
/// # Errors
/// If bytes cannot be read or written.
pub fn copy_user_block(source: &Input, pending: &PendingOutput) -> Result<()> {
    let bytes = source.hdf5().map_or(0, Hdf5Input::user_block_bytes);
    let mut buffer = vec![0_u8; 1 << 16];
    let mut at = 0;
    while at < bytes {
        let part = &mut buffer[..(bytes - at).min(1 << 16) as usize];
        source
            .bytes()
            .read_exact_at(part, at)
            .map_err(|error| Error::io(&error, "read the user block of", source.path()))?;
        pending
            .file()
            .write_all_at(part, at)
            .map_err(|error| Error::io(&error, "write", pending.path()))?;
        at += part.len() as u64;
    }
    Ok(())
}
