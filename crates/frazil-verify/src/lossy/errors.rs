//! Errors of single values.

use frazil_types::ErrorBound;

use super::moments::{Moments, sum};

/// The relative error that ldcpy's spatial test allows a value (`spre_tol`).
pub(super) const SPATIAL_TOLERANCE: f64 = 1.0e-4;

/// The mantissa of an `f64`.
const MANTISSA: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;

/// The value with the largest error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Largest {
    /// Its error: in units of what is allowed where something is, else absolute.
    pub(super) score: f64,
    /// Its row-major number in the variable.
    pub(super) element: u64,
}

/// What is known about the errors of single values.
#[derive(Debug, Clone)]
pub(super) struct Errors {
    /// Ordinary values.
    pub(super) values: u64,
    /// ... of which are changed.
    pub(super) changed: u64,
    /// ... of which became special: readers will take them for missing.
    pub(super) lost: u64,
    /// Special values.
    pub(super) special: u64,
    /// ... of which are changed.
    pub(super) special_changed: u64,
    /// The first of these, as its row-major number in the variable.
    pub(super) first_special: Option<u64>,
    /// Zeros that are no longer what the rounding leaves of them.
    pub(super) zeros_changed: u64,
    /// The first of these, as its row-major number in the variable.
    pub(super) first_zero: Option<u64>,
    /// Values beyond the bound.
    pub(super) beyond_bound: u64,
    pub(super) max_absolute: f64,
    /// Zeros have no relative error and take no part.
    pub(super) max_relative: f64,
    /// Values with a relative error above [`SPATIAL_TOLERANCE`] (of zeros, the absolute error).
    pub(super) beyond_spatial: u64,
    sum: f64,
    squares: f64,
    pub(super) moments: Moments,
    pub(super) largest: Option<Largest>,
    /// All mantissa bits of rounded values, `or`ed together as those of `f64`.
    mantissas: u64,
    /// Smallest and largest ordinary value of each side.
    pub(super) ranges: [[f64; 2]; 2],
}

impl Default for Errors {
    fn default() -> Self {
        Self {
            values: 0,
            changed: 0,
            lost: 0,
            special: 0,
            special_changed: 0,
            first_special: None,
            zeros_changed: 0,
            first_zero: None,
            beyond_bound: 0,
            max_absolute: 0.0,
            max_relative: 0.0,
            beyond_spatial: 0,
            sum: 0.0,
            squares: 0.0,
            moments: Moments::default(),
            largest: None,
            mantissas: 0,
            ranges: [[f64::INFINITY, f64::NEG_INFINITY]; 2],
        }
    }
}

impl Errors {
    /// Adds ordinary, finite values; what is largest is noted by [`Errors::note_largest`].
    pub(super) fn add(&mut self, original: &[f64], rounded: &[f64], bound: &ErrorBound) {
        let (a, b) = (original, rounded);
        let mut beyond = 0_u64;
        let mut changed = 0_u64;
        for (&x, &y) in a.iter().zip(b) {
            beyond += u64::from(!is_kept(x, y, bound));
            changed += u64::from(x.to_bits() != y.to_bits());
            self.mantissas |= y.to_bits() & MANTISSA;
        }
        self.values += a.len() as u64;
        self.changed += changed;
        self.beyond_bound += beyond;
        self.beyond_spatial += spatial(a, b);
        self.max_absolute = self.max_absolute.max(largest(a, b, |x, y| (y - x).abs()));
        let relative = |x: f64, y: f64| if x == 0.0 { 0.0 } else { ((y - x) / x).abs() };
        self.max_relative = self.max_relative.max(largest(a, b, relative));
        self.sum += sum(a, b, |x, y| y - x);
        self.squares += sum(a, b, |x, y| (y - x) * (y - x));
        self.moments.merge(&Moments::of(a, b));
        for (range, side) in self.ranges.iter_mut().zip([a, b]) {
            for &x in side {
                range[0] = if x < range[0] { x } else { range[0] };
                range[1] = if x > range[1] { x } else { range[1] };
            }
        }
    }

    /// Notes an ordinary value that is not finite any more.
    pub(super) fn add_destroyed(&mut self, bound: &ErrorBound) {
        self.values += 1;
        self.changed += 1;
        self.beyond_bound += u64::from(!bound.is_none());
    }

    /// Keeps the larger error; of equal ones, the first.
    pub(super) fn note_largest(&mut self, other: Option<Largest>) {
        let Some(new) = other else { return };
        let is_larger = self.largest.is_none_or(|known| {
            new.score > known.score || (new.score == known.score && new.element < known.element)
        });
        if is_larger {
            self.largest = Some(new);
        }
    }

