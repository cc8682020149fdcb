//! Forks: a child process gets libhdf5 in a state that it can go on from.
//!
//! A child has one thread, the one that forked. If another thread of its parent was inside libhdf5
//! at that moment, the child would find the library lock taken for ever, by nobody, and libhdf5's
//! tables half changed. So whoever forks takes the lock first, and both processes give it back.
//!
//! Threads that wait for a lock must not be found in the child either. `parking_lot` notes them in
//! tables of the process: a thread that is no more may have locked them, and would get wake-ups
//! that others wait for. So nothing waits for a lock of that kind here; see
//! [`frazil_types::sync`].
//!
//! Source: POSIX.1-2024, `pthread_atfork`.

use std::marker::PhantomData;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use hdf5_sys::LOCK;
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};

use super::fork_locks::{Gate, ReentrantLock};

/// Taken before [`LOCK`], for which frazil's threads then never wait.
static LIBRARY: ReentrantLock = ReentrantLock::free();

/// Passed by threads that hold a lock which a child may want; see [`outside_forks`].
static NO_FORK: Gate = Gate::new();

/// How often the thread that forks held the library lock anyway.
static HELD_BEFORE: AtomicUsize = AtomicUsize::new(0);

/// Forks between the first process that asked and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// The library lock, until it is dropped.
pub(crate) struct LibraryGuard {
    theirs: Option<ReentrantMutexGuard<'static, ()>>,
    /// It stays on its thread.
    _on_this_thread: PhantomData<*mut ()>,
}

impl Drop for LibraryGuard {
    fn drop(&mut self) {
        drop(self.theirs.take());
        LIBRARY.unlock();
    }
}

/// Takes the library lock.
pub(crate) fn take_library() -> LibraryGuard {
    watch_forks();
    LIBRARY.lock();
    LibraryGuard {
        theirs: Some(LOCK.lock()),
        _on_this_thread: PhantomData,
    }
}

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

/// Does something that no fork falls into. It must be short, must not wait for the library lock, and
/// must not come here again.
pub(crate) fn outside_forks<T>(work: impl FnOnce() -> T) -> T {
    watch_forks();
    NO_FORK.pass(work)
}

extern "C" fn prepare() {
    let held_before = LIBRARY.depth();
    LIBRARY.lock();
    std::mem::forget(LOCK.lock());
    NO_FORK.close();
    // Not before: another thread may be on its way to a fork, too.
    HELD_BEFORE.store(held_before, Ordering::Relaxed);
}

extern "C" fn parent() {
    NO_FORK.open();
    // SAFETY: this thread took it in `prepare`, and forgot the guard.
    unsafe { LOCK.force_unlock() };
    LIBRARY.unlock();
}

extern "C" fn child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // Not unlocked but made anew: a thread that is no more may have been about to take them, or
    // have waited for them.
    let held_before = HELD_BEFORE.load(Ordering::Relaxed);
    let library = match held_before {
        0 => ReentrantLock::free(),
        depth => ReentrantLock::held(depth),
    };
    // SAFETY: a child has one thread, which uses neither lock at the moment. Both consist of cells
    // and atomics only, so that they lie in memory that can be written, and need no drop.
    unsafe {
        (&raw const NO_FORK).cast_mut().write(Gate::new());
        (&raw const LIBRARY).cast_mut().write(library);
    }
    if held_before > 0 {
        // SAFETY: taken once more in `prepare`; the lock stays held as it was.
        unsafe { LOCK.force_unlock() };
    } else {
        // SAFETY: as above.
        unsafe { (&raw const LOCK).cast_mut().write(ReentrantMutex::new(())) };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
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
        NO_FORK.close();
        NO_FORK.open();
        drop(held);
    }

    #[test]
    fn a_fork_under_the_lock_leaves_it_held() {
        let held = library_lock();
        assert!(child_ends());
        assert!(LIBRARY.depth() == 1 && LOCK.is_owned_by_current_thread());
        drop(held);
        assert!(LIBRARY.depth() == 0 && !LOCK.is_owned_by_current_thread());
    }
}
