//! What all reads of a process share: helping threads, kept chunks, the budget, counts.
//!
//! A child process after a fork has none of its parent's threads, and a lock that some thread held
//! at that moment stays locked for ever in it. So a child makes everything of its own when it first
//! reads; what it got from its parent is left alone.

#![expect(unsafe_code, reason = "one pointer, to what is never freed")]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use frazil_types::sync::Mutex;

use super::chunk_cache::{ChunkCache, ChunkKey};
use super::flights::Flights;
use super::pool::Pool;
use super::workspace::Workspaces;
use crate::MemoryBudget;

/// Budget of a process that was told nothing else.
const DEFAULT_BUDGET_BYTES: u64 = 256 << 20;

/// What all reads of a process share.
pub(super) struct Process {
    id: u32,
    pub(super) pool: Pool,
    pub(super) budget: Arc<MemoryBudget>,
    pub(super) cache: ChunkCache,
    pub(super) underway: Underway,
    pub(super) flights: Flights,
    /// Threads that fetch chunks for themselves at the moment.
    pub(super) reading: AtomicUsize,
    pub(super) workspaces: Workspaces,
    pub(super) counts: Counts,
}

/// Chunks that are being decoded ahead, or soon will be.
#[derive(Default)]
pub(super) struct Underway(pub(super) Mutex<HashSet<ChunkKey>>);

/// Counts since the process began.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) hits: AtomicU64,
    pub(super) misses: AtomicU64,
    pub(super) ahead: AtomicU64,
    pub(super) chunks_decoded: AtomicU64,
    pub(super) decoded_bytes: AtomicU64,
    pub(super) fetched_bytes: AtomicU64,
}

impl Counts {
    pub(super) fn fetched(&self, bytes: u64) {
        self.fetched_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a chunk.
    pub(super) fn decoded(&self, bytes: usize) {
        self.chunks_decoded.fetch_add(1, Ordering::Relaxed);
        self.decoded_bytes
            .fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// What reading did in this process so far, and what it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadStats {
    /// Partly wanted chunks that were found decoded.
    pub hits: u64,
    /// Partly wanted chunks that had to be decoded.
    pub misses: u64,
    /// Chunks decoded before they were asked for.
    pub ahead: u64,
    /// Chunks decoded in all.
    pub chunks_decoded: u64,
    /// Bytes of these.
    pub decoded_bytes: u64,
    /// Bytes read from files, gaps between merged chunks included.
    pub fetched_bytes: u64,
    /// Bytes of decoded chunks kept now.
    pub kept_bytes: u64,
    /// Bytes that may be kept.
    pub budget_bytes: u64,
}

impl ReadStats {
    /// The part of partly wanted chunks that were found decoded; `None` if there were none.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        let all = self.hits + self.misses;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }
}

static CURRENT: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

impl Process {
    fn new(id: u32, budget_bytes: u64) -> Self {
        let budget = Arc::new(MemoryBudget::new(budget_bytes));
        Self {
            id,
            pool: Pool::default(),
            cache: ChunkCache::new(Arc::clone(&budget)),
            budget,
            underway: Underway::default(),
            flights: Flights::default(),
            reading: AtomicUsize::new(0),
            workspaces: Workspaces::default(),
            counts: Counts::default(),
        }
    }

    /// This process's; made when first asked for.
    pub(super) fn current() -> &'static Self {
        let id = std::process::id();
        loop {
            let found = CURRENT.load(Ordering::Acquire);
            // SAFETY: null, or a leaked box.
            let known = unsafe { found.as_ref() };
            if let Some(known) = known.filter(|known| known.id == id) {
                return known;
            }
            let capacity =
                known.map_or(DEFAULT_BUDGET_BYTES, |known| known.budget.capacity_bytes());
            let made = Box::into_raw(Box::new(Self::new(id, capacity)));
            let order = Ordering::AcqRel;
            let exchanged = CURRENT.compare_exchange(found, made, order, Ordering::Acquire);
            if exchanged.is_err() {
                // SAFETY: it comes from a box and nobody else has seen it.
                drop(unsafe { Box::from_raw(made) });
            }
        }
    }
}

/// What reading did in this process so far, and what it holds.
#[must_use]
pub fn read_stats() -> ReadStats {
    let process = Process::current();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let counts = &process.counts;
    ReadStats {
        hits: count(&counts.hits),
        misses: count(&counts.misses),
        ahead: count(&counts.ahead),
        chunks_decoded: count(&counts.chunks_decoded),
        decoded_bytes: count(&counts.decoded_bytes),
        fetched_bytes: count(&counts.fetched_bytes),
        kept_bytes: process.budget.used_bytes(),
        budget_bytes: process.budget.capacity_bytes(),
    }
}

/// Sets how many bytes of decoded chunks this process may keep for later reads, read-ahead included
/// (256 MiB if never set). What is kept beyond that goes at once; 0 keeps nothing.
pub fn set_read_budget(bytes: u64) {
    let process = Process::current();
    process.budget.set_capacity_bytes(bytes);
    process.cache.shrink();
}
