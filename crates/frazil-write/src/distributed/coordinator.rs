//! The process that has the file: plans for the others, space for what they pack, and the index.

use std::sync::Arc;

use frazil_types::FileAddress;

use super::super::alone::Alone;
use super::super::errors::refused;
use super::super::key::{Key, Offset};
use super::super::slab::Slab;
use super::super::variable::{ChosenFilters, Variable};
use super::super::writer::Writer;
use super::packer::check_whole;
use super::{ChunkPlan, FilterPlan, PackedEntry, PackedSummary};
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

/// Why no other process packs chunks.
const SEVERAL_RANKS: &str = "where ranks write together, no other process packs chunks";

impl Writer {
    /// What another process must know to pack chunks of a variable; `None`: its values must be put
    /// here, since they are strings, not in chunks, in tiny ones, or rounded over the range of each
    /// put. Fixes how the variable lies, as its first value does.
    ///
    /// # Errors
    /// As [`Self::put`]; [`ErrorCode::Unsupported`](frazil_types::ErrorCode::Unsupported) where ranks
    /// write together.
    pub fn chunk_plan(&mut self, id: VariableId) -> Result<Option<ChunkPlan>> {
        self.begin()?;
        self.alone(SEVERAL_RANKS)?;
        self.check_variable(id)?;
        if self.schema.variables[id.0].value_type.is_indirect() {
            return Ok(None);
        }
        let variable = self.active(id)?;
        if variable.is_contiguous || variable.is_tiny() || variable.is_rounded_by_call() {
            return Ok(None);
        }
        Ok(Some(ChunkPlan {
            path: variable.path.clone(),
            chunk: variable.chunk.clone(),
            filters: self.filter_plan(&variable)?,
            element: variable.element,
            fill: variable.fill.clone(),
            has_fill: variable.has_fill,
            limits: variable.limits.clone(),
            quantize: variable.quantize.clone(),
            requests: variable.requests.clone(),
        }))
    }

    fn filter_plan(&self, variable: &Variable) -> Result<FilterPlan> {
        let number = variable.id.0;
        let Some(known) = self.submission.filters(number).transpose()? else {
            return Ok(FilterPlan::Open);
        };
        Ok(match self.submission.is_decided(number) {
            true => FilterPlan::Chosen(known.into()),
            false => FilterPlan::OpenEncoder(known.pipeline.clone()),
        })
    }

    /// Space of so many bytes in the file, for one attempt of another process to write packed chunks
    /// there. It is never given again, whether anything of it comes into the index or not.
    ///
    /// # Errors
    /// The first error of the work so far; [`ErrorCode::Unsupported`](frazil_types::ErrorCode::Unsupported)
    /// where ranks write together, or if the file would be too long.
    pub fn set_aside(&mut self, bytes: u64) -> Result<FileAddress> {
        self.begin()?;
        let alone = self.alone(SEVERAL_RANKS)?;
        let placing = alone.placing(&self.submission);
        placing.sink.books.with(|output| output.set_aside(bytes))
    }

    /// Enters the chunks of a box into the index that another process has packed
    /// ([`super::super::ChunkPacker::pack`], same `start` and `count`) and written to `address`, one
    /// behind the other. Unlimited dimensions grow as far as the box reaches.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if the box does not
    /// fit the variable or its filters, or if one of its chunks has values already; else the first
    /// error of the work so far.
    pub fn enter_chunks(
        &mut self,
        id: VariableId,
        start: &[u64],
        count: &[u64],
        address: FileAddress,
        packed: &PackedSummary,
    ) -> Result<()> {
        self.begin()?;
        let alone = self.alone(SEVERAL_RANKS)?;
        let variable = self.active(id)?;
        let slab = Slab::new(start, count, None);
        let keys = self.keys_of(&variable, &slab, packed);
        let keys = keys.map_err(|error| error.in_file(&self.path).at_variable(&variable.path))?;
        if keys.is_empty() {
            return Ok(());
        }
        let outcome = self.enter_all((&alone, &variable), &slab, address, packed, keys);
        outcome.map_err(|error| self.submission.fail(error.at_variable(&variable.path)))
    }

    /// The chunks of a box, if they are those that were packed and have no values yet.
    fn keys_of(
        &mut self,
        variable: &Variable,
        slab: &Slab<'_>,
        packed: &PackedSummary,
    ) -> Result<Vec<Key>> {
        check_whole(variable, slab)?;
        self.adopt_choice(variable, &packed.filters)?;
        let number = variable.id.0;
        let offsets: Vec<Offset> = slab
            .pieces(&variable.chunk)
            .map(|piece| piece.offset(&variable.chunk))
            .collect();
        let pairs = offsets.iter().zip(&packed.chunks);
        let is_same = offsets.len() == packed.chunks.len()
            && pairs
                .clone()
                .all(|(offset, entry)| **offset == *entry.offset);
        if !is_same {
            return Err(refused(
                "the chunks that were packed are not those of the box",
            ));
        }
        let mut keys = Vec::with_capacity(offsets.len());
        for offset in offsets {
            let key = Key {
                variable: number,
                offset,
            };
            let is_begun = self.submission.is_submitted(&key)
                || self.store.find(&key).is_some()
                || self.store.is_spilled(&key);
            if is_begun {
                let cause = format!("the chunk at {:?} has values already", key.offset);
                return Err(refused(cause));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    /// Takes over filters that another process has chosen.
    fn adopt_choice(&mut self, variable: &Variable, choice: &ChosenFilters) -> Result<()> {
        let (known, is_decided) = match self.filter_plan(variable)? {
            FilterPlan::Open => (None, false),
            FilterPlan::OpenEncoder(pipeline) => (Some(pipeline), false),
            FilterPlan::Chosen(known) => (Some(known.pipeline), true),
        };
        if known.is_some_and(|known| known != choice.pipeline) {
            return Err(refused(
                "its chunks were packed with other filters than it has",
            ));
        }
        if is_decided {
            return Ok(());
        }
        let filters = variable.adopted(choice.clone())?;
        self.submission.fix(variable.id.0, filters, true);
        Ok(())
    }

    fn enter_all(
        &mut self,
        (alone, variable): (&Alone, &Arc<Variable>),
        slab: &Slab<'_>,
        address: FileAddress,
        packed: &PackedSummary,
        keys: Vec<Key>,
    ) -> Result<()> {
        let bytes = slab.count.iter().product::<u64>() * variable.element_bytes() as u64;
        self.raw_bytes += bytes;
        self.uncommitted_bytes += bytes;
        self.grow(&variable.dimensions, slab);
        let shape = self.schema.shape(variable.id);
        let is_stored = |entry: &PackedEntry| entry.bytes > 0;
        let omitted = packed
            .chunks
            .iter()
            .filter(|entry| !is_stored(entry))
            .count();
        let mut entered = Vec::with_capacity(keys.len() - omitted);
        let mut placing = alone.placing(&self.submission);
        let sink = &mut placing.sink;
        sink.books.prepare(variable, &shape)?;
        if variable.quantize.is_some() {
            let stats = packed.rounding.into();
            sink.books.merge_rounding(variable.id, &stats);
        }
        let mut at = address;
        let pairs = keys.into_iter().zip(&packed.chunks);
        for (key, entry) in pairs.filter(|(_, entry)| is_stored(entry)) {
            sink.enter(key.clone(), entry.is_reused, at, entry.bytes)?;
            at += entry.bytes;
            entered.push(key);
        }
        drop(placing);
        let number = variable.id.0;
        self.submission
            .note_entered(number, entered, omitted as u64);
        Ok(())
    }
}
