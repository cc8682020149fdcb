//! Filters chosen for every chunk, as a plugin of libhdf5.

frazil_plugin::export!(frazil_types::filter_id::FRAZIL, c"frazil (frazil)");
