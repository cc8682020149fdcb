//! Chunks that a read still has to fetch, and which of them the disk delivers meanwhile.

use std::collections::VecDeque;
use std::ops::Range;

use super::wanted::WantedChunk;

/// So much comes from the disk while other chunks are decoded.
const AHEAD_BYTES: u64 = 16 << 20;
/// The system reads ahead by itself, at less cost, for one who reads on and on. After so much of
/// that only the very next chunks are announced: enough where the system looks a short way ahead.
const FOLLOWED_BYTES: u64 = 8 << 20;
/// No disk is faster for having been asked for more batches.
const MAX_BATCHES: usize = 64;
/// As [`AHEAD_BYTES`] and [`MAX_BATCHES`], where bytes take long to come: all that is wanted goes out together, if it
/// is not too much. More is announced when half of that has come: few announcements join more.
const FAR_AHEAD_BYTES: u64 = 64 << 20;
const FAR_MAX_BATCHES: usize = 4096;
/// Batches that begin this close behind another continue it.
const MAX_GAP_BYTES: u64 = 64 << 10;

/// Neighbouring chunks that are read together and decoded by one thread.
pub(super) struct Batch {
    pub(super) members: Vec<WantedChunk>,
    /// From the first byte to the end of the last.
    pub(super) span: (u64, u64),
}

/// Parts of the file that one batch reads, in order.
pub(super) type Parts = Vec<Range<u64>>;

/// Batches that no thread has taken yet.
pub(super) struct Upcoming {
    batches: VecDeque<Queued>,
    /// Bytes that the disk was asked for, or the system fetches by itself, of each of the first
    /// batches.
    ahead: VecDeque<u64>,
    is_far: bool,
}

struct Queued {
    batch: Batch,
    /// Whether the system will have read ahead to it.
    is_followed: bool,
}

impl Upcoming {
    /// Takes batches in order of address; `is_far`: their bytes take long to come.
    pub(super) fn new(batches: Vec<Batch>, is_far: bool) -> Self {
        let (mut run_start, mut run_end) = (0, None);
        let queued = batches.into_iter().map(|batch| {
            let (start, end) = batch.span;
            let continues = |last: u64| start.saturating_sub(last) <= MAX_GAP_BYTES;
            if !run_end.is_some_and(continues) {
                run_start = start;
            }
            run_end = Some(end);
            let is_followed = !is_far && start.saturating_sub(run_start) >= FOLLOWED_BYTES;
            Queued { batch, is_followed }
        });
        Self {
            batches: queued.collect(),
            ahead: VecDeque::new(),
            is_far,
        }
    }

    /// The next batch, and the parts of it and of later ones that are to be announced before it is
    /// read; `parts` says which are those of a batch.
    pub(super) fn take(&mut self, parts: impl Fn(&Batch) -> Parts) -> Option<(Batch, Vec<Parts>)> {
        let mut announced = Vec::new();
        let mut bytes: u64 = self.ahead.iter().sum();
        let (most_bytes, most_batches) = match self.is_far {
            false => (AHEAD_BYTES, MAX_BATCHES),
            true if self.ahead.is_empty() || bytes <= FAR_AHEAD_BYTES / 2 => {
                (FAR_AHEAD_BYTES, FAR_MAX_BATCHES)
            }
            true => (0, 0),
        };
        while let Some(queued) = self.batches.get(self.ahead.len())
            && self.ahead.len() < most_batches
            && bytes < most_bytes
        {
            let (start, end) = queued.batch.span;
            let new = if queued.is_followed {
                end.saturating_sub(start)
            } else {
                let parts = parts(&queued.batch);
                let length = |part: &Range<u64>| part.end.saturating_sub(part.start);
                let new = parts.iter().map(length).fold(0, u64::saturating_add);
                announced.push(parts);
                new
            };
            self.ahead.push_back(new);
            bytes = bytes.saturating_add(new);
        }
        let is_alone = self.batches.len() == 1;
        let next = self.batches.pop_front()?;
        self.ahead.pop_front();
        // What is read at once, by one call, need not be announced.
        announced.retain(|parts| parts.len() > 1 || !is_alone);
        Some((next.batch, announced))
    }

    /// The parts of the next batch, if it was left to the system. They are to be announced when
    /// the batch before it has been read.
    pub(super) fn follower(&self, parts: impl Fn(&Batch) -> Parts) -> Option<Parts> {
        let next = self.batches.front()?;
        next.is_followed.then(|| parts(&next.batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(spans: impl Iterator<Item = (u64, u64)>) -> Upcoming {
        let batch = |span| Batch {
            members: Vec::new(),
            span,
        };
        Upcoming::new(spans.map(batch).collect(), false)
    }

    #[test]
    fn never_more_is_announced_than_the_bounds() {
        for (bytes, most) in [(3 << 20, 6), (100, MAX_BATCHES), (1 << 40, 1)] {
            let step = bytes + (1 << 20);
            let mut queue = queue((0..200).map(|i| (i * step, i * step + bytes)));
            let whole = |batch: &Batch| std::iter::once(batch.span.0..batch.span.1).collect();
            let (mut taken, mut announced) = (0, 0);
            while let Some((batch, more)) = queue.take(whole) {
                assert_eq!(batch.span.0, taken as u64 * step);
                for parts in more {
                    assert_eq!(parts[0].start, announced as u64 * step, "in order");
                    announced += 1;
                }
                assert!(announced > taken || taken == 199, "itself");
                assert!(announced - taken <= most, "{bytes}: {announced} at {taken}");
                assert!(queue.follower(whole).is_none());
                taken += 1;
            }
            assert_eq!(taken, 200);
        }
    }
}
