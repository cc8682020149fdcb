//! The only crate that calls libhdf5 and netCDF-C: open, locate, define, place.
//!
//! In: the path of a file, or the schema of a new one and the sizes of its packed chunks. Out: what
//! the file holds and where ([`hdf5::Contents`]), or the address that each chunk gets.
//!
//! All `unsafe` code is in two folders: `ffi/` calls libhdf5 and netCDF-C, under one process-wide
//! library lock, and `system/` calls the operating system. This crate returns plain data. It knows
//! no filters, plans or threads.

pub mod beside;
pub mod classic;
mod commit;
pub mod elements;
mod error;
mod ffi;
pub mod hdf5;
mod lock;
pub mod model;
pub mod native;
pub mod netcdf;
pub mod schema;
mod system;

use std::fs::File;

pub use error::{ContainerError, Result};

/// A number that a child process after a fork finds changed: what it got from its parent is not its
/// own. Costs next to nothing.
pub fn fork_generation() -> u64 {
    system::generation()
}

/// Does something that no fork of this process falls into: a lock that is held only inside is free
/// in every child. It must be short, and must not use this crate.
pub fn outside_forks<T>(work: impl FnOnce() -> T) -> T {
    system::outside_forks(work)
}

/// Whether any program of this machine, this one included, has a file open for writing; `file` must
/// be open for reading only. `None`: it cannot be told. A network file system's answer means nothing.
pub fn is_open_for_writing(file: &File) -> Option<bool> {
    system::is_open_for_writing(file)
}

/// Has a function called when the process ends in good order, by `exit` or by the end of `main`: what is
/// registered last is called first. Whether that is possible.
pub fn at_exit(function: extern "C" fn()) -> bool {
    system::at_exit(function)
}

/// Version of the linked libhdf5, `2.2.0`.
#[must_use]
pub fn hdf5_version() -> String {
    ffi::library_version()
}

/// Folders that libhdf5 searches for foreign filter plugins.
#[must_use]
pub fn plugin_path() -> Vec<String> {
    ffi::plugin_path()
}
