//! Threads that outlive single calls: jobs go in, results come out in the order of the jobs.
//!
//! A few workers take jobs, oldest first; one more thread delivers the results in the order in
//! which the jobs were submitted. What is delivered, and in which order, therefore does not depend
//! on the number of threads.
//!
//! # Memory
//! Jobs and results carry their own [`Charge`]s. Whoever submits takes the charge first, with
//! [`Background::acquire`], which waits while jobs are under way: that is the back-pressure.
//!
//! # Why it cannot deadlock
//! 1. Workers and the deliverer never wait for memory, nor for the threads that submit.
//! 2. A job may wait for what *earlier* jobs do, never for later ones. Jobs are begun in order, so
//!    the oldest one that is not done is being worked on and waits for nobody, and it ends.
//! 3. Then the oldest result is there, and the deliverer takes it; it waits for nothing else.
//! 4. A submitter waits only while something is submitted and not delivered, which by 2. and 3.
//!    comes to an end; with nothing under way, [`Background::acquire`] says that there is no more
//!    memory instead of waiting for it.
//! 5. Panics are caught, and a job that panics is delivered as an error.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use frazil_codec::Scratch;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::error::guarded;
use crate::{Charge, MemoryBudget, PipelineError};

/// How often a waiting submitter looks at memory that was given back without a delivery.
const NAP: Duration = Duration::from_millis(5);

/// Small jobs that a worker takes, and the deliverer delivers, at once.
const RUN: usize = 256;

type Outcome<R> = Result<R, PipelineError>;
type Work<J, R> = dyn Fn(J, &mut Scratch) -> R + Send + Sync;
type Deliver<R> = dyn FnMut(Outcome<R>) + Send;

/// Long-lived workers and one deliverer. Dropped, it forgets the jobs that were not begun, and
/// waits for the threads to end.
pub struct Background<J, R> {
    shared: Arc<Shared<J, R>>,
    threads: Vec<JoinHandle<()>>,
    /// Small jobs that are handed over together. Locked before the shared state.
    small: Mutex<Vec<J>>,
    /// Does everything on the submitting thread where there are no others.
    inline: Option<Mutex<Inline<J, R>>>,
}

struct Shared<J, R> {
    state: Mutex<State<J, R>>,
    jobs_wake: Condvar,
    deliverer_wakes: Condvar,
    submitters_wake: Condvar,
}

struct State<J, R> {
    jobs: VecDeque<Queued<J>>,
    /// Results that wait for their turn, and whether their jobs were small.
    results: BTreeMap<u64, (Outcome<R>, bool)>,
    submitted: u64,
    delivered: u64,
    is_closed: bool,
    busy: Duration,
}

struct Queued<J> {
    number: u64,
    job: J,
    is_small: bool,
}

struct Inline<J, R> {
    work: Arc<Work<J, R>>,
    deliver: Box<Deliver<R>>,
    scratch: Scratch,
}

impl<J, R> std::fmt::Debug for Background<J, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Background")
            .field("threads", &self.threads.len())
            .finish_non_exhaustive()
    }
}

