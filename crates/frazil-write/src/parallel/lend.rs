//! Rank 0 lends space behind the end of the file, and takes it back at a commit.

use std::collections::VecDeque;

use frazil_container::hdf5::LiveOutput;

use super::super::lease::Lease;
use super::super::writer::Writer;
use super::arrange::{Arrangement, Piece, arrange};
use super::place::Entry;
use super::ranks::RankGroup;
use super::sink::Root;
use frazil_file::error::Result;

/// Before anything was written, a rank's blocks have so many of the largest chunks.
const FIRST_CHUNKS: u64 = 64;
/// ... and not less than this.
const LEAST_FIRST_BYTES: u64 = 1 << 20;
/// Space is lent to ranks that wrote at least so many chunks since the commit before: of fewer, too
/// many would have to be moved.
const LEAST_CHUNKS: u64 = 32;
/// All leases together reach so far.
const SPAN_BYTES: u64 = 1 << 40;
/// Gaps from before that are remembered: the largest.
const MOST_GAPS: usize = 4096;

impl Writer {
    /// Lends space at the end of definitions, if chunks may lie anywhere.
    pub(super) fn lend_first(&mut self, team: &mut RankGroup, ready: Result<()>) -> Result<()> {
        if !self.options.follow_ranks {
            return ready;
        }
        let chunks = &team.chunks;
        let lease = team.link.consult(ready, |link, _| {
            let active = self.details.iter().filter_map(|d| d.active.as_ref());
            let chunked = active.filter(|variable| !variable.is_contiguous);
            let largest = chunked.map(|variable| variable.chunk_bytes as u64).max();
            let mut placing = chunks.placing(&self.submission);
            let root = placing.sink.root()?;
            let is_first = root.books.counts.commits == 0 && !root.lending.is_on();
            match largest.filter(|_| is_first) {
                Some(bytes) => {
                    let block = (FIRST_CHUNKS * bytes).max(LEAST_FIRST_BYTES);
                    root.lending.blocks = vec![block; link.size()];
                    root.lend(link.size())
                }
                None => Ok(vec![None; link.size()]),
            }
        })?;
        if lease.is_some() {
            let mut placing = chunks.placing(&self.submission);
            placing.sink.held.begin_lease(lease);
        }
        Ok(())
    }
}

impl Root {
    /// Lends each rank what it is likely to need; nothing to those that need little.
    pub(super) fn lend(&mut self, ranks: usize) -> Result<Vec<Option<Lease>>> {
        let blocks = &self.lending.blocks;
        let step_bytes = blocks
            .iter()
            .fold(0, |all: u64, &one| all.saturating_add(one));
        if step_bytes == 0 || step_bytes > SPAN_BYTES {
            return Ok(vec![None; ranks]);
        }
        let base = self.books.with(LiveOutput::lend)?;
        let mut address = base;
        let lease_of = |&block_bytes: &u64| {
            let lease = Lease {
                address,
                block_bytes,
                step_bytes,
                blocks: SPAN_BYTES / step_bytes,
            };
            address += block_bytes;
            Some(lease).filter(|lease| lease.block_bytes > 0)
        };
        let leases = blocks.iter().map(lease_of).collect();
        self.lending.base = Some(base);
        Ok(leases)
    }

    /// By rank, what was written since the last commit: the bytes and the number of the chunks. So
    /// much is lent next time.
    pub(super) fn expect_usage(&mut self, usage: &[(u64, u64)]) {
        if usage.iter().all(|&(bytes, _)| bytes == 0) {
            // As before: not every commit follows a record.
            return;
        }
        let block = |&(bytes, chunks): &(u64, u64)| match chunks >= LEAST_CHUNKS {
            true => bytes,
            false => 0,
        };
        self.lending.blocks = usage.iter().map(block).collect();
    }

    /// Decides where chunks go while space is lent; notes it in the entries.
    pub(super) fn arrange(&mut self, entries: &mut [Entry]) -> Option<Arrangement> {
        let base = self.lending.base?;
        let stored = entries.iter_mut().filter(|entry| entry.gets_place);
        let mut stored: Vec<&mut Entry> = stored.collect();
        let pieces: Vec<Piece> = stored
            .iter()
            .map(|entry| Piece {
                bytes: entry.record.bytes,
                at: entry.record.at,
            })
            .collect();
        let mut arrangement = arrange(base, &self.lending.gaps, &pieces);
        for (entry, &place) in stored.iter_mut().zip(&arrangement.places) {
            entry.chosen = Some(place);
        }
        self.lending.gaps = std::mem::take(&mut arrangement.gaps);
        Some(arrangement)
    }

    /// Takes back what was lent; the file reaches to `end`. What was put off is done.
    pub(super) fn take_back(&mut self, end: u64) -> Result<()> {
        self.lending.base = None;
        self.books.with(|output| {
            output.take_back(end);
            Ok(())
        })?;
        let gaps = &mut self.lending.gaps;
        gaps.sort_unstable_by_key(|&(address, bytes)| (u64::MAX - bytes, address));
        gaps.truncate(MOST_GAPS);
        self.make_up_changes()
    }
}

/// Moves in rounds: of each rank at most so many bytes, or one chunk.
pub(super) fn rounds(
    moves: &[usize],
    entries: &[&Entry],
    ranks: usize,
    round_bytes: u64,
) -> VecDeque<Vec<Vec<(usize, u64)>>> {
    let mut rounds = VecDeque::new();
    let (mut round, mut moved) = (vec![Vec::new(); ranks], vec![0; ranks]);
    for &number in moves {
        let entry = entries[number];
        let Some(place) = entry.chosen else {
            continue;
        };
        let bytes = entry.record.bytes;
        if moved[entry.rank] > 0 && moved[entry.rank] + bytes > round_bytes {
            rounds.push_back(std::mem::replace(&mut round, vec![Vec::new(); ranks]));
            moved.fill(0);
        }
        moved[entry.rank] += bytes;
        round[entry.rank].push((entry.number, place));
    }
    if round.iter().any(|moves| !moves.is_empty()) {
        rounds.push_back(round);
    }
    rounds
}
