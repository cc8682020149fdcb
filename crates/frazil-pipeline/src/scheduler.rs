//! Who does what next: the state all workers of a run share, under one lock.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::RunStats;
use crate::assembly::Assembly;
use crate::batch::{Batch, form_batches};
use crate::budget::Lease;
use crate::cache::{ChunkKey, ChunkTable, Demanded, Dependent};
use crate::demand::{Demand, Need};

/// Tasks admitted ahead of the work while decoded chunks cannot be kept for later tasks: the more
/// tasks take their part of a chunk when it is decoded, the fewer times that happens.
const MAX_SHARING_AHEAD: usize = 1024;

/// An admitted task whose requests are not all answered, or whose work has not begun.
pub(crate) struct Admitted<M> {
    pub(crate) meta: M,
    pub(crate) assembly: Arc<Assembly>,
    /// Chunks that were there at admission, to be copied before the work runs.
    pub(crate) resident: Vec<ResidentNeed>,
    /// Answers still to come from other chunks.
    missing: usize,
    charge_bytes: u64,
}

/// A pinned chunk and the request that needs it.
pub(crate) struct ResidentNeed {
    pub(crate) key: ChunkKey,
    pub(crate) request: usize,
    pub(crate) chunk: Arc<Vec<u8>>,
}

/// A task with its result, waiting for delivery.
pub(crate) struct Finished<M, T> {
    pub(crate) meta: M,
    pub(crate) result: T,
    pub(crate) charge_bytes: u64,
}

enum Slot<M, T> {
    Admitted(Admitted<M>),
    Running { charge_bytes: u64 },
    Finished(Finished<M, T>),
}

/// What a worker is to do.
pub(crate) enum Job<M> {
    /// All requests of this task are answered (but for the resident chunks).
    Run(u64, Admitted<M>),
    /// Fetch and decode these chunks.
    Decode(Batch),
    /// Admit the next task.
    Admit,
    /// Nothing until something changes.
    Wait,
    /// Nothing ever.
    Done,
}

/// A small task that one worker does from the first read to the result.
pub(crate) struct Small<M> {
    pub(crate) ticket: u64,
    pub(crate) meta: M,
    pub(crate) assembly: Assembly,
    pub(crate) needs: Vec<Need>,
}

/// How an attempt to admit a task ended.
pub(crate) enum Admission<M> {
    /// It is in flight; `batches` more batches are to be decoded.
    Queued { batches: usize },
    /// It is in flight, and the caller does all of it.
    Small(Small<M>),
    /// Not enough memory now: the task comes back.
    Blocked(M, Demand),
}

/// The shared state of a run.
pub(crate) struct Scheduler<'a, M, T, E> {
    threads: usize,
    lease: Lease<'a>,
    table: ChunkTable,
    batches: VecDeque<Batch>,
    ready: VecDeque<u64>,
    /// Admitted and undelivered tasks in order; the first one has ticket `first_ticket`.
    slots: VecDeque<Slot<M, T>>,
    first_ticket: u64,
    /// Admitted tasks whose charge is not back.
    in_flight: usize,
    /// Admitted tasks whose work is not done.
    unfinished: usize,
    /// Part of the lease set aside for fetching and decoding, and how much of it is in use.
    reserve_bytes: u64,
    drawn_bytes: u64,
    /// The next task found too little memory, and none came back since.
    blocked: bool,
    exhausted: bool,
    /// Decoded chunks were let go that are needed again.
    spilling: bool,
    stopped: bool,
    failure: Option<E>,
    pub(crate) sleepers: usize,
    pub(crate) deliverer_sleeps: bool,
    pub(crate) stats: RunStats,
}

