//! The fewest bits with which BitRound keeps a relative error bound for every value of a box.

use frazil_types::ByteOrder;

use super::bits::{BitRound, Round};
use super::block::{Block, LANES, load, merge};
use super::guard::Guard;
use super::word::Word;
use crate::simd::{Kernel, Simd};

/// A bound relative to the value, and the least number of bits whatever the bound.
///
/// One more bit never makes a value's error larger, since the finer grid holds the points of the
/// coarser one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    least_bits: u32,
    relative: f64,
}

impl Search {
    pub(super) fn new(least_bits: u32, relative: Option<f64>) -> Self {
        // Two steps down: then the product with a value, rounded, is not above the exact one.
        let strictly = |share: f64| share.next_down().next_down().max(0.0);
        Self {
            least_bits: least_bits.max(1),
            relative: relative.map_or(f64::INFINITY, strictly),
        }
    }

    /// The fewest explicit mantissa bits that keep the bound; `None` if no value is ordinary.
    pub(super) fn fewest_bits<W: Word>(&self, values: &Values<'_, W>) -> Option<u32> {
        let found = values.simd.run(Survey { values });
        if found.largest == W::default() {
            return None;
        }
        // With the bits that the values have, nothing changes at all.
        let enough = self.enough_bits(found.largest).min(found.used_bits());
        let enough = enough.max(self.least_bits);
        let keeps = |bits| {
            let rounding = BitRound::new(bits);
            let search = self;
            values.simd.run(Trial {
                search,
                values,
                rounding,
            })
        };
        // Most boxes end here, and soon: the first values that err too much end the trial.
        if enough == self.least_bits || !keeps(enough - 1) {
            return Some(enough);
        }
        let (mut low, mut high) = (self.least_bits, enough - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match keeps(middle) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Some(high)
    }

    /// Bits with which no value up to `largest` can err too much.
    fn enough_bits<W: Word>(&self, largest: W) -> u32 {
        let power = (largest & !W::low_ones(W::MANTISSA_BITS)).to_f64();
        let allowed = self.allowed(power);
        let largest_error = |bits: &u32| power / (1_u64 << (bits + 1)) as f64;
        (1..W::MANTISSA_BITS)
            .find(|bits| largest_error(bits) <= allowed)
            .unwrap_or(W::MANTISSA_BITS)
    }

    /// The largest error of a value.
    #[inline(always)]
    fn allowed(&self, magnitude: f64) -> f64 {
        self.relative * magnitude
    }
}

/// The values of a box, and what is protected among them.
pub(super) struct Values<'a, W: Word> {
    pub(super) bytes: &'a [u8],
    pub(super) order: ByteOrder,
    pub(super) guard: &'a Guard<W>,
    pub(super) simd: Simd,
}

impl<W: Word> Values<'_, W> {
    fn blocks(&self) -> std::slice::Chunks<'_, u8> {
        self.bytes.chunks(LANES * W::BYTES)
    }
}

/// Looks at the ordinary values.
pub(super) struct Survey<'a, W: Word> {
    pub(super) values: &'a Values<'a, W>,
}

/// What the ordinary values of a box are like.
pub(super) struct Found<W> {
    /// Zero if there are none.
    pub(super) largest: W,
    pub(super) least: W,
    /// The bits of the mantissa that any of them has set.
    mantissas: W,
}

impl<W: Word> Found<W> {
    /// Explicit mantissa bits that the values have.
    pub(super) fn used_bits(&self) -> u32 {
        W::MANTISSA_BITS - self.mantissas.low_zeros().min(W::MANTISSA_BITS)
    }
}

impl<W: Word> Kernel for Survey<'_, W> {
    type Output = Found<W>;

    #[inline(always)]
    fn run(self) -> Found<W> {
        let mut x: Block<W> = [W::default(); LANES];
        let mut ordinary = x;
        let (mut largest, mut least, mut bits) = (W::default(), W::INFINITY, W::default());
        for bytes in self.values.blocks() {
            load(bytes, self.values.order, &mut x);
            self.values.guard.ordinary(&x, &mut ordinary);
            for magnitude in &ordinary {
                let is_none = W::mask(*magnitude == W::default());
                largest = largest.max(*magnitude);
                least = least.min(*magnitude | (W::INFINITY & is_none));
                bits = bits | *magnitude;
            }
        }
        Found {
            largest,
            least,
            mantissas: bits & W::low_ones(W::MANTISSA_BITS),
        }
    }
}

/// Finds out whether a rounding keeps the bound.
struct Trial<'a, W: Word> {
    search: &'a Search,
    values: &'a Values<'a, W>,
    rounding: BitRound<W>,
}

impl<W: Word> Kernel for Trial<'_, W> {
    type Output = bool;

    #[inline(always)]
    fn run(mut self) -> bool {
        let mut x: Block<W> = [W::default(); LANES];
        let (mut y, mut keep) = (x, x);
        for bytes in self.values.blocks() {
            load(bytes, self.values.order, &mut x);
            self.rounding.round(&x, &mut y);
            self.values.guard.keep(&x, &y, &mut keep);
            let mut exceeded = false;
            for i in 0..LANES {
                let value = x[i].to_f64();
                let rounded = merge(x[i], y[i], keep[i]).to_f64();
                // False for NaN, which is never changed.
                exceeded |= (value - rounded).abs() > self.search.allowed(value.abs());
            }
            if exceeded {
                return false;
            }
        }
        true
    }
}
