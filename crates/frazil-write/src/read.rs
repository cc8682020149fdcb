//! Reading back what is being written, committed or not.

use std::sync::Arc;

use frazil_codec::Scratch;
use frazil_types::ErrorCode;

use super::alone::{Alone, hyperslab};
use super::define::FILL_VALUE;
use super::errors::{lost, refused};
use super::key::Key;
use super::slab::{Slab, check_slab};
use super::variable::Variable;
use super::writer::Writer;
use frazil_container::elements::Elements;
use frazil_container::hdf5::{Hyperslab, LiveOutput};
use frazil_container::schema::{AttributeOwner, SchemaValue, Text, VariableId};
use frazil_file::error::{Error, Result};
use frazil_file::storage_error::from_container;

/// Why values are not read back.
const SEVERAL_RANKS: &str =
    "values that several ranks write cannot be read back before the file is closed";

impl Writer {
    /// Reads values back, those included that no commit has yet: `count` elements along each axis
    /// from `start`, every `stride`-th. Row-major, little-endian. Elements that were never written
    /// hold the fill value; those of chunks that are not packed yet are not rounded yet.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`] if the selection does not fit the variable's shape; else the
    /// first error of the work so far.
    pub fn read(
        &mut self,
        id: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
    ) -> Result<Vec<u8>> {
        self.begin()?;
        let alone = self.alone(SEVERAL_RANKS)?;
        self.check_variable(id)?;
        let slab = Slab::new(start, count, stride);
        if self.is_changeable(id) {
            return self.read_unwritten(id, &slab);
        }
        let variable = self.active(id)?;
        let bytes = self.bytes_of(id, &slab, variable.element_bytes())?;
        let mut values = vec![0; bytes];
        if bytes > 0 {
            let outcome = self.read_pieces(&alone, &variable, &slab, &mut values);
            outcome.map_err(|error| error.in_file(&self.path).at_variable(&variable.path))?;
        }
        Ok(variable.in_stored_order(&values).into_owned())
    }

    /// What a variable without any values holds. How it is stored stays open.
    fn read_unwritten(&self, id: VariableId, slab: &Slab<'_>) -> Result<Vec<u8>> {
        let variable = &self.schema.variables[id.0];
        let Some(mut fill) = variable.fill_bytes() else {
            let path = self.schema.variable_path(id);
            let error = refused("holds strings, not numbers");
            return Err(error.in_file(&self.path).at_variable(&path));
        };
        let bytes = self.bytes_of(id, slab, fill.len())?;
        if variable.is_big_endian {
            fill.reverse();
        }
        Ok(fill.repeat(bytes / fill.len().max(1)))
    }

    /// The bytes that a part of a variable takes in memory.
    fn bytes_of(&self, id: VariableId, slab: &Slab<'_>, element_bytes: usize) -> Result<usize> {
        let path = self.schema.variable_path(id);
        let wrap = |error: Error| error.in_file(&self.path).at_variable(&path);
        let shape = self.schema.shape(id);
        let elements = check_slab(slab, shape.len(), |axis| shape[axis]).map_err(wrap)?;
        let bytes = elements.and_then(|n| n.checked_mul(element_bytes as u64));
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        bytes.ok_or_else(|| {
            let cause = "the selection has more bytes than can be addressed";
            wrap(Error::new(ErrorCode::InvalidArgument, cause))
        })
    }

    fn read_pieces(
        &mut self,
        alone: &Alone,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        values: &mut [u8],
    ) -> Result<()> {
        let size = variable.element_bytes();
        let mut scratch = Scratch::default();
        for piece in slab.pieces(&variable.chunk) {
            let key = Key {
                variable: variable.id.0,
                offset: piece.offset(&variable.chunk),
            };
            let chunk = self.chunk_values(alone, variable, &key, &mut scratch)?;
            piece.for_each_run(slab, &variable.chunk, |run| {
                let (from, to, bytes) = (run.to * size, run.from * size, run.elements * size);
                values[to..to + bytes].copy_from_slice(&chunk[from..from + bytes]);
            });
        }
        self.store.leave();
        Ok(())
    }

