//! How the threads of the engine start.

use std::sync::OnceLock;

/// What each thread does first.
static PREPARE: OnceLock<fn()> = OnceLock::new();

/// Has every thread that this crate starts from now on do something first, such as to leave signals
/// to the program's own threads. The first call counts.
pub fn prepare_threads_with(prepare: fn()) {
    if PREPARE.get().is_none() {
        let _ = PREPARE.set(prepare);
    }
}

/// The body of a thread, with what each thread does first.
pub(crate) fn prepared<T>(body: impl FnOnce() -> T) -> impl FnOnce() -> T {
    || {
        if let Some(prepare) = PREPARE.get() {
            prepare();
        }
        body()
    }
}
