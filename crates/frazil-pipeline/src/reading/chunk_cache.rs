//! Decoded chunks that are kept for later reads, of all files of the process, within one budget.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::{Charge, MemoryBudget};

/// Number of the array (see [`super::ChunkedArray::new`]) and number of the chunk.
pub(super) type ChunkKey = (u64, u64);

/// Threads rarely meet at one of so many locks.
const SHARDS: usize = 32;

/// A chunk may take this part of the budget at most.
const LARGEST_PART: u64 = 4;

/// Chunks that are remembered to have been wanted once.
const REMEMBERED: usize = 4096;

/// Kept chunks, the one not used for longest let go first.
pub(super) struct ChunkCache {
    budget: Arc<MemoryBudget>,
    shards: [Mutex<Shard>; SHARDS],
    clock: AtomicU64,
    cursor: AtomicU64,
    /// What chunks were wanted lately, each at a place of its own or that of another.
    wanted: Box<[AtomicU64]>,
}

#[derive(Default)]
struct Shard {
    chunks: HashMap<ChunkKey, Kept>,
    by_use: BTreeMap<u64, ChunkKey>,
}

struct Kept {
    chunk: Arc<Vec<u8>>,
    used_at: u64,
    /// Given back when the chunk goes.
    _charge: Charge,
}

impl ChunkCache {
    pub(super) fn new(budget: Arc<MemoryBudget>) -> Self {
        Self {
            budget,
            shards: std::array::from_fn(|_| Mutex::default()),
            clock: AtomicU64::new(0),
            cursor: AtomicU64::new(0),
            wanted: (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn shard(&self, key: ChunkKey) -> &Mutex<Shard> {
        &self.shards[(mixed(key) >> 32) as usize % SHARDS]
    }

    /// Whether a chunk was wanted before, as far as that is remembered; it is from now on.
    pub(super) fn was_wanted(&self, key: ChunkKey) -> bool {
        let mixed = mixed(key) | 1;
        let place = &self.wanted[(mixed >> 40) as usize % REMEMBERED];
        place.swap(mixed, Ordering::Relaxed) == mixed
    }

    /// Whether a chunk of this size may be kept at all.
    pub(super) fn would_keep(&self, bytes: usize) -> bool {
        bytes as u64 <= self.budget.capacity_bytes() / LARGEST_PART
    }

    pub(super) fn get(&self, key: ChunkKey) -> Option<Arc<Vec<u8>>> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut shard = self.shard(key).lock();
        let Shard { chunks, by_use } = &mut *shard;
        let kept = chunks.get_mut(&key)?;
        by_use.remove(&kept.used_at);
        by_use.insert(now, key);
        kept.used_at = now;
        Some(Arc::clone(&kept.chunk))
    }

    /// Whether a chunk is kept; does not count as a use.
    pub(super) fn holds(&self, key: ChunkKey) -> bool {
        self.shard(key).lock().chunks.contains_key(&key)
    }

    /// Takes a chunk that will not be wanted again.
    pub(super) fn take(&self, key: ChunkKey) -> Option<Arc<Vec<u8>>> {
        let mut shard = self.shard(key).lock();
        let kept = shard.chunks.remove(&key)?;
        shard.by_use.remove(&kept.used_at);
        Some(kept.chunk)
    }

    /// Keeps a chunk if there is, or can be made, room for it. Memory of one that had to go for it
    /// is the caller's.
    pub(super) fn put(&self, key: ChunkKey, chunk: Arc<Vec<u8>>) -> Option<Vec<u8>> {
        let bytes = chunk.capacity() as u64;
        if !self.would_keep(chunk.capacity()) {
            return None;
        }
        let mut spare = None;
        let charge = loop {
            if let Some(charge) = self.budget.charge(bytes) {
                break charge;
            }
            spare = Arc::into_inner(self.evict()?).or(spare);
        };
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut shard = self.shard(key).lock();
        let kept = Kept {
            chunk,
            used_at: now,
            _charge: charge,
        };
        if let Some(before) = shard.chunks.insert(key, kept) {
            shard.by_use.remove(&before.used_at);
        }
        shard.by_use.insert(now, key);
        spare
    }

    /// Lets the oldest chunk of some shard go; `None` if there is none at all.
    fn evict(&self) -> Option<Arc<Vec<u8>>> {
        let first = self.cursor.fetch_add(1, Ordering::Relaxed) as usize;
        (0..SHARDS).find_map(|i| {
            let mut shard = self.shards[(first + i) % SHARDS].lock();
            let (_, key) = shard.by_use.pop_first()?;
            Some(shard.chunks.remove(&key)?.chunk)
        })
    }

    /// Lets all chunks of an array go.
    pub(super) fn forget(&self, array: u64) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            let Shard { chunks, by_use } = &mut *shard;
            chunks.retain(|key, kept| {
                let stays = key.0 != array;
                if !stays {
                    by_use.remove(&kept.used_at);
                }
                stays
            });
        }
    }

    /// Lets chunks go until what is charged fits the budget's capacity.
    pub(super) fn shrink(&self) {
        while self.budget.used_bytes() > self.budget.capacity_bytes() && self.evict().is_some() {}
    }
}

fn mixed(key: ChunkKey) -> u64 {
    (key.0 ^ key.1.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(bytes: usize) -> Arc<Vec<u8>> {
        Arc::new(vec![7; bytes])
    }

    fn held(cache: &ChunkCache) -> u64 {
        let bytes = |shard: &Mutex<Shard>| {
            let shard = shard.lock();
            assert_eq!(shard.chunks.len(), shard.by_use.len());
            let lengths = shard.chunks.values().map(|kept| kept.chunk.len() as u64);
            lengths.sum::<u64>()
        };
        cache.shards.iter().map(bytes).sum()
    }

    #[test]
    fn the_budget_holds_whatever_is_put() {
        let budget = Arc::new(MemoryBudget::new(1000));
        let cache = ChunkCache::new(Arc::clone(&budget));
        for i in 0..500 {
            cache.put((i % 3, i), chunk(1 + (i as usize * 7) % 300));
            assert!(budget.used_bytes() <= 1000);
            assert_eq!(budget.used_bytes(), held(&cache));
        }
        cache.put((9, 9), chunk(251));
        assert!(cache.get((9, 9)).is_none(), "more than its part");
        let spare = (0..9).find_map(|i| cache.put((8, i), chunk(240)));
        assert!(!spare.unwrap().is_empty(), "what had to go is handed on");
        cache.forget(8);
        for array in 0..3 {
            cache.forget(array);
        }
        assert_eq!((budget.used_bytes(), held(&cache)), (0, 0));
    }

    #[test]
    fn the_second_wish_is_told_from_the_first() {
        let cache = ChunkCache::new(Arc::new(MemoryBudget::new(1000)));
        let asked: Vec<bool> = [(1, 1), (1, 2), (1, 1), (2, 1), (1, 2)]
            .map(|key| cache.was_wanted(key))
            .to_vec();
        assert_eq!(asked, [false, false, true, false, true]);
    }

    #[test]
    fn a_chunk_put_twice_is_held_once() {
        let budget = Arc::new(MemoryBudget::new(1000));
        let cache = ChunkCache::new(Arc::clone(&budget));
        cache.put((1, 1), chunk(100));
        cache.put((1, 1), chunk(50));
        assert_eq!(budget.used_bytes(), 50);
        assert_eq!(cache.get((1, 1)).unwrap().len(), 50);
        budget.set_capacity_bytes(10);
        cache.shrink();
        assert!(cache.get((1, 1)).is_none() && budget.used_bytes() == 0);
    }
}
