//! A file being written over a long time, which is at its last commit whatever happens.

mod behind;
mod define;
mod existing;
mod existing_types;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_types::sync::{Mutex, MutexGuard};
use frazil_types::{ChunkRecord, FileAddress};

use super::locate;
use super::objects::Objects;
use super::output::blame;
use crate::commit::{CommittedFile, recover};
use crate::error::{ContainerError, Result};
use crate::ffi::file;
use crate::ffi::property::{LayoutClass, PropertyList, TRACKED_AND_INDEXED};
use crate::ffi::{Handle, LiveFile, RawSink};
use crate::lock::library_lock;
use crate::schema::VariableId;
use frazil_hdf5::Extent;

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
        Self::create(path, is_classic_model, (metadata_block_bytes, false))
    }

    /// As [`Self::create_empty`], for a file whose chunks may have places that the caller chooses
    /// ([`Self::lend`], [`Self::reserve_chunk_at`]).
    ///
    /// # Errors
    /// As [`Self::create_empty`].
    pub fn create_shared(
        path: &Path,
        is_classic_model: bool,
        metadata_block_bytes: u64,
    ) -> Result<Self> {
        Self::create(path, is_classic_model, (metadata_block_bytes, true))
    }

    fn create(path: &Path, is_classic_model: bool, blocks: (u64, bool)) -> Result<Self> {
        let live = CommittedFile::open(path, 0)?;
        if live.committed_end() != 0 {
            return Err(ContainerError::Internal(format!(
                "{} is not empty",
                path.display()
            )));
        }
        let live = Writing::new(live);
        let creation = PropertyList::file_create(0, TRACKED_AND_INDEXED)?;
        let (file, sink) = file::create_live(&live.0, path, &creation, blocks)?;
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
    /// first. What is of types that programs have defined stays as it is and is not among the objects.
    ///
    /// # Errors
    /// If the file cannot be recovered ([`recover`]) or opened, is locked, is in a format that
    /// cannot be written safely, or has arrays without dimensions.
    pub fn open(path: &Path, metadata_block_bytes: u64) -> Result<(Self, ExistingFile)> {
        Self::open_as(path, metadata_block_bytes, false)
    }

    /// As [`Self::open`], with what is of types that programs have defined.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with_types(path: &Path, metadata_block_bytes: u64) -> Result<(Self, ExistingFile)> {
        Self::open_as(path, metadata_block_bytes, true)
    }

    fn open_as(
        path: &Path,
        metadata_block_bytes: u64,
        with_types: bool,
    ) -> Result<(Self, ExistingFile)> {
        recover(path)?;
        let live = Writing::new(CommittedFile::open_existing(path)?);
        let found = existing::read(path, with_types)?;
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

    /// A file that lies beside this one while a commit is being written, and that stays there if this
    /// process is killed then. It means nothing.
    #[must_use]
    pub fn temporary_path(&self) -> PathBuf {
        self.live.lock().unsealed_journal().to_owned()
    }

    /// What [`Self::open`] finds in a file, for those that leave it to another process to have the
    /// file open.
    ///
    /// # Errors
    /// If the file cannot be read or is no netCDF-4 file.
    pub fn look(path: &Path) -> Result<ExistingFile> {
        existing::read(path, false).map(|found| found.file)
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
            .place_chunk(self.sink, offset, filter_mask, stored_bytes, None)
            .map_err(|error| blame(error, self.sink))?;
        Ok(self.placement(address))
    }

    fn placement(&self, address: FileAddress) -> Placement {
        match address >= self.live.lock().committed_end() {
            true => Placement::WriteAt(address),
            false => Placement::Held(address),
        }
    }

    /// Lends what lies behind the end of the file, and returns where that begins: others may write
    /// there, and nothing can be created or grow, until [`Self::take_back`].
    ///
    /// # Errors
    /// If libhdf5 cannot give back the space that it had set aside.
    pub fn lend(&self) -> Result<FileAddress> {
        file::flush(&self.file).map_err(|error| blame(error, self.sink))?;
        Ok(self.live.lock().lend())
    }

    /// Takes back what was lent. The file reaches to `end` now, and what lies below has places for
    /// [`Self::reserve_chunk_at`]; new objects come behind it.
    pub fn take_back(&self, end: FileAddress) {
        let _guard = library_lock();
        self.live.lock().take_back();
        self.sink.raise_end(end);
    }

    /// As [`Self::reserve_chunk`], for a chunk that lies at `chosen` already: in space that was lent
    /// or set aside and belongs to no other chunk. The chunk gets another address where it replaces
    /// one whose space serves, or where libhdf5 has free space; only then its bytes are to be written
    /// again. Small chunks keep their places only in a file that [`Self::create_shared`] made.
    ///
    /// # Errors
    /// If libhdf5 refuses.
    pub fn reserve_chunk_at(
        &self,
        variable: VariableId,
        offset: &[u64],
        filter_mask: u32,
        stored_bytes: usize,
        chosen: FileAddress,
    ) -> Result<Placement> {
        let address = self
            .objects
            .dataset(variable)?
            .place_chunk(self.sink, offset, filter_mask, stored_bytes, Some(chosen))
            .map_err(|error| blame(error, self.sink))?;
        Ok(match address == chosen {
            // No commit has anything there, even below its end.
            true => Placement::WriteAt(address),
            false => self.placement(address),
        })
    }

    /// Sets space aside for bytes that another process writes there before it is known whether they
    /// will be of use. It lies behind everything that is in the file and is given to nothing else;
    /// chunks come into the index by [`Self::reserve_chunk_at`].
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
    /// As [`Self::commit`], and if no name leads to the file any more; the file is closed in any case.
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
        let mut live = live.lock();
        live.commit(sync)?;
        live.check_is_named()
    }
}

#[cfg(test)]
mod tests;
