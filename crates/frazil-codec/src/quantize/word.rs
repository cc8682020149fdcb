//! The bit patterns that the kernels work on: `u32` for float32, `u64` for float64.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The bits of one IEEE 754 number. Operations of this trait never overflow or panic.
pub(super) trait Word:
    Copy
    + Default
    + Debug
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// The number itself.
    type Float: Copy + Debug + PartialOrd + Send + Sync + 'static;

    /// Bytes of a word.
    const BYTES: usize;
    /// Explicit bits of the mantissa.
    const MANTISSA_BITS: u32;
    /// Bits of the exponent.
    const EXPONENT_BITS: u32;
    /// Most decimal digits that netCDF-C 4.10.1 accepts for this type.
    const MOST_DIGITS: u32;
    /// All bits set.
    const ONES: Self;
    /// All bits but the sign.
    const MAGNITUDE: Self;
    /// The smallest normal number.
    const LEAST_NORMAL: Self;
    /// Positive infinity.
    const INFINITY: Self;

    /// From bytes in little-endian order; missing bytes are zero.
    fn from_little(bytes: &[u8]) -> Self;
    /// To bytes in little-endian order; `bytes` must have the word's size.
    fn to_little(self, bytes: &mut [u8]);
    /// The other byte order.
    fn swapped(self) -> Self;
    /// The lowest `bits` bits set.
    fn low_ones(bits: u32) -> Self;
    /// All bits set, or none.
    fn mask(condition: bool) -> Self;
    /// A small number as a word.
    fn small(number: u8) -> Self;
    /// Sum modulo 2^width.
    fn plus(self, other: Self) -> Self;
    /// Difference modulo 2^width.
    fn minus(self, other: Self) -> Self;
    /// Shifted left by fewer bits than the word has.
    fn up(self, bits: Self) -> Self;
    /// Shifted right by fewer bits than the word has.
    fn down(self, bits: Self) -> Self;
    /// Zero bits below the lowest one.
    fn low_zeros(self) -> u32;
    /// The biased exponent.
    fn exponent(self) -> usize;
    /// The least magnitude of this biased exponent.
    fn with_exponent(exponent: usize) -> Self;
    /// The explicit mantissa as an integer.
    fn fraction(self) -> u64;
    /// The explicit mantissa from an integer.
    fn from_fraction(fraction: u64) -> Self;
    /// The number.
    fn float(self) -> Self::Float;
    /// The number in double precision, exactly.
    fn to_f64(self) -> f64;
    /// The nearest number of this type.
    fn from_f64(number: f64) -> Self;
    /// The smallest number of this type that is at least `number`.
    fn float_from_below(number: f64) -> Self::Float;
    /// The largest number of this type that is at most `number`.
    fn float_from_above(number: f64) -> Self::Float;

    /// Whether this is a normal number: no zero, subnormal, infinity or NaN.
    #[inline(always)]
    fn is_normal(self) -> bool {
        (self & Self::MAGNITUDE).minus(Self::LEAST_NORMAL)
            < Self::INFINITY.minus(Self::LEAST_NORMAL)
    }

    /// Whether this is an infinity or NaN.
    #[inline(always)]
    fn is_not_finite(self) -> bool {
        self & Self::MAGNITUDE >= Self::INFINITY
    }
}

macro_rules! word {
    ($word:ty, $float:ty, $digits:literal) => {
        impl Word for $word {
            type Float = $float;

            const BYTES: usize = size_of::<$word>();
            const MANTISSA_BITS: u32 = <$float>::MANTISSA_DIGITS - 1;
            const EXPONENT_BITS: u32 = <$word>::BITS - <$float>::MANTISSA_DIGITS;
            const MOST_DIGITS: u32 = $digits;
            const ONES: Self = <$word>::MAX;
            const MAGNITUDE: Self = <$word>::MAX >> 1;
            const LEAST_NORMAL: Self = <$float>::MIN_POSITIVE.to_bits();
            const INFINITY: Self = <$float>::INFINITY.to_bits();

            #[inline(always)]
            fn from_little(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(0, <$word>::from_le_bytes)
            }

            #[inline(always)]
            fn to_little(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline(always)]
            fn swapped(self) -> Self {
                self.swap_bytes()
            }

            #[inline(always)]
            fn low_ones(bits: u32) -> Self {
                match bits {
                    0 => 0,
                    _ => <$word>::MAX >> (<$word>::BITS - bits.min(<$word>::BITS)),
                }
            }

            #[inline(always)]
            fn mask(condition: bool) -> Self {
                <$word>::from(condition).wrapping_neg()
            }

            #[inline(always)]
            fn small(number: u8) -> Self {
                number.into()
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn up(self, bits: Self) -> Self {
                self.wrapping_shl(bits as u32)
            }

            #[inline(always)]
            fn down(self, bits: Self) -> Self {
                self.wrapping_shr(bits as u32)
            }

            #[inline(always)]
            fn low_zeros(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn exponent(self) -> usize {
                ((self & Self::MAGNITUDE) >> Self::MANTISSA_BITS) as usize
            }

            #[inline(always)]
            fn with_exponent(exponent: usize) -> Self {
                (exponent as $word) << Self::MANTISSA_BITS
            }

            #[inline(always)]
            fn fraction(self) -> u64 {
                u64::from(self & Self::low_ones(Self::MANTISSA_BITS))
            }

            #[inline(always)]
            fn from_fraction(fraction: u64) -> Self {
                (fraction as $word) & Self::low_ones(Self::MANTISSA_BITS)
            }

            #[inline(always)]
            fn float(self) -> $float {
                <$float>::from_bits(self)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(<$float>::from_bits(self))
            }

            #[inline(always)]
            fn from_f64(number: f64) -> Self {
                (number as $float).to_bits()
            }

            fn float_from_below(number: f64) -> $float {
                let nearest = number as $float;
                match f64::from(nearest) < number {
                    true => nearest.next_up(),
                    false => nearest,
                }
            }

            fn float_from_above(number: f64) -> $float {
                let nearest = number as $float;
                match f64::from(nearest) > number {
                    true => nearest.next_down(),
                    false => nearest,
                }
            }
        }
    };
}

word!(u32, f32, 6);
word!(u64, f64, 15);
