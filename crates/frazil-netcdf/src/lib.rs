//! The netCDF library's interface: what `nc_*`, `nf_*` and `nf90_*` calls mean, with their numbers
//! and status codes.
//!
//! In: calls with paths, numbers of objects and memory. Out: netCDF's status codes, with a message for each
//! refusal, and files.
//!
//! A [`Dataset`] is one open file. A [`Writer`](frazil_write::Writer) serves netCDF-4 files that
//! are created or opened for writing, a [`Reader`](frazil_read::Reader) those opened for reading.
//! The bundled netCDF-C serves classic files, and files in which netCDF-C may show something else
//! than the reader does (links, filters of plugins).

#![forbid(unsafe_code)]

mod appending;
mod bundled;
mod convert;
mod create;
mod dataset;
mod engine;
mod environment;
mod memory;
mod names;
mod reading;
mod region;
mod status;
#[cfg(test)]
mod tests;
mod types;
mod user_types;

pub use dataset::Dataset;
pub use names::sought_name;
pub use status::{Outcome, Status};
pub use types::{
    AttributeInquiry, AttributeValues, CText, ChunkCache, DeflateInquiry, DimensionInquiry,
    FORMAT_NETCDF4_CLASSIC, FillInquiry, GLOBAL, GroupInquiry, GroupNumber, MemorySpan, MemoryType,
    Mode, Region, STRING, State, Storage, UNLIMITED, VariableInquiry,
};
pub use user_types::{Elements, Field, Pointer, TypeKind, UserType, UserTypes, UserValues};
