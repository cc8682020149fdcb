//! Forks: a child process finds the tables of this library free.
//!
//! A child has one thread, the one that forked. If another thread of its parent held a table at that
//! moment, the child would wait for it for ever. So whoever forks takes the tables first, and both
//! processes give them back.
//!
//! Values that are made at first use wait for nobody (`once_cell::race`): two threads may make one at a
//! time, and the first one is kept.
//!
//! Source: POSIX.1-2024, `pthread_atfork`.

use std::cell::RefCell;

use crate::files::{FilesGuard, lock_files};
use crate::library::{ProgramsGuard, lock_programs};

thread_local! {
    /// The tables, between the beginning of a fork and its end.
    static HELD: RefCell<Option<(FilesGuard, ProgramsGuard)>> = const { RefCell::new(None) };
}

/// The dynamic linker calls this when it has loaded the library, before there is a thread to fork in.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = watch;

/// Has every fork of this process from now on wait for the tables, which are held for moments.
extern "C" fn watch() {
    // SAFETY: the functions are static. If there is no memory to note them, forks are as they would
    // be without them.
    let _status = unsafe { libc::pthread_atfork(Some(take), Some(give_back), Some(give_back)) };
}

extern "C" fn take() {
    let tables = (lock_files(), lock_programs());
    // A thread that is ending has no place for them any more: they are free again at once.
    let _ = HELD.try_with(|held| held.replace(Some(tables)));
}

extern "C" fn give_back() {
    let _ = HELD.try_with(|held| held.replace(None));
}
