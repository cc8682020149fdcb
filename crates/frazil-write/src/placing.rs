//! The placer: makes datasets, gives packed chunks their addresses in order, commits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil_container::hdf5::{LiveOutput, Placement};
use frazil_pipeline::PipelineError;
use frazil_types::{ErrorCode, FileAddress, QuantizePlan, filter_id};
use serde::{Deserialize, Serialize};

use super::buffer::Buffer;
use super::change::Change;
use super::data_file::DataFile;
use super::errors::closed;
use super::held::Held;
use super::key::{Key, KeyMap};
use super::lease::SpaceReservation;
use super::pack::{CommitStep, Packed, PackedChunk, Step, StoredChunk, named};
use super::variable::Variable;
use frazil_container::schema::{AttributeOwner, Schema, VariableId};
use frazil_file::error::{Error, Result};
use frazil_file::storage_error::from_container;
use frazil_precision::{RoundingStats, final_attributes};

/// Rewritten bytes that wait for a commit get this part of the memory.
const PENDING_SHARE: u64 = 8;
/// ... and not less than this: commits have a price.
const LEAST_PENDING_BYTES: u64 = 1 << 20;
/// Pending bytes of the index are counted once in so many chunks.
const INDEX_CHUNKS: u64 = 1024;

/// The placing side of a writer; one thread at a time has it.
pub(super) struct Placing {
    pub(super) path: PathBuf,
    /// The file's objects as of the chunks placed so far.
    schema: Schema,
    pub(super) file: DataFile,
    pub(super) is_durable: bool,
    /// Rewritten bytes of earlier commits that may wait in memory for the next one.
    pub(super) pending_limit_bytes: u64,
    /// Of ranks that write together only rank 0 has it.
    pub(super) output: Option<LiveOutput>,
    /// Of ranks that write together: packed chunks that wait for the commit of all.
    pub(super) held: Option<Held>,
    /// Of rank 0: space behind the end of the file that ranks write to.
    pub(super) lending: SpaceReservation,
    /// Changes that wait for the end of that.
    put_off: Vec<Change>,
    pub(super) places: KeyMap<Stored>,
    /// By variable: the shape that its dataset has.
    shapes: BTreeMap<VariableId, Vec<u64>>,
    /// By variable: what rounding did to its values.
    pub(super) roundings: BTreeMap<VariableId, RoundingStats>,
    /// By variable that is in the file: how it is rounded.
    plans: BTreeMap<VariableId, QuantizePlan>,
    failure: Option<Error>,
    /// By variable: why some of its values cannot be written, which hinders no other.
    pub(super) failed: BTreeMap<VariableId, Error>,
    has_failed: Arc<AtomicBool>,
    pub(super) counts: Counts,
}

/// Where a chunk's bytes are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    pub(super) address: FileAddress,
    pub(super) bytes: usize,
    pub(super) filter_mask: u32,
}

/// The same for other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Base {
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) filter_mask: u32,
}

/// What was placed.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    /// Chunks placed, whether again or for the first time.
    pub(super) chunks: u64,
    /// Of those, chunks whose packed bytes had served before.
    pub(super) reused: u64,
    /// Bytes of all chunks placed.
    pub(super) written_bytes: u64,
    /// Bytes of all chunks in the file now.
    pub(super) stored_bytes: u64,
    pub(super) commits: u64,
}

impl Placing {
    /// A placer for an output whose objects are those of `schema`.
    pub(super) fn new(
        path: &Path,
        output: Option<LiveOutput>,
        schema: Schema,
        is_durable: bool,
        memory_bytes: u64,
    ) -> Result<Self> {
        Ok(Self {
            file: DataFile::open(path)?,
            schema,
            is_durable,
            pending_limit_bytes: (memory_bytes / PENDING_SHARE).max(LEAST_PENDING_BYTES),
            output,
            ..Self::without_file(path)
        })
    }

