//! Files that a program leaves open when it ends: they are committed and closed.
//!
//! What is registered with `atexit` runs after `main` returns, and in `exit`, Fortran's `STOP` and
//! `ERROR STOP`, while other threads still run: those that pack can be waited for. Nothing waits for
//! ranks of MPI, which may be gone, nor for a thread that stays inside a call.

use std::sync::{Arc, Mutex, Once, Weak};
use std::time::{Duration, Instant};

use frazil::Writer;

use crate::global::Global;
use crate::nc::table;
use crate::writer::Shared;
use crate::{guard, last_error};

/// A thread that is inside a call for longer keeps its file at its last commit.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Between two looks at a lock.
const PAUSE: Duration = Duration::from_millis(1);

/// The writers of this process. A child after a fork has copies, of another generation.
static WRITERS: Global<Vec<Weak<Shared>>> = Global::new(Vec::new());

/// Who else is to be called when the program ends, and has registered when it was first used.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Library {
    /// libhdf5, at the first file of frazil's own.
    Hdf5,
    /// netCDF-C, at the first file that it serves.
    NetCdf,
}

/// Has files committed at the end of the program. What is registered last is called first: it comes
/// after the library that serves the file, which must not be gone by then.
pub(crate) fn prepare(library: Library) {
    static AFTER_HDF5: Once = Once::new();
    static AFTER_NETCDF: Once = Once::new();
    let once = match library {
        Library::Hdf5 => &AFTER_HDF5,
        Library::NetCdf => &AFTER_NETCDF,
    };
    once.call_once(|| {
        // SAFETY: the function lives as long as the library, and lets no panic out.
        let status = unsafe { libc::atexit(end) };
        debug_assert_eq!(status, 0);
    });
}

/// Remembers a writer until it is closed.
pub(crate) fn remember(writer: &Arc<Shared>) {
    WRITERS.with(|writers| {
        writers.retain(|known| known.strong_count() > 0);
        writers.push(Arc::downgrade(writer));
    });
    prepare(Library::Hdf5);
}

extern "C" fn end() {
    // An error says itself what became of the file.
    let _ = guard::caught(|| {
        commit_all();
        Ok(())
    });
}

fn commit_all() {
    // A signal's handler may have called exit in the midst of a call of this very thread.
    if guard::is_inside_a_call() {
        return;
    }
    let deadline = Instant::now() + LONGEST_WAIT;
    let writers = WRITERS.with(std::mem::take);
    for shared in writers.iter().filter_map(Weak::upgrade) {
        if shared.generation != frazil::fork_generation() {
            // The parent's: not even its memory is freed here.
            std::mem::forget(shared);
            continue;
        }
        if let Some(writer) = locked(&shared.writer, deadline).and_then(|mut one| one.take()) {
            close(&shared, writer);
        }
    }
    table::close_all(deadline);
}

/// A lock, unless another thread keeps it.
pub(crate) fn locked<T>(
    mutex: &Mutex<T>,
    deadline: Instant,
) -> Option<std::sync::MutexGuard<'_, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            // A panic left it half changed.
            Err(std::sync::TryLockError::Poisoned(_)) => return None,
            Err(std::sync::TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
            Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

fn close(shared: &Shared, writer: Writer) {
    if writer.is_parallel() {
        // The other ranks may not come: the file stays at its last commit.
        std::mem::forget(writer);
        return;
    }
    let outcome = writer.close();
    if let Err(error) = &outcome {
        last_error::complain(&last_error::in_one_line(error));
    }
    let _ = shared.ended.set(outcome);
}
