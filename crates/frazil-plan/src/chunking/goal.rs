//! The chunk shape that serves the reads to come: the worst of them, beside its own best, is what
//! counts.

use frazil_types::ReaderCache;

use super::axes::AxisRole;
use super::cache::{cache_for, most_chunks};
use super::chunk_shape::{
    ChunkChoice, ExistingShape, MAX_CHUNK_BYTES, ShapeInput, ShapePolicy, choose,
};
use super::cost::CostModel;
use super::goal_input::{GoalInput, ReadGoal, planned_shape, reads_of};
use super::read_cost::bytes_of;
use super::reads::ReadBox;
use super::search::{Limits, Search, count_of};
use crate::explain;

/// Most chunks of a variable unless more are asked for: the index of more slows down opening.
pub const MOST_CHUNKS: u64 = 65_536;

/// An existing chunk shape is kept while the worst of the wanted reads costs at most this many times
/// what it would cost with ours: keeping it means copying chunks without decoding them.
pub const KEEP_FOR_READS: f64 = 1.2;

/// Elements that a chunk has at least along an axis of a map: thinner chunks make maps of a region dear, and
/// compressors find fewer neighbours. Of small maps a twelfth is enough, and of those with one axis, like
/// stations, fewer: what a series reads in vain grows with one side only.
const LEAST_SIDE: u64 = 28;
const LEAST_ONLY_SIDE: u64 = 16;
const LEAST_PART: u64 = 12;

/// What the mean of the reads counts beside the worst of them, padding for each padded element, and
/// a map cut more often along one axis than along the other: enough to decide between equals.
const MEAN_WEIGHT: f64 = 0.05;
const PADDING_WEIGHT: f64 = 0.25;
const LOPSIDED_WEIGHT: f64 = 0.02;

/// How often the best shapes for single reads are corrected.
const ROUNDS: usize = 8;

/// What one read costs.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadEstimate {
    /// The read as it was stated, without its weight.
    pub read: String,
    /// Chunks it touches, on average over places.
    pub chunks: f64,
    /// Raw bytes in them.
    pub bytes: f64,
    /// Seconds, by the calibration.
    pub seconds: f64,
    /// Seconds by those of the shape that serves this read best.
    pub times_best: f64,
}

/// A chunk shape that was compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it is: `chosen`, `for these reads`, `existing`, `balanced`, `best for map`.
    pub name: String,
    /// Chunk shape in elements.
    pub chunk: Vec<u64>,
    /// What the wanted reads cost, in their order.
    pub reads: Vec<ReadEstimate>,
}

/// A chunk shape chosen for reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadChoice {
    /// The chunk shape, or contiguous, and why.
    pub choice: ChunkChoice,
    /// What was compared, the chosen shape first; empty for contiguous variables.
    pub candidates: Vec<Candidate>,
    /// The chunk cache that a reader should use for neighbouring reads; `None`: its default.
    pub cache: Option<ReaderCache>,
}

/// Chooses the chunk shape of one variable for the reads to come.
///
/// Of each wanted read the costs are known under every candidate shape, and so what it costs at best.
/// The shape is taken under which the worst of the reads, in seconds beside its own best and by its
/// weight, is least. Extents are at least 1 and never larger than the variable (unlimited axes: than what is
/// expected of them); chunks have the bytes that suit the storage, unless the variable is smaller
/// or would have more chunks than allowed.
///
/// Variables without an axis that any read is about are cut by [`choose`].
#[must_use]
pub fn choose_for_reads(
    input: &GoalInput<'_>,
    existing: ExistingShape,
    goal: &ReadGoal<'_>,
) -> ReadChoice {
    let standard = ShapePolicy {
        existing,
        ..ShapePolicy::default()
    };
    let planned = planned_shape(input);
    let fallback = choose(&input.shape, &standard);
    let question = Question::new(input, &planned, goal);
    let is_settled = fallback.chunk.is_none() || existing == ExistingShape::KeepAlways;
    if is_settled || question.reads.is_empty() || planned.is_empty() {
        return ReadChoice {
            choice: fallback,
            candidates: Vec::new(),
            cache: None,
        };
    }
    question.answer(input, existing)
}

