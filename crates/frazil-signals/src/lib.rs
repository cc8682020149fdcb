//! Signals of a process that frazil is a guest of.
//!
//! In: a signal, or the thread that calls. Out: whether the process ignores it, or a thread that
//! leaves signals to the program's own threads.

#![expect(
    unsafe_code,
    reason = "calls of C's library: each block states why it is sound"
)]

use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Signals that a thread causes itself, or that a profiler counts its time by.
const OWN: [c_int; 8] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGSYS,
    libc::SIGPROF,
];

/// Leaves signals for the process to its other threads, but for those that this thread causes
/// itself.
///
/// A signal for a process goes to any thread that lets it come. A program whose handler must run in
/// its own thread (as Python's, which a sleep waits for) would not hear of it.
pub fn leave_to_others() {
    let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
    let set = signals.as_mut_ptr();
    // SAFETY: filled before it is changed and used; only this thread's mask is changed.
    unsafe {
        libc::sigfillset(set);
        for signal in OWN {
            libc::sigdelset(set, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, set, std::ptr::null_mut());
    }
}

/// Whether the process ignores a signal, as a program does that was started by `nohup`, or in the
/// background by a shell without job control.
#[must_use]
pub fn is_ignored(signal: c_int) -> bool {
    // SAFETY: all-zero is a valid `sigaction`.
    let mut action = unsafe { std::mem::zeroed::<libc::sigaction>() };
    // SAFETY: no new action, and a valid out-pointer; a number that is no signal is an error.
    let status = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    status == 0 && action.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blocked(signal: c_int) -> bool {
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        let set = signals.as_mut_ptr();
        // SAFETY: no new mask, and a valid out-pointer, which the call fills.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), set);
            libc::sigismember(set, signal) == 1
        }
    }

    #[test]
    fn a_thread_that_leaves_signals_to_others_gets_its_own() {
        std::thread::scope(|scope| {
            let mask = scope.spawn(|| {
                leave_to_others();
                [libc::SIGTERM, libc::SIGINT, libc::SIGUSR1, libc::SIGSEGV].map(is_blocked)
            });
            assert_eq!(mask.join().unwrap(), [true, true, true, false]);
        });
        assert!(!is_blocked(libc::SIGTERM));
    }

    #[test]
    fn only_what_is_ignored_is_said_to_be() {
        // Rust's runtime ignores it in every program.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGURG) && !is_ignored(-1));
    }
}
