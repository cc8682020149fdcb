//! The Kolmogorov-Smirnov distance of two distributions, in bounded memory.
//!
//! The distance is the largest difference between the two empirical distribution functions. Here
//! they are compared on both sides of up to [`MAX_EDGES`] values, taken from a sample of the rounded
//! variable. A rounded variable has few distinct values, and the distance is always taken at one of
//! them: where the sample has them all, the distance is exact. Else it is a lower bound, too small
//! by no more than the share of values between two neighbouring edges (quantiles of the sample, so
//! about 1/16384).

/// Most values at which the distributions are compared.
pub(super) const MAX_EDGES: usize = 1 << 14;
/// Cells of the table that leads to an edge.
const TABLE_CELLS: usize = 1 << 14;

/// Values at which two distributions are compared.
#[derive(Debug)]
pub(super) struct Edges {
    /// Ascending, distinct.
    edges: Vec<f64>,
    /// For each of equal cells between the first and the last edge, the edges below it.
    table: Vec<u32>,
    /// Cells per unit.
    scale: f64,
}

impl Edges {
    /// Chooses the edges from a sample.
    pub(super) fn new(mut sample: Vec<f64>) -> Self {
        sample.retain(|value| value.is_finite());
        sample.sort_by(f64::total_cmp);
        let mut distinct = sample.clone();
        distinct.dedup();
        let edges = if distinct.len() <= MAX_EDGES {
            distinct
        } else {
            let last = (sample.len() - 1) as f64;
            let pick = |i: usize| sample[(i as f64 / (MAX_EDGES - 1) as f64 * last) as usize];
            let mut quantiles: Vec<f64> = (0..MAX_EDGES).map(pick).collect();
            quantiles.dedup();
            quantiles
        };
        let mut all = Self {
            edges,
            table: Vec::new(),
            scale: 0.0,
        };
        all.enter_table();
        all
    }

    fn enter_table(&mut self) {
        let (Some(&first), Some(&last)) = (self.edges.first(), self.edges.last()) else {
            return;
        };
        let scale = TABLE_CELLS as f64 / (last - first);
        if !scale.is_finite() {
            return;
        }
        self.scale = scale;
        let mut table = vec![0_u32; TABLE_CELLS + 2];
        for &edge in &self.edges {
            table[self.cell_of(edge) + 1] += 1;
        }
        let mut below = 0;
        for count in &mut table {
            below += *count;
            *count = below;
        }
        self.table = table;
    }

    /// The table's cell for a value; monotone.
    fn cell_of(&self, value: f64) -> usize {
        // Out of range: the cast saturates.
        (((value - self.edges[0]) * self.scale) as usize).min(TABLE_CELLS)
    }

    /// Number of counters that [`Edges::count`] needs.
    pub(super) fn counters(&self) -> usize {
        2 * self.edges.len() + 1
    }

    /// The counter of a value: even for values between edges, odd for the edges themselves.
    fn counter(&self, value: f64) -> usize {
        let (from, to) = if self.table.is_empty() {
            (0, self.edges.len())
        } else {
            let cell = self.cell_of(value);
            (self.table[cell] as usize, self.table[cell + 1] as usize)
        };
        let below = from + self.edges[from..to].partition_point(|&edge| edge < value);
        let is_edge = self.edges.get(below).is_some_and(|&edge| edge == value);
        2 * below + usize::from(is_edge)
    }

    /// Counts a value that rounding moved: up at its old place, down at its new one.
    pub(super) fn count(&self, original: f64, rounded: f64, counters: &mut [i32]) {
        let (from, to) = (self.counter(original), self.counter(rounded));
        if from != to {
            counters[from] += 1;
            counters[to] -= 1;
        }
    }

    /// The distance, of `values` pairs in all.
    pub(super) fn distance(counters: &[i64], values: u64) -> f64 {
        let mut difference = 0_i64;
        let mut largest = 0_u64;
        for &counter in counters {
            difference += counter;
            largest = largest.max(difference.unsigned_abs());
        }
        largest as f64 / values.max(1) as f64
    }
}

/// The probability that two samples of `values` each, drawn from one distribution, lie at least
/// this far apart (the limit for large samples: Kolmogorov 1933, Smirnov 1939).
pub(super) fn p_value(distance: f64, values: u64) -> f64 {
    let lambda = distance * (values as f64 / 2.0).sqrt();
    // Below, the series converges slowly and the sum is 1 to all digits that matter.
    if lambda < 0.2 {
        return 1.0;
    }
    let mut sum = 0.0;
    for k in 1..=100_i32 {
        let term = (-2.0 * (f64::from(k) * lambda).powi(2)).exp();
        sum += if k % 2 == 1 { term } else { -term };
        if term < 1.0e-17 {
            break;
        }
    }
    (2.0 * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count).map(|_| next().powi(5) * 1000.0 - 3.0).collect()
    }

    /// By sorting, as the textbook has it.
    fn reference(a: &[f64], b: &[f64]) -> f64 {
        let share = |sorted: &[f64], x: f64| {
            sorted.partition_point(|&value| value <= x) as f64 / sorted.len() as f64
        };
        let sort = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted
        };
        let (a, b) = (sort(a), sort(b));
        let points = a.iter().chain(&b);
        let differences = points.map(|&x| (share(&a, x) - share(&b, x)).abs());
        differences.fold(0.0, f64::max)
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        let edges = Edges::new(b.to_vec());
        let mut counters = vec![0; edges.counters()];
        for (&x, &y) in a.iter().zip(b) {
            edges.count(x, y, &mut counters);
        }
        let counters: Vec<i64> = counters.into_iter().map(i64::from).collect();
        Edges::distance(&counters, a.len() as u64)
    }

    #[test]
    fn the_distance_of_rounded_values_is_exact() {
        let a = random(20_000, 7);
        for step in [0.125, 1.0, 64.0] {
            let b: Vec<f64> = a.iter().map(|x| (x / step).round() * step).collect();
            let (found, expected) = (distance(&a, &b), reference(&a, &b));
            assert!(
                (found - expected).abs() < 1.0e-12,
                "{step}: {found} {expected}"
            );
        }
        assert_eq!(distance(&a, &a), 0.0);
    }

    #[test]
    fn the_distance_of_many_distinct_values_is_close() {
        let a = random(60_000, 3);
        let b: Vec<f64> = a.iter().map(|x| x * 1.01 + 1.0e-3).collect();
        let (found, expected) = (distance(&a, &b), reference(&a, &b));
        assert!(
            found <= expected && expected - found < 2.0e-4,
            "{found} {expected}"
        );
    }

    #[test]
    fn one_value_or_none_is_no_trouble() {
        assert_eq!(distance(&[1.0, 2.0], &[1.5, 1.5]), 0.5);
        assert_eq!(Edges::distance(&[0], 0), 0.0);
        assert_eq!(Edges::new(vec![f64::NAN]).counters(), 1);
    }

    #[test]
    fn the_p_value_is_that_of_the_kolmogorov_distribution() {
        // scipy.special.kolmogorov(1.0), (1.358), (2.0)
        for (lambda, expected) in [
            (1.0, 0.269_999_67),
            (1.358, 0.050_026_80),
            (2.0, 6.709_253e-4),
        ] {
            let found = p_value(lambda / 50_f64.sqrt(), 100);
            assert!(
                (found / expected - 1.0).abs() < 1.0e-4,
                "{found} {expected}"
            );
        }
        assert_eq!(p_value(0.0, 1000), 1.0);
    }
}