/// A chunk shape that serves reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ServingShape {
    /// Chunk shape in elements.
    pub chunk: Vec<u64>,
    /// What the reads cost, in their order.
    pub reads: Vec<ReadEstimate>,
}

/// The equal parts of a chunk that serve the reads to come best among parts of at least so many bytes, in the
/// order of `least_bytes`; each shape once. Empty where no read is about the variable.
#[must_use]
pub fn parts_for_reads(
    input: &GoalInput<'_>,
    goal: &ReadGoal<'_>,
    chunk: &[u64],
    least_bytes: &[u64],
) -> Vec<ServingShape> {
    let planned = planned_shape(input);
    let question = Question::new(input, &planned, goal);
    let mut shapes: Vec<ServingShape> = Vec::with_capacity(least_bytes.len());
    if question.reads.is_empty() || chunk.len() != planned.len() {
        return shapes;
    }
    for &least in least_bytes {
        let part = question.best_part(chunk, least);
        if part != chunk && shapes.iter().all(|known| known.chunk != part) {
            let reads = question.estimates(&part);
            shapes.push(ServingShape { chunk: part, reads });
        }
    }
    shapes
}

/// What reads cost under a chunk shape that is decided already, beside others; empty where no read
/// is about the variable.
#[must_use]
pub fn compare_for_reads(
    input: &GoalInput<'_>,
    chosen: &[u64],
    goal: &ReadGoal<'_>,
) -> (Vec<Candidate>, Option<ReaderCache>) {
    let planned = planned_shape(input);
    let question = Question::new(input, &planned, goal);
    if question.reads.is_empty() || chosen.len() != planned.len() || chosen.contains(&0) {
        return (Vec::new(), None);
    }
    (
        question.candidates(&input.shape, chosen),
        question.cache(chosen),
    )
}

/// One read that concerns the variable.
struct Asked {
    name: String,
    takes: ReadBox,
    /// Weight by the largest weight.
    weight: f64,
    /// Seconds under the shape that serves it best, and that shape.
    best_seconds: f64,
    best_chunk: Vec<u64>,
}

/// Everything that the choice depends on.
struct Question<'a> {
    /// Whether somebody asked for these reads.
    are_stated: bool,
    model: CostModel<'a>,
    search: Search<'a>,
    roles: &'a [AxisRole],
    reads: Vec<Asked>,
    /// The shape that serves all of them.
    serving: Vec<u64>,
}

impl<'a> Question<'a> {
    fn new(input: &GoalInput<'a>, planned: &'a [u64], goal: &ReadGoal<'_>) -> Self {
        let element_bytes = input.shape.element_bytes;
        let model = CostModel::new(
            planned,
            element_bytes,
            input.ratio,
            goal.storage,
            goal.calibration,
        );
        let found = reads_of(input, planned, goal);
        let limits = limits(input, planned, goal);
        let is_of_map: Vec<bool> = (0..planned.len())
            .map(|axis| {
                let is_of_map = (input.roles.get(axis)).is_some_and(|role| role.is_horizontal());
                is_of_map && found.iter().any(|(_, _, takes)| takes.counts[axis] > 1)
            })
            .collect();
        let mut sides: Vec<(u64, u64)> = least_sides(planned, &is_of_map, element_bytes, &limits)
            .into_iter()
            .map(|least| (least, u64::MAX))
            .collect();
        if let Some((_, most)) = sides.first_mut() {
            *most = input.most_records;
        }
        let search = Search::new(planned, element_bytes, &sides, limits);
        let heaviest = found
            .iter()
            .fold(0.0, |most: f64, (_, weight, _)| most.max(*weight));
        let reads = found
            .into_iter()
            .map(|(name, weight, takes)| {
                let best_chunk = search.best(|chunk| model.of(&takes, chunk).seconds);
                Asked {
                    name,
                    weight: weight / heaviest,
                    best_seconds: model.of(&takes, &best_chunk).seconds,
                    best_chunk,
                    takes,
                }
            })
            .collect();
        let mut question = Self {
            are_stated: !goal.reads.is_empty(),
            model,
            search,
            roles: input.roles,
            reads,
            serving: Vec::new(),
        };
        question.settle();
        question
    }

