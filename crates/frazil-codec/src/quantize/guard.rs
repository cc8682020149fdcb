//! What is never touched, and what nothing may turn into.

use frazil_types::ProtectedValues;

use super::block::{Block, LANES};
use super::word::Word;

/// The protected values of one variable, in its type.
#[derive(Debug, Clone)]
pub(super) struct Guard<W: Word> {
    /// Bit patterns. Equal bits are equal numbers here: NaN is protected anyway, and both zeros
    /// are listed where one is.
    values: Vec<W>,
    /// Closed intervals that stay exact.
    ranges: Vec<[W::Float; 2]>,
    /// Numbers outside this closed interval are not data.
    valid: Option<[W::Float; 2]>,
}

impl<W: Word> Guard<W> {
    /// Takes the protected values into the type. NaN as an end of `valid` means no end; a range
    /// with a NaN end or with its ends exchanged is empty.
    pub(super) fn new(protected: &ProtectedValues) -> Self {
        let mut values: Vec<W> = Vec::new();
        for word in protected.values.iter().map(|value| W::from_f64(*value)) {
            let zero = word & W::MAGNITUDE == W::default();
            let both_zeros = [W::default(), !W::MAGNITUDE];
            let words = if zero { &both_zeros[..] } else { &[word] };
            let new = words.iter().filter(|word| !word.is_not_finite());
            values.extend(new);
        }
        values.sort_unstable();
        values.dedup();
        let inside =
            |[low, high]: &[f64; 2]| [W::float_from_below(*low), W::float_from_above(*high)];
        let or = |end: f64, otherwise| if end.is_nan() { otherwise } else { end };
        Self {
            values,
            ranges: protected.ranges.iter().map(inside).collect(),
            valid: protected
                .valid
                .map(|[low, high]| inside(&[or(low, f64::NEG_INFINITY), or(high, f64::INFINITY)])),
        }
    }

    /// Takes back what rounding did to protected values, and what would turn data into a
    /// protected or infinite value.
    #[inline(always)]
    pub(super) fn restore(&self, original: &Block<W>, rounded: &mut Block<W>) {
        restore_where(original, rounded, |x, y| !x.is_normal() | y.is_not_finite());
        for &value in &self.values {
            restore_where(original, rounded, |x, y| (x == value) | (y == value));
        }
        for range in &self.ranges {
            restore_where(original, rounded, |x, y| {
                within(x, range) | within(y, range)
            });
        }
        if let Some(valid) = &self.valid {
            restore_where(original, rounded, |x, y| {
                !within(x, valid) | !within(y, valid)
            });
        }
    }

    /// The magnitudes of the ordinary values, zero in place of the protected ones.
    #[inline(always)]
    pub(super) fn ordinary(&self, original: &Block<W>, magnitudes: &mut Block<W>) {
        for i in 0..LANES {
            let normal = original[i].is_normal();
            magnitudes[i] = select(normal, original[i] & W::MAGNITUDE, W::default());
        }
        for &value in &self.values {
            clear_where(original, magnitudes, |x| x == value);
        }
        for range in &self.ranges {
            clear_where(original, magnitudes, |x| within(x, range));
        }
        if let Some(valid) = &self.valid {
            clear_where(original, magnitudes, |x| !within(x, valid));
        }
    }
}

#[inline(always)]
fn select<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

#[inline(always)]
fn within<W: Word>(word: W, [low, high]: &[W::Float; 2]) -> bool {
    (word.float() >= *low) & (word.float() <= *high)
}

#[inline(always)]
fn restore_where<W: Word>(x: &Block<W>, y: &mut Block<W>, keeps: impl Fn(W, W) -> bool) {
    for i in 0..LANES {
        y[i] = select(keeps(x[i], y[i]), x[i], y[i]);
    }
}

#[inline(always)]
fn clear_where<W: Word>(x: &Block<W>, magnitudes: &mut Block<W>, clears: impl Fn(W) -> bool) {
    for i in 0..LANES {
        magnitudes[i] = select(clears(x[i]), W::default(), magnitudes[i]);
    }
}