    /// All values of a chunk as they are to be stored.
    fn chunk_values(
        &mut self,
        alone: &Alone,
        variable: &Arc<Variable>,
        key: &Key,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>> {
        let size = variable.element_bytes();
        let gathered = match self.store.find(key) {
            Some(slot) => {
                let mut chunk = self.store.get_mut(slot).ok_or_else(lost)?;
                let values = chunk.values(size).to_vec();
                Some((values, chunk.mask.clone(), chunk.has_base))
            }
            None if self.store.is_spilled(key) => {
                let charge = self.submission.no_room();
                let chunk = self.store.read_spilled(key, variable, charge)?;
                let mut chunk = chunk.ok_or_else(lost)?;
                let values = chunk.values(size).to_vec();
                Some((values, chunk.mask, chunk.has_base))
            }
            None => None,
        };
        match gathered {
            Some((values, _, false)) => Ok(values),
            Some((mut values, mask, true)) => {
                let base = self.placed_values(alone, variable, key, scratch)?;
                mask.merge(&mut values, &base, size);
                Ok(values)
            }
            None => self.placed_values(alone, variable, key, scratch),
        }
    }

    /// All values of a chunk that is not being gathered.
    fn placed_values(
        &self,
        alone: &Alone,
        variable: &Variable,
        key: &Key,
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>> {
        let elements = variable.chunk_bytes / variable.element_bytes();
        if variable.is_contiguous && self.details[key.variable].existing.is_some() {
            return alone.read_values(&self.submission, variable.id);
        }
        if let Some(element) = self.submission.held_constant(key) {
            return Ok(element.repeat(elements));
        }
        if !self.submission.is_submitted(key) {
            return Ok(variable.fill.repeat(elements));
        }
        // What is under way must be placed.
        self.submission.wait_idle();
        self.begin()?;
        let stored = self.submission.read_stored(key)?.ok_or_else(lost)?;
        let filters = self.submission.filters(key.variable).ok_or_else(lost)??;
        filters.unpack(&stored.bytes, stored.filter_mask, scratch)
    }

    /// As [`Self::read`], for variables of strings. `None` is one that is not there, as C writes a NULL.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_strings(
        &mut self,
        id: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
    ) -> Result<Vec<Option<Text>>> {
        self.begin()?;
        self.check_strings(id)?;
        let slab = Slab::new(start, count, stride);
        let read = |output: &LiveOutput, slab: Hyperslab<'_>| output.read_strings(id, Some(slab));
        let Some(part) = self.read_indirect(id, &slab, read)? else {
            return Ok(Vec::new());
        };
        let found = part.found.unwrap_or_default();
        if part.present == count {
            return Ok(found);
        }
        let mut all = vec![Some(self.fill_of_strings(id)); part.elements];
        for (place, text) in places_of(&part.present, count).zip(found) {
            all[place] = text;
        }
        Ok(all)
    }

    /// As [`Self::read`], for variables of types that the program has defined, with texts or sequences in their
    /// elements: those that were never written are zeros that point to nothing.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_elements(
        &mut self,
        id: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
    ) -> Result<Elements> {
        self.begin()?;
        let native = self.pointing_type(id)?;
        let slab = Slab::new(start, count, stride);
        let read = |output: &LiveOutput, slab: Hyperslab<'_>| {
            output.read_elements(id, Some(slab), &native)
        };
        let size = native.size_bytes;
        let (part, nothing) = (self.read_indirect(id, &slab, read)?, || {
            Elements::zeros(0, size)
        });
        let all = match part {
            None => nothing(),
            Some(part) => {
                let is_whole = part.present == count;
                match part.found.map_or_else(nothing, Ok) {
                    Ok(found) if !is_whole => {
                        let fill = self.schema.variables[id.0].fill_element();
                        let fill = fill.unwrap_or_else(|| Elements::plain(size, vec![0; size]));
                        found.spread(part.elements, places_of(&part.present, count), &fill)
                    }
                    found => found,
                }
            }
        };
        all.map_err(|error| from_container(error, &self.path))
    }

    /// Reads elements that point elsewhere, as far as they are in the file; `None`: none are meant.
    fn read_indirect<T>(
        &mut self,
        id: VariableId,
        slab: &Slab<'_>,
        read: impl FnOnce(&LiveOutput, Hyperslab<'_>) -> frazil_container::Result<T>,
    ) -> Result<Option<Part<T>>> {
        let alone = self.alone(SEVERAL_RANKS)?;
        let shape = self.schema.shape(id);
        let path = self.schema.variable_path(id);
        let wrap = |error: Error| error.in_file(&self.path).at_variable(&path);
        let elements = check_slab(slab, shape.len(), |axis| shape[axis]).map_err(wrap)?;
        let Some(elements) = elements.and_then(|elements| usize::try_from(elements).ok()) else {
            let cause = "the selection has more elements than can be addressed";
            return Err(wrap(Error::new(ErrorCode::InvalidArgument, cause)));
        };
        if elements == 0 {
            return Ok(None);
        }
        let storage = self.indirect_storage(id);
        let first = self.schema.first_shape(id);
        let stored = alone.prepare_indirect(&self.submission, id, &first, &storage)?;
        let present = slab.within(&stored);
        let inside = Slab::new(slab.start, &present, slab.stride);
        let mut found = None;
        if !present.contains(&0) {
            let done = alone.with_file(&self.submission, |output| read(output, hyperslab(&inside)));
            found = Some(done.map_err(wrap)?);
        }
        Ok(Some(Part {
            elements,
            present,
            found,
        }))
    }

    /// What strings are that nobody has put.
    fn fill_of_strings(&self, id: VariableId) -> Text {
        let own = self
            .schema
            .attribute(AttributeOwner::Variable(id), FILL_VALUE);
        match own.map(|attribute| &attribute.value) {
            Some(SchemaValue::Strings(texts)) => texts.first().cloned().unwrap_or_default(),
            _ => Text::default(),
        }
    }
}

/// What of a selection is in the file.
struct Part<T> {
    /// Elements of the selection.
    elements: usize,
    /// How many there are of them along each axis.
    present: Vec<u64>,
    /// These; `None`: there are none.
    found: Option<T>,
}

/// The places of a part of an array, which begins where that begins, among all of its elements.
fn places_of(part: &[u64], whole: &[u64]) -> impl Iterator<Item = usize> {
    let elements = part.iter().product::<u64>();
    (0..elements).map(move |number| {
        let (mut rest, mut place, mut step) = (number, 0, 1);
        for (&count, &extent) in part.iter().zip(whole).rev() {
            place += rest % count * step;
            rest /= count;
            step *= extent;
        }
        place as usize
    })
}
