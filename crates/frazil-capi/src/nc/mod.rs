//! netCDF's C interface: `frz_nc_*` with the signatures, semantics and status codes of `nc_*`.
//!
//! What a call means is the business of [`frazil::netcdf`]; this module turns numbers into files,
//! pointers into values, and refusals into status codes. Prototypes are in
//! `include/frazil_netcdf.h`.

mod arrays;
pub(crate) mod attributes;
mod dimensions;
pub(crate) mod entry;
pub(crate) mod files;
mod groups;
pub(crate) mod integers;
pub(crate) mod pointers;
pub(crate) mod slab;
pub(crate) mod storage;
pub(crate) mod strings;
pub(crate) mod table;
mod text;
pub(crate) mod types;
pub(crate) mod user_types;
pub(crate) mod user_values;
mod variables;

pub(crate) use entry::{declared_elsewhere, entries, run};
pub(crate) use text::{LIBRARY_VERSION, keep_detail, message};
