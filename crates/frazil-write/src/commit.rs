//! Commits: everything put so far becomes the file's state.

use std::sync::Arc;
use std::time::Instant;

use frazil_container::classic::AttributeValue;
use frazil_types::{ErrorCode, FilterPipeline, PrecisionRequest};

use super::alone::Alone;
use super::change::Change;
use super::cooperation::Call;
use super::errors::lost;
use super::key::Key;
use super::pack::{CommitStep, Content, Step, concerns_one_variable};
use super::settings::{FilterRequest, LayoutRequest, VariableSettings};
use super::slab::Slab;
use super::variable::Variable;
use super::writer::Writer;
use frazil_container::schema::{AttributeOwner, Schema, SchemaAttribute, SchemaValue, VariableId};
use frazil_file::error::{Error, Result};
use frazil_options::plan_text::PLAN_ATTRIBUTE;

impl Writer {
    /// Compares the definitions of all ranks and fixes how variables lie. All ranks call it, or none:
    /// [`Self::sync`] and [`Self::close`] do the same first. Without other ranks, it looks whether
    /// values of all variables can be written as it is asked for.
    ///
    /// # Errors
    /// The error that the first value of a variable would give;
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if a rank has
    /// defined something else than rank 0, with its name; else the first error of any rank.
    pub fn end_definitions(&mut self) -> Result<()> {
        self.call(Call::Define)
    }

    /// Makes everything put so far the state that readers see and that survives the end of this
    /// process. Incomplete chunks are packed as they stand, and go on being gathered.
    ///
    /// # Errors
    /// The first error of the work so far; one that only concerns one variable is said when all others
    /// are committed.
    pub fn sync(&mut self) -> Result<()> {
        let began = Instant::now();
        let outcome = self.call(Call::Sync);
        self.submission.stalled += began.elapsed();
        outcome?;
        self.check_variables()
    }

    pub(super) fn call(&mut self, call: Call) -> Result<()> {
        let cooperation = Arc::clone(&self.cooperation);
        cooperation.call(self, call)
    }

    /// Hands on everything put so far and a commit after it; does not wait for that.
    pub(super) fn commit(&mut self, alone: &Alone, is_end: bool) -> Result<()> {
        self.begin()?;
        let is_begun: Vec<bool> = (0..self.details.len())
            .map(|number| self.submission.has_any(number))
            .collect();
        self.cut_chunks(is_end, &is_begun)?;
        // What describes a variable's rounding comes to the definitions while they are prepared.
        let mut number = 0;
        while number < self.details.len() {
            let id = VariableId(number);
            if let Err(error) = self.prepare(alone, id) {
                self.give_up(alone, id, error)?;
            }
            number += 1;
        }
        self.flush(is_end)?;
        if self.options.keep_plan {
            self.put_plan()?;
        }
        self.submission.pass_on(Step::Commit(CommitStep {
            lengths: self.lengths(),
            variables: self.details.iter().map(|d| d.active.clone()).collect(),
        }));
        self.details
            .iter_mut()
            .for_each(|details| details.is_in_file = true);
        self.uncommitted_bytes = 0;
        Ok(())
    }

    /// Fixes how a variable lies that is not in the file yet: a commit has all datasets.
    fn prepare(&mut self, alone: &Alone, id: VariableId) -> Result<()> {
        if self.details[id.0].is_in_file {
            return Ok(());
        }
        if self.schema.variables[id.0].value_type.is_indirect() {
            let storage = self.indirect_storage(id);
            let shape = self.schema.first_shape(id);
            let made = alone.prepare_indirect(&self.submission, id, &shape, &storage);
            return made.map(drop);
        }
        self.active(id).map(drop)
    }

    /// Has a variable in the file without its values, which cannot be written: it keeps no other out.
    fn give_up(&mut self, alone: &Alone, id: VariableId, error: Error) -> Result<()> {
        if !concerns_one_variable(error.code) {
            return Err(error);
        }
        let details = &mut self.details[id.0];
        details.failure.get_or_insert(error);
        details.settings = VariableSettings {
            fill: details.settings.fill.clone(),
            is_big_endian: details.settings.is_big_endian,
            filters: FilterRequest::Exactly(FilterPipeline::default()),
            precision: Some(PrecisionRequest {
                lossless: Some(true),
                ..PrecisionRequest::default()
            }),
            ..VariableSettings::default()
        };
        self.prepare(alone, id)
    }

    /// Puts what was decided into the file.
    pub(super) fn put_plan(&mut self) -> Result<()> {
        let plan = serde_json::to_string(&self.plan()?).map_err(|error| {
            let cause = format!("the plan cannot be written as JSON: {error}");
            Error::new(ErrorCode::Internal, cause)
        })?;
        let owner = AttributeOwner::Group(Schema::ROOT);
        let attribute = SchemaAttribute {
            name: PLAN_ATTRIBUTE.to_owned(),
            value: SchemaValue::Atomic(AttributeValue::Char(plan.into_bytes())),
        };
        if !self.schema.attributes(owner).contains(&attribute) {
            self.change(Change::PutAttribute(owner, attribute));
        }
        Ok(())
    }

    // --- chunks ---

    /// Packs and places all values that were put, incomplete chunks as they stand.
    fn flush(&mut self, is_end: bool) -> Result<()> {
        let dirty = self.store.dirty();
        self.choose_by_incomplete(&dirty)?;
        let active = self.details.iter().filter_map(|d| d.active.clone());
        for variable in active.collect::<Vec<_>>() {
            self.submission.force(&variable);
        }
        if dirty.iter().any(|(_, has_base)| *has_base) {
            // What is merged must be placed.
            self.submission.wait_idle();
        }
        for (key, has_base) in dirty {
            self.flush_chunk(key, has_base, is_end)?;
        }
        self.store.leave();
        self.submission.check()
    }

