//! A file being written over a long time, which is at its last commit whatever happens.

mod define;
mod existing;
mod values;

use std::path::Path;
use std::sync::Arc;

use frazil_types::{ChunkRecord, FileAddress};
use parking_lot::{Mutex, MutexGuard};

use super::locate;
use super::objects::Objects;
use super::output::blame;
use crate::commit::{CommittedFile, recover};
use crate::error::{ContainerError, Result};
use crate::ffi::dataspace::Extent;
use crate::ffi::file;
use crate::ffi::property::{LayoutClass, PropertyList, TRACKED_AND_INDEXED};
use crate::ffi::{Handle, LiveFile, RawSink};
use crate::lock::library_lock;
use crate::schema::VariableId;

pub use existing::{ExistingFile, ExistingVariable};

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
    // Objects are dropped before the file they belong to.
    objects: Objects,
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
        f.debug_struct("LiveOutput").finish_non_exhaustive()
    }
}

impl LiveOutput {
    /// Makes an empty netCDF-4 file of the file at `path`, which must exist and be empty; one that
    /// says that it keeps to the classic model if `is_classic_model`. It can be read from the first
    /// commit on.
    ///
    /// Metadata are allocated in blocks of `metadata_block_bytes`.
    ///
    /// # Errors
    /// If the file is not there, not empty or locked.
    pub fn create_empty(
        path: &Path,
        is_classic_model: bool,
        metadata_block_bytes: u64,
    ) -> Result<Self> {
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
        let objects = Objects::new(&file)?;
        objects
            .write_kind(is_classic_model)
            .map_err(|error| blame(error, sink))?;
        Ok(Self {
            live,
            objects,
            sink,
            file,
        })
    }

    /// Opens a netCDF-4 file to go on writing it; a commit that was left half-done is recovered
    /// first.
    ///
    /// # Errors
    /// If the file cannot be recovered ([`recover`]) or opened, is locked, is in a format that
    /// cannot be written safely, or has arrays without dimensions.
    pub fn open(path: &Path, metadata_block_bytes: u64) -> Result<(Self, ExistingFile)> {
        recover(path)?;
        let live = Writing::new(CommittedFile::open_existing(path)?);
        let found = existing::read(path)?;
        let (file, sink) = file::open_live(&live.0, path, metadata_block_bytes)?;
        live.lock().set_committed_end(sink.end_of_allocation());
        let objects = Objects::open(&file, &found.file.schema, &found.places)?;
        let output = Self {
            live,
            objects,
            sink,
            file,
        };
        Ok((output, found.file))
    }

    /// Lets a variable grow to this shape, as far as it is unlimited.
    ///
    /// # Errors
    /// If it cannot have the shape.
    pub fn extend(&self, variable: VariableId, shape: &[u64]) -> Result<()> {
        let outcome = self.objects.dataset(variable)?.set_shape(shape);
        outcome.map_err(|error| blame(error, self.sink))
    }

    /// Enters a chunk into a variable's index, or another form of one that is there.
    ///
    /// `offset` is the chunk's first element, `bytes` the chunk as it is stored. A chunk that
    /// replaces one of the same size keeps that one's filter mask (libhdf5 does not change it).
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn place_chunk(
        &self,
        variable: VariableId,
        offset: &[u64],
        filter_mask: u32,
        bytes: &[u8],
    ) -> Result<Placement> {
        let placement = self.reserve_chunk(variable, offset, filter_mask, bytes.len())?;
        if let Placement::Held(address) = placement {
            self.supply(address, bytes);
        }
        Ok(placement)
    }

    /// As [`Self::place_chunk`] for a chunk of `stored_bytes` whose bytes are elsewhere. Where nobody
    /// but this file may write them ([`Placement::Held`]), they must be given to [`Self::supply`]
    /// before the next commit.
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn reserve_chunk(
        &self,
        variable: VariableId,
        offset: &[u64],
        filter_mask: u32,
        stored_bytes: usize,
    ) -> Result<Placement> {
        let address = self
            .objects
            .dataset(variable)?
            .place_chunk(self.sink, offset, filter_mask, stored_bytes)
            .map_err(|error| blame(error, self.sink))?;
        Ok(match address >= self.live.lock().committed_end() {
            true => Placement::WriteAt(address),
            false => Placement::Held(address),
        })
    }

    /// Sets space aside for bytes that another process writes there before it is known whether they
    /// will be of use. It lies behind everything that is in the file and is given to nothing else;
    /// chunks come into the index by [`Self::enter_chunk`].
    ///
    /// # Errors
    /// If the file would be longer than a file can be.
    pub fn set_aside(&self, bytes: u64) -> Result<FileAddress> {
        let _guard = library_lock();
        self.sink.set_aside(bytes).ok_or_else(|| {
            let cause = "the file would be longer than the system can count";
            ContainerError::Unsupported(cause.to_owned())
        })
    }

    /// Enters a chunk into a variable's index whose bytes are at `address`, in space that was set
    /// aside. The placement says where libhdf5 has it: elsewhere if other space of this size was
    /// free, or if a chunk of this size was there before; the bytes must be brought there then.
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn enter_chunk(
        &self,
        variable: VariableId,
        offset: &[u64],
        filter_mask: u32,
        stored_bytes: usize,
        address: FileAddress,
    ) -> Result<Placement> {
        let _guard = library_lock();
        self.sink.with_space(address, stored_bytes as u64, || {
            self.reserve_chunk(variable, offset, filter_mask, stored_bytes)
        })
    }

    /// Takes the bytes of a chunk whose place belongs to the last commit.
    pub fn supply(&self, address: FileAddress, bytes: &[u8]) {
        self.live.lock().hold(bytes, address);
    }

    /// Where the chunks of a variable lie, in row-major order; none if it is not chunked. One pass
    /// over its index.
    ///
    /// # Errors
    /// If the index cannot be read or contradicts itself.
    pub fn locate(&self, variable: VariableId) -> Result<Vec<ChunkRecord>> {
        let dataset = self.objects.dataset(variable)?;
        let (Extent::Simple { shape, .. }, LayoutClass::Chunked { chunk, .. }) =
            (dataset.extent()?, dataset.creation()?.layout()?)
        else {
            return Ok(Vec::new());
        };
        locate::records(dataset, &shape, &chunk, self.sink.end_of_allocation())
    }

    /// Reads bytes as they will be after the next commit; bytes past the end are zero.
    ///
    /// # Errors
    /// If the system cannot read.
    pub fn read(&self, address: FileAddress, buffer: &mut [u8]) -> Result<()> {
        let outcome = self.live.lock().read(buffer, address);
        outcome.map_err(|error| ContainerError::io("read back what was written", error))
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
            objects,
            file,
            live,
            ..
        } = self;
        drop(objects);
        // Closing makes libhdf5 give back space that it had set aside, and write about it.
        file::close(file)?;
        live.lock().commit(sync)
    }
}

#[cfg(test)]
mod tests;
