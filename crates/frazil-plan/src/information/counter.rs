//! How often each bit position is set, over many words: positional population counts.
//!
//! Counts are kept bit-sliced: bit b of plane k is bit k of the count of position b. Sixteen vectors
//! at a time go through a tree of carry-save adders (Harley and Seal), so that a vector costs about
//! five logical operations. A lane is one word; lanes are counted apart and added at the end.

use super::words::Word;

/// Vectors that go through the tree together.
const BLOCK: usize = 16;
/// Planes of weight 16 and more. So many blocks fit: 2^LEVELS - 1.
const LEVELS: usize = 16;

/// Counts set bits by position in words of `L` lanes.
pub(super) struct BitCounter<W, const L: usize> {
    /// Weights 1, 2, 4, 8.
    low: [[W; L]; 4],
    /// Weights 16, 32, ...
    high: [[W; L]; LEVELS],
    /// One more addend for each of these, in use where that bit of `blocks` is set.
    pending: [[W; L]; LEVELS],
    blocks: u32,
    /// What was taken out of the planes before; least significant position first.
    totals: Vec<u64>,
}

/// Adds three bits of weight 1 in every place: `sum` keeps weight 1, the carry is of weight 2.
#[inline(always)]
fn add<W: Word, const L: usize>(sum: &mut [W; L], a: [W; L], b: [W; L]) -> [W; L] {
    let mut carry = a;
    for l in 0..L {
        let half = sum[l] ^ a[l];
        carry[l] = (sum[l] & a[l]) | (half & b[l]);
        sum[l] = half ^ b[l];
    }
    carry
}

#[inline(always)]
fn and<W: Word, const L: usize>(mut a: [W; L], b: &[W; L]) -> [W; L] {
    for l in 0..L {
        a[l] = a[l] & b[l];
    }
    a
}

impl<W: Word, const L: usize> BitCounter<W, L> {
    pub(super) fn new() -> Self {
        Self {
            low: [[W::ZERO; L]; 4],
            high: [[W::ZERO; L]; LEVELS],
            pending: [[W::ZERO; L]; LEVELS],
            blocks: 0,
            totals: vec![0; W::BITS],
        }
    }

    /// Counts the bits of `a[i] & b[i]` for all i that both have.
    pub(super) fn add_and(&mut self, a: &[W], b: &[W]) {
        let n = a.len().min(b.len());
        let (a_vectors, a_rest) = a[..n].as_chunks::<L>();
        let (b_vectors, b_rest) = b[..n].as_chunks::<L>();
        let (a_blocks, a_tail) = a_vectors.as_chunks::<BLOCK>();
        let (b_blocks, b_tail) = b_vectors.as_chunks::<BLOCK>();
        for (x, y) in a_blocks.iter().zip(b_blocks) {
            self.add_block(x, y);
        }
        if a_tail.is_empty() && a_rest.is_empty() {
            return;
        }
        // Zeros count nothing.
        let mut x = [[W::ZERO; L]; BLOCK];
        let mut y = x;
        for (whole, tail, rest) in [(&mut x, a_tail, a_rest), (&mut y, b_tail, b_rest)] {
            whole[..tail.len()].copy_from_slice(tail);
            if let Some(last) = whole.get_mut(tail.len()) {
                last[..rest.len()].copy_from_slice(rest);
            }
        }
        self.add_block(&x, &y);
    }

    #[inline(always)]
    fn add_block(&mut self, x: &[[W; L]; BLOCK], y: &[[W; L]; BLOCK]) {
        let [mut ones, mut twos, mut fours, mut eights] = self.low;
        let mut eight = [[W::ZERO; L]; 2];
        for (half, carry) in eight.iter_mut().enumerate() {
            let at = |i: usize| and(x[8 * half + i], &y[8 * half + i]);
            let two_a = add(&mut ones, at(0), at(1));
            let two_b = add(&mut ones, at(2), at(3));
            let four_a = add(&mut twos, two_a, two_b);
            let two_a = add(&mut ones, at(4), at(5));
            let two_b = add(&mut ones, at(6), at(7));
            let four_b = add(&mut twos, two_a, two_b);
            *carry = add(&mut fours, four_a, four_b);
        }
        let mut carry = add(&mut eights, eight[0], eight[1]);
        self.low = [ones, twos, fours, eights];
        let mut level = 0;
        while (self.blocks >> level) & 1 == 1 {
            carry = add(&mut self.high[level], self.pending[level], carry);
            level += 1;
        }
        self.pending[level] = carry;
        self.blocks += 1;
        if self.blocks == (1 << LEVELS) - 1 {
            self.empty_planes();
        }
    }

