//! Structural similarity of horizontal slices.
//!
//! This is the data SSIM of Baker, Pinard and Hammerling (2024, arXiv:2202.02616), as
//! ldcpy computes it: both slices are scaled to 0..1 by their common range and rounded to 256
//! levels; local means, variances and covariance are weighted by a Gaussian of 11 by 11 points with
//! a standard deviation of 1.5 points; both constants are 1e-8. Special values have no weight, and
//! points at them have no similarity. A border of 5 points is left out, so that slices of fewer than
//! 11 points along either axis have none at all.

/// Points across a window: slices have at least as many along both axes.
pub(crate) const WINDOW: usize = 11;
/// Points that a window reaches to either side.
const REACH: usize = WINDOW / 2;
/// Points along an axis that are too near to the ends to have a similarity.
pub const BORDERS: usize = 2 * REACH;
/// Standard deviation of the weights in points.
const DEVIATION: f64 = 1.5;
/// What keeps quotients from becoming 0/0.
const CONSTANT: f64 = 1.0e-8;
/// The levels that values are rounded to, less one.
const LEVELS: f64 = 255.0;
/// Adding and taking away this rounds small numbers to integers (half to even).
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Quantities that are averaged over windows: x, y, x² + y², xy, and the weight of ordinary points.
const QUANTITIES: usize = 5;
const WEIGHT: usize = 4;

/// Similarities of slices: their sum, number and minimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    sum: f64,
    slices: u64,
    worst: f64,
}

impl Default for Similarity {
    fn default() -> Self {
        Self {
            sum: 0.0,
            slices: 0,
            worst: f64::INFINITY,
        }
    }
}

impl Similarity {
    /// Adds a slice.
    pub fn add(&mut self, similarity: f64) {
        self.merge(&Self {
            sum: similarity,
            slices: 1,
            worst: similarity,
        });
    }

    /// Adds other slices.
    pub fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.slices += other.slices;
        self.worst = self.worst.min(other.worst);
    }

    /// The mean and the worst slice.
    pub fn mean_and_worst(&self) -> Option<(f64, f64)> {
        (self.slices > 0).then(|| (self.sum / self.slices as f64, self.worst))
    }
}

/// Whether slices of this size have a structural similarity.
pub fn is_defined(rows: usize, columns: usize) -> bool {
    rows >= WINDOW && columns >= WINDOW
}

/// Bytes that windows over rows of so many points take, roughly.
pub fn window_bytes(columns: usize) -> u64 {
    const ROWS: usize = WINDOW + 1;
    (ROWS * QUANTITIES * size_of::<f64>() * columns) as u64
}

/// One slice that is given in strips of columns, one after the other, each row by row. A strip
/// overlaps the one before by [`BORDERS`].
#[derive(Debug, Default)]
pub struct SliceSsim {
    columns: usize,
    low: f64,
    factor: f64,
    weights: [f64; REACH + 1],
    /// The last rows, averaged along the row: by row number modulo the window.
    ring: Vec<[Vec<f64>; QUANTITIES]>,
    /// Which of these rows' points are special.
    marks: Vec<Vec<bool>>,
    /// Rows whose windows have special points.
    any_marks: [bool; WINDOW],
    raw: [Vec<f64>; QUANTITIES],
    rows: usize,
    sum: f64,
    points: u64,
}

impl SliceSsim {
    /// Begins a slice whose ordinary values lie between `low` and `high`.
    pub fn begin(&mut self, low: f64, high: f64) {
        let range = high - low;
        (self.low, self.factor) = if range > 0.0 {
            (low, LEVELS / range)
        } else {
            (0.0, if high == 0.0 { 1.0 } else { LEVELS / high })
        };
        self.weights = weights();
        (self.sum, self.points) = (0.0, 0);
    }

    /// Begins a strip of so many columns.
    pub fn begin_strip(&mut self, columns: usize) {
        let inside = columns.saturating_sub(BORDERS);
        self.columns = columns;
        self.ring.resize_with(WINDOW, Default::default);
        self.marks.resize_with(WINDOW, Vec::new);
        for quantities in &mut self.ring {
            for row in quantities {
                row.resize(inside, 0.0);
            }
        }
        self.any_marks = [false; WINDOW];
        self.rows = 0;
    }

