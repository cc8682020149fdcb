//! Puts: slices of any size, gathered into chunks.

use std::borrow::Cow;
use std::sync::Arc;

use frazil_container::elements::Elements;
use frazil_container::hdf5::{OutputStorage, TypeDescription};
use frazil_container::native::native;
use frazil_pipeline::Charge;
use frazil_types::FilterPipeline;

use super::buffer::Buffer;
use super::checks::{check_count, check_texts};
use super::cooperation::Indirect;
use super::errors::{lost, refused};
use super::key::Key;
use super::mask::Mask;
use super::pack::{Content, Place};
use super::partial::{Begun, PartialChunk};
use super::settings::{FilterRequest, LayoutRequest};
use super::slab::{Piece, Slab};
use super::store::Slot;
use super::variable::Variable;
use super::writer::Writer;
use frazil_container::schema::{Text, ValueType, VariableId};
use frazil_file::error::Result;

impl Writer {
    /// Writes values: `count` elements along each axis from `start`, every `stride`-th of the
    /// variable (`None`: every one). `bytes` are the values row-major, little-endian; they are
    /// copied. Where puts overlap the last one holds.
    ///
    /// Unlimited dimensions grow as far as is written.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if the arguments
    /// do not fit the variable; else the first error of the work so far.
    pub fn put(
        &mut self,
        variable: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
        bytes: &[u8],
    ) -> Result<()> {
        self.begin_put(variable)?;
        let is_one = stride.is_none() && count.iter().all(|&elements| elements == 1);
        if is_one && count.len() == start.len() && self.put_one(variable, start, bytes)? {
            return Ok(());
        }
        let slab = Slab::new(start, count, stride);
        // What is refused must not fix how the variable lies.
        self.check_put(variable, &slab, bytes.len())?;
        let variable = self.active(variable)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let cooperation = Arc::clone(&self.cooperation);
        let outcome = cooperation.put(self, &variable, &slab, bytes);
        outcome.map_err(|error| self.fail_at(variable.id, error.at_variable(&variable.path)))
    }

