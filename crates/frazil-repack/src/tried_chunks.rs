//! Predictions of variables whose chunks get another shape: what the input's chunks take says little of that. Some
//! of the output's chunks are packed, from all over the variable, and tell of the rest.

use std::collections::BTreeSet;

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_pipeline::{ArraySource, MemoryBudget};
use frazil_plan::{Goal, index_bytes, is_large_file, sample_chunks, spread};
use frazil_types::ChunkGrid;

use crate::fill::pack_in_part;
use crate::routes::{CopyPlan, Decisions};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_options::options::PackOptions;

/// What is packed of a variable at most, and for goals that take slow filters,
const MOST_BYTES: u64 = 16 << 20;
const MOST_SLOW_BYTES: u64 = 4 << 20;
/// of all variables together,
const MOST_FILE_BYTES: u64 = 256 << 20;
/// and in large files: one byte in so many.
const SHARE_OF_LARGE_FILE: u64 = 50;
/// A variable is packed in part where so many chunks can be, without more of the input being decoded than this,
const LEAST_CHUNKS: u64 = 16;
const MOST_DECODED_BYTES: u64 = 64 << 20;
/// or in large files one byte in so many of it.
const DECODED_SHARE: u64 = 32;

/// More chunks of the input are not looked up to see whether those tried are like the rest.
const MOST_LOOKED_UP: u64 = 1 << 17;

/// Nine of ten lie within so many standard errors.
const NINE_OF_TEN: f64 = 1.645;
/// What a standard error does not know of.
const UNSEEN: f64 = 0.02;
/// If none of `n` places has a property, then nine times of ten no more than `LN_TEN / n` of all places have it.
const LN_TEN: f64 = std::f64::consts::LN_10;
/// Parts of a chunk this large are taken to be places of their own.
const PLACE_BYTES: f64 = 65_536.0;

/// What chunks that were packed say of a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Told {
    /// The share of its chunks that are stored: the rest are fill values.
    pub(crate) stored_share: f64,
    /// What that share is off by at most, nine times of ten.
    most_off: f64,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            stored_share: 1.0,
            most_off: 0.0,
        }
    }
}

impl Told {
    /// What the index of a variable's chunks may be off by.
    pub(crate) fn index_off(self, shape: &[u64], chunk: &[u64]) -> f64 {
        self.most_off * index_bytes(shape, chunk) as f64
    }
}

/// Packs some chunks of all variables that need it, and corrects what was predicted of them.
///
/// # Errors
/// What packing them fails with.
pub(crate) fn try_chunks(
    source: &Input,
    decisions: &mut Decisions,
    options: &PackOptions,
    budget: &MemoryBudget,
) -> Result<()> {
    let limits = Limits::of(source, decisions, options);
    let variables = source.variables().iter().zip(&decisions.routes);
    let chosen: Vec<ChunkSubset> = variables
        .map(|(variable, route)| limits.chosen(variable, route, decisions, options))
        .collect();
    let sizes = pack_in_part(source, decisions, &chosen, (&options.resources, budget))?;
    decisions.told = vec![Told::default(); decisions.routes.len()];
    for (i, (chosen, sizes)) in chosen.iter().zip(&sizes).enumerate() {
        if !sizes.is_empty() {
            learn(&source.variables()[i], decisions, i, (chosen, sizes));
        }
    }
    let overgrown: Vec<usize> = (0..decisions.routes.len())
        .filter(|&i| !sizes[i].is_empty() && is_overgrown(decisions, i))
        .collect();
    if !overgrown.is_empty() {
        overgrown.iter().for_each(|&i| decisions.fall_back(i));
        decisions.find_additions(source)?;
    }
    Ok(())
}

/// Whether a variable is to come out larger than it may: what packs will let it lie as in the input.
fn is_overgrown(decisions: &Decisions, i: usize) -> bool {
    let most = decisions.fallbacks[i].as_ref().map(|one| one.most_bytes);
    let foretold = decisions.plans[i].predicted_bytes.unwrap_or(0);
    matches!(decisions.routes[i], CopyPlan::Pack { .. }) && most.is_some_and(|most| foretold > most)
}

/// Whether what is known of the input's chunks says little of the output's, or these may be so many that their
/// index matters.
fn needs_trial(
    variable: &DatasetInfo,
    grid: &ChunkGrid,
    array: &ArraySource,
    options: &PackOptions,
) -> bool {
    let keeps_shape = matches!(&variable.storage,
        DatasetStorage::Chunked { chunk, .. } if chunk == grid.chunk());
    options.chunk_goal.is_stated() || !(keeps_shape || array.decoder.is_identity())
}

