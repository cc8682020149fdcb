//! A plan bound to one of the two types, and the pass over a box.

use frazil_types::{ByteOrder, QuantizePlan, Rounding};

use super::bits::{BitGroom, BitRound, Round, bitgroom_bits};
use super::block::{Block, LANES, load, store_merged};
use super::bounded::{Search, Values};
use super::granular::Granular;
use super::guard::Guard;
use super::limits;
use super::linear::Linear;
use super::parity::Parity;
use super::place::BoxPlace;
use super::steps::Steps;
use super::word::Word;
use crate::error::CodecError;
use crate::simd::{Kernel, Simd};

/// A plan bound to a type.
#[derive(Debug, Clone)]
pub(super) struct Typed<W: Word> {
    rounding: BoundRounding<W>,
    guard: Guard<W>,
    order: ByteOrder,
    simd: Simd,
}

#[derive(Debug, Clone)]
enum BoundRounding<W> {
    BitRound { bits: u32 },
    Bounded(Search),
    Steps(Steps<W>),
    Granular { digits: u32, table: Granular<W> },
    BitGroom { digits: u32 },
    Linear { nbits: u32, grid: Linear },
}

impl<W: Word> Typed<W> {
    pub(super) fn bind(
        plan: &QuantizePlan,
        order: ByteOrder,
        simd: Simd,
    ) -> Result<Self, CodecError> {
        limits::check::<W>(plan)?;
        let guard = Guard::new(&plan.protected);
        let rounding = match plan.rounding {
            Rounding::BitRound { significant_bits } => BoundRounding::BitRound {
                bits: significant_bits,
            },
            Rounding::BoundedBitRound {
                least_significant_bits,
            } => match plan.bound.is_relative() {
                true => {
                    let relative = plan.bound.relative;
                    BoundRounding::Bounded(Search::new(least_significant_bits, relative))
                }
                false => BoundRounding::Steps(Steps::new(least_significant_bits, &plan.bound)),
            },
            Rounding::GranularBitRound { significant_digits } => BoundRounding::Granular {
                digits: significant_digits,
                table: Granular::new(significant_digits, guard.first_values()),
            },
            Rounding::BitGroom { significant_digits } => BoundRounding::BitGroom {
                digits: significant_digits,
            },
            Rounding::Linear { nbits, range } => BoundRounding::Linear {
                nbits,
                grid: Linear::new(nbits, limits::range(range)?),
            },
            Rounding::PackedIntegers { .. } => return Err(limits::not_rounded()),
        };
        Ok(Self {
            rounding,
            guard,
            order,
            simd,
        })
    }

    /// Rounds a box, whose place has been checked. Returns the bits or digits kept.
    pub(super) fn quantize(
        &self,
        original: &[u8],
        place: &BoxPlace<'_>,
        out: &mut Vec<u8>,
    ) -> Option<u32> {
        // Every byte is written below; clearing first would only cost time.
        out.resize(original.len(), 0);
        match &self.rounding {
            BoundRounding::BitRound { bits } => {
                self.pass(BitRound::new(*bits), original, out);
                Some(*bits)
            }
            BoundRounding::Bounded(search) => {
                let kept = search.fewest_bits(&self.values(original));
                let bits = kept.unwrap_or(W::MANTISSA_BITS);
                self.pass(BitRound::new(bits), original, out);
                kept
            }
            BoundRounding::Steps(steps) => {
                self.pass(steps, original, out);
                steps.least_kept(&self.values(original))
            }
            BoundRounding::Granular { digits, table } => {
                self.pass(table, original, out);
                Some(*digits)
            }
            BoundRounding::BitGroom { digits } => {
                let rounding = BitGroom::new(bitgroom_bits(*digits), Parity::new(place));
                self.pass(rounding, original, out);
                Some(*digits)
            }
            BoundRounding::Linear { nbits, grid } => {
                self.pass(*grid, original, out);
                Some(*nbits)
            }
        }
    }

    fn values<'a>(&'a self, bytes: &'a [u8]) -> Values<'a, W> {
        Values {
            bytes,
            order: self.order,
            guard: &self.guard,
            simd: self.simd,
        }
    }

    fn pass<R: Round<W>>(&self, rounding: R, original: &[u8], out: &mut [u8]) {
        self.simd.run(Pass {
            values: &self.values(original),
            rounding,
            out,
        });
    }
}

/// Rounds all values, block by block.
struct Pass<'a, W: Word, R> {
    values: &'a Values<'a, W>,
    rounding: R,
    out: &'a mut [u8],
}

impl<W: Word, R: Round<W>> Kernel for Pass<'_, W, R> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let mut x: Block<W> = [W::default(); LANES];
        let (mut y, mut keep) = (x, x);
        let block_bytes = LANES * W::BYTES;
        let Values {
            bytes,
            order,
            guard,
            ..
        } = *self.values;
        for (from, to) in bytes
            .chunks(block_bytes)
            .zip(self.out.chunks_mut(block_bytes))
        {
            load(from, order, &mut x);
            self.rounding.round(&x, &mut y);
            guard.keep(&x, &y, &mut keep);
            store_merged([&x, &y, &keep], order, to);
        }
    }
}
