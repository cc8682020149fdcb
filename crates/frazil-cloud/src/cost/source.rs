//! A source of bytes that counts what a link to a bucket would be asked.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use frazil_hdf5::Source;
use frazil_types::sync::Mutex;

use super::{Link, ReadCost};

/// Metadata are read in blocks of this size.
pub(super) const BLOCK_BYTES: u64 = 4096;

/// A file, read as over a link.
pub(super) struct Counted {
    file: Arc<dyn Source>,
    link: Link,
    counts: Arc<Mutex<Counts>>,
}

/// What was asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) cost: ReadCost,
    /// Where the last of it ends, the head aside.
    pub(super) end: u64,
}

impl Counted {
    /// A file, and where its counts are.
    pub(super) fn new(file: Arc<dyn Source>, link: Link) -> (Self, Arc<Mutex<Counts>>) {
        let counts = Arc::new(Mutex::new(Counts::default()));
        let counted = Self {
            file,
            link,
            counts: Arc::clone(&counts),
        };
        (counted, counts)
    }
}

impl Source for Counted {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let mut counts = self.counts.lock();
        counts.cost.add(&one_round(ranges.to_vec(), self.link));
        let behind = ranges.iter().filter(|range| range.start > 0);
        counts.end = behind.fold(counts.end, |end, range| end.max(range.end));
        drop(counts);
        self.file.read_ranges(ranges)
    }

    fn block_bytes(&self) -> u64 {
        BLOCK_BYTES
    }

    fn head_bytes(&self) -> u64 {
        self.link.head_bytes
    }
}

/// What it takes to read ranges that are known: requests that go out together. As frazil asks: those that are near are
/// joined, and what becomes too long is cut.
pub(super) fn one_round(mut ranges: Vec<Range<u64>>, link: Link) -> ReadCost {
    ranges.retain(|range| range.start < range.end);
    ranges.sort_unstable_by_key(|range| range.start);
    let mut cost = ReadCost::default();
    let mut open: Option<Range<u64>> = None;
    for range in ranges {
        match &mut open {
            Some(run) if range.start <= run.end.saturating_add(link.gap_bytes) => {
                run.end = run.end.max(range.end);
            }
            _ => {
                if let Some(run) = open.replace(range) {
                    cost.send(&run, link);
                }
            }
        }
    }
    if let Some(run) = &open {
        cost.send(run, link);
    }
    cost.rounds = u64::from(cost.requests > 0);
    cost
}

impl ReadCost {
    /// Counts one range; a long one takes several requests.
    fn send(&mut self, range: &Range<u64>, link: Link) {
        let bytes = range.end - range.start;
        self.requests += bytes.div_ceil(link.request_bytes.max(1));
        self.bytes += bytes;
    }

    /// Counts what comes after this.
    pub(super) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.rounds += other.rounds;
        self.bytes += other.bytes;
    }

    /// What was counted since `before`.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self {
            requests: self.requests - before.requests,
            rounds: self.rounds - before.rounds,
            bytes: self.bytes - before.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_are_near_are_one_request() {
        let link = Link {
            gap_bytes: 10,
            request_bytes: 100,
            head_bytes: 0,
        };
        let cost = |ranges: &[Range<u64>]| {
            let cost = one_round(ranges.to_vec(), link);
            (cost.requests, cost.rounds, cost.bytes)
        };
        assert_eq!(cost(&[]), (0, 0, 0));
        assert_eq!(cost(&[20..30, 0..10]), (1, 1, 30));
        assert_eq!(cost(&[21..30, 0..10]), (2, 1, 19));
        // No request is longer than 100 bytes.
        assert_eq!(cost(&[0..60, 60..120]), (2, 1, 120));
        assert_eq!(cost(&[0..250, 0..1]), (3, 1, 250));
    }
}