/// How much of a variable is packed.
struct Limits {
    most_bytes: u64,
    is_large_file: bool,
}

impl Limits {
    fn of(source: &Input, decisions: &Decisions, options: &PackOptions) -> Self {
        let variables = source.variables().iter();
        let raw = variables.map(|one| one.raw_bytes().unwrap_or(0));
        let file_bytes = raw.fold(0, u64::saturating_add);
        let of_goal = match options.goal {
            Goal::Balanced | Goal::Speed | Goal::Energy => MOST_BYTES,
            Goal::Size | Goal::Archive => MOST_SLOW_BYTES,
        };
        let is_packed = |route: &&CopyPlan| matches!(route, CopyPlan::Pack { .. });
        let packed = decisions.routes.iter().filter(is_packed).count() as u64;
        Self {
            most_bytes: of_goal.min(MOST_FILE_BYTES / packed.max(1)),
            is_large_file: is_large_file(file_bytes),
        }
    }

    /// The chunks of a variable that are packed, spread over it; none where it needs none, or too much would have to
    /// be decoded.
    fn chosen(
        &self,
        variable: &DatasetInfo,
        route: &CopyPlan,
        decisions: &Decisions,
        options: &PackOptions,
    ) -> ChunkSubset {
        let nothing = ChunkSubset::Some(Vec::new().into());
        let CopyPlan::Pack {
            source,
            grid,
            tiles,
            ..
        } = route
        else {
            return nothing;
        };
        let array = &decisions.sources[*source];
        if !needs_trial(variable, grid, array, options) {
            return nothing;
        }
        let numbers: Vec<u64> = tiles.numbers(grid).collect();
        let most = self.most_chunks(variable, grid, array);
        let all = numbers.len() as u64;
        if most < all.min(LEAST_CHUNKS) {
            return nothing;
        }
        let places = sample_chunks(all, most.min(all) as usize).into_iter();
        let chosen: Vec<u64> = places.map(|place| numbers[place as usize]).collect();
        ChunkSubset::Some(chosen.into())
    }

    /// How many chunks of a variable may be packed.
    fn most_chunks(&self, variable: &DatasetInfo, grid: &ChunkGrid, array: &ArraySource) -> u64 {
        let raw_bytes = variable.raw_bytes().unwrap_or(u64::MAX);
        let size = variable.element.size_bytes as u64;
        let bytes_of = |grid: &ChunkGrid| grid.chunk_elements().saturating_mul(size).max(1);
        let (packed, decoded) = match self.is_large_file {
            true => (
                (raw_bytes / SHARE_OF_LARGE_FILE).min(self.most_bytes),
                (raw_bytes / DECODED_SHARE).max(MOST_DECODED_BYTES / 4),
            ),
            false => (self.most_bytes, MOST_DECODED_BYTES),
        };
        let packable = packed / bytes_of(grid);
        if raw_bytes <= decoded {
            return packable;
        }
        let middle = grid.valid_box(grid.chunk_count() / 2);
        let touched = array.grid.chunks_in(&middle).len() as u64;
        let of_one = touched.saturating_mul(bytes_of(&array.grid)).max(1);
        packable.min(decoded / of_one)
    }
}

/// Corrects a prediction by what some chunks took, or all.
fn learn(
    variable: &DatasetInfo,
    decisions: &mut Decisions,
    i: usize,
    (chosen, sizes): (&ChunkSubset, &[u64]),
) {
    let CopyPlan::Pack {
        source,
        grid,
        tiles,
        ..
    } = &decisions.routes[i]
    else {
        return;
    };
    let found = Found::of(variable, (grid, tiles), (chosen, sizes));
    // All chunks may have been compared before.
    let is_known = decisions.uncertainties[i] == 0.0 && !decisions.plans[i].pipeline.is_empty();
    if found.is_all() || !is_known {
        let unlike = unlike_rest(&decisions.sources[*source], grid, chosen);
        let [bytes, uncertainty] = found.estimate(unlike.filter(|_| !found.is_all()));
        decisions.plans[i].predicted_bytes = Some(bytes.round() as u64);
        decisions.uncertainties[i] = uncertainty;
    }
    decisions.told[i] = found.told();
}

