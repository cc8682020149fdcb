//! Prefix codes of limited length.

/// Most symbols of an alphabet.
const MOST: usize = 288;
/// No code of these alphabets is longer before it is limited: counts fit into 32 bits.
const DEEPEST: usize = 48;

/// A code: by symbol its bits, reversed as the format wants them, and their number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Code<const SYMBOLS: usize> {
    pub(super) bits: [u16; SYMBOLS],
    pub(super) lengths: [u8; SYMBOLS],
}

impl<const SYMBOLS: usize> Code<SYMBOLS> {
    /// The code whose symbols have these lengths; 0: a symbol has none.
    pub(super) fn of_lengths(lengths: [u8; SYMBOLS]) -> Self {
        let mut counts = [0_u16; 16];
        for &length in lengths.iter().filter(|&&length| length > 0) {
            counts[usize::from(length)] += 1;
        }
        let mut next = [0_u16; 16];
        for length in 1..16 {
            next[length] = (next[length - 1] + counts[length - 1]) << 1;
        }
        let mut bits = [0; SYMBOLS];
        for (bits, &length) in bits.iter_mut().zip(&lengths) {
            if length > 0 {
                let next = &mut next[usize::from(length)];
                *bits = next.reverse_bits() >> (16 - length);
                *next += 1;
            }
        }
        Self { bits, lengths }
    }

    /// The best code for symbols that occur so often, none longer than `longest`. It always has
    /// two symbols at least: not every decoder takes fewer.
    pub(super) fn best(counts: &[u32; SYMBOLS], longest: usize) -> Self {
        let mut used: Vec<(u32, u16)> = Vec::with_capacity(SYMBOLS);
        used.extend(
            (0..SYMBOLS as u16)
                .zip(counts)
                .filter(|(_, n)| **n > 0)
                .map(|(s, n)| (*n, s)),
        );
        let mut others = 0..SYMBOLS as u16;
        while used.len() < 2 {
            let Some(other) = others.find(|symbol| used.iter().all(|(_, s)| s != symbol)) else {
                break;
            };
            used.push((1, other));
        }
        used.sort_unstable();
        let mut numbers = lengths_of_tree(&used);
        limit(&mut numbers, longest);
        let mut lengths = [0; SYMBOLS];
        // The rarest first, hence the longest.
        let mut symbols = used.iter();
        for length in (1..=longest).rev() {
            for (_, symbol) in symbols.by_ref().take(numbers[length] as usize) {
                lengths[usize::from(*symbol)] = length as u8;
            }
        }
        Self::of_lengths(lengths)
    }

    /// Bits of symbols that occur so often.
    pub(super) fn cost(&self, counts: &[u32; SYMBOLS]) -> u64 {
        let pairs = counts.iter().zip(&self.lengths);
        pairs
            .map(|(&count, &length)| u64::from(count) * u64::from(length))
            .sum()
    }
}

/// By length: how many leaves of Huffman's tree have it. `used` is sorted by count, two or more.
fn lengths_of_tree(used: &[(u32, u16)]) -> [u32; DEEPEST] {
    // Leaves, then inner nodes in the order in which they are made, which is that of their counts.
    let leaves = used.len();
    let mut weights = [0_u32; 2 * MOST];
    let mut parents = [0_u16; 2 * MOST];
    for (weight, (count, _)) in weights.iter_mut().zip(used) {
        *weight = *count;
    }
    let (mut leaf, mut inner) = (0, leaves);
    let last = 2 * leaves - 1;
    for made in leaves..last {
        let mut lightest = || {
            let is_leaf = leaf < leaves && (inner >= made || weights[leaf] <= weights[inner]);
            let taken = if is_leaf { &mut leaf } else { &mut inner };
            *taken += 1;
            *taken - 1
        };
        let pair = [lightest(), lightest()];
        weights[made] = weights[pair[0]] + weights[pair[1]];
        for node in pair {
            parents[node] = made as u16;
        }
    }
    let mut depths = [0_u8; 2 * MOST];
    let mut numbers = [0; DEEPEST];
    for node in (0..last - 1).rev() {
        depths[node] = depths[usize::from(parents[node])] + 1;
        if node < leaves {
            numbers[usize::from(depths[node]).min(DEEPEST - 1)] += 1;
        }
    }
    numbers
}

/// Makes a complete code of one that is complete but too long: leaves that are too deep go up, and
/// others down to make place for them.
fn limit(numbers: &mut [u32; DEEPEST], longest: usize) {
    let (kept, deeper) = numbers.split_at_mut(longest + 1);
    kept[longest] += deeper.iter().sum::<u32>();
    deeper.fill(0);
    let share = |length: usize| 1_u64 << (longest - length);
    let mut taken: u64 = (1..=longest).map(|n| u64::from(kept[n]) * share(n)).sum();
    while taken > share(0) {
        // A leaf goes down with one of the deepest beside it.
        let Some(length) = (1..longest).rev().find(|&length| kept[length] > 0) else {
            return;
        };
        kept[longest] -= 1;
        kept[length] -= 1;
        kept[length + 1] += 2;
        taken -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_complete(lengths: &[u8], longest: u8) {
        let used = lengths.iter().filter(|&&length| length > 0);
        let taken: u64 = used.map(|&length| 1 << (longest - length)).sum();
        assert_eq!(taken, 1 << longest);
    }

    #[test]
    fn codes_are_complete_and_no_longer_than_allowed() {
        // Fibonacci's numbers give the deepest tree.
        let mut counts = [0_u32; 40];
        (counts[0], counts[1]) = (1, 1);
        for i in 2..40 {
            counts[i] = counts[i - 1] + counts[i - 2];
        }
        for longest in [6, 7, 14, 15] {
            let code = Code::best(&counts, longest);
            is_complete(&code.lengths, longest as u8);
            assert!(code.lengths.is_sorted_by(|a, b| a >= b), "rarer, longer");
        }
        for used in [0, 1, 2] {
            let mut counts = [0_u32; 30];
            counts[3..3 + used].fill(5);
            let code = Code::best(&counts, 15);
            is_complete(&code.lengths, 15);
            assert_eq!(
                code.lengths.iter().filter(|&&length| length == 1).count(),
                2
            );
        }
    }

    #[test]
    fn lengths_are_those_of_huffmans_tree() {
        let code = Code::best(&[5, 9, 12, 13, 16, 45], 15);
        assert_eq!(code.lengths, [4, 4, 3, 3, 3, 1]);
        assert_eq!(code.cost(&[5, 9, 12, 13, 16, 45]), 224);
        assert_eq!(code.bits[5], 0);
    }
}
