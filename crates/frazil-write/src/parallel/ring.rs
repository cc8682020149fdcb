//! Space that is taken in turns: one piece behind the other, and from the start again.

use std::collections::VecDeque;
use std::ops::Range;

/// Which parts of a space are taken, in the order in which they were.
pub(super) struct Ring {
    bytes: u64,
    taken: VecDeque<Range<u64>>,
}

impl Ring {
    /// A space of so many bytes, all free.
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            bytes,
            taken: VecDeque::new(),
        }
    }

    /// Takes a piece, of at least one byte; `None`: there is no room for it now.
    pub(super) fn take(&mut self, bytes: u64) -> Option<Range<u64>> {
        let start = self.start_of(bytes)?;
        let piece = start..start + bytes;
        self.taken.push_back(piece.clone());
        Some(piece)
    }

    fn start_of(&self, bytes: u64) -> Option<u64> {
        let (Some(oldest), Some(newest)) = (self.taken.front(), self.taken.back()) else {
            return (bytes <= self.bytes).then_some(0);
        };
        let began_anew = newest.start < oldest.start;
        // As soon as there is room: what was used before costs the system no new memory.
        if !began_anew && bytes <= oldest.start {
            return Some(0);
        }
        let limit = if began_anew { oldest.start } else { self.bytes };
        (bytes <= limit - newest.end).then_some(newest.end)
    }

    /// The piece that was taken first.
    pub(super) fn oldest(&self) -> Option<&Range<u64>> {
        self.taken.front()
    }

    /// Gives the oldest piece back.
    pub(super) fn free_oldest(&mut self) {
        self.taken.pop_front();
    }

    /// Gives the piece back that was taken last.
    pub(super) fn free_newest(&mut self) {
        self.taken.pop_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::script::Random;

    #[test]
    fn pieces_follow_each_other_and_begin_anew() {
        let mut ring = Ring::new(100);
        assert_eq!(ring.take(101), None);
        assert_eq!(ring.take(60), Some(0..60));
        assert_eq!(ring.take(40), Some(60..100));
        assert_eq!(ring.take(1), None);
        ring.free_oldest();
        assert_eq!(ring.take(61), None);
        assert_eq!(ring.take(59), Some(0..59));
        assert_eq!(ring.take(2), None);
        assert_eq!(ring.take(1), Some(59..60));
        assert_eq!(ring.take(1), None);
        ring.free_newest();
        assert_eq!(ring.take(1), Some(59..60));
        ring.free_oldest();
        assert_eq!(ring.oldest(), Some(&(0..59)));
        assert_eq!(ring.take(40), Some(60..100));
        assert_eq!(ring.take(1), None);
    }

    /// No two pieces meet, and a ring of which all was given back takes any piece.
    #[test]
    fn pieces_of_odd_sizes_never_meet() {
        for seed in 0..50 {
            let mut random = Random(seed);
            let bytes = 1 + random.below(500);
            let (mut ring, mut is_taken) = (Ring::new(bytes), vec![false; bytes as usize]);
            for _ in 0..400 {
                let range = |piece: &Range<u64>| piece.start as usize..piece.end as usize;
                if random.below(3) == 0
                    && let Some(oldest) = ring.oldest()
                {
                    is_taken[range(oldest)].fill(false);
                    ring.free_oldest();
                } else if let Some(piece) = ring.take(1 + random.below(bytes)) {
                    assert!(!is_taken[range(&piece)].contains(&true));
                    is_taken[range(&piece)].fill(true);
                }
            }
            while ring.oldest().is_some() {
                ring.free_oldest();
            }
            assert_eq!(ring.take(bytes), Some(0..bytes));
        }
    }
}
