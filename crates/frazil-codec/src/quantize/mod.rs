//! Rounding of float32 and float64 values to fewer bits, so that they compress better.
//!
//! BitRound, Granular BitRound and BitGroom give, on ordinary values, the bits that netCDF-C 4.10.1
//! gives. Never touched are
//! - NaN and infinities, with all their bits; zeros of either sign,
//! - subnormal numbers: their mantissa has lost bits already, so that "significant bits" mean
//!   nothing there, and rounding could only make them zero or a hundred times as large,
//! - protected values: single ones (`_FillValue`, `missing_value`...), those in protected ranges,
//!   those outside the valid range,
//! - values which rounding would turn into an infinity or a protected value: data would become
//!   missing data.
//!
//! An [`IntegerPacker`] makes integers with a scale and an offset instead.
//!
//! A [`Quantizer`] rounds; an [`ErrorCheck`], which shares no arithmetic with it, compares the
//! result with the original value by value before it is written.

mod bits;
mod block;
mod bounded;
mod check;
mod granular;
mod guard;
mod implied;
mod limits;
mod linear;
mod packed;
mod parity;
mod place;
mod range;
mod steps;
mod typed;
mod word;

use frazil_types::{ElementType, QuantizePlan};

pub use check::{ErrorCheck, ErrorStats};
pub use implied::{implied_absolute_bound, implied_relative_bound};
pub use packed::{Extremes, IntegerPacker, extremes, unpack_integers};
pub use place::BoxPlace;
pub use range::ordinary_range;

use crate::error::CodecError;
use crate::simd::Simd;
use limits::{Precision, precision};
use typed::Typed;

/// A plan bound to an element type; shared by all threads.
#[derive(Debug, Clone)]
pub struct Quantizer {
    typed: AnyType,
    element_bytes: usize,
}

#[derive(Debug, Clone)]
enum AnyType {
    Single(Typed<u32>),
    Double(Typed<u64>),
}

/// What was kept of one box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Explicit mantissa bits (BitRound), decimal digits (Granular BitRound, BitGroom) or bits of
    /// the grid (linear). `None` if the bits go by an error bound and the box has no ordinary value.
    pub significant_bits: Option<u32>,
}

impl Quantizer {
    /// Binds a plan to the elements of a variable.
    ///
    /// # Errors
    /// [`CodecError::InvalidParameters`] if the elements are not float32 or float64; if bits are
    /// not 1 to 23 or 52, digits not 1 to 6 or 15, those of a linear grid not 1 to 31; if a linear
    /// rounding has no range yet; if a bound is negative or NaN, or missing where bits go by it.
    pub fn bind(plan: &QuantizePlan, element: ElementType) -> Result<Self, CodecError> {
        Self::bind_for(plan, element, Simd::detect())
    }

    fn bind_for(plan: &QuantizePlan, element: ElementType, simd: Simd) -> Result<Self, CodecError> {
        let order = element.order;
        let typed = match precision(element)? {
            Precision::Single => AnyType::Single(Typed::bind(plan, order, simd)?),
            Precision::Double => AnyType::Double(Typed::bind(plan, order, simd)?),
        };
        Ok(Self {
            typed,
            element_bytes: element.size_bytes,
        })
    }

    /// Rounds the values of a box. `original` holds them in the byte order of the file; `out` is
    /// replaced by as many bytes in the same order. The result depends on nothing but the values,
    /// the plan and, for BitGroom, the place; where bits go by a relative bound alone, on which values
    /// share the box.
    ///
    /// # Errors
    /// [`CodecError::WrongSize`] if the box has another number of elements,
    /// [`CodecError::InvalidParameters`] if its place has another number of dimensions.
    pub fn quantize(
        &self,
        original: &[u8],
        place: &BoxPlace<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Kept, CodecError> {
        place.check(original.len(), self.element_bytes)?;
        let significant_bits = match &self.typed {
            AnyType::Single(typed) => typed.quantize(original, place, out),
            AnyType::Double(typed) => typed.quantize(original, place, out),
        };
        Ok(Kept { significant_bits })
    }
}

#[cfg(test)]
mod tests;
