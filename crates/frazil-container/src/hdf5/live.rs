//! A file being written over a long time, which is at its last commit whatever happens.

use std::path::Path;
use std::sync::Arc;

use frazil_types::FileAddress;
use parking_lot::{Mutex, MutexGuard};

use super::OutputStorage;
use super::additions::{self, Additions, NewAttribute};
use super::classic_define;
use super::define::name_object;
use super::output::{blame, check_lengths};
use crate::classic::ClassicModel;
use crate::commit::{CommittedFile, recover};
use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::file;
use crate::ffi::property::{PropertyList, TRACKED_AND_INDEXED};
use crate::ffi::{Handle, LiveFile, RawSink};

/// Newest superblock that is opened for appending: newer ones mark the file as being written.
const NEWEST_SUPERBLOCK: u32 = 2;

/// Who writes the bytes of a chunk that was placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The caller, to this address, before the next commit and before the chunk is placed again.
    WriteAt(FileAddress),
    /// Nobody any more: this address belongs to the last commit, and the bytes wait in memory for
    /// the next one.
    Held(FileAddress),
}

impl Placement {
    /// Where the chunk is.
    #[must_use]
    pub fn address(self) -> FileAddress {
        match self {
            Self::WriteAt(address) | Self::Held(address) => address,
        }
    }
}

/// A file that changes by commits only.
///
/// Between commits, other programs read it as it was at the last one; so it is when this process
/// is killed ([`recover`] completes a commit that it was killed in). Dropped without
/// [`Self::finish`], what was written since the last commit is lost.
pub struct LiveOutput {
    // Dropped first: what closing the rest makes libhdf5 write is of no commit.
    live: Writing,
    // Datasets and handles are dropped before the file they belong to.
    datasets: Vec<Dataset>,
    sink: RawSink,
    file: Handle,
}

/// Our share of a live file; dropped, it lets go of the file on disk.
struct Writing(LiveFile);

impl Writing {
    fn new(file: CommittedFile) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    fn lock(&self) -> MutexGuard<'_, CommittedFile> {
        self.0.lock()
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.lock().abandon();
    }
}

impl std::fmt::Debug for LiveOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveOutput")
            .field("datasets", &self.datasets.len())
            .finish_non_exhaustive()
    }
}

impl LiveOutput {
    /// Makes a netCDF-4 file with the dimensions, variables and attributes of `model`, and
    /// `additions`, of the file at `path`, which must exist and be empty. It can be read from the
    /// first commit on.
    ///
    /// `storage` says how each variable lies; metadata are allocated in blocks of
    /// `metadata_block_bytes`. Datasets are numbered as the model's variables.
    ///
    /// # Errors
    /// If the file is not there, not empty or locked, or libhdf5 refuses a definition.
    pub fn create(
        path: &Path,
        model: &ClassicModel,
        strict: bool,
        storage: &[OutputStorage],
        additions: &Additions,
        metadata_block_bytes: u64,
    ) -> Result<Self> {
        check_lengths(model.variables.len(), storage, additions)?;
        let live = CommittedFile::open(path, 0)?;
        if live.committed_end() != 0 {
            return Err(ContainerError::Internal(format!(
                "{} is not empty",
                path.display()
            )));
        }
        let live = Writing::new(live);
        let creation = PropertyList::file_create(0, TRACKED_AND_INDEXED)?;
        let (file, sink) = file::create_live(&live.0, path, &creation, metadata_block_bytes)?;
        let mut output = Self {
            live,
            datasets: Vec::new(),
            sink,
            file,
        };
        let defined = classic_define::define(model, strict, &output.file, storage, additions)
            .map_err(|error| blame(error, sink))?;
        output.datasets = defined.datasets;
        Ok(output)
    }

    /// Opens a file to go on writing it; a commit that was left half-done is recovered first. It
    /// has no datasets until [`Self::open_dataset`] is called.
    ///
    /// # Errors
    /// If the file cannot be recovered ([`recover`]) or opened, is locked, or is in a format that
    /// cannot be written safely.
    pub fn open(path: &Path, metadata_block_bytes: u64) -> Result<Self> {
        recover(path)?;
        let live = Writing::new(CommittedFile::open_existing(path)?);
        let (file, sink) = file::open_live(&live.0, path, metadata_block_bytes)?;
        let output = Self {
            live,
            datasets: Vec::new(),
            sink,
            file,
        };
        if file::superblock_version(&output.file)? > NEWEST_SUPERBLOCK {
            return Err(ContainerError::Unsupported(
                "files in the latest HDF5 format (superblock 3) cannot be appended to: repack the \
                 file first"
                    .to_owned(),
            ));
        }
        let end = sink.end_of_allocation();
        output.live.lock().set_committed_end(end);
        Ok(output)
    }

