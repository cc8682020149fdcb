//! How the threads of the engine start.

/// The body of a thread that leaves signals to the program's own threads.
pub(crate) fn guest<T>(body: impl FnOnce() -> T) -> impl FnOnce() -> T {
    || {
        frazil_signals::leave_to_others();
        body()
    }
}
