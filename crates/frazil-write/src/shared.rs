//! What all writers of a process share: one memory budget and one pool of threads.
//!
//! # The budget
//! It is as large as the largest that any open writer was given: what one writer may take, all
//! together may take. Each stays within its own as well.
//!
//! # Why nobody waits for ever
//! A writer that finds no room waits for chunks under way, its own and, for a while, the others'.
//! Then it moves chunks being gathered to scratch files, the ones that lie there longest first: its
//! own, then those of others that no call is using. Where not even that gives room, what is taken is
//! in the hands of calls of other threads, or under way; then it takes what one chunk needs beyond
//! the budget. So each call that is in progress takes at most one chunk more than there is.
//!
//! # Forks
//! Threads do not survive one: a child process makes everything anew when it first writes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use frazil_container::fork_generation;
#[cfg(not(test))]
use frazil_container::outside_forks;
use frazil_pipeline::{MemoryBudget, Pool};
use frazil_types::sync::Mutex;

use super::buffers::Buffers;
use super::cores::CoresFound;
use super::options::Cores;
use super::sink::Placing;
use super::store::Store;

/// Of a writer's memory, packed chunks that may serve again get one part in so many.
const REPEATS_SHARE: u64 = 16;
/// Of the memory for chunks, one part in so many may wait for the next ones.
const BUFFERS_SHARE: u64 = 16;
/// How long a writer waits for other writers' chunks before it makes room itself.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it looks.
const NAP: Duration = Duration::from_millis(2);

/// How the memory that a writer was given is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Division {
    /// For chunks and what waits for the next ones.
    pub(super) memory_bytes: u64,
    /// Of that, what chunks being gathered, under way and packed may take.
    pub(super) in_use_bytes: u64,
    /// Of that, what waits for the next chunks.
    buffers_bytes: u64,
    /// Beside that, for packed chunks that may serve again.
    pub(super) repeats_bytes: u64,
}

impl Division {
    pub(super) fn of(allowed_bytes: u64) -> Self {
        let repeats_bytes = allowed_bytes / REPEATS_SHARE;
        let memory_bytes = allowed_bytes - repeats_bytes;
        let buffers_bytes = memory_bytes / BUFFERS_SHARE;
        Self {
            memory_bytes,
            in_use_bytes: memory_bytes - buffers_bytes,
            buffers_bytes,
            repeats_bytes,
        }
    }
}

/// What all writers of a process share.
struct Shared {
    generation: u64,
    budget: Arc<MemoryBudget>,
    repeats: Arc<MemoryBudget>,
    buffers: Arc<Buffers>,
    /// Jobs that were submitted and are not delivered.
    under_way: Arc<AtomicU64>,
    members: Mutex<Members>,
}

#[derive(Default)]
struct Members {
    next: u64,
    all: BTreeMap<u64, Member>,
    /// Threads, by where they were requested.
    pools: Vec<(Cores, Weak<Pool>)>,
}

/// What the others know of a writer.
struct Member {
    division: Division,
    /// Of its memory, what its caller has.
    left_bytes: u64,
    /// What threads need to pack its chunks.
    scratch_bytes: u64,
    store: Store,
    /// What may hold packed chunks.
    placing: Weak<Mutex<Placing>>,
}

/// A writer's share of what all have; dropped, it makes room for the others.
pub(super) struct Membership {
    number: u64,
    shared: Arc<Shared>,
    pub(super) budget: Arc<MemoryBudget>,
}

/// This process's; made when first asked for.
#[cfg(not(test))]
fn current() -> Arc<Shared> {
    static CURRENT: Mutex<Option<Arc<Shared>>> = Mutex::new(None);
    outside_forks(|| {
        let mut current = CURRENT.lock();
        let generation = fork_generation();
        if let Some(shared) = current.as_ref().filter(|it| it.generation == generation) {
            return Arc::clone(shared);
        }
        let made = Arc::new(Shared::new(generation));
        // A parent's is left alone: its locks may be held by threads that are no more.
        std::mem::forget(current.replace(Arc::clone(&made)));
        made
    })
}

/// Tests run at the same time, and look at what each of them takes.
#[cfg(test)]
fn current() -> Arc<Shared> {
    thread_local! {
        static CURRENT: Arc<Shared> = Arc::new(Shared::new(fork_generation()));
    }
    CURRENT.with(Arc::clone)
}

impl Shared {
    fn new(generation: u64) -> Self {
        Self {
            generation,
            budget: Arc::new(MemoryBudget::new(0)),
            repeats: Arc::new(MemoryBudget::new(0)),
            buffers: Arc::new(Buffers::new(0)),
            under_way: Arc::default(),
            members: Mutex::default(),
        }
    }

