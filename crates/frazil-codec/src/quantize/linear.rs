//! Linear rounding over the field's range: the GFS model's `nbits`.

use super::bits::Round;
use super::block::{Block, LANES};
use super::word::Word;

/// A grid of 2^nbits points from the smallest to the largest value. What lies outside is left as
/// it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linear {
    low: f64,
    high: f64,
    scale: f64,
}

impl Linear {
    /// The grid over `range`, which must be finite and ordered; `nbits` from 1 to 31.
    pub(super) fn new(nbits: u32, [low, high]: [f64; 2]) -> Self {
        Self {
            low,
            high,
            scale: grid_step(nbits, [low, high]),
        }
    }
}

/// Distance of the points of the grid; 0 for a constant field.
pub(super) fn grid_step(nbits: u32, [low, high]: [f64; 2]) -> f64 {
    (high - low) / ((1_u64 << nbits) - 1) as f64
}

impl<W: Word> Round<W> for Linear {
    #[inline(always)]
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>) {
        let Self { low, high, scale } = *self;
        // A constant field is its own grid.
        if scale <= 0.0 {
            *y = *x;
            return;
        }
        for i in 0..LANES {
            let value = x[i].to_f64();
            let point = low + scale * ((value - low) / scale).round();
            let point = if point > high { high } else { point };
            let inside = (value >= low) & (value <= high);
            let rounded = W::from_f64(point);
            y[i] = if inside { rounded } else { x[i] };
        }
    }
}
