//! What the process was told about signals by whoever started it, and what it does at its end.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ignored_is_said_to_be() {
        // Rust's runtime ignores it in every program.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGURG) && !is_ignored(-1));
    }
}