impl<'a, M, T, E> Scheduler<'a, M, T, E> {
    pub(crate) fn new(threads: usize, lease: Lease<'a>) -> Self {
        Self {
            threads,
            lease,
            table: ChunkTable::default(),
            batches: VecDeque::new(),
            ready: VecDeque::new(),
            slots: VecDeque::new(),
            first_ticket: 0,
            in_flight: 0,
            unfinished: 0,
            reserve_bytes: 0,
            drawn_bytes: 0,
            blocked: false,
            exhausted: false,
            spilling: false,
            stopped: false,
            failure: None,
            sleepers: 0,
            deliverer_sleeps: false,
            stats: RunStats::default(),
        }
    }

    // --- choosing ---

    /// The most useful thing to do: answers that are complete first, then chunks for admitted
    /// tasks, then new tasks.
    pub(crate) fn next_job(&mut self) -> Job<M> {
        while let Some(ticket) = self.ready.pop_front() {
            if let Some(task) = self.begin(ticket) {
                return Job::Run(ticket, task);
            }
        }
        if self.is_finished() {
            return Job::Done;
        }
        let may_admit = !self.exhausted && !self.blocked;
        let ahead = if self.spilling {
            MAX_SHARING_AHEAD
        } else {
            4 * self.threads
        };
        if may_admit && (self.batches.is_empty() || self.spilling) && self.unfinished < ahead {
            return Job::Admit;
        }
        if let Some(batch) = self.claim_batch() {
            return Job::Decode(batch);
        }
        if may_admit && self.unfinished < 4 * self.threads {
            return Job::Admit;
        }
        Job::Wait
    }

    fn begin(&mut self, ticket: u64) -> Option<Admitted<M>> {
        let slot = self.slot_mut(ticket)?;
        let Slot::Admitted(task) = slot else {
            return None;
        };
        let charge_bytes = task.charge_bytes;
        match std::mem::replace(slot, Slot::Running { charge_bytes }) {
            Slot::Admitted(task) => Some(task),
            Slot::Running { .. } | Slot::Finished(_) => None,
        }
    }

    fn slot_mut(&mut self, ticket: u64) -> Option<&mut Slot<M, T>> {
        let position = usize::try_from(ticket.checked_sub(self.first_ticket)?).ok()?;
        self.slots.get_mut(position)
    }

    /// Takes the oldest batch, or its beginning, if the reserve has room for it.
    ///
    /// The reserve holds the largest single chunk of every admitted task, so some batch can be
    /// claimed whenever no other worker has drawn on the reserve.
    fn claim_batch(&mut self) -> Option<Batch> {
        let room = self.reserve_bytes - self.drawn_bytes;
        let first = self.batches.front()?.members.first()?;
        if first.alone_bytes > room {
            return None;
        }
        let mut batch = self.batches.pop_front()?;
        if let Some(rest) = batch.split_off(room) {
            self.batches.push_front(rest);
        }
        self.drawn_bytes += batch.working_bytes();
        Some(batch)
    }

    // --- admitting ---

    /// Charges a task and lists what is to be done for it.
    ///
    /// `drawn_bytes` is what the caller has drawn on the reserve for small tasks so far; it grows
    /// as this one needs.
    pub(crate) fn try_admit(
        &mut self,
        meta: M,
        demand: Demand,
        drawn_bytes: &mut u64,
    ) -> Admission<M> {
        if !self.charge(&demand) {
            self.blocked = true;
            return Admission::Blocked(meta, demand);
        }
        let ticket = self.first_ticket + self.slots.len() as u64;
        self.in_flight += 1;
        self.unfinished += 1;
        self.stats.tasks += 1;
        if demand.is_small_and_private() && self.draw(demand.largest_bytes, drawn_bytes) {
            self.slots.push_back(Slot::Running {
                charge_bytes: demand.charge_bytes,
            });
            return Admission::Small(Small {
                ticket,
                meta,
                assembly: Assembly::new(demand.parts),
                needs: demand.needs,
            });
        }
        self.enqueue(ticket, meta, demand)
    }

    /// Grows a draw on the reserve to `bytes` if there is room.
    fn draw(&mut self, bytes: u64, drawn_bytes: &mut u64) -> bool {
        let more = bytes.saturating_sub(*drawn_bytes);
        let fits = more <= self.reserve_bytes - self.drawn_bytes;
        if fits {
            self.drawn_bytes += more;
            *drawn_bytes += more;
        }
        fits
    }

