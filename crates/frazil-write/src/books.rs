//! The books of an output file: its objects, its chunk index and its commits, which libhdf5 keeps.
//! Bytes of packed chunks are written beside them, by [`DataFile`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use frazil_container::hdf5::{ExistingFile, LiveOutput, OutputStorage};
use frazil_types::{ErrorCode, FileAddress, QuantizePlan};
use serde::{Deserialize, Serialize};

use super::change::Change;
use super::data_file::DataFile;
use super::errors::closed;
use super::key::{Key, KeyMap};
use super::pack::CommitStep;
use super::variable::Variable;
use frazil_container::schema::{AttributeOwner, Schema, VariableId};
use frazil_file::error::{Error, Result};
use frazil_file::storage_error::from_container;
use frazil_precision::{RoundingStats, final_attributes};

/// Rewritten bytes that wait for a commit get this part of the memory.
const PENDING_SHARE: u64 = 8;
/// ... and not less than this: commits have a price.
const LEAST_PENDING_BYTES: u64 = 1 << 20;

/// A file of which libhdf5 keeps the books.
pub(super) struct Books {
    pub(super) path: PathBuf,
    /// The file's objects as of the chunks placed so far.
    schema: Schema,
    /// `None`: it is closed.
    output: Option<LiveOutput>,
    is_durable: bool,
    /// Rewritten bytes of earlier commits that may wait in memory for the next one.
    pub(super) pending_limit_bytes: u64,
    places: KeyMap<Stored>,
    /// By variable: the shape that its dataset has.
    shapes: BTreeMap<VariableId, Vec<u64>>,
    /// Names of attributes that were set since the last commit, by their owners.
    attributes: BTreeMap<AttributeOwner, BTreeSet<String>>,
    /// By variable: what rounding did to its values.
    roundings: BTreeMap<VariableId, RoundingStats>,
    /// By variable that is in the file: how it is rounded.
    plans: BTreeMap<VariableId, QuantizePlan>,
    pub(super) counts: Counts,
}

/// Where a chunk's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) address: FileAddress,
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

