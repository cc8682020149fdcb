//! The independent check of rounded values, before they are written.
//!
//! Written apart from the kernels: everything here is arithmetic in double precision on the values
//! themselves, with the plan's own words, so that a mistake in the one cannot hide in the other.

use frazil_types::{ByteOrder, ElementType, ErrorBound, QuantizePlan};

use super::implied::{implied_absolute_bound, implied_relative_bound};
use super::limits::{Precision, precision};
use crate::error::CodecError;
use crate::simd::{Kernel, Simd};

/// Values looked at together.
const LANES: usize = 256;

/// What a plan promises of every value, bound to an element type; shared by all threads.
#[derive(Debug, Clone)]
pub struct ErrorCheck {
    promise: Promise,
    precision: Precision,
    order: ByteOrder,
}

/// How far rounded values lie from their originals.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ErrorStats {
    /// Values that changed.
    pub changed: u64,
    /// Largest |original - rounded|.
    pub max_absolute_error: f64,
    /// Largest |original - rounded| / |original|.
    pub max_relative_error: f64,
}

impl ErrorStats {
    /// Adds what was found in another part of the variable.
    pub fn merge(&mut self, other: &Self) {
        self.changed += other.changed;
        self.max_absolute_error = self.max_absolute_error.max(other.max_absolute_error);
        self.max_relative_error = self.max_relative_error.max(other.max_relative_error);
    }
}

impl ErrorCheck {
    /// Binds a plan's promises to the elements of a variable: the stated bound, the error that the
    /// algorithm makes at most, and the protected values.
    ///
    /// # Errors
    /// [`CodecError::InvalidParameters`] if the elements are not float32 or float64.
    pub fn bind(plan: &QuantizePlan, element: ElementType) -> Result<Self, CodecError> {
        let precision = precision(element)?;
        let (mantissa_bits, least_normal) = match precision {
            Precision::Single => (23, f64::from(f32::MIN_POSITIVE)),
            Precision::Double => (52, f64::MIN_POSITIVE),
        };
        let in_type = |value: &f64| match precision {
            Precision::Single => f64::from(*value as f32),
            Precision::Double => *value,
        };
        let implied = ErrorBound {
            absolute: implied_absolute_bound(&plan.rounding, mantissa_bits),
            relative: implied_relative_bound(&plan.rounding),
            finest_absolute: 0.0,
        };
        let protected = &plan.protected;
        let mut values = protected.values.iter().map(in_type);
        let mut first = || values.next().unwrap_or(f64::NAN);
        let first_values = [first(), first()];
        let bounds = [plan.bound, implied].map(Limit::new);
        Ok(Self {
            promise: Promise {
                strictest: Limit::below(bounds),
                bounds,
                first_values,
                more_values: values.collect(),
                ranges: protected.ranges.clone(),
                valid: protected
                    .valid
                    .unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
                least_normal,
            },
            precision,
            order: element.order,
        })
    }

    /// Compares rounded values with their originals, both in the byte order of the file.
    ///
    /// # Errors
    /// [`CodecError::BoundExceeded`] at the first value that lies further from its original than
    /// promised, is protected and changed, or became infinite, NaN or protected;
    /// [`CodecError::WrongSize`] if there are not as many bytes of one as of the other.
    pub fn check(&self, original: &[u8], rounded: &[u8]) -> Result<ErrorStats, CodecError> {
        let element_bytes = match self.precision {
            Precision::Single => 4,
            Precision::Double => 8,
        };
        if rounded.len() != original.len() || !original.len().is_multiple_of(element_bytes) {
            return Err(CodecError::WrongSize {
                got: rounded.len(),
                expected: original.len() - original.len() % element_bytes,
            });
        }
        let simd = Simd::detect();
        let promise = &self.promise;
        match (self.precision, self.order == ByteOrder::Big) {
            (Precision::Single, false) => simd.run(Comparison::<4, _> {
                original,
                rounded,
                promise,
                number: |bytes| f64::from(f32::from_le_bytes(bytes)),
            }),
            (Precision::Single, true) => simd.run(Comparison::<4, _> {
                original,
                rounded,
                promise,
                number: |bytes| f64::from(f32::from_be_bytes(bytes)),
            }),
            (Precision::Double, false) => simd.run(Comparison::<8, _> {
                original,
                rounded,
                promise,
                number: f64::from_le_bytes,
            }),
            (Precision::Double, true) => simd.run(Comparison::<8, _> {
                original,
                rounded,
                promise,
                number: f64::from_be_bytes,
            }),
        }
    }
}

