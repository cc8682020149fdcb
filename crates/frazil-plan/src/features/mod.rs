//! What a few sampled chunks say about data, in numbers that a decision tree can ask for.
//!
//! Everything is counted on at most [`LOOKED_AT`] elements, of each sample an equal part from its
//! middle, and so takes less than a millisecond for a variable; the same samples give the same numbers
//! everywhere.
//!
//! | feature | unit | what it is |
//! |---|---|---|
//! | `element_bytes` | bytes | size of an element |
//! | `is_float` | 0 or 1 | whether elements are floating-point numbers |
//! | `rank` | axes | axes of the chunk that are longer than 1 |
//! | `zero_fraction` | share | elements whose bits are all 0 |
//! | `fill_fraction` | share | elements that hold the commonest value other than 0 |
//! | `repeat_fraction` | share | elements equal to the one before |
//! | `distinct_fraction` | share | distinct values by elements |
//! | `trailing_zeros` | share | low bits that are 0 in every element but the commonest value, by all bits |
//! | `entropy_first` | bits | entropy of the most significant byte: −Σ p log₂ p over its 256 values |
//! | `entropy_second` | bits | the same of the byte after it (of single bytes: of the only one) |
//! | `entropy_last` | bits | the same of the least significant byte |
//! | `entropy_mean` | bits | mean over all bytes of the element |
//! | `delta_entropy` | bits | the same mean, of differences between neighbours (bits as integers, modulo 2ⁿ) |
//! | `lag_fastest` | −1 to 1 | correlation of neighbours along the fastest axis |
//! | `lag_second` | −1 to 1 | along the second fastest axis longer than 1; 0 without one |
//! | `lag_slowest` | −1 to 1 | along the slowest of three and more such axes; else as `lag_second` |
//!
//! Correlations are Pearson's, Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²), over pairs of values that are finite,
//! below 10¹⁵ in magnitude and not the commonest value other than 0; where values do not vary they are 1.
//! Elements that are not of 1, 2, 4 or 8 bytes are looked at byte by byte.

mod statistics;
mod values;

use std::cell::OnceCell;

use frazil_types::{ElementClass, ElementType};

use crate::sample::sample_shape;
use statistics::{Planes, commonest_and_distinct, correlation};
use values::Values;

/// Elements that are looked at, of all samples together.
pub const LOOKED_AT: usize = 8192;

/// Pairs of neighbours along an axis that a correlation is taken over, of all samples together.
const PAIRS: usize = 4096;

/// Names of all features, in the order of [`Features::values`].
pub const FEATURE_NAMES: [&str; 16] = [
    "element_bytes",
    "is_float",
    "rank",
    "zero_fraction",
    "fill_fraction",
    "repeat_fraction",
    "distinct_fraction",
    "trailing_zeros",
    "entropy_first",
    "entropy_second",
    "entropy_last",
    "entropy_mean",
    "delta_entropy",
    "lag_fastest",
    "lag_second",
    "lag_slowest",
];

/// What samples of a variable say about it; see the module's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features([f64; FEATURE_NAMES.len()]);

impl Features {
    /// Counts on samples, runs of whole elements in the file's byte order, of chunks of `chunk`
    /// elements (slowest axis first; empty if the shape is not known). Without a single element all
    /// but `element_bytes`, `is_float` and `rank` are 0.
    #[must_use]
    pub fn of(samples: &[Vec<u8>], element: ElementType, chunk: &[u64]) -> Self {
        let counted = Counted::new(samples, element, chunk);
        Self(FEATURE_NAMES.map(|name| counted.feature(name).unwrap_or(0.0)))
    }

    /// Features as they were counted before, in the order of [`FEATURE_NAMES`].
    #[must_use]
    pub fn from_values(values: [f64; FEATURE_NAMES.len()]) -> Self {
        Self(values)
    }

    /// All values, in the order of [`FEATURE_NAMES`].
    #[must_use]
    pub fn values(&self) -> &[f64; FEATURE_NAMES.len()] {
        &self.0
    }

    /// The feature of that name; `None` if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        let at = FEATURE_NAMES.iter().position(|&known| known == name)?;
        Some(self.0[at])
    }
}

/// The commonest value other than 0 with its count, and the number of distinct values.
type Common = (Option<(u64, usize)>, usize);

/// Samples of a variable, of which only what is asked for is counted: of small variables counting
/// everything takes as long as packing some of them.
pub(crate) struct Counted<'a> {
    samples: &'a [Vec<u8>],
    element: ElementType,
    chunk: &'a [u64],
    /// The bits of what is looked at of each sample.
    middles: OnceCell<Vec<Vec<u64>>>,
    common: OnceCell<Common>,
    /// Of the first byte, the second, the last, and the mean.
    entropies: OnceCell<[f64; 4]>,
}

impl<'a> Counted<'a> {
    /// As [`Features::of`].
    pub(crate) fn new(samples: &'a [Vec<u8>], element: ElementType, chunk: &'a [u64]) -> Self {
        Self {
            samples,
            element,
            chunk,
            middles: OnceCell::new(),
            common: OnceCell::new(),
            entropies: OnceCell::new(),
        }
    }

