//! Locks that a forked child process can use, whatever other threads of its parent did.
//!
//! A child has one thread, the one that forked. Locks that keep those who wait in tables of the
//! process (as `parking_lot` does) keep threads there that are no more: tables stay locked for ever,
//! and wake-ups go to nobody. The standard library's locks have no such tables. These are they, with
//! nothing said about threads that panicked: what a lock guards is whole whenever it is free.
//!
//! A lock that another thread of the parent held at the fork stays locked in the child. What both
//! processes use must be locked outside of forks, or made anew in the child.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{self, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// How often [`Mutex::try_lock_for`] tries.
const NAP: Duration = Duration::from_millis(1);

/// A lock around a value.
#[derive(Default)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

/// The value of a locked [`Mutex`].
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// Only while somebody waits with the guard there is none.
    held: Option<sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    /// A free lock.
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    fn hold(&self) -> sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the lock is free.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard {
            mutex: self,
            held: Some(self.hold()),
        }
    }

    /// `None`: somebody holds the lock.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let held = match self.0.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(MutexGuard {
            mutex: self,
            held: Some(held),
        })
    }

    /// `None`: somebody holds the lock, and held it whenever it was tried for so long.
    pub fn try_lock_for(&self, longest: Duration) -> Option<MutexGuard<'_, T>> {
        let begun = Instant::now();
        loop {
            let guard = self.try_lock();
            if guard.is_some() || begun.elapsed() >= longest {
                return guard;
            }
            thread::sleep(NAP);
        }
    }

    /// The value, which nobody else can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: ?Sized> MutexGuard<'_, T> {
    /// Does something while the lock is free.
    pub fn unlocked<R>(guard: &mut Self, work: impl FnOnce() -> R) -> R {
        /// Locks again however the work ends.
        struct Again<'a, 'm, T: ?Sized>(&'a mut MutexGuard<'m, T>);
        impl<T: ?Sized> Drop for Again<'_, '_, T> {
            fn drop(&mut self) {
                self.0.held = Some(self.0.mutex.hold());
            }
        }
        guard.held = None;
        let _again = Again(guard);
        work()
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.held {
            Some(held) => held,
            None => unreachable!("nobody has the guard meanwhile"),
        }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.held {
            Some(held) => held,
            None => unreachable!("nobody has the guard meanwhile"),
        }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Where threads wait for others that change what one [`Mutex`] guards.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// Nobody waits.
    #[must_use]
    pub const fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// Wakes one of those who wait.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all who wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }

    /// Frees the lock, waits to be woken, and locks again. It may wake for no reason.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        if let Some(held) = guard.held.take() {
            let held = self.0.wait(held);
            guard.held = Some(held.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The same, but for at most so long; whether nobody woke it.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, longest: Duration) -> bool {
        let Some(held) = guard.held.take() else {
            return false;
        };
        let woken = self.0.wait_timeout(held, longest);
        let (held, outcome) = woken.unwrap_or_else(PoisonError::into_inner);
        guard.held = Some(held);
        outcome.timed_out()
    }

    /// The same, until an instant.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, end: Instant) -> bool {
        self.wait_for(guard, end.saturating_duration_since(Instant::now()))
    }
}

/// A value that is made when it is first asked for; perhaps several times, of which one stays.
///
/// Nothing is locked while it is made, as [`std::sync::LazyLock`] is: a process forked meanwhile
/// would wait for ever.
pub struct Lazy<T> {
    made: OnceLock<T>,
    make: fn() -> T,
}

impl<T> Lazy<T> {
    /// What `make` will make.
    pub const fn new(make: fn() -> T) -> Self {
        Self {
            made: OnceLock::new(),
            make,
        }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        if let Some(made) = self.made.get() {
            return made;
        }
        let made = (self.make)();
        self.made.get_or_init(|| made)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_panic_leaves_a_lock_usable() {
        let mutex = Mutex::new(1);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut guard = mutex.lock();
            *guard = 2;
            MutexGuard::unlocked(&mut guard, || panic!("boom"));
        }));
        assert!(outcome.is_err());
        assert_eq!(*mutex.lock(), 2);
        assert_eq!(mutex.try_lock().map(|guard| *guard), Some(2));
        assert_eq!(mutex.into_inner(), 2);
    }

    #[test]
    fn a_held_lock_is_tried_for_as_long_as_told() {
        let mutex = Mutex::new(());
        let held = mutex.lock();
        let (begun, longest) = (Instant::now(), Duration::from_millis(30));
        thread::scope(|scope| {
            let tried = scope.spawn(|| mutex.try_lock_for(longest).is_some());
            assert!(!tried.join().unwrap());
        });
        assert!(begun.elapsed() >= longest);
        drop(held);
        assert!(mutex.try_lock_for(Duration::ZERO).is_some());
    }

    #[test]
    fn threads_wait_for_each_other() {
        let (turn, changed) = (Mutex::new(0), Condvar::new());
        thread::scope(|scope| {
            for me in 0..4 {
                let (turn, changed) = (&turn, &changed);
                scope.spawn(move || {
                    for round in 0..100 {
                        let mut turn = turn.lock();
                        while *turn != round * 4 + me {
                            changed.wait(&mut turn);
                        }
                        *turn += 1;
                        changed.notify_all();
                    }
                });
            }
        });
        let mut turn = turn.lock();
        assert_eq!(*turn, 400);
        assert!(changed.wait_for(&mut turn, Duration::from_millis(1)));
        assert!(changed.wait_until(&mut turn, Instant::now()));
    }

    #[test]
    fn what_is_made_stays() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        static NUMBER: Lazy<usize> = Lazy::new(|| MADE.fetch_add(1, Ordering::Relaxed));
        assert_eq!((*NUMBER, *NUMBER), (0, 0));
        assert_eq!(MADE.load(Ordering::Relaxed), 1);
    }
}
