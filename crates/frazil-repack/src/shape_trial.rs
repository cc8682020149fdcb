//! Chunk shapes are tried where bytes are what counts: values pack better in some than in others, and only they can
//! tell in which.
//!
//! A quick encoder compares the shapes, on the whole variable or at places that all shapes have in common. What wins
//! there is only a rival: filters are chosen for it, too, and what then takes fewer bytes is taken.

use std::collections::BTreeSet;

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Task};
use frazil_plan::{
    ChunkChoice, Goal, explain_smaller, index_bytes, is_large_file, shapes_for_size,
};
use frazil_types::{
    ChunkGrid, DeflateEncoder, FilterPipeline, FilterSpec, LayoutProfile, Selection, filter_id,
    is_all,
};

use crate::chunk_batches::chunk_batches;
use crate::compared_plans::fair_share;
use crate::fill::may_omit_fill;
use crate::filter_trial::Trial;
use crate::finer_chunks::FinerChunks;
use crate::sample_boxes::chosen as spread_chunks;
use crate::shapes::shape_input;
use crate::shapes_tried::{ShapesTried, TriedShape};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::sources::Stored;
use frazil_options::options::{ChunkPolicy, PackOptions};
use frazil_precision::VariableRounding;

/// What is encoded of a variable in each shape; in large files one byte in so many.
const MOST_BYTES: u64 = 8 << 20;
const SHARE_OF_LARGE_FILE: u64 = 64;
const LEAST_OF_LARGE_FILE: u64 = 1 << 20;
/// While plans are compared, that much of all variables together.
const MOST_COMPARED_BYTES: u64 = 64 << 20;
/// One byte in so many of the memory that there is.
const MEMORY_SHARE: u64 = 32;
/// Larger variables are looked at in so many places, chunks in which may take twice as much.
const LEAST_PLACES: u64 = 4;
const MOST_PLACES: u64 = 16;
const CHUNKS_OF_PLACES: u64 = 2;
/// Shapes are tried where no more of the input has to be read for them, or one byte in so many of a larger variable.
const MOST_READ_BYTES: u64 = 64 << 20;
const READ_SHARE: u64 = 8;
/// Finding a chunk of the input takes as long as reading so many bytes.
const BYTES_TO_FIND: u64 = 16 << 10;
/// A rival saves at least this share: less is not worth a second choice of filters.
const LEAST_SAVED: f64 = 0.01;
/// The quick encoder, with shuffle and without.
const LEVEL: u32 = 4;
const ENCODER: Option<DeflateEncoder> = Some(DeflateEncoder::Libdeflate(LEVEL.cast_signed()));

/// One shape of a variable.
struct Shape {
    name: &'static str,
    grid: ChunkGrid,
    /// The chunks to encode, ascending.
    tiles: Vec<u64>,
}

/// Shapes of one variable that compete.
struct Contest<'a> {
    /// Of the variable.
    number: usize,
    variable: &'a DatasetInfo,
    /// As it is stored: rounded values may be of another type.
    element_bytes: usize,
    source: usize,
    /// The rule's choice first.
    shapes: Vec<Shape>,
    /// Where all shapes are looked at; `None`: all of the variable is.
    places: Option<Vec<Selection>>,
    rounding: Option<VariableRounding>,
    /// Chunks of nothing else are not stored.
    fill: Option<&'a [u8]>,
    /// By shape and chunk: bytes with shuffle, and without.
    sizes: Vec<Vec<[u64; 2]>>,
}

/// Some chunks of one shape, by the places of contest and shape.
struct Batch {
    contest: usize,
    shape: usize,
    tiles: Vec<u64>,
}

/// Whether chunk shapes are tried: bytes count, and nothing is stated that shapes follow from.
pub(crate) fn are_tried(options: &PackOptions) -> bool {
    options.chunks == ChunkPolicy::Auto
        && matches!(options.goal, Goal::Size | Goal::Archive)
        && !options.chunk_goal.is_stated()
        && options.layout_profile() == LayoutProfile::Standard
        && options.level != Some(0)
        && options.plan.is_none()
}

