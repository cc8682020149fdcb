//! The placer: gives packed chunks their addresses in order and writes them in long runs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use frazil_container::hdf5::Hdf5Output;

use crate::error::{Error, Result};
use crate::storage_error::from_container;

/// Neighbouring chunks are written together up to this many bytes.
const RUN_BYTES: usize = 4 << 20;

/// Writes packed chunks where libhdf5's index says they belong.
pub struct Placer<'a> {
    file: &'a File,
    path: &'a Path,
    run: Vec<u8>,
    run_address: u64,
}

impl<'a> Placer<'a> {
    /// A placer whose bytes go to `file`; errors name `path`.
    pub fn new(file: &'a File, path: &'a Path) -> Self {
        Self {
            file,
            path,
            run: Vec::with_capacity(RUN_BYTES),
            run_address: 0,
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
        let follows = self.run_address + self.run.len() as u64 == address;
        if !follows || self.run.len() + bytes.len() > RUN_BYTES {
            self.flush()?;
            self.run_address = address;
        }
        if bytes.len() >= RUN_BYTES / 2 && self.run.is_empty() {
            self.run_address = address + bytes.len() as u64;
            return self.write_now(address, bytes);
        }
        self.run.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what is still held back.
    ///
    /// # Errors
    /// If bytes cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        if !self.run.is_empty() {
            self.write_now(self.run_address, &self.run)?;
            self.run_address += self.run.len() as u64;
            self.run.clear();
        }
        Ok(())
    }

    fn write_now(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all_at(bytes, address)
            .map_err(|error| Error::io(&error, "write", self.path))
    }
}