    /// Finds the shape that serves all reads. A search proves nothing: where that shape serves a read
    /// better than what was found for it alone, it is the best for that read, and all begins anew.
    fn settle(&mut self) {
        for _ in 0..ROUNDS {
            self.serving = self.search.best(|chunk| self.score(chunk));
            let mut is_settled = true;
            for read in &mut self.reads {
                let seconds = self.model.of(&read.takes, &self.serving).seconds;
                if seconds < read.best_seconds {
                    read.best_seconds = seconds;
                    read.best_chunk.clone_from(&self.serving);
                    is_settled = false;
                }
            }
            if is_settled {
                return;
            }
        }
    }

    /// The part of a chunk that serves all reads best, of at least so many bytes.
    fn best_part(&self, chunk: &[u64], least_bytes: u64) -> Vec<u64> {
        let search = self.search.of_parts(chunk, least_bytes);
        search.best(|chunk| self.score(chunk))
    }

    fn answer(&self, input: &GoalInput<'_>, existing: ExistingShape) -> ReadChoice {
        let shape = &input.shape;
        let best = self.serving.clone();
        let current = shape.usable_current();
        let factor = current.map(|chunk| self.worst(chunk) / self.worst(&best));
        let kept = current.zip(factor).filter(|&(_, factor)| {
            existing == ExistingShape::KeepIfGood && factor <= KEEP_FOR_READS
        });
        let (chunk, reason) = match kept {
            Some((chunk, factor)) => (chunk.to_vec(), explain::kept_for_reads(factor)),
            None => {
                let chunk_bytes = bytes_of(&best, shape.element_bytes);
                let reason = match best.as_slice() == self.model.shape {
                    true => explain::single_chunk(chunk_bytes),
                    false => explain::for_reads(&self.estimates(&best), chunk_bytes),
                };
                (best, reason)
            }
        };
        ReadChoice {
            candidates: self.candidates(shape, &chunk),
            cache: self.cache(&chunk),
            choice: ChunkChoice {
                chunk: Some(chunk),
                is_stated: self.are_stated,
                reason,
            },
        }
    }

    /// What a chunk shape is compared with; each shape once, under its first name.
    fn candidates(&self, shape: &ShapeInput<'_>, chosen: &[u64]) -> Vec<Candidate> {
        let replace = ShapePolicy {
            existing: ExistingShape::Replace,
            ..ShapePolicy::default()
        };
        let mut named = vec![("chosen".to_owned(), chosen.to_vec())];
        let best = self.serving.clone();
        named.push(("for these reads".to_owned(), best));
        named.extend(
            shape
                .usable_current()
                .map(|chunk| ("existing".to_owned(), chunk.to_vec())),
        );
        named.extend(
            choose(shape, &replace)
                .chunk
                .map(|chunk| ("balanced".to_owned(), chunk)),
        );
        let bests = self.reads.iter();
        named
            .extend(bests.map(|read| (format!("best for {}", read.name), read.best_chunk.clone())));
        let mut found: Vec<Candidate> = Vec::with_capacity(named.len());
        for (name, chunk) in named {
            if found.iter().all(|known| known.chunk != chunk) {
                let reads = self.estimates(&chunk);
                found.push(Candidate { name, chunk, reads });
            }
        }
        found
    }

    /// The worst of the reads beside its own best, by weight.
    fn worst(&self, chunk: &[u64]) -> f64 {
        let each = self.reads.iter().map(|read| self.times(read, chunk));
        each.fold(0.0, f64::max)
    }

    fn times(&self, read: &Asked, chunk: &[u64]) -> f64 {
        read.weight * self.model.of(&read.takes, chunk).seconds / read.best_seconds
    }

    /// How bad a shape is: the worst read, and a little of everything else.
    fn score(&self, chunk: &[u64]) -> f64 {
        let (mut worst, mut sum) = (0.0_f64, 0.0);
        for read in &self.reads {
            let times = self.times(read, chunk);
            worst = worst.max(times);
            sum += times;
        }
        (worst + MEAN_WEIGHT * sum / self.reads.len().max(1) as f64)
            * (1.0 + PADDING_WEIGHT * self.padding(chunk))
            * (1.0 + LOPSIDED_WEIGHT * (self.lopsidedness(chunk) - 1.0))
    }

