//! Chunks that are read together and decoded by one worker.

use std::collections::VecDeque;

use crate::demand::Need;
use crate::fetch::{MAX_READ_BYTES, joined_end};

/// A chunk this long whose read buffer becomes the result is not merged: that would copy it.
const LARGE_IN_PLACE_BYTES: u64 = 1 << 20;
/// Reads are not cut shorter than this to spread them over workers.
const MIN_SPREAD_BYTES: u64 = 64 << 10;

/// Neighbouring chunks of one source.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The task the chunks were first needed by.
    pub(crate) ticket: u64,
    /// In order of address; never empty.
    pub(crate) members: Vec<Need>,
    /// The run that holds all members (a single member may have several segments).
    pub(crate) span: (u64, u64),
}

impl Batch {
    fn alone(ticket: u64, need: Need) -> Self {
        let extent = &need.stored.extent;
        Self {
            ticket,
            span: (extent.address, extent.end().unwrap_or(u64::MAX)),
            members: vec![need],
        }
    }

    /// Bytes held while the batch is worked on, beyond what tasks are charged for.
    pub(crate) fn working_bytes(&self) -> u64 {
        if let [need] = self.members.as_slice() {
            return need.alone_bytes;
        }
        let beside = self.members.iter().map(|need| need.beside_bytes).max();
        (self.span.1 - self.span.0).saturating_add(beside.unwrap_or(0))
    }

    /// Adds a need if it lies close enough.
    fn try_join(&mut self, need: Need, limit_bytes: u64) -> bool {
        let stands_alone = |need: &Need| {
            need.stored.extent.segments != 1
                || need.stored.extent.end().is_none()
                || (need.in_place && need.stored.extent.segment_bytes >= LARGE_IN_PLACE_BYTES)
        };
        let joins = self.members.last().is_some_and(|last| {
            last.source == need.source && !stands_alone(last) && !stands_alone(&need)
        });
        if !joins {
            return false;
        }
        let Some(end) = joined_end(self.span, &need.stored.extent, limit_bytes) else {
            return false;
        };
        self.span.1 = end;
        self.members.push(need);
        true
    }

    /// Cuts the batch so that the part kept needs at most `limit_bytes`, but has at least one
    /// member; returns the rest.
    pub(crate) fn split_off(&mut self, limit_bytes: u64) -> Option<Self> {
        let mut rest = Vec::new();
        while self.members.len() > 1 && self.working_bytes() > limit_bytes {
            // Halving keeps this linear; what was cut off too much is the next batch's.
            rest.splice(0..0, self.members.split_off(self.members.len() / 2));
            self.span = span_of(&self.members);
        }
        (!rest.is_empty()).then(|| Self {
            ticket: self.ticket,
            span: span_of(&rest),
            members: rest,
        })
    }
}

fn span_of(members: &[Need]) -> (u64, u64) {
    let extents = || members.iter().map(|need| &need.stored.extent);
    let start = extents().map(|extent| extent.address).min();
    let end = extents().filter_map(frazil_types::FileExtent::end).max();
    (start.unwrap_or(0), end.unwrap_or(0))
}

/// Groups needs (in order of source and address) into batches, so that every worker may get one.
pub(crate) fn form_batches(ticket: u64, needs: Vec<Need>, threads: usize) -> VecDeque<Batch> {
    let stored = |need: &Need| need.stored.extent.total_bytes().unwrap_or(u64::MAX);
    let total = needs.iter().map(stored).fold(0, u64::saturating_add);
    let limit_bytes = (total / threads.max(1) as u64).clamp(MIN_SPREAD_BYTES, MAX_READ_BYTES);
    let mut batches: VecDeque<Batch> = VecDeque::new();
    for need in needs {
        let joined = batches
            .back_mut()
            .is_some_and(|batch| batch.try_join(need, limit_bytes));
        if !joined {
            batches.push_back(Batch::alone(ticket, need));
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoredChunk;
    use frazil_types::FileExtent;

    fn need(chunk: u64, address: u64, bytes: u64, in_place: bool) -> Need {
        Need {
            source: 0,
            chunk,
            stored: StoredChunk {
                extent: FileExtent::contiguous(address, bytes),
                filter_mask: 0,
            },
            request: 0,
            decode: true,
            is_whole_box: false,
            in_place,
            alone_bytes: bytes + 1000,
            beside_bytes: 1000,
            forecast: None,
        }
    }

    fn sizes(batches: &VecDeque<Batch>) -> Vec<usize> {
        batches.iter().map(|batch| batch.members.len()).collect()
    }

    #[test]
    fn neighbours_share_a_read_and_distant_chunks_do_not() {
        let needs = vec![
            need(0, 0, 100, false),
            need(1, 100, 100, false),
            need(2, 5000, 100, false),
            need(3, 900_000, 100, false),
        ];
        let batches = form_batches(7, needs, 1);
        assert_eq!(sizes(&batches), [3, 1]);
        assert_eq!(batches[0].span, (0, 5100));
        assert_eq!(batches[0].working_bytes(), 5100 + 1000);
    }

    #[test]
    fn reads_are_spread_over_the_threads() {
        let needs: Vec<Need> = (0..64).map(|i| need(i, i * 8192, 8192, false)).collect();
        assert_eq!(sizes(&form_batches(0, needs.clone(), 1)), [64]);
        assert_eq!(sizes(&form_batches(0, needs, 4)), [16; 4]);
    }

    #[test]
    fn large_chunks_that_need_no_copy_stay_alone() {
        let needs: Vec<Need> = (0..3).map(|i| need(i, i << 20, 1 << 20, true)).collect();
        assert_eq!(sizes(&form_batches(0, needs, 1)), [1, 1, 1]);
    }

    #[test]
    fn a_split_keeps_all_members_in_order() {
        let needs: Vec<Need> = (0..10).map(|i| need(i, i * 100, 100, false)).collect();
        let mut batch = form_batches(0, needs, 1).pop_front().unwrap();
        let rest = batch.split_off(1350).unwrap();
        assert!(batch.working_bytes() <= 1350);
        let order: Vec<u64> = batch
            .members
            .iter()
            .chain(&rest.members)
            .map(|m| m.chunk)
            .collect();
        assert_eq!(order, (0..10).collect::<Vec<_>>());
        assert_eq!(rest.span, (batch.span.1, 1000));
        assert!(batch.split_off(0).is_some() && batch.members.len() == 1);
        assert!(batch.split_off(0).is_none());
    }
}
