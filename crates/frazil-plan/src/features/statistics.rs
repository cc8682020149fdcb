//! Counting: entropies of byte planes, commonest values, correlations.

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

    /// Adds one element; what is beyond its bytes is ignored.
    pub(super) fn add(&mut self, bits: u64) {
        for (plane, counts) in self.counts.iter_mut().enumerate() {
            counts[usize::from((bits >> (8 * plane)) as u8)] += 1;
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

/// −Σ p log₂ p over the values of a byte.
fn entropy(counts: &[u32; 256]) -> f64 {
    let total: u32 = counts.iter().sum();
    let seen = counts.iter().filter(|&&count| count > 0);
    let sum: f64 = seen
        .map(|&count| {
            let share = f64::from(count) / f64::from(total);
            -share * share.log2()
        })
        .sum();
    // Of one value only the sum is −0.
    sum.max(0.0)
}

/// The commonest value other than 0 with its count (of equal counts the least value), and how many
/// distinct values there are.
pub(super) fn commonest_and_distinct(bits: &[u64]) -> (Option<(u64, usize)>, usize) {
    // Half as long, they are sorted in half the time.
    let short: Option<Vec<u32>> = bits.iter().map(|&bits| u32::try_from(bits).ok()).collect();
    match short {
        Some(mut short) => {
            short.sort_unstable();
            of_sorted(&short)
        }
        None => {
            let mut long = bits.to_vec();
            long.sort_unstable();
            of_sorted(&long)
        }
    }
}

fn of_sorted<T: Copy + PartialEq + Into<u64>>(sorted: &[T]) -> (Option<(u64, usize)>, usize) {
    let (mut commonest, mut distinct) = (None, 0);
    for run in sorted.chunk_by(|a, b| a == b) {
        distinct += 1;
        let is_more = commonest.is_none_or(|(_, count)| run.len() > count);
        let value: u64 = run[0].into();
        if value != 0 && is_more {
            commonest = Some((value, run.len()));
        }
    }
    (commonest, distinct)
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