impl Trial<'_> {
    /// Tries chunk shapes beside those that the rule chose, variable by variable.
    ///
    /// # Errors
    /// If values cannot be read, or not be encoded.
    pub(crate) fn try_shapes(&self, budget: &MemoryBudget) -> Result<Vec<ShapesTried>> {
        let count = self.input.variables().len();
        let mut found: Vec<ShapesTried> = vec![ShapesTried::default(); count];
        let most_bytes = self.most_tried_in_shapes();
        let finer = FinerChunks {
            input: self.input,
            options: self.options,
            reaches: self.reaches,
            sources: self.sources,
            precision: self.precision,
        };
        let mut parts: Vec<Option<Vec<u64>>> = vec![None; count];
        for (number, shape) in finer.found(self.shapes, budget)? {
            parts[number] = shape.chunk;
        }
        let mut contests = Vec::new();
        for (number, parts) in parts.into_iter().enumerate() {
            contests.extend(self.contest(number, parts, most_bytes)?);
        }
        self.encode_shapes(&mut contests, budget)?;
        for contest in &contests {
            found[contest.number] = contest.outcome();
        }
        Ok(found)
    }

    /// What is encoded of a variable in each shape at most, in files that are not large.
    fn most_tried_in_shapes(&self) -> u64 {
        let of_memory = self.options.resources.memory_bytes / MEMORY_SHARE;
        let most_bytes = MOST_BYTES.min(of_memory);
        if self.known.is_none() {
            return most_bytes;
        }
        let numbers = 0..self.input.variables().len();
        let tried = numbers.filter(|&number| self.reach_of(number).is_some());
        let raw = tried.map(|number| self.input.variables()[number].raw_bytes().unwrap_or(0));
        most_bytes.min(fair_share(
            raw.map(|raw| raw.min(most_bytes)),
            MOST_COMPARED_BYTES,
        ))
    }

    /// The shapes of one variable; `parts`: what goals would take that weigh speed, too. They are a candidate, so
    /// that nobody gets a smaller file by asking for less.
    fn contest(
        &self,
        number: usize,
        parts: Option<Vec<u64>>,
        most_bytes: u64,
    ) -> Result<Option<Contest<'_>>> {
        let variable = &self.input.variables()[number];
        let choice = &self.shapes[number];
        let (Some((source, stored)), Some(chunk)) = (self.reach_of(number), &choice.chunk) else {
            return Ok(None);
        };
        if choice.is_stated || !variable.element.is_self_contained() {
            return Ok(None);
        }
        let mut named = vec![("by rule", chunk.clone())];
        let others = shapes_for_size(&shape_input(variable), chunk).into_iter();
        named.extend(others.map(|one| (one.name, one.chunk)));
        let parts = parts.filter(|parts| named.iter().all(|(_, chunk)| chunk != parts));
        named.extend(parts.map(|parts| ("parts", parts)));
        let grids: Vec<(&'static str, ChunkGrid)> = named
            .into_iter()
            .filter_map(|(name, chunk)| Some((name, ChunkGrid::new(&variable.shape, &chunk)?)))
            .collect();
        let raw_bytes = variable.raw_bytes().unwrap_or(u64::MAX);
        let most_bytes = match is_large_file(self.file_bytes()) {
            true => most_bytes.min((raw_bytes / SHARE_OF_LARGE_FILE).max(LEAST_OF_LARGE_FILE)),
            false => most_bytes,
        };
        let source_of = &self.sources[source];
        let looked_at = match raw_bytes <= most_bytes {
            true => (all_of(grids, source_of, stored), None),
            false => at_places(grids, source_of, stored, (variable, most_bytes)),
        };
        let (shapes, places) = looked_at;
        if shapes.len() < 2 || shapes[0].name != "by rule" || shapes[0].tiles.is_empty() {
            return Ok(None);
        }
        let plan = self.precision[number].as_ref();
        let bind = |plan| VariableRounding::bind(plan, variable.element, &variable.shape);
        Ok(Some(Contest {
            number,
            variable,
            element_bytes: self.stored_form(number).element.size_bytes,
            source,
            sizes: vec![Vec::new(); shapes.len()],
            shapes,
            places,
            rounding: plan.map(bind).transpose()?,
            fill: may_omit_fill(variable).then_some(variable.fill.as_slice()),
        }))
    }

    fn encode_shapes(&self, contests: &mut [Contest<'_>], budget: &MemoryBudget) -> Result<()> {
        let tasks: Vec<Task<Batch>> = (contests.iter().enumerate())
            .flat_map(|(place, contest)| contest.tasks(place))
            .collect();
        let mut found: Vec<Vec<Vec<[u64; 2]>>> =
            contests.iter().map(|one| one.sizes.clone()).collect();
        self.on_values(budget).run(
            self.sources,
            tasks,
            |batch: &Batch| contests[batch.contest].number,
            |batch, blocks, scratch| contests[batch.contest].encode(batch, blocks, scratch),
            |batch, sizes: Vec<[u64; 2]>| found[batch.contest][batch.shape].extend(sizes),
        )?;
        let encoded = contests.iter_mut().zip(found);
        encoded.for_each(|(one, sizes)| one.sizes = sizes);
        Ok(())
    }
}

