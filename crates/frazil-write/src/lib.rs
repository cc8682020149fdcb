//! Writes files from a running program: slices of any size in any order, packed in the background.
//!
//! In: definitions ([`frazil_container::schema`]), values in a caller's memory, and [`WriterOptions`].
//! Out: a netCDF-4 file that readers can open at every commit, and a [`WriterReport`]. Ranks write one
//! file together through a [`Comm`]; workers of a cluster pack chunks with a [`ChunkPacker`].
//!
//! [`Writer::put`] copies values into chunks being gathered. A complete chunk becomes a job for
//! background threads, which pack it; one placer takes the packed chunks in the order in which they
//! were completed, and writes them. The file's bytes depend on the order and the bytes of the puts
//! only.
//!
//! # Memory Chunks being gathered, waiting and packed share one budget. If it is used up, a put
//! first waits for chunks in progress. If there are none, the chunk that was untouched for the
//! longest time goes to a scratch file as it is, and comes back when it is touched or committed.
//!
//! # Commits [`Writer::sync`] packs incomplete chunks as they are, makes everything put so far
//! visible to readers, and lets it survive the end of the process. If a program rewrites much
//! committed data, the writer also commits, to limit memory.

#![forbid(unsafe_code)]

mod activate;
mod alone;
mod background;
mod begin;
mod books;
mod borders;
mod buffer;
mod buffers;
mod change;
mod checks;
mod commit;
pub mod compress;
mod cooperation;
mod cores;
mod data_file;
mod define;
mod distributed;
mod errors;
mod held;
mod key;
mod layout;
mod lease;
mod linear;
mod local;
mod mask;
mod options;
mod pack;
mod parallel;
mod partial;
mod plan;
mod put;
mod read;
mod repeats;
mod requests;
mod rounding;
mod scratch_file;
mod settable;
mod settings;
mod shared;
mod sink;
mod slab;
mod store;
mod summary;
#[cfg(test)]
mod tests;
mod variable;
mod writer;

pub use checks::{check_length, check_size};
pub use define::DimensionLength;
pub use distributed::{ChunkPacker, ChunkPlan, FilterPlan, PackedBox, PackedSummary};
pub use options::{Cores, OwnCommits, WriterOptions, WriterReport, WriterVariable};
pub use parallel::{Comm, CommError, LocalComm};
pub use settable::{environment_fault, stated_in_environment};
pub use settings::{FilterRequest, LayoutRequest, PrecisionStatement, VariableSettings};
pub use variable::ChosenFilters;
pub use writer::{VariableStorage, Writer};
