//! Helping threads of the process, shared by all reads.
//!
//! A read works on its own thread and invites helpers; whoever is free comes, and nobody waits for
//! those who do not. Threads do not survive a fork: a child process makes its own
//! (see [`super::process`]).

#![expect(
    unsafe_code,
    reason = "helpers borrow the caller's work, which the caller waits for"
)]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use frazil_types::sync::{Condvar, Mutex};

use crate::threads::guest;

/// Most helping threads of a process.
const MAX_HELPERS: usize = 256;

/// What helpers run.
type Work = dyn Fn() + Sync;

/// What helpers do when nobody waits for them.
pub(super) type Later = Box<dyn FnOnce() + Send>;

enum Next {
    Job(Arc<Job>),
    Later(Later),
}

/// The helpers of one process.
#[derive(Default)]
pub(super) struct Pool {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Arc<Job>>,
    /// What nobody waits for; done when no job has an invitation.
    later: VecDeque<Later>,
    threads: usize,
}

/// One read that invites helpers.
struct Job {
    /// Points into the stack of the thread that runs [`Pool::share`], which does not return before
    /// the last helper has left.
    work: *const Work,
    state: Mutex<JobState>,
    left: Condvar,
}

// SAFETY: the work is `Sync`; the pointer is only followed between `enter` and `leave`, while the
// caller of `share` waits.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

#[derive(Default)]
struct JobState {
    invited: usize,
    inside: usize,
    panicked: bool,
}

impl Job {
    /// Takes an invitation; false if there is none left.
    fn enter(&self) -> bool {
        let mut state = self.state.lock();
        if state.invited == 0 {
            return false;
        }
        state.invited -= 1;
        state.inside += 1;
        true
    }

    fn run_and_leave(&self) {
        // SAFETY: between `enter` and the end of this function the caller of `share` waits, so the
        // work lives.
        let work = unsafe { &*self.work };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        let mut state = self.state.lock();
        state.panicked |= outcome.is_err();
        state.inside -= 1;
        if state.inside == 0 {
            self.left.notify_all();
        }
    }

    /// Takes all invitations back and waits for those who came; false if one of them panicked.
    fn close(&self) -> bool {
        let mut state = self.state.lock();
        state.invited = 0;
        while state.inside > 0 {
            self.left.wait(&mut state);
        }
        !state.panicked
    }
}

/// Waits for the helpers also where the caller's own work panics.
struct Closing<'a> {
    pool: &'static Pool,
    job: &'a Arc<Job>,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.job.close();
        let mut queue = self.pool.queue.lock();
        queue.jobs.retain(|job| !Arc::ptr_eq(job, self.job));
    }
}

impl Pool {
    /// Runs `work` on this thread and on up to `helpers` others at the same time; returns when all
    /// of them have returned from it.
    pub(super) fn share(&'static self, helpers: usize, work: &(dyn Fn() + Sync + '_)) {
        if helpers == 0 {
            work();
            return;
        }
        // SAFETY: only the lifetime changes; `Closing` waits for all who use the pointer before
        // this function ends, however it ends.
        let work_anywhere = unsafe {
            std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const Work>(&raw const *work)
        };
        let job = Arc::new(Job {
            work: work_anywhere,
            state: Mutex::new(JobState {
                invited: helpers,
                ..JobState::default()
            }),
            left: Condvar::new(),
        });
        let closing = Closing {
            pool: self,
            job: &job,
        };
        self.invite(&job, helpers);
        work();
        drop(closing);
        if !job.close() {
            resume_unwind(Box::new("a helper panicked"));
        }
    }

    fn invite(&'static self, job: &Arc<Job>, helpers: usize) {
        let mut queue = self.queue.lock();
        queue.jobs.push_back(Arc::clone(job));
        self.ensure_threads(&mut queue, helpers);
        drop(queue);
        for _ in 0..helpers {
            self.wake.notify_one();
        }
    }

    /// Has `work` done some time, by one of `helpers` threads.
    pub(super) fn later(&'static self, helpers: usize, work: Later) {
        let mut queue = self.queue.lock();
        queue.later.push_back(work);
        self.ensure_threads(&mut queue, helpers);
        drop(queue);
        self.wake.notify_one();
    }

    fn ensure_threads(&'static self, queue: &mut Queue, helpers: usize) {
        while queue.threads < helpers.min(MAX_HELPERS) {
            let helper = std::thread::Builder::new().name("frazil-reader".to_owned());
            // Where no thread starts, those that are there do the work.
            if helper.spawn(guest(|| self.help())).is_err() {
                break;
            }
            queue.threads += 1;
        }
    }

    /// What a helper does all its life.
    fn help(&self) {
        loop {
            match self.next() {
                Next::Job(job) => job.run_and_leave(),
                // Nobody waits for the outcome.
                Next::Later(work) => drop(catch_unwind(AssertUnwindSafe(work))),
            }
        }
    }

    /// The first job that still has an invitation, entered; else what can be done later.
    fn next(&self) -> Next {
        let mut queue = self.queue.lock();
        loop {
            while let Some(job) = queue.jobs.front() {
                if job.enter() {
                    return Next::Job(Arc::clone(job));
                }
                queue.jobs.pop_front();
            }
            if let Some(work) = queue.later.pop_front() {
                return Next::Later(work);
            }
            self.wake.wait(&mut queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn pool() -> &'static Pool {
        Box::leak(Box::default())
    }

    #[test]
    fn helpers_share_the_work_of_many_callers() {
        let pool = pool();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..200 {
                        let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
                        pool.share(round % 4, &|| {
                            loop {
                                let i = next.fetch_add(1, Ordering::Relaxed);
                                if i >= 100 {
                                    return;
                                }
                                sum.fetch_add(i, Ordering::Relaxed);
                            }
                        });
                        assert_eq!(sum.into_inner(), 4950);
                    }
                });
            }
        });
        assert!(pool.queue.lock().threads <= 3);
        assert!(pool.queue.lock().jobs.is_empty());
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_the_pool_whole() {
        let pool = pool();
        for _ in 0..20 {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.share(2, &|| panic!("boom"));
            }));
            assert!(outcome.is_err());
        }
        let count = AtomicUsize::new(0);
        pool.share(2, &|| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert!(count.into_inner() >= 1);
    }
}
