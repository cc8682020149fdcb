//! Forks: a child process gets libhdf5 in a state that it can go on from.
//!
//! A child has one thread, the one that forked. If another thread of its parent was inside libhdf5
//! at that moment, the child would find the library lock taken for ever, by nobody, and libhdf5's
//! tables half changed. So whoever forks takes the lock first, and both processes give it back.
//!
//! Source: POSIX.1-2024, `pthread_atfork`.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hdf5_sys::LOCK;
use parking_lot::{ReentrantMutex, RwLock};

/// Held for reading by threads that hold a lock which a child may want; see [`outside_forks`].
static NO_FORK: RwLock<()> = RwLock::new(());

/// Whether the thread that forks held the library lock anyway.
static WAS_HELD: AtomicBool = AtomicBool::new(false);

/// Forks between the first process that asked and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Has every fork of this process from now on wait for the library lock.
pub(crate) fn watch_forks() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the functions are static. If there is no memory to note them, forks are as they
        // would be without them.
        let _status = unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
    });
}

/// Another number in a child process than in its parent.
pub(crate) fn generation() -> u64 {
    watch_forks();
    FORKS.load(Ordering::Relaxed)
}

/// Does something that no fork falls into. It must be short, and must not wait for the library
/// lock.
pub(crate) fn outside_forks<T>(work: impl FnOnce() -> T) -> T {
    watch_forks();
    let _guard = NO_FORK.read();
    work()
}

extern "C" fn prepare() {
    let was_held = LOCK.is_owned_by_current_thread();
    std::mem::forget(LOCK.lock());
    std::mem::forget(NO_FORK.write());
    // Not before: another thread may be on its way to a fork, too.
    WAS_HELD.store(was_held, Ordering::Relaxed);
}

extern "C" fn parent() {
    // SAFETY: this thread took both in `prepare`, and forgot the guards.
    unsafe {
        NO_FORK.force_unlock_write();
        LOCK.force_unlock();
    }
}

extern "C" fn child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // Unlocking would wake threads that wait in the parent, by way of tables of `parking_lot` which
    // a thread that is no more may have locked.
    // SAFETY: a child has one thread, which uses neither lock at the moment. Both consist of cells
    // and atomics only, so that they lie in memory that can be written, and need no drop.
    unsafe { (&raw const NO_FORK).cast_mut().write(RwLock::new(())) };
    if WAS_HELD.load(Ordering::Relaxed) {
        // SAFETY: taken once more in `prepare`; the lock stays held as it was.
        unsafe { LOCK.force_unlock() };
    } else {
        // SAFETY: as above.
        unsafe { (&raw const LOCK).cast_mut().write(ReentrantMutex::new(())) };
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::lock::library_lock;

    /// Whether a forked child comes to its end, having used the locks.
    fn child_ends() -> bool {
        // SAFETY: the child takes locks, which are ours to make sound, and ends at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let held = (library_lock(), library_lock());
            outside_forks(|| ());
            drop(held);
            // SAFETY: ends the child without anything that its parent's threads may have locked.
            unsafe { libc::_exit(0) };
        }
        assert!(pid > 0, "no fork");
        let (began, mut status) = (Instant::now(), -1);
        // SAFETY: the child is ours, and waited for once.
        while unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } == 0 {
            if began.elapsed() > Duration::from_secs(20) {
                // SAFETY: not waited for yet, so that the number is still its.
                unsafe { libc::kill(pid, libc::SIGKILL) };
                // SAFETY: as above.
                unsafe { libc::waitpid(pid, &raw mut status, 0) };
                return false;
            }
            thread::sleep(Duration::from_micros(100));
        }
        status == 0
    }

    #[test]
    fn a_child_finds_the_locks_free_whatever_other_threads_do() {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        let held = library_lock();
                        thread::sleep(Duration::from_micros(200));
                        drop(held);
                        outside_forks(|| thread::sleep(Duration::from_micros(50)));
                    }
                });
            }
            let ended = (0..100).all(|_| child_ends());
            done.store(true, Ordering::Relaxed);
            assert!(ended);
        });
        // The parent's are free again.
        let held = library_lock();
        assert!(NO_FORK.try_write().is_some());
        drop(held);
    }

    #[test]
    fn a_fork_under_the_lock_leaves_it_held() {
        let held = library_lock();
        assert!(child_ends());
        assert!(LOCK.is_owned_by_current_thread());
        drop(held);
        assert!(!LOCK.is_owned_by_current_thread());
    }
}
