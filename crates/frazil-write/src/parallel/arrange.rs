//! Where chunks go that ranks wrote to leased space, or hold: together, with little moving.
//!
//! A chunk stays where it is if it lies before a *cut*. The others, and those that are only held,
//! fill the gaps before it, or follow it. Moves are in an order in which they can be made in rounds:
//! if all chunks of a round are read before one of them is written, none is lost.

use std::collections::BTreeSet;

use super::super::lease::Gap;

/// Unused space is at most one part in so many of what is stored.
const WASTE_SHARE: u64 = 128;
/// Cuts that are tried before every gap is closed.
const CUTS: u32 = 6;

/// A chunk to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) bytes: u64,
    /// Where it was written; `None`: nowhere yet.
    pub(super) at: Option<u64>,
}

impl Piece {
    fn end(&self) -> u64 {
        self.at.unwrap_or(0) + self.bytes
    }
}

/// What becomes of the pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Arrangement {
    /// By piece: where it is in the end.
    pub(super) places: Vec<u64>,
    /// Pieces to be moved, or written for the first time, in order.
    pub(super) moves: Vec<usize>,
    /// First address behind all pieces.
    pub(super) end: u64,
    /// Free space below.
    pub(super) gaps: Vec<Gap>,
}

/// Arranges pieces in space that begins at `base`, and in gaps from before, which are below it.
pub(super) fn arrange(base: u64, old_gaps: &[Gap], pieces: &[Piece]) -> Arrangement {
    let mut work = Work::new(base, old_gaps, pieces);
    work.fill_old_gaps();
    let total = work.open_bytes();
    let allowed = total / WASTE_SHARE;
    for number in 0..CUTS {
        let arrangement = work.clone().cut_at(base + (total >> number));
        let waste = arrangement.end.saturating_sub(base + total);
        if waste <= allowed {
            return arrangement;
        }
    }
    let first_gap = work.first_gap();
    work.cut_at(first_gap)
}

#[derive(Clone)]
struct Work<'a> {
    base: u64,
    pieces: &'a [Piece],
    places: Vec<Option<u64>>,
    moves: Vec<usize>,
    gaps: Gaps,
}

impl<'a> Work<'a> {
    fn new(base: u64, old_gaps: &[Gap], pieces: &'a [Piece]) -> Self {
        Self {
            base,
            pieces,
            places: vec![None; pieces.len()],
            moves: Vec::new(),
            gaps: Gaps::of(old_gaps),
        }
    }

    /// Pieces without a place in the end, by number.
    fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.pieces.len()).filter(|&number| self.places[number].is_none())
    }

    fn open_bytes(&self) -> u64 {
        self.open().map(|number| self.pieces[number].bytes).sum()
    }

    /// What is only held goes to gaps from before, as far as it fits.
    fn fill_old_gaps(&mut self) {
        let held = self
            .open()
            .filter(|&number| self.pieces[number].at.is_none());
        let held: Vec<usize> = held.collect();
        self.fill_gaps(held);
    }

    /// The largest pieces first, each into the smallest gap that will do.
    fn fill_gaps(&mut self, mut numbers: Vec<usize>) {
        numbers.sort_by_key(|&number| (u64::MAX - self.pieces[number].bytes, number));
        for number in numbers {
            if let Some(address) = self.gaps.take(self.pieces[number].bytes) {
                self.places[number] = Some(address);
                self.moves.push(number);
            }
        }
    }

    /// Written pieces in the order of their addresses.
    fn written(&self) -> Vec<usize> {
        let written = self
            .open()
            .filter(|&number| self.pieces[number].at.is_some());
        let mut written: Vec<usize> = written.collect();
        written.sort_by_key(|&number| self.pieces[number].at);
        written
    }

    fn first_gap(&self) -> u64 {
        let mut end = self.base;
        for number in self.written() {
            if self.pieces[number].at != Some(end) {
                break;
            }
            end = self.pieces[number].end();
        }
        end
    }

    fn cut_at(mut self, cut: u64) -> Arrangement {
        let written = self.written();
        let kept = written.partition_point(|&number| self.pieces[number].at < Some(cut));
        let mut end = self.base;
        for &number in &written[..kept] {
            let piece = self.pieces[number];
            let address = piece.at.unwrap_or(end);
            self.gaps.add((end, address - end));
            self.places[number] = Some(address);
            end = piece.end();
        }
        let rest: Vec<usize> = self.open().collect();
        self.fill_gaps(rest);
        // What is written moves down, the lowest first; what is held follows.
        let behind = written
            .into_iter()
            .filter(|&number| self.places[number].is_none());
        let behind: Vec<usize> = behind.collect();
        for number in behind.into_iter().chain(self.open().collect::<Vec<_>>()) {
            if self.places[number].is_some() {
                continue;
            }
            self.places[number] = Some(end);
            if self.pieces[number].at != Some(end) {
                self.moves.push(number);
            }
            end += self.pieces[number].bytes;
        }
        Arrangement {
            // All have a place now.
            places: self.places.into_iter().flatten().collect(),
            moves: self.moves,
            end,
            gaps: self.gaps.all(),
        }
    }
}

/// Free space by size.
#[derive(Clone, Default)]
struct Gaps(BTreeSet<(u64, u64)>);

impl Gaps {
    fn of(gaps: &[Gap]) -> Self {
        Self(
            gaps.iter()
                .map(|&(address, bytes)| (bytes, address))
                .collect(),
        )
    }

    fn add(&mut self, (address, bytes): Gap) {
        if bytes > 0 {
            self.0.insert((bytes, address));
        }
    }

