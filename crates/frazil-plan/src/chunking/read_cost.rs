//! What the usual reads cost under a chunk shape.
//!
//! HDF5 reads whole chunks: a read touching `n` chunks fetches and decodes `n` whole chunks,
//! padding included.

/// Chunks touched and bytes decoded by one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadCost {
    /// Whole chunks touched.
    pub chunks: u64,
    /// Uncompressed bytes in them.
    pub bytes: u64,
}

/// The reads a chunk shape is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCosts {
    /// All of the map axes (the last two; of 2-D arrays the last one) at one point of the others.
    pub map: ReadCost,
    /// All of each leading axis in turn at one point of the others: first the series, then
    /// profiles along the middle axes. Empty if there is no leading axis.
    pub lines: Vec<ReadCost>,
}

/// Number of leading axes: those a map holds still. The last two axes make a map; a 2-D array has
/// rows instead, and a 1-D array is one line.
pub(crate) fn leading_axes(rank: usize) -> usize {
    match rank {
        0 => 0,
        1 | 2 => 1,
        _ => rank - 2,
    }
}

/// Bytes of one chunk, `u64::MAX` if they overflow.
pub(crate) fn bytes_of(extents: &[u64], element_bytes: usize) -> u64 {
    extents
        .iter()
        .fold(element_bytes as u64, |product, &extent| {
            product.saturating_mul(extent)
        })
}

impl ReadCosts {
    /// Costs for an array of `shape` in chunks of `chunk` (same rank, no extent 0).
    #[must_use]
    pub fn new(shape: &[u64], chunk: &[u64], element_bytes: usize) -> Self {
        let chunk_bytes = bytes_of(chunk, element_bytes);
        let cost = |chunks: u64| ReadCost {
            chunks,
            bytes: chunks.saturating_mul(chunk_bytes),
        };
        let counts: Vec<u64> = shape
            .iter()
            .zip(chunk)
            .map(|(&extent, &step)| extent.div_ceil(step.max(1)).max(1))
            .collect();
        let (leading, map) = counts.split_at(leading_axes(counts.len()));
        Self {
            map: cost(map.iter().fold(1, |product, &n| product.saturating_mul(n))),
            lines: leading.iter().map(|&n| cost(n)).collect(),
        }
    }

    /// The series read: along the first axis.
    #[must_use]
    pub fn series(&self) -> ReadCost {
        self.lines.first().copied().unwrap_or(self.map)
    }

    /// How many times more bytes than `other` the worst of these reads fetches.
    #[must_use]
    pub fn worst_factor(&self, other: &Self) -> f64 {
        let factor =
            |own: ReadCost, theirs: ReadCost| own.bytes as f64 / theirs.bytes.max(1) as f64;
        self.lines
            .iter()
            .zip(&other.lines)
            .map(|(&own, &theirs)| factor(own, theirs))
            .fold(factor(self.map, other.map), f64::max)
    }

    /// Whether no read fetches more than `factor` times what it fetches by `other`, or more than so many bytes, which
    /// are cheap in any case.
    pub(crate) fn are_within(&self, other: &Self, factor: f64, cheap_bytes: u64) -> bool {
        let is_within = |own: ReadCost, theirs: ReadCost| {
            own.bytes as f64 <= (factor * theirs.bytes as f64).max(cheap_bytes as f64)
        };
        let mut lines = self.lines.iter().zip(&other.lines);
        is_within(self.map, other.map) && lines.all(|(&own, &theirs)| is_within(own, theirs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_touches_the_last_two_axes_and_a_series_the_first() {
        let costs = ReadCosts::new(&[100, 6, 10, 20], &[30, 2, 5, 7], 4);
        let chunk_bytes = 30 * 2 * 5 * 7 * 4;
        assert_eq!((costs.map.chunks, costs.map.bytes), (6, 6 * chunk_bytes));
        assert_eq!(costs.series().chunks, 4);
        assert_eq!(costs.lines[1].chunks, 3);
    }

    #[test]
    fn the_worst_read_decides() {
        let shape = [100, 10, 10];
        let maps = ReadCosts::new(&shape, &[1, 10, 10], 4);
        let balanced = ReadCosts::new(&shape, &[10, 5, 5], 4);
        // Series: 100 chunks of 100 elements against 10 chunks of 250.
        assert_eq!(maps.worst_factor(&balanced), 4.0);
    }
}