    /// The first error of the work so far, if it concerns the variable.
    #[inline]
    fn begin_put(&self, id: VariableId) -> Result<()> {
        self.begin()?;
        match self
            .details
            .get(id.0)
            .and_then(|details| details.failure.as_ref())
        {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Gathers values that were looked at.
    pub(super) fn gather_put(
        &mut self,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        self.grow(&variable.dimensions, slab);
        self.raw_bytes += bytes.len() as u64;
        self.uncommitted_bytes += bytes.len() as u64;
        let bytes = variable.in_stored_order(bytes);
        match variable.is_rounded_by_call() {
            true => self.gather_on_grid(variable, slab, &bytes),
            false => self.gather(variable, slab, &bytes),
        }
    }

    pub(super) fn gather(
        &mut self,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        let size = variable.element_bytes();
        for piece in slab.pieces(&variable.chunk) {
            let key = Key {
                variable: variable.id.0,
                offset: piece.offset(&variable.chunk),
            };
            let elements = piece.elements();
            let is_whole = elements == variable.writable_elements(&key.offset);
            let is_full = is_whole && elements * size as u64 == variable.chunk_bytes as u64;
            let may_go = !variable.is_contiguous && self.may_pack(variable);
            if is_full && may_go && self.store.find(&key).is_none() {
                self.gather_full(variable, key, &piece, slab, bytes)?;
                continue;
            }
            let slot = self.slot(variable, key, elements, is_whole)?;
            let Some(mut chunk) = self.store.get_mut(slot) else {
                return Err(lost());
            };
            piece.for_each_run(slab, &variable.chunk, |run| {
                let from = run.from * size;
                let values = &bytes[from..from + run.elements * size];
                chunk.write(run.to, values, size);
            });
            let is_complete = chunk.is_complete();
            drop(chunk);
            if is_complete {
                self.complete(variable, slot)?;
            }
        }
        self.store.leave();
        Ok(())
    }

    /// Gathers a chunk that one put fills: it needs no place among those being gathered, no mask,
    /// and no values to begin with.
    fn gather_full(
        &mut self,
        variable: &Arc<Variable>,
        key: Key,
        piece: &Piece,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        let size = variable.element_bytes();
        let charge = self.submission.room(variable.chunk_bytes as u64)?;
        self.store.drop_spilled(&key);
        let mut values = self.buffers.take(variable.chunk_bytes);
        // Runs come in row-major order, and there is none that is not written.
        piece.for_each_run(slab, &variable.chunk, |run| {
            let from = run.from * size;
            values.extend(&bytes[from..from + run.elements * size]);
        });
        self.submit(variable, key, values, charge)
    }

    /// Writes one element the short way; `false`: there is none, nothing was done, and [`Self::put`]
    /// can do it or says what is wrong.
    ///
    /// # Errors
    /// As [`Self::put`].
    #[inline]
    pub fn put_element(
        &mut self,
        variable: VariableId,
        start: &[u64],
        bytes: &[u8],
    ) -> Result<bool> {
        self.begin_put(variable)?;
        self.put_one(variable, start, bytes)
    }

    /// Writes one element if it belongs to the chunk that was used last; `false`: it does not, or
    /// something is wrong with it.
    fn put_one(&mut self, id: VariableId, start: &[u64], bytes: &[u8]) -> Result<bool> {
        let Some(variable) = self.details.get(id.0).and_then(|d| d.active.as_ref()) else {
            return Ok(false);
        };
        let may_grow = self.uncommitted_bytes < self.options.commits.bytes();
        let schema = &self.schema;
        let written = self.store.with_hot(id.0, |slot, offset, chunk| {
            let rank = offset.len();
            let is_plain = bytes.len() == variable.element_bytes() && !variable.is_swapped();
            if !is_plain || start.len() != rank {
                return None;
            }
            let (mut at, mut grows) = (0, false);
            for axis in 0..rank {
                let local = start[axis].wrapping_sub(offset[axis]);
                let dimension = &schema.dimensions[variable.dimensions[axis]];
                let is_beyond = start[axis] >= dimension.length;
                // Where a complete record may call for a commit, growing is not for here.
                let is_elsewhere = is_beyond && !(dimension.is_unlimited && may_grow);
                if local >= variable.chunk[axis] || is_elsewhere {
                    return None;
                }
                grows |= is_beyond;
                at = at * variable.chunk[axis] + local;
            }
            chunk.write_one(at as usize, bytes);
            Some((slot, grows, chunk.is_complete()))
        });
        let Some((slot, grows, is_complete)) = written.flatten() else {
            return Ok(false);
        };
        self.raw_bytes += bytes.len() as u64;
        self.uncommitted_bytes += bytes.len() as u64;
        if grows {
            for (&number, &start) in variable.dimensions.iter().zip(start) {
                let dimension = &mut self.schema.dimensions[number];
                if dimension.is_unlimited {
                    dimension.length = dimension.length.max(start + 1);
                }
            }
        }
        if is_complete {
            let variable = Arc::clone(variable);
            let outcome = self.complete(&variable, slot);
            outcome.map_err(|error| self.fail_at(id, error.at_variable(&variable.path)))?;
        }
        Ok(true)
    }

    /// The place in memory of a chunk of which so many elements are about to be put, all of them or
    /// a part.
    fn slot(
        &mut self,
        variable: &Variable,
        key: Key,
        elements_put: u64,
        is_whole: bool,
    ) -> Result<Slot> {
        if let Some(slot) = self.store.find(&key) {
            return Ok(slot);
        }
        let charge = self.submission.room(variable.gathered_bytes())?;
        if !is_whole && self.store.is_spilled(&key) {
            let chunk = self.store.read_spilled(&key, variable, charge)?;
            self.store.drop_spilled(&key);
            return Ok(self.store.insert(key, chunk.ok_or_else(lost)?));
        }
        self.store.drop_spilled(&key);
        let bytes = variable.chunk_bytes;
        let writable = variable.writable_elements(&key.offset);
        let has_base = !is_whole && self.submission.is_submitted(&key);
        let elements = bytes / variable.element_bytes();
        let mask = Mask::new(elements);
        let is_full = is_whole && writable == elements as u64;
        let begun = (self.cooperation).begin_chunk(self, variable, elements_put, is_full)?;
        let chunk = match begun {
            Begun::Filled(values) => PartialChunk::new(values, mask, writable, has_base, charge),
            Begun::Zeros(zeros) => PartialChunk::unfilled(zeros, mask, writable, has_base, charge),
            Begun::Close(room) => {
                PartialChunk::close(room, bytes, mask, writable, has_base, charge)
            }
        };
        Ok(self.store.insert(key, chunk))
    }

    /// Hands a complete chunk on. Contiguous variables stay until a commit.
    fn complete(&mut self, variable: &Arc<Variable>, slot: Slot) -> Result<()> {
        if variable.is_contiguous || !self.may_pack(variable) {
            return Ok(());
        }
        let (key, chunk) = self.store.remove(slot).ok_or_else(lost)?;
        self.pack_gathered(variable, key, chunk)
    }

    /// Takes a chunk out of those being gathered.
    pub(super) fn take_gathered(&mut self, key: &Key, variable: &Variable) -> Result<PartialChunk> {
        if let Some(slot) = self.store.find(key) {
            return self.store.remove(slot).map(|(_, c)| c).ok_or_else(lost);
        }
        let charge = self.submission.room(variable.gathered_bytes())?;
        let chunk = self.store.read_spilled(key, variable, charge)?;
        self.store.drop_spilled(key);
        chunk.ok_or_else(lost)
    }

    /// Hands a chunk on as it stands.
    pub(super) fn pack_gathered(
        &mut self,
        variable: &Arc<Variable>,
        key: Key,
        mut chunk: PartialChunk,
    ) -> Result<()> {
        chunk.fill_rest(&variable.fill);
        let (values, _, charge) = chunk.into_parts(variable.element_bytes());
        self.submit(variable, key, values, charge)
    }

    /// Hands the values of a complete chunk on.
    fn submit(
        &mut self,
        variable: &Arc<Variable>,
        key: Key,
        values: Buffer,
        charge: Charge,
    ) -> Result<()> {
        let packed_charge = self.submission.packed_room(variable)?;
        let place = self.place(variable, key);
        self.cooperation
            .choose_by(&mut self.submission, variable, &values);
        let content = Content::Values(values);
        self.submission
            .submit(place, content, charge, packed_charge)
    }

    /// Whether chunks are packed when they are complete; before that they stay as they are.
    pub(super) fn may_pack(&self, variable: &Variable) -> bool {
        self.cooperation.may_pack(&self.submission, variable)
    }

    pub(super) fn place(&self, variable: &Arc<Variable>, key: Key) -> Place {
        Place {
            variable: Arc::clone(variable),
            offset: key.offset,
            shape: self.schema.shape(variable.id),
        }
    }

    // --- growing ---

    /// Whether a put begins a new record while so much was put that it is time for a commit.
    pub(super) fn completes_records(&self, dimensions: &[usize], slab: &Slab<'_>) -> bool {
        if self.uncommitted_bytes < self.options.commits.bytes() {
            return false;
        }
        let grows = dimensions.iter().enumerate().any(|(axis, &number)| {
            let dimension = &self.schema.dimensions[number];
            dimension.is_unlimited && slab.end(axis) > dimension.length
        });
        // What is incomplete is packed twice: that must stay a small part of the work.
        grows && self.store.dirty_bytes() <= self.uncommitted_bytes / 4
    }

    pub(super) fn grow(&mut self, dimensions: &[usize], slab: &Slab<'_>) {
        for (axis, &number) in dimensions.iter().enumerate() {
            let dimension = &mut self.schema.dimensions[number];
            if dimension.is_unlimited {
                dimension.length = dimension.length.max(slab.end(axis));
            }
        }
    }

    // --- elements that point elsewhere ---

    /// As [`Self::put`], for variables of strings. They are not packed, and written at once.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub fn put_strings(
        &mut self,
        id: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
        values: &[Text],
    ) -> Result<()> {
        self.begin()?;
        self.check_strings(id)?;
        let slab = Slab::new(start, count, stride);
        let path = self.schema.variable_path(id);
        self.check_place(id, &slab)
            .and_then(|elements| check_count(elements, values.len()))
            .and_then(|()| check_texts(values))
            .map_err(|error| error.in_file(&self.path).at_variable(&path))?;
        if values.is_empty() {
            return Ok(());
        }
        self.put_indirect(id, &slab, Indirect::Texts(values))
    }

    /// As [`Self::put`], for variables of types that the program has defined, with texts or sequences in their
    /// elements. They are not packed, and written at once.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub fn put_elements(
        &mut self,
        id: VariableId,
        start: &[u64],
        count: &[u64],
        stride: Option<&[u64]>,
        values: &Elements,
    ) -> Result<()> {
        self.begin()?;
        let native = self.pointing_type(id)?;
        let slab = Slab::new(start, count, stride);
        let path = self.schema.variable_path(id);
        self.check_place(id, &slab)
            .and_then(|elements| check_count(elements, values.len()))
            .map_err(|error| error.in_file(&self.path).at_variable(&path))?;
        if values.is_empty() {
            return Ok(());
        }
        self.put_indirect(id, &slab, Indirect::Elements(values, &native))
    }

