//! Where values seem to come from: rounded, groomed or unpacked data would fool the measure.

use std::collections::BTreeMap;

use frazil_types::{DataOrigin, ProtectedValues};

use super::counts::{BitUse, VariableCounts};
use super::grid::grid_step;
use super::mask::Mask;
use super::recommend::LEAST_PAIRS;
use super::words::Word;

/// Most values taken from one box.
const MOST_VALUES: usize = 1 << 12;
/// Groomed bits fewer than this are not told from chance.
const LEAST_GROOMED_BITS: u32 = 3;
/// Fewer unused bits than this are no rounding: a difference of large numbers leaves as many.
const LEAST_UNUSED_BITS: u32 = 2;
/// A step this close to a power of two is one.
const STEP_PRECISION: f64 = 1e-4;
/// Rounded data take at least one in so many of the values of a binade.
const ROUNDED_SHARE: u64 = 64;
/// Values that repeat others, so many times on average, are few.
const LEAST_REPEATS: usize = 8;
/// Fewer values than this do not tell repetition from a small field.
const LEAST_REPEATING: usize = 512;
/// So many values of one binade say which of their bits are in use.
const LEAST_IN_BINADE: usize = 8;

/// Explicit mantissa bits of values of 4 or 8 bytes.
#[must_use]
pub fn mantissa_bits(element_bytes: usize) -> u32 {
    if element_bytes == 4 {
        u32::MANTISSA_BITS
    } else {
        u64::MANTISSA_BITS
    }
}

/// Ordinary values among little-endian `values` of 4 or 8 bytes, thinned to a few thousand.
#[must_use]
pub fn ordinary_values(
    values: &[u8],
    element_bytes: usize,
    protected: &ProtectedValues,
) -> Vec<f64> {
    if element_bytes == 4 {
        ordinary::<u32>(values, protected)
    } else {
        ordinary::<u64>(values, protected)
    }
}

fn ordinary<W: Word>(values: &[u8], protected: &ProtectedValues) -> Vec<f64> {
    let mut words = Vec::new();
    W::extend_from_le(values, &mut words);
    let mut valid = vec![W::ZERO; words.len()];
    Mask::new(protected).apply(&words, &mut valid);
    let data: Vec<W> = words
        .into_iter()
        .zip(valid)
        .filter(|(_, valid)| *valid != W::ZERO)
        .map(|(word, _)| word)
        .collect();
    let step = data.len().div_ceil(MOST_VALUES).max(1);
    data.iter()
        .step_by(step)
        .map(|word| word.to_f64())
        .collect()
}

/// The step of the integers that a variable's values were unpacked from; `None` if they were not.
///
/// `sample` are some of its ordinary values, of 4 or 8 bytes in the file.
#[must_use]
pub fn integer_step(sample: &[f64], element_bytes: usize) -> Option<f64> {
    let any = sample.iter().fold(0, |any, value| any | value.to_bits());
    // Doubles that are floats in truth were rounded like floats.
    let is_single = used_bits(any, u64::MANTISSA_BITS) <= u32::MANTISSA_BITS;
    let epsilon = if element_bytes == 4 || is_single {
        f64::from(f32::EPSILON)
    } else {
        f64::EPSILON
    };
    grid_step(sample, epsilon).filter(|&step| !is_rounding(sample, step))
}

/// The number of different values, if there are only few, again and again. The most frequent value
/// does not count: rain is zero nearly everywhere, and anything elsewhere.
#[must_use]
pub fn repeating_values(sample: &[f64]) -> Option<u64> {
    let mut sorted = sample.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let runs: Vec<usize> = sorted
        .chunk_by(|a, b| a.to_bits() == b.to_bits())
        .map(<[f64]>::len)
        .collect();
    let most_frequent = runs.iter().copied().max().unwrap_or(0);
    let others = sorted.len() - most_frequent;
    let is_few = others >= LEAST_REPEATING && (runs.len() - 1) * LEAST_REPEATS <= others;
    is_few.then_some(runs.len() as u64)
}

