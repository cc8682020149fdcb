//! The library that `frazil run --level hdf5` preloads: `H5Dwrite` of programs that use HDF5 themselves.
//!
//! In: the program's calls of `H5Dwrite`. Out: packed chunks, through the program's own libhdf5.
//!
//! A call that writes whole chunks with filters that frazil encodes is packed on all cores, and each chunk
//! goes into the file through `H5Dwrite_chunk` of the program's own libhdf5 (`chunks`). Every other call
//! goes on to that library's `H5Dwrite` as it came, and so does one at which anything fails: errors are
//! those of that library. Nothing is left to do when a call returns, and nothing is kept of a dataset, so
//! that chunk caches, forks and ends of programs are as they were.

// Empty elsewhere: other calling conventions are not known here, and `frazil run` says so.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

#[expect(unsafe_code, reason = "calls libhdf5")]
mod chunks;
#[expect(unsafe_code, reason = "calls libhdf5")]
mod dataset;
#[expect(unsafe_code, reason = "an exported function, in machine code")]
mod door;
mod encoder;
#[expect(unsafe_code, reason = "reads the program's memory")]
mod gather;
#[expect(unsafe_code, reason = "calls libhdf5")]
mod handles;
#[expect(unsafe_code, reason = "functions of libhdf5 by their names")]
mod library;
#[expect(unsafe_code, reason = "calls libhdf5")]
mod selection;
#[expect(unsafe_code, reason = "runs at the end of the process")]
mod tally;
#[expect(unsafe_code, reason = "calls libhdf5")]
mod types;
#[expect(unsafe_code, reason = "calls libhdf5")]
mod write;