    /// Asks for the task's chunks and forms batches of those that nobody asked for before.
    fn enqueue(&mut self, ticket: u64, meta: M, demand: Demand) -> Admission<M> {
        let mut task = Admitted {
            meta,
            assembly: Arc::new(Assembly::new(demand.parts)),
            resident: Vec::new(),
            missing: 0,
            charge_bytes: demand.charge_bytes,
        };
        let mut fresh = Vec::new();
        for need in demand.needs {
            self.demand_chunk(&mut task, ticket, need, &mut fresh);
        }
        if task.missing == 0 {
            self.ready.push_back(ticket);
        }
        self.note_spilling(&fresh);
        let mut batches = form_batches(ticket, fresh, self.threads);
        let count = batches.len();
        self.batches.append(&mut batches);
        self.slots.push_back(Slot::Admitted(task));
        Admission::Queued { batches: count }
    }

    fn demand_chunk(
        &mut self,
        task: &mut Admitted<M>,
        ticket: u64,
        need: Need,
        fresh: &mut Vec<Need>,
    ) {
        let Need { request, .. } = need;
        if !need.decode {
            task.missing += 1;
            fresh.push(need);
            return;
        }
        let key = (need.source, need.chunk);
        let dependent = Dependent { ticket, request };
        match self.table.demand(key, dependent, need.forecast) {
            Demanded::Fresh => {
                task.missing += 1;
                fresh.push(need);
            }
            Demanded::Awaited => task.missing += 1,
            Demanded::Resident(chunk) => task.resident.push(ResidentNeed {
                key,
                request,
                chunk,
            }),
        }
    }

    /// Whether the chunks of the newest task that later tasks need can all be kept for them.
    fn note_spilling(&mut self, fresh: &[Need]) {
        let shared: u64 = fresh
            .iter()
            .filter(|need| need.forecast.is_some_and(|hint| hint.total_uses > 1))
            .fold(0, |sum, need| sum.saturating_add(need.beside_bytes));
        if shared > 0 {
            self.spilling = shared > self.lease.available_bytes();
        }
    }

    /// Charges the task and makes the reserve large enough for its chunks, for as many threads as
    /// there is room for.
    fn charge(&mut self, demand: &Demand) -> bool {
        let largest = demand.largest_bytes;
        let slots = self.threads as u64;
        if self.charge_with(demand.charge_bytes, largest.saturating_mul(slots)) {
            return true;
        }
        // Few tasks at work: their parallelism is worth more than kept chunks.
        while self.in_flight <= self.threads {
            let Some(bytes) = self.table.evict() else {
                break;
            };
            self.lease.shrink(bytes);
            if self.charge_with(demand.charge_bytes, largest.saturating_mul(slots)) {
                return true;
            }
        }
        if self.in_flight == 0 && self.drawn_bytes == 0 {
            self.lease.shrink(self.reserve_bytes);
            self.reserve_bytes = 0;
            return (1..=slots)
                .rev()
                .any(|slots| self.charge_with(demand.charge_bytes, largest.saturating_mul(slots)));
        }
        // A decode at a time is enough to go on.
        self.in_flight < self.threads && self.charge_with(demand.charge_bytes, largest)
    }

    fn charge_with(&mut self, charge_bytes: u64, reserve_bytes: u64) -> bool {
        let more = reserve_bytes.saturating_sub(self.reserve_bytes);
        let granted = self.lease.try_grow(charge_bytes.saturating_add(more));
        if granted {
            self.reserve_bytes += more;
        }
        granted
    }

    // --- decoding ---

    pub(crate) fn assembly(&mut self, ticket: u64) -> Option<Arc<Assembly>> {
        match self.slot_mut(ticket)? {
            Slot::Admitted(task) => Some(Arc::clone(&task.assembly)),
            Slot::Running { .. } | Slot::Finished(_) => None,
        }
    }

