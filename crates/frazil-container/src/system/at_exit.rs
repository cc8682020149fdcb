//! What a process does at its end.

/// Has a function called when the process ends in good order: what is registered last is called
/// first. Whether that is possible.
pub(crate) fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: the function lives as long as the program; it takes nothing and lets no panic out,
    // which `extern "C"` turns into an abort.
    unsafe { libc::atexit(function) == 0 }
}