    /// Divides the memory among those who are there.
    fn divide(&self, members: &Members) {
        let all = || members.all.values();
        let most = |of: fn(&Member) -> u64| all().map(of).max().unwrap_or(0);
        let in_use = most(|member| member.division.in_use_bytes);
        let left: u64 = all().map(|member| member.left_bytes).sum();
        let scratch = most(|member| member.scratch_bytes);
        let budget = in_use.saturating_sub(left + scratch).max(in_use / 2);
        self.budget.set_capacity_bytes(budget);
        self.repeats
            .set_capacity_bytes(most(|member| member.division.repeats_bytes));
        self.buffers
            .set_limit(most(|member| member.division.buffers_bytes) as usize);
    }
}

impl Membership {
    /// Joins the writers of this process.
    pub(super) fn join(division: Division, store: &Store, placing: Weak<Mutex<Placing>>) -> Self {
        Self::join_in(current(), division, store, placing)
    }

    fn join_in(
        shared: Arc<Shared>,
        division: Division,
        store: &Store,
        placing: Weak<Mutex<Placing>>,
    ) -> Self {
        let member = Member {
            division,
            left_bytes: 0,
            scratch_bytes: 0,
            store: store.clone(),
            placing,
        };
        let mut members = shared.members.lock();
        let number = members.next;
        members.next += 1;
        members.all.insert(number, member);
        shared.divide(&members);
        drop(members);
        let share = MemoryBudget::share_of(&shared.budget, division.in_use_bytes);
        Self {
            number,
            shared,
            budget: Arc::new(share),
        }
    }

    /// The threads for work where `cores` says.
    pub(super) fn pool(&self, cores: &Cores) -> Arc<Pool> {
        let mut members = self.shared.members.lock();
        members.pools.retain(|(_, pool)| pool.strong_count() > 0);
        let known = members.pools.iter().find(|(known, _)| known == cores);
        if let Some(pool) = known.and_then(|(_, pool)| pool.upgrade()) {
            return pool;
        }
        let found = CoresFound::look(cores);
        let under_way = Arc::clone(&self.shared.under_way);
        let pool = Arc::new(Pool::new(move || found.settle(), under_way));
        members.pools.push((cores.clone(), Arc::downgrade(&pool)));
        pool
    }

    /// What packed chunks that may serve again take of.
    pub(super) fn repeats(&self) -> &Arc<MemoryBudget> {
        &self.shared.repeats
    }

    /// Memory of chunks that were packed.
    pub(super) fn buffers(&self) -> &Arc<Buffers> {
        &self.shared.buffers
    }

    /// Leaves so much to the caller, and so much to the threads that pack; the writer does with at
    /// least half of its memory.
    pub(super) fn leave(&self, left_bytes: u64, scratch_bytes: u64) {
        let mut members = self.shared.members.lock();
        let Some(member) = members.all.get_mut(&self.number) else {
            return;
        };
        let all = member.division.in_use_bytes;
        member.left_bytes = left_bytes.min(all / 2);
        member.scratch_bytes = scratch_bytes;
        let rest = all.saturating_sub(left_bytes + scratch_bytes);
        self.budget.set_capacity_bytes(rest.max(all / 2));
        self.shared.divide(&members);
    }

    /// Waits while others have chunks under way, so long as that may give room for `bytes` and not
    /// for ever; whether there is room.
    pub(super) fn wait_for_others(&self, bytes: u64) -> bool {
        let end = Instant::now() + PATIENCE;
        let whole = &self.shared.budget;
        let has_room = || whole.used_bytes() + bytes <= whole.capacity_bytes();
        while !has_room() && self.shared.under_way.load(Ordering::Acquire) > 0 {
            if Instant::now() >= end {
                return false;
            }
            std::thread::sleep(NAP);
        }
        has_room()
    }

    /// Moves to scratch files what another writer gathers, or holds until a commit; `false`: nobody
    /// has anything that no call is using.
    pub(super) fn spill_others(&self) -> bool {
        // Whoever spills must not hold the list: writers come and go meanwhile.
        let members = self.shared.members.lock();
        let others = members
            .all
            .iter()
            .filter(|(number, _)| **number != self.number);
        let others = others.map(|(_, member)| (member.store.clone(), member.placing.clone()));
        let others: Vec<_> = others.collect();
        drop(members);
        others.into_iter().any(|(store, placing)| {
            // Where its scratch file cannot be written its owner will be told, not this writer.
            if store.spill_idle().unwrap_or(false) {
                return true;
            }
            let placing = placing.upgrade();
            let placing = placing.as_ref().and_then(|placing| placing.try_lock());
            placing.is_some_and(|mut placing| placing.sink.spill().unwrap_or(false))
        })
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        if self.shared.generation != fork_generation() {
            return;
        }
        let mut members = self.shared.members.lock();
        let gone = members.all.remove(&self.number);
        self.shared.divide(&members);
        drop(members);
        drop(gone);
    }
}

#[cfg(test)]
#[path = "tests/shared.rs"]
mod tests;
