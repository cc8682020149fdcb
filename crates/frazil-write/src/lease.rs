//! File space that ranks may write packed chunks to before they have a place in the index.

use serde::{Deserialize, Serialize};

/// Space behind the end of the file that rank 0 lends to one rank until the next commit: blocks of
/// the same size, which alternate with those of the other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lease {
    /// Where the first block begins.
    pub(super) address: u64,
    pub(super) block_bytes: u64,
    /// From the beginning of one block to that of the next.
    pub(super) step_bytes: u64,
    pub(super) blocks: u64,
}

/// What is left of a lease.
#[derive(Debug, Default)]
pub(super) struct LeasedSpace {
    lease: Option<Lease>,
    /// Blocks that were begun.
    begun: u64,
    /// Free space of the block in use.
    next: u64,
    end: u64,
    /// Other free space: addresses and bytes.
    pieces: Vec<(u64, u64)>,
}

impl LeasedSpace {
    /// Begins another lease, or none; what is left of the one before is gone.
    pub(super) fn begin(&mut self, lease: Option<Lease>) {
        *self = Self {
            lease,
            ..Self::default()
        };
    }

    /// Whether there is one.
    pub(super) fn is_on(&self) -> bool {
        self.lease.is_some()
    }

    /// Space for a chunk of so many bytes; `None`: there is none.
    pub(super) fn take(&mut self, bytes: u64) -> Option<u64> {
        let lease = self.lease.filter(|_| bytes > 0)?;
        if self.end - self.next >= bytes {
            return Some(self.cut(bytes));
        }
        // The smallest piece that will do, before a new block is begun.
        let fits = self.pieces.iter().enumerate().filter(|(_, p)| p.1 >= bytes);
        if let Some((number, _)) = fits.min_by_key(|(_, piece)| piece.1) {
            let (address, free) = self.pieces.swap_remove(number);
            self.give_back(address + bytes, free - bytes);
            return Some(address);
        }
        if bytes > lease.block_bytes || self.begun == lease.blocks {
            return None;
        }
        self.give_back(self.next, self.end - self.next);
        self.next = lease.address + self.begun * lease.step_bytes;
        self.end = self.next + lease.block_bytes;
        self.begun += 1;
        Some(self.cut(bytes))
    }

    fn cut(&mut self, bytes: u64) -> u64 {
        let address = self.next;
        self.next += bytes;
        address
    }

    /// Takes back the space of a chunk that is of no use any more.
    pub(super) fn give_back(&mut self, address: u64, bytes: u64) {
        if bytes > 0 && self.lease.is_some() {
            self.pieces.push((address, bytes));
        }
    }
}

/// Free space: its first address and its bytes.
pub(super) type Gap = (u64, u64);

/// What rank 0 knows of the space that it lends.
#[derive(Debug, Default)]
pub(super) struct SpaceReservation {
    /// Where it begins, while it is lent.
    pub(super) base: Option<u64>,
    /// Free space below the end of the file that libhdf5 does not know of.
    pub(super) gaps: Vec<Gap>,
    /// By rank: bytes of a block; what the rank wrote between two commits.
    pub(super) blocks: Vec<u64>,
}

impl SpaceReservation {
    /// Whether ranks write behind the end of the file.
    pub(super) fn is_on(&self) -> bool {
        self.base.is_some()
    }

    /// Remembers space that belongs to nobody.
    pub(super) fn add_gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_alternate_with_those_of_others_and_pieces_serve() {
        let mut space = LeasedSpace::default();
        assert_eq!(space.take(1), None);
        space.begin(Some(Lease {
            address: 1000,
            block_bytes: 100,
            step_bytes: 400,
            blocks: 2,
        }));
        assert_eq!(space.take(70), Some(1000));
        assert_eq!(space.take(101), None);
        // 30 bytes are left, and wait for chunks that do not fit into the next block's rest.
        assert_eq!(space.take(90), Some(1400));
        assert_eq!(space.take(20), Some(1070));
        assert_eq!(space.take(10), Some(1490));
        assert_eq!(space.take(10), Some(1090));
        assert_eq!(space.take(1), None);
        space.give_back(1400, 90);
        assert_eq!(space.take(60), Some(1400));
        assert_eq!(space.take(30), Some(1460));
        space.begin(None);
        assert_eq!(space.take(1), None);
    }
}