impl<J: Send + 'static, R: Send + 'static> Background<J, R> {
    /// Starts `threads` workers and a deliverer. With no threads (or where none can be started)
    /// every job is done, and its result delivered, by the call that submits it.
    ///
    /// Every thread calls `settle` before it does anything else.
    ///
    /// `work` may wait for jobs submitted before its own, never for later ones. `deliver` gets
    /// every result in order, [`PipelineError::WorkerPanicked`] in place of a job that panicked; it
    /// must not wait for the threads that submit.
    pub fn start(
        threads: usize,
        settle: impl Fn() + Send + Sync + 'static,
        work: impl Fn(J, &mut Scratch) -> R + Send + Sync + 'static,
        deliver: impl FnMut(Outcome<R>) + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared::new());
        let work: Arc<Work<J, R>> = Arc::new(work);
        // Handed to the deliverer's thread if that starts.
        let deliver: Arc<Mutex<Box<Deliver<R>>>> = Arc::new(Mutex::new(Box::new(deliver)));
        let settle = Arc::new(settle);
        let mut started = Vec::new();
        if threads > 0 {
            let (state, deliver) = (Arc::clone(&shared), Arc::clone(&deliver));
            let settle = Arc::clone(&settle);
            started.extend(named("frazil-placer", move || {
                settle();
                state.run_deliverer(&mut **deliver.lock());
            }));
        }
        let has_deliverer = !started.is_empty();
        for _ in 0..if has_deliverer { threads } else { 0 } {
            let (state, work) = (Arc::clone(&shared), Arc::clone(&work));
            let settle = Arc::clone(&settle);
            started.extend(named("frazil-worker", move || {
                settle();
                state.run_worker(&*work);
            }));
        }
        let mut background = Self {
            shared,
            threads: started,
            small: Mutex::new(Vec::new()),
            inline: None,
        };
        if background.threads.len() < 2 {
            background.stop();
            background.inline = Some(Mutex::new(Inline {
                work,
                deliver: Box::new(move |outcome| (deliver.lock())(outcome)),
                scratch: Scratch::default(),
            }));
        }
        background
    }

    /// Submits a job; does not wait.
    pub fn submit(&self, job: J) {
        if let Some(inline) = &self.inline {
            return inline.lock().run(job, &self.shared.state);
        }
        let mut state = self.hand_over();
        state.push(job, false);
        self.shared.jobs_wake.notify_one();
    }

    /// Submits a job that takes less time than waking a thread: many of them are handed over
    /// together, or with the next other job, or when somebody waits.
    pub fn submit_small(&self, job: J) {
        if let Some(inline) = &self.inline {
            return inline.lock().run(job, &self.shared.state);
        }
        let mut small = self.small.lock();
        small.push(job);
        if small.len() >= RUN {
            drop(small);
            drop(self.hand_over());
        }
    }

    /// Hands over the small jobs that wait for that.
    fn hand_over(&self) -> MutexGuard<'_, State<J, R>> {
        let mut small = self.small.lock();
        let mut state = self.shared.state.lock();
        if !small.is_empty() {
            small.drain(..).for_each(|job| state.push(job, true));
            self.shared.jobs_wake.notify_one();
        }
        state
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
            let mut state = self.hand_over();
            if state.is_idle() {
                drop(state);
                return budget.charge(bytes);
            }
            self.shared.submitters_wake.wait_for(&mut state, NAP);
        }
    }

    /// Waits until every submitted job is delivered.
    pub fn wait_idle(&self) {
        let mut state = self.hand_over();
        while !state.is_idle() {
            self.shared.submitters_wake.wait(&mut state);
        }
    }

    /// Jobs submitted and not delivered yet.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        let state = self.hand_over();
        state.submitted - state.delivered
    }

    /// As [`Self::wait_idle`], but at most so long; whether everything is delivered.
    #[must_use]
    pub fn wait_idle_for(&self, wait: Duration) -> bool {
        let end = Instant::now() + wait;
        let mut state = self.hand_over();
        while !state.is_idle() && Instant::now() < end {
            self.shared.submitters_wake.wait_until(&mut state, end);
        }
        state.is_idle()
    }

    /// Time that workers and the deliverer have spent on jobs so far, all threads together.
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.shared.state.lock().busy
    }
}

impl<J, R> Background<J, R> {
    fn stop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_closed = true;
        let forgotten = std::mem::take(&mut state.jobs);
        drop(state);
        drop(forgotten);
        self.shared.jobs_wake.notify_all();
        self.shared.deliverer_wakes.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of jobs are caught; nothing is left to be told.
            let _ = thread.join();
        }
        self.shared.state.lock().is_closed = false;
    }
}

impl<J, R> Drop for Background<J, R> {
    fn drop(&mut self) {
        self.stop();
    }
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
    fn take_jobs(&mut self, run: &mut Vec<Queued<J>>) {
        while let Some(next) = self.jobs.front() {
            let joins = run.is_empty() || (run[0].is_small && next.is_small);
            if !joins || run.len() >= RUN {
                return;
            }
            run.extend(self.jobs.pop_front());
        }
    }

    /// The next result, with those of small jobs behind it if its job was small.
    fn take_results(&mut self, run: &mut Vec<Outcome<R>>) {
        let mut all_small = true;
        while run.len() < RUN && all_small {
            let number = self.delivered + run.len() as u64;
            let is_next = |(_, is_small): &(Outcome<R>, bool)| *is_small || run.is_empty();
            if !self.results.get(&number).is_some_and(is_next) {
                return;
            }
            let Some((outcome, is_small)) = self.results.remove(&number) else {
                return;
            };
            all_small = is_small;
            run.push(outcome);
        }
    }
}

impl<J, R> Inline<J, R> {
    fn run(&mut self, job: J, state: &Mutex<State<J, R>>) {
        let began = Instant::now();
        let outcome = guarded(|| (self.work)(job, &mut self.scratch));
        deliver_guarded(&mut *self.deliver, outcome);
        state.lock().busy += began.elapsed();
    }
}

impl<J, R> Shared<J, R> {
    fn new() -> Self {
        Self {
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                results: BTreeMap::new(),
                submitted: 0,
                delivered: 0,
                is_closed: false,
                busy: Duration::ZERO,
            }),
            jobs_wake: Condvar::new(),
            deliverer_wakes: Condvar::new(),
            submitters_wake: Condvar::new(),
        }
    }

    fn run_worker(&self, work: &Work<J, R>) {
        let mut scratch = Scratch::default();
        let (mut run, mut done) = (Vec::new(), Vec::new());
        let mut state = self.state.lock();
        while !state.is_closed {
            state.take_jobs(&mut run);
            let Some(first) = run.first().map(|queued| queued.number) else {
                self.jobs_wake.wait(&mut state);
                continue;
            };
            let began = Instant::now();
            MutexGuard::unlocked(&mut state, || {
                done.extend(run.drain(..).map(|queued| {
                    let outcome = guarded(|| work(queued.job, &mut scratch));
                    (queued.number, (outcome, queued.is_small))
                }));
            });
            state.busy += began.elapsed();
            state.results.extend(done.drain(..));
            if first == state.delivered {
                self.deliverer_wakes.notify_one();
            }
        }
    }

    fn run_deliverer(&self, deliver: &mut Deliver<R>) {
        let mut run = Vec::new();
        let mut state = self.state.lock();
        while !state.is_closed {
            state.take_results(&mut run);
            if run.is_empty() {
                self.deliverer_wakes.wait(&mut state);
                continue;
            }
            let (began, results) = (Instant::now(), run.len() as u64);
            MutexGuard::unlocked(&mut state, || {
                for outcome in run.drain(..) {
                    deliver_guarded(deliver, outcome);
                }
            });
            state.busy += began.elapsed();
            state.delivered += results;
            self.submitters_wake.notify_all();
        }
    }
}