impl Books {
    /// Those of an output that is new, or existed with these objects.
    pub(super) fn new(
        path: &Path,
        output: LiveOutput,
        existing: Option<&ExistingFile>,
        is_durable: bool,
        memory_bytes: u64,
    ) -> Self {
        let variables = existing.iter().flat_map(|file| &file.variables).enumerate();
        Self {
            path: path.to_owned(),
            schema: existing.map_or_else(Schema::default, |file| file.schema.clone()),
            output: Some(output),
            is_durable,
            pending_limit_bytes: (memory_bytes / PENDING_SHARE).max(LEAST_PENDING_BYTES),
            places: KeyMap::default(),
            shapes: variables
                .map(|(number, found)| (VariableId(number), found.shape.clone()))
                .collect(),
            attributes: BTreeMap::new(),
            roundings: BTreeMap::new(),
            plans: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// Does something with libhdf5's file.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&LiveOutput) -> frazil_container::Result<T>,
    ) -> Result<T> {
        let output = self.output.as_ref().ok_or_else(closed)?;
        work(output).map_err(|error| from_container(error, &self.path))
    }

    // --- changes ---

    /// Makes a change in the file; attributes get their values with the next commit.
    pub(super) fn change(&mut self, change: &Change) -> Result<()> {
        let output = self.output.as_mut().ok_or_else(closed)?;
        let outcome = change.carry_out(&mut self.schema, output);
        outcome.map_err(|error| from_container(error, &self.path))?;
        match change {
            Change::PutAttribute(owner, attribute) => self.await_commit(*owner, &attribute.name),
            Change::RenameAttribute(owner, _, new) => self.await_commit(*owner, new),
            _ => Ok(()),
        }
    }

    /// Has an attribute written with the next commit, unless its owner is made with it.
    fn await_commit(&mut self, owner: AttributeOwner, attribute: &str) -> Result<()> {
        if self.with(|output| Ok(output.is_there(owner)))? {
            let names = self.attributes.entry(owner).or_default();
            names.insert(attribute.to_owned());
        }
        Ok(())
    }

    /// Writes the attributes that were set since the last commit, in the order in which the schema has
    /// them: as in netCDF-C, those that get another form come behind those that were left alone.
    fn write_attributes(&mut self) -> Result<()> {
        let output = self.output.as_mut().ok_or_else(closed)?;
        for (owner, names) in std::mem::take(&mut self.attributes) {
            let all = self.schema.attributes(owner).iter();
            for attribute in all.filter(|attribute| names.contains(&attribute.name)) {
                output
                    .put_attribute(owner, attribute, &self.schema.types)
                    .map_err(|error| from_container(error, &self.path))?;
            }
        }
        Ok(())
    }

    // --- datasets ---

    /// Makes a variable's dataset if it is not there, or lets it grow to `shape`.
    pub(super) fn prepare(&mut self, variable: &Variable, shape: &[u64]) -> Result<()> {
        let lengthened = variable.dimensions.iter().copied().zip(shape);
        self.lengthen(lengthened);
        if self.is_defined(variable.id)? {
            return self.extend(variable.id, shape);
        }
        self.define(variable.id, &variable.storage()?)?;
        let plan = variable.quantize.iter().cloned();
        self.plans.extend(plan.map(|plan| (variable.id, plan)));
        Ok(())
    }

    /// Makes the dataset of a variable whose elements point elsewhere, or lets it grow to `shape`; the shape that it has then.
    pub(super) fn prepare_indirect(
        &mut self,
        id: VariableId,
        shape: &[u64],
        storage: &OutputStorage,
    ) -> Result<Vec<u64>> {
        let dimensions = self.schema.variables[id.0].dimensions.clone();
        self.lengthen(dimensions.iter().map(|id| id.0).zip(shape));
        if !self.is_defined(id)? {
            self.define(id, storage)?;
        }
        self.extend(id, shape)?;
        Ok(self.shape(id))
    }

    /// Dimensions, by number, get at least these lengths.
    fn lengthen<'a>(&mut self, lengths: impl Iterator<Item = (usize, &'a u64)>) {
        for (dimension, &length) in lengths {
            let known = &mut self.schema.dimensions[dimension].length;
            *known = length.max(*known);
        }
    }

    fn is_defined(&self, id: VariableId) -> Result<bool> {
        self.with(|output| Ok(output.is_defined(id)))
    }

    fn define(&mut self, id: VariableId, storage: &OutputStorage) -> Result<()> {
        let output = self.output.as_mut().ok_or_else(closed)?;
        let outcome = output.define_variable(&self.schema, id, storage);
        outcome.map_err(|error| from_container(error, &self.path))?;
        self.shapes.insert(id, self.schema.first_shape(id));
        Ok(())
    }

    /// Lets a dataset grow to `wanted` along each axis where it is shorter.
    fn extend(&mut self, id: VariableId, wanted: &[u64]) -> Result<()> {
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
        let shape = shape.clone();
        self.with(|output| output.extend(id, &shape))
    }

    /// The shape that a dataset has.
    pub(super) fn shape(&self, id: VariableId) -> Vec<u64> {
        self.shapes.get(&id).cloned().unwrap_or_default()
    }

    // --- chunks ---

    /// Notes what rounding did to values of a variable.
    pub(super) fn merge_rounding(&mut self, id: VariableId, stats: &RoundingStats) {
        self.roundings.entry(id).or_default().merge(stats);
    }

    /// Where a chunk's bytes are; `None`: it has none.
    pub(super) fn place(&self, key: &Key) -> Option<Stored> {
        self.places.get(key).copied()
    }

    /// Whether a chunk of so many bytes would keep the filter mask of the one it replaces: libhdf5
    /// does not change it where sizes are the same.
    pub(super) fn would_keep_mask(&self, key: &Key, bytes: u64) -> bool {
        let before = self.places.get(key);
        before.is_some_and(|before| before.filter_mask != 0 && before.bytes == bytes)
    }

    /// Notes where a chunk is now.
    pub(super) fn note(&mut self, key: Key, is_reused: bool, address: FileAddress, bytes: u64) {
        let stored = Stored {
            address,
            bytes,
            filter_mask: 0,
        };
        let before = self.places.insert(key, stored);
        self.counts.chunks += 1;
        self.counts.reused += u64::from(is_reused);
        self.counts.written_bytes += bytes;
        self.counts.stored_bytes += bytes;
        self.counts.stored_bytes -= before.map_or(0, |stored| stored.bytes);
    }

    /// Notes where the chunks of a variable of an existing file are; which ones it has.
    pub(super) fn locate(&mut self, variable: &Variable) -> Result<Vec<Key>> {
        let chunks = self.with(|output| output.locate(variable.id))?;
        let shape = self.shape(variable.id);
        let Some(grid) = frazil_types::ChunkGrid::new(&shape, &variable.chunk) else {
            // Nothing was written yet.
            return Ok(Vec::new());
        };
        let mut keys = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let key = Key {
                variable: variable.id.0,
                offset: grid.offset(chunk.index).into(),
            };
            let stored = Stored {
                address: chunk.address,
                bytes: chunk.stored_bytes,
                filter_mask: chunk.filter_mask,
            };
            self.counts.stored_bytes += stored.bytes;
            self.places.insert(key.clone(), stored);
            keys.push(key);
        }
        Ok(keys)
    }

    // --- commits ---

    /// Rewritten bytes wait in memory for a commit: many of them bring it about.
    pub(super) fn limit_pending(&mut self, file: &mut DataFile) -> Result<()> {
        let pending = self.with(|output| Ok(output.pending_bytes()))?;
        // The first commit has all objects, and comes from the caller.
        if pending > self.pending_limit_bytes && self.counts.commits > 0 {
            self.write_attributes()?;
            self.state_roundings()?;
            self.commit_now(file)?;
        }
        Ok(())
    }

    /// Brings all datasets but those whose elements point elsewhere to the dimensions' lengths, and makes everything placed
    /// the file's state.
    pub(super) fn commit(&mut self, step: &CommitStep, file: &mut DataFile) -> Result<()> {
        let dimensions = 0..self.schema.dimensions.len();
        self.lengthen(dimensions.zip(&step.lengths));
        for variable in step.variables.iter().flatten() {
            let shape = self.schema.shape(variable.id);
            let outcome = self.prepare(variable, &shape);
            outcome.map_err(|error| error.at_variable(&variable.path))?;
        }
        for id in self.shapes.keys().copied().collect::<Vec<_>>() {
            if !self.schema.variables[id.0].value_type.is_indirect() {
                self.extend(id, &self.schema.shape(id))?;
            }
        }
        self.write_attributes()?;
        self.state_roundings()?;
        let output = self.output.as_mut().ok_or_else(closed)?;
        let outcome = output.complete(&self.schema);
        outcome.map_err(|error| from_container(error, &self.path))?;
        self.commit_now(file)
    }

    /// Writes what is known of rounding only when values were rounded.
    fn state_roundings(&mut self) -> Result<()> {
        let output = self.output.as_mut().ok_or_else(closed)?;
        for (&id, plan) in &self.plans {
            let Some(stats) = self.roundings.get(&id) else {
                continue;
            };
            for attribute in final_attributes(plan, stats, None) {
                let owner = AttributeOwner::Variable(id);
                output
                    .put_attribute(owner, &attribute.to_schema(), &self.schema.types)
                    .map_err(|error| from_container(error, &self.path))?;
            }
        }
        Ok(())
    }

    fn commit_now(&mut self, file: &mut DataFile) -> Result<()> {
        file.flush(&self.path)?;
        #[cfg(test)]
        file.note(super::data_file::Event::Commit);
        self.with(|output| output.commit(self.is_durable))?;
        self.counts.commits += 1;
        Ok(())
    }

    /// Closes the file after its last commit.
    pub(super) fn finish(&mut self) -> Result<()> {
        let output = self.output.take().ok_or_else(closed)?;
        let outcome = output.finish(self.is_durable);
        outcome.map_err(|error| from_container(error, &self.path))
    }
}

/// The error about a chunk that would keep another one's filter mask.
pub(super) fn keeps_mask() -> Error {
    let cause = "the chunk in the file skips filters that the new one does not";
    Error::new(ErrorCode::Unsupported, cause).with_cure("repack the file before it is changed")
}
