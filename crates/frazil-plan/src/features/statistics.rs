//! Counting: entropies of byte planes, commonest values, correlations.

use frazil_types::sync::Lazy;

use super::LOOKED_AT;

/// Counts of the values of each byte of an element.
pub(super) struct Planes {
    /// The least significant byte first.
    counts: Vec<[u32; 256]>,
}

impl Planes {
    pub(super) fn new(width: usize) -> Self {
        Self {
            counts: vec![[0; 256]; width],
        }
    }

    /// Adds elements; what is beyond their bytes is ignored.
    pub(super) fn add(&mut self, bits: impl Iterator<Item = u64>) {
        match self.counts.len() {
            1 => self.count::<1>(bits),
            2 => self.count::<2>(bits),
            4 => self.count::<4>(bits),
            _ => self.count::<8>(bits),
        }
    }

    /// Counts the bytes of elements of `N` bytes. Neighbours count in two places, since they are often alike and
    /// one would wait for the other.
    fn count<const N: usize>(&mut self, mut bits: impl Iterator<Item = u64>) {
        let mut odd = [[0_u32; 256]; N];
        let mut even = [[0_u32; 256]; N];
        let add = |counts: &mut [[u32; 256]; N], bits: u64| {
            for (plane, counts) in counts.iter_mut().enumerate() {
                counts[usize::from((bits >> (8 * plane)) as u8)] += 1;
            }
        };
        while let Some(one) = bits.next() {
            add(&mut odd, one);
            if let Some(next) = bits.next() {
                add(&mut even, next);
            }
        }
        for (counts, others) in self.counts.iter_mut().zip(odd.iter().zip(&even)) {
            for (count, (odd, even)) in counts.iter_mut().zip(others.0.iter().zip(others.1)) {
                *count += odd + even;
            }
        }
    }

    /// Entropies in bits of the most significant byte, the one after it, the least significant, and
    /// their mean over all bytes.
    pub(super) fn entropies(&self) -> [f64; 4] {
        let each: Vec<f64> = self.counts.iter().map(entropy).collect();
        let last = each.len() - 1;
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        [each[last], each[last.saturating_sub(1)], each[0], mean]
    }
}

/// −Σ p log₂ p over the values of a byte, as log₂ n − Σ c log₂ c ⁄ n of their counts c.
fn entropy(counts: &[u32; 256]) -> f64 {
    /// n log₂ n: of small variables logarithms take longer than counting.
    static WEIGHTS: Lazy<Vec<f64>> = Lazy::new(|| (0..=LOOKED_AT).map(weight).collect());
    let weights = &**WEIGHTS;
    let of = |count: u32| {
        let known = weights.get(count as usize).copied();
        known.unwrap_or_else(|| weight(count as usize))
    };
    let total: u32 = counts.iter().sum();
    // Four sums side by side: none waits for the one before.
    let fours = counts.as_chunks::<4>().0.iter();
    let sums = fours.fold([0.0; 4], |sums, four| {
        std::array::from_fn::<f64, 4, _>(|i| sums[i] + of(four[i]))
    });
    let sum: f64 = sums.iter().sum();
    // Of one value only rounding may leave less than 0.
    ((of(total) - sum) / f64::from(total.max(1))).max(0.0)
}

fn weight(count: usize) -> f64 {
    match count {
        0 => 0.0,
        _ => count as f64 * (count as f64).log2(),
    }
}

/// The commonest value other than 0 with its count (of equal counts the least value), and how many
/// distinct values there are, of `count` values at most.
pub(super) fn commonest_and_distinct(
    bits: impl Iterator<Item = u64>,
    count: usize,
) -> (Option<(u64, usize)>, usize) {
    /// 2⁶⁴ by the golden ratio: neighbours come to lie far apart.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    // A table at most half full of the numbers of values, from 1 on, each at the first free place from its own on.
    let mut places = vec![0_u32; (2 * count).next_power_of_two().max(2)];
    let (shift, last) = (64 - places.len().trailing_zeros(), places.len() - 1);
    let mut seen: Vec<(u64, usize)> = Vec::with_capacity(count);
    for value in bits {
        let mut at = (value.wrapping_mul(SPREAD) >> shift) as usize;
        loop {
            let number = places[at] as usize;
            match seen.get_mut(number.wrapping_sub(1)) {
                None => {
                    seen.push((value, 1));
                    places[at] = seen.len() as u32;
                    break;
                }
                Some((known, count)) if *known == value => {
                    *count += 1;
                    break;
                }
                Some(_) => at = (at + 1) & last,
            }
        }
    }
    let mut commonest = None;
    for &(value, count) in &seen {
        let is_more =
            commonest.is_none_or(|(least, most)| count > most || (count == most && value < least));
        if value != 0 && is_more {
            commonest = Some((value, count));
        }
    }
    (commonest, seen.len())
}

/// Pearson's correlation; 0 of fewer than two pairs, 1 where values do not vary.
pub(super) fn correlation(pairs: &[(f64, f64)]) -> f64 {
    if pairs.len() < 2 {
        return 0.0;
    }
    let count = pairs.len() as f64;
    let (sum_x, sum_y) = pairs
        .iter()
        .fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for &(x, y) in pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    let scale = (xx * yy).sqrt();
    match scale > 0.0 {
        true => (xy / scale).clamp(-1.0, 1.0),
        false => 1.0,
    }
}