    /// One of a rank that writes nothing itself.
    pub(super) fn without_file(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: DataFile::none(),
            schema: Schema::default(),
            is_durable: false,
            pending_limit_bytes: LEAST_PENDING_BYTES,
            output: None,
            held: None,
            lending: SpaceReservation::default(),
            put_off: Vec::new(),
            places: KeyMap::default(),
            shapes: BTreeMap::new(),
            roundings: BTreeMap::new(),
            plans: BTreeMap::new(),
            failure: None,
            failed: BTreeMap::new(),
            has_failed: Arc::default(),
            counts: Counts::default(),
        }
    }

    /// Set once the first error is there.
    pub(super) fn has_failed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_failed)
    }

    /// The first error, if there was one; nothing is placed after it.
    pub(super) fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    /// Takes what came of a job.
    pub(super) fn take(&mut self, outcome: std::result::Result<Result<Packed>, PipelineError>) {
        if self.failure.is_some() {
            return;
        }
        let packed = outcome
            .unwrap_or_else(|error| Err(Error::new(error.code(), error.to_string())))
            .and_then(|packed| self.place(packed));
        if let Err(error) = packed {
            self.fail(error);
        }
    }

    pub(super) fn fail(&mut self, error: Error) -> Error {
        let error = error.in_file(&self.path);
        self.file.forget();
        self.has_failed.store(true, Ordering::Release);
        self.failure.get_or_insert(error).clone()
    }

    /// As [`Self::fail`]; the error comes in the place of an earlier one: all ranks have this one.
    pub(super) fn fail_together(&mut self, error: Error) -> Error {
        self.failure = None;
        self.fail(error)
    }

    fn place(&mut self, packed: Packed) -> Result<()> {
        match packed {
            Packed::Nothing => Ok(()),
            // Ranks that write together fail together.
            Packed::Failed(_, error) if self.held.is_some() => Err(error),
            Packed::Failed(id, error) => {
                self.failed.entry(id).or_insert(error);
                Ok(())
            }
            Packed::Chunk(chunk) if self.held.is_some() => self.hold(chunk),
            Packed::Chunk(chunk) => self.place_chunk(&chunk),
            Packed::Step(Step::Change(change)) => self.change(change),
            Packed::Step(Step::Rounded(id, stats)) => {
                self.merge_rounding(id, &stats);
                Ok(())
            }
            Packed::Step(Step::Commit(step)) => self.commit(&step),
        }
    }

    // --- changes ---

    fn change(&mut self, change: Change) -> Result<()> {
        if self.lending.is_on() {
            // Nothing in the file may grow while ranks write behind its end.
            self.put_off.push(change);
            return Ok(());
        }
        let Some(output) = &mut self.output else {
            change.apply(&mut self.schema);
            return Ok(());
        };
        let outcome = change.carry_out(&mut self.schema, output);
        outcome.map_err(|error| from_container(error, &self.path))
    }

    /// Makes the changes that were put off.
    pub(super) fn make_up_changes(&mut self) -> Result<()> {
        let mut all = std::mem::take(&mut self.put_off).into_iter();
        all.try_for_each(|change| self.change(change))
    }

    // --- datasets ---

    /// Makes a variable's dataset if it is not there, or lets it grow to `shape`.
    pub(super) fn prepare(&mut self, variable: &Variable, shape: &[u64]) -> Result<()> {
        let id = variable.id;
        for (&dimension, &length) in variable.dimensions.iter().zip(shape) {
            let known = &mut self.schema.dimensions[dimension].length;
            *known = length.max(*known);
        }
        let output = self.output.as_mut().ok_or_else(closed)?;
        if !output.is_defined(id) {
            let storage = variable.storage()?;
            output
                .define_variable(&self.schema, id, &storage)
                .map_err(|error| from_container(error, &self.path))?;
            self.shapes.insert(id, self.schema.shape(id));
            let plan = variable.quantize.iter().cloned();
            self.plans.extend(plan.map(|plan| (id, plan)));
            return Ok(());
        }
        self.extend(id, shape)
    }

    /// Lets a dataset grow to `wanted` along each axis where it is shorter.
    fn extend(&mut self, id: VariableId, wanted: &[u64]) -> Result<()> {
        let output = self.output.as_ref().ok_or_else(closed)?;
        let shape = self
            .shapes
            .entry(id)
            .or_insert_with(|| vec![0; wanted.len()]);
        if shape.iter().zip(wanted).all(|(now, want)| now >= want) {
            return Ok(());
        }
        for (now, &want) in shape.iter_mut().zip(wanted) {
            *now = want.max(*now);
        }
        let outcome = output.extend(id, shape);
        outcome.map_err(|error| from_container(error, &self.path))
    }

    /// Notes the shape of a dataset of an existing file.
    pub(super) fn note_shape(&mut self, id: VariableId, shape: Vec<u64>) {
        self.shapes.insert(id, shape);
    }

    /// The shape that a dataset has.
    pub(super) fn shape(&self, id: VariableId) -> Vec<u64> {
        self.shapes.get(&id).cloned().unwrap_or_default()
    }

    // --- chunks ---

    pub(super) fn merge_rounding(&mut self, id: VariableId, stats: &RoundingStats) {
        self.roundings.entry(id).or_default().merge(stats);
    }

    fn place_chunk(&mut self, chunk: &PackedChunk) -> Result<()> {
        let outcome = self.place_in(chunk);
        outcome.map_err(|error| named(error, &chunk.place))
    }

    fn place_in(&mut self, chunk: &PackedChunk) -> Result<()> {
        let place = &chunk.place;
        let id = place.variable.id;
        self.prepare(&place.variable, &place.shape)?;
        if place.variable.quantize.is_some() {
            self.merge_rounding(id, &chunk.rounding);
        }
        if place.variable.is_contiguous {
            let output = self.output.as_ref().ok_or_else(closed)?;
            let outcome = output.write_values(id, None, &chunk.bytes);
            outcome.map_err(|error| from_container(error, &self.path))?;
            self.note(key_of(chunk), chunk.is_reused, 0, chunk.bytes.len());
            return self.limit_pending();
        }
        let bytes = self.storable(chunk)?;
        let output = self.output.as_ref().ok_or_else(closed)?;
        if self.places.contains_key(&key_of(chunk)) {
            // Its old place may be given away: what is on the way there must not come later.
            self.file.flush(&self.path)?;
        }
        let placed = output.place_chunk(id, &place.offset, 0, &bytes);
        let placement = placed.map_err(|error| from_container(error, &self.path))?;
        let address = placement.address();
        self.note(key_of(chunk), chunk.is_reused, address, bytes.len());
        if let Placement::WriteAt(address) = placement {
            self.file.write(&bytes, address, &self.path)?;
            // The index alone grows slowly.
            if !self.counts.chunks.is_multiple_of(INDEX_CHUNKS) {
                return Ok(());
            }
        }
        self.limit_pending()
    }

    /// The bytes to store: a chunk that takes the place of one that skipped filters must not have
    /// its size, or libhdf5 keeps that one's filter mask. Deflate ends by itself: one byte more
    /// does no harm.
    fn storable(&self, chunk: &PackedChunk) -> Result<Arc<Buffer>> {
        let before = self.places.get(&key_of(chunk));
        let filters = chunk.place.variable.stored_filters();
        let last = filters.and_then(|filters| filters.0.last());
        let is_deflate = last.is_some_and(|filter| filter.id == filter_id::DEFLATE);
        match before {
            Some(before) if before.filter_mask != 0 && before.bytes == chunk.bytes.len() => {
                if !is_deflate {
                    let cause = "the chunk in the file skips filters that the new one does not";
                    return Err(Error::new(ErrorCode::Unsupported, cause)
                        .with_cure("repack the file before it is changed"));
                }
                let mut longer = chunk.bytes.to_vec();
                longer.push(0);
                Ok(Arc::new(longer.into()))
            }
            _ => Ok(Arc::clone(&chunk.bytes)),
        }
    }

    /// Notes where a chunk is now.
    pub(super) fn note(&mut self, key: Key, is_reused: bool, address: FileAddress, bytes: usize) {
        let stored = Stored {
            address,
            bytes,
            filter_mask: 0,
        };
        let before = self.places.insert(key, stored);
        self.counts.chunks += 1;
        self.counts.reused += u64::from(is_reused);
        self.counts.written_bytes += bytes as u64;
        self.counts.stored_bytes += bytes as u64;
        self.counts.stored_bytes -= before.map_or(0, |stored| stored.bytes as u64);
    }

    /// Notes where a chunk of an existing file is.
    pub(super) fn note_existing(&mut self, key: Key, stored: Stored) {
        self.counts.stored_bytes += stored.bytes as u64;
        self.places.insert(key, stored);
    }

    /// The stored bytes of a chunk that was placed; `None`: there is none.
    pub(super) fn read(&mut self, key: &Key) -> Result<Option<StoredChunk>> {
        if self.held.is_some() {
            return self.held_chunk(key);
        }
        self.file.flush(&self.path)?;
        let (Some(stored), Some(output)) = (self.places.get(key), &self.output) else {
            return Ok(None);
        };
        let mut bytes = vec![0; stored.bytes];
        let outcome = output.read(stored.address, &mut bytes);
        outcome.map_err(|error| from_container(error, &self.path))?;
        let filter_mask = stored.filter_mask;
        Ok(Some(StoredChunk { bytes, filter_mask }))
    }

    /// The output, with everything written that is placed.
    pub(super) fn output(&mut self) -> Result<&mut LiveOutput> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        self.file.flush(&self.path)?;
        self.output.as_mut().ok_or_else(closed)
    }

    /// As [`Self::output`], with the dataset of a variable that is not packed made or grown to
    /// `shape`.
    pub(super) fn plain_output(
        &mut self,
        id: VariableId,
        shape: &[u64],
        storage: &frazil_container::hdf5::OutputStorage,
    ) -> Result<&mut LiveOutput> {
        let axes = self.schema.variables[id.0].dimensions.iter().zip(shape);
        for (dimension, &length) in axes {
            let known = &mut self.schema.dimensions[dimension.0].length;
            *known = length.max(*known);
        }
        let output = self.output.as_mut().ok_or_else(closed)?;
        if !output.is_defined(id) {
            let outcome = output.define_variable(&self.schema, id, storage);
            outcome.map_err(|error| from_container(error, &self.path))?;
            self.shapes.insert(id, self.schema.shape(id));
        }
        let shape = self.schema.shape(id);
        self.extend(id, &shape)?;
        self.output()
    }

    // --- commits ---

    /// Rewritten bytes wait in memory for a commit: many of them bring it about.
    pub(super) fn limit_pending(&mut self) -> Result<()> {
        let pending = self.output.as_ref().map_or(0, LiveOutput::pending_bytes);
        // The first commit has all objects, and comes from the caller.
        if pending > self.pending_limit_bytes && self.counts.commits > 0 {
            self.state_roundings()?;
            self.commit_now()?;
        }
        Ok(())
    }

    fn set_lengths(&mut self, lengths: &[u64]) {
        for (dimension, &length) in self.schema.dimensions.iter_mut().zip(lengths) {
            dimension.length = length.max(dimension.length);
        }
    }

    /// Brings all datasets to the dimensions' lengths and makes everything placed the file's
    /// state.
    pub(super) fn commit(&mut self, step: &CommitStep) -> Result<()> {
        self.set_lengths(&step.lengths);
        for variable in step.variables.iter().flatten() {
            let shape = self.schema.shape(variable.id);
            let outcome = self.prepare(variable, &shape);
            outcome.map_err(|error| error.at_variable(&variable.path))?;
        }
        for id in self.shapes.keys().copied().collect::<Vec<_>>() {
            let shape = self.schema.shape(id);
            self.extend(id, &shape)?;
        }
        self.state_roundings()?;
        let output = self.output.as_mut().ok_or_else(closed)?;
        let outcome = output.complete(&self.schema);
        outcome.map_err(|error| from_container(error, &self.path))?;
        self.commit_now()
    }

    /// Writes what is known of rounding only when values were rounded.
    fn state_roundings(&mut self) -> Result<()> {
        let output = self.output.as_mut().ok_or_else(closed)?;
        for (&id, plan) in &self.plans {
            let Some(stats) = self.roundings.get(&id) else {
                continue;
            };
            for attribute in final_attributes(plan, stats) {
                let owner = AttributeOwner::Variable(id);
                output
                    .put_attribute(owner, &attribute.to_schema())
                    .map_err(|error| from_container(error, &self.path))?;
            }
        }
        Ok(())
    }

    fn commit_now(&mut self) -> Result<()> {
        self.file.flush(&self.path)?;
        let output = self.output.as_ref().ok_or_else(closed)?;
        #[cfg(test)]
        self.file.note(super::data_file::Event::Commit);
        let outcome = output.commit(self.is_durable);
        outcome.map_err(|error| from_container(error, &self.path))?;
        self.counts.commits += 1;
        Ok(())
    }

    /// Closes the file after its last commit.
    pub(super) fn finish(&mut self) -> Result<()> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let output = self.output.take().ok_or_else(closed)?;
        let outcome = output.finish(self.is_durable);
        outcome.map_err(|error| self.fail(from_container(error, &self.path)))
    }

    /// Lets the `writes`-th write of packed bytes from now, and all after it, fail.
    #[cfg(test)]
    pub(super) fn fail_after(&self, writes: i64) {
        self.file.writes_left.store(writes, Ordering::Relaxed);
    }
}

fn key_of(chunk: &PackedChunk) -> Key {
    Key {
        variable: chunk.place.variable.id.0,
        offset: chunk.place.offset.clone(),
    }
}
