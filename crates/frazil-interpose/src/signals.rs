//! Signals of the program, and threads that it does not know of.

use std::mem::MaybeUninit;

/// Signals that a thread causes itself, or that a profiler counts its time by.
const OWN: [libc::c_int; 8] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGSYS,
    libc::SIGPROF,
];

/// Leaves signals for the process to its other threads. `frazil-container` has the same for the engine,
/// which these libraries do not link.
pub fn leave_signals_to_others() {
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