    /// Adds the next row; `skip` marks special points.
    pub fn add_row(&mut self, original: &[f64], rounded: &[f64], skip: Option<&[bool]>) {
        let slot = self.rows % WINDOW;
        self.load(original, rounded, skip);
        for (raw, average) in self.raw.iter().zip(&mut self.ring[slot]) {
            average_along(raw, &self.weights, average);
        }
        self.marks[slot].clear();
        self.marks[slot].extend_from_slice(skip.unwrap_or_default());
        self.any_marks[slot] = skip.is_some();
        self.rows += 1;
        if self.rows >= WINDOW {
            self.add_similarities();
        }
    }

    /// The mean similarity over the points of the slice; `None` if there are none, or if their range
    /// is no number.
    pub fn finish(&self) -> Option<f64> {
        let mean = (self.points > 0).then(|| self.sum / self.points as f64);
        mean.filter(|mean| mean.is_finite())
    }

    fn load(&mut self, original: &[f64], rounded: &[f64], skip: Option<&[bool]>) {
        let (low, factor) = (self.low, self.factor);
        let scale = |value: f64| (((value - low) * factor + ROUNDER) - ROUNDER) / LEVELS;
        let [x, y, squares, products, weight] = &mut self.raw;
        for raw in [
            &mut *x,
            &mut *y,
            &mut *squares,
            &mut *products,
            &mut *weight,
        ] {
            raw.clear();
        }
        x.extend(original.iter().map(|&value| scale(value)));
        y.extend(rounded.iter().map(|&value| scale(value)));
        weight.resize(self.columns, 1.0);
        if let Some(skip) = skip {
            for (i, _) in skip.iter().enumerate().filter(|(_, skip)| **skip) {
                (x[i], y[i], weight[i]) = (0.0, 0.0, 0.0);
            }
        }
        squares.extend(x.iter().zip(&*y).map(|(x, y)| x * x + y * y));
        products.extend(x.iter().zip(&*y).map(|(x, y)| x * y));
    }

    /// Adds the similarities along the middle row of the window.
    fn add_similarities(&mut self) {
        let first = self.rows - WINDOW;
        let middle = (first + REACH) % WINDOW;
        let is_plain = !self.any_marks.contains(&true);
        let row = |quantity: usize, i: usize| self.ring[(first + i) % WINDOW][quantity].as_slice();
        let columns: [[&[f64]; WINDOW]; QUANTITIES] =
            std::array::from_fn(|quantity| std::array::from_fn(|i| row(quantity, i)));
        let inside = self.columns - BORDERS;
        let mut sum = 0.0;
        let mut points = 0;
        let mut at = 0;
        const STEP: usize = 64;
        let mut averages = [[0.0; STEP]; QUANTITIES];
        while at < inside {
            let count = STEP.min(inside - at);
            for (rows, average) in
                columns
                    .iter()
                    .zip(&mut averages)
                    .take(if is_plain { WEIGHT } else { QUANTITIES })
            {
                average_across(rows, at, &self.weights, &mut average[..count]);
            }
            if is_plain {
                for i in 0..count {
                    sum += similarity(
                        averages[0][i],
                        averages[1][i],
                        averages[2][i],
                        averages[3][i],
                    );
                }
                points += count as u64;
            } else {
                for i in 0..count {
                    let is_special = self.marks[middle].get(at + i + REACH) == Some(&true);
                    let weight = averages[WEIGHT][i];
                    if is_special || weight <= 0.0 {
                        continue;
                    }
                    let [x, y, squares, products, _] =
                        averages.each_ref().map(|average| average[i] / weight);
                    sum += similarity(x, y, squares, products);
                    points += 1;
                }
            }
            at += count;
        }
        self.sum += sum;
        self.points += points;
    }
}