/// One bound with nothing optional in it.
#[derive(Debug, Clone, Copy)]
struct Limit {
    absolute: f64,
    relative: f64,
    finest_absolute: f64,
}

impl Limit {
    fn new(bound: ErrorBound) -> Self {
        Self {
            absolute: bound.absolute.unwrap_or(f64::INFINITY),
            relative: bound.relative.unwrap_or(f64::INFINITY),
            finest_absolute: bound.finest_absolute,
        }
    }

    /// One that allows no more than either of two, and nothing infinite.
    fn below([a, b]: [Self; 2]) -> Self {
        Self {
            absolute: smaller(smaller(a.absolute, b.absolute), f64::MAX),
            relative: smaller(a.relative, b.relative),
            finest_absolute: smaller(a.finest_absolute, b.finest_absolute),
        }
    }

    /// [`ErrorBound::at`], in a form that vectorises.
    #[inline(always)]
    fn at(&self, magnitude: f64) -> f64 {
        smaller(
            larger(self.relative * magnitude, self.finest_absolute),
            self.absolute,
        )
    }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// What is promised of every value, in double precision.
#[derive(Debug, Clone)]
struct Promise {
    bounds: [Limit; 2],
    /// Whoever keeps this one keeps both.
    strictest: Limit,
    /// The first two protected values, NaN where there are none.
    first_values: [f64; 2],
    /// The others, and the protected ranges: the rest of what is protected.
    more_values: Vec<f64>,
    ranges: Vec<[f64; 2]>,
    /// What is outside is no data.
    valid: [f64; 2],
    least_normal: f64,
}

/// A number for each value of a block.
type Block = [f64; LANES];

impl Promise {
    /// The largest error allowed to a value; none that it could have if it must not change.
    #[inline(always)]
    fn allowed(&self, x: f64, y: f64) -> f64 {
        let [stated, implied] = &self.bounds;
        let [a, b] = self.first_values;
        let magnitude = x.abs();
        // NaN fails all comparisons.
        let ordinary = (magnitude >= self.least_normal) & (magnitude < f64::INFINITY);
        let protected = (x == a) | (x == b) | (y == a) | (y == b);
        let [low, high] = self.valid;
        let invalid = (x < low) | (x > high) | (y < low) | (y > high);
        let finite = y.abs() < f64::INFINITY;
        let changeable = ordinary & finite & !protected & !invalid;
        let error = smaller(stated.at(magnitude), implied.at(magnitude));
        if changeable { error } else { EXACT }
    }

    /// Whether only the first values are protected, and every finite number is data.
    fn is_short(&self) -> bool {
        let has_rest = !self.more_values.is_empty() || !self.ranges.is_empty();
        !has_rest && self.valid == [f64::NEG_INFINITY, f64::INFINITY]
    }

    /// Whether the rest protects a number.
    #[inline(always)]
    fn rest_protects(&self, number: f64) -> bool {
        let value = |value: &f64| number == *value;
        let range = |[low, high]: &[f64; 2]| (number >= *low) & (number <= *high);
        self.more_values.iter().any(value) || self.ranges.iter().any(range)
    }
}

/// Stands for "must not change" among allowed errors: no error is as small.
const EXACT: f64 = -1.0;

/// The comparison of two arrays of elements of `BYTES` bytes.
struct Comparison<'a, const BYTES: usize, F> {
    original: &'a [u8],
    rounded: &'a [u8],
    promise: &'a Promise,
    /// An element's value.
    number: F,
}

/// The bytes of a block of elements.
type Elements<const BYTES: usize> = [[u8; BYTES]; LANES];

