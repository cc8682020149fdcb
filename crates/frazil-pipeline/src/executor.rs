//! The threads of a run: workers that ask the scheduler what to do, and the caller, who delivers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frazil_codec::Scratch;
use frazil_types::sync::{Condvar, Mutex, MutexGuard};

use crate::admission::Intake;
use crate::batch::Batch;
use crate::budget::MemoryBudget;
use crate::demand::Need;
use crate::error::guarded;
use crate::scheduler::{Admitted, Finished, Job, Scheduler};
use crate::source::{ArraySource, StoredBytes};
use crate::threads::guest;
use crate::unpack::{Fetched, decode};
use crate::{Block, PipelineError, RunStats, Task};

/// How often sleepers look at the cancel flag and at memory that other runs gave back.
const NAP: Duration = Duration::from_millis(20);
/// Small results are delivered in groups of this many bytes and tasks between two looks at the
/// shared state.
const DELIVERY_BYTES: u64 = 1 << 20;
const DELIVERY_TASKS: usize = 64;

/// Limits and switches of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions<'a> {
    /// Worker threads. With 1 (or 0) everything runs on the calling thread.
    pub threads: usize,
    /// Where the memory comes from; may be shared by several runs.
    pub budget: &'a MemoryBudget,
    /// Set to stop with [`PipelineError::Interrupted`].
    pub cancel: &'a AtomicBool,
}

/// Runs tasks: fetch, unpack, gather, then `work` on worker threads; `deliver` takes the results
/// on the calling thread, in the order of the tasks.
///
/// `work` gets one block per request. What it returns is handed to `deliver` and counts against
/// the budget until `deliver` returns. `tasks` is asked for the next task by one worker at a time
/// and should be quick.
///
/// # Errors
/// The first error of `work`, `deliver` or the pipeline; see [`PipelineError`]. No task is
/// delivered after an error, and all threads have ended.
pub fn run_ordered<M, T, E, W, D>(
    sources: &[ArraySource],
    tasks: impl Iterator<Item = Task<M>> + Send,
    options: &RunOptions<'_>,
    work: W,
    mut deliver: D,
) -> Result<RunStats, E>
where
    W: Fn(&M, Vec<Block>, &mut Scratch) -> Result<T, E> + Sync,
    D: FnMut(M, T) -> Result<(), E>,
    E: From<PipelineError> + Send,
    M: Send,
    T: Send,
{
    for (index, source) in sources.iter().enumerate() {
        source.validate(index)?;
    }
    let threads = options.threads.max(1);
    let run = Run {
        sources,
        options,
        work,
        intake: Mutex::new(Intake::new(tasks)),
        state: Mutex::new(Scheduler::new(threads, options.budget.lease())),
        workers_wake: Condvar::new(),
        deliverer_wakes: Condvar::new(),
    };
    if threads == 1 {
        run.run_inline(&mut deliver);
    } else {
        run.run_threads(threads, &mut deliver);
    }
    run.state.into_inner().into_outcome()
}

/// What the threads of a run share.
pub(crate) struct Run<'a, M, T, E, I, W> {
    pub(crate) sources: &'a [ArraySource],
    pub(crate) options: &'a RunOptions<'a>,
    pub(crate) work: W,
    pub(crate) intake: Mutex<Intake<I, M>>,
    state: Mutex<Scheduler<'a, M, T, E>>,
    pub(crate) workers_wake: Condvar,
    pub(crate) deliverer_wakes: Condvar,
}

/// The locked scheduler.
pub(crate) type State<'s, 'a, M, T, E> = MutexGuard<'s, Scheduler<'a, M, T, E>>;

/// What came of one look for work.
enum Step {
    Worked,
    Idle,
    Over,
}

