//! Search for the chunk shape under which map reads and line reads cost about the same.
//!
//! A generalisation of Russ Rew's rule ("Chunking Data: Choosing Shapes", Unidata 2013) to any
//! rank: instead of his closed formula with rounding, whole numbers of chunks per axis are
//! searched, so that edge padding, short axes and axes of length 1 need no special cases.

use super::read_cost::{ReadCosts, bytes_of, leading_axes};

/// Map axes of fewer bytes or elements than these are never split: bounds, vector components and
/// text are read whole, and runs below a cache line are not worth an address.
const WHOLE_AXIS_BYTES: u64 = 64;
const WHOLE_AXIS_ELEMENTS: u64 = 8;

/// Improvement steps before the search settles; far more than any shape needs.
const MAX_STEPS: usize = 64;

/// Rank up to which two axes are changed together. Real variables stay below it.
const PAIR_MOVES_RANK: usize = 8;

/// What to balance.
pub(crate) struct Balance<'a> {
    /// Array shape in elements, no extent 0.
    pub(crate) shape: &'a [u64],
    pub(crate) element_bytes: usize,
    /// Largest wanted chunk, and the fixed cost of touching one (see [`Balance::score`]).
    pub(crate) target_bytes: u64,
    /// Smallest wanted chunk.
    pub(crate) least_bytes: u64,
}