    fn put_indirect(
        &mut self,
        id: VariableId,
        slab: &Slab<'_>,
        values: Indirect<'_>,
    ) -> Result<()> {
        let model = &self.schema.variables[id.0];
        let dimensions: Vec<usize> = model.dimensions.iter().map(|id| id.0).collect();
        self.grow(&dimensions, slab);
        let cooperation = Arc::clone(&self.cooperation);
        cooperation.put_indirect(self, id, slab, values)
    }

    /// What elements are in memory that point elsewhere; refuses variables of others.
    pub(super) fn pointing_type(&self, id: VariableId) -> Result<TypeDescription> {
        self.check_variable(id)?;
        let known = match self.schema.variables[id.0].value_type {
            ValueType::Defined(of) if of.is_indirect => self.schema.types.get(of.id.0),
            _ => None,
        };
        known
            .and_then(|known| native(&known.datatype))
            .ok_or_else(|| {
                let path = self.schema.variable_path(id);
                let error = refused("has no elements with texts or sequences in them");
                error.in_file(&self.path).at_variable(&path)
            })
    }

    /// Refuses variables of numbers.
    pub(super) fn check_strings(&self, id: VariableId) -> Result<()> {
        self.check_variable(id)?;
        if self.schema.variables[id.0].value_type != ValueType::String {
            let path = self.schema.variable_path(id);
            let error = refused("holds numbers, not strings");
            return Err(error.in_file(&self.path).at_variable(&path));
        }
        Ok(())
    }

