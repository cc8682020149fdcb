//! Granular BitRound: each value keeps the bits that its decimal digits need.
//!
//! netCDF-C computes the number of bits K of every value with `frexp` and `log10` (Kouznetsov
//! 2021, as published by NCO and netCDF-C). Between two powers of two, K changes at two places at
//! most: just above the power of two, by a quirk of the published formula, and where the value
//! reaches a power of ten. Both places are found once, by bisection with the same formula, so that a
//! value needs a table and integers only and the result is the same bit by bit.

use std::any::Any;
use std::f64::consts::{LN_2, LN_10};
use std::ops::RangeInclusive;
use std::sync::Arc;

use frazil_types::sync::Mutex;

use super::bits::Round;
use super::block::{Block, LANES, merge};
use super::word::Word;

/// Where the exponents of a block have no more than so many values from the least to the largest, their
/// entries of the table are selected by comparison, in vectors; else they are looked up one by one.
const NEAR: usize = 4;

/// Words that are selected together: they stay in registers.
const GROUP: usize = 16;

/// Bits dropped between two powers of two.
#[derive(Debug, Clone, Copy, Default)]
struct Binade<W> {
    /// The mantissa from which on the third number of bits is dropped.
    threshold: W,
    /// Bits dropped: the first number in the lowest byte, the second and third above it; and above these the
    /// mantissa from which on the second is dropped, which is small.
    dropped: W,
}

/// Where the small mantissa is.
const SMALL_FROM: u8 = 24;

/// Granular BitRound for one type and number of digits.
#[derive(Debug, Clone)]
pub(super) struct Granular<W> {
    /// One entry for each biased exponent.
    binades: Arc<[Binade<W>]>,
    /// Words that stay as they are, whatever they are rounded to: fill values lie far from all others.
    kept: [W; 2],
}

/// The entries of the table for a block.
struct Entries<W> {
    threshold: Block<W>,
    dropped: Block<W>,
}

impl<W: Word> Granular<W> {
    /// Makes the table for `digits` decimal digits; `kept` are words that do not matter.
    pub(super) fn new(digits: u32, kept: [W; 2]) -> Self {
        Self {
            binades: table(digits),
            kept,
        }
    }

    /// The exponents of a block's numbers, if these lie close together; of numbers that matter, that is: what is
    /// not normal stays as it was, too. Vectors of 64-bit words gain nothing on looking up.
    #[inline(always)]
    fn few_binades(&self, x: &Block<W>) -> Option<RangeInclusive<usize>> {
        if W::BYTES > 4 {
            return None;
        }
        let mut least = [W::INFINITY; GROUP];
        let mut largest = [W::default(); GROUP];
        let [a, b] = self.kept;
        for x in x.as_chunks::<GROUP>().0 {
            for i in 0..GROUP {
                let magnitude = x[i] & W::MAGNITUDE;
                let matters = W::mask(x[i].is_normal() & (x[i] != a) & (x[i] != b));
                least[i] = least[i].min(merge(magnitude, W::INFINITY, matters));
                largest[i] = largest[i].max(magnitude & matters);
            }
        }
        let least = least.into_iter().fold(W::INFINITY, W::min).exponent();
        let largest = largest.into_iter().fold(W::default(), W::max).exponent();
        (least <= largest && largest - least < NEAR).then_some(least..=largest)
    }

    /// Looks the entries up: what lies anywhere does not vectorise.
    #[inline(always)]
    fn look_up(&self, x: &Block<W>, entries: &mut Entries<W>) {
        let binades = &self.binades[..1 << W::EXPONENT_BITS];
        for i in 0..LANES {
            let binade = &binades[x[i].exponent()];
            entries.threshold[i] = binade.threshold;
            entries.dropped[i] = binade.dropped;
        }
    }

    /// Selects the entries among those of a few binades.
    #[inline(always)]
    fn select(&self, x: &Block<W>, binades: RangeInclusive<usize>, entries: &mut Entries<W>) {
        let first = *binades.start();
        let binades = &self.binades[binades];
        let groups = x.as_chunks::<GROUP>().0.iter();
        let thresholds = entries.threshold.as_chunks_mut::<GROUP>().0.iter_mut();
        let dropped = entries.dropped.as_chunks_mut::<GROUP>().0.iter_mut();
        for ((x, threshold), dropped) in groups.zip(thresholds).zip(dropped) {
            let mut selected = [[binades[0].threshold; GROUP], [binades[0].dropped; GROUP]];
            for (number, binade) in binades.iter().enumerate().skip(1) {
                let least = W::with_exponent(first + number);
                let [thresholds, dropped] = &mut selected;
                for i in 0..GROUP {
                    let reached = W::mask(x[i] & W::MAGNITUDE >= least);
                    thresholds[i] = merge(binade.threshold, thresholds[i], reached);
                    dropped[i] = merge(binade.dropped, dropped[i], reached);
                }
            }
            [*threshold, *dropped] = selected;
        }
    }
}

