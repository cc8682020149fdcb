//! Whose rights this process has.

/// The effective user's number.
pub(crate) fn effective_user() -> u32 {
    // SAFETY: a call without arguments that cannot fail.
    unsafe { libc::geteuid() }
}
