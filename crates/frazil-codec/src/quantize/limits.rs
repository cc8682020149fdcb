//! What a plan may ask for, by type.

use frazil_types::{ElementClass, ElementType, QuantizePlan, Rounding};

use super::word::Word;
use crate::error::CodecError;

/// The two types that can be rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// float32.
    Single,
    /// float64.
    Double,
}

/// The type of an element, if its values can be rounded.
pub(super) fn precision(element: ElementType) -> Result<Precision, CodecError> {
    match (element.class, element.size_bytes) {
        (ElementClass::Float, 4) => Ok(Precision::Single),
        (ElementClass::Float, 8) => Ok(Precision::Double),
        _ => Err(invalid(format!(
            "{} values are not rounded, only float32 and float64",
            element.name()
        ))),
    }
}

/// Refuses numbers of bits or digits that the type does not have, and bounds without sense.
pub(super) fn check<W: Word>(plan: &QuantizePlan) -> Result<(), CodecError> {
    let (what, number, least, most) = match plan.rounding {
        Rounding::BitRound { significant_bits } => {
            ("significant bits", significant_bits, 1, W::MANTISSA_BITS)
        }
        Rounding::BoundedBitRound {
            least_significant_bits,
        } => {
            if least_significant_bits == 0 && plan.bound.is_none() {
                return Err(invalid("neither bits nor a bound are given".to_owned()));
            }
            (
                "significant bits",
                least_significant_bits,
                0,
                W::MANTISSA_BITS,
            )
        }
        Rounding::GranularBitRound { significant_digits }
        | Rounding::BitGroom { significant_digits } => {
            ("significant digits", significant_digits, 1, W::MOST_DIGITS)
        }
        Rounding::Linear {
            nbits,
            range: given,
        } => {
            range(given)?;
            ("bits of the grid", nbits, 1, 31)
        }
        Rounding::PackedIntegers { .. } => {
            return Err(not_rounded());
        }
    };
    if !(least..=most).contains(&number) {
        return Err(invalid(format!(
            "{number} {what}: float{} has {least} to {most}",
            8 * W::BYTES
        )));
    }
    let bound = &plan.bound;
    let bounds = [bound.absolute, bound.relative, Some(bound.finest_absolute)];
    match bounds
        .into_iter()
        .flatten()
        .find(|bound| bound.is_nan() || *bound < 0.0)
    {
        Some(bad) => Err(invalid(format!("{bad} as an error bound"))),
        None => Ok(()),
    }
}

/// What a rounding cannot do.
pub(super) fn not_rounded() -> CodecError {
    invalid("values are packed into integers, not rounded".to_owned())
}

/// The range of a linear rounding, if it is known, finite and in order.
pub(super) fn range(range: Option<[f64; 2]>) -> Result<[f64; 2], CodecError> {
    let [low, high] = range.ok_or_else(|| invalid("the field's range is not known".to_owned()))?;
    if low <= high && (high - low).is_finite() {
        Ok([low, high])
    } else {
        Err(invalid(format!("{low} to {high} as the field's range")))
    }
}

fn invalid(reason: String) -> CodecError {
    CodecError::InvalidParameters {
        filter: "quantize",
        reason,
    }
}