impl<W: Word> Round<W> for &Granular<W> {
    #[inline(always)]
    fn round(&mut self, x: &Block<W>, y: &mut Block<W>) {
        let mut entries = Entries {
            threshold: [W::default(); LANES],
            dropped: [W::default(); LANES],
        };
        match self.few_binades(x) {
            Some(binades) => self.select(x, binades, &mut entries),
            None => self.look_up(x, &mut entries),
        }
        for i in 0..LANES {
            let mantissa = x[i] & W::low_ones(W::MANTISSA_BITS);
            let dropped = entries.dropped[i];
            let step = |reached: bool| W::mask(reached) & W::small(8);
            let second = step(mantissa >= dropped.down(W::small(SMALL_FROM)));
            let third = step(mantissa >= entries.threshold[i]);
            let bits = dropped.down(second.plus(third)) & W::small(0xff);
            let unit = W::small(1).up(bits);
            let half = unit.down(W::small(1));
            y[i] = x[i].plus(half) & !unit.minus(W::small(1));
        }
    }
}

/// A table of any kind of number, and how many digits it is for.
type Table = (u32, Arc<dyn Any + Send + Sync>);

/// The tables that were made already: each takes half a millisecond, and writers bind many variables.
/// Nobody waits for the lock: in a process that was forked meanwhile, it is never free again.
static TABLES: Mutex<Vec<Table>> = Mutex::new(Vec::new());

/// The table for `digits` decimal digits.
fn table<W: Word>(digits: u32) -> Arc<[Binade<W>]> {
    let known = TABLES
        .try_lock()
        .and_then(|tables| known_table(&tables, digits));
    if let Some(known) = known {
        return known;
    }
    let exponents = 1_usize << W::EXPONENT_BITS;
    let normal = 1..exponents - 1;
    let binade = |exponent| match normal.contains(&exponent) {
        true => binade::<W>(exponent, digits),
        // Zero, subnormal, infinite: never touched.
        false => Binade::default(),
    };
    let made: Arc<[Binade<W>]> = (0..exponents).map(binade).collect();
    // Another thread may have kept its own meanwhile.
    if let Some(mut tables) = TABLES.try_lock()
        && known_table::<W>(&tables, digits).is_none()
    {
        tables.push((digits, Arc::new(Arc::clone(&made))));
    }
    made
}

fn known_table<W: Word>(tables: &[Table], digits: u32) -> Option<Arc<[Binade<W>]>> {
    let mut known = tables.iter().filter(|(of, _)| *of == digits);
    known.find_map(|(_, table)| table.downcast_ref().cloned())
}

/// Bisects for the mantissas at which the number of dropped bits changes.
fn binade<W: Word>(exponent: usize, digits: u32) -> Binade<W> {
    let last = W::low_ones(W::MANTISSA_BITS).fraction();
    let dropped = |fraction| dropped_bits::<W>(exponent, fraction, digits);
    // Where nothing changes any more, what follows is the same wherever it begins.
    let change_after = |from| match dropped(from) == dropped(last) {
        true => from,
        false => first_where(from, last, |fraction| dropped(fraction) != dropped(from)),
    };
    let most_small = W::ONES.down(W::small(SMALL_FROM)).fraction();
    let first = change_after(0);
    let (small, threshold) = match first <= most_small {
        true => (first, change_after(first)),
        // There is no quirk.
        false => (0, first),
    };
    let numbers = [dropped(threshold), dropped(small), dropped(0)];
    let pack = |packed: W, number| packed.up(W::small(8)) | W::small(number);
    Binade {
        threshold: W::from_fraction(threshold),
        dropped: numbers.into_iter().fold(W::from_fraction(small), pack),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(fill: impl FnOnce(&mut Entries<u32>)) -> [Block<u32>; 2] {
        let mut entries = Entries {
            threshold: [0; LANES],
            dropped: [0; LANES],
        };
        fill(&mut entries);
        [entries.threshold, entries.dropped]
    }

    #[test]
    fn what_is_selected_is_what_is_looked_up() {
        let table = Granular::<u32>::new(3, [f32::INFINITY.to_bits(), 9e36_f32.to_bits()]);
        let spans = [
            (80.0_f32, 7.0_f32),
            (-0.7, -0.01),
            (1e-3, 3e-5),
            (255.0, 1.0),
        ];
        for (from, step) in spans {
            let x: Block<u32> = std::array::from_fn(|i| (from + step * (i % 29) as f32).to_bits());
            let binades = table.few_binades(&x).unwrap();
            let selected = entries(|entries| table.select(&x, binades, entries));
            assert_eq!(selected, entries(|entries| table.look_up(&x, entries)));
        }
    }

    #[test]
    fn a_table_is_made_once_for_each_type_and_number_of_digits() {
        let first = table::<u32>(4);
        assert!(Arc::ptr_eq(&first, &table(4)));
        assert!(!Arc::ptr_eq(&first, &table(5)));
        assert_eq!(table::<u64>(4).len(), 1 << 11);
        assert_eq!(first.len(), 1 << 8);
    }

    #[test]
    fn only_numbers_that_matter_decide_how_it_is_found() {
        let fill = 9e36_f32.to_bits();
        let table = Granular::<u32>::new(3, [f32::INFINITY.to_bits(), fill]);
        let mut x = [1.5_f32.to_bits(); LANES];
        x[3] = fill;
        x[200] = f32::NAN.to_bits();
        x[201] = 0;
        assert_eq!(table.few_binades(&x), Some(127..=127));
        x[7] = 1e9_f32.to_bits();
        assert_eq!(table.few_binades(&x), None);
        assert_eq!(table.few_binades(&[fill; LANES]), None);
    }
}
