//! Small files are promised: filters that came close on samples are compared on more of the variable, for
//! `archive` on every chunk.

use std::borrow::Cow;

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{Block, MemoryBudget, Task};
use frazil_plan::{
    FilterChoice, Finalist, Goal, confirmed, is_large_file, is_next_to_nothing, sample_chunks,
};
use frazil_types::{ChunkGrid, is_all};

use crate::chunk_batches::chunk_batches;
use crate::fill::may_omit_fill;
use crate::filter_trial::{Trial, Tried};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::sources::AccessPath;
use frazil_precision::VariableRounding;

/// What `size` looks at of a variable; in large files one byte in so many.
const MOST_BYTES_FOR_SIZE: u64 = 64 << 20;
const SHARE_FOR_SIZE: u64 = 16;
/// All finalists meet on one chunk in so many, the chosen and the best of the others on all chunks; all of them, if they
/// make next to nothing of the first.
const FIRST_ROUND_SHARE: usize = 8;
/// Fewer chunks are seen in one round.
const LEAST_CHUNKS_FOR_ROUNDS: usize = 16;

/// Finalists of one variable.
struct Final<'a> {
    /// Of the variable.
    number: usize,
    variable: Cow<'a, DatasetInfo>,
    source: usize,
    grid: ChunkGrid,
    /// The chunks to be compared on, by rounds.
    rounds: [Vec<u64>; 2],
    is_every_chunk: bool,
    encoders: Vec<BoundEncoder>,
    /// Those that are out after the first round.
    is_out: Vec<bool>,
    rounding: Option<VariableRounding>,
    /// Chunks of nothing else are not stored.
    fill: Option<&'a [u8]>,
    /// Stored bytes by finalist.
    bytes: Vec<u64>,
    /// What the input stores of these chunks, if that may stay.
    current: Option<u64>,
}

/// Some chunks of one variable, by its place among the finals.
struct Batch {
    place: usize,
    tiles: Vec<u64>,
}

impl Trial<'_> {
    /// Compares finalists, and lets the smallest be the choice.
    pub(crate) fn confirm(
        &self,
        choices: &mut [Option<Tried>],
        budget: &MemoryBudget,
    ) -> Result<()> {
        let mut places = Vec::new();
        let mut finals = Vec::new();
        for (i, tried) in choices.iter().enumerate() {
            let choice = tried.as_ref().map(|tried| &tried.choice);
            let several = choice.filter(|choice| {
                let rivals = choice.finalists.len() + usize::from(choice.keepable.is_some());
                rivals > 1 && !choice.finalists.is_empty()
            });
            if let Some(one) = several.map(|choice| self.final_of(i, choice)) {
                finals.extend(one?);
                places.push(i);
            }
        }
        if finals.is_empty() {
            return Ok(());
        }
        self.count(&mut finals, 0, budget)?;
        finals.iter_mut().for_each(Final::send_home);
        self.count(&mut finals, 1, budget)?;
        for (one, &i) in finals.iter().zip(&places) {
            if let Some(tried) = &mut choices[i] {
                decide(&mut tried.choice, one);
            }
        }
        Ok(())
    }

    fn final_of(&self, number: usize, choice: &FilterChoice) -> Result<Option<Final<'_>>> {
        let finalists = &choice.finalists;
        let variable = &self.input.variables()[number];
        let chunk = self.shapes[number].chunk.as_deref();
        let grid = chunk.and_then(|chunk| ChunkGrid::new(&variable.shape, chunk));
        let (AccessPath::Parallel(source, stored), Some(grid)) = (&self.reaches[number], grid)
        else {
            return Ok(None);
        };
        let stored_form = self.stored_form(number);
        let size = stored_form.element.size_bytes;
        let chunk_bytes = grid.chunk_elements().saturating_mul(size as u64).max(1);
        let holding = ChunkSubset::holding(&grid, &self.sources[*source], stored);
        let mut tiles: Vec<u64> = holding.numbers(&grid).collect();
        let most_bytes = match is_large_file(self.file_bytes()) {
            true => variable.raw_bytes().unwrap_or(0) / SHARE_FOR_SIZE,
            false => MOST_BYTES_FOR_SIZE,
        };
        let most = (most_bytes.min(MOST_BYTES_FOR_SIZE) / chunk_bytes).max(1) as usize;
        let is_every_chunk = self.options.goal == Goal::Archive || tiles.len() <= most;
        if !is_every_chunk {
            let spread = sample_chunks(tiles.len() as u64, most);
            tiles = spread.iter().map(|&i| tiles[i as usize]).collect();
        }
        let bind = |one: &Finalist| {
            let chunk_bytes = chunk_bytes as usize;
            BoundEncoder::bind(&one.pipeline, one.deflate_encoder, size, chunk_bytes)
                .map_err(|error| Error::new(error.code(), error.to_string()))
        };
        let source_of = &self.sources[*source];
        let stored_bytes = || {
            let mut chunks = tiles.iter().filter_map(|&tile| source_of.locate(tile));
            chunks.try_fold(0_u64, |sum, chunk| {
                sum.checked_add(chunk.extent.total_bytes()?)
            })
        };
        let is_own = choice.keepable.is_some() && source_of.grid == grid;
        let current = is_own.then(stored_bytes).flatten();
        let rounding = self.precision[number].as_ref();
        let bind_rounding = |plan| VariableRounding::bind(plan, variable.element, &variable.shape);
        Ok(Some(Final {
            number,
            variable: stored_form,
            source: *source,
            grid,
            rounds: in_rounds(tiles, finalists.len()),
            is_every_chunk,
            encoders: finalists.iter().map(bind).collect::<Result<_>>()?,
            is_out: vec![false; finalists.len()],
            rounding: rounding.map(bind_rounding).transpose()?,
            fill: may_omit_fill(variable).then_some(variable.fill.as_slice()),
            bytes: vec![0; finalists.len()],
            current,
        }))
    }

    /// Counts what each finalist makes of the chunks of a round.
    fn count(&self, finals: &mut [Final<'_>], round: usize, budget: &MemoryBudget) -> Result<()> {
        let tasks: Vec<Task<Batch>> = (finals.iter().enumerate())
            .flat_map(|(place, one)| one.tasks(place, &one.rounds[round]))
            .collect();
        let mut sums: Vec<Vec<u64>> = finals.iter().map(|one| one.bytes.clone()).collect();
        self.on_values(budget).run(
            self.sources,
            tasks,
            |batch: &Batch| finals[batch.place].number,
            |batch, blocks, scratch| finals[batch.place].count(batch, blocks, scratch),
            |batch, found: Vec<u64>| {
                let sums = sums[batch.place].iter_mut();
                sums.zip(found).for_each(|(sum, bytes)| *sum += bytes);
            },
        )?;
        let counted = finals.iter_mut().zip(sums);
        counted.for_each(|(one, bytes)| one.bytes = bytes);
        Ok(())
    }
}