impl<const BYTES: usize, F: Fn([u8; BYTES]) -> f64> Kernel for Comparison<'_, BYTES, F> {
    type Output = Result<ErrorStats, CodecError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut collected = Collected::new();
        let (original, original_rest) = blocks(self.original);
        let (rounded, rounded_rest) = blocks(self.rounded);
        let is_short = self.promise.is_short();
        for (block, (x, y)) in original.iter().zip(rounded).enumerate() {
            if x != y && !(is_short && self.passes(x, y, &mut collected)) {
                self.compare(block, x, y, &mut collected)?;
            }
        }
        // What lies beyond the end is zero in both, hence unchanged.
        let (x, y) = (padded(original_rest), padded(rounded_rest));
        self.compare(original.len(), &x, &y, &mut collected)?;
        Ok(collected.stats())
    }
}

impl<const BYTES: usize, F: Fn([u8; BYTES]) -> f64> Comparison<'_, BYTES, F> {
    /// Collects the errors of a block that has nothing special, most of all no larger relative error than
    /// blocks before it; `false`: it may have, and nothing was done.
    #[inline(always)]
    fn passes(
        &self,
        original: &Elements<BYTES>,
        rounded: &Elements<BYTES>,
        collected: &mut Collected,
    ) -> bool {
        collected.take(original, rounded, &self.number);
        let changed = original.iter().zip(rounded);
        let changed: u32 = changed.map(|(x, y)| u32::from(x != y)).sum();
        collected.add_if_plain(self.promise, changed)
    }

    /// Collects the errors of one block.
    #[inline(always)]
    fn compare(
        &self,
        block: usize,
        original: &Elements<BYTES>,
        rounded: &Elements<BYTES>,
        collected: &mut Collected,
    ) -> Result<(), CodecError> {
        collected.take(original, rounded, &self.number);
        let changed = collected.changed.iter_mut();
        for (changed, (x, y)) in changed.zip(original.iter().zip(rounded)) {
            *changed = if x == y { 0.0 } else { 1.0 };
        }
        if !self.promise.more_values.is_empty() || !self.promise.ranges.is_empty() {
            collected.protect_rest(self.promise);
        }
        collected.compare(self.promise);
        match collected.add() {
            None => Ok(()),
            Some(i) => Err(CodecError::BoundExceeded {
                index: block * LANES + i,
                original: collected.x[i],
                rounded: collected.y[i],
                bound: collected.allowed(i, self.promise),
            }),
        }
    }
}

/// Whole blocks of elements, and the bytes after them.
fn blocks<const BYTES: usize>(bytes: &[u8]) -> (&[Elements<BYTES>], &[[u8; BYTES]]) {
    bytes.as_chunks::<BYTES>().0.as_chunks::<LANES>()
}

fn padded<const BYTES: usize>(elements: &[[u8; BYTES]]) -> Elements<BYTES> {
    let mut block = [[0; BYTES]; LANES];
    for (to, from) in block.iter_mut().zip(elements) {
        *to = *from;
    }
    block
}

/// What is collected, and the numbers of one block.
struct Collected {
    /// [`CHANGED`], [`ABSOLUTE`], [`RELATIVE`].
    stats: [Lanes; 3],
    /// The original values.
    x: Block,
    /// The rounded values.
    y: Block,
    /// 1 where a value must not change because of the rest of what is protected.
    exact: Block,
    /// 1 where a value has a larger error than allowed.
    wrong: Block,
    /// 1 where a value changed.
    changed: Block,
    errors: Block,
    shares: Block,
}

/// Among the statistics: how many values changed, and the largest errors.
const CHANGED: usize = 0;
const ABSOLUTE: usize = 1;
const RELATIVE: usize = 2;

/// A few independent sums or maxima: one alone would make every step wait for the one before.
type Lanes = [f64; 16];

impl Collected {
    fn new() -> Self {
        let none = [0.0; LANES];
        Self {
            stats: [[0.0; 16]; 3],
            x: none,
            y: none,
            exact: none,
            wrong: none,
            changed: none,
            errors: none,
            shares: none,
        }
    }

    /// Takes the numbers of a block.
    #[inline(always)]
    fn take<const BYTES: usize>(
        &mut self,
        original: &Elements<BYTES>,
        rounded: &Elements<BYTES>,
        number: impl Fn([u8; BYTES]) -> f64,
    ) {
        for (x, element) in self.x.iter_mut().zip(original) {
            *x = number(*element);
        }
        for (y, element) in self.y.iter_mut().zip(rounded) {
            *y = number(*element);
        }
    }