    /// Moves everything from the planes to the totals.
    fn empty_planes(&mut self) {
        for (k, plane) in self.low.iter().enumerate() {
            add_plane(plane, k, &mut self.totals);
        }
        let used = (u32::BITS - self.blocks.leading_zeros()) as usize;
        for level in 0..used.min(LEVELS) {
            add_plane(&self.high[level], level + 4, &mut self.totals);
            if (self.blocks >> level) & 1 == 1 {
                add_plane(&self.pending[level], level + 4, &mut self.totals);
            }
            self.high[level] = [W::ZERO; L];
        }
        self.low = [[W::ZERO; L]; 4];
        self.blocks = 0;
    }

    /// Adds all counts to `counts`, most significant position first, and begins anew.
    pub(super) fn take_into(&mut self, counts: &mut [u64]) {
        self.empty_planes();
        for (count, total) in counts.iter_mut().zip(self.totals.iter_mut().rev()) {
            *count += std::mem::take(total);
        }
    }
}

fn add_plane<W: Word>(plane: &[W], weight: usize, totals: &mut [u64]) {
    for word in plane.iter().filter(|&&word| word != W::ZERO) {
        let bits = word.to_u64();
        for (position, total) in totals.iter_mut().enumerate() {
            *total += ((bits >> position) & 1) << weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive<W: Word>(a: &[W], b: &[W]) -> Vec<u64> {
        let mut counts = vec![0; W::BITS];
        for (&x, &y) in a.iter().zip(b) {
            for (i, count) in counts.iter_mut().enumerate() {
                *count += ((x & y).to_u64() >> (W::BITS - 1 - i)) & 1;
            }
        }
        counts
    }

    fn counted<W: Word, const L: usize>(pieces: &[(&[W], &[W])]) -> Vec<u64> {
        let mut counter = BitCounter::<W, L>::new();
        for (a, b) in pieces {
            counter.add_and(a, b);
        }
        let mut counts = vec![0; W::BITS];
        counter.take_into(&mut counts);
        counts
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_obvious_loop(
            a in proptest::collection::vec(any::<u64>(), 0..3000),
            turn in 0_u32..64,
            cut in 0_usize..3000,
        ) {
            let b: Vec<u64> = a.iter().map(|x| x.rotate_left(turn)).collect();
            let cut = cut.min(a.len());
            let pieces = [(&a[..cut], &b[..cut]), (&a[cut..], &b[cut..])];
            prop_assert_eq!(counted::<u64, 4>(&pieces), naive(&a, &b));
            let a32: Vec<u32> = a.iter().map(|x| *x as u32).collect();
            let b32: Vec<u32> = b.iter().map(|x| *x as u32).collect();
            let pieces = [(&a32[..cut], &b32[..cut]), (&a32[cut..], &b32[cut..])];
            prop_assert_eq!(counted::<u32, 8>(&pieces), naive(&a32, &b32));
        }
    }

    #[test]
    fn planes_are_emptied_before_they_overflow() {
        let ones = vec![u32::MAX; 1 << 20];
        let mut counter = BitCounter::<u32, 8>::new();
        for _ in 0..17 {
            counter.add_and(&ones, &ones);
        }
        let mut counts = vec![1; 32];
        counter.take_into(&mut counts);
        assert_eq!(counts, vec![(17 << 20) + 1; 32]);
        counter.take_into(&mut counts);
        assert_eq!(counts[0], (17 << 20) + 1);
    }
}
