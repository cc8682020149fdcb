//! Packed bytes that serve again: a chunk equal to one that was packed before is not packed again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use frazil_codec::{BoundDecoder, Scratch};
use frazil_pipeline::{Charge, MemoryBudget};
use frazil_types::DeflateEncoder;
use frazil_types::sync::Mutex;

use super::buffer::Buffer;

/// Most constants that a variable remembers.
const CONSTANTS: usize = 64;

/// A chunk of one element over and over: how it is encoded, and the element.
pub(super) type Constant = (Option<DeflateEncoder>, Vec<u8>);

/// Packed chunks of one variable, by what was packed.
pub(super) struct Repeats {
    /// Most bytes of packed chunks to remember.
    limit_bytes: usize,
    /// What is remembered takes of this, which others do as well.
    budget: Arc<MemoryBudget>,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    by_hash: HashMap<u64, (Arc<Buffer>, Charge)>,
    /// Hashes, oldest first.
    order: VecDeque<u64>,
    bytes: usize,
    constants: HashMap<Constant, (Arc<Buffer>, Charge)>,
}

impl Repeats {
    pub(super) fn new(limit_bytes: usize, budget: &Arc<MemoryBudget>) -> Self {
        Self {
            limit_bytes,
            budget: Arc::clone(budget),
            remembered: Mutex::default(),
        }
    }

    /// The packed bytes of an equal chunk that was packed before.
    ///
    /// Equality is not left to the hash: what is remembered is unpacked and compared, which costs
    /// less than packing and no memory for raw values.
    pub(super) fn find(
        &self,
        hash: u64,
        values: &[u8],
        decoder: &BoundDecoder,
        scratch: &mut Scratch,
    ) -> Option<Arc<Buffer>> {
        let packed = Arc::clone(&self.remembered.lock().by_hash.get(&hash)?.0);
        let is_equal = decoder
            .decode(&packed, 0, scratch)
            .is_ok_and(|unpacked| unpacked == values);
        is_equal.then_some(packed)
    }

    /// The packed bytes of a chunk of one element over and over.
    pub(super) fn find_constant(&self, element: &Constant) -> Option<Arc<Buffer>> {
        let remembered = self.remembered.lock();
        let (packed, _) = remembered.constants.get(element)?;
        Some(Arc::clone(packed))
    }

    /// Remembers a packed chunk of one element over and over, if its bytes are few.
    pub(super) fn remember_constant(&self, element: Constant, packed: &Arc<Buffer>) {
        let mut remembered = self.remembered.lock();
        let is_small = packed.len() <= self.limit_bytes / CONSTANTS;
        if remembered.constants.len() >= CONSTANTS || !is_small {
            return;
        }
        if let Some(charge) = self.budget.charge(packed.len() as u64) {
            let packed = (Arc::clone(packed), charge);
            remembered.constants.insert(element, packed);
        }
    }

    /// Remembers a packed chunk, and forgets the oldest ones for it.
    pub(super) fn remember(&self, hash: u64, packed: &Arc<Buffer>) {
        let mut remembered = self.remembered.lock();
        if packed.len() > self.limit_bytes || remembered.by_hash.contains_key(&hash) {
            return;
        }
        while remembered.bytes + packed.len() > self.limit_bytes {
            if !remembered.forget_oldest() {
                return;
            }
        }
        let charge = loop {
            match self.budget.charge(packed.len() as u64) {
                Some(charge) => break charge,
                // Others have the rest.
                None if !remembered.forget_oldest() => return,
                None => {}
            }
        };
        remembered.bytes += packed.len();
        remembered.order.push_back(hash);
        let packed = (Arc::clone(packed), charge);
        remembered.by_hash.insert(hash, packed);
    }
}

impl Remembered {
    /// Forgets the chunk that was remembered first; `false`: there is none.
    fn forget_oldest(&mut self) -> bool {
        let Some(oldest) = self.order.pop_front() else {
            return false;
        };
        let forgotten = self.by_hash.remove(&oldest);
        self.bytes -= forgotten.map_or(0, |(packed, _)| packed.len());
        true
    }
}

/// A hash of a chunk's values, the same in every run.
pub(super) fn hash(values: &[u8]) -> u64 {
    rapidhash::v3::rapidhash_v3(values)
}
