//! The threads of a process that work in the background, for all its [`Background`](super::Background)s.
//!
//! Workers do jobs; one more thread delivers results, and workers without jobs help it. Whoever has
//! jobs queues up as often as threads may work for it, and goes to the end of the queue after each
//! turn, so that all get on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use frazil_codec::Scratch;
use frazil_types::sync::{Condvar, Mutex};

use crate::threads::guest;

/// Whose jobs are done and whose results are delivered.
pub(super) trait Lane: Send + Sync {
    /// Does the oldest jobs that nobody has begun.
    fn work(self: Arc<Self>, turns: &Turns, scratch: &mut Scratch);

    /// Delivers the results whose turn it is.
    fn deliver(self: Arc<Self>, turns: &Turns);
}

type Settle = dyn Fn() + Send + Sync;

/// Threads that several [`Background`](super::Background)s share. They end when the last of these,
/// and the last other owner, is gone.
pub struct Pool {
    turns: Arc<Turns>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    settle: Arc<Settle>,
    /// Threads do not survive a fork.
    process: u32,
}

/// Whose turn it is.
pub(super) struct Turns {
    state: Mutex<State>,
    workers_wake: Condvar,
    placer_wakes: Condvar,
    under_way: Arc<AtomicU64>,
}

#[derive(Default)]
struct State {
    work: VecDeque<Arc<dyn Lane>>,
    deliveries: VecDeque<Arc<dyn Lane>>,
    is_placer_busy: bool,
    is_closed: bool,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("threads", &self.threads.lock().len())
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool without threads. Every thread will call `settle` before it does anything else.
    /// `under_way` counts the jobs that were submitted and are not delivered.
    pub fn new(settle: impl Fn() + Send + Sync + 'static, under_way: Arc<AtomicU64>) -> Self {
        Self {
            turns: Arc::new(Turns {
                state: Mutex::default(),
                workers_wake: Condvar::new(),
                placer_wakes: Condvar::new(),
                under_way,
            }),
            threads: Mutex::default(),
            settle: Arc::new(settle),
            process: std::process::id(),
        }
    }

    /// Starts workers until there are so many; how many there are then. The system may refuse.
    pub fn grow(&self, workers: usize) -> usize {
        let mut threads = self.threads.lock();
        if threads.is_empty() && workers > 0 {
            let (turns, settle) = (Arc::clone(&self.turns), Arc::clone(&self.settle));
            threads.extend(named("frazil-placer", move || {
                settle();
                turns.run_placer();
            }));
        }
        if threads.is_empty() {
            return 0;
        }
        while threads.len() < workers + 1 {
            let (turns, settle) = (Arc::clone(&self.turns), Arc::clone(&self.settle));
            let Some(started) = named("frazil-worker", move || {
                settle();
                turns.run_worker();
            }) else {
                break;
            };
            threads.push(started);
        }
        threads.len() - 1
    }

    pub(super) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Whether the threads were left behind by a fork.
    pub(super) fn is_gone(&self) -> bool {
        self.process != std::process::id()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.is_gone() {
            // Nobody is there to be waited for; what they held stays held.
            std::mem::forget(std::mem::take(self.threads.get_mut()));
            std::mem::forget(Arc::clone(&self.turns));
            return;
        }
        self.turns.state.lock().is_closed = true;
        self.turns.workers_wake.notify_all();
        self.turns.placer_wakes.notify_all();
        for thread in self.threads.get_mut().drain(..) {
            // Panics of jobs are caught; nothing is left to be told.
            let _ = thread.join();
        }
    }
}

impl Turns {
    /// Queues up for one worker.
    pub(super) fn ask_for_work(&self, lane: Arc<dyn Lane>) {
        self.state.lock().work.push_back(lane);
        self.workers_wake.notify_one();
    }

    /// Queues up for a delivery.
    pub(super) fn ask_for_delivery(&self, lane: Arc<dyn Lane>) {
        let mut state = self.state.lock();
        state.deliveries.push_back(lane);
        match state.is_placer_busy {
            true => self.workers_wake.notify_one(),
            false => self.placer_wakes.notify_one(),
        };
    }

    /// Whether others wait for a delivery.
    pub(super) fn has_deliveries(&self) -> bool {
        !self.state.lock().deliveries.is_empty()
    }

    /// Leaves the queues: how many places were given up for work, and whether one for a delivery.
    pub(super) fn leave(&self, lane: &Arc<dyn Lane>) -> (usize, bool) {
        let mut state = self.state.lock();
        let before = (state.work.len(), state.deliveries.len());
        state.work.retain(|other| !Arc::ptr_eq(other, lane));
        state.deliveries.retain(|other| !Arc::ptr_eq(other, lane));
        let work = before.0 - state.work.len();
        (work, before.1 > state.deliveries.len())
    }

    /// Notes jobs that were submitted.
    pub(super) fn note_submitted(&self, jobs: u64) {
        self.under_way.fetch_add(jobs, Ordering::AcqRel);
    }

    /// Notes jobs that were delivered, or forgotten.
    pub(super) fn note_done(&self, jobs: u64) {
        self.under_way.fetch_sub(jobs, Ordering::AcqRel);
    }

    fn run_worker(&self) {
        let mut scratch = Scratch::default();
        let mut state = self.state.lock();
        while !state.is_closed {
            if let Some(lane) = state.work.pop_front() {
                drop(state);
                lane.work(self, &mut scratch);
            } else if let Some(lane) = state.deliveries.pop_front() {
                drop(state);
                lane.deliver(self);
            } else {
                self.workers_wake.wait(&mut state);
                continue;
            }
            state = self.state.lock();
        }
    }

    fn run_placer(&self) {
        let mut state = self.state.lock();
        while !state.is_closed {
            let Some(lane) = state.deliveries.pop_front() else {
                state.is_placer_busy = false;
                self.placer_wakes.wait(&mut state);
                continue;
            };
            state.is_placer_busy = true;
            drop(state);
            lane.deliver(self);
            state = self.state.lock();
        }
    }
}

fn named(name: &str, body: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(guest(body)).ok()
}