impl Balance<'_> {
    /// The chunk shape with the lowest score found: each extent between 1 and the axis length,
    /// not more than `target_bytes` unless one element is larger.
    pub(crate) fn shape(&self) -> Vec<u64> {
        let mut chunk = self.split_to_target();
        let mut score = self.score(&chunk);
        for _ in 0..MAX_STEPS {
            let Some((better, better_score)) = self.best_neighbour(&chunk, score) else {
                break;
            };
            (chunk, score) = (better, better_score);
        }
        chunk
    }

    /// Splits the whole array, always where a read touches the fewest chunks.
    fn split_to_target(&self) -> Vec<u64> {
        let mut chunk = self.shape.to_vec();
        loop {
            let chunk_bytes = bytes_of(&chunk, self.element_bytes);
            let excess = chunk_bytes as f64 / self.target_bytes as f64;
            if excess <= 1.0 {
                break;
            }
            let Some(axis) = self.axis_to_split(&chunk) else {
                break;
            };
            // Small steps keep the axes in balance; the last one goes no further than needed.
            let count = self.shape[axis].div_ceil(chunk[axis]);
            let more = (count as f64 * excess.min(1.25)).ceil() as u64;
            let extent = self.shape[axis].div_ceil(more.max(count + 1));
            chunk[axis] = extent.min(chunk[axis] - 1);
        }
        chunk
    }

    /// The axis whose split leaves its read with the fewest chunks; `None` if all extents are 1.
    fn axis_to_split(&self, chunk: &[u64]) -> Option<usize> {
        let leading = leading_axes(chunk.len());
        let count = |axis: usize| self.shape[axis].div_ceil(chunk[axis]);
        let map_chunks =
            (leading..chunk.len()).fold(1_u64, |product, axis| product.saturating_mul(count(axis)));
        let splittable = |axis: &usize| chunk[*axis] > 1;
        let key = |axis: &usize| {
            let touched = if *axis < leading {
                count(*axis)
            } else {
                map_chunks
            };
            (touched, count(*axis))
        };
        (0..chunk.len())
            .filter(splittable)
            .filter(|&axis| !self.stays_whole(axis))
            .min_by_key(key)
            .or_else(|| (0..chunk.len()).filter(splittable).min_by_key(key))
    }

    fn stays_whole(&self, axis: usize) -> bool {
        let least = WHOLE_AXIS_ELEMENTS.max(WHOLE_AXIS_BYTES / self.element_bytes.max(1) as u64);
        axis >= leading_axes(self.shape.len()) && self.shape[axis] < least
    }

    /// The best shape that differs in one or two axes, if it beats `score`.
    fn best_neighbour(&self, chunk: &[u64], score: f64) -> Option<(Vec<u64>, f64)> {
        let mut best: Option<(Vec<u64>, f64)> = None;
        let mut consider = |candidate: &[u64]| {
            let candidate_score = self.score(candidate);
            if candidate_score < best.as_ref().map_or(score, |(_, lowest)| *lowest) {
                best = Some((candidate.to_vec(), candidate_score));
            }
        };
        let mut candidate = chunk.to_vec();
        for first in 0..chunk.len() {
            for extent in self.nearby_extents(first, chunk[first]) {
                candidate[first] = extent;
                consider(&candidate);
                let partners = if chunk.len() <= PAIR_MOVES_RANK {
                    first
                } else {
                    0
                };
                for second in 0..partners {
                    for other in self.nearby_extents(second, chunk[second]) {
                        candidate[second] = other;
                        consider(&candidate);
                    }
                    candidate[second] = chunk[second];
                }
            }
            candidate[first] = chunk[first];
        }
        best
    }

    /// Extents that cut the axis into a few chunks more or fewer, without needless padding.
    fn nearby_extents(&self, axis: usize, extent: u64) -> Vec<u64> {
        let length = self.shape[axis];
        if self.stays_whole(axis) && extent == length {
            return Vec::new();
        }
        let count = length.div_ceil(extent);
        let mut extents: Vec<u64> = [
            count.saturating_mul(4) / 5,
            count - 1,
            count,
            count.saturating_add(1),
            count.saturating_mul(5).div_ceil(4),
        ]
        .iter()
        .map(|&n| length.div_ceil(n.clamp(1, length)))
        .collect();
        extents.dedup();
        extents
    }

    /// How bad a chunk shape is.
    ///
    /// A read costs the bytes of its chunks plus, for every chunk, a fixed price: finding it in
    /// the index, asking the storage for it, starting the decoder. With chunks balanced between
    /// map and series, both touch about `sqrt(raw / chunk)` of them, which is cheapest where the
    /// chunk's bytes equal the fixed price; so the wanted chunk size *is* that price. The worst
    /// read decides. Lopsided maps and padding count a little: the first make regional reads
    /// dear, the second costs space.
    fn score(&self, chunk: &[u64]) -> f64 {
        let chunk_bytes = bytes_of(chunk, self.element_bytes);
        let smallest_possible = self.element_bytes as u64;
        if (chunk_bytes > self.target_bytes && chunk_bytes > smallest_possible)
            || chunk_bytes < self.least_bytes
        {
            return f64::INFINITY;
        }
        let price = chunk_bytes as f64 + self.target_bytes as f64;
        let costs = ReadCosts::new(self.shape, chunk, self.element_bytes);
        let map = costs.map.chunks as f64 * price;
        let (worst, sum) = costs.lines.iter().fold((map, map), |(worst, sum), line| {
            let cost = line.chunks as f64 * price;
            (worst.max(cost), sum + cost)
        });
        (worst + 0.1 * sum)
            * (1.0 + 0.03 * (self.lopsidedness(chunk) - 1.0))
            * (1.0 + 0.25 * self.padding(chunk))
    }

    /// Quotient of the chunk counts along the two map axes, at least 1. Axes that stay whole have
    /// no say.
    fn lopsidedness(&self, chunk: &[u64]) -> f64 {
        let leading = leading_axes(chunk.len());
        if chunk.len() < leading + 2 || self.stays_whole(leading) || self.stays_whole(leading + 1) {
            return 1.0;
        }
        let rows = self.shape[leading].div_ceil(chunk[leading]) as f64;
        let columns = self.shape[leading + 1].div_ceil(chunk[leading + 1]) as f64;
        (rows / columns).max(columns / rows)
    }

    /// Padded elements per element of the array.
    fn padding(&self, chunk: &[u64]) -> f64 {
        let padded: f64 = self
            .shape
            .iter()
            .zip(chunk)
            .map(|(&length, &extent)| {
                length.div_ceil(extent) as f64 * extent as f64 / length as f64
            })
            .product();
        padded - 1.0
    }
}