/// Chunks of the first round, and those of the second, if there is one.
fn in_rounds(tiles: Vec<u64>, finalists: usize) -> [Vec<u64>; 2] {
    if tiles.len() < LEAST_CHUNKS_FOR_ROUNDS || finalists < 3 {
        return [tiles, Vec::new()];
    }
    let chosen = sample_chunks(tiles.len() as u64, tiles.len() / FIRST_ROUND_SHARE);
    let mut is_first = vec![false; tiles.len()];
    chosen.iter().for_each(|&i| is_first[i as usize] = true);
    let mut rounds = [Vec::new(), Vec::new()];
    for (tile, is_first) in tiles.into_iter().zip(is_first) {
        rounds[usize::from(!is_first)].push(tile);
    }
    rounds
}

impl Final<'_> {
    /// Where there is a second round, lets only the chosen and the best of the others go on to it, if the first tells
    /// of them.
    fn send_home(&mut self) {
        let seen = self
            .chunk_bytes()
            .saturating_mul(self.rounds[0].len() as u64);
        let is_blind = is_next_to_nothing(self.bytes[0] as f64 / seen.max(1) as f64);
        if self.rounds[1].is_empty() || is_blind {
            return;
        }
        let best = (1..self.bytes.len()).min_by_key(|&i| self.bytes[i]);
        for i in (1..self.bytes.len()).filter(|&i| Some(i) != best) {
            self.is_out[i] = true;
            self.bytes[i] = u64::MAX;
        }
    }

    fn chunk_bytes(&self) -> u64 {
        let size = self.variable.element.size_bytes as u64;
        self.grid.chunk_elements().saturating_mul(size).max(1)
    }

    fn tasks(&self, place: usize, tiles: &[u64]) -> Vec<Task<Batch>> {
        let size = self.variable.element.size_bytes;
        chunk_batches(self.source, (&self.grid, size), tiles, |tiles| Batch {
            place,
            tiles,
        })
    }

    fn count(&self, batch: &Batch, blocks: Vec<Block>, scratch: &mut Scratch) -> Result<Vec<u64>> {
        let mut sums = vec![0; self.encoders.len()];
        for (block, &tile) in blocks.into_iter().zip(&batch.tiles) {
            let Block::Values(values) = block else {
                continue;
            };
            if self.fill.is_some_and(|fill| is_all(&values, fill)) {
                continue;
            }
            let part = self.grid.chunk_box(tile);
            let rounded = match &self.rounding {
                Some(rounding) => Some(rounding.round(&values, &part)?.0),
                None => None,
            };
            let values = rounded.as_deref().unwrap_or(&values);
            let encoders = self.encoders.iter().zip(&self.is_out);
            let still_in = sums
                .iter_mut()
                .zip(encoders)
                .filter(|(_, (_, is_out))| !**is_out);
            for (sum, (encoder, _)) in still_in {
                let packed = encoder.encode(values, scratch);
                let packed = packed.map_err(|error| Error::new(error.code(), error.to_string()))?;
                *sum += packed.len() as u64;
            }
        }
        Ok(sums)
    }
}

/// Takes the finalist that made least of the chunks.
fn decide(choice: &mut FilterChoice, one: &Final<'_>) {
    let raw_bytes = one.variable.raw_bytes().unwrap_or(0).max(1);
    let whole = one.is_every_chunk.then_some(raw_bytes);
    confirmed(choice, &one.bytes, one.current, whole);
}
