//! The one lock for libhdf5 and netCDF-C, which share state and are built without thread safety.

use crate::system::{LibraryGuard, take_library};

/// Takes the process-wide library lock; reentrant on one thread.
///
/// The lock that `hdf5-sys` exports is taken with it, so that other crates of the process that use
/// the same static libhdf5 through it are kept out as well. A thread that forks takes it too, so that
/// a child never begins while libhdf5 is at work.
pub(crate) fn library_lock() -> LibraryGuard {
    take_library()
}
