//! The only folder of this crate that holds `unsafe` code: safe wrappers over libhdf5 and
//! netCDF-C. Every wrapper takes the library lock for the duration of its call.

#![expect(
    unsafe_code,
    reason = "the FFI door: each block states why it is sound"
)]

mod api;
pub(crate) mod attribute;
pub(crate) mod attribute_order;
mod attribute_property;
mod backing;
pub(crate) mod dataset;
pub(crate) mod dataspace;
pub(crate) mod datatype;
mod driver;
mod external;
pub(crate) mod file;
mod file_property;
pub(crate) mod filter;
pub(crate) mod filter_decoder;
mod fork;
mod fork_locks;
mod handle;
pub(crate) mod header;
mod heap_guard;
mod known;
mod lease;
pub(crate) mod link;
mod link_class;
mod mapping;
pub(crate) mod names;
pub(crate) mod netcdf;
mod netcdf_data;
pub(crate) mod netcdf_file;
pub(crate) mod netcdf_inquire;
pub(crate) mod number_form;
mod pages;
pub(crate) mod property;
pub(crate) mod reference;
pub(crate) mod region;
mod reserve;
mod signals;
mod text;
mod user;
pub(crate) mod variable_length;
pub(crate) mod virtual_source;
mod writer_lock;

pub(crate) use backing::LiveFile;
pub(crate) use driver::RawSink;
pub(crate) use fork::{LibraryGuard, generation, outside_forks, take_library};
pub(crate) use handle::{Handle, library_version, plugin_path};
pub(crate) use lease::is_open_for_writing;
pub(crate) use reserve::reserve;
pub(crate) use signals::{at_exit, is_ignored as is_signal_ignored};
pub use text::bytes_of_text;
pub(crate) use user::effective_user;
pub(crate) use writer_lock::{has_locks_on_ranges, lock_as_writer};