    /// How a variable of strings lies, or of what points elsewhere: chunks only where it grows, or as asked.
    pub(super) fn indirect_storage(&self, id: VariableId) -> OutputStorage {
        let limits = self.schema.limits(id);
        let asked = match &self.details[id.0].settings.layout {
            LayoutRequest::Chunked(chunk) => Some(chunk.clone()),
            _ if limits.contains(&None) => {
                // 16 bytes each: pages of some kilobytes.
                let grows = limits
                    .iter()
                    .map(|limit| limit.map_or(256, |n| n.clamp(1, 256)));
                let mut chunk: Vec<u64> = grows.collect();
                let mut left = 1024;
                for extent in chunk.iter_mut().rev() {
                    *extent = (*extent).min(left);
                    left = (left / *extent).max(1);
                }
                Some(chunk)
            }
            _ => None,
        };
        match asked {
            Some(chunk) => OutputStorage::Chunked {
                chunk,
                pipeline: self.strings_filters(id),
            },
            None => OutputStorage::Contiguous,
        }
    }

    /// What is asked for by name: only libhdf5 packs strings, and the texts themselves lie elsewhere.
    fn strings_filters(&self, id: VariableId) -> FilterPipeline {
        match &self.details[id.0].settings.filters {
            FilterRequest::Exactly(pipeline) => pipeline.clone(),
            FilterRequest::Ours => FilterPipeline::default(),
        }
    }

    pub(super) fn lengths(&self) -> Vec<u64> {
        let dimensions = self.schema.dimensions.iter();
        dimensions.map(|dimension| dimension.length).collect()
    }
}

impl Variable {
    /// Whether values are stored in another byte order than they are put.
    pub(super) fn is_swapped(&self) -> bool {
        self.element.order == frazil_types::ByteOrder::Big
    }

    /// Little-endian values as they are stored, and back.
    pub(super) fn in_stored_order<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.is_swapped() {
            return Cow::Borrowed(bytes);
        }
        let mut swapped = bytes.to_vec();
        for element in swapped.chunks_exact_mut(self.element_bytes()) {
            element.reverse();
        }
        Cow::Owned(swapped)
    }
}
