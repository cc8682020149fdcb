//! What is never touched, and what nothing may turn into.

use frazil_types::ProtectedValues;

use super::block::{Block, LANES};
use super::word::Word;

/// The protected values of one variable, in its type.
#[derive(Debug, Clone)]
pub(super) struct Guard<W: Word> {
    /// Bit patterns. Equal bits are equal numbers here: NaN is protected anyway, and both zeros
    /// are listed where one is. The first two, infinite where there are none, cost no loop of
    /// their own.
    first_values: [W; 2],
    more_values: Vec<W>,
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
        let mut values = values.into_iter();
        let mut first = || values.next().unwrap_or(W::INFINITY);
        Self {
            first_values: [first(), first()],
            more_values: values.collect(),
            ranges: protected.ranges.iter().map(inside).collect(),
            valid: protected
                .valid
                .map(|[low, high]| inside(&[or(low, f64::NEG_INFINITY), or(high, f64::INFINITY)])),
        }
    }

    /// Two words that stay as they are; infinite where there are none.
    pub(super) fn first_values(&self) -> [W; 2] {
        self.first_values
    }

    /// Marks with all bits set what has to stay as it was: protected values, and values that
    /// rounding would turn into protected or infinite ones.
    #[inline(always)]
    pub(super) fn keep(&self, x: &Block<W>, y: &Block<W>, keep: &mut Block<W>) {
        let [a, b] = self.first_values;
        for i in 0..LANES {
            let (x, y) = (x[i], y[i]);
            let protected = !x.is_normal() | (x == a) | (x == b);
            keep[i] = W::mask(protected | y.is_not_finite() | (y == a) | (y == b));
        }
        for &value in &self.more_values {
            mark(x, y, keep, |x, y| (x == value) | (y == value));
        }
        for range in &self.ranges {
            mark(x, y, keep, |x, y| within(x, range) | within(y, range));
        }
        if let Some(valid) = &self.valid {
            mark(x, y, keep, |x, y| !within(x, valid) | !within(y, valid));
        }
    }

    /// The magnitudes of the ordinary values, zero in place of the protected ones.
    #[inline(always)]
    pub(super) fn ordinary(&self, original: &Block<W>, magnitudes: &mut Block<W>) {
        let mut keep = [W::default(); LANES];
        self.keep(original, original, &mut keep);
        for i in 0..LANES {
            magnitudes[i] = original[i] & W::MAGNITUDE & !keep[i];
        }
    }
}

#[inline(always)]
fn within<W: Word>(word: W, [low, high]: &[W::Float; 2]) -> bool {
    (word.float() >= *low) & (word.float() <= *high)
}

#[inline(always)]
fn mark<W: Word>(x: &Block<W>, y: &Block<W>, keep: &mut Block<W>, stays: impl Fn(W, W) -> bool) {
    // From a copy: a conditional change in place becomes masked stores, which are slow.
    let marked = *keep;
    for i in 0..LANES {
        keep[i] = marked[i] | W::mask(stays(x[i], y[i]));
    }
}
