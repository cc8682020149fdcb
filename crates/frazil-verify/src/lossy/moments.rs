//! Means, variances and covariance of pairs of numbers, merged without loss of accuracy.

/// Independent sums that the processor adds side by side.
const LANES: usize = 8;

/// Adds up `term` over pairs of numbers, in an order that depends on nothing but their count.
pub(super) fn sum(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (blocks_a, rest_a) = a.as_chunks::<LANES>();
    let (blocks_b, rest_b) = b.as_chunks::<LANES>();
    for (block_a, block_b) in blocks_a.iter().zip(blocks_b) {
        for ((lane, &x), &y) in lanes.iter_mut().zip(block_a).zip(block_b) {
            *lane += term(x, y);
        }
    }
    for ((lane, &x), &y) in lanes.iter_mut().zip(rest_a).zip(rest_b) {
        *lane += term(x, y);
    }
    lanes.iter().sum()
}

/// Count, means, and sums of squared and multiplied deviations from the means, of pairs of numbers.
///
/// Blocks are merged by the formulas of Chan, Golub and LeVeque (1983, doi:10.2307/2683386).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    count: f64,
    mean: [f64; 2],
    squares: [f64; 2],
    products: f64,
}

impl Moments {
    /// Of one block of pairs.
    pub(super) fn of(a: &[f64], b: &[f64]) -> Self {
        if a.is_empty() {
            return Self::default();
        }
        let count = a.len() as f64;
        let (mean_a, mean_b) = (sum(a, b, |x, _| x) / count, sum(a, b, |_, y| y) / count);
        let square = |x: f64| x * x;
        Self {
            count,
            mean: [mean_a, mean_b],
            squares: [
                sum(a, b, |x, _| square(x - mean_a)),
                sum(a, b, |_, y| square(y - mean_b)),
            ],
            products: sum(a, b, |x, y| (x - mean_a) * (y - mean_b)),
        }
    }

    /// Adds other pairs.
    pub(super) fn merge(&mut self, other: &Self) {
        let count = self.count + other.count;
        if other.count == 0.0 {
            return;
        }
        let weight = self.count * other.count / count;
        let apart = [other.mean[0] - self.mean[0], other.mean[1] - self.mean[1]];
        self.products += other.products + apart[0] * apart[1] * weight;
        for side in 0..2 {
            self.squares[side] += other.squares[side] + apart[side] * apart[side] * weight;
            self.mean[side] += apart[side] * other.count / count;
        }
        self.count = count;
    }

    /// Standard deviation of the first of each pair.
    pub(super) fn deviation(&self) -> f64 {
        match self.count > 0.0 {
            true => (self.squares[0] / self.count).sqrt(),
            false => 0.0,
        }
    }

    /// Pearson's correlation coefficient; `None` where one side is constant.
    pub(super) fn correlation(&self) -> Option<f64> {
        let scale = self.squares[0].sqrt() * self.squares[1].sqrt();
        let correlation = self.products / scale;
        (scale > 0.0 && correlation.is_finite()).then(|| correlation.clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_blocks_give_what_the_whole_gives() {
        // Large means and small deviations: naive sums of squares lose all digits here.
        let a: Vec<f64> = (0..1003_u32)
            .map(|i| 1.0e9 + f64::from(i * 7919 % 101) * 1.0e-3)
            .collect();
        let b: Vec<f64> = a
            .iter()
            .zip(0_u32..)
            .map(|(x, i)| x + f64::from(i % 3) * 1.0e-2)
            .collect();
        let whole = Moments::of(&a, &b);
        let mut merged = Moments::default();
        for (a, b) in a.chunks(97).zip(b.chunks(97)) {
            merged.merge(&Moments::of(a, b));
        }
        let (mean_a, mean_b) = (
            a.iter().map(|x| x - 1.0e9).sum::<f64>() / 1003.0,
            b.iter().map(|x| x - 1.0e9).sum::<f64>() / 1003.0,
        );
        let (mut squares_a, mut squares_b, mut products) = (0.0, 0.0, 0.0);
        for (x, y) in a.iter().zip(&b) {
            let (x, y) = (x - 1.0e9 - mean_a, y - 1.0e9 - mean_b);
            squares_a += x * x;
            squares_b += y * y;
            products += x * y;
        }
        let expected = products / (squares_a * squares_b).sqrt();
        for moments in [whole, merged] {
            let found = moments.correlation().unwrap();
            assert!((found - expected).abs() < 1.0e-7, "{found} {expected}");
        }
    }

    #[test]
    fn constants_have_no_correlation() {
        assert_eq!(Moments::of(&[1.0, 1.0], &[1.0, 2.0]).correlation(), None);
        assert_eq!(Moments::default().correlation(), None);
    }
}
