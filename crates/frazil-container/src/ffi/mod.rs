//! The only folder of this crate that calls libhdf5 and netCDF-C: safe wrappers, each of which takes
//! the library lock for the duration of its call.

#![expect(
    unsafe_code,
    reason = "the FFI door: each block states why it is sound"
)]

mod api;
pub(crate) mod attribute;
mod attribute_property;
mod backing;
pub(crate) mod dataset;
pub(crate) mod dataspace;
pub(crate) mod datatype;
mod driver;
mod external;
mod far_pages;
pub(crate) mod file;
pub(crate) mod filter;
pub(crate) mod filter_decoder;
mod handle;
pub(crate) mod header;
mod heap_guard;
pub(crate) mod known;
pub(crate) mod link;
pub(crate) mod link_class;
pub(crate) mod netcdf;
mod netcdf_data;
pub(crate) mod netcdf_file;
pub(crate) mod netcdf_inquire;
mod pages;
pub(crate) mod property;
pub(crate) mod reference;
pub(crate) mod variable_length;

pub(crate) use backing::LiveFile;
pub(crate) use driver::RawSink;
pub(crate) use handle::{Handle, library_version, plugin_path};
