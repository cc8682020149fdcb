//! The jobs and results of one [`Background`](super::Background).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use frazil_codec::Scratch;
use frazil_types::sync::{Condvar, Mutex};

use super::pool::{Lane, Turns};
use super::{Deliver, Outcome, RUN, Work, deliver_guarded};
use crate::error::guarded;

/// Jobs and results in order.
pub(super) struct Queue<J, R> {
    state: Mutex<State<J, R>>,
    submitters_wake: Condvar,
    work: Box<Work<J, R>>,
    /// `None` once nothing is delivered any more.
    deliver: Mutex<Option<Box<Deliver<R>>>>,
    /// Most threads that may work on its jobs at a time.
    threads: usize,
}

struct State<J, R> {
    jobs: VecDeque<Queued<J>>,
    /// Results that wait for their turn, and whether their jobs were small.
    results: BTreeMap<u64, (Outcome<R>, bool)>,
    submitted: u64,
    delivered: u64,
    /// Threads at work, and places in the queue of those who want some.
    turns: usize,
    /// Whether a thread delivers, or is asked to.
    is_delivering: bool,
    is_closed: bool,
    busy: Duration,
}

struct Queued<J> {
    number: u64,
    job: J,
    is_small: bool,
}

impl<J, R> State<J, R> {
    fn push(&mut self, job: J, is_small: bool) {
        let number = self.submitted;
        self.submitted += 1;
        self.jobs.push_back(Queued {
            number,
            job,
            is_small,
        });
    }

    fn is_idle(&self) -> bool {
        self.delivered == self.submitted
    }

    /// The oldest job, with the small ones behind it if it is small.
    fn take_jobs(&mut self) -> Vec<Queued<J>> {
        let mut run: Vec<Queued<J>> = Vec::new();
        while let Some(next) = self.jobs.front() {
            let joins = run.is_empty() || (run[0].is_small && next.is_small);
            if !joins || run.len() >= RUN {
                break;
            }
            run.extend(self.jobs.pop_front());
        }
        run
    }

    /// The next result, with those of small jobs behind it if its job was small.
    fn take_results(&mut self) -> Vec<Outcome<R>> {
        let mut run = Vec::new();
        let mut all_small = true;
        while run.len() < RUN && all_small {
            let number = self.delivered + run.len() as u64;
            let is_next = |(_, is_small): &(Outcome<R>, bool)| *is_small || run.is_empty();
            if !self.results.get(&number).is_some_and(is_next) {
                break;
            }
            let Some((outcome, is_small)) = self.results.remove(&number) else {
                break;
            };
            all_small = is_small;
            run.push(outcome);
        }
        run
    }
}

