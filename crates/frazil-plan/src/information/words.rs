//! Floating-point numbers as bit patterns.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The bit pattern of one IEEE 754 number: `u32` for float32, `u64` for float64.
pub(super) trait Word:
    Copy
    + Eq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Its number as floating point.
    type Float: Copy + PartialOrd;
    /// Number of bit positions.
    const BITS: usize;
    /// Explicit mantissa bits.
    const MANTISSA_BITS: u32;
    /// No bit set.
    const ZERO: Self;
    /// All bits set: a NaN.
    const ONES: Self;

    /// The words behind little-endian bytes; bytes after the last whole word are ignored.
    fn extend_from_le(bytes: &[u8], words: &mut Vec<Self>);
    /// Its number.
    fn float(self) -> Self::Float;
    /// Its number, widened.
    fn to_f64(self) -> f64;
    /// The pattern as an integer.
    fn to_u64(self) -> u64;
    /// The number nearest to `value`; infinite beyond the range.
    fn nearest(value: f64) -> Self::Float;
    /// The smallest number not below `value`.
    fn at_least(value: f64) -> Self::Float;
    /// The largest number not above `value`.
    fn at_most(value: f64) -> Self::Float;
    /// All bits set if the condition holds, else none.
    fn mask(condition: bool) -> Self;
    /// All bits set if the number is finite, else none.
    fn finite(self) -> Self;
    /// Bit i of the result: whether bits i and i + 1 differ.
    fn edges(self) -> Self;
    /// The last bit.
    fn last_bit(self) -> u32;
    /// The exponent as sign and magnitude in place of a biased number, for finite numbers.
    ///
    /// Biased exponents of neighbouring values differ in every bit where the magnitude passes 1;
    /// those of this form differ in one or two. (BitInformation.jl and xbitinfo do the same.)
    fn signed_exponent(self) -> Self;
}

macro_rules! word {
    ($word:ty, $float:ty, $bits:literal, $mantissa:literal) => {
        impl Word for $word {
            type Float = $float;
            const BITS: usize = $bits;
            const MANTISSA_BITS: u32 = $mantissa;
            const ZERO: Self = 0;
            const ONES: Self = !0;

            #[inline(always)]
            fn extend_from_le(bytes: &[u8], words: &mut Vec<Self>) {
                let (cells, _) = bytes.as_chunks::<{ $bits / 8 }>();
                words.extend(cells.iter().map(|cell| Self::from_le_bytes(*cell)));
            }

            #[inline(always)]
            fn float(self) -> $float {
                <$float>::from_bits(self)
            }

            fn to_f64(self) -> f64 {
                f64::from(self.float())
            }

            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            fn nearest(value: f64) -> $float {
                value as $float
            }

            fn at_least(value: f64) -> $float {
                let near = value as $float;
                if f64::from(near) < value {
                    near.next_up()
                } else {
                    near
                }
            }

            fn at_most(value: f64) -> $float {
                let near = value as $float;
                if f64::from(near) > value {
                    near.next_down()
                } else {
                    near
                }
            }

            #[inline(always)]
            fn mask(condition: bool) -> Self {
                Self::ZERO.wrapping_sub(Self::from(condition))
            }

            #[inline(always)]
            fn finite(self) -> Self {
                const EXPONENT: $word = (<$word>::MAX >> 1) & !((1 << $mantissa) - 1);
                Self::mask(self & EXPONENT != EXPONENT)
            }

            #[inline(always)]
            fn edges(self) -> Self {
                self ^ (self >> 1)
            }

            #[inline(always)]
            fn last_bit(self) -> u32 {
                (self & 1) as u32
            }

            #[inline(always)]
            fn signed_exponent(self) -> Self {
                const REST: $word = (1 << ($bits - 1)) | ((1 << $mantissa) - 1);
                const BIAS: $word = (1 << ($bits - 2 - $mantissa)) - 1;
                let exponent = (self & !REST) >> $mantissa;
                let below = exponent < BIAS;
                let difference = exponent.wrapping_sub(BIAS);
                let sign = Self::mask(below);
                // Two's complement where it is negative.
                let magnitude = (difference ^ sign).wrapping_sub(sign);
                (self & REST) | (magnitude << $mantissa) | (sign & (1 << ($bits - 2)))
            }
        }
    };
}

word!(u32, f32, 32, 23);
word!(u64, f64, 64, 52);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_become_sign_and_magnitude() {
        // The examples of xbitinfo's documentation.
        assert_eq!(
            0.03125_f32.to_bits().signed_exponent(),
            0b0100_0010_1000_0000_0000_0000_0000_0000
        );
        assert_eq!(
            0.03125_f64.to_bits().signed_exponent(),
            0x4050_0000_0000_0000
        );
        assert_eq!(1.0_f32.to_bits().signed_exponent(), 0);
        assert_eq!((-4.5_f32).to_bits().signed_exponent(), 0x8110_0000);
        // Zero has exponent -127.
        assert_eq!(0_u32.signed_exponent(), 0x7f80_0000);
        assert_eq!(f32::MAX.to_bits().signed_exponent(), 0x3fff_ffff);
    }

    #[test]
    fn bounds_are_rounded_inwards() {
        assert_eq!(u32::at_least(0.1), 0.1_f32);
        assert!(f64::from(u32::at_least(0.3)) >= 0.3 && f64::from(u32::at_most(0.3)) <= 0.3);
        assert_eq!(u64::at_most(0.3), 0.3);
        assert_eq!(u32::at_most(1e300), f32::MAX);
        assert_eq!(u32::at_least(-1e300), f32::MIN);
        assert_eq!(u32::at_least(f64::NEG_INFINITY), f32::NEG_INFINITY);
    }

    #[test]
    fn only_finite_numbers_are_finite() {
        for (value, finite) in [(0.0, true), (f32::MAX, true), (f32::NAN, false)] {
            assert_eq!(value.to_bits().finite(), u32::mask(finite));
        }
        assert_eq!(f64::NEG_INFINITY.to_bits().finite(), 0);
        assert_eq!(u64::ONES.finite(), 0);
    }
}