/// Where a variable of `element_bytes` of 4 or 8 seems to come from.
///
/// `counts` are those of the whole variable; `step` and `repeating` are what [`integer_step`] and
/// [`repeating_values`] found.
#[must_use]
pub fn origin(
    counts: &VariableCounts,
    element_bytes: usize,
    step: Option<f64>,
    repeating: Option<u64>,
) -> DataOrigin {
    let mantissa = mantissa_bits(element_bytes);
    let bits = &counts.bits;
    if bits.ordinary == 0 || bits.any == bits.all {
        return DataOrigin::Constant;
    }
    if counts.whole.pairs < LEAST_PAIRS {
        return DataOrigin::TooFew;
    }
    if let Some(significant_bits) = groomed_bits(bits, mantissa) {
        return DataOrigin::Groomed { significant_bits };
    }
    if let Some(step) = step {
        return DataOrigin::UnpackedIntegers { step };
    }
    let used = used_bits(bits.any, mantissa);
    // Rounding leaves few values as well, but not far fewer than these bits can tell apart.
    let by_rounding = |distinct: &u64| distinct.saturating_mul(ROUNDED_SHARE) >= 1 << used;
    if let Some(distinct) = repeating.filter(|distinct| !by_rounding(distinct)) {
        return DataOrigin::Repeating { distinct };
    }
    if used + LEAST_UNUSED_BITS <= mantissa {
        return DataOrigin::Rounded {
            significant_bits: used,
        };
    }
    DataOrigin::Continuous
}

/// Leading mantissa bits up to the last one that any value sets.
fn used_bits(any: u64, mantissa: u32) -> u32 {
    mantissa - (any | (1 << mantissa)).trailing_zeros().min(mantissa)
}

/// Bits before the tail that is all zeros or all ones in every value; `None` if there is no such
/// tail.
fn groomed_bits(bits: &BitUse, mantissa: u32) -> Option<u32> {
    let both_kinds = bits.any & 1 == 1 && bits.all & 1 == 0;
    let first_edge = (bits.edges | (1 << (mantissa - 1))).trailing_zeros();
    let tail = first_edge + 1;
    (both_kinds && tail >= LEAST_GROOMED_BITS).then(|| mantissa - tail)
}

/// Whether a grid is only what rounding leaves: then the trailing bits are zeros, and fool nobody.
///
/// Rounding leaves steps of a power of two, and so does a subtraction of large numbers. Steps of 1
/// and more may also be whole numbers: of these, small ones use fewer bits than large ones, where
/// rounding leaves as many to both. Where all values are of one binade there is no difference, and
/// they are taken for what they are, whole numbers.
fn is_rounding(sample: &[f64], step: f64) -> bool {
    let power = step.log2().round().exp2();
    if (step / power - 1.0).abs() > STEP_PRECISION {
        return false;
    }
    if power < 1.0 {
        return true;
    }
    let fraction = (1_u64 << u64::MANTISSA_BITS) - 1;
    let mut binades = BTreeMap::new();
    for bits in sample
        .iter()
        .map(|value| value.abs().to_bits())
        .filter(|bits| *bits != 0)
    {
        let (any, count) = binades.entry(bits >> u64::MANTISSA_BITS).or_insert((0, 0));
        *any |= bits & fraction;
        *count += 1;
    }
    let mut known = binades
        .values()
        .filter(|(_, count)| *count >= LEAST_IN_BINADE);
    let bits_of = |&(any, _): &(u64, usize)| used_bits(any, u64::MANTISSA_BITS);
    match (known.next().map(bits_of), known.next_back().map(bits_of)) {
        (Some(lowest), Some(highest)) => lowest >= highest,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_and_groomed_bits_are_counted_from_the_left() {
        assert_eq!(used_bits(0x7f80_0000, 23), 0);
        assert_eq!(used_bits(0x7f80_0100, 23), 15);
        assert_eq!(used_bits(1, 52), 52);
        let bits = BitUse {
            any: 0x7fff_ffff,
            all: 0x3f80_0000,
            edges: 0xffff_ff00,
            ordinary: 10_000,
            masked: 0,
        };
        assert_eq!(groomed_bits(&bits, 23), Some(14));
        let edges = 0xffff_fffe;
        assert_eq!(groomed_bits(&BitUse { edges, ..bits }, 23), None);
    }
}
