//! Search for the chunk shape with the lowest score: a coarse look at everything, then small steps
//! from the best places.
//!
//! Candidates are the shapes that cut each axis into a whole number of equal parts. Everything is
//! in a fixed order, so that the same question has the same answer.

use super::read_cost::bytes_of;

/// Shapes looked at before the small steps; with few axes of few candidates that is all of them.
const COARSE_SHAPES: usize = 1500;
/// Candidates along one axis in the coarse look.
const COARSE_EXTENTS: usize = 16;
/// Places that small steps start from.
const STARTS: usize = 3;
/// Steps from one place; far more than are ever taken.
const MAX_STEPS: usize = 64;
/// Steps along one axis, and along two at once, in candidates.
const SINGLE_STEPS: [i64; 8] = [-8, -4, -2, -1, 1, 2, 4, 8];
const PAIR_STEPS: [i64; 6] = [-4, -2, -1, 1, 2, 4];
/// Axes up to which two are stepped along at once. Real variables stay below it.
const PAIR_AXES: usize = 8;
/// Scores of shapes beyond the limits begin here: above those of all others.
const BEYOND: f64 = 1e30;

/// What a chunk shape must keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Least and most raw bytes of a chunk.
    pub(crate) least_bytes: u64,
    pub(crate) most_bytes: u64,
    /// Most chunks of the variable.
    pub(crate) most_chunks: u64,
}

/// The shapes that may be chosen.
#[derive(Debug, Clone)]
pub(crate) struct Search<'a> {
    shape: &'a [u64],
    element_bytes: usize,
    limits: Limits,
    /// By axis: extents that may be chosen, the largest first.
    ladders: Vec<Vec<u64>>,
}

impl<'a> Search<'a> {
    /// Shapes of chunks for an array of `shape` (no extent 0); `sides`: the least extent along each
    /// axis that has as many elements, and the most.
    pub(crate) fn new(
        shape: &'a [u64],
        element_bytes: usize,
        sides: &[(u64, u64)],
        limits: Limits,
    ) -> Self {
        let axes = shape.iter().zip(sides);
        Self {
            shape,
            element_bytes,
            limits,
            ladders: axes
                .map(|(&length, &(least, most))| ladder(length, least, most))
                .collect(),
        }
    }

    /// The same search among parts of one chunk, each of at least so many bytes.
    pub(crate) fn of_parts(&self, chunk: &[u64], least_bytes: u64) -> Self {
        let shortest = self.ladders.iter().map(|ladder| ladder.last().copied());
        let axes = chunk.iter().zip(shortest);
        Self {
            shape: self.shape,
            element_bytes: self.element_bytes,
            limits: Limits {
                least_bytes,
                ..self.limits
            },
            // What is cut already may be cut a little shorter.
            ladders: axes
                .map(|(&extent, least)| ladder(extent, least.unwrap_or(1) / 2, extent))
                .collect(),
        }
    }

    /// The shape with the lowest score that keeps to the limits; the one that comes closest if none
    /// does.
    pub(crate) fn best(&self, score: impl Fn(&[u64]) -> f64) -> Vec<u64> {
        let judge = |places: &[usize]| {
            let chunk = self.chunk_at(places);
            match self.excess(&chunk) {
                excess if excess > 0.0 => BEYOND * (1.0 + excess),
                _ => score(&chunk),
            }
        };
        let starts = self.coarse(&judge);
        let ends = starts.into_iter().map(|start| self.descend(start, &judge));
        let best = ends.min_by(|one, other| one.1.total_cmp(&other.1));
        best.map_or_else(|| self.shape.to_vec(), |(places, _)| self.chunk_at(&places))
    }

    fn chunk_at(&self, places: &[usize]) -> Vec<u64> {
        let ladders = self.ladders.iter().zip(places);
        ladders.map(|(ladder, &place)| ladder[place]).collect()
    }