    /// Adds the numbers of a block if all are surely within what is promised, and none has a larger relative
    /// error than was seen: the division, and whatever else is rare, is for the others. `changed`:
    /// how many elements are other bytes.
    #[inline(always)]
    fn add_if_plain(&mut self, promise: &Promise, changed: u32) -> bool {
        let [a, b] = promise.first_values;
        // Less by more than what a product and a quotient are rounded by.
        let seen = largest(&self.stats[RELATIVE]) * (1.0 - 8.0 * f64::EPSILON);
        let (mut doubts, mut changed_numbers) = (0_u64, 0_u64);
        for i in 0..LANES {
            let (x, y) = (self.x[i], self.y[i]);
            let magnitude = x.abs();
            // NaN, or zero, where nothing changed.
            let error = (x - y).abs();
            let is_changed = x.to_bits() != y.to_bits();
            let within =
                (error <= promise.strictest.at(magnitude)) & (magnitude >= promise.least_normal);
            let protected = (x == a) | (x == b) | (y == a) | (y == b);
            doubts |= u64::from(is_changed & (!within | protected) | (error > seen * magnitude));
            changed_numbers += u64::from(is_changed);
            self.errors[i] = error;
        }
        // NaN of other bits may be the same number.
        if doubts != 0 || changed_numbers != u64::from(changed) {
            return false;
        }
        self.stats[CHANGED][0] += f64::from(changed);
        fold(&mut self.stats[ABSOLUTE], &self.errors, larger);
        true
    }

    /// Finds what must not change because of the rest of what is protected.
    #[inline(always)]
    fn protect_rest(&mut self, promise: &Promise) {
        for i in 0..LANES {
            let exact = promise.rest_protects(self.x[i]) | promise.rest_protects(self.y[i]);
            self.exact[i] = if exact { 1.0 } else { 0.0 };
        }
    }

    /// Finds the errors of the block.
    #[inline(always)]
    fn compare(&mut self, promise: &Promise) {
        for i in 0..LANES {
            let (x, y) = (self.x[i], self.y[i]);
            let is_changed = self.changed[i] != 0.0;
            let difference = (x - y).abs();
            // Not the same as ">": an error that is NaN is not within any bound.
            let within = difference <= promise.allowed(x, y);
            let wrong = is_changed & (!within | (self.exact[i] != 0.0));
            let error = if is_changed { difference } else { 0.0 };
            self.wrong[i] = if wrong { 1.0 } else { 0.0 };
            self.errors[i] = error;
            // NaN where a zero or a NaN did not change.
            self.shares[i] = error / x.abs();
        }
    }

    /// The largest error allowed to one value of the block.
    fn allowed(&self, i: usize, promise: &Promise) -> f64 {
        match self.exact[i] != 0.0 {
            true => 0.0,
            false => promise.allowed(self.x[i], self.y[i]).max(0.0),
        }
    }

    /// Adds the numbers of the block. Returns the first value with a larger error than allowed.
    #[inline(always)]
    fn add(&mut self) -> Option<usize> {
        let mut wrong = [0.0; 16];
        fold(&mut wrong, &self.wrong, larger);
        if wrong != [0.0; 16] {
            return self.wrong.iter().position(|wrong| *wrong != 0.0);
        }
        let [changed, absolute, relative] = &mut self.stats;
        fold(changed, &self.changed, |number, sum| number + sum);
        fold(absolute, &self.errors, larger);
        fold(relative, &self.shares, larger);
        None
    }

    fn stats(&self) -> ErrorStats {
        let [changed, absolute, relative] = &self.stats;
        ErrorStats {
            changed: changed.iter().sum::<f64>() as u64,
            max_absolute_error: largest(absolute),
            max_relative_error: largest(relative),
        }
    }
}

#[inline(always)]
fn largest(lanes: &Lanes) -> f64 {
    lanes.iter().copied().fold(0.0, larger)
}

#[inline(always)]
fn fold(lanes: &mut Lanes, numbers: &Block, step: impl Fn(f64, f64) -> f64) {
    let mut folded = *lanes;
    for numbers in numbers.as_chunks::<16>().0 {
        for j in 0..16 {
            folded[j] = step(numbers[j], folded[j]);
        }
    }
    *lanes = folded;
}
