//! From counts to bits of information, and from these to bits to keep.
//!
//! Klöwer et al. 2021 (doi:10.1038/s43588-021-00156-2). The mutual information of one bit position
//! in neighbouring values is its *bitwise real information*. What a coin could show as well is taken
//! for nothing (significance), and so is what does not stand out from the last four bits, which in
//! most data are noise (`get_keepbits` of xbitinfo).

use super::counts::PairCounts;

/// Quantile of the normal distribution for a two-sided confidence of 0.99.
const QUANTILE: f64 = 2.575_829_303_548_900_4;
/// Bits set more often than this, and not set more often than this, are as good as random.
const LEAST_NOISE: f64 = 0.3;
/// Of neighbours that are copies of each other, no bit differs in more than this share of pairs.
const MOST_UNEQUAL: f64 = 0.05;
/// Information has to stand out this much from that of the last bits.
const TAIL_FACTOR: f64 = 1.5;
/// So many last bits are taken for noise.
const TAIL_BITS: usize = 4;

/// Mutual information of each bit position in neighbouring values, in bits, the sign first.
#[must_use]
pub fn mutual_information(counts: &PairCounts) -> Vec<f64> {
    let n = counts.pairs as f64;
    let term = |joint: u64, a: u64, b: u64| {
        if joint == 0 {
            return 0.0;
        }
        let (joint, a, b) = (joint as f64 / n, a as f64 / n, b as f64 / n);
        joint * (joint / (a * b)).log2()
    };
    let position = |((&both, &first), &second): ((&u64, &u64), &u64)| {
        let (not_first, not_second) = (counts.pairs - first, counts.pairs - second);
        let neither = counts.pairs + both - first - second;
        term(neither, not_first, not_second)
            + term(second - both, not_first, second)
            + term(first - both, first, not_second)
            + term(both, first, second)
    };
    let marginals = counts.both.iter().zip(&counts.first).zip(&counts.second);
    marginals.map(position).collect()
}

/// The information that `pairs` tosses of two coins may show by chance (99 % confidence).
#[must_use]
pub fn free_entropy(pairs: u64) -> f64 {
    let p = (0.5 + QUANTILE / (2.0 * (pairs.max(1) as f64).sqrt())).min(1.0);
    let plog = |p: f64| if p > 0.0 { p * p.log2() } else { 0.0 };
    1.0 + plog(p) + plog(1.0 - p)
}

/// Mutual information with everything insignificant set to zero.
///
/// `used_bits`: explicit mantissa bits that are in use; later ones count as empty.
#[must_use]
pub fn real_information(counts: &PairCounts, mantissa_bits: u32, used_bits: u32) -> Vec<f64> {
    let mut information = mutual_information(counts);
    let unused = (mantissa_bits.saturating_sub(used_bits) as usize).min(information.len());
    let end = information.len();
    information[end - unused..].fill(0.0);
    let threshold = free_entropy(counts.pairs);
    for bits in &mut information {
        if *bits <= threshold {
            *bits = 0.0;
        }
    }
    information
}

/// Whether nearly all neighbours are the same number: a field that does not change along an axis (a
/// base state in time, a symmetric model's second half). Then even noise looks like information.
#[must_use]
pub fn are_copies(counts: &PairCounts) -> bool {
    let marginals = counts.both.iter().zip(&counts.first).zip(&counts.second);
    let unequal = marginals.map(|((both, first), second)| first + second - 2 * both);
    let most = unequal.max().unwrap_or(0);
    counts.pairs > 0 && (most as f64) < MOST_UNEQUAL * counts.pairs as f64
}

/// Drops what follows noise in the mantissa.
///
/// Information falls from bit to bit. Once two bits in turn are as good as random and tell nothing
/// about their neighbours, bits that do again are artificial: traces of an earlier rounding or
/// scaling, of a difference of large numbers. `information` is that of `counts`.
#[must_use]
pub fn before_noise(
    mut information: Vec<f64>,
    counts: &PairCounts,
    mantissa_bits: u32,
) -> Vec<f64> {
    let n = counts.pairs.max(1) as f64;
    let is_noise = |position: usize| {
        let set = counts.first.get(position).copied().unwrap_or(0) as f64 / n;
        information[position] == 0.0 && set > LEAST_NOISE && set < 1.0 - LEAST_NOISE
    };
    let mantissa = information.len().saturating_sub(mantissa_bits as usize);
    let noise = (mantissa..information.len().saturating_sub(1))
        .find(|&position| is_noise(position) && is_noise(position + 1));
    if let Some(noise) = noise {
        information[noise..].fill(0.0);
    }
    information
}

/// What counts for a decision: significant, before the noise, above the tail.
#[must_use]
pub fn decisive_information(counts: &PairCounts, mantissa_bits: u32, used_bits: u32) -> Vec<f64> {
    let information = real_information(counts, mantissa_bits, used_bits);
    without_tail(before_noise(information, counts, mantissa_bits))
}