    /// How far a shape is beyond the limits; 0 within. Where not all can hold, memory goes before the
    /// number of chunks.
    fn excess(&self, chunk: &[u64]) -> f64 {
        let bytes = bytes_of(chunk, self.element_bytes);
        let over = |value: u64, most: u64| (value.max(1) as f64 / most.max(1) as f64).ln().max(0.0);
        1e3 * over(bytes, self.limits.most_bytes)
            + over(self.limits.least_bytes, bytes)
            + over(count_of(self.shape, chunk), self.limits.most_chunks)
    }

    /// The best few of candidates that are evenly spread, the best first.
    fn coarse(&self, judge: &impl Fn(&[usize]) -> f64) -> Vec<(Vec<usize>, f64)> {
        let picks = self.coarse_places();
        let mut best: Vec<(Vec<usize>, f64)> = Vec::with_capacity(STARTS + 1);
        let mut cursor = vec![0; picks.len()];
        loop {
            let places: Vec<usize> = (0..picks.len())
                .map(|axis| picks[axis][cursor[axis]])
                .collect();
            let score = judge(&places);
            let rank = best.partition_point(|(_, known)| *known <= score);
            if rank < STARTS {
                best.insert(rank, (places, score));
                best.truncate(STARTS);
            }
            let Some(axis) = (0..picks.len())
                .rev()
                .find(|&axis| cursor[axis] + 1 < picks[axis].len())
            else {
                return best;
            };
            cursor[axis] += 1;
            cursor[axis + 1..].fill(0);
        }
    }

    /// By axis: places in its ladder, evenly spread from the largest extent on; together not too
    /// many.
    fn coarse_places(&self) -> Vec<Vec<usize>> {
        let lengths = self.ladders.iter().map(Vec::len);
        let mut counts: Vec<usize> = lengths.map(|n| n.min(COARSE_EXTENTS)).collect();
        let product = |counts: &[usize]| {
            counts
                .iter()
                .fold(1, |n: usize, &one| n.saturating_mul(one))
        };
        while product(&counts) > COARSE_SHAPES {
            // The axis with the most candidates gives one up.
            match counts.iter_mut().max() {
                Some(most) if *most > 1 => *most -= 1,
                _ => break,
            }
        }
        let spread = |(ladder, &count): (&Vec<u64>, &usize)| {
            let last = ladder.len() - 1;
            let gaps = count.saturating_sub(1).max(1);
            (0..count).map(|i| i * last / gaps).collect()
        };
        self.ladders.iter().zip(&counts).map(spread).collect()
    }

    /// Small steps while they help.
    fn descend(
        &self,
        (mut places, mut score): (Vec<usize>, f64),
        judge: &impl Fn(&[usize]) -> f64,
    ) -> (Vec<usize>, f64) {
        for _ in 0..MAX_STEPS {
            let mut better: Option<(Vec<usize>, f64)> = None;
            self.for_neighbours(&places, |candidate| {
                let found = judge(candidate);
                if found < better.as_ref().map_or(score, |(_, known)| *known) {
                    better = Some((candidate.to_vec(), found));
                }
            });
            match better {
                Some(found) => (places, score) = found,
                None => break,
            }
        }
        (places, score)
    }

    /// Shapes that differ along one axis, or along two.
    fn for_neighbours(&self, places: &[usize], mut visit: impl FnMut(&[usize])) {
        let mut candidate = places.to_vec();
        for first in 0..places.len() {
            for step in SINGLE_STEPS {
                let Some(place) = self.moved(first, places[first], step) else {
                    continue;
                };
                candidate[first] = place;
                visit(&candidate);
            }
            for step in PAIR_STEPS {
                let Some(place) = self.moved(first, places[first], step) else {
                    continue;
                };
                candidate[first] = place;
                let partners = if places.len() <= PAIR_AXES { first } else { 0 };
                for second in 0..partners {
                    for other in PAIR_STEPS {
                        let Some(place) = self.moved(second, places[second], other) else {
                            continue;
                        };
                        candidate[second] = place;
                        visit(&candidate);
                    }
                    candidate[second] = places[second];
                }
            }
            candidate[first] = places[first];
        }
    }

