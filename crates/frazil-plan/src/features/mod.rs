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

use frazil_types::{ElementClass, ElementType};

use crate::trial::sample_shape;
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
        let mut counts = Counts::new(element);
        let stored = samples.iter().filter(|sample| !sample.is_empty());
        let of_each = LOOKED_AT / stored.count().max(1);
        for sample in samples {
            counts.add(&Values::middle(sample, element, of_each));
        }
        let lags = lags(samples, element, chunk, counts.fill());
        let [first, second, last, mean] = counts.planes.entropies();
        let looked_at = counts.bits.len().max(1) as f64;
        let share = |count: usize| count as f64 / looked_at;
        Self([
            element.size_bytes as f64,
            f64::from(u8::from(element.class == ElementClass::Float)),
            chunk.iter().filter(|&&length| length > 1).count() as f64,
            share(counts.zeros),
            share(counts.fill().map_or(0, |(_, count)| count)),
            share(counts.repeats),
            share(counts.distinct()),
            counts.trailing_zeros(),
            first,
            second,
            last,
            mean,
            counts.deltas.entropies()[3],
            lags[0],
            lags[1],
            lags[2],
        ])
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

/// What is counted over all samples.
struct Counts {
    width: usize,
    bits: Vec<u64>,
    zeros: usize,
    repeats: usize,
    planes: Planes,
    deltas: Planes,
    /// The commonest value other than 0 with its count, and the number of distinct values.
    found: std::cell::OnceCell<(Option<(u64, usize)>, usize)>,
}

impl Counts {
    fn new(element: ElementType) -> Self {
        let width = values::width(element);
        Self {
            width,
            bits: Vec::new(),
            zeros: 0,
            repeats: 0,
            planes: Planes::new(width),
            deltas: Planes::new(width),
            found: std::cell::OnceCell::new(),
        }
    }

    fn add(&mut self, values: &Values<'_>) {
        let mut before = None;
        for i in 0..values.len() {
            let bits = values.bits(i);
            self.zeros += usize::from(bits == 0);
            self.planes.add(bits);
            if let Some(before) = before {
                self.repeats += usize::from(bits == before);
                self.deltas.add(bits.wrapping_sub(before));
            }
            before = Some(bits);
            self.bits.push(bits);
        }
    }

    fn found(&self) -> (Option<(u64, usize)>, usize) {
        *self
            .found
            .get_or_init(|| commonest_and_distinct(&self.bits))
    }

    fn fill(&self) -> Option<(u64, usize)> {
        self.found().0
    }

    fn distinct(&self) -> usize {
        self.found().1
    }

    fn trailing_zeros(&self) -> f64 {
        let fill = self.fill().map(|(bits, _)| bits);
        let others = self.bits.iter().filter(|&&bits| Some(bits) != fill);
        let used = others.fold(0, |used, bits| used | bits);
        let width = 8 * self.width as u32;
        if self.bits.is_empty() {
            return 0.0;
        }
        f64::from(used.trailing_zeros().min(width)) / f64::from(width)
    }
}

/// Correlations along the fastest, the second and the slowest axis.
fn lags(
    samples: &[Vec<u8>],
    element: ElementType,
    chunk: &[u64],
    fill: Option<(u64, usize)>,
) -> [f64; 3] {
    let fill = fill.map(|(bits, _)| bits);
    let strides = |axis: Axis| -> Vec<Option<usize>> {
        let of_sample = |sample: &Vec<u8>| {
            let values = Values::new(sample, element);
            // Elements that are looked at byte by byte have no axes of their own.
            match values.is_whole() {
                true => axis.stride(&sample_shape(values.len() as u64, chunk)),
                false => (axis == Axis::Fastest).then_some(1),
            }
        };
        samples.iter().map(of_sample).collect()
    };
    let along = |strides: &[Option<usize>]| {
        let of_each = PAIRS / strides.iter().flatten().count().max(1);
        let mut pairs = Vec::with_capacity(PAIRS);
        for (sample, stride) in samples.iter().zip(strides) {
            if let Some(stride) = *stride {
                let values = Values::new(sample, element);
                pairs.extend(values.pairs(stride, of_each, fill));
            }
        }
        correlation(&pairs)
    };
    let [fastest, second, slowest] = [Axis::Fastest, Axis::Second, Axis::Slowest].map(strides);
    let of_second = along(&second);
    let of_slowest = match slowest == second {
        true => of_second,
        false => along(&slowest),
    };
    [along(&fastest), of_second, of_slowest]
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