/// The structural similarity of one slice with rows of so many columns; `skip` marks special points.
/// `None`: it has none.
pub(crate) fn slice_similarity(
    original: &[f64],
    rounded: &[f64],
    skip: &[bool],
    columns: usize,
) -> Option<f64> {
    if !is_defined(original.len() / columns.max(1), columns) {
        return None;
    }
    let ordinary = |side: &[f64]| {
        let kept = side.iter().zip(skip).filter(|(_, skip)| !**skip);
        kept.map(|(value, _)| *value).collect::<Vec<f64>>()
    };
    let both = [ordinary(original), ordinary(rounded)].concat();
    let mut slice = SliceSsim::default();
    slice.begin(
        both.iter().copied().fold(f64::INFINITY, f64::min),
        both.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    slice.begin_strip(columns);
    let rows = original.chunks(columns).zip(rounded.chunks(columns));
    for ((original, rounded), skip) in rows.zip(skip.chunks(columns)) {
        slice.add_row(original, rounded, skip.contains(&true).then_some(skip));
    }
    slice.finish()
}

/// Half of a symmetric window's weights, the outermost first; all of them add up to 1.
fn weights() -> [f64; REACH + 1] {
    let half: [f64; REACH + 1] = std::array::from_fn(|i| {
        let distance = (REACH - i) as f64;
        (-distance * distance / (2.0 * DEVIATION * DEVIATION)).exp()
    });
    let total = 2.0 * half[..REACH].iter().sum::<f64>() + half[REACH];
    half.map(|weight| weight / total)
}

/// Weighted means of all windows along a row.
fn average_along(row: &[f64], weights: &[f64; REACH + 1], averages: &mut [f64]) {
    let length = averages.len();
    if row.len() != length + 2 * REACH {
        return;
    }
    let shifted: [&[f64]; WINDOW] = std::array::from_fn(|i| &row[i..i + length]);
    average_across(&shifted, 0, weights, averages);
}

/// Weighted means over eleven rows, point by point, from point `from` on.
fn average_across(
    rows: &[&[f64]; WINDOW],
    from: usize,
    weights: &[f64; REACH + 1],
    averages: &mut [f64],
) {
    let length = averages.len();
    let rows: [&[f64]; WINDOW] = rows.map(|row| &row[from..from + length]);
    let [w0, w1, w2, w3, w4, w5] = *weights;
    for (i, average) in averages.iter_mut().enumerate() {
        *average = w0 * (rows[0][i] + rows[10][i])
            + w1 * (rows[1][i] + rows[9][i])
            + w2 * (rows[2][i] + rows[8][i])
            + w3 * (rows[3][i] + rows[7][i])
            + w4 * (rows[4][i] + rows[6][i])
            + w5 * rows[5][i];
    }
}

/// The structural similarity in one window, from weighted means.
fn similarity(x: f64, y: f64, squares: f64, products: f64) -> f64 {
    let mean_squares = x * x + y * y;
    let mean_products = x * y;
    let luminance = (2.0 * mean_products + CONSTANT) / (mean_squares + CONSTANT);
    let structure =
        (2.0 * (products - mean_products) + CONSTANT) / (squares - mean_squares + CONSTANT);
    luminance * structure
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Point by point, as the definition has it; NaN marks special values.
    fn reference(a: &[f64], b: &[f64], columns: usize) -> Option<f64> {
        let rows = a.len() / columns;
        let all = || a.iter().chain(b).copied().filter(|x| !x.is_nan());
        let (low, high) = (
            all().fold(f64::INFINITY, f64::min),
            all().fold(f64::NEG_INFINITY, f64::max),
        );
        let scale = |x: f64| ((x - low) / (high - low) * 255.0).round_ties_even() / 255.0;
        let (mut sum, mut points) = (0.0, 0.0);
        for row in 5..rows.saturating_sub(5) {
            for column in 5..columns.saturating_sub(5) {
                if a[row * columns + column].is_nan() {
                    continue;
                }
                let mut m = [0.0; 6];
                for i in row - 5..=row + 5 {
                    for j in column - 5..=column + 5 {
                        let at = i * columns + j;
                        if a[at].is_nan() {
                            continue;
                        }
                        let square = |p: usize, q: usize| (p as f64 - q as f64).powi(2);
                        let w = (-(square(i, row) + square(j, column)) / (2.0 * 1.5 * 1.5)).exp();
                        let (x, y) = (scale(a[at]), scale(b[at]));
                        for (m, term) in m.iter_mut().zip([1.0, x, y, x * x, y * y, x * y]) {
                            *m += w * term;
                        }
                    }
                }
                let [w, x, y, xx, yy, xy] = m;
                let (x, y, xx, yy, xy) = (x / w, y / w, xx / w, yy / w, xy / w);
                let luminance = (2.0 * x * y + 1.0e-8) / (x * x + y * y + 1.0e-8);
                let structure = (2.0 * (xy - x * y) + 1.0e-8) / (xx - x * x + yy - y * y + 1.0e-8);
                sum += luminance * structure;
                points += 1.0;
            }
        }
        (points > 0.0).then_some(sum / points)
    }

    fn found(a: &[f64], b: &[f64], columns: usize) -> Option<f64> {
        let all = || a.iter().chain(b).copied().filter(|x| !x.is_nan());
        let mut slice = SliceSsim::default();
        // A first slice of another width must leave nothing behind.
        slice.begin(0.0, 1.0);
        slice.begin_strip(30);
        slice.add_row(&[0.5; 30], &[0.5; 30], Some(&[true; 30]));
        slice.begin(
            all().fold(f64::INFINITY, f64::min),
            all().fold(f64::NEG_INFINITY, f64::max),
        );
        // In strips of 30 points, which overlap.
        for from in (0..columns - BORDERS).step_by(30) {
            let to = (from + 30 + BORDERS).min(columns);
            slice.begin_strip(to - from);
            for (a, b) in a.chunks(columns).zip(b.chunks(columns)) {
                let skip: Vec<bool> = a[from..to].iter().map(|x| x.is_nan()).collect();
                let marks = skip.contains(&true).then_some(skip.as_slice());
                slice.add_row(&a[from..to], &b[from..to], marks);
            }
        }
        slice.finish()
    }

    fn field(rows: u32, columns: u32) -> Vec<f64> {
        let value = |i: u32, j: u32| {
            (f64::from(i) / 5.0).sin() + (f64::from(j) / 7.0).cos() + f64::from(i * j % 7) / 50.0
        };
        (0..rows)
            .flat_map(|i| (0..columns).map(move |j| value(i, j)))
            .collect()
    }

    #[test]
    fn a_range_beyond_all_numbers_has_no_similarity() {
        let values: Vec<f64> = (0..400)
            .map(|i| if i % 2 == 0 { 1e308 } else { -1e308 })
            .collect();
        assert_eq!(slice_similarity(&values, &values, &[false; 400], 20), None);
    }

    #[test]
    fn similarity_is_that_of_the_definition() {
        for (rows, columns) in [(11, 11), (25, 130), (40, 17)] {
            let a = field(rows, columns);
            let b: Vec<f64> = a.iter().map(|x| (x * 16.0).round() / 16.0).collect();
            let (found, expected) = (
                found(&a, &b, columns as usize).unwrap(),
                reference(&a, &b, columns as usize).unwrap(),
            );
            assert!((found - expected).abs() < 1.0e-9, "{found} {expected}");
            assert!(expected < 1.0 - 1.0e-6, "{expected}");
        }
    }

    #[test]
    fn special_values_have_no_weight() {
        let mut a = field(30, 40);
        for i in [3, 400, 401, 402, 441, 799, 1199] {
            a[i] = f64::NAN;
        }
        let b: Vec<f64> = a.iter().map(|x| (x * 16.0).round() / 16.0).collect();
        let (found, expected) = (found(&a, &b, 40).unwrap(), reference(&a, &b, 40).unwrap());
        assert!((found - expected).abs() < 1.0e-9, "{found} {expected}");
        assert_eq!(
            super::tests::found(&[f64::NAN; 400], &[f64::NAN; 400], 20),
            None
        );
    }

    #[test]
    fn equal_slices_are_equal() {
        let a = field(20, 20);
        assert!((found(&a, &a, 20).unwrap() - 1.0).abs() < 1.0e-12);
        assert_eq!(found(&[3.0; 400], &[3.0; 400], 20), Some(1.0));
        assert!(!is_defined(10, 20) && is_defined(11, 11));
    }
}
