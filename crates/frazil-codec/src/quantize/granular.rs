//! Granular BitRound: each value keeps the bits that its decimal digits need.
//!
//! netCDF-C computes the number of bits K of every value with `frexp` and `log10` (Kouznetsov
//! 2021, as published by NCO and netCDF-C). Between two powers of two, K changes at two places at
//! most: where the value reaches a power of ten, and just above the power of two, by a quirk of the
//! published formula. Both places are found once, by bisection with the same formula, so that a
//! value needs a table and integers only and the result is the same bit by bit.

use std::f64::consts::{LN_2, LN_10};

use super::bits::Round;
use super::block::{Block, LANES};
use super::word::Word;

/// Bits dropped between two powers of two.
#[derive(Debug, Clone, Copy, Default)]
struct Binade<W> {
    /// The mantissa from which on the second number of bits is dropped, and the third.
    thresholds: [W; 2],
    /// Bits dropped: the first number in the lowest byte, the second and third above it.
    dropped: W,
}

/// Granular BitRound for one type and number of digits.
#[derive(Debug, Clone)]
pub(super) struct Granular<W> {
    /// One entry for each biased exponent.
    binades: Vec<Binade<W>>,
}

impl<W: Word> Granular<W> {
    /// Makes the table for `digits` decimal digits.
    pub(super) fn new(digits: u32) -> Self {
        let exponents = 1_usize << W::EXPONENT_BITS;
        let normal = 1..exponents - 1;
        let binade = |exponent| match normal.contains(&exponent) {
            true => binade::<W>(exponent, digits),
            // Zero, subnormal, infinite: never touched.
            false => Binade::default(),
        };
        Self {
            binades: (0..exponents).map(binade).collect(),
        }
    }
}

impl<W: Word> Round<W> for &Granular<W> {
    #[inline(always)]
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>) {
        let mut first = [W::default(); LANES];
        let mut second = [W::default(); LANES];
        let mut dropped = [W::default(); LANES];
        // A loop of its own: loads from a table do not vectorise, and must not keep the rest from it.
        let binades = &self.binades[..1 << W::EXPONENT_BITS];
        for i in 0..LANES {
            let binade = &binades[x[i].exponent()];
            [first[i], second[i]] = binade.thresholds;
            dropped[i] = binade.dropped;
        }
        for i in 0..LANES {
            let mantissa = x[i] & W::low_ones(W::MANTISSA_BITS);
            let step = |reached: bool| if reached { W::small(8) } else { W::default() };
            let passed = step(mantissa >= first[i]).plus(step(mantissa >= second[i]));
            let bits = dropped[i].down(passed) & W::small(0xff);
            let unit = W::small(1).up(bits);
            let half = unit.down(W::small(1));
            y[i] = x[i].plus(half) & !unit.minus(W::small(1));
        }
    }
}

/// Bisects for the mantissas at which the number of dropped bits changes.
fn binade<W: Word>(exponent: usize, digits: u32) -> Binade<W> {
    let last = W::low_ones(W::MANTISSA_BITS).fraction();
    let dropped = |fraction| dropped_bits::<W>(exponent, fraction, digits);
    let mut binade = Binade {
        thresholds: [W::from_fraction(0); 2],
        dropped: W::default(),
    };
    let mut numbers = [dropped(0); 3];
    let mut from = 0;
    for place in 0..2 {
        let before = dropped(from);
        let change = match before == dropped(last) {
            // No change to come: what follows is the same wherever it begins.
            true => from,
            false => first_where(from, last, |fraction| dropped(fraction) != before),
        };
        binade.thresholds[place] = W::from_fraction(change);
        numbers[place + 1] = dropped(change);
        from = change;
    }
    for number in numbers.into_iter().rev() {
        binade.dropped = binade.dropped.up(W::small(8)) | W::small(number);
    }
    binade
}

/// The smallest number above `no` and up to `yes` for which `holds`, which holds for `yes`, does
/// not for `no`, and changes once between them.
fn first_where(mut no: u64, mut yes: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        match holds(middle) {
            true => yes = middle,
            false => no = middle,
        }
    }
    yes
}

/// Trailing bits that the published formula drops from a value.
fn dropped_bits<W: Word>(exponent: usize, fraction: u64, digits: u32) -> u8 {
    // As frexp gives them: 0.5 <= mantissa < 1.
    let unit = 0.5 / (1_u64 << W::MANTISSA_BITS) as f64;
    let mantissa = 0.5 + fraction as f64 * unit;
    let bias = (1_i32 << (W::EXPONENT_BITS - 1)) - 1;
    let exponent = f64::from(exponent as i32 - bias + 1);

    let bits_per_digit = LN_10 / LN_2;
    let log = mantissa.log10();
    let digits_before_point = (exponent * (LN_2 / LN_10) + log).floor() + 1.0;
    let quantum = (bits_per_digit * (digits_before_point - f64::from(digits))).floor();
    // The sign before the logarithm is the published one; it costs powers of two one bit more.
    let kept = ((exponent - bits_per_digit * log).floor() - quantum).abs() - 1.0;
    let dropped = f64::from(W::MANTISSA_BITS) - kept;
    // A shift by nothing, or by less, leaves the value as it is.
    dropped.clamp(0.0, f64::from(W::MANTISSA_BITS)) as u8
}
