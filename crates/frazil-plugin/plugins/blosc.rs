//! Blosc 1 as a plugin of libhdf5.

frazil_plugin::export!(frazil_types::filter_id::BLOSC, c"blosc (frazil)");
