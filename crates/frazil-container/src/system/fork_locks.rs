//! The locks that a fork takes. They are made of the standard library's, which a child can make anew:
//! whoever waited for them in the parent is then nowhere any more.

use std::sync::atomic::{AtomicUsize, Ordering};

use frazil_types::sync::{Condvar, Mutex};

/// No thread.
const NOBODY: usize = 0;

/// Another number for each of the threads that there are; the thread that forks keeps it.
fn this_thread() -> usize {
    thread_local! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| std::ptr::from_ref(place).addr())
}

/// A lock that a thread can take several times.
pub(super) struct ReentrantLock {
    owner: AtomicUsize,
    /// How often its owner has it; nobody else looks.
    depth: AtomicUsize,
    is_held: Mutex<bool>,
    freed: Condvar,
}

impl ReentrantLock {
    pub(super) const fn free() -> Self {
        Self {
            owner: AtomicUsize::new(NOBODY),
            depth: AtomicUsize::new(0),
            is_held: Mutex::new(false),
            freed: Condvar::new(),
        }
    }

    /// Held by this thread, so many times.
    pub(super) fn held(depth: usize) -> Self {
        Self {
            owner: AtomicUsize::new(this_thread()),
            depth: AtomicUsize::new(depth),
            is_held: Mutex::new(true),
            freed: Condvar::new(),
        }
    }

    /// How often this thread has it.
    pub(super) fn depth(&self) -> usize {
        match self.owner.load(Ordering::Relaxed) == this_thread() {
            true => self.depth.load(Ordering::Relaxed),
            false => 0,
        }
    }

    pub(super) fn lock(&self) {
        let depth = self.depth();
        if depth == 0 {
            let mut is_held = self.is_held.lock();
            while *is_held {
                self.freed.wait(&mut is_held);
            }
            *is_held = true;
            drop(is_held);
            self.owner.store(this_thread(), Ordering::Relaxed);
        }
        self.depth.store(depth + 1, Ordering::Relaxed);
    }

    /// Gives back what this thread took once.
    pub(super) fn unlock(&self) {
        let depth = self.depth() - 1;
        self.depth.store(depth, Ordering::Relaxed);
        if depth == 0 {
            self.owner.store(NOBODY, Ordering::Relaxed);
            *self.is_held.lock() = false;
            self.freed.notify_one();
        }
    }
}

/// A gate that any number of threads pass while nobody closes it.
pub(super) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

struct GateState {
    inside: usize,
    is_closed: bool,
}

impl Gate {
    /// One that nobody closed.
    pub(super) const fn new() -> Self {
        Self {
            state: Mutex::new(GateState {
                inside: 0,
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Does something inside.
    pub(super) fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Leaves however the work ends.
        struct Inside<'a>(&'a Gate);
        impl Drop for Inside<'_> {
            fn drop(&mut self) {
                let mut state = self.0.state.lock();
                state.inside -= 1;
                if state.is_closed && state.inside == 0 {
                    self.0.changed.notify_all();
                }
            }
        }
        let mut state = self.state.lock();
        while state.is_closed {
            self.changed.wait(&mut state);
        }
        state.inside += 1;
        drop(state);
        let _inside = Inside(self);
        work()
    }

    /// Lets nobody in, and waits for those who are inside. By one thread at a time.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        while state.inside > 0 {
            self.changed.wait(&mut state);
        }
    }

    pub(super) fn open(&self) {
        self.state.lock().is_closed = false;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time_has_the_lock() {
        let (lock, sum) = (ReentrantLock::free(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        lock.lock();
                        lock.lock();
                        let found = sum.load(Ordering::Relaxed);
                        std::thread::yield_now();
                        sum.store(found + 1, Ordering::Relaxed);
                        lock.unlock();
                        assert_eq!(lock.depth(), 1);
                        lock.unlock();
                        assert_eq!(lock.depth(), 0);
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 2000);
    }

    #[test]
    fn nobody_is_inside_a_closed_gate() {
        let (gate, inside) = (Gate::new(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        gate.pass(|| {
                            inside.fetch_add(1, Ordering::Relaxed);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::Relaxed);
                        });
                    }
                });
            }
            for _ in 0..200 {
                gate.close();
                assert_eq!(inside.load(Ordering::Relaxed), 0);
                gate.open();
                std::thread::yield_now();
            }
        });
    }
}
