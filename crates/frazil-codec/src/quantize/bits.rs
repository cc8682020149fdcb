//! BitRound and BitGroom: the same number of mantissa bits for every value.

use super::block::{Block, LANES};
use super::parity::Parity;
use super::word::Word;

/// Rounds one block; what must stay is restored afterwards.
pub(super) trait Round<W: Word> {
    /// Rounds `x` into `y`. Blocks come in order, from the start of the box.
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>);
}

/// BitRound (Kouznetsov 2021): round half away from zero. A carry may enter the exponent.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitRound<W> {
    half: W,
    kept: W,
}

impl<W: Word> BitRound<W> {
    /// Keeps `bits` explicit mantissa bits, at most as many as there are.
    pub(super) fn new(bits: u32) -> Self {
        let dropped = W::MANTISSA_BITS.saturating_sub(bits);
        let half = match dropped {
            0 => W::default(),
            _ => W::small(1).plus(W::low_ones(dropped - 1)),
        };
        Self {
            half,
            kept: !W::low_ones(dropped),
        }
    }
}

impl<W: Word> Round<W> for BitRound<W> {
    #[inline(always)]
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>) {
        for i in 0..LANES {
            y[i] = x[i].plus(self.half) & self.kept;
        }
    }
}

/// Mantissa bits that BitGroom keeps for a number of decimal digits: ceil(N log2(10)) + 1
/// (Zender 2016).
pub(super) fn bitgroom_bits(digits: u32) -> u32 {
    let bits_per_digit = std::f64::consts::LN_10 / std::f64::consts::LN_2;
    (f64::from(digits) * bits_per_digit).ceil() as u32 + 1
}

/// BitGroom (Zender 2016): trailing bits are cleared in elements of even index in the variable and
/// set in those of odd index.
#[derive(Debug, Clone)]
pub(super) struct BitGroom<W> {
    trailing: W,
    parity: Parity,
    /// All bits set where the element's index is odd.
    odd: Block<W>,
}

impl<W: Word> BitGroom<W> {
    /// Keeps `bits` explicit mantissa bits of the elements of one box.
    pub(super) fn new(bits: u32, mut parity: Parity) -> Self {
        let mut odd = [W::default(); LANES];
        if parity.alternates() {
            parity.fill(&mut odd);
        }
        Self {
            trailing: W::low_ones(W::MANTISSA_BITS.saturating_sub(bits)),
            parity,
            odd,
        }
    }
}

impl<W: Word> Round<W> for BitGroom<W> {
    #[inline(always)]
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>) {
        if !self.parity.alternates() {
            self.parity.fill(&mut self.odd);
        }
        for i in 0..LANES {
            y[i] = (x[i] & !self.trailing) | (self.trailing & self.odd[i]);
        }
    }
}
