//! The writer's calls.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use frazil_types::{ErrorCode, FilterPipeline};

use super::background::Submission;
use super::definition::{FileDefinition, VariableId, refused};
use super::layout::layouts;
use super::options::{WriterOptions, WriterReport, WriterVariable};
use super::pack::Content;
use super::partial::{Mask, PartialChunk};
use super::slab::Slab;
use super::store::{Key, Slot, Store};
use super::variable::Variable;
use crate::error::{Error, Result};
use crate::output::{NameLock, create_empty};

/// No unlimited axis gets longer: offsets in it can be counted.
const LONGEST_AXIS: u64 = 1 << 60;
/// Packed chunks that may serve again get this part of the memory, one part in so many.
const REPEATS_SHARE: u64 = 16;

/// A netCDF-4 file being written by a running program.
///
/// Errors of the background work come back at the next call, and at every call after that; the
/// file then is, and stays, at its last commit. Errors of the arguments of a call concern that call
/// only. Dropped without [`Self::close`], the file is left at its last commit; if there is none, it
/// is removed.
pub struct Writer {
    // Ended first.
    submission: Submission,
    store: Store,
    path: PathBuf,
    variables: Vec<Arc<Variable>>,
    /// Lengths of the dimensions as of the last put.
    lengths: Vec<u64>,
    raw_bytes: u64,
    _lock: NameLock,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Begins a new file. It can be read from the first [`Self::sync`] on.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] for a definition that no file can have,
    /// [`ErrorCode::MemoryBudget`] if the memory allowed cannot hold a few chunks, or if the file
    /// cannot be made.
    pub fn create(
        path: &Path,
        definition: &FileDefinition,
        options: &WriterOptions,
    ) -> Result<Self> {
        let wrap = |error: Error| error.in_file(path);
        let model = definition.model().map_err(wrap)?;
        let allowed = options.resources.memory_bytes;
        let repeats_bytes = allowed / REPEATS_SHARE;
        let memory_bytes = allowed - repeats_bytes;
        let layouts = layouts(definition, &model, memory_bytes).map_err(wrap)?;
        let each = repeats_bytes as usize / layouts.len().max(1);
        let variables: Vec<Arc<Variable>> = (layouts.into_iter().enumerate())
            .map(|(i, layout)| {
                let limits = definition.limits(&definition.variables()[i]);
                Arc::new(Variable::new(i, &model.variables[i], limits, layout, each))
            })
            .collect();
        let lock = NameLock::take(path)?;
        create_empty(path, options.overwrite)?;
        let store = Store::new(variables.len(), path);
        let submission = Submission::start(path, model, variables.clone(), memory_bytes, options);
        Ok(Self {
            submission: submission.map_err(wrap)?,
            store,
            path: path.to_owned(),
            variables,
            lengths: definition.lengths(),
            raw_bytes: 0,
            _lock: lock,
        })
    }

    /// Writes values: `count` elements along each axis from `start`, every `stride`-th of the
    /// variable (`None`: every one). `bytes` are the values row-major, little-endian; they are
    /// copied. Where puts overlap the last one holds.
    ///
    /// Unlimited dimensions grow as far as is written.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if the arguments do not fit the variable; else the first
    /// error of the work so far.
    pub fn put(
        &mut self,
        variable: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
        bytes: &[u8],
    ) -> Result<()> {
        self.submission.check()?;
        let Some(variable) = self.variables.get(variable.0).map(Arc::clone) else {
            return Err(refused("no such variable").in_file(&self.path));
        };
        let slab = Slab {
            start,
            count,
            stride,
        };
        check_slab(&variable, &slab, bytes.len())
            .map_err(|error| error.in_file(&self.path).at_variable(&variable.path))?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.grow(&variable, &slab);
        self.raw_bytes += bytes.len() as u64;
        self.gather(&variable, &slab, bytes)
            .map_err(|error| self.submission.fail(error.at_variable(&variable.path)))
    }

    /// Makes everything put so far the state that readers see and that survives the end of this
    /// process. Incomplete chunks are packed as they stand, and go on being gathered.
    ///
    /// # Errors
    /// The first error of the work so far.
    pub fn sync(&mut self) -> Result<()> {
        let began = Instant::now();
        let outcome = self.flush(false).and_then(|()| {
            let shapes = self.shapes();
            self.submission.placing().commit(&shapes)
        });
        self.submission.stalled += began.elapsed();
        self.end_step(outcome)
    }

    /// Commits everything and closes the file.
    ///
    /// # Errors
    /// The first error of the work; the file then is at its last commit.
    pub fn close(mut self) -> Result<WriterReport> {
        let began = Instant::now();
        let outcome = self.flush(true).and_then(|()| {
            let shapes = self.shapes();
            self.submission.placing().finish(&shapes)
        });
        self.submission.stalled += began.elapsed();
        self.end_step(outcome)?;
        self.report()
    }

    /// Adds an error to those that last.
    fn end_step(&self, outcome: Result<()>) -> Result<()> {
        outcome.map_err(|error| self.submission.fail(error))
    }

    // --- gathering ---

    fn gather(&mut self, variable: &Variable, slab: &Slab<'_>, bytes: &[u8]) -> Result<()> {
        let size = variable.element_bytes();
        if bytes.len() == size && self.put_one(variable, slab.start, bytes)? {
            return Ok(());
        }
        for piece in slab.pieces(&variable.chunk) {
            let key = Key {
                variable: variable.number,
                offset: piece.offset(&variable.chunk),
            };
            let is_whole = piece.elements() == variable.writable_elements(&key.offset);
            let slot = self.slot(variable, key, is_whole)?;
            let Some(chunk) = self.store.get_mut(slot) else {
                return Err(lost());
            };
            piece.for_each_run(slab, &variable.chunk, |run| {
                let from = run.from * size;
                let values = &bytes[from..from + run.elements * size];
                chunk.write(run.to, values, size);
            });
            if chunk.is_complete() {
                self.complete(variable, slot)?;
            }
        }
        Ok(())
    }

    /// Writes one element if it belongs to the chunk that was used last; `false`: it does not.
    fn put_one(&mut self, variable: &Variable, start: &[u64], bytes: &[u8]) -> Result<bool> {
        let Some((slot, offset, chunk)) = self.store.hot(variable.number) else {
            return Ok(false);
        };
        let mut at = 0;
        for axis in 0..start.len() {
            let local = start[axis].wrapping_sub(offset[axis]);
            if local >= variable.chunk[axis] {
                return Ok(false);
            }
            at = at * variable.chunk[axis] + local;
        }
        chunk.write(at as usize, bytes, variable.element_bytes());
        if chunk.is_complete() {
            self.complete(variable, slot)?;
        }
        Ok(true)
    }

    /// The place in memory of a chunk that is about to be written to, as a whole or in part.
    fn slot(&mut self, variable: &Variable, key: Key, is_whole: bool) -> Result<Slot> {
        if let Some(slot) = self.store.find(&key) {
            return Ok(slot);
        }
        let elements = variable.chunk_bytes / variable.element_bytes();
        let bytes = PartialChunk::bytes_for(variable.chunk_bytes, variable.element_bytes());
        let charge = self.submission.room(bytes, &mut self.store)?;
        if !is_whole && self.store.is_spilled(&key) {
            let chunk = self.store.read_spilled(&key, variable, charge)?;
            self.store.drop_spilled(&key);
            return Ok(self.store.insert(key, chunk.ok_or_else(lost)?));
        }
        self.store.drop_spilled(&key);
        let writable = variable.writable_elements(&key.offset);
        let values = match is_whole && writable == elements as u64 {
            true => vec![0; variable.chunk_bytes],
            false => variable.fill.repeat(elements),
        };
        let has_base = !is_whole && self.submission.is_submitted(&key);
        let mask = Mask::new(elements);
        let chunk = PartialChunk::new(values, mask, writable, has_base, charge);
        Ok(self.store.insert(key, chunk))
    }

    /// Hands a complete chunk on. Contiguous variables stay until a commit.
    fn complete(&mut self, variable: &Variable, slot: Slot) -> Result<()> {
        if variable.is_contiguous {
            return Ok(());
        }
        let (key, chunk) = self.store.remove(slot).ok_or_else(lost)?;
        let packed_charge = self.submission.packed_room(variable, &mut self.store)?;
        let shape = self.shape(variable);
        let content = Content::Values(chunk.values);
        self.submission
            .submit(key, shape, content, chunk.charge, packed_charge)
    }

    // --- commits ---

    /// Packs and places all values that were put, incomplete chunks as they stand.
    fn flush(&mut self, is_end: bool) -> Result<()> {
        self.submission.check()?;
        let dirty = self.store.dirty();
        self.decide_by_incomplete(&dirty)?;
        self.submission.define()?;
        if dirty.iter().any(|(_, has_base)| *has_base) {
            // What is merged must be placed.
            drop(self.submission.placing());
        }
        for (key, has_base) in dirty {
            self.flush_chunk(key, has_base, is_end)?;
        }
        drop(self.submission.placing());
        self.submission.check()
    }

    /// Tries filters on incomplete chunks where a variable has no complete one yet.
    fn decide_by_incomplete(&mut self, dirty: &[(Key, bool)]) -> Result<()> {
        for (key, _) in dirty {
            if self.submission.is_decided(key.variable) {
                continue;
            }
            let variable = Arc::clone(&self.variables[key.variable]);
            let size = variable.element_bytes();
            let bytes = PartialChunk::bytes_for(variable.chunk_bytes, size);
            // Twice: the values, and those of them that were written.
            let charge = self.submission.room(2 * bytes, &mut self.store)?;
            let values = match self.store.find(key) {
                Some(slot) => {
                    let chunk = self.store.get_mut(slot).ok_or_else(lost)?;
                    chunk.mask.written(&chunk.values, size)
                }
                None => {
                    let chunk = self.store.read_spilled(key, &variable, charge)?;
                    let chunk = chunk.ok_or_else(lost)?;
                    chunk.mask.written(&chunk.values, size)
                }
            };
            self.submission.decide_by(key.variable, &values)?;
        }
        Ok(())
    }

    fn flush_chunk(&mut self, key: Key, has_base: bool, is_end: bool) -> Result<()> {
        let variable = Arc::clone(&self.variables[key.variable]);
        let stored = match has_base {
            true => self.submission.read_stored(&key)?,
            false => None,
        };
        // A chunk that was merged has all its values in the file.
        let is_kept = !is_end && stored.is_none();
        // Room comes first: making it may spill the very chunk.
        let bytes = PartialChunk::bytes_for(variable.chunk_bytes, variable.element_bytes());
        let copy_charge = self.submission.room(bytes, &mut self.store)?;
        let packed_charge = self.submission.packed_room(&variable, &mut self.store)?;
        let chunk = match self.store.find(&key) {
            Some(slot) if is_kept => {
                let chunk = self.store.get_mut(slot).ok_or_else(lost)?;
                chunk.copy_for_commit(copy_charge)
            }
            Some(slot) => self.store.remove(slot).ok_or_else(lost)?.1,
            None => {
                let chunk = self.store.read_spilled(&key, &variable, copy_charge)?;
                match is_kept {
                    true => self.store.set_spilled_clean(&key),
                    false => self.store.drop_spilled(&key),
                }
                chunk.ok_or_else(lost)?
            }
        };
        let (values, mask) = (chunk.values, chunk.mask);
        let content = match stored {
            Some(stored) => Content::Merge {
                values,
                mask,
                stored,
            },
            None => Content::Values(values),
        };
        let shape = self.shape(&variable);
        self.submission
            .submit(key, shape, content, chunk.charge, packed_charge)
    }

    // --- shapes ---

    fn grow(&mut self, variable: &Variable, slab: &Slab<'_>) {
        for (axis, &dimension) in variable.dimensions.iter().enumerate() {
            if variable.limits[axis].is_none() {
                let length = &mut self.lengths[dimension];
                *length = (*length).max(slab.end(axis));
            }
        }
    }

    fn shape(&self, variable: &Variable) -> Vec<u64> {
        let dimensions = variable.dimensions.iter();
        dimensions.map(|&number| self.lengths[number]).collect()
    }

    fn shapes(&self) -> Vec<Vec<u64>> {
        let variables = self.variables.iter();
        variables.map(|variable| self.shape(variable)).collect()
    }

    fn report(&self) -> Result<WriterReport> {
        let counts = self.submission.placing().counts;
        let stalled_seconds = self.submission.stalled.as_secs_f64();
        let busy_seconds = self.submission.busy().as_secs_f64();
        let variables = self.variables.iter().map(|variable| {
            Ok(WriterVariable {
                path: variable.path.clone(),
                shape: self.shape(variable),
                chunk: (!variable.is_contiguous).then(|| variable.chunk.clone()),
                filters: match variable.is_contiguous {
                    true => FilterPipeline::default().summary(),
                    false => variable.filters()?.pipeline.summary(),
                },
            })
        });
        Ok(WriterReport {
            stalled_seconds,
            hidden_seconds: (busy_seconds - stalled_seconds).max(0.0),
            raw_bytes: self.raw_bytes,
            stored_bytes: counts.stored_bytes,
            ratio: match counts.stored_bytes {
                0 => 1.0,
                stored => self.raw_bytes as f64 / stored as f64,
            },
            spilled_bytes: self.store.spilled_bytes(),
            chunks: counts.chunks,
            chunks_reused: counts.reused,
            chunks_omitted: self.submission.omitted,
            variables: variables.collect::<Result<_>>()?,
        })
    }

    /// Lets the `writes`-th write of packed bytes from now, and all after it, fail.
    #[cfg(test)]
    pub(super) fn fail_after(&self, writes: i64) {
        let left = &self.submission.placing().file.writes_left;
        left.store(writes, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.submission.has_commit() {
            // Best effort: nobody can read it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Refuses what does not fit the variable.
fn check_slab(variable: &Variable, slab: &Slab<'_>, bytes: usize) -> Result<()> {
    let rank = variable.chunk.len();
    let strides = slab.stride.map_or(rank, <[u64]>::len);
    if slab.start.len() != rank || slab.count.len() != rank || strides != rank {
        return Err(refused(format!("has {rank} axes, other than the put")));
    }
    let mut wanted = Some(variable.element_bytes() as u64);
    for axis in 0..rank {
        let count = slab.count[axis];
        wanted = wanted.and_then(|product| product.checked_mul(count));
        let last = (count.saturating_sub(1))
            .checked_mul(slab.stride(axis))
            .and_then(|way| way.checked_add(slab.start[axis]));
        let limit = variable.limits[axis].unwrap_or(LONGEST_AXIS);
        if slab.stride(axis) == 0 || last.is_none_or(|last| count > 0 && last >= limit) {
            return Err(refused(format!(
                "axis {axis} has {limit} elements; {count} from {} with stride {} reach past it",
                slab.start[axis],
                slab.stride(axis)
            )));
        }
    }
    if wanted != Some(bytes as u64) {
        return Err(refused(format!(
            "the put needs {} bytes and has {bytes}",
            wanted.map_or("countless".to_owned(), |wanted| wanted.to_string())
        )));
    }
    Ok(())
}

fn lost() -> Error {
    Error::new(ErrorCode::Internal, "a chunk being gathered is lost")
}
