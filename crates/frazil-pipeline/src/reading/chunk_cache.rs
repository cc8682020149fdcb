//! Decoded chunks that are kept for later reads, of all files of the process, within one budget.
//!
//! An array may have a share of the budget: what it keeps within that is not let go for chunks of
//! others. Shares together leave a part of the budget to everybody; where more is requested, all of them
//! are cut alike.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use frazil_types::sync::Mutex;

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
    /// By array: those that have a share and have kept something.
    holders: Mutex<HashMap<u64, Arc<Holder>>>,
    /// Bytes that these request together.
    requested_bytes: AtomicU64,
}

#[derive(Default)]
struct Shard {
    chunks: HashMap<ChunkKey, Kept>,
    by_use: BTreeMap<u64, (ChunkKey, Option<Arc<Holder>>)>,
}

struct Kept {
    chunk: Arc<Vec<u8>>,
    used_at: u64,
    place: Place,
}

/// Room that a chunk takes; given back when the chunk goes.
struct Place {
    charge: Charge,
    holder: Option<Arc<Holder>>,
}

/// An array with a share.
struct Holder {
    requested_bytes: u64,
    held_bytes: AtomicU64,
}

impl Place {
    fn new(charge: Charge, holder: Option<Arc<Holder>>) -> Self {
        if let Some(holder) = &holder {
            let bytes = charge.bytes();
            holder.held_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        Self { charge, holder }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(holder) = &self.holder {
            let bytes = self.charge.bytes();
            holder.held_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl ChunkCache {
    pub(super) fn new(budget: Arc<MemoryBudget>) -> Self {
        Self {
            budget,
            shards: std::array::from_fn(|_| Mutex::default()),
            clock: AtomicU64::new(0),
            cursor: AtomicU64::new(0),
            wanted: (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect(),
            holders: Mutex::default(),
            requested_bytes: AtomicU64::new(0),
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

    /// Whether a chunk of this size, of an array that asks for so many bytes, may be kept at all.
    pub(super) fn would_keep(&self, bytes: usize, requested: u64) -> bool {
        let bytes = bytes as u64;
        bytes <= self.budget.capacity_bytes() / LARGEST_PART || bytes <= self.share(requested)
    }

    /// Bytes that are left to an array that asks for so many, whatever others keep.
    pub(super) fn share(&self, requested: u64) -> u64 {
        let capacity = self.budget.capacity_bytes();
        let most = capacity - capacity / LARGEST_PART;
        let all = self.requested_bytes.load(Ordering::Relaxed).max(requested);
        if all <= most {
            return requested;
        }
        let part = u128::from(requested) * u128::from(most) / u128::from(all);
        u64::try_from(part).unwrap_or(most)
    }

    /// Bytes kept of an array.
    pub(super) fn held_bytes(&self, array: u64) -> u64 {
        let of_shard = |shard: &Mutex<Shard>| {
            let shard = shard.lock();
            let own = shard.chunks.iter().filter(|(key, _)| key.0 == array);
            own.map(|(_, kept)| kept.place.charge.bytes()).sum::<u64>()
        };
        self.shards.iter().map(of_shard).sum()
    }

    /// The books of an array that asks for bytes of its own; none where it asks for none.
    fn holder(&self, array: u64, requested_bytes: u64) -> Option<Arc<Holder>> {
        if requested_bytes == 0 {
            return None;
        }
        let mut holders = self.holders.lock();
        let holder = holders.entry(array).or_insert_with(|| {
            self.requested_bytes
                .fetch_add(requested_bytes, Ordering::Relaxed);
            Arc::new(Holder {
                requested_bytes,
                held_bytes: AtomicU64::new(0),
            })
        });
        Some(Arc::clone(holder))
    }

    pub(super) fn get(&self, key: ChunkKey) -> Option<Arc<Vec<u8>>> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut shard = self.shard(key).lock();
        let Shard { chunks, by_use } = &mut *shard;
        let kept = chunks.get_mut(&key)?;
        let entry = by_use.remove(&kept.used_at)?;
        by_use.insert(now, entry);
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

    /// Keeps a chunk of an array that asks for so many bytes, if there is, or can be made, room for
    /// it. Memory of one that had to go for it is the caller's.
    pub(super) fn put(
        &self,
        key: ChunkKey,
        chunk: Arc<Vec<u8>>,
        requested: u64,
    ) -> Option<Vec<u8>> {
        let bytes = chunk.capacity() as u64;
        if !self.would_keep(chunk.capacity(), requested) {
            return None;
        }
        let holder = self.holder(key.0, requested);
        let mut spare = None;
        let charge = loop {
            if let Some(charge) = self.budget.charge(bytes) {
                break charge;
            }
            let coming = holder.as_deref().map(|holder| (holder, bytes));
            spare = Arc::into_inner(self.evict(coming)?).or(spare);
        };
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut shard = self.shard(key).lock();
        let kept = Kept {
            chunk,
            used_at: now,
            place: Place::new(charge, holder.clone()),
        };
        if let Some(before) = shard.chunks.insert(key, kept) {
            shard.by_use.remove(&before.used_at);
        }
        shard.by_use.insert(now, (key, holder));
        spare
    }

    /// Lets a chunk go, `coming` being what is to be kept in its stead; `None` if there is none that
    /// may go.
    fn evict(&self, coming: Option<(&Holder, u64)>) -> Option<Arc<Vec<u8>>> {
        match self.requested_bytes.load(Ordering::Relaxed) {
            0 => self.evict_any(),
            _ => self.evict_beyond_shares(coming),
        }
    }

    /// Lets the oldest chunk of some shard go.
    fn evict_any(&self) -> Option<Arc<Vec<u8>>> {
        let first = self.cursor.fetch_add(1, Ordering::Relaxed) as usize;
        (0..SHARDS).find_map(|i| {
            let mut shard = self.shards[(first + i) % SHARDS].lock();
            let (_, (key, _)) = shard.by_use.pop_first()?;
            Some(shard.chunks.remove(&key)?.chunk)
        })
    }

    /// Lets the oldest chunk of all go that is not within its array's share. Exactly the oldest: a
    /// share often holds what one read touches, and nothing more.
    fn evict_beyond_shares(&self, coming: Option<(&Holder, u64)>) -> Option<Arc<Vec<u8>>> {
        loop {
            let of_shards = self.shards.iter().enumerate();
            let oldest = of_shards.filter_map(|(number, shard)| {
                let shard = shard.lock();
                let mut by_use = shard.by_use.iter();
                let found = by_use.find(|(_, (_, holder))| match holder {
                    Some(holder) => self.is_beyond_share(holder, coming),
                    None => true,
                });
                found.map(|(&used_at, _)| (used_at, number))
            });
            let (used_at, number) = oldest.min()?;
            let mut shard = self.shards[number].lock();
            // Else another thread was quicker, or has just used it.
            if let Some((key, _)) = shard.by_use.remove(&used_at) {
                return Some(shard.chunks.remove(&key)?.chunk);
            }
        }
    }

    /// Whether an array holds more than its share, or will when it gets what is coming.
    fn is_beyond_share(&self, holder: &Holder, coming: Option<(&Holder, u64)>) -> bool {
        let own = coming.filter(|(receiver, _)| std::ptr::eq(*receiver, holder));
        let held = holder.held_bytes.load(Ordering::Relaxed);
        held.saturating_add(own.map_or(0, |(_, bytes)| bytes)) > self.share(holder.requested_bytes)
    }

    /// Lets all chunks of an array go.
    pub(super) fn forget(&self, array: u64) {
        if let Some(holder) = self.holders.lock().remove(&array) {
            self.requested_bytes
                .fetch_sub(holder.requested_bytes, Ordering::Relaxed);
        }
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
        let is_full = || self.budget.used_bytes() > self.budget.capacity_bytes();
        while is_full() && self.evict(None).is_some() {}
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
            cache.put((i % 3, i), chunk(1 + (i as usize * 7) % 300), 0);
            assert!(budget.used_bytes() <= 1000);
            assert_eq!(budget.used_bytes(), held(&cache));
        }
        cache.put((9, 9), chunk(251), 0);
        assert!(cache.get((9, 9)).is_none(), "more than its part");
        let spare = (0..9).find_map(|i| cache.put((8, i), chunk(240), 0));
        assert!(!spare.unwrap().is_empty(), "what had to go is handed on");
        cache.forget(8);
        for array in 0..3 {
            cache.forget(array);
        }
        assert_eq!((budget.used_bytes(), held(&cache)), (0, 0));
    }

    #[test]
    fn the_second_request_is_told_from_the_first() {
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
        cache.put((1, 1), chunk(100), 0);
        cache.put((1, 1), chunk(50), 0);
        assert_eq!(budget.used_bytes(), 50);
        assert_eq!(cache.get((1, 1)).unwrap().len(), 50);
        budget.set_capacity_bytes(10);
        cache.shrink();
        assert!(cache.get((1, 1)).is_none() && budget.used_bytes() == 0);
    }

    #[test]
    fn what_others_keep_leaves_a_share_alone() {
        let budget = Arc::new(MemoryBudget::new(1000));
        let cache = ChunkCache::new(Arc::clone(&budget));
        let requested = 300;
        let row = |first: u64| (first..first + 3).map(|i| (1, i));
        for key in row(0) {
            cache.put(key, chunk(100), requested);
        }
        for i in 0..50 {
            cache.put((2, i), chunk(100), 0);
        }
        assert!(row(0).all(|key| cache.get(key).is_some()));
        assert_eq!((cache.held_bytes(1), budget.used_bytes()), (300, 1000));

        // The next row takes the place of this one, which is older than what others keep.
        for i in 43..50 {
            assert!(cache.get((2, i)).is_some(), "{i}");
        }
        for key in row(3) {
            cache.put(key, chunk(100), requested);
        }
        assert!(row(3).all(|key| cache.holds(key)) && !row(0).any(|key| cache.holds(key)));
        assert_eq!(cache.held_bytes(2), 700);

        cache.forget(1);
        for i in 0..50 {
            cache.put((3, i), chunk(100), 0);
        }
        assert_eq!((cache.held_bytes(1), cache.held_bytes(3)), (0, 1000));
        assert_eq!(cache.requested_bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn shares_together_never_exceed_the_budget() {
        let budget = Arc::new(MemoryBudget::new(1000));
        let cache = ChunkCache::new(Arc::clone(&budget));
        for array in 0..4 {
            for i in 0..20 {
                cache.put((array, i), chunk(50), 600);
                assert!(budget.used_bytes() <= 1000);
            }
        }
        // 2400 are requested, and three quarters of 1000 are to be had.
        assert_eq!(cache.share(600), 187);
        for i in 0..40 {
            cache.put((9, i), chunk(50), 0);
        }
        for array in 0..4 {
            assert_eq!(cache.held_bytes(array), 150, "{array}");
        }
        assert_eq!(cache.held_bytes(9), 400);
        budget.set_capacity_bytes(100);
        cache.shrink();
        assert!(budget.used_bytes() <= 100);
        budget.set_capacity_bytes(0);
        cache.shrink();
        assert_eq!((budget.used_bytes(), held(&cache)), (0, 0));
    }
}