    /// Adds what was found elsewhere.
    pub(super) fn merge(&mut self, other: &Self) {
        self.values += other.values;
        self.changed += other.changed;
        self.lost += other.lost;
        self.special += other.special;
        self.special_changed += other.special_changed;
        self.first_special = earlier(self.first_special, other.first_special);
        self.zeros_changed += other.zeros_changed;
        self.first_zero = earlier(self.first_zero, other.first_zero);
        self.beyond_bound += other.beyond_bound;
        self.max_absolute = self.max_absolute.max(other.max_absolute);
        self.max_relative = self.max_relative.max(other.max_relative);
        self.beyond_spatial += other.beyond_spatial;
        self.sum += other.sum;
        self.squares += other.squares;
        self.moments.merge(&other.moments);
        self.note_largest(other.largest);
        self.mantissas |= other.mantissas;
        for (range, others) in self.ranges.iter_mut().zip(&other.ranges) {
            *range = [range[0].min(others[0]), range[1].max(others[1])];
        }
    }

    /// Explicit mantissa bits that the rounded values use, of those that count as significant.
    pub(super) fn used_bits(&self) -> u32 {
        match self.mantissas {
            0 => 0,
            bits => MANTISSA.trailing_ones() - bits.trailing_zeros(),
        }
    }

    /// Root of the mean squared error.
    pub(super) fn rmse(&self) -> f64 {
        (self.squares / self.values.max(1) as f64).sqrt()
    }

    /// Mean error.
    pub(super) fn bias(&self) -> f64 {
        self.sum / self.values.max(1) as f64
    }
}

/// The smaller of two numbers of elements, where there are any.
pub(super) fn earlier(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Whether a value keeps the bound. Differences are computed in `f64`: exact for `float` values
/// whose exponents are less than 30 apart, and for all values within a factor of two; the allowed
/// error is what [`ErrorBound::at`] gives.
pub(super) fn is_kept(original: f64, rounded: f64, bound: &ErrorBound) -> bool {
    bound.is_none() || (rounded - original).abs() <= bound.at(original.abs())
}

/// The error in units of what is allowed, or the absolute error where everything is.
pub(super) fn score(original: f64, rounded: f64, bound: &ErrorBound) -> f64 {
    let error = (rounded - original).abs();
    if bound.is_none() || error == 0.0 {
        return error;
    }
    error / bound.at(original.abs())
}

/// The largest score of a block.
pub(super) fn largest_score(a: &[f64], b: &[f64], bound: &ErrorBound) -> f64 {
    largest(a, b, |x, y| score(x, y, bound))
}

fn spatial(a: &[f64], b: &[f64]) -> u64 {
    let is_beyond = |x: f64, y: f64| {
        let unit = if x == 0.0 { 1.0 } else { x.abs() };
        (y - x).abs() > SPATIAL_TOLERANCE * unit
    };
    let pairs = a.iter().zip(b);
    pairs.map(|(&x, &y)| u64::from(is_beyond(x, y))).sum()
}

/// The largest of a term that is never negative; NaN is passed over.
fn largest(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0_f64; LANES];
    let (blocks_a, rest_a) = a.as_chunks::<LANES>();
    let (blocks_b, rest_b) = b.as_chunks::<LANES>();
    let keep = |lane: &mut f64, value: f64| {
        if value > *lane {
            *lane = value;
        }
    };
    for (block_a, block_b) in blocks_a.iter().zip(blocks_b) {
        for ((lane, &x), &y) in lanes.iter_mut().zip(block_a).zip(block_b) {
            keep(lane, term(x, y));
        }
    }
    for ((lane, &x), &y) in lanes.iter_mut().zip(rest_a).zip(rest_b) {
        keep(lane, term(x, y));
    }
    lanes.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: ErrorBound = ErrorBound {
        absolute: Some(1.0),
        relative: Some(0.1),
        finest_absolute: 0.5,
    };

    #[test]
    fn the_bound_is_kept_to_its_last_digit() {
        for (original, rounded, kept) in [
            (2.0, 2.5, true),
            (2.0, 2.500_000_000_000_001, false),
            (8.0, 8.8, false),
            (8.0, 8.799_999, true),
            (100.0, 101.0, true),
            (100.0, 101.000_000_000_001, false),
            (0.0, 0.5, true),
            (1.0, f64::NAN, false),
            (1.0, f64::INFINITY, false),
        ] {
            assert_eq!(
                is_kept(original, rounded, &BOUND),
                kept,
                "{original} {rounded}"
            );
        }
        assert!(is_kept(1.0, 9.0, &ErrorBound::default()));
    }

    #[test]
    fn errors_are_those_of_the_definitions() {
        let a = [1.0, -2.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let b = [1.0, -2.5, 0.25, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 12.0];
        let mut errors = Errors::default();
        errors.add(&a, &b, &BOUND);
        assert_eq!(
            (errors.values, errors.changed, errors.beyond_bound),
            (10, 3, 1)
        );
        assert_eq!((errors.max_absolute, errors.max_relative), (2.0, 0.25));
        assert_eq!(errors.beyond_spatial, 3);
        assert_eq!(errors.bias(), (2.0 - 0.5 + 0.25) / 10.0);
        assert_eq!(errors.rmse(), ((4.0 + 0.25 + 0.0625) / 10.0_f64).sqrt());
        assert_eq!(errors.ranges, [[-2.0, 10.0], [-2.5, 12.0]]);
        assert_eq!(largest_score(&a, &b, &BOUND), 2.0);
        // 2.5 is 1.01 in binary, times two.
        assert_eq!(errors.used_bits(), 3);
    }
}