/// Delivers; where that panics, it is told so instead, once.
fn deliver_guarded<R>(deliver: &mut Deliver<R>, outcome: Outcome<R>) {
    if let Err(panic) = guarded(|| deliver(outcome)) {
        // A second panic has nobody left to be told to.
        let _ = guarded(|| deliver(Err(panic)));
    }
}

fn named(name: &str, body: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::OnceLock;

    type Log = Arc<Mutex<Vec<Result<u64, String>>>>;

    fn logging(log: &Log) -> impl FnMut(Outcome<u64>) + Send + 'static {
        let log = Arc::clone(log);
        move |outcome| log.lock().push(outcome.map_err(|error| error.to_string()))
    }

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [0, 1, 2, 4] {
            let log = Log::default();
            let slow_evens = |n: u64, _: &mut Scratch| {
                if n.is_multiple_of(7) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                n * n
            };
            let background = Background::start(threads, || (), slow_evens, logging(&log));
            (0..200).for_each(|n| background.submit(n));
            background.wait_idle();
            let expected: Vec<_> = (0..200).map(|n| Ok(n * n)).collect();
            assert_eq!(*log.lock(), expected, "{threads} threads");
        }
    }

    #[test]
    fn small_jobs_keep_their_place_among_others() {
        for threads in [0, 1, 2, 4] {
            let log = Log::default();
            let same = |n: u64, _: &mut Scratch| n;
            let background = Background::start(threads, || (), same, logging(&log));
            for n in 0..1000 {
                match n % 131 {
                    0 => background.submit(n),
                    _ => background.submit_small(n),
                }
            }
            background.wait_idle();
            assert_eq!(*log.lock(), (0..1000).map(Ok).collect::<Vec<_>>());
            background.submit_small(1000);
            background.wait_idle();
            assert_eq!(log.lock().len(), 1001, "{threads} threads");
        }
    }

    #[test]
    fn a_panicking_job_is_delivered_as_an_error() {
        for threads in [0, 2] {
            let log = Log::default();
            let work = |n: u64, _: &mut Scratch| {
                assert_ne!(n, 3, "unlucky");
                n
            };
            let background = Background::start(threads, || (), work, logging(&log));
            (0..6).for_each(|n| background.submit(n));
            background.wait_idle();
            let log = log.lock();
            assert!(log[3].as_ref().unwrap_err().contains("unlucky"));
            assert_eq!(log.len(), 6);
            assert_eq!(log.iter().filter(|outcome| outcome.is_ok()).count(), 5);
        }
    }

    #[test]
    fn memory_is_waited_for_only_while_jobs_are_under_way() {
        for threads in [0, 1, 3] {
            let budget = Arc::new(MemoryBudget::new(100));
            let work = |charge: Charge, _: &mut Scratch| {
                std::thread::sleep(Duration::from_micros(200));
                charge
            };
            let background = Background::start(threads, || (), work, drop::<Outcome<Charge>>);
            for _ in 0..100 {
                background.submit(background.acquire(&budget, 60).unwrap());
            }
            background.wait_idle();
            assert_eq!(budget.used_bytes(), 0);
            assert!(background.acquire(&budget, 101).is_none());
        }
    }

    #[test]
    fn a_job_may_wait_for_earlier_ones() {
        for threads in [0, 1, 2, 4] {
            let first = Arc::new(OnceLock::new());
            let log = Log::default();
            let cell = Arc::clone(&first);
            let work = move |n: u64, _: &mut Scratch| match n {
                0 => {
                    std::thread::sleep(Duration::from_millis(5));
                    *cell.get_or_init(|| 42)
                }
                _ => *cell.wait() + n,
            };
            let background = Background::start(threads, || (), work, logging(&log));
            (0..9).for_each(|n| background.submit(n));
            background.wait_idle();
            assert_eq!(*log.lock(), (0..9).map(|n| Ok(42 + n)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn dropped_it_ends_without_the_jobs_that_wait() {
        let log = Log::default();
        let work = |n: u64, _: &mut Scratch| {
            std::thread::sleep(Duration::from_millis(2));
            n
        };
        let background = Background::start(1, || (), work, logging(&log));
        (0..10_000).for_each(|n| background.submit(n));
        drop(background);
        assert!(log.lock().len() < 10_000);
    }
}
