//! Reading parts of files straight into a caller's memory, from any number of threads at once.
//!
//! In: a path and, by variable, indices along each axis. Out: values in this machine's byte order, in the
//! caller's memory, in any layout.
//!
//! `locate` once for each variable, under libhdf5's lock; then `fetch`, `unpack`, `gather` without
//! it. What has no fast path goes through libhdf5.

#![forbid(unsafe_code)]

mod cache;
mod element;
mod generation;
mod identity;
mod library;
mod model;
mod options;
mod places;
mod reader;
mod strings;

pub use cache::ChunkCachePolicy;
pub use options::{Checksums, ReaderOptions};
pub use places::Places;
pub use reader::Reader;
