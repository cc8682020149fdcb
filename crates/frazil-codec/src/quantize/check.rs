//! The independent check of rounded values, before they are written.
//!
//! Written apart from the kernels: everything here is arithmetic in double precision on the values
//! themselves, with the plan's own words, so that a mistake in the one cannot hide in the other.

use frazil_types::{ByteOrder, ElementType, ErrorBound, ProtectedValues, QuantizePlan};

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
        Ok(Self {
            promise: Promise {
                bounds: [plan.bound, implied].map(Limit::new),
                protected: ProtectedValues {
                    values: protected.values.iter().map(in_type).collect(),
                    ranges: protected.ranges.clone(),
                    valid: protected.valid,
                },
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

#[derive(Debug, Clone)]
struct Promise {
    bounds: [Limit; 2],
    protected: ProtectedValues,
    least_normal: f64,
}

/// Stands for "must not change" among allowed errors: no error is as small.
const EXACT: f64 = -1.0;

impl Promise {
    /// The errors allowed to a block of values.
    #[inline(always)]
    fn allow(&self, x: &[f64; LANES], y: &[f64; LANES], allowed: &mut [f64; LANES]) {
        let [stated, implied] = &self.bounds;
        for i in 0..LANES {
            let magnitude = x[i].abs();
            let error = smaller(stated.at(magnitude), implied.at(magnitude));
            // NaN fails both comparisons.
            let ordinary = (magnitude >= self.least_normal) & (magnitude < f64::INFINITY);
            let finite = y[i].abs() < f64::INFINITY;
            allowed[i] = if ordinary & finite { error } else { EXACT };
        }
        for value in &self.protected.values {
            forbid(x, y, allowed, |number| number == *value);
        }
        for [low, high] in &self.protected.ranges {
            forbid(x, y, allowed, |number| (number >= *low) & (number <= *high));
        }
        if let Some([low, high]) = &self.protected.valid {
            forbid(x, y, allowed, |number| (number < *low) | (number > *high));
        }
    }
}

/// Allows no change from or to a number of this kind.
#[inline(always)]
fn forbid(
    x: &[f64; LANES],
    y: &[f64; LANES],
    allowed: &mut [f64; LANES],
    protected: impl Fn(f64) -> bool,
) {
    for i in 0..LANES {
        let exact = protected(x[i]) | protected(y[i]);
        allowed[i] = if exact { EXACT } else { allowed[i] };
    }
}

/// The comparison of two arrays of elements of `BYTES` bytes.
struct Comparison<'a, const BYTES: usize, F> {
    original: &'a [u8],
    rounded: &'a [u8],
    promise: &'a Promise,
    /// An element's value.
    number: F,
}

/// What is collected: one number for each place in a block, which vectorises.
struct Collected {
    changed: [f64; LANES],
    absolute: [f64; LANES],
    relative: [f64; LANES],
}

impl<const BYTES: usize, F: Fn([u8; BYTES]) -> f64> Kernel for Comparison<'_, BYTES, F> {
    type Output = Result<ErrorStats, CodecError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut collected = Collected {
            changed: [0.0; LANES],
            absolute: [0.0; LANES],
            relative: [0.0; LANES],
        };
        let mut allowed = [0.0; LANES];
        let blocks = self.original.chunks(LANES * BYTES);
        let blocks = blocks.zip(self.rounded.chunks(LANES * BYTES));
        for (block, (original, rounded)) in blocks.enumerate() {
            if original == rounded {
                continue;
            }
            let changed = self.changed(original, rounded);
            let (x, y) = (self.numbers(original), self.numbers(rounded));
            self.promise.allow(&x, &y, &mut allowed);
            if collected.add(&x, &y, &changed, &allowed) {
                return Err(first_exceeded(block * LANES, [&x, &y, &changed, &allowed]));
            }
        }
        Ok(collected.stats())
    }
}

impl<const BYTES: usize, F: Fn([u8; BYTES]) -> f64> Comparison<'_, BYTES, F> {
    #[inline(always)]
    fn numbers(&self, bytes: &[u8]) -> [f64; LANES] {
        let mut numbers = [0.0; LANES];
        let elements = bytes.as_chunks::<BYTES>().0;
        for (number, element) in numbers.iter_mut().zip(elements) {
            *number = (self.number)(*element);
        }
        numbers
    }

    /// 1 where the bytes of an element differ, else 0.
    #[inline(always)]
    fn changed(&self, original: &[u8], rounded: &[u8]) -> [f64; LANES] {
        let mut changed = [0.0; LANES];
        let original = original.as_chunks::<BYTES>().0;
        let rounded = rounded.as_chunks::<BYTES>().0;
        for (changed, (x, y)) in changed.iter_mut().zip(original.iter().zip(rounded)) {
            *changed = if x == y { 0.0 } else { 1.0 };
        }
        changed
    }
}

impl Collected {
    /// Adds a block. True if a value has a larger error than allowed.
    #[inline(always)]
    fn add(
        &mut self,
        x: &[f64; LANES],
        y: &[f64; LANES],
        changed: &[f64; LANES],
        allowed: &[f64; LANES],
    ) -> bool {
        let mut exceeded = false;
        for i in 0..LANES {
            let is_changed = changed[i] != 0.0;
            let difference = (x[i] - y[i]).abs();
            // Not the same as ">": an error that is NaN is not within any bound.
            let within = difference <= allowed[i];
            exceeded |= is_changed & !within;
            let error = if is_changed { difference } else { 0.0 };
            let relative = if is_changed { error / x[i].abs() } else { 0.0 };
            self.changed[i] += changed[i];
            self.absolute[i] = larger(error, self.absolute[i]);
            self.relative[i] = larger(relative, self.relative[i]);
        }
        exceeded
    }

    fn stats(&self) -> ErrorStats {
        ErrorStats {
            changed: self.changed.iter().map(|count| *count as u64).sum(),
            max_absolute_error: self.absolute.iter().copied().fold(0.0, f64::max),
            max_relative_error: self.relative.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// Names the first value of a block that has a larger error than allowed.
#[cold]
fn first_exceeded(from: usize, [x, y, changed, allowed]: [&[f64; LANES]; 4]) -> CodecError {
    let within = |i: usize| (x[i] - y[i]).abs() <= allowed[i];
    let exceeds = |i: &usize| changed[*i] != 0.0 && !within(*i);
    let i = (0..LANES).find(exceeds).unwrap_or(0);
    CodecError::BoundExceeded {
        index: from + i,
        original: x[i],
        rounded: y[i],
        bound: allowed[i].max(0.0),
    }
}
