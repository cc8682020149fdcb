//! The range of a field's ordinary values.

use frazil_types::{ByteOrder, ElementType, ProtectedValues};

use super::block::{Block, LANES, load};
use super::guard::Guard;
use super::limits::{Precision, precision};
use super::word::Word;
use crate::error::CodecError;
use crate::simd::{Kernel, Simd};

/// The smallest and the largest value that is neither protected nor NaN, infinite or subnormal, for
/// the linear rounding. `None` if there is none. Zeros count: they are data, although no rounding
/// touches them, and the least rain is none.
///
/// `original` holds values in the byte order of the file; the range of a variable is that of the
/// ranges of its parts.
///
/// # Errors
/// [`CodecError::InvalidParameters`] if the elements are not float32 or float64,
/// [`CodecError::WrongSize`] if the bytes are not whole elements.
pub fn ordinary_range(
    original: &[u8],
    protected: &ProtectedValues,
    element: ElementType,
) -> Result<Option<[f64; 2]>, CodecError> {
    let precision = precision(element)?;
    let whole = original.len() - original.len() % element.size_bytes;
    if whole != original.len() {
        return Err(CodecError::WrongSize {
            got: original.len(),
            expected: whole,
        });
    }
    let [low, high] = match precision {
        Precision::Single => range::<u32>(original, protected, element.order),
        Precision::Double => range::<u64>(original, protected, element.order),
    };
    Ok((low <= high).then_some([low, high]))
}

fn range<W: Word>(bytes: &[u8], protected: &ProtectedValues, order: ByteOrder) -> [f64; 2] {
    let guard: Guard<W> = Guard::new(protected);
    let guard = &guard;
    let counts_zero = is_data(0.0, protected);
    Simd::detect().run(Extremes {
        bytes,
        order,
        guard,
        counts_zero,
    })
}

/// Whether a value is not protected.
fn is_data(value: f64, protected: &ProtectedValues) -> bool {
    let within = |range: &[f64; 2]| (range[0]..=range[1]).contains(&value);
    !protected.values.contains(&value)
        && !protected.ranges.iter().any(within)
        && protected.valid.as_ref().is_none_or(within)
}

struct Extremes<'a, W: Word> {
    bytes: &'a [u8],
    order: ByteOrder,
    guard: &'a Guard<W>,
    counts_zero: bool,
}

impl<W: Word> Kernel for Extremes<'_, W> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run(self) -> [f64; 2] {
        let mut x: Block<W> = [W::default(); LANES];
        let mut ordinary = x;
        // One pair for each place in a block: sums and extremes of floats vectorise only so.
        let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for bytes in self.bytes.chunks(LANES * W::BYTES) {
            load(bytes, self.order, &mut x);
            self.guard.ordinary(&x, &mut ordinary);
            // The last block is filled up with zeros, which are no data.
            let loaded = bytes.len() / W::BYTES;
            for i in 0..LANES {
                let value = x[i].to_f64();
                let is_zero = self.counts_zero & (value == 0.0) & (i < loaded);
                let counts = is_zero | (ordinary[i] != W::default());
                low[i] = if counts & (value < low[i]) {
                    value
                } else {
                    low[i]
                };
                high[i] = if counts & (value > high[i]) {
                    value
                } else {
                    high[i]
                };
            }
        }
        [
            low.into_iter().fold(f64::INFINITY, f64::min),
            high.into_iter().fold(f64::NEG_INFINITY, f64::max),
        ]
    }
}