    /// Opens the dataset at a path and returns its number.
    ///
    /// # Errors
    /// If there is none.
    pub fn open_dataset(&mut self, path: &str) -> Result<usize> {
        let dataset = Dataset::open(&self.file, path).map_err(|e| name_object(path, e))?;
        self.datasets.push(dataset);
        Ok(self.datasets.len() - 1)
    }

    /// Lets a dataset grow to this shape, as far as it is unlimited.
    ///
    /// # Errors
    /// If it cannot have the shape.
    pub fn extend(&self, dataset: usize, shape: &[u64]) -> Result<()> {
        let outcome = self.dataset(dataset)?.set_shape(shape);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Enters a chunk into a dataset's index, or another form of one that is there.
    ///
    /// `offset` is the chunk's first element, `bytes` the chunk as it is stored. A chunk that
    /// replaces one of the same size keeps that one's filter mask (libhdf5 does not change it).
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn place_chunk(
        &self,
        dataset: usize,
        offset: &[u64],
        filter_mask: u32,
        bytes: &[u8],
    ) -> Result<Placement> {
        let address = self
            .dataset(dataset)?
            .place_chunk(self.sink, offset, filter_mask, bytes.len())
            .map_err(|error| blame(error, self.sink))?;
        let mut live = self.live.lock();
        if address >= live.committed_end() {
            return Ok(Placement::WriteAt(address));
        }
        live.hold(bytes, address);
        Ok(Placement::Held(address))
    }

    /// Reads bytes as they will be after the next commit; bytes past the end are zero.
    ///
    /// # Errors
    /// If the system cannot read.
    pub fn read(&self, address: FileAddress, buffer: &mut [u8]) -> Result<()> {
        let outcome = self.live.lock().read(buffer, address);
        outcome.map_err(|error| ContainerError::io("read back what was written", error))
    }

    /// Writes a box of a dataset without filters (row-major, in the bytes of the dataset's own
    /// type); everything if there is no selection.
    ///
    /// # Errors
    /// If the bytes do not fit or cannot be written.
    pub fn write_values(
        &self,
        dataset: usize,
        selection: Option<(&[u64], &[u64])>,
        bytes: &[u8],
    ) -> Result<()> {
        let dataset = self.dataset(dataset)?;
        let memory = dataset.datatype()?.memory_copy()?;
        dataset
            .write(&memory, selection, bytes)
            .map_err(|error| blame(error, self.sink))
    }

    /// As [`super::Hdf5Output::set_attribute`].
    ///
    /// # Errors
    /// If the dataset has no such attribute or it cannot be written.
    pub fn set_attribute(&self, dataset: usize, attribute: &NewAttribute) -> Result<()> {
        additions::replace(self.dataset(dataset)?.handle(), attribute)
            .map_err(|error| blame(error, self.sink))
    }

    /// Bytes that wait in memory for the next commit; rewriting what was committed before makes
    /// them many. The commit takes up to twice as much again.
    #[must_use]
    pub fn pending_bytes(&self) -> u64 {
        self.live.lock().pending_bytes()
    }

    /// Makes everything that was written so far the state that readers see and that survives the
    /// end of this process; with `sync` also a power cut, as far as the disk keeps its word.
    ///
    /// All chunks that the caller was told to write must be written.
    ///
    /// # Errors
    /// If the system refuses a step: the file stays at its last commit, and committing may be
    /// tried again, but for a failed `sync`, after which nothing can be committed any more.
    pub fn commit(&self, sync: bool) -> Result<()> {
        file::flush(&self.file).map_err(|error| blame(error, self.sink))?;
        self.live.lock().commit(sync)
    }

    /// Commits and closes the file.
    ///
    /// # Errors
    /// As [`Self::commit`]; the file is closed in any case.
    pub fn finish(self, sync: bool) -> Result<()> {
        let Self {
            datasets,
            file,
            live,
            ..
        } = self;
        drop(datasets);
        // Closing makes libhdf5 give back space that it had set aside, and write about it.
        file::close(file)?;
        live.lock().commit(sync)
    }

    fn dataset(&self, number: usize) -> Result<&Dataset> {
        self.datasets
            .get(number)
            .ok_or_else(|| ContainerError::Internal(format!("no dataset number {number}")))
    }
}

#[cfg(test)]
mod tests;
