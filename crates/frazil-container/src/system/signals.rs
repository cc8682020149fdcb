//! What the process was told about signals by whoever started it, and what it does at its end.

use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Whether the process ignores a signal, as a program does that was started by `nohup`, or in the
/// background by a shell without job control.
pub(crate) fn is_ignored(signal: i32) -> bool {
    // SAFETY: all-zero is a valid `sigaction`.
    let mut action = unsafe { std::mem::zeroed::<libc::sigaction>() };
    // SAFETY: no new action, and a valid out-pointer; a number that is no signal is an error.
    let status = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    status == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Has a function called when the process ends in good order: what is registered last is called
/// first. Whether that is possible.
pub(crate) fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: the function lives as long as the program; it takes nothing and lets no panic out,
    // which `extern "C"` turns into an abort.
    unsafe { libc::atexit(function) == 0 }
}

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

/// Leaves signals to other threads, but for those that this thread causes itself.
///
/// A signal for a process goes to any thread that lets it come. A program whose handler must run in
/// its own thread (as Python's, which a sleep waits for) would not hear of it.
pub(crate) fn leave_to_others() {
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