impl<'a, M, T, E, I, W> Run<'a, M, T, E, I, W>
where
    W: Fn(&M, Vec<Block>, &mut Scratch) -> Result<T, E> + Sync,
    E: From<PipelineError> + Send,
    I: Iterator<Item = Task<M>> + Send,
    M: Send,
    T: Send,
{
    // --- threads ---

    /// Everything on this thread: results are delivered as soon as they are there.
    fn run_inline(&self, deliver: &mut impl FnMut(M, T) -> Result<(), E>) {
        let mut scratch = Scratch::default();
        let mut state = self.state.lock();
        loop {
            match self.deliver_finished(&mut state, deliver) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => return self.fail(&mut state, error),
            }
            match self.step(&mut state, &mut scratch) {
                Step::Worked => {}
                Step::Idle => self.sleep(&mut state),
                Step::Over => return,
            }
        }
    }

    fn run_threads(&self, threads: usize, deliver: &mut impl FnMut(M, T) -> Result<(), E>) {
        std::thread::scope(|scope| {
            let started = (0..threads)
                .map_while(|_| {
                    let worker = std::thread::Builder::new().name("frazil-worker".to_owned());
                    worker.spawn_scoped(scope, guest(|| self.run_worker())).ok()
                })
                .count();
            if started == 0 {
                self.run_inline(deliver);
            } else {
                self.run_deliverer(deliver);
            }
        });
    }

    fn run_worker(&self) {
        let mut scratch = Scratch::default();
        let mut state = self.state.lock();
        loop {
            match self.step(&mut state, &mut scratch) {
                Step::Worked => {}
                Step::Idle => self.sleep(&mut state),
                Step::Over => return,
            }
        }
    }

    fn run_deliverer(&self, deliver: &mut impl FnMut(M, T) -> Result<(), E>) {
        let mut state = self.state.lock();
        while !state.is_complete() && !self.must_stop(&mut state) {
            match self.deliver_finished(&mut state, deliver) {
                Ok(true) => {}
                Ok(false) => {
                    state.deliverer_sleeps = true;
                    self.deliverer_wakes.wait_for(&mut state, NAP);
                    state.deliverer_sleeps = false;
                }
                Err(error) => self.fail(&mut state, error),
            }
        }
        self.workers_wake.notify_all();
    }

    fn sleep(&self, state: &mut State<'_, 'a, M, T, E>) {
        let is_blocked = state.is_blocked();
        let is_undelivered = state.waits_for_delivery();
        let began = Instant::now();
        state.sleepers += 1;
        let is_over = self.workers_wake.wait_for(state, NAP);
        state.sleepers -= 1;
        if is_blocked {
            let seconds = began.elapsed().as_secs_f64();
            if is_undelivered {
                state.stats.delivery_wait_seconds += seconds;
            } else {
                state.stats.memory_wait_seconds += seconds;
            }
        }
        if is_over {
            state.retry_admission();
        }
    }

    pub(crate) fn wake(&self, state: &State<'_, 'a, M, T, E>, workers: usize) {
        for _ in 0..workers.min(state.sleepers) {
            self.workers_wake.notify_one();
        }
    }

    fn fail(&self, state: &mut State<'_, 'a, M, T, E>, error: E) {
        state.fail(error);
        self.workers_wake.notify_all();
        self.deliverer_wakes.notify_all();
    }

    fn must_stop(&self, state: &mut State<'_, 'a, M, T, E>) -> bool {
        if !state.is_stopped() && self.options.cancel.load(Ordering::Relaxed) {
            self.fail(state, PipelineError::Interrupted.into());
        }
        state.is_stopped()
    }

    // --- steps ---

    fn step(&self, state: &mut State<'_, 'a, M, T, E>, scratch: &mut Scratch) -> Step {
        if self.must_stop(state) {
            return Step::Over;
        }
        let outcome = match state.next_job() {
            Job::Run(ticket, task) => self.run_task(state, ticket, task, scratch),
            Job::Decode(batch) => self.decode_batch(state, &batch, scratch),
            Job::Admit => self.admit(state, scratch),
            Job::Wait => return Step::Idle,
            Job::Done => return Step::Over,
        };
        if let Err(error) = outcome {
            self.fail(state, error);
        }
        Step::Worked
    }

    /// Copies what was there at admission, then does the task's work.
    fn run_task(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        ticket: u64,
        task: Admitted<M>,
        scratch: &mut Scratch,
    ) -> Result<(), E> {
        let Admitted {
            meta,
            assembly,
            resident,
            ..
        } = task;
        if !resident.is_empty() {
            let keys: Vec<_> = resident.iter().map(|need| need.key).collect();
            MutexGuard::unlocked(state, || {
                guarded(|| {
                    for need in resident {
                        assembly.add_shared(self.sources, need.request, need.key.1, &need.chunk);
                    }
                })
            })?;
            let was_blocked = state.is_blocked();
            keys.into_iter().for_each(|key| state.unpin(key));
            self.wake(state, usize::from(was_blocked && !state.is_blocked()));
        }
        let result = MutexGuard::unlocked(state, || {
            guarded(|| (self.work)(&meta, assembly.take_blocks(self.sources), scratch))
        })??;
        self.finish(state, ticket, meta, result);
        Ok(())
    }

    pub(crate) fn finish(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        ticket: u64,
        meta: M,
        result: T,
    ) {
        let is_next = state.finish(ticket, meta, result);
        if is_next && state.deliverer_sleeps {
            self.deliverer_wakes.notify_one();
        }
        if state.is_finished() {
            self.workers_wake.notify_all();
        }
    }

    fn decode_batch(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        batch: &Batch,
        scratch: &mut Scratch,
    ) -> Result<(), E> {
        let drawn_bytes = batch.working_bytes();
        let mut fetched_bytes = 0;
        let mut fetched = MutexGuard::unlocked(state, || {
            guarded(|| Fetched::read(self.sources, batch, &mut fetched_bytes))
        })??;
        state.stats.fetched_bytes += fetched_bytes;
        for need in &batch.members {
            if self.must_stop(state) {
                return Ok(());
            }
            let stored = fetched.member(need);
            if need.decode {
                self.decode_member(state, need, stored, scratch)?;
            } else if let Some(assembly) = state.assembly(batch.ticket) {
                MutexGuard::unlocked(state, || {
                    assembly.add_stored(need.request, stored.into_vec());
                });
                self.answer(state, batch.ticket);
            }
        }
        state.give_back(drawn_bytes);
        let more = usize::from(state.has_batches()) + usize::from(!state.is_exhausted());
        self.wake(state, more);
        Ok(())
    }

    /// Decodes one chunk and gives it to everyone who asked for it.
    fn decode_member(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        need: &Need,
        stored: StoredBytes<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), PipelineError> {
        let decoded = MutexGuard::unlocked(state, || {
            guarded(|| decode(self.sources, need, stored, scratch))
        })??;
        state.stats.chunks_decoded += 1;
        state.stats.decoded_bytes += decoded.len() as u64;

        let key = (need.source, need.chunk);
        if let Some(only) = state.take_only_dependent(key) {
            if let Some(assembly) = state.assembly(only.ticket) {
                MutexGuard::unlocked(state, || {
                    guarded(|| {
                        assembly.add_owned(self.sources, only.request, need.chunk, decoded);
                    })
                })?;
            }
            self.answer(state, only.ticket);
            return Ok(());
        }
        let decoded = Arc::new(decoded);
        loop {
            // Tasks admitted during the copies below may ask for the chunk, too.
            let dependents = state.take_dependents(key);
            if dependents.is_empty() {
                state.settle(key, decoded);
                return Ok(());
            }
            for dependent in dependents {
                if let Some(assembly) = state.assembly(dependent.ticket) {
                    MutexGuard::unlocked(state, || {
                        guarded(|| {
                            let request = dependent.request;
                            assembly.add_shared(self.sources, request, need.chunk, &decoded);
                        })
                    })?;
                }
                self.answer(state, dependent.ticket);
            }
        }
    }

    fn answer(&self, state: &mut State<'_, 'a, M, T, E>, ticket: u64) {
        if state.answered(ticket) {
            self.wake(state, 1);
        }
    }

    /// Hands the next results in order to the caller. Returns whether there were any.
    fn deliver_finished(
        &self,
        state: &mut State<'_, 'a, M, T, E>,
        deliver: &mut impl FnMut(M, T) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut group: Vec<Finished<M, T>> = Vec::new();
        let mut charge_bytes = 0;
        while group.len() < DELIVERY_TASKS && charge_bytes < DELIVERY_BYTES {
            let Some(finished) = state.pop_finished() else {
                break;
            };
            charge_bytes += finished.charge_bytes;
            group.push(finished);
        }
        if group.is_empty() {
            return Ok(false);
        }
        let tasks = group.len();
        MutexGuard::unlocked(state, || {
            guarded(|| {
                let mut group = group.into_iter();
                group.try_for_each(|finished| deliver(finished.meta, finished.result))
            })
        })??;
        let was_blocked = state.is_blocked();
        state.delivered(tasks, charge_bytes);
        self.wake(state, usize::from(was_blocked));
        Ok(true)
    }
}
