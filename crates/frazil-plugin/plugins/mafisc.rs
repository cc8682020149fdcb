//! MAFISC as a plugin of libhdf5.

frazil_plugin::export!(frazil_types::filter_id::MAFISC, c"MAFISC (frazil)");
