//! Multiples of powers of two: for each value the coarsest grid of steps that keeps a bound which is
//! absolute, at least in part.
//!
//! A step is a power of two, so that its multiples are numbers of the type, and rounding to the nearest
//! is exact: it clears the bits of the mantissa below the step. The error is at most half a step, hence
//! 2^floor(log2(2 · bound)) is the largest that keeps a bound. A bound never falls where magnitudes
//! grow, so one step serves all values from a power of two to the next.

use std::sync::Arc;

use frazil_types::ErrorBound;

use super::bits::Round;
use super::block::{Block, LANES};
use super::bounded::{Survey, Values};
use super::word::Word;

/// How the values from a power of two to the next are rounded.
#[derive(Debug, Clone, Copy)]
struct Binade<W> {
    /// Half a step, in units of the last bit.
    half: W,
    /// The bits that stay: none where every value is nearest to zero.
    kept: W,
}

/// The steps for one type and bound.
#[derive(Debug, Clone)]
pub(super) struct Steps<W> {
    /// One entry for each biased exponent.
    binades: Arc<[Binade<W>]>,
    least_bits: u32,
}

impl<W: Word> Steps<W> {
    /// The coarsest steps that keep `bound`, and `least_bits` bits of every value.
    pub(super) fn new(least_bits: u32, bound: &ErrorBound) -> Self {
        let exponents = 1_i32 << W::EXPONENT_BITS;
        let bias = exponents / 2 - 1;
        let binade = |biased| binade(dropped_bits::<W>(biased - bias, least_bits, bound));
        Self {
            binades: (0..exponents).map(binade).collect(),
            least_bits,
        }
    }

    /// The explicit mantissa bits that every value of a box has after it is rounded, at least one; `None`
    /// if no value is ordinary.
    pub(super) fn least_kept(&self, values: &Values<'_, W>) -> Option<u32> {
        let found = values.simd.run(Survey { values });
        if found.largest == W::default() {
            return None;
        }
        let kept = W::MANTISSA_BITS
            - self.binades[found.least.exponent()]
                .kept
                .low_zeros()
                .min(W::MANTISSA_BITS);
        Some(kept.min(found.used_bits()).max(self.least_bits).max(1))
    }
}

/// Bits that values from 2^`exponent` to the next power of two lose: up to two more than the mantissa
/// has, where they are next to one step, or to zero.
fn dropped_bits<W: Word>(exponent: i32, least_bits: u32, bound: &ErrorBound) -> u32 {
    let mantissa_bits = W::MANTISSA_BITS.cast_signed();
    // Entries beyond the type's normal numbers are not used.
    let power = f64::from_bits(((exponent.max(-1022) + 1023) as u64) << 52);
    let allowed = bound.at(power);
    let mut dropped = match allowed > 0.0 {
        true => floor_log2(allowed).saturating_add(1) - exponent + mantissa_bits,
        false => 0,
    };
    if least_bits > 0 {
        dropped = dropped.min(mantissa_bits - least_bits.cast_signed());
    }
    dropped.clamp(0, mantissa_bits + 2).cast_unsigned()
}

/// The largest n with 2^n at most `number`, which is above zero.
fn floor_log2(number: f64) -> i32 {
    const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = number.to_bits();
    match (bits >> MANTISSA_BITS) as i32 {
        // Subnormal.
        0 => bits.ilog2().cast_signed() - 1074,
        biased => biased - 1023,
    }
}

fn binade<W: Word>(dropped: u32) -> Binade<W> {
    if dropped > W::MANTISSA_BITS + 1 {
        let nothing = W::default();
        return Binade {
            half: nothing,
            kept: nothing,
        };
    }
    let half = match dropped {
        0 => W::default(),
        _ => W::small(1).plus(W::low_ones(dropped - 1)),
    };
    Binade {
        half,
        kept: !W::low_ones(dropped.min(W::MANTISSA_BITS)),
    }
}

impl<W: Word> Round<W> for &Steps<W> {
    /// Half away from zero. A carry enters the exponent, as it should; what becomes zero has no sign.
    #[inline(always)]
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>) {
        let binades = &self.binades[..1 << W::EXPONENT_BITS];
        for i in 0..LANES {
            let Binade { half, kept } = binades[x[i].exponent()];
            y[i] = x[i].plus(half) & kept;
        }
    }
}