impl<J: Send + 'static, R: Send + 'static> Queue<J, R> {
    pub(super) fn new(threads: usize, work: Box<Work<J, R>>, deliver: Box<Deliver<R>>) -> Self {
        Self {
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                results: BTreeMap::new(),
                submitted: 0,
                delivered: 0,
                turns: 0,
                is_delivering: false,
                is_closed: false,
                busy: Duration::ZERO,
            }),
            submitters_wake: Condvar::new(),
            work,
            deliver: Mutex::new(Some(deliver)),
            threads,
        }
    }

    /// Does a job, and delivers its result, on this thread.
    pub(super) fn run_now(&self, job: J, scratch: &mut Scratch) {
        let began = Instant::now();
        let outcome = guarded(|| (self.work)(job, scratch));
        self.hand_on(vec![outcome]);
        self.state.lock().busy += began.elapsed();
    }

    /// Takes small jobs and one behind them; how many turns to ask for.
    pub(super) fn push(&self, small: &mut Vec<J>, job: Option<J>) -> usize {
        let mut state = self.state.lock();
        let parts = usize::from(!small.is_empty()) + usize::from(job.is_some());
        small.drain(..).for_each(|job| state.push(job, true));
        if let Some(job) = job {
            state.push(job, false);
        }
        let asked = parts.min(self.threads - state.turns);
        state.turns += asked;
        asked
    }

    pub(super) fn under_way(&self) -> u64 {
        let state = self.state.lock();
        state.submitted - state.delivered
    }

    pub(super) fn busy(&self) -> Duration {
        self.state.lock().busy
    }

    pub(super) fn wait_idle(&self) {
        let mut state = self.state.lock();
        while !state.is_idle() {
            self.submitters_wake.wait(&mut state);
        }
    }

    pub(super) fn wait_idle_until(&self, end: Instant) -> bool {
        let mut state = self.state.lock();
        while !state.is_idle() && Instant::now() < end {
            self.submitters_wake.wait_until(&mut state, end);
        }
        state.is_idle()
    }

    /// Waits for a delivery if one is due, at most so long.
    pub(super) fn wait_for_delivery(&self, wait: Duration) {
        let mut state = self.state.lock();
        if !state.is_idle() {
            self.submitters_wake.wait_for(&mut state, wait);
        }
    }

    /// Lets nobody begin anything any more; the jobs that nobody has begun.
    pub(super) fn close(&self) -> Vec<J> {
        let mut state = self.state.lock();
        state.is_closed = true;
        let jobs = std::mem::take(&mut state.jobs);
        jobs.into_iter().map(|queued| queued.job).collect()
    }

    /// Waits for those who are at work, having given up so many turns and perhaps a delivery; how
    /// many jobs were begun for nothing.
    pub(super) fn end(&self, turns: usize, has_delivery: bool) -> u64 {
        let mut state = self.state.lock();
        state.turns -= turns;
        state.is_delivering &= !has_delivery;
        while state.turns > 0 || state.is_delivering {
            self.submitters_wake.wait(&mut state);
        }
        let left = std::mem::take(&mut state.results);
        drop(state);
        // What it owns goes on this thread, not on one that is just letting go of this queue.
        drop(self.deliver.lock().take());
        left.len() as u64
    }

    fn hand_on(&self, run: Vec<Outcome<R>>) {
        if let Some(deliver) = self.deliver.lock().as_mut() {
            for outcome in run {
                deliver_guarded(deliver, outcome);
            }
        }
    }
}

impl<J: Send + 'static, R: Send + 'static> Lane for Queue<J, R> {
    fn work(self: Arc<Self>, turns: &Turns, scratch: &mut Scratch) {
        let began = Instant::now();
        let run = self.state.lock().take_jobs();
        let first = run.first().map(|queued| queued.number);
        let done: Vec<_> = (run.into_iter())
            .map(|queued| {
                let outcome = guarded(|| (self.work)(queued.job, scratch));
                (queued.number, (outcome, queued.is_small))
            })
            .collect();
        let mut state = self.state.lock();
        state.busy += began.elapsed();
        state.results.extend(done);
        let delivers = first == Some(state.delivered) && !state.is_delivering && !state.is_closed;
        state.is_delivering |= delivers;
        let goes_on = !state.jobs.is_empty();
        if !goes_on {
            state.turns -= 1;
            if state.is_closed {
                self.submitters_wake.notify_all();
            }
        }
        drop(state);
        if delivers {
            turns.ask_for_delivery(Arc::clone(&self) as Arc<dyn Lane>);
        }
        if goes_on {
            turns.ask_for_work(self);
        }
    }

    fn deliver(self: Arc<Self>, turns: &Turns) {
        loop {
            let mut state = self.state.lock();
            let run = match state.is_closed {
                true => Vec::new(),
                false => state.take_results(),
            };
            if run.is_empty() {
                state.is_delivering = false;
                self.submitters_wake.notify_all();
                return;
            }
            drop(state);
            let (began, results) = (Instant::now(), run.len() as u64);
            self.hand_on(run);
            turns.note_done(results);
            let mut state = self.state.lock();
            state.busy += began.elapsed();
            state.delivered += results;
            self.submitters_wake.notify_all();
            drop(state);
            if turns.has_deliveries() {
                return turns.ask_for_delivery(self);
            }
        }
    }
}