    fn moved(&self, axis: usize, place: usize, step: i64) -> Option<usize> {
        let place = usize::try_from(place as i64 + step).ok()?;
        (place < self.ladders[axis].len()).then_some(place)
    }
}

/// Chunks of a variable.
pub(crate) fn count_of(shape: &[u64], chunk: &[u64]) -> u64 {
    shape
        .iter()
        .zip(chunk)
        .fold(1, |product: u64, (&length, &extent)| {
            product.saturating_mul(length.div_ceil(extent))
        })
}

/// Extents that cut `length` into equal parts, the largest first; none is larger than `most`, nor
/// smaller than `least` (or the largest). Numbers of parts grow by an eighth.
fn ladder(length: u64, least: u64, most: u64) -> Vec<u64> {
    let largest = length.min(most).max(1);
    let mut extents = vec![largest];
    let mut parts = length.div_ceil(largest);
    loop {
        parts = parts.saturating_add((parts / 8).max(1)).min(length.max(1));
        let extent = length.div_ceil(parts);
        if extent < least.max(1) || extents.last() == Some(&1) {
            return extents;
        }
        if extents.last().is_some_and(|&last| extent < last) {
            extents.push(extent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: u64 = u64::MAX;
    const LIMITS: Limits = Limits {
        least_bytes: 16 << 10,
        most_bytes: 1 << 20,
        most_chunks: 65_536,
    };

    #[test]
    fn ladders_go_from_the_whole_to_the_least() {
        assert_eq!(ladder(1, 1, ANY), [1]);
        assert_eq!(ladder(10, 1, ANY), [10, 5, 4, 3, 2, 1]);
        assert_eq!(ladder(100, 16, ANY), [100, 50, 34, 25, 20, 17]);
        assert_eq!(ladder(12, 16, ANY), [12]);
        assert_eq!(ladder(100, 1, 7)[..3], [7, 6, 5]);
        assert_eq!(ladder(100, 16, 7), [7]);
        let long = ladder(1_000_000_000, 1, ANY);
        assert!(long.len() < 250 && long.last() == Some(&1));
        assert!(long.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn the_search_finds_what_looking_at_everything_finds() {
        let shape = [365, 90, 180];
        let search = Search::new(&shape, 4, &[(1, ANY), (16, ANY), (16, ANY)], LIMITS);
        // A valley askew: neither axis alone leads to its floor.
        let score = |chunk: &[u64]| {
            let log = |axis: usize| (chunk[axis] as f64).ln();
            (log(0) + log(1) - 5.0).powi(2)
                + 10.0 * (log(1) - log(2)).powi(2)
                + (log(0) - 2.0).abs()
        };
        let found = search.best(score);
        let mut least = f64::INFINITY;
        for &a in &search.ladders[0] {
            for &b in &search.ladders[1] {
                for &c in &search.ladders[2] {
                    if search.excess(&[a, b, c]) == 0.0 {
                        least = least.min(score(&[a, b, c]));
                    }
                }
            }
        }
        assert!(score(&found) <= least * 1.02 + 1e-9, "{found:?}");
    }

    #[test]
    fn limits_hold_where_they_can() {
        let shape = [100_000, 1000];
        let search = Search::new(&shape, 8, &[(1, ANY); 2], LIMITS);
        let smallest = search.best(|chunk| bytes_of(chunk, 8) as f64);
        assert!(search.excess(&smallest) == 0.0, "{smallest:?}");
        // One element is larger than what is allowed.
        let search = Search::new(&shape, 2 << 20, &[(1, ANY); 2], LIMITS);
        assert_eq!(search.best(|_| 0.0), [1, 1]);
    }
}