    /// Space in the smallest gap that has so much.
    fn take(&mut self, bytes: u64) -> Option<u64> {
        let &(free, address) = self.0.range((bytes, 0)..).next()?;
        self.0.remove(&(free, address));
        self.add((address + bytes, free - bytes));
        Some(address)
    }

    fn all(self) -> Vec<Gap> {
        let gaps = self.0.into_iter();
        gaps.map(|(bytes, address)| (address, bytes)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lease::{Lease, LeasedSpace};
    use super::*;
    use crate::tests::script::Random;

    fn piece(bytes: u64, at: impl Into<Option<u64>>) -> Piece {
        let at = at.into();
        Piece { bytes, at }
    }

    #[test]
    fn what_lies_together_stays() {
        let pieces = [piece(10, 100), piece(5, 110), piece(20, 115)];
        let arrangement = arrange(100, &[], &pieces);
        assert_eq!(arrangement.places, [100, 110, 115]);
        assert!(arrangement.moves.is_empty() && arrangement.gaps.is_empty());
        assert_eq!(arrangement.end, 135);
    }

    #[test]
    fn the_last_fill_the_gaps() {
        let pieces = [piece(10, 100), piece(10, 200), piece(10, 120)];
        let arrangement = arrange(100, &[], &pieces);
        assert_eq!(arrangement.places, [100, 110, 120]);
        assert_eq!(arrangement.moves, [1]);
        assert_eq!(arrangement.end, 130);
    }

    #[test]
    fn gaps_from_before_take_what_is_held() {
        let pieces = [piece(10, None), piece(40, None), piece(10, 100)];
        let arrangement = arrange(100, &[(20, 12), (50, 30)], &pieces);
        assert_eq!(arrangement.places, [20, 110, 100]);
        assert_eq!(arrangement.end, 150);
        assert_eq!(arrangement.gaps, [(30, 2), (50, 30)]);
    }

    #[test]
    fn gaps_that_nothing_fits_are_closed_if_they_are_many() {
        // Chunks of one size with gaps of half of it.
        let pieces: Vec<Piece> = (0..50).map(|i| piece(100, 1000 + 150 * i)).collect();
        let arrangement = arrange(1000, &[], &pieces);
        assert!(arrangement.end <= 1000 + 5000 + 5000 / WASTE_SHARE);
    }

    /// Makes the moves in rounds of so many, on bytes that say whose they are.
    fn carried_out(pieces: &[Piece], arrangement: &Arrangement, round: usize) {
        let end = pieces.iter().map(Piece::end).max().unwrap_or(0);
        let mut file = vec![None; end.max(arrangement.end) as usize];
        let range = |at: u64, bytes: u64| at as usize..(at + bytes) as usize;
        for (number, piece) in pieces.iter().enumerate() {
            if let Some(at) = piece.at {
                file[range(at, piece.bytes)].fill(Some(number));
            }
        }
        for moves in arrangement.moves.chunks(round) {
            for &number in moves {
                let Some(at) = pieces[number].at else {
                    continue;
                };
                let read = &file[range(at, pieces[number].bytes)];
                assert!(read.iter().all(|&own| own == Some(number)), "lost {number}");
            }
            for &number in moves {
                let to = arrangement.places[number];
                file[range(to, pieces[number].bytes)].fill(Some(number));
            }
        }
        for (number, piece) in pieces.iter().enumerate() {
            let stored = &file[range(arrangement.places[number], piece.bytes)];
            assert!(
                stored.iter().all(|&own| own == Some(number)),
                "{number} is gone"
            );
        }
        for &(address, bytes) in &arrangement.gaps {
            for (number, piece) in pieces.iter().enumerate() {
                let at = arrangement.places[number];
                let is_apart = at + piece.bytes <= address || address + bytes <= at;
                assert!(is_apart, "{number} lies in a gap");
            }
        }
    }

    /// Ranks that fill leases as chunks come, drop some, and hold others.
    #[test]
    fn nothing_is_lost_and_little_is_wasted() {
        for seed in 0..3000 {
            let mut random = Random(seed);
            let blocks: Vec<u64> = (0..1 + random.below(4))
                .map(|_| random.below(400))
                .collect();
            let mut spaces = leased(&blocks);
            let mut pieces = Vec::new();
            for _ in 0..random.below(80) {
                let space = &mut spaces[random.below(blocks.len() as u64) as usize];
                let bytes = 1 + random.below(90);
                match random.below(12) {
                    0 => {
                        if let Some(at) = space.take(bytes) {
                            space.give_back(at, bytes);
                        }
                    }
                    // Another rank has replaced it.
                    1 => {
                        space.take(bytes);
                    }
                    2 => pieces.push(piece(bytes, None)),
                    _ => pieces.push(piece(bytes, space.take(bytes))),
                }
            }
            let old_gaps = [(100, random.below(60)), (200, 0)];
            let arrangement = arrange(BASE, &old_gaps[..(seed % 2) as usize], &pieces);
            carried_out(&pieces, &arrangement, 1 + random.below(20) as usize);
            let total: u64 = pieces.iter().map(|piece| piece.bytes).sum();
            let most = BASE + total + total / WASTE_SHARE;
            assert!(arrangement.end <= most, "seed {seed}: {arrangement:?}");
        }
    }

    const BASE: u64 = 500;

    /// Leases with such blocks.
    fn leased(blocks: &[u64]) -> Vec<LeasedSpace> {
        let step_bytes: u64 = blocks.iter().sum();
        let mut address = BASE;
        let one = |&block_bytes: &u64| {
            let lease = Lease {
                address,
                block_bytes,
                step_bytes,
                blocks: 3,
            };
            address += block_bytes;
            let mut space = LeasedSpace::default();
            space.begin(Some(lease).filter(|_| block_bytes > 0));
            space
        };
        blocks.iter().map(one).collect()
    }
}