/// All chunks of each grid that hold anything, without those shapes that need too much of the input.
fn all_of(
    grids: Vec<(&'static str, ChunkGrid)>,
    source: &ArraySource,
    stored: &Stored,
) -> Vec<Shape> {
    let shape = |(name, grid): (&'static str, ChunkGrid)| {
        let holding = ChunkSubset::holding(&grid, source, stored);
        let tiles: Vec<u64> = holding.numbers(&grid).collect();
        let is_affordable = read_bytes(&grid, &tiles, source) <= MOST_READ_BYTES;
        is_affordable.then_some(Shape { name, grid, tiles })
    };
    grids.into_iter().filter_map(shape).collect()
}

/// The chunks of each grid that have the same places in them, which are spread over the variable; without those shapes
/// whose chunks are too large for it, or need too much of the input.
fn at_places(
    grids: Vec<(&'static str, ChunkGrid)>,
    source: &ArraySource,
    stored: &Stored,
    (variable, most_bytes): (&DatasetInfo, u64),
) -> (Vec<Shape>, Option<Vec<Selection>>) {
    let Some((_, first)) = grids.first() else {
        return (Vec::new(), None);
    };
    let size = variable.element.size_bytes as u64;
    let bytes_of = |grid: &ChunkGrid| grid.chunk_elements().saturating_mul(size).max(1);
    let wanted = (most_bytes / bytes_of(first)).clamp(LEAST_PLACES, MOST_PLACES);
    let holding = ChunkSubset::holding(first, source, stored);
    let places: Vec<Selection> = spread_chunks(first, &holding, wanted as usize)
        .into_iter()
        .map(|number| middle_of(&first.valid_box(number)))
        .collect();
    let most_read = (variable.raw_bytes().unwrap_or(0) / READ_SHARE).max(MOST_READ_BYTES);
    let shape = |(name, grid): (&'static str, ChunkGrid)| {
        let tiles: BTreeSet<u64> = places
            .iter()
            .flat_map(|place| grid.chunks_in(place))
            .collect();
        let tiles: Vec<u64> = tiles.into_iter().collect();
        let bytes = bytes_of(&grid).saturating_mul(tiles.len() as u64);
        let is_affordable = bytes <= CHUNKS_OF_PLACES * most_bytes
            && read_bytes(&grid, &tiles, source) <= most_read;
        is_affordable.then_some(Shape { name, grid, tiles })
    };
    let shapes = grids.into_iter().filter_map(shape).collect();
    (shapes, Some(places))
}

/// The element in the middle of a part.
fn middle_of(part: &Selection) -> Selection {
    let axes = part.start.iter().zip(&part.count);
    Selection {
        start: axes.map(|(start, count)| start + count / 2).collect(),
        count: vec![1; part.start.len()],
    }
}

/// Raw bytes of the input's chunks that some chunks of a grid lie in, counted for each of these, and what it takes to
/// find them.
fn read_bytes(grid: &ChunkGrid, tiles: &[u64], source: &ArraySource) -> u64 {
    let touched = tiles
        .iter()
        .map(|&tile| source.grid.chunks_in(&grid.valid_box(tile)).len() as u64)
        .fold(0, u64::saturating_add);
    let decoded = match source.decoder.is_identity() {
        true => 0,
        false => (source.grid.chunk_elements()).saturating_mul(source.element_bytes as u64),
    };
    touched.saturating_mul(decoded.saturating_add(BYTES_TO_FIND))
}

impl Contest<'_> {
    fn tasks(&self, contest: usize) -> Vec<Task<Batch>> {
        let size = self.variable.element.size_bytes;
        let mut tasks = Vec::new();
        for (shape, Shape { grid, tiles, .. }) in self.shapes.iter().enumerate() {
            let meta = |tiles| Batch {
                contest,
                shape,
                tiles,
            };
            tasks.extend(chunk_batches(self.source, (grid, size), tiles, meta));
        }
        tasks
    }

    /// What each chunk of a batch takes.
    fn encode(
        &self,
        batch: &Batch,
        blocks: Vec<Block>,
        scratch: &mut Scratch,
    ) -> Result<Vec<[u64; 2]>> {
        let grid = &self.shapes[batch.shape].grid;
        let mut sizes = Vec::with_capacity(batch.tiles.len());
        for (block, &tile) in blocks.into_iter().zip(&batch.tiles) {
            let Block::Values(values) = block else {
                sizes.push([0; 2]);
                continue;
            };
            if self.fill.is_some_and(|fill| is_all(&values, fill)) {
                sizes.push([0; 2]);
                continue;
            }
            let rounded = match &self.rounding {
                Some(rounding) => Some(rounding.round(&values, &grid.chunk_box(tile))?.0),
                None => None,
            };
            let values = rounded.as_deref().unwrap_or(&values);
            sizes.push(quick_sizes(values, self.element_bytes, scratch)?);
        }
        Ok(sizes)
    }

    /// Of the shapes the one that takes the fewest bytes, if it saves enough.
    fn outcome(&self) -> ShapesTried {
        let shares: Vec<Vec<f64>> = (0..self.shapes.len())
            .map(|shape| self.shares(shape))
            .collect();
        let shapes: Vec<TriedShape> = (self.shapes.iter().zip(&shares))
            .map(|(shape, shares)| TriedShape {
                name: shape.name,
                chunk: shape.grid.chunk().to_vec(),
                share: mean(shares),
            })
            .collect();
        let least = |saved: &[f64]| mean(saved) - standard_error(saved);
        let saved = |shape: usize| -> Vec<f64> {
            let pairs = shares[0].iter().zip(&shares[shape]);
            pairs.map(|(before, after)| before - after).collect()
        };
        let best = (1..shapes.len())
            .map(|shape| (shape, least(&saved(shape))))
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .filter(|&(_, saved)| saved > LEAST_SAVED * shapes[0].share);
        let rival = best.map(|(shape, _)| ChunkChoice {
            chunk: Some(shapes[shape].chunk.clone()),
            is_stated: false,
            reason: explain_smaller(
                shapes[shape].name,
                shapes.len(),
                1.0 - shapes[shape].share / shapes[0].share,
                &shapes[0].chunk,
            ),
        });
        ShapesTried { shapes, rival }
    }

    /// Stored bytes by raw bytes in one shape, its part of the index included: of each place, or of all.
    fn shares(&self, shape: usize) -> Vec<f64> {
        let Shape { grid, tiles, .. } = &self.shapes[shape];
        let sizes = &self.sizes[shape];
        let sum = |way: usize| sizes.iter().map(|one| one[way]).sum::<u64>();
        let way = usize::from(sum(1) < sum(0));
        let raw_bytes = self.variable.raw_bytes().unwrap_or(0).max(1) as f64;
        let of_index = index_bytes(&self.variable.shape, grid.chunk()) as f64 / raw_bytes;
        let Some(places) = &self.places else {
            return vec![sum(way) as f64 / raw_bytes + of_index];
        };
        let size = self.variable.element.size_bytes as u64;
        let share = |place: &Selection| {
            let tile = *grid.chunks_in(place).first()?;
            let stored = sizes.get(tiles.binary_search(&tile).ok()?)?[way];
            let raw = grid.valid_box(tile).elements()?.saturating_mul(size);
            Some(stored as f64 / raw.max(1) as f64 + of_index)
        };
        places
            .iter()
            .map(|place| share(place).unwrap_or(1.0))
            .collect()
    }
}

/// What the quick encoder makes of a chunk, with shuffle and without.
fn quick_sizes(values: &[u8], element_bytes: usize, scratch: &mut Scratch) -> Result<[u64; 2]> {
    let deflate = FilterSpec::new(filter_id::DEFLATE, vec![LEVEL]);
    let shuffle = FilterSpec::new(filter_id::SHUFFLE, vec![element_bytes as u32]);
    let mut encoded = |filters: Vec<FilterSpec>| -> Result<u64> {
        let filters = FilterPipeline(filters);
        let encoder = BoundEncoder::bind(&filters, ENCODER, element_bytes, values.len());
        let packed = encoder.and_then(|encoder| encoder.encode(values, scratch));
        let packed = packed.map_err(|error| Error::new(error.code(), error.to_string()))?;
        Ok(packed.len().min(values.len()) as u64)
    };
    let plain = encoded(vec![deflate.clone()])?;
    let shuffled = match element_bytes {
        1 => plain,
        _ => encoded(vec![shuffle, deflate])?,
    };
    Ok([shuffled, plain])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Of the mean of values; 0 for one value, which is all of the variable.
fn standard_error(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2));
    let count = values.len() as f64;
    (squares.sum::<f64>() / (count - 1.0) / count).sqrt()
}