    /// Tries filters on incomplete chunks where a variable has no complete one yet.
    fn choose_by_incomplete(&mut self, dirty: &[(Key, bool)]) -> Result<()> {
        for (key, _) in dirty {
            if self.submission.is_decided(key.variable) {
                continue;
            }
            let variable = self.active(VariableId(key.variable))?;
            let size = variable.element_bytes();
            // Twice: the values, and those of them that were written.
            let charge = self.submission.room(2 * variable.gathered_bytes())?;
            let values = match self.store.find(key) {
                Some(slot) => {
                    let chunk = self.store.get_mut(slot).ok_or_else(lost)?;
                    chunk.written(size).into_owned()
                }
                None => {
                    let chunk = self.store.read_spilled(key, &variable, charge)?;
                    let chunk = chunk.ok_or_else(lost)?;
                    chunk.written(size).into_owned()
                }
            };
            self.submission.choose_by(&variable, &values);
        }
        Ok(())
    }

    pub(super) fn flush_chunk(&mut self, key: Key, has_base: bool, is_end: bool) -> Result<()> {
        let variable = self.active(VariableId(key.variable))?;
        let stored = match has_base {
            true => self.submission.read_stored(&key)?,
            false => None,
        };
        // A chunk that was merged has all its values in the file.
        let is_kept = !is_end && stored.is_none();
        // Room comes first: making it may spill the very chunk.
        let copy_charge = self.submission.room(variable.gathered_bytes())?;
        let packed_charge = self.submission.packed_room(&variable)?;
        let mut chunk = match self.store.find(&key) {
            Some(slot) if is_kept => {
                let mut chunk = self.store.get_mut(slot).ok_or_else(lost)?;
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
        chunk.fill_rest(&variable.fill);
        let (values, mask, charge) = chunk.into_parts(variable.element_bytes());
        let content = match stored {
            Some(stored) => Content::Merge {
                values,
                mask,
                stored,
            },
            None => {
                self.cooperation
                    .choose_by(&mut self.submission, &variable, &values);
                Content::Values(values)
            }
        };
        let place = self.place(&variable, key);
        self.submission
            .submit(place, content, charge, packed_charge)
    }

    // --- chunks of fewer records ---

    /// Where the first commit comes before chunks are full, commits will come per so many records:
    /// chunks of more records would be written again by each of them. Variables without a stored
    /// chunk get chunks of those records, and what was gathered goes into them. `is_begun` says by
    /// variable whether chunks were handed on.
    pub(super) fn cut_chunks(&mut self, is_end: bool, is_begun: &[bool]) -> Result<()> {
        if is_end || self.records_per_commit.is_some() {
            return Ok(());
        }
        let active: Vec<Arc<Variable>> = self
            .details
            .iter()
            .filter_map(|d| d.active.clone())
            .collect();
        let records = active.iter().filter(|v| v.limits.first() == Some(&None));
        let records = records
            .filter_map(|v| self.schema.shape(v.id).first().copied())
            .max();
        let Some(records) = records.filter(|&records| records > 0) else {
            return Ok(());
        };
        self.records_per_commit = Some(records);
        for variable in active {
            if self.is_shape_open(&variable, is_begun) {
                self.lay_out_anew(&variable)?;
            }
        }
        Ok(())
    }

    /// Whether a variable's chunk shape is ours to choose, and no chunk was handed on.
    pub(super) fn is_shape_open(&self, variable: &Variable, is_begun: &[bool]) -> bool {
        let details = &self.details[variable.id.0];
        !details.is_in_file
            && !variable.is_contiguous
            && details.settings.layout == LayoutRequest::Ours
            && self.replayed(&variable.path, &details.settings).is_none()
            && !is_begun.get(variable.id.0).is_some_and(|&begun| begun)
    }

    /// Gives a variable, and what was gathered of it, the chunk shape that it would get now.
    pub(super) fn lay_out_anew(&mut self, variable: &Arc<Variable>) -> Result<()> {
        let settings = &self.details[variable.id.0].settings;
        let layout = self.layout_of(variable.id, settings, None)?;
        match layout.chunk != variable.chunk {
            true => self.regather(variable),
            false => Ok(()),
        }
    }

    /// Moves the gathered values of a variable into chunks of its new shape.
    fn regather(&mut self, old: &Arc<Variable>) -> Result<()> {
        self.details[old.id.0].active = None;
        self.submission.reset(old.id.0);
        let new = self.active(old.id)?;
        let size = old.element_bytes();
        for key in self.store.keys(old.id.0) {
            let mut chunk = self.take_gathered(&key, old)?;
            let row = old.chunk.last().copied().unwrap_or(1) as usize;
            for (from, elements) in chunk.mask.runs(row) {
                let start = position(from as u64, &old.chunk, &key.offset);
                let mut count = vec![1; start.len()];
                if let Some(last) = count.last_mut() {
                    *last = elements as u64;
                }
                let slab = Slab::new(&start, &count, None);
                let values = &chunk.values(size)[from * size..(from + elements) * size];
                self.gather(&new, &slab, values)?;
            }
        }
        Ok(())
    }
}

/// Where element number `at` of a chunk is in the variable.
fn position(at: u64, chunk: &[u64], offset: &[u64]) -> Vec<u64> {
    let mut rest = at;
    let mut place = vec![0; chunk.len()];
    for axis in (0..chunk.len()).rev() {
        place[axis] = offset[axis] + rest % chunk[axis];
        rest /= chunk[axis];
    }
    place
}
