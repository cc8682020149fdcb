//! The sink of a writer that has a file for itself: chunks get their addresses as they come.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use frazil_container::hdf5::Placement;
use frazil_types::{FileAddress, filter_id};

use super::books::{Books, Counts, keeps_mask};
use super::buffer::Buffer;
use super::data_file::DataFile;
use super::errors::{lost, refused};
use super::key::Key;
use super::pack::{PackedChunk, Step, StoredChunk, named};
use super::sink::ChunkSink;
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result};

/// Pending bytes of the index are counted once in so many chunks.
const INDEX_CHUNKS: u64 = 1024;

/// Places chunks in a file.
pub(super) struct LocalSink {
    pub(super) books: Books,
    file: DataFile,
    /// By variable: why some of its values cannot be written, which hinders no other.
    failed: BTreeMap<VariableId, Error>,
}

impl ChunkSink for LocalSink {
    fn take_chunk(&mut self, chunk: PackedChunk) -> Result<()> {
        let outcome = self.place(&chunk);
        outcome.map_err(|error| named(error, &chunk.place))
    }

    fn take_step(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Change(change) => self.books.change(&change),
            Step::Rounded(id, stats) => {
                self.books.merge_rounding(id, &stats);
                Ok(())
            }
            Step::Commit(step) => self.books.commit(&step, &mut self.file),
        }
    }

    fn take_failure(&mut self, variable: VariableId, error: Error) -> Result<()> {
        self.failed.entry(variable).or_insert(error);
        Ok(())
    }

    fn failure_of_one(&self) -> Option<Error> {
        self.failed.values().next().cloned()
    }

    fn drop_unwritten(&mut self) {
        self.file.forget();
    }

    fn read(&mut self, key: &Key) -> Result<Option<StoredChunk>> {
        self.flush()?;
        let Some(stored) = self.books.place(key) else {
            return Ok(None);
        };
        let mut bytes = vec![0; usize::try_from(stored.bytes).map_err(|_| lost())?];
        self.books
            .with(|output| output.read(stored.address, &mut bytes))?;
        let filter_mask = stored.filter_mask;
        Ok(Some(StoredChunk { bytes, filter_mask }))
    }

    fn lets_omit(&self) -> bool {
        true
    }

    fn counts(&self) -> Counts {
        self.books.counts
    }

    #[cfg(test)]
    fn data_file(&mut self) -> Option<&mut DataFile> {
        Some(&mut self.file)
    }
}

impl LocalSink {
    /// A sink that writes to the file at `path`.
    pub(super) fn new(path: &Path, books: Books) -> Result<Self> {
        Ok(Self {
            books,
            file: DataFile::open(path)?,
            failed: BTreeMap::new(),
        })
    }

    /// Writes what was held back.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.file.flush(&self.books.path)
    }

    fn place(&mut self, chunk: &PackedChunk) -> Result<()> {
        let place = &chunk.place;
        let id = place.variable.id;
        self.books.prepare(&place.variable, &place.shape)?;
        if place.variable.quantize.is_some() {
            self.books.merge_rounding(id, &chunk.rounding);
        }
        let key = Key::from(place);
        if place.variable.is_contiguous {
            self.books
                .with(|output| output.write_values(id, None, &chunk.bytes))?;
            let bytes = chunk.bytes.len() as u64;
            self.books.note(key, chunk.is_reused, 0, bytes);
            return self.books.limit_pending(&mut self.file);
        }
        let bytes = self.storable(&key, chunk)?;
        if self.books.place(&key).is_some() {
            // Its old place may be given away: what is on the way there must not come later.
            self.flush()?;
        }
        let placement = self
            .books
            .with(|output| output.place_chunk(id, &place.offset, 0, &bytes))?;
        let address = placement.address();
        self.books
            .note(key, chunk.is_reused, address, bytes.len() as u64);
        if let Placement::WriteAt(address) = placement {
            self.file.write(&bytes, address, &self.books.path)?;
            // The index alone grows slowly.
            if !self.books.counts.chunks.is_multiple_of(INDEX_CHUNKS) {
                return Ok(());
            }
        }
        self.books.limit_pending(&mut self.file)
    }

    /// The bytes to store: a chunk that takes the place of one that skipped filters must not have
    /// its size, or libhdf5 keeps that one's filter mask. Deflate ends by itself: one byte more
    /// does no harm.
    fn storable(&self, key: &Key, chunk: &PackedChunk) -> Result<Arc<Buffer>> {
        if !self.books.would_keep_mask(key, chunk.bytes.len() as u64) {
            return Ok(Arc::clone(&chunk.bytes));
        }
        let filters = chunk.place.variable.stored_filters();
        let last = filters.and_then(|filters| filters.0.last());
        if last.is_none_or(|filter| filter.id != filter_id::DEFLATE) {
            return Err(keeps_mask());
        }
        let mut longer = chunk.bytes.to_vec();
        longer.push(0);
        Ok(Arc::new(longer.into()))
    }

    // --- chunks that other processes packed ---

    /// Enters a chunk into its variable's index whose bytes another process wrote to `address`.
    pub(super) fn enter(
        &mut self,
        key: Key,
        is_reused: bool,
        address: FileAddress,
        bytes: u64,
    ) -> Result<()> {
        let too_large = |_| refused("a chunk is larger than memory");
        let size = usize::try_from(bytes).map_err(too_large)?;
        let id = VariableId(key.variable);
        let placement = self
            .books
            .with(|output| output.reserve_chunk_at(id, &key.offset, 0, size, address))?;
        if placement.address() != address {
            self.bring(address, size, placement)?;
        }
        self.books.note(key, is_reused, placement.address(), bytes);
        self.books.limit_pending(&mut self.file)
    }

    /// Brings bytes to where libhdf5 wants them: it had other space of that size.
    fn bring(&mut self, from: FileAddress, bytes: usize, to: Placement) -> Result<()> {
        self.flush()?;
        let found = self.file.read(from, bytes, &self.books.path)?;
        match to {
            Placement::WriteAt(address) => self.file.write(&found, address, &self.books.path),
            Placement::Held(address) => self.books.with(|output| {
                output.supply(address, &found);
                Ok(())
            }),
        }
    }
}
