//! Bytes of a file that is somewhere else, and those of them that are on their way.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use frazil_container::hdf5::{Arrival, Source};
use frazil_types::sync::Mutex;

/// Bytes of all files of the process that are on their way, or came and were not read yet.
static UNDER_WAY: AtomicU64 = AtomicU64::new(0);
/// A part of what a process may keep for later reads may be under way.
const PART_OF_BUDGET: u64 = 4;
/// So much may be under way whatever the budget is: less would come one after the other.
const LEAST_UNDER_WAY: u64 = 32 << 20;
/// What nobody has read after so long was announced in vain: its reader has stopped.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Reads that begin this close behind another continue it.
const MOST_SKIPPED: u64 = 256 << 10;
/// So many reads in a row that continue each other are taken to go on, and what comes next is asked for: at first
/// so much, then twice that, and so on.
const FIRST_CONTINUED: u32 = 2;
const FIRST_AHEAD: u64 = 4 << 20;
const MOST_AHEAD: u64 = 32 << 20;

/// A file that is somewhere else.
pub struct FarBytes {
    source: Arc<dyn Source>,
    spans: Mutex<Vec<Arc<Span>>>,
    walk: Mutex<Walk>,
}

/// Reads that go on and on, by those who announce nothing.
#[derive(Debug, Default)]
struct Walk {
    /// Where the last one ended, and how far what was asked for reaches.
    end: u64,
    asked: u64,
    continued: u32,
}

impl Walk {
    /// Takes a read into account: what should be asked for now.
    fn go(&mut self, read: Range<u64>) -> Option<Range<u64>> {
        let from = self.end.saturating_sub(MOST_SKIPPED);
        let is_next = (from..=self.end.saturating_add(MOST_SKIPPED)).contains(&read.start);
        if !is_next {
            *self = Self {
                end: read.end,
                asked: read.end,
                continued: 0,
            };
            return None;
        }
        self.end = self.end.max(read.end);
        self.asked = self.asked.max(self.end);
        self.continued = self.continued.saturating_add(1);
        let doublings = self.continued.checked_sub(FIRST_CONTINUED)?;
        let ahead = (FIRST_AHEAD << doublings.min(8)).min(MOST_AHEAD);
        let next = self.asked..self.end.saturating_add(ahead);
        // Few long requests are better than many short ones.
        if next.end.saturating_sub(next.start) < ahead / 2 {
            return None;
        }
        self.asked = next.end;
        Some(next)
    }
}

impl fmt::Debug for FarBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FarBytes")
    }
}

/// A run of bytes that was asked for.
struct Span {
    range: Range<u64>,
    bytes: Mutex<Bytes>,
    /// Bytes of it that were announced, and nobody has read yet.
    unread: AtomicU64,
    begun: Instant,
    is_guess: bool,
}

enum Bytes {
    Coming(Arrival),
    Here(Vec<u8>),
    /// Reading asks for it again, and says what is wrong.
    Lost,
}

impl Drop for Span {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(self.range.end - self.range.start, Ordering::Relaxed);
    }
}

impl Span {
    fn new(range: Range<u64>, arrival: Arrival, wanted: &[Range<u64>], is_guess: bool) -> Self {
        UNDER_WAY.fetch_add(range.end - range.start, Ordering::Relaxed);
        let part = |one: &Range<u64>| {
            let (from, to) = (one.start.max(range.start), one.end.min(range.end));
            to.saturating_sub(from)
        };
        Self {
            bytes: Mutex::new(Bytes::Coming(arrival)),
            unread: AtomicU64::new(wanted.iter().map(part).sum()),
            begun: Instant::now(),
            is_guess,
            range,
        }
    }

    /// Copies bytes from an address on, as many as it has of them; `None`: they did not come.
    fn copy(&self, address: u64, target: &mut [u8]) -> Option<usize> {
        let mut bytes = self.bytes.lock();
        if let Bytes::Coming(_) = *bytes
            && let Bytes::Coming(arrival) = std::mem::replace(&mut *bytes, Bytes::Lost)
            && let Ok(found) = arrival()
        {
            *bytes = Bytes::Here(found);
        }
        let Bytes::Here(found) = &*bytes else {
            return None;
        };
        let from = usize::try_from(address - self.range.start).ok()?;
        let here = found.get(from..)?;
        let length = here.len().min(target.len());
        target[..length].copy_from_slice(&here[..length]);
        (length > 0).then_some(length)
    }
}

impl FarBytes {
    /// A file whose bytes come from `source`.
    pub(crate) fn new(source: Arc<dyn Source>) -> Self {
        Self {
            source,
            spans: Mutex::default(),
            walk: Mutex::default(),
        }
    }

    /// Where the bytes come from.
    pub(crate) fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Fills `buffer`: with what is on its way, and with what is asked for now.
    pub(crate) fn read(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        let is_announced = self.covering(address).is_some_and(|span| !span.is_guess);
        if !is_announced {
            let end = address.saturating_add(buffer.len() as u64);
            let next = self.walk.lock().go(address..end);
            if let Some(next) = next {
                self.ask(std::slice::from_ref(&next), true);
            }
        }
        let mut at = 0;
        while at < buffer.len() {
            let here = address + at as u64;
            let rest = &mut buffer[at..];
            if let Some(span) = self.covering(here) {
                if let Some(length) = span.copy(here, rest) {
                    self.note_read(&span, length as u64);
                    at += length;
                    continue;
                }
                self.spans.lock().retain(|one| !Arc::ptr_eq(one, &span));
            }
            let until = self.next_begin(here).unwrap_or(u64::MAX);
            let length = rest
                .len()
                .min(usize::try_from(until - here).unwrap_or(usize::MAX));
            let wanted = here..here + length as u64;
            let found = self.source.read_ranges(std::slice::from_ref(&wanted))?;
            let found = found.first().filter(|found| found.len() == length);
            rest[..length].copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            at += length;
        }
        Ok(())
    }

