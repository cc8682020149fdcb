//! Predictions of variables whose chunks get another shape: what the input's chunks take says little of that. Some
//! of the output's chunks are packed, from all over the variable, and tell of the rest.

use std::collections::BTreeSet;

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_pipeline::{ArraySource, MemoryBudget};
use frazil_plan::{Goal, index_bytes, is_large_file, sample_chunks, spread};
use frazil_types::{ChunkGrid, Selection};

use crate::compared_plans::{ComparedPlans, PackedChunks, most_sampled_of_each};
use crate::fill::pack_in_part;
use crate::routes::{CopyPlan, Decisions};
use crate::sample_boxes::chosen as spread_chunks;
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_options::options::PackOptions;

/// What is packed of a variable at most, and for goals that take slow filters,
const MOST_BYTES: u64 = 16 << 20;
const MOST_SLOW_BYTES: u64 = 4 << 20;
/// of all variables together,
const MOST_FILE_BYTES: u64 = 256 << 20;
/// and in large files: one byte in so many.
const SHARE_OF_LARGE_FILE: u64 = 50;
/// Of fewer chunks nothing is learnt, and more are not looked through.
const LEAST_CHUNKS: u64 = 16;
const MOST_CHUNKS: u64 = 4 << 20;
/// Chunks from all over a variable are packed where no more of the input has to be decoded for them than this,
const MOST_DECODED_BYTES: u64 = 64 << 20;
/// or in large files one byte in so many of it; else chunks in few places,
const DECODED_SHARE: u64 = 32;
/// unless a single one needs more.
const MOST_DECODED_FOR_ONE: u64 = 1 << 30;
/// Chunks of the input that all packed ones need together, counted once for each: they must wait for all at once.
const MOST_NEEDED: u64 = 1 << 16;

/// More chunks of the input are not looked up to see whether those tried are like the rest.
const MOST_LOOKED_UP: u64 = 1 << 17;