    /// The feature of that name; `None` if there is none.
    pub(crate) fn feature(&self, name: &str) -> Option<f64> {
        let entropy = |at: usize| self.entropies.get_or_init(|| self.entropies())[at];
        Some(match name {
            "element_bytes" => self.element.size_bytes as f64,
            "is_float" => f64::from(u8::from(self.element.class == ElementClass::Float)),
            "rank" => self.chunk.iter().filter(|&&length| length > 1).count() as f64,
            "zero_fraction" => self.share(self.bits().filter(|&bits| bits == 0).count()),
            "fill_fraction" => self.share(self.common().0.map_or(0, |(_, count)| count)),
            "repeat_fraction" => {
                let repeats = self.neighbours().filter(|(one, next)| one == next);
                self.share(repeats.count())
            }
            "distinct_fraction" => self.share(self.common().1),
            "trailing_zeros" => self.trailing_zeros(),
            "entropy_first" => entropy(0),
            "entropy_second" => entropy(1),
            "entropy_last" => entropy(2),
            "entropy_mean" => entropy(3),
            "delta_entropy" => self.delta_entropy(),
            "lag_fastest" => self.lag(Axis::Fastest),
            "lag_second" => self.lag(Axis::Second),
            "lag_slowest" => self.lag(Axis::Slowest),
            _ => return None,
        })
    }

    /// What is looked at of each sample, as bits.
    fn middles(&self) -> &[Vec<u64>] {
        self.middles.get_or_init(|| {
            let stored = self.samples.iter().filter(|sample| !sample.is_empty());
            let of_each = LOOKED_AT / stored.count().max(1);
            let middle =
                |sample: &'a Vec<u8>| Values::middle(sample, self.element, of_each).all_bits();
            self.samples.iter().map(middle).collect()
        })
    }

    /// All values that are looked at, as bits.
    fn bits(&self) -> impl Iterator<Item = u64> {
        self.middles().iter().flatten().copied()
    }

    /// All pairs of values that lie behind each other.
    fn neighbours(&self) -> impl Iterator<Item = (u64, u64)> {
        let middles = self.middles().iter();
        middles.flat_map(|bits| bits.windows(2).map(|pair| (pair[0], pair[1])))
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.looked_at().max(1) as f64
    }

    /// How many values are looked at.
    fn looked_at(&self) -> usize {
        self.middles().iter().map(Vec::len).sum()
    }

    fn common(&self) -> Common {
        *self
            .common
            .get_or_init(|| commonest_and_distinct(self.bits(), self.looked_at()))
    }

    fn trailing_zeros(&self) -> f64 {
        let fill = self.common().0.map(|(bits, _)| bits);
        let others = self.bits().filter(|&bits| Some(bits) != fill);
        let used = others.fold(0, |used, bits| used | bits);
        let width = 8 * values::width(self.element) as u32;
        match self.middles().iter().all(Vec::is_empty) {
            true => 0.0,
            false => f64::from(used.trailing_zeros().min(width)) / f64::from(width),
        }
    }

    fn entropies(&self) -> [f64; 4] {
        let mut planes = Planes::new(values::width(self.element));
        for bits in self.middles() {
            planes.add(bits.iter().copied());
        }
        planes.entropies()
    }

    fn delta_entropy(&self) -> f64 {
        let mut deltas = Planes::new(values::width(self.element));
        for bits in self.middles() {
            deltas.add(bits.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])));
        }
        deltas.entropies()[3]
    }

    /// The correlation along an axis.
    fn lag(&self, axis: Axis) -> f64 {
        let fill = self.common().0.map(|(bits, _)| bits);
        let of_sample = |sample: &'a Vec<u8>| {
            let values = Values::new(sample, self.element);
            // Elements that are looked at byte by byte have no axes of their own.
            let stride = match values.is_whole() {
                true => axis.stride(&sample_shape(values.len() as u64, self.chunk)),
                false => (axis == Axis::Fastest).then_some(1),
            };
            Some((values, stride?))
        };
        let placed: Vec<(Values<'_>, usize)> = self.samples.iter().filter_map(of_sample).collect();
        let of_each = PAIRS / placed.len().max(1);
        let mut pairs = Vec::with_capacity(PAIRS);
        for (values, stride) in &placed {
            values.add_pairs(*stride, of_each, fill, &mut pairs);
        }
        correlation(&pairs)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Fastest,
    Second,
    Slowest,
}

impl Axis {
    /// Elements between neighbours along it in an array of `shape`; `None` if there is no such axis.
    fn stride(self, shape: &[u64]) -> Option<usize> {
        let mut strides = Vec::new();
        let mut stride = 1_u64;
        for &length in shape.iter().rev() {
            if length > 1 {
                strides.push(stride);
            }
            stride = stride.saturating_mul(length);
        }
        let found = match self {
            Self::Fastest => strides.first(),
            Self::Second => strides.get(1),
            Self::Slowest => strides.get(1..)?.last(),
        };
        usize::try_from(*found?).ok()
    }
}

#[cfg(test)]
mod tests;