    pub(crate) fn take_only_dependent(&mut self, key: ChunkKey) -> Option<Dependent> {
        self.table.take_only_dependent(key)
    }

    pub(crate) fn take_dependents(&mut self, key: ChunkKey) -> Vec<Dependent> {
        self.table.take_dependents(key)
    }

    /// One more request of a task is answered. Returns whether the task became ready.
    pub(crate) fn answered(&mut self, ticket: u64) -> bool {
        let Some(Slot::Admitted(task)) = self.slot_mut(ticket) else {
            return false;
        };
        task.missing -= 1;
        let is_ready = task.missing == 0;
        if is_ready {
            self.ready.push_back(ticket);
        }
        is_ready
    }

    /// All who asked for a chunk so far have it: keep it if it is needed later and there is room.
    pub(crate) fn settle(&mut self, key: ChunkKey, chunk: Arc<Vec<u8>>) {
        let keeps = self.table.is_needed_later(key) && self.lease.try_grow(chunk.len() as u64);
        self.table.settle(key, keeps.then_some(chunk));
    }

    /// Gives a draw on the reserve back.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.drawn_bytes -= bytes;
        self.blocked = false;
    }

    pub(crate) fn has_batches(&self) -> bool {
        !self.batches.is_empty()
    }

    // --- running and delivering ---

    /// The task's copies of resident chunks are made.
    pub(crate) fn unpin(&mut self, key: ChunkKey) {
        let freed = self.table.unpin(key);
        self.release(freed);
    }

    /// Stores a result. Returns whether it is the next one to be delivered.
    pub(crate) fn finish(&mut self, ticket: u64, meta: M, result: T) -> bool {
        self.unfinished -= 1;
        if let Some(slot) = self.slot_mut(ticket)
            && let &mut Slot::Running { charge_bytes } = slot
        {
            *slot = Slot::Finished(Finished {
                meta,
                result,
                charge_bytes,
            });
        }
        ticket == self.first_ticket
    }

    /// The next result in order, if it is there.
    pub(crate) fn pop_finished(&mut self) -> Option<Finished<M, T>> {
        if !matches!(self.slots.front(), Some(Slot::Finished(_))) {
            return None;
        }
        self.first_ticket += 1;
        match self.slots.pop_front() {
            Some(Slot::Finished(finished)) => Some(finished),
            _ => None,
        }
    }

    /// Results are with the caller: their memory is free again.
    pub(crate) fn delivered(&mut self, tasks: usize, charge_bytes: u64) {
        self.in_flight -= tasks;
        self.release(charge_bytes);
    }

    fn release(&mut self, bytes: u64) {
        self.lease.shrink(bytes);
        self.blocked &= bytes == 0;
    }

    /// All work is done.
    pub(crate) fn is_finished(&self) -> bool {
        self.exhausted && self.unfinished == 0
    }

    /// Everything is delivered.
    pub(crate) fn is_complete(&self) -> bool {
        self.exhausted && self.slots.is_empty()
    }

    // --- waiting and stopping ---

    /// No more tasks will come.
    pub(crate) fn set_exhausted(&mut self) {
        self.exhausted = true;
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// Another run may have given memory back.
    pub(crate) fn retry_admission(&mut self) {
        self.blocked = false;
    }

    /// Whether finished results wait for the caller.
    pub(crate) fn waits_for_delivery(&self) -> bool {
        self.in_flight > self.slots.len() || matches!(self.slots.front(), Some(Slot::Finished(_)))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Ends the run; the first failure is the one reported.
    pub(crate) fn fail(&mut self, error: E) {
        self.failure.get_or_insert(error);
        self.stopped = true;
    }

    /// The result of the run.
    pub(crate) fn into_outcome(self) -> Result<RunStats, E> {
        match self.failure {
            Some(error) => Err(error),
            None => Ok(RunStats {
                peak_budget_bytes: self.lease.peak_bytes(),
                decoded_again: self.table.decoded_again,
                ..self.stats
            }),
        }
    }
}
