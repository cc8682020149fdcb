//! Which integers stand for the values of a field, so that readers' unpacked values keep a bound.

use frazil_types::IntegerPacking;

/// Codes that are not data: of fill and of missing values.
const OTHER_CODES: f64 = 2.0;

/// No scale is larger: float32 has its products with codes that are near zero.
const COARSEST_SCALE: f64 = 1.0e36;

/// How to pack a field: the coarsest power of two as scale, the middle of the range as offset, and 16 bits
/// where they are enough.
///
/// `range` is that of the values that are data, `None` where there are none; `mantissa_bits` is 24 for
/// float32 and 53 for float64, in which readers unpack. `fill` and `missing` are taken over.
///
/// # Errors
/// A reason in words if 32 bits are too few, or unpacking in the type itself breaks the bound.
pub fn choose_packing(
    range: Option<[f64; 2]>,
    bound: f64,
    mantissa_bits: i32,
    [fill, missing]: [Option<f64>; 2],
) -> Result<IntegerPacking, String> {
    let [low, high] = range.unwrap_or([0.0, 0.0]);
    if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
        return Err("its range has no end".to_owned());
    }
    let largest = low.abs().max(high.abs());
    let mut scale = power_of_two_up_to((2.0 * bound).min(COARSEST_SCALE));
    // Half of it leaves as much of the bound for what unpacking itself rounds.
    for _ in 0..3 {
        if (scale as f32) < f32::MIN_POSITIVE {
            break;
        }
        let offset = offset([low, high], scale, mantissa_bits);
        let multiple = offset / scale;
        let is_exact =
            multiple.fract() == 0.0 && largest / scale + 1.0 < 2.0_f64.powi(mantissa_bits);
        // A product and a sum, each off by half a unit of the last place at most.
        let rounding = largest.max((high - low) / 2.0) * 2.0_f64.powi(1 - mantissa_bits);
        let slack = if is_exact { 0.0 } else { rounding };
        if scale / 2.0 + slack <= bound {
            let codes = (high - offset).max(offset - low) / scale + 1.0;
            let bits = bits_for(codes).ok_or_else(|| {
                format!("values from {low:e} to {high:e} need more than 32 bits by this bound")
            })?;
            return Ok(IntegerPacking {
                bits,
                scale,
                offset,
                fill,
                missing,
            });
        }
        scale /= 2.0;
    }
    Err(format!(
        "readers do not unpack values from {low:e} to {high:e} as closely as the bound"
    ))
}

/// Bits of signed integers that have so many codes to either side of zero.
fn bits_for(codes: f64) -> Option<u32> {
    let fits = |bits: i32| codes + OTHER_CODES < 2.0_f64.powi(bits - 1);
    [16_u32, 32].into_iter().find(|&bits| fits(bits as i32))
}

/// The largest power of two that is not above a positive number.
fn power_of_two_up_to(number: f64) -> f64 {
    let guess = number.log2().floor().exp2();
    match guess > number {
        true => guess / 2.0,
        false => guess,
    }
}

/// The middle of a range, as a multiple of the scale where the type has that.
fn offset([low, high]: [f64; 2], scale: f64, mantissa_bits: i32) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    let multiple = (middle / scale).round_ties_even();
    if multiple.abs() < 2.0_f64.powi(mantissa_bits) {
        return multiple * scale;
    }
    match mantissa_bits {
        24 => f64::from(middle as f32),
        _ => middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(range: [f64; 2], bound: f64) -> Result<IntegerPacking, String> {
        choose_packing(Some(range), bound, 24, [None, None])
    }

    #[test]
    fn sixteen_bits_are_taken_where_they_are_enough() {
        let found = choose([233.0, 313.0], 0.01).unwrap();
        // The largest power of two up to 0.02 is 2^-6.
        assert_eq!(
            (found.bits, found.scale, found.offset),
            (16, 0.015_625, 273.0)
        );
        assert_eq!(choose([0.0, 1.0e5], 0.01).unwrap().bits, 32);
    }

    #[test]
    fn a_bound_that_is_a_power_of_two_is_used_up() {
        assert_eq!(choose([0.0, 100.0], 0.5).unwrap().scale, 1.0);
    }

    #[test]
    fn too_fine_bounds_are_refused() {
        assert!(choose([0.0, 1.0e10], 0.01).unwrap_err().contains("closely"));
        let double = choose_packing(Some([0.0, 1.0e10]), 0.01, 53, [None, None]);
        assert!(double.unwrap_err().contains("32 bits"));
        assert!(choose([0.0, f64::INFINITY], 1.0).is_err());
    }

    #[test]
    fn a_field_without_data_needs_no_range() {
        let found = choose_packing(None, 0.1, 24, [Some(-1.0), None]).unwrap();
        assert_eq!((found.bits, found.offset), (16, 0.0));
    }
}
