//! Calls of the quantizer on arrays of bit patterns.

use frazil_codec::{BoxPlace, ErrorCheck, ErrorStats, Kept, Quantizer};
use frazil_types::{ByteOrder, QuantizePlan};

use super::plans::float;

/// A bit pattern of either type.
pub(crate) trait Pattern: Copy + PartialEq + std::fmt::Debug {
    const BYTES: usize;
    const LEAST_NORMAL: Self;
    fn append(self, order: ByteOrder, bytes: &mut Vec<u8>);
    fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self;
    fn number(self) -> f64;
    fn from_number(number: f64) -> Self;
    fn from_random(random: u64) -> Self;

    /// Neither zero nor subnormal, infinite or NaN.
    fn is_normal(self) -> bool {
        self.number().is_finite() && self.number().abs() >= Self::LEAST_NORMAL.number()
    }
}

macro_rules! pattern {
    ($word:ty, $float:ty) => {
        impl Pattern for $word {
            const BYTES: usize = size_of::<$word>();
            const LEAST_NORMAL: Self = <$float>::MIN_POSITIVE.to_bits();

            fn append(self, order: ByteOrder, bytes: &mut Vec<u8>) {
                match order {
                    ByteOrder::Big => bytes.extend(self.to_be_bytes()),
                    _ => bytes.extend(self.to_le_bytes()),
                }
            }

            fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self {
                let bytes = bytes.try_into().unwrap();
                match order {
                    ByteOrder::Big => <$word>::from_be_bytes(bytes),
                    _ => <$word>::from_le_bytes(bytes),
                }
            }

            fn number(self) -> f64 {
                f64::from(<$float>::from_bits(self))
            }

            fn from_number(number: f64) -> Self {
                (number as $float).to_bits()
            }

            fn from_random(random: u64) -> Self {
                random as $word
            }
        }
    };
}

pattern!(u32, f32);
pattern!(u64, f64);

pub(crate) fn to_bytes<P: Pattern>(values: &[P], order: ByteOrder) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * P::BYTES);
    for value in values {
        value.append(order, &mut bytes);
    }
    bytes
}

pub(crate) fn from_bytes<P: Pattern>(bytes: &[u8], order: ByteOrder) -> Vec<P> {
    let elements = bytes.chunks_exact(P::BYTES);
    elements.map(|bytes| P::from_bytes(bytes, order)).collect()
}

/// Rounds values as a whole one-dimensional variable.
pub(crate) fn quantize<P: Pattern>(plan: &QuantizePlan, values: &[P]) -> Vec<P> {
    quantize_kept(plan, values).0
}

/// The same, and what was kept.
pub(crate) fn quantize_kept<P: Pattern>(plan: &QuantizePlan, values: &[P]) -> (Vec<P>, Kept) {
    let count = [values.len() as u64];
    let place = BoxPlace {
        shape: &count,
        start: &[0],
        count: &count,
    };
    quantize_box(plan, values, &place, ByteOrder::Little)
}

/// Rounds the values of a box that are stored in a byte order.
pub(crate) fn quantize_box<P: Pattern>(
    plan: &QuantizePlan,
    values: &[P],
    place: &BoxPlace<'_>,
    order: ByteOrder,
) -> (Vec<P>, Kept) {
    let quantizer = Quantizer::bind(plan, float(P::BYTES, order)).unwrap();
    // Rests of earlier chunks must not matter.
    let mut out = vec![0xa5; 77];
    let original = to_bytes(values, order);
    let kept = quantizer.quantize(&original, place, &mut out).unwrap();
    (from_bytes(&out, order), kept)
}

/// Checks rounded values against their originals.
pub(crate) fn check<P: Pattern>(
    plan: &QuantizePlan,
    original: &[P],
    rounded: &[P],
) -> Result<ErrorStats, frazil_codec::CodecError> {
    let order = ByteOrder::Little;
    let check = ErrorCheck::bind(plan, float(P::BYTES, order)).unwrap();
    check.check(&to_bytes(original, order), &to_bytes(rounded, order))
}