/// Drops what does not stand out from the last four bits.
#[must_use]
pub fn without_tail(mut information: Vec<f64>) -> Vec<f64> {
    let tail = &information[information.len().saturating_sub(TAIL_BITS)..];
    let threshold = TAIL_FACTOR * tail.iter().copied().fold(0.0, f64::max);
    for bits in &mut information {
        if *bits <= threshold {
            *bits = 0.0;
        }
    }
    information
}

/// The share of `information` in the sign, the exponent and the first `significant_bits` mantissa
/// bits; `None` if there is none at all.
#[must_use]
pub fn share_kept(information: &[f64], mantissa_bits: u32, significant_bits: u32) -> Option<f64> {
    // Summed in the order of positions, so that equal sums are equal.
    let running = |kept: usize| information.iter().take(kept).sum::<f64>();
    let total = running(information.len());
    let dropped = mantissa_bits.saturating_sub(significant_bits) as usize;
    let kept = running(information.len().saturating_sub(dropped));
    (total > 0.0).then(|| kept / total)
}

/// The fewest mantissa bits that keep more than the share `keep` of `information`; all of them for
/// `keep` of 1 and more. May be 0. `None` if there is no information at all.
#[must_use]
pub fn bits_to_keep(information: &[f64], mantissa_bits: u32, keep: f64) -> Option<u32> {
    share_kept(information, mantissa_bits, mantissa_bits)?;
    let enough = |bits: &u32| {
        share_kept(information, mantissa_bits, *bits).is_some_and(|share| share > keep)
    };
    Some((0..mantissa_bits).find(enough).unwrap_or(mantissa_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_position(pairs: u64, both: u64, first: u64, second: u64) -> f64 {
        let counts = PairCounts {
            pairs,
            both: vec![both],
            first: vec![first],
            second: vec![second],
        };
        mutual_information(&counts)[0]
    }

    #[test]
    fn information_of_known_tables() {
        // Always equal, half of them set: one bit. Always unequal: one bit as well.
        assert_eq!(one_position(8, 4, 4, 4), 1.0);
        assert_eq!(one_position(8, 0, 4, 4), 1.0);
        // Independent, or never set: none.
        assert_eq!(one_position(8, 2, 4, 4), 0.0);
        assert_eq!(one_position(8, 0, 0, 0), 0.0);
        // Joint probabilities 3/8, 1/8, 1/8, 3/8.
        let expected = 0.75 * 1.5_f64.log2() + 0.25 * 0.5_f64.log2();
        assert!((one_position(8, 3, 4, 4) - expected).abs() < 1e-15);
    }

    #[test]
    fn neighbours_that_hardly_differ_are_copies() {
        let counts = |both: u64| PairCounts {
            pairs: 1000,
            both: vec![500, both],
            first: vec![500, 500],
            second: vec![500, 500],
        };
        assert!(are_copies(&counts(500)));
        assert!(are_copies(&counts(480)));
        assert!(!are_copies(&counts(460)));
        assert!(!are_copies(&PairCounts::default()));
    }

    #[test]
    fn free_entropy_is_that_of_the_binomial_confidence() {
        // 1 - H(p) for p = 0.5 + 2.5758 / (2 sqrt(n)).
        let p: f64 = 0.5 + QUANTILE / 200.0;
        let entropy = -(p * p.log2() + (1.0 - p) * (1.0 - p).log2());
        assert!((free_entropy(10_000) - (1.0 - entropy)).abs() < 1e-15);
        assert_eq!(free_entropy(1), 1.0);
    }

    #[test]
    fn information_after_noise_is_artificial() {
        let counts = |first: Vec<u64>| PairCounts {
            pairs: 1000,
            both: Vec::new(),
            first,
            second: Vec::new(),
        };
        let information = vec![0.5, 0.0, 0.2, 0.0, 0.1, 0.0, 0.0, 0.3];
        // One silent bit, and constant ones, say nothing.
        let kept = counts(vec![0, 0, 400, 500, 500, 1000, 1000, 500]);
        assert_eq!(before_noise(information.clone(), &kept, 6), information);
        let cut = before_noise(information, &counts(vec![500; 8]), 6);
        assert_eq!(cut, [0.5, 0.0, 0.2, 0.0, 0.1, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_tail_is_no_information() {
        let information = vec![0.5, 0.1, 0.04, 0.02, 0.01, 0.02, 0.0];
        assert_eq!(
            without_tail(information),
            [0.5, 0.1, 0.04, 0.0, 0.0, 0.0, 0.0]
        );
    }

    #[test]
    fn bits_are_kept_until_the_share_is_exceeded() {
        // Sign, one exponent bit and four mantissa bits.
        let information = [0.0, 0.5, 0.25, 0.125, 0.125, 0.0];
        assert_eq!(bits_to_keep(&information, 4, 0.4), Some(0));
        assert_eq!(bits_to_keep(&information, 4, 0.5), Some(1));
        assert_eq!(bits_to_keep(&information, 4, 0.75), Some(2));
        assert_eq!(bits_to_keep(&information, 4, 0.99), Some(3));
        assert_eq!(bits_to_keep(&information, 4, 1.0), Some(4));
        assert_eq!(bits_to_keep(&[0.0; 6], 4, 0.99), None);
        assert_eq!(share_kept(&information, 4, 2), Some(0.875));
    }
}