    /// Padded elements for each element of the variable.
    fn padding(&self, chunk: &[u64]) -> f64 {
        let axes = self.model.shape.iter().zip(chunk);
        let padded: f64 = axes
            .map(|(&length, &extent)| {
                length.div_ceil(extent) as f64 * extent as f64 / length as f64
            })
            .product();
        padded - 1.0
    }

    /// Quotient of the numbers of chunks along latitude and longitude, at least 1.
    fn lopsidedness(&self, chunk: &[u64]) -> f64 {
        let count = |role: AxisRole| {
            let axis = self.roles.iter().position(|&one| one == role)?;
            Some(self.model.shape[axis].div_ceil(chunk[axis]) as f64)
        };
        match (count(AxisRole::Latitude), count(AxisRole::Longitude)) {
            (Some(rows), Some(columns)) => (rows / columns).max(columns / rows),
            _ => 1.0,
        }
    }

    fn estimates(&self, chunk: &[u64]) -> Vec<ReadEstimate> {
        let chunk_bytes = bytes_of(chunk, self.model.element_bytes) as f64;
        let estimate = |read: &Asked| {
            let cost = self.model.of(&read.takes, chunk);
            ReadEstimate {
                read: read.name.clone(),
                chunks: cost.chunks,
                bytes: cost.chunks * chunk_bytes,
                seconds: cost.seconds,
                times_best: cost.seconds / read.best_seconds,
            }
        };
        self.reads.iter().map(estimate).collect()
    }

    /// Room for the chunks of the read that touches most of them, unless these are the whole variable.
    fn cache(&self, chunk: &[u64]) -> Option<ReaderCache> {
        let takes = self.reads.iter().map(|read| &read.takes);
        cache_for(
            most_chunks(&self.model, takes, chunk),
            bytes_of(chunk, self.model.element_bytes),
        )
    }
}

/// Elements that a chunk has at least along each axis: some along those of a map that is read, as far
/// as memory allows.
fn least_sides(
    planned: &[u64],
    is_of_map: &[bool],
    element_bytes: usize,
    limits: &Limits,
) -> Vec<u64> {
    let sides = |side: u64| -> Vec<u64> {
        let axes = planned.iter().zip(is_of_map);
        axes.map(|(&length, &is)| {
            if is {
                side.min(length.div_ceil(LEAST_PART))
            } else {
                1
            }
        })
        .collect()
    };
    // Equal parts of an axis that are no shorter than that.
    let shortest = |sides: Vec<u64>| -> Vec<u64> {
        let parts = |(&length, least): (&u64, u64)| length.div_ceil((length / least).max(1));
        planned.iter().zip(sides).map(parts).collect()
    };
    let mut side = match is_of_map.iter().filter(|&&is| is).count() {
        1 => LEAST_ONLY_SIDE,
        _ => LEAST_SIDE,
    };
    while side > 1 && bytes_of(&shortest(sides(side)), element_bytes) > limits.most_bytes {
        side /= 2;
    }
    sides(side)
}

/// Bytes of a chunk that suit the storage, the variable, the writer and the number of chunks.
fn limits(input: &GoalInput<'_>, planned: &[u64], goal: &ReadGoal<'_>) -> Limits {
    let element_bytes = input.shape.element_bytes;
    let raw_bytes = bytes_of(planned, element_bytes).max(1);
    let (least, most) = goal.storage.chunk_bytes();
    let most_chunks = goal.most_chunks.max(1);
    // Chunks do not divide a variable evenly: room for a quarter more of them.
    let by_count = raw_bytes.div_ceil(most_chunks);
    let by_count = by_count.saturating_add(by_count / 4);
    let ceiling = input.most_bytes.min(MAX_CHUNK_BYTES);
    let least_bytes = match count_of(planned, &vec![1; planned.len()]) <= most_chunks {
        true => least,
        false => least.max(by_count),
    };
    let most_bytes = most.max(least_bytes.saturating_mul(2)).min(ceiling);
    Limits {
        least_bytes: least_bytes.min(raw_bytes).min(most_bytes),
        most_bytes,
        most_chunks,
    }
}