/// Nine of ten lie within so many standard errors.
const NINE_OF_TEN: f64 = 1.645;
/// What a standard error does not know of.
const UNSEEN: f64 = 0.02;
/// If none of `n` places has a property, then nine times of ten no more than `LN_TEN / n` of all places have it.
const LN_TEN: f64 = std::f64::consts::LN_10;
/// Parts of a chunk this large are taken to be places of their own.
const PLACE_BYTES: f64 = 16_384.0;

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
    (budget, compared): (&MemoryBudget, Option<&ComparedPlans>),
) -> Result<()> {
    let limits = Limits::of(source, decisions, options, compared.is_some());
    let variables = source.variables().iter().zip(&decisions.routes);
    let chosen: Vec<ChunkSubset> = variables
        .map(|(variable, route)| limits.chosen(variable, route, decisions, options))
        .collect();
    let how = (&options.resources, budget);
    let sizes = match compared {
        Some(compared) => pack_unknown(source, decisions, &chosen, how, compared)?,
        None => pack_in_part(source, decisions, &chosen, how)?,
    };
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

/// As [`pack_in_part`], but for chunks that other plans have packed.
fn pack_unknown(
    source: &Input,
    decisions: &Decisions,
    chosen: &[ChunkSubset],
    how: (&Resources, &MemoryBudget),
    compared: &ComparedPlans,
) -> Result<Vec<Vec<u64>>> {
    let places = 0..chosen.len();
    let wanted: Vec<Option<PackedChunks>> = places
        .map(|i| packed_chunks(decisions, i, &chosen[i]))
        .collect();
    let known = wanted.iter().enumerate().map(|(i, chunks)| {
        let chunks = chunks.as_ref()?;
        compared.chunk_sizes(i, chunks)
    });
    let known: Vec<Option<Vec<u64>>> = known.collect();
    let unknown = chosen
        .iter()
        .zip(&known)
        .map(|(chosen, known)| match known {
            Some(_) => ChunkSubset::Some(Vec::new().into()),
            None => chosen.clone(),
        });
    let unknown: Vec<ChunkSubset> = unknown.collect();
    let mut sizes = pack_in_part(source, decisions, &unknown, how)?;
    for (i, (chunks, known)) in wanted.into_iter().zip(known).enumerate() {
        match (chunks, known) {
            (_, Some(known)) => sizes[i] = known,
            (Some(chunks), None) => compared.keep_chunk_sizes(i, chunks, &sizes[i]),
            (None, None) => {}
        }
    }
    Ok(sizes)
}

/// What sizes of the chosen chunks of a variable depend on; `None`: none are packed.
fn packed_chunks(decisions: &Decisions, i: usize, chosen: &ChunkSubset) -> Option<PackedChunks> {
    let CopyPlan::Pack {
        grid,
        pipeline,
        deflate_encoder,
        ..
    } = &decisions.routes[i]
    else {
        return None;
    };
    let numbers: Vec<u64> = chosen.numbers(grid).collect();
    (!numbers.is_empty()).then(|| PackedChunks {
        chunk: grid.chunk().to_vec(),
        pipeline: pipeline.clone(),
        deflate_encoder: *deflate_encoder,
        quantize: decisions.plans[i].quantize.clone(),
        numbers,
    })
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
    options.chunk_goal.is_stated() || !(keeps_shape(variable, grid) || array.decoder.is_identity())
}

fn keeps_shape(variable: &DatasetInfo, grid: &ChunkGrid) -> bool {
    matches!(&variable.storage,
        DatasetStorage::Chunked { chunk, .. } if chunk == grid.chunk())
}

/// How much of a variable is packed.
struct Limits {
    most_bytes: u64,
    /// A few chunks are packed where they take no more than this.
    least_bytes: u64,
    is_large_file: bool,
}

impl Limits {
    fn of(source: &Input, decisions: &Decisions, options: &PackOptions, is_compared: bool) -> Self {
        let variables = source.variables().iter();
        let raw = variables.map(|one| one.raw_bytes().unwrap_or(0));
        let file_bytes = raw.fold(0, u64::saturating_add);
        let of_goal = match options.goal {
            Goal::Balanced | Goal::Speed | Goal::Energy => MOST_BYTES,
            Goal::Size | Goal::Archive => MOST_SLOW_BYTES,
        };
        let routes = source.variables().iter().zip(&decisions.routes);
        let packed = routes.filter(|(_, route)| matches!(route, CopyPlan::Pack { .. }));
        let packed = packed.map(|(variable, _)| variable.raw_bytes().unwrap_or(0).min(of_goal));
        let packed: Vec<u64> = packed.collect();
        let most_bytes = of_goal.min(MOST_FILE_BYTES / packed.len().max(1) as u64);
        let of_compared = match is_compared {
            true => most_sampled_of_each(packed.into_iter()),
            false => u64::MAX,
        };
        Self {
            most_bytes: most_bytes.min(of_compared),
            least_bytes: MOST_SLOW_BYTES.min(of_compared),
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
        let way = Way::of(self, variable, grid, array);
        let all = count_of(grid, tiles);
        if way.chunks < all.min(LEAST_CHUNKS) || all > MOST_CHUNKS {
            return nothing;
        }
        let chosen = match way.places {
            Some(places) => in_places(grid, tiles, array, [places, way.chunks]),
            None => spread_chunks(grid, tiles, way.chunks.min(all) as usize),
        };
        ChunkSubset::Some(chosen.into())
    }

    /// What may be packed of a variable, and what may be decoded for it.
    fn bytes(&self, raw_bytes: u64) -> [u64; 2] {
        match self.is_large_file {
            true => [
                (raw_bytes / SHARE_OF_LARGE_FILE).min(self.most_bytes),
                (raw_bytes / DECODED_SHARE).max(MOST_DECODED_BYTES / 4),
            ],
            false => [self.most_bytes, MOST_DECODED_BYTES],
        }
    }
}

/// How many chunks of a variable are packed, and from where.
struct Way {
    chunks: u64,
    /// In so many places, where chunks from all over it would need too much of the input; `None`: from all over it.
    places: Option<u64>,
}

impl Way {
    fn of(limits: &Limits, variable: &DatasetInfo, grid: &ChunkGrid, array: &ArraySource) -> Self {
        let raw_bytes = variable.raw_bytes().unwrap_or(u64::MAX);
        let size = variable.element.size_bytes as u64;
        let bytes_of = |grid: &ChunkGrid| grid.chunk_elements().saturating_mul(size).max(1);
        let [packed, decoded] = limits.bytes(raw_bytes);
        let few = LEAST_CHUNKS.min(limits.least_bytes / bytes_of(grid));
        let chunks = (packed / bytes_of(grid)).max(few);
        if raw_bytes <= decoded {
            return Self {
                chunks,
                places: None,
            };
        }
        let middle = grid.valid_box(grid.chunk_count() / 2);
        let touched = array.grid.chunks_in(&middle).len() as u64;
        let of_one = touched.saturating_mul(bytes_of(&array.grid)).max(1);
        let chunks = chunks.min(MOST_NEEDED / touched.max(1));
        match decoded / of_one {
            enough if enough >= chunks => Self {
                chunks,
                places: None,
            },
            _ if of_one > MOST_DECODED_FOR_ONE => Self {
                chunks: 0,
                places: None,
            },
            places => Self {
                chunks,
                places: Some(places.max(1)),
            },
        }
    }
}

/// Chunks of the output in some places: there all that lies in the same chunks of the input is decoded once.
fn in_places(
    grid: &ChunkGrid,
    tiles: &ChunkSubset,
    array: &ArraySource,
    [places, chunks]: [u64; 2],
) -> Vec<u64> {
    let is_tile = |number: &u64| match tiles {
        ChunkSubset::All => true,
        ChunkSubset::Some(numbers) => numbers.binary_search(number).is_ok(),
    };
    let mut found = BTreeSet::new();
    for centre in spread_chunks(grid, tiles, places as usize) {
        let around = decoded_with(&grid.valid_box(centre), array);
        let is_inside = |&number: &u64| {
            let part = grid.valid_box(number);
            around.intersect(&part).as_ref() == Some(&part)
        };
        let mut near = grid.chunks_in(&around);
        near.retain(|number| is_tile(number) && is_inside(number));
        let wanted = (chunks / places).max(1) as usize;
        let chosen = sample_chunks(near.len() as u64, wanted).into_iter();
        found.extend(chosen.map(|place| near[place as usize]));
    }
    found.into_iter().collect()
}

/// All that lies in the chunks of the input that a part lies in.
fn decoded_with(part: &Selection, array: &ArraySource) -> Selection {
    let mut around = part.clone();
    let axes = array.grid.shape().iter().zip(array.grid.chunk());
    for (axis, (&length, &cell)) in axes.enumerate() {
        let cell = cell.max(1);
        let start = part.start[axis] / cell * cell;
        let end = (part.start[axis] + part.count[axis]).next_multiple_of(cell);
        around.start[axis] = start;
        around.count[axis] = end.min(length) - start;
    }
    around
}

fn count_of(grid: &ChunkGrid, tiles: &ChunkSubset) -> u64 {
    match tiles {
        ChunkSubset::All => grid.chunk_count(),
        ChunkSubset::Some(numbers) => numbers.len() as u64,
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
    let plan = &decisions.plans[i];
    let array = &decisions.sources[*source];
    // All chunks may have been compared before, or be those of the input but for their filters.
    let is_like_input =
        keeps_shape(variable, grid) && plan.quantize.is_none() && !array.decoder.is_identity();
    let is_known =
        !plan.pipeline.is_empty() && (decisions.uncertainties[i] == 0.0 || is_like_input);
    if found.is_all() || !(is_known || found.is_blank()) {
        let unlike = unlike_rest(array, grid, chosen);
        let [bytes, uncertainty] = found.estimate(unlike.filter(|_| !found.is_all()));
        decisions.plans[i].predicted_bytes = Some(bytes.round() as u64);
        decisions.uncertainties[i] = uncertainty;
        let ratio = found.raw_bytes / bytes.max(1.0);
        correct_compared(decisions, i, ratio);
    }
    decisions.told[i] = found.told();
}

/// Corrects what samples say of filters, where the chosen ones shrink the whole variable by `ratio`.
fn correct_compared(decisions: &mut Decisions, i: usize, ratio: f64) {
    let has_filters = !decisions.plans[i].pipeline.is_empty();
    let uncertainty = decisions.uncertainties[i];
    let compared = decisions.filters_tried.get_mut(i).filter(|_| has_filters);
    let rows = compared.map_or(&mut [][..], |rows| &mut rows[..]);
    // The chosen ones come first.
    let factor = rows.first().map_or(1.0, |chosen| ratio / chosen.ratio);
    for (place, row) in rows.iter_mut().enumerate() {
        let unlike_chosen = if place == 0 { 0.0 } else { UNSEEN };
        row.correct(factor, uncertainty.max(unlike_chosen));
    }
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
        let raw_bytes = match tiles {
            ChunkSubset::All => variable.raw_bytes().unwrap_or(0),
            ChunkSubset::Some(numbers) => numbers.iter().map(|&number| raw(number)).sum(),
        } as f64;
        let count = count_of(grid, tiles) as f64;
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

    /// Whether these chunks are fill values, and others may not be.
    fn is_blank(&self) -> bool {
        self.kept == 0.0 && !self.is_all()
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
        let of_one = (self.full_bytes / self.count) as usize;
        if self.sizes.iter().all(|one| one.1 == of_one || one.1 == 0) {
            // Without filters, what sticks out counts, too.
            return [self.full_bytes * self.kept, self.told().most_off];
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
        // Where all or none of few are stored, some of the rest may yet be other.
        let likely = (self.kept * tried + 1.0) / (tried + 2.0);
        let variance = likely * (1.0 - likely) / tried * (1.0 - tried / self.count);
        Told {
            stored_share: if self.is_blank() { likely } else { self.kept },
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