    /// Asks for ranges that will be read soon, as far as there is room for them.
    pub(crate) fn announce(&self, ranges: &[Range<u64>]) {
        self.ask(ranges, false);
    }

    /// Asks for ranges that nobody may want after all (`is_guess`), or that somebody has announced.
    fn ask(&self, ranges: &[Range<u64>], is_guess: bool) {
        let budget = frazil_pipeline::read_stats().budget_bytes / PART_OF_BUDGET;
        let budget = budget.max(LEAST_UNDER_WAY);
        let mut room = budget.saturating_sub(UNDER_WAY.load(Ordering::Relaxed));
        let length = self.source.length().unwrap_or(0);
        let mut wanted = Vec::new();
        for range in ranges {
            let range = range.start..range.end.min(length);
            let bytes = range.end.saturating_sub(range.start);
            if bytes == 0 || self.covering(range.start).is_some() {
                continue;
            }
            let Some(left) = room.checked_sub(bytes) else {
                break;
            };
            room = left;
            wanted.push(range);
        }
        if wanted.is_empty() {
            return;
        }
        let begun = self.source.begin(&wanted).into_iter();
        let begun = begun.filter(|(range, _)| range.start < range.end);
        let begun: Vec<Arc<Span>> = begun
            .map(|(range, arrival)| Arc::new(Span::new(range, arrival, &wanted, is_guess)))
            .collect();
        let mut spans = self.spans.lock();
        spans.retain(|span| span.begun.elapsed() < LONGEST_WAIT);
        spans.extend(begun);
        spans.sort_by_key(|span| span.range.start);
    }

    fn covering(&self, address: u64) -> Option<Arc<Span>> {
        let spans = self.spans.lock();
        let behind = spans.partition_point(|span| span.range.start <= address);
        let found = spans[..behind].iter().rev().take(2);
        let mut found = found.filter(|span| span.range.contains(&address));
        found.next().map(Arc::clone)
    }

    fn next_begin(&self, address: u64) -> Option<u64> {
        let spans = self.spans.lock();
        let behind = spans.partition_point(|span| span.range.start <= address);
        spans.get(behind).map(|span| span.range.start)
    }

    /// Lets go of a span when all of it was read.
    fn note_read(&self, span: &Arc<Span>, bytes: u64) {
        let before = span.unread.fetch_sub(
            bytes.min(span.unread.load(Ordering::Relaxed)),
            Ordering::Relaxed,
        );
        if before <= bytes {
            self.spans.lock().retain(|one| !Arc::ptr_eq(one, span));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in memory that counts requests.
    struct Counting {
        bytes: Vec<u8>,
        requests: AtomicU64,
    }

    impl Source for Counting {
        fn length(&self) -> io::Result<u64> {
            self.bytes.length()
        }

        fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            self.bytes.read_ranges(ranges)
        }

        fn begin(&self, ranges: &[Range<u64>]) -> Vec<(Range<u64>, Arrival)> {
            let read = self.read_ranges(ranges).unwrap().into_iter();
            let arrival = |bytes| -> Arrival { Box::new(move || Ok(bytes)) };
            ranges.iter().cloned().zip(read.map(arrival)).collect()
        }
    }

    fn file(bytes: usize) -> (FarBytes, Arc<Counting>) {
        let source = Arc::new(Counting {
            bytes: (0..bytes).map(|i| (i % 251) as u8).collect(),
            requests: AtomicU64::new(0),
        });
        (FarBytes::new(Arc::clone(&source) as Arc<_>), source)
    }

    #[test]
    fn announced_bytes_come_once_and_are_let_go() {
        let (far, source) = file(100_000);
        far.announce(&[0..1000, 5000..6000, 99_000..200_000]);
        assert_eq!(source.requests.load(Ordering::Relaxed), 1);
        let mut found = vec![0; 6000];
        far.read(&mut found, 0).unwrap();
        assert!(found == source.bytes[..6000]);
        assert_eq!(source.requests.load(Ordering::Relaxed), 2, "the gap");
        assert_eq!(far.spans.lock().len(), 1);
        far.read(&mut found[..1000], 99_000).unwrap();
        assert!(far.spans.lock().is_empty());
        assert!(far.read(&mut found, 99_000).is_err());
    }

    #[test]
    fn reads_in_a_row_are_followed() {
        let (far, source) = file(16 << 20);
        let mut found = vec![0; 64 << 10];
        for step in 0..256_u64 {
            far.read(&mut found, step * (64 << 10)).unwrap();
            assert!(found == source.bytes[(step as usize) << 16..][..64 << 10]);
        }
        assert!(source.requests.load(Ordering::Relaxed) < 12);
        assert!(far.spans.lock().is_empty());
    }
}
