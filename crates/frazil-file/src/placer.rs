//! The placer: gives packed chunks their addresses in order and writes them in long runs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use frazil_container::hdf5::Hdf5Output;

use crate::error::{Error, Result};
use crate::storage_error::from_container;
use crate::write_run::WriteRun;

/// Neighbouring chunks are written together up to this many bytes.
const RUN_BYTES: usize = 4 << 20;

/// Writes packed chunks where libhdf5's index says they belong.
pub struct Placer<'a> {
    file: &'a File,
    path: &'a Path,
    run: WriteRun,
}

impl<'a> Placer<'a> {
    /// A placer whose bytes go to `file`; errors name `path`.
    pub fn new(file: &'a File, path: &'a Path) -> Self {
        Self {
            file,
            path,
            run: WriteRun::new(RUN_BYTES, RUN_BYTES / 2),
        }
    }

    /// The output's name, for errors.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Places one packed chunk of a dataset at element `offset`.
    ///
    /// # Errors
    /// If libhdf5 refuses the chunk, or bytes cannot be written.
    pub fn chunk(
        &mut self,
        output: &Hdf5Output,
        dataset: usize,
        offset: &[u64],
        filter_mask: u32,
        bytes: &[u8],
    ) -> Result<()> {
        let address = output
            .place_chunk(dataset, offset, filter_mask, bytes.len())
            .map_err(|error| from_container(error, self.path))?;
        self.write(address, bytes)
    }

    /// Writes bytes at an address, together with their neighbours.
    ///
    /// # Errors
    /// If bytes cannot be written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        self.run.add(address, bytes, write(self.file, self.path))
    }

    /// Writes what is still held back.
    ///
    /// # Errors
    /// If bytes cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.run.flush(write(self.file, self.path))
    }
}

fn write(file: &File, path: &Path) -> impl Fn(u64, &[u8]) -> Result<()> {
    |address, bytes| {
        file.write_all_at(bytes, address)
            .map_err(|error| Error::io(&error, "write", path))
    }
}
