//! bzip2 as a plugin of libhdf5.

frazil_plugin::export!(frazil_types::filter_id::BZIP2, c"bzip2 (frazil)");