/// What some chunks of a variable took.
struct Found {
    /// Raw bytes inside the array, and stored ones, of each.
    sizes: Vec<(usize, usize)>,
    /// The share of these chunks that are stored.
    kept: f64,
    /// The share of the variable's raw bytes that they lack.
    unseen: f64,
    /// Of all chunks: their number, their raw bytes inside the array, and with what sticks out.
    count: f64,
    raw_bytes: f64,
    full_bytes: f64,
}

impl Found {
    fn of(
        variable: &DatasetInfo,
        (grid, tiles): (&ChunkGrid, &ChunkSubset),
        (chosen, sizes): (&ChunkSubset, &[u64]),
    ) -> Self {
        let element_bytes = variable.element.size_bytes as u64;
        let raw = |number| {
            let elements = grid.valid_box(number).elements().unwrap_or(0);
            elements.saturating_mul(element_bytes)
        };
        let sizes: Vec<(usize, usize)> = (chosen.numbers(grid).zip(sizes))
            .map(|(number, &stored)| (raw(number) as usize, stored as usize))
            .collect();
        let raw_bytes = tiles.numbers(grid).map(raw).sum::<u64>() as f64;
        let count = tiles.numbers(grid).count() as f64;
        let seen: usize = sizes.iter().map(|one| one.0).sum();
        let kept = sizes.iter().filter(|one| one.1 > 0).count();
        Self {
            kept: kept as f64 / sizes.len() as f64,
            unseen: (1.0 - seen as f64 / raw_bytes.max(1.0)).max(0.0),
            count,
            raw_bytes,
            full_bytes: count * grid.chunk_elements().saturating_mul(element_bytes) as f64,
            sizes,
        }
    }

    fn is_all(&self) -> bool {
        self.sizes.len() as f64 == self.count
    }

    /// What all chunks take, and half of the range that nine of ten lie in, by that; `unlike`: by how much more the
    /// input's filters keep of all chunks than of those that the tried ones lie in.
    fn estimate(&self, unlike: Option<f64>) -> [f64; 2] {
        let stored = self.sizes.iter().map(|one| one.1 as f64).sum::<f64>();
        if self.is_all() {
            return [stored, 0.0];
        }
        let seen = self.raw_bytes * (1.0 - self.unseen);
        let factor = self.raw_bytes / seen.max(1.0) * unlike.unwrap_or(1.0);
        let bytes = (stored * factor).min(self.full_bytes);
        let ratio = (bytes / self.raw_bytes.max(1.0)).max(f64::MIN_POSITIVE);
        let places = (seen / PLACE_BYTES).max(self.sizes.len() as f64);
        let unlike_all = LN_TEN / places * (1.0 - ratio).max(0.0) / ratio;
        let corrected = unlike.map_or(0.0, |factor| factor.ln().abs() / 10.0);
        let uncertainty = NINE_OF_TEN * spread(&self.sizes) + corrected + unlike_all + UNSEEN;
        [bytes, self.unseen.sqrt() * uncertainty]
    }

    fn told(&self) -> Told {
        let tried = self.sizes.len() as f64;
        let variance = self.kept * (1.0 - self.kept) / tried * (1.0 - tried / self.count);
        Told {
            stored_share: self.kept,
            most_off: NINE_OF_TEN * variance.max(0.0).sqrt(),
        }
    }
}

/// By how much more the input's filters keep of all chunks than of those that some of the output's lie in. `None`:
/// there are no filters, or these are very many chunks.
fn unlike_rest(array: &ArraySource, grid: &ChunkGrid, chosen: &ChunkSubset) -> Option<f64> {
    if array.decoder.is_identity() || array.grid.chunk_count() > MOST_LOOKED_UP {
        return None;
    }
    let mut looked_up = 0;
    let mut touched = BTreeSet::new();
    for number in chosen.numbers(grid) {
        let chunks = array.grid.chunks_in(&grid.valid_box(number));
        looked_up += chunks.len() as u64;
        if looked_up > MOST_LOOKED_UP {
            return None;
        }
        touched.extend(chunks);
    }
    let share = |numbers: &mut dyn Iterator<Item = u64>| {
        let (mut stored, mut raw) = (0, 0);
        for (number, chunk) in numbers.filter_map(|one| Some((one, array.locate(one)?))) {
            stored += chunk.extent.total_bytes()?;
            raw += array.grid.valid_box(number).elements()?;
        }
        (stored > 0).then(|| stored as f64 / raw as f64)
    };
    let of_all = share(&mut (0..array.grid.chunk_count()))?;
    Some(of_all / share(&mut touched.into_iter())?)
}
