//! Calls of the operating system that the standard library has no safe form of: forks, file locks,
//! leases, space on disk, the end of the process. No function of libhdf5 or netCDF-C is called here.

#![expect(
    unsafe_code,
    reason = "calls of C's library: each block states why it is sound"
)]

mod at_exit;
mod fork;
mod fork_locks;
mod lease;
mod mapping;
mod reserve;
mod user;
mod writer_lock;

pub(crate) use at_exit::at_exit;
pub(crate) use fork::{LibraryGuard, generation, outside_forks, take_library};
pub(crate) use lease::is_open_for_writing;
pub(crate) use mapping::ZeroMapping;
pub(crate) use reserve::reserve;
pub(crate) use user::effective_user;
pub(crate) use writer_lock::{has_locks_on_ranges, lock_as_writer};
