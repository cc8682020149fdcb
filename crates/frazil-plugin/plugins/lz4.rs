//! LZ4 as a plugin of libhdf5.

frazil_plugin::export!(frazil_types::filter_id::LZ4, c"lz4 (frazil)");
