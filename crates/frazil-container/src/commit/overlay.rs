//! Bytes that lie over a file without being in it yet.

use std::collections::BTreeMap;
use std::ops::Range;

/// One run of bytes and where it belongs.
pub(super) type Run = (u64, Vec<u8>);

/// A sparse set of bytes by file address; the latest write wins.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    /// Runs by their first address; they never overlap.
    runs: BTreeMap<u64, Vec<u8>>,
    bytes: u64,
}

fn end_of(address: u64, bytes: &[u8]) -> u64 {
    address.saturating_add(bytes.len() as u64)
}

impl Overlay {
    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether nothing is held.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Lets go of everything.
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.bytes = 0;
    }

    /// Lays bytes over the file.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        // libhdf5 mostly writes the same object again: no need to cut anything then.
        if let Some((&start, run)) = self.runs.range_mut(..=address).next_back()
            && end_of(start, run) >= end_of(address, bytes)
        {
            let within = (address - start) as usize;
            run[within..within + bytes.len()].copy_from_slice(bytes);
            return;
        }
        self.forget(address..end_of(address, bytes));
        self.bytes += bytes.len() as u64;
        self.runs.insert(address, bytes.to_vec());
    }

    /// Lets go of a range: what the file holds there shows again.
    pub(super) fn forget(&mut self, range: Range<u64>) {
        for start in self.overlapping(&range) {
            let Some(run) = self.runs.remove(&start) else {
                continue;
            };
            self.bytes -= run.len() as u64;
            let end = end_of(start, &run);
            if start < range.start {
                self.keep(start, &run[..(range.start - start) as usize]);
            }
            if end > range.end {
                self.keep(range.end, &run[(range.end - start) as usize..]);
            }
        }
    }

    fn keep(&mut self, address: u64, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.runs.insert(address, bytes.to_vec());
    }

    /// First addresses of the runs that share a byte with a range.
    fn overlapping(&self, range: &Range<u64>) -> Vec<u64> {
        if range.is_empty() {
            return Vec::new();
        }
        let before = self.runs.range(..range.start).next_back();
        let before = before.filter(|&(&start, run)| end_of(start, run) > range.start);
        let inside = self.runs.range(range.clone());
        before
            .into_iter()
            .chain(inside)
            .map(|(&start, _)| start)
            .collect()
    }

    /// Puts the bytes held into a copy of the file's bytes at `address`.
    pub(super) fn copy_over(&self, address: u64, buffer: &mut [u8]) {
        let range = address..end_of(address, buffer);
        for start in self.overlapping(&range) {
            let Some(run) = self.runs.get(&start) else {
                continue;
            };
            let first = start.max(range.start);
            let last = end_of(start, run).min(range.end);
            let from = (first - start) as usize..(last - start) as usize;
            let to = (first - address) as usize..(last - address) as usize;
            buffer[to].copy_from_slice(&run[from]);
        }
    }

    /// What is held of a range, adjacent bytes in one run.
    pub(super) fn runs(&self, range: Range<u64>) -> Vec<Run> {
        let mut joined: Vec<Run> = Vec::new();
        for start in self.overlapping(&range) {
            let Some(run) = self.runs.get(&start) else {
                continue;
            };
            let first = start.max(range.start);
            let last = end_of(start, run).min(range.end);
            let part = &run[(first - start) as usize..(last - start) as usize];
            match joined.last_mut() {
                Some((address, bytes)) if end_of(*address, bytes) == first => {
                    bytes.extend_from_slice(part);
                }
                _ => joined.push((first, part.to_vec())),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SPACE: usize = 200;

    proptest! {
        /// Beside a plain array with a mark for each byte held.
        #[test]
        fn it_is_an_array_with_holes(
            steps in prop::collection::vec((0..SPACE, 0..40_usize, any::<u8>(), any::<bool>()), 1..60),
            view in (0..SPACE, 0..SPACE),
        ) {
            let mut overlay = Overlay::default();
            let mut plain = [None; SPACE];
            for (start, length, value, is_write) in steps {
                let end = (start + length).min(SPACE);
                if is_write {
                    overlay.write(start as u64, &vec![value; end - start]);
                    plain[start..end].fill(Some(value));
                } else {
                    overlay.forget(start as u64..end as u64);
                    plain[start..end].fill(None);
                }
            }
            prop_assert_eq!(overlay.bytes(), plain.iter().flatten().count() as u64);
            prop_assert_eq!(overlay.is_empty(), plain.iter().all(Option::is_none));
            let (first, last) = (view.0.min(view.1), view.0.max(view.1));
            let mut buffer = vec![0; last - first];
            overlay.copy_over(first as u64, &mut buffer);
            let expected: Vec<u8> = plain[first..last].iter().map(|b| b.unwrap_or(0)).collect();
            prop_assert_eq!(buffer, expected);
            let mut listed = [None; SPACE];
            let mut previous_end = None;
            for (address, bytes) in overlay.runs(first as u64..last as u64) {
                prop_assert!(previous_end < Some(address), "adjacent runs are joined");
                previous_end = Some(end_of(address, &bytes));
                for (i, byte) in bytes.into_iter().enumerate() {
                    listed[address as usize + i] = Some(byte);
                }
            }
            plain[..first].fill(None);
            plain[last..].fill(None);
            prop_assert_eq!(listed, plain);
        }
    }
}
