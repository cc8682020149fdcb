//! HDF5 filter plugins made from frazil's codecs. With them, stock readers (ncdump, h5dump, nccopy,
//! h5py) read what frazil writes for `--readable-by plugins` and `frazil`, and h5repack writes it.
//!
//! In: a chunk and client data values, from libhdf5. Out: the encoded or decoded chunk.
//!
//! Each file in `plugins/` becomes one shared library for one filter by [`export!`]. A plugin links
//! no libhdf5. The program that loads it has one, and the plugin looks up functions there, to learn
//! the element type when a dataset is created. A plugin never unwinds into libhdf5, never ends the
//! process, and never prints. Its return value reports errors, and libhdf5 names the filter.

mod border;
mod host;
mod local;

pub use border::{Class, FilterFunction, SetLocalFunction, filter, set_local};

/// Version of the class structure (`H5Z_CLASS_T_VERS`).
pub const CLASS_VERSION: std::ffi::c_int = 1;
/// What kind of plugin a filter is (`H5PL_TYPE_FILTER`).
pub const PLUGIN_TYPE_FILTER: std::ffi::c_int = 0;

/// Makes a shared library the plugin of one filter: `export!(id, c"name")`.
#[macro_export]
macro_rules! export {
    ($id:expr, $name:expr) => {
        static CLASS: $crate::Class = $crate::Class {
            version: $crate::CLASS_VERSION,
            id: $id,
            encoder_present: 1,
            decoder_present: 1,
            name: $name.as_ptr(),
            can_apply: None,
            set_local: Some($crate::set_local::<{ $id }>),
            filter: Some($crate::filter::<{ $id }>),
        };

        /// What kind of plugin this is.
        #[allow(unsafe_code, reason = "libhdf5 looks for this name")]
        #[unsafe(no_mangle)]
        pub extern "C" fn H5PLget_plugin_type() -> ::std::ffi::c_int {
            $crate::PLUGIN_TYPE_FILTER
        }

        /// The filter.
        #[allow(unsafe_code, reason = "libhdf5 looks for this name")]
        #[unsafe(no_mangle)]
        pub extern "C" fn H5PLget_plugin_info() -> *const $crate::Class {
            &raw const CLASS
        }
    };
}
