//! Work behind a caller's back: jobs go in, results come out in the order of the jobs.
//!
//! Threads of a [`Pool`], which may be shared, take jobs, oldest first, and deliver the results, one
//! at a time, in the order in which the jobs were submitted. What is delivered, and in which order,
//! therefore does not depend on the number of threads.
//!
//! # Memory
//! Jobs and results carry their own [`Charge`]s. Whoever submits takes the charge first, with
//! [`Background::acquire`], which waits while jobs are under way: that is the back-pressure.
//!
//! # Why it cannot deadlock
//! 1. Threads never wait for memory, nor for those that submit.
//! 2. A job may wait for what *earlier* jobs of the same background do, never for later ones, nor for
//!    another background's. Jobs of a background are begun in order, so the oldest one that is not
//!    done is being worked on, or waits for a thread that ends its turn; it waits for nobody else.
//! 3. Then the oldest result is there, and a thread delivers it; that waits for nothing else.
//! 4. A submitter waits only while something is submitted and not delivered, which by 2. and 3.
//!    comes to an end; with nothing under way, [`Background::acquire`] says that there is no more
//!    memory instead of waiting for it.
//! 5. Panics are caught, and a job that panics is delivered as an error.

mod lane;
mod pool;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use frazil_codec::Scratch;
use frazil_types::sync::Mutex;

use self::lane::Queue;
use self::pool::Lane;
use crate::error::guarded;
use crate::{Charge, MemoryBudget, PipelineError};

pub use pool::Pool;

/// How often a waiting submitter looks at memory that was given back without a delivery.
const NAP: Duration = Duration::from_millis(5);

/// Small jobs that a worker takes, and that are delivered, at once.
const RUN: usize = 256;

type Outcome<R> = Result<R, PipelineError>;
type Work<J, R> = dyn Fn(J, &mut Scratch) -> R + Send + Sync;
type Deliver<R> = dyn FnMut(Outcome<R>) + Send;

/// Jobs of one kind and their results. Dropped, it forgets the jobs that were not begun, and waits
/// for those that were.
pub struct Background<J: Send + 'static, R: Send + 'static> {
    queue: Arc<Queue<J, R>>,
    /// `None`: every job is done by the call that submits it.
    pool: Option<Arc<Pool>>,
    scratch: Mutex<Scratch>,
    /// Small jobs that are handed over together. Locked before the queue's state.
    small: Mutex<Vec<J>>,
}

impl<J: Send + 'static, R: Send + 'static> std::fmt::Debug for Background<J, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Background")
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

impl<J: Send + 'static, R: Send + 'static> Background<J, R> {
    /// Has at most `threads` threads of a pool work, which gets as many if it has fewer. Without a
    /// pool or threads (or where none can be started) every job is done, and its result delivered,
    /// by the call that submits it.
    ///
    /// `work` may wait for jobs submitted before its own, never for later ones. `deliver` gets
    /// every result in order, [`PipelineError::WorkerPanicked`] in place of a job that panicked; it
    /// must not wait for the threads that submit.
    pub fn start(
        pool: Option<Arc<Pool>>,
        threads: usize,
        work: impl Fn(J, &mut Scratch) -> R + Send + Sync + 'static,
        deliver: impl FnMut(Outcome<R>) + Send + 'static,
    ) -> Self {
        Self {
            queue: Arc::new(Queue::new(threads, Box::new(work), Box::new(deliver))),
            pool: pool.filter(|pool| threads > 0 && pool.grow(threads) > 0),
            scratch: Mutex::default(),
            small: Mutex::default(),
        }
    }

    /// Submits a job; does not wait.
    pub fn submit(&self, job: J) {
        match &self.pool {
            None => self.queue.run_now(job, &mut self.scratch.lock()),
            Some(pool) => self.hand_over(pool, Some(job)),
        }
    }

    /// Submits a job that takes less time than waking a thread: many of them are handed over
    /// together, or with the next other job, or when somebody waits.
    pub fn submit_small(&self, job: J) {
        let Some(pool) = &self.pool else {
            return self.queue.run_now(job, &mut self.scratch.lock());
        };
        let mut small = self.small.lock();
        small.push(job);
        if small.len() >= RUN {
            drop(small);
            self.hand_over(pool, None);
        }
    }

    /// Hands over the small jobs that wait for that, and another one behind them.
    fn hand_over(&self, pool: &Pool, job: Option<J>) {
        let mut small = self.small.lock();
        if small.is_empty() && job.is_none() {
            return;
        }
        let jobs = small.len() + usize::from(job.is_some());
        pool.turns().note_submitted(jobs as u64);
        let turns = self.queue.push(&mut small, job);
        drop(small);
        for _ in 0..turns {
            pool.turns().ask_for_work(self.lane());
        }
    }

    fn hand_over_small(&self) {
        if let Some(pool) = &self.pool {
            self.hand_over(pool, None);
        }
    }

    fn lane(&self) -> Arc<dyn Lane> {
        Arc::clone(&self.queue) as Arc<dyn Lane>
    }

    /// Takes `bytes` of a budget, waiting for jobs under way while it has too few.
    ///
    /// `None`: nothing is under way any more and the budget still has not enough.
    #[must_use]
    pub fn acquire(&self, budget: &Arc<MemoryBudget>, bytes: u64) -> Option<Charge> {
        loop {
            if let Some(charge) = budget.charge(bytes) {
                return Some(charge);
            }
            if self.wait_idle_for(Duration::ZERO) {
                return budget.charge(bytes);
            }
            self.queue.wait_for_delivery(NAP);
        }
    }

    /// Waits until every submitted job is delivered.
    pub fn wait_idle(&self) {
        self.hand_over_small();
        self.queue.wait_idle();
    }

    /// Jobs submitted and not delivered yet.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        self.hand_over_small();
        self.queue.under_way()
    }

    /// As [`Self::wait_idle`], but at most so long; whether everything is delivered.
    #[must_use]
    pub fn wait_idle_for(&self, wait: Duration) -> bool {
        self.hand_over_small();
        self.queue.wait_idle_until(Instant::now() + wait)
    }

    /// Time that was spent on jobs and deliveries so far, all threads together.
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.queue.busy()
    }
}

impl<J: Send + 'static, R: Send + 'static> Drop for Background<J, R> {
    fn drop(&mut self) {
        let Some(pool) = &self.pool else { return };
        if pool.is_gone() {
            // A fork left the threads behind, and what they held.
            std::mem::forget(Arc::clone(&self.queue));
            return;
        }
        let turns = pool.turns();
        let forgotten = self.queue.close();
        turns.note_done(forgotten.len() as u64);
        drop(forgotten);
        let (work, has_delivery) = turns.leave(&self.lane());
        turns.note_done(self.queue.end(work, has_delivery));
    }
}

/// Delivers; where that panics, it is told so instead, once.
fn deliver_guarded<R>(deliver: &mut Deliver<R>, outcome: Outcome<R>) {
    if let Err(panic) = guarded(|| deliver(outcome)) {
        // A second panic has nobody left to be told to.
        let _ = guarded(|| deliver(Err(panic)));
    }
}
