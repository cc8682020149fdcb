//! The errors that an algorithm can make by its definition.

use frazil_types::Rounding;

use super::bits::bitgroom_bits;
use super::linear::grid_step;

/// The largest error relative to the value that a rounding makes by its definition. `None` for the
/// linear rounding, and where bits go by an error bound alone.
///
/// BitRound with K bits: 2^-(K+1). Granular BitRound with N digits: 5 * 10^-N. BitGroom with N
/// digits, hence K = ceil(N log2(10)) + 1 bits: 2^-K.
#[must_use]
pub fn implied_relative_bound(rounding: &Rounding) -> Option<f64> {
    let power_of_two = |bits: u32| 0.5_f64.powi(bits.min(1000) as i32);
    match *rounding {
        Rounding::BitRound { significant_bits } => Some(power_of_two(significant_bits + 1)),
        Rounding::BoundedBitRound {
            least_significant_bits: 0,
        }
        | Rounding::Linear { .. }
        | Rounding::PackedIntegers { .. } => None,
        Rounding::BoundedBitRound {
            least_significant_bits,
        } => Some(power_of_two(least_significant_bits + 1)),
        Rounding::GranularBitRound { significant_digits } => {
            Some(5.0 / 10_f64.powi(significant_digits.min(300) as i32))
        }
        Rounding::BitGroom { significant_digits } => {
            Some(power_of_two(bitgroom_bits(significant_digits.min(300))))
        }
    }
}

/// The largest absolute error that a linear rounding makes in float32 (`mantissa_bits` 23) or
/// float64 (52): half a step of its grid, and the rounding of the result to the type. `None` for
/// other algorithms, and while the range is not known.
#[must_use]
pub fn implied_absolute_bound(rounding: &Rounding, mantissa_bits: u32) -> Option<f64> {
    let Rounding::Linear {
        nbits,
        range: Some([low, high]),
    } = *rounding
    else {
        return None;
    };
    let largest = low.abs().max(high.abs());
    let in_type = largest * 0.5_f64.powi(mantissa_bits.min(1000) as i32 + 1);
    // The grid's points themselves are computed in double precision.
    let in_double = largest * (4.0 * f64::EPSILON);
    Some(grid_step(nbits.min(31), [low, high]) / 2.0 + in_type + in_double)
}
